"""Letting a model say an answer in better words.

Only what it was given, only in the words the contract has, and never for long.
"""

import asyncio
import functools
from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar, get_args

import msgspec

from app.agent.priorities.urgency import Level
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import ThingWords
from app.core.markdown.html_fragments import fit_line
from app.core.rewriter import Draft, Piece, Rewriter
from app.errors import AppError
from app.workspace.todos.todo_rows import fold_text

Name = TypeVar("Name", bound=str)
# Somebody waits for it, and the rules' own words are there already.
BUDGET_SECONDS = 20.0
LONGEST_TITLE = 200
LONGEST_TEXT = 1_000
Category = Literal["action", "communication", "planning", "review", "risk"]
CATEGORY_WORDS: dict[Category, str] = {
    "action": "action task todo do execute work fix act execution",
    "communication": "communication reply respond email mail message call follow-up followup "
    "outreach communicate",
    "planning": "planning plan schedule scheduling calendar meeting event time prepare "
    "strategy focus goal",
    "review": "review read check approve decide decision reflect evaluate",
    "risk": "risk security threat danger issue problem incident",
}


class Answer(msgspec.Struct):
    """What a model gives back."""

    pieces: list[Piece]


class Rewritten(msgspec.Struct, frozen=True):
    """The pieces in the order in which they now stand, and the tokens that it took."""

    pieces: list[Piece]
    tokens: int


async def rewrite_draft(rewriter: Rewriter | None, draft: Draft) -> Rewritten:
    """Return the pieces as a model puts them, or as they were when there is none or it fails, takes
    too long or gives something else.

    Ids that were not given are dropped; pieces that the model left out stay, after the others.
    """
    if rewriter is None or not draft.pieces:
        return Rewritten(draft.pieces, 0)
    try:
        async with asyncio.timeout(BUDGET_SECONDS):
            found = await rewriter.rewrite(draft)
        answer = msgspec.json.decode(found.answer, type=Answer)
    except (TimeoutError, AppError):
        return Rewritten(draft.pieces, 0)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Rewritten(draft.pieces, found.tokens)
    return Rewritten(_merge_pieces(draft.pieces, answer.pieces), max(0, found.tokens))


def urgency_level(word: str | None) -> Level:
    """Return the level of urgency that a word means; `medium` for an unknown one."""
    return _find_synonym(word, _urgency_words(), "medium")


@functools.cache
def _urgency_words() -> Mapping[Level, str]:
    tables = language_data.of_all(ThingWords)
    levels: tuple[Level, ...] = get_args(Level)
    return {level: " ".join(one.urgency.get(level, "") for one in tables) for level in levels}


def category_of(word: str | None) -> Category:
    """Return the category that a word means; `action` for an unknown one."""
    return _find_synonym(word, CATEGORY_WORDS, "action")


def _merge_pieces(given: Sequence[Piece], answered: Sequence[Piece]) -> list[Piece]:
    originals = {piece.id: piece for piece in given}
    merged: dict[str, Piece] = {}
    for piece in answered:
        # A model may repeat or invent pieces.
        if piece.id in originals and piece.id not in merged:
            merged[piece.id] = _check_piece(originals[piece.id], piece)
    return [*merged.values(), *(piece for piece in given if piece.id not in merged)]


def _check_piece(original: Piece, piece: Piece) -> Piece:
    return Piece(
        id=original.id,
        title=fit_line(piece.title, LONGEST_TITLE)
        if original.title and piece.title.strip()
        else original.title,
        text=fit_line(piece.text, LONGEST_TEXT) if piece.text.strip() else original.text,
        urgency_level=None
        if original.urgency_level is None
        else urgency_level(piece.urgency_level or original.urgency_level),
        category=None
        if original.category is None
        else category_of(piece.category or original.category),
    )


def _find_synonym(word: str | None, table: Mapping[Name, str], otherwise: Name) -> Name:
    plain = fold_text((word or "")[:60]).strip()
    words = {plain, *plain.replace("/", " ").replace("_", " ").split()}
    return next(
        (name for name, synonyms in table.items() if words & set(synonyms.split())), otherwise
    )
