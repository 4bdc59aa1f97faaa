"""Which one is meant: the notes, todos and folders that fit the words somebody used for one."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import are_alike, fold_text, split_words, stem

SHOWN = 8
ROOT = 3
"""So many letters at its beginning tell which verb a form is of, where the rest is known."""
_UNSPACED_RUN = re.compile(r"[\u30a0-\u30ff]+|[\u3400-\u4dbf\u4e00-\u9fff々]+|[a-z0-9]+")
_OWN_HIRAGANA = re.compile(r"(?<!\w)[\u3040-\u309f]{2,}")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff々]")


def name_query(target: str) -> str:
    """Return the words to search for a note by its name."""
    return " ".join(questions.read_question(target).terms) or target[:1000]


def word_stems(target: str) -> list[str]:
    """Return the beginnings of the words that matter, as they stand in all their forms."""
    return [stem(term) for term in questions.read_question(target).terms]


def fitting_rows(target: str, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the rows with that very title, else those with all its words in the title."""
    exact = [row for row in rows if fold_text(row["title"]).strip() == fold_text(target).strip()]
    return exact or [row for row in rows if _named(target, row["title"])]


def find_folder(name: str, rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the folder of that name; None when there is none, or several only nearly so called."""
    exact = [row for row in rows if fold_text(row["name"]).strip() == fold_text(name).strip()]
    near = exact or [row for row in rows if _named(name, row["name"])]
    # Several of the very same name are in different places; the first is as good as any.
    return near[0] if exact or len(near) == 1 else None


def tells_of(did: str, title: str, words: str) -> bool:
    """Return whether a verb in some form is that of a title, whose other words are `words`.

    Of a title that is nothing but those words every verb may be.
    """
    if questions.is_asian(title):
        letters = _HAN.findall(did)
        return all(letter in title for letter in letters)
    said = word_stems(words)
    rest = [
        word
        for word in questions.read_question(title).terms
        if not any(are_alike(one, stem(word)) for one in said)
    ]
    verb = fold_text(did)
    return not rest or any(
        word.startswith(verb[:ROOT])
        or any(are_alike(like, stem(word)) for like in questions.alternatives(stem(verb)))
        for word in rest
    )


def _named(target: str, title: str) -> bool:
    """Return whether a title holds all the words, each whole and in whatever form."""
    held = {stem(word) for word in split_words(title)}
    wanted = word_stems(target)
    if wanted and all(any(are_alike(one, other) for other in held) for one in wanted):
        return True
    return questions.is_asian(target) and _named_unspaced(fold_text(target), fold_text(title))


def _named_unspaced(target: str, title: str) -> bool:
    """Return whether a title holds all that is said of it in a script without spaces, in whatever
    order: each word whole, and Chinese letters at least two together or all that the title has.
    """
    held = set(_UNSPACED_RUN.findall(title))
    pieces: list[str] = []
    for run in _UNSPACED_RUN.findall(questions.without_filler(target)):
        if not _HAN.match(run):
            if run not in held:
                return False
            pieces.append(run)
            continue
        while run:
            piece = next((run[:n] for n in range(len(run), 0, -1) if run[:n] in title), "")
            if not piece:
                return False
            pieces.append(piece)
            run = run[len(piece) :]
    # What is written in hiragana alone is a word too: “りんご”.
    own = _OWN_HIRAGANA.findall(target)
    if not pieces or any(word not in title for word in own):
        return False
    return any(len(piece) > 1 for piece in pieces) or set(_HAN.findall(title)) <= set(pieces)
