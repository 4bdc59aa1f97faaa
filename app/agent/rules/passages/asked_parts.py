"""The parts of a message that asks more than one thing of notes, or says more than it asks."""

import functools
import re
from collections.abc import Callable, Sequence

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.reckoning_tables import Reckoning
from app.agent.rules.passages import answer_passages, questions
from app.agent.rules.passages.answer_passages import Ranked, Text
from app.agent.rules.passages.questions import Question
from app.agent.rules.phrases import phrases

Asks = Callable[[str], bool]
"""Whether a clause has a word that asks."""
_CLAUSE = re.compile(r"\s*[,;:.!?…–]+\s+|\s+-+\s+")
_UNSPACED = re.compile(r"[，,；;。！!？?]+")


def answer_each(text: str, language: Language, notes: Sequence[Text], asks: Asks) -> list[Ranked]:
    """Return a passage for each of the questions of a message: “when is the concert and where do
    the altos stand?”; nothing where it asks one thing, or any has no answer of its own.
    """
    asking = [questions.read_question(one) for one in _questions_of(text, language, asks)]
    if len(asking) < 2 or any(one.is_bare for one in asking):
        return []
    best = [answer_passages.best_passages(one, notes, is_last_try=True)[:1] for one in asking]
    told = [one.note for passages in best for one in passages]
    # Of the note that answers one, less is enough for the other.
    best = [passages or _leading(one, told) for one, passages in zip(asking, best, strict=True)]
    places = {(one.note.note_id, one.start): one for passages in best for one in passages}
    return list(places.values()) if all(best) else []


def _leading(question: Question, notes: Sequence[Text]) -> list[Ranked]:
    """Return the passage of some notes that answers a question clearly better than the others."""
    ranked = answer_passages.rank_passages(question, notes)
    if not ranked or ranked[0].score < answer_passages.LEAST:
        return []
    is_wanted = answer_passages.holds_wanted(question, answer_passages.text_of(ranked[0]))
    least = ranked[0].score * answer_passages.LEADS
    return ranked[:1] if is_wanted and all(one.score < least for one in ranked[1:]) else []


def _questions_of(text: str, language: Language, asks: Asks) -> list[str]:
    """Return the clauses of a message where each of them asks; else nothing."""
    parts = [one for one in _joints(language).split(text) if len(one.strip()) > 1]
    asking = [one for one in parts if asks(one) or questions.read_question(one).kind is not None]
    return asking if len(asking) == len(parts) else []


@functools.cache
def _joints(language: Language) -> re.Pattern[str]:
    """Return the pattern of what stands between two questions: a mark, or “and”."""
    if not phrases.is_spaced(language):
        return _UNSPACED
    joins = language_data.join_pattern(
        language_data.load_table(language, Reckoning).weak.get("+", "(?!)")
    )
    return re.compile(rf"{_CLAUSE.pattern}|(?:\s*,)?\s+(?:{joins})\s+", re.IGNORECASE)


def asking_clause(text: str, question: Question, asks: Asks) -> Question | None:
    """Return what the one clause of a message asks that is a question, where others stand beside it
    that only tell: “what pressure is it supposed to be at, the needle's sitting at 1”.
    """
    clauses = [one for one in _CLAUSE.split(text) if one.strip()]
    asking = [one for one in clauses if asks(one)]
    if len(clauses) < 2 or len(asking) != 1:
        return None
    clause = questions.read_question(asking[0])
    if not clause.terms or clause.is_bare:
        return None
    return clause._replace(kind=question.kind or clause.kind)
