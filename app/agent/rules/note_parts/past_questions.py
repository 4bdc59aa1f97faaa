"""What a question for a time that has been wants of a log: “and in August?”, “the time before?”."""

import functools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import dialogue_words, references
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.question_tables import Kind, Questions
from app.agent.rules.note_parts import past_times
from app.agent.rules.note_parts.past_times import Past
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import fold_text, split_words, stem
from app.agent.rules.reader import reader
from app.agent.rules.routing import routing
from app.agent.turn.steps import Asked, Thing, Trace

LEAST = 2
"""So many letters has a word at least, and so many words may stand beside a time."""
LONGEST = 120
FEW = 4
"""So many letters say no more than “and”, where no spaces part words."""
PART = 4
"""So many letters has a word at least that is part of a longer one."""
ASKS = frozenset({"ask", "todo_state", "agenda"})
ELSE = frozenset({"list_notes", "changed", "read_messages", "find_notes"})
"""What a message surely asks that is for no line."""
ROUTED = frozenset({"recall", "list_notes", "changes", "from_person", "find_notes", "message"})
"""What its first words say that it asks for, and no line: what was talked about last week."""
SURE, LISTS = 0.5, 0.8
"""So likely is a message of those; and so likely does one ask for todos."""
_RUN = re.compile(
    r"[\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+|[a-z\d]{2,}"
    r"|(?<![\u3041-\u30ff])(?![こそあど][れの])[\u3041-\u3096]{2,}?(?=[のはがも、](?![\u3041-\u3096]))"
)
"""A word where no spaces part them, be it a name before a particle."""


class Wanted(NamedTuple):
    """What a question wants: the time, or the line before that of a day, its kind, its words, and
    those of the question that it goes on from.
    """

    past: Past | None
    kind: Kind | None
    words: tuple[str, ...]
    before: tuple[str, ...]
    measures: bool
    tells_past: bool
    names: frozenset[str] = frozenset()
    is_again: bool = False


def read(asked: Asked, language: Language) -> Wanted | None:
    """Return what a message wants of the lines of a time that has been; None where it asks for
    none.
    """
    text = asked.message
    last = asked.earlier[0] if asked.earlier else Trace()
    if len(text) > LONGEST or (last.asks and last.asks.lacks != "yes"):
        return None
    folded = dialogue_words.bare(text)
    past = past_times.read(asked, text, language)
    is_before = _pattern(language, "before_last").search(folded)
    if past is None and not (is_before and told_note(asked)):
        return None
    rest = past.rest if past else _pattern(language, "before_last").sub(" ", folded)
    words = tuple(_words(rest, language))
    measures = bool(_pattern(language, "measured").search(dialogue_words.bare(rest)))
    tells_past = past_times.tells_past(rest, language)
    is_again = not _own(words) and told_note(asked) is not None and last.intent == "ask"
    is_again = is_again and (measures or tells_past or _goes_on(rest, language))
    if past and past.may_come and not (is_again or measures or tells_past):
        return None
    is_one = past is None or past.is_part or not past.is_long
    if not is_again and not _asks(asked, language, may_add=not is_one):
        return None
    question, earlier = questions.read_question(text), asked_before(asked)
    kind = _kind(text, language) or (_kind(earlier, language) if is_again else None)
    kind = None if kind == "when" and past else kind
    names = frozenset() if is_again else question.names & {stem(one) for one in words}
    said = tuple(_words(_without_time(asked, earlier, language), language)) if is_again else ()
    return Wanted(past, kind, words, said, measures, tells_past, names, is_again)


def _own(words: Sequence[str]) -> list[str]:
    """Return the words that a note must have, and those of more than a letter."""
    return [one for one in words if len(one) > LEAST or not one.startswith("-")]


def _goes_on(rest: str, language: Language) -> bool:
    """Return whether what a message says beside its time is no more than “and”, “what about”."""
    bare = dialogue_words.bare(rest)
    if not words_of(language).spaced:
        left = re.sub(r"\W", "", bare).removesuffix("呢")
        return len(left) <= FEW and not words_of(language).asks.search(left)
    found = dialogue_words.whole(language, "follow", f"{bare} x")
    return not bare or (found is not None and len(found["rest"].split()) <= LEAST)


def _kind(text: str, language: Language) -> Kind | None:
    """Return what a question wants; of what was paid a price."""
    kind = questions.read_question(text).kind
    pays = language_data.join_pattern(language_data.load_table(language, Questions).rows.pays)
    if kind is None and not questions.is_asian(text) and re.search(pays, fold_text(text)):
        return "price"
    return kind


def _asks(asked: Asked, language: Language, *, may_add: bool) -> bool:
    """Return whether a message asks something that a line may answer; one for a long time may add
    several lines up.
    """
    text = asked.message
    weights = reader.read(asked, (), language).weights
    others = (*ELSE, "sum") if may_add else ELSE
    if sum(weights.get(one, 0.0) for one in others) >= SURE:
        return False
    if routing.route_message(text).intent in ROUTED:
        return False
    if weights.get("list_todos", 0.0) >= LISTS:
        return False
    if text.rstrip().endswith(("?", "？")):
        return True
    is_likely = sum(weights.get(one, 0.0) for one in ASKS) >= SURE
    words = words_of(language)
    find = words.asks.match if words.spaced else words.asks.search
    return is_likely or find(Marked(text).text) is not None


def asked_before(asked: Asked) -> str:
    """Return the question that the turn before answered."""
    last = asked.earlier[0] if asked.earlier else Trace()
    return next(filter(None, map(last.arguments.get, ("text", "said", "words"))), "")


def _without_time(asked: Asked, text: str, language: Language) -> str:
    past = past_times.read(asked, text, language) if text else None
    folded = past.rest if past else dialogue_words.bare(text)
    for name in ("last", "before_last"):
        folded = _pattern(language, name).sub(" ", folded)
    return folded


def told_note(asked: Asked) -> Thing | None:
    """Return the one note that the turn before was about."""
    last = asked.earlier[0] if asked.earlier else Trace()
    notes = references.notes_told(last)
    return notes[0] if len(notes) == 1 and last.asks is None else None


def _words(text: str, language: Language) -> Iterator[str]:
    """Yield the words of a question that say something; where no spaces part words its runs of
    letters. What a note need not have has a “-” before it: a word of what has been, one letter.
    """
    folded = dialogue_words.bare(text)
    if questions.is_asian(text) or not words_of(language).spaced:
        bare = _pattern(language, "measured").sub(" ", folded)
        for one in dict.fromkeys(_RUN.findall(questions.without_filler(bare))):
            yield one if len(one) > 1 else f"-{one}"
        return
    ignored = {
        word
        for pattern in (_pattern(language, "measured"), past_times.been(language))
        for one in pattern.finditer(folded)
        for word in split_words(one[0])
    }
    question = questions.read_question(text)
    little = questions.little() | questions.general()
    for term in question.terms:
        is_little = term in little or stem(term) in little or question.is_bare
        if not is_little and (term not in ignored or _may_narrow(term)):
            yield f"-{term}" if term in ignored else term


def _may_narrow(term: str) -> bool:
    return len(term) > PART


@functools.cache
def _pattern(language: Language, name: str) -> re.Pattern[str]:
    table = language_data.load_table(language, Questions)
    return re.compile(language_data.join_pattern(getattr(table, name)) or "(?!)")
