"""What a message may wish and which of its words say what, by the models of its language.

One model weighs the intents of a message, one the slots of its pieces under an intent.
`scripts/train_reader.py` makes them from the labelled messages.
"""

import functools
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.list_tables import Lists
from app.agent.rules.reader import crf, features, lines
from app.agent.rules.reader.labelled import THEN, TWO, Span
from app.agent.rules.reader.lines import Line
from app.agent.turn.steps import Asked, Thing, Trace
from app.core.process.caches import keep_latest

INTENTS, SLOTS = "intents.crf.xz", "slots.crf.xz"
OUTSIDE = "O"
POSSIBLE = 0.001
"""Where two wishes are less likely, no second is looked for."""
PARTED = 0.02
"""From so likely a second wish on it is asked whether it is more than a day."""
HARDLY = 0.1
"""Where two wishes are less likely, one that says all it needs is the only one."""
REMARK, WORD = 0.85, 0.5
"""So likely is a part of a message no wish, and so likely where it is a word or two before it."""
NO_WISH = frozenset({"none", "smalltalk"})
FIRST_NO_WISH = NO_WISH | {"leave"}
"""What wishes nothing, and what wishes nothing before something else: “never mind. remind me …”."""
MOST = 2
"""The slots of so many intents are looked for, those of the likeliest."""
NEVER_QUOTED = frozenset({"day", "olddat", "by", "prio", THEN})
"""The slots whose words stand in no quotation marks."""
DAYS = frozenset({"day", "olddat"})
ADDED = {"add_step": "step", "add_item": "item", "append_note": "text"}
"""What says what is added by an intent."""
LISTS = frozenset({"tick_item", "change_items", "show_note", "append_note"})
"""After these a list was spoken of."""
MESSAGES = frozenset({"message", "from_person", "unread", "waiting", "last_messages"})
"""After these it was a message."""
_SENTENCE_END = re.compile(r"(?<=[^\W\d])[.!?]\s+(?=\w)")
_MARKED = re.compile(r"[,;.!?…，；。！？、]\s*$|\s[-–—]\s*$")
_TOPIC = re.compile(r"[のはをがも的]?(?:メモ|ノート|リスト|那?[条篇个]?笔记)?[、，,\s]*")
_COLON = re.compile(r"\w\s?:\s|：")
_INNER = re.compile(r"[.,;:!?…\n()]|\s[-–—]|[-–—]\s")
_LED = re.compile(r"[^、，。]{1,10}(?<!の)[にはをがも][、，]\s*")
"""What a Japanese message names before it says what is wished of that."""
_QUOTED = re.compile(
    r"[\"“„«「『‘](?=\S)([^\"“”„«»「」『』‘’\n]{1,120})[\"”“»」』’]"
    r"|(?<!\w)'([^'\n]{2,60})'(?!\w)"
)


class Understood(NamedTuple):
    """What a message may wish: how likely, from 0 to 1, and where the words of its slots stand."""

    intent: str
    sure: float
    text: str
    spans: tuple[Span, ...]

    def all_of(self, slot: str) -> list[str]:
        """Return the words of each place that is said to be a slot."""
        return [self.text[one.start : one.end] for one in self.spans if one.slot == slot]

    def get(self, slot: str) -> str:
        """Return the words of the first place that is said to be a slot; empty without one."""
        return next(iter(self.all_of(slot)), "")


class Reading(NamedTuple):
    """What a message may wish, the likeliest first, and how likely each intent is."""

    likely: tuple[Understood, ...]
    weights: Mapping[str, float]


@functools.cache
def knows(language: Language) -> bool:
    """Return whether there is a reader for a language."""
    has = language_data.has_table
    return has(language, Changes) and has(language, Lists) and _path(language, SLOTS).is_file()


def read(asked: Asked, things: Sequence[Thing], language: Language) -> Reading:
    """Return what a message may wish; `things` are those that it may name."""
    last = asked.earlier[:1]
    bare = Asked(asked.message, (), frozenset(), asked.now, earlier=last)
    return _read(bare, tuple(things), language)


def second_wish(asked: Asked, language: Language) -> tuple[float, int]:
    """Return how likely a message wishes two things, and where the second would begin; 0 where it
    has none.
    """
    sure = read(asked, (), language).weights.get(TWO, 0.0)
    if sure < POSSIBLE:
        return sure, 0
    both = _with_slots(lines.read(asked, (), language), TWO, sure, language)
    return sure, max((one.start for one in both.spans if one.slot == THEN), default=0)


@keep_latest  # each step of a turn begins from the message anew
def _read(asked: Asked, things: Sequence[Thing], language: Language) -> Reading:
    line = lines.read(asked, things, language)
    if not line.words:
        return Reading((), {})
    weights: Mapping[str, float] = crf.weigh(
        _model(language, INTENTS), features.of_line(line, before(asked))
    )
    if weights.get(TWO, 0.0) >= POSSIBLE and (
        _is_one_clause(line, language) or _one_is_none(asked, line, weights, language)
    ):
        weights = _one_wish(weights)
    best = sorted(weights, key=lambda one: -weights[one])[:MOST]
    return Reading(tuple(_with_slots(line, one, weights[one], language) for one in best), weights)


def _is_one_clause(line: Line, language: Language) -> bool:
    """Return whether nothing in a message parts two wishes, neither a mark nor a word: “when have
    i got to have it done by?”.
    """
    text = Marked(line.text).text.strip(" .,;!?…")
    return line.is_spaced and not (words_of(language).join.search(text) or _INNER.search(text))


def _one_is_none(
    asked: Asked, line: Line, weights: Mapping[str, float], language: Language
) -> bool:
    """Return whether the second of two wishes would begin in the text behind a colon, “add to the
    log: 21/11: wipers, 34 €”, is only a day, or one of both says why, or thanks: “undo that, they
    want it in writing”, “never mind. remind me to buy coffee”.
    """
    has_colon = _COLON.search(line.text) is not None
    if not has_colon and weights[TWO] < PARTED:
        return False
    both = _with_slots(line, TWO, weights[TWO], language)
    at = max((one.start for one in both.spans if one.slot == THEN), default=0)
    if (has_colon and _COLON.search(line.text[:at])) or _is_day(line, at):
        return True
    if not line.is_spaced and _is_topic(line, at, weights, language):
        return True
    if _LED.fullmatch(line.text[:at]):
        return True  # “あと美咲に、花は…って伝えて”
    if weights[TWO] < PARTED or not _MARKED.search(line.text[:at]):
        return False
    if weights[TWO] < HARDLY and _all_said_from(line, at, weights, language):
        return True
    first, second = line.text[:at], line.text[at:]
    return _is_remark(asked, second, NO_WISH, language) or _is_remark(
        asked, first, FIRST_NO_WISH, language
    )


def _all_said_from(line: Line, at: int, weights: Mapping[str, float], language: Language) -> bool:
    """Return whether what a message likely wishes is said in its second part alone: “he wants it
    sooner, make it Wednesday noon”.
    """
    one = max((name for name in weights if name != TWO), key=lambda name: weights[name])
    spans = _with_slots(line, one, weights[one], language).spans
    return bool(spans) and all(span.start >= at for span in spans)


def _is_remark(asked: Asked, text: str, remarks: Collection[str], language: Language) -> bool:
    """Return whether a part of a message wishes nothing, or no more than these."""
    alone = lines.read(Asked(text, (), frozenset(), asked.now), (), language)
    model = _model(language, INTENTS)
    said = crf.weigh(model, features.of_line(alone, before(asked))) if alone.words else {}
    is_word = remarks is FIRST_NO_WISH and len(text.split()) <= MOST and alone.is_spaced
    return sum(said.get(one, 0.0) for one in remarks) >= (WORD if is_word else REMARK)


def _is_day(line: Line, at: int) -> bool:
    """Return whether from a place on a message says a day, and no word more but for one."""
    rest = [day for day, (start, _) in zip(line.days, line.places, strict=True) if start >= at]
    return at > 0 and any(rest) and rest.count("") <= 1


def _is_topic(line: Line, at: int, weights: Mapping[str, float], language: Language) -> bool:
    """Return whether up to a place a message only names what its wish is of: “給湯器のメモ、”."""
    one = max((name for name in weights if name != TWO), key=lambda name: weights[name])
    said = _with_slots(line, one, weights[one], language)
    return any(
        span.slot == "target" and not span.start and _TOPIC.fullmatch(line.text, span.end, at)
        for span in said.spans
    )


def _one_wish(weights: Mapping[str, float]) -> Mapping[str, float]:
    """Return the weights of intents without that of two wishes."""
    left = max(1 - weights[TWO], POSSIBLE)
    return {one: sure / left for one, sure in weights.items() if one != TWO}


def _with_slots(line: Line, intent: str, sure: float, language: Language) -> Understood:
    spans: list[Span] = []
    tags = _model(language, SLOTS).tagger.tag(features.of_pieces(line, intent))
    for (start, end), tag in zip(line.places, tags, strict=True):
        begins, _, slot = tag.partition("-")
        if tag != OUTSIDE and (begins == "B" or not spans or spans[-1].slot != slot):
            spans.append(Span(slot, start, end))
        elif tag != OUTSIDE:
            spans[-1] = spans[-1]._replace(end=end)
    whole = tuple(dict.fromkeys(_whole(line.text, one) for one in spans))
    if intent in ADDED and [one.slot for one in whole] == ["target"]:
        # “ribbon is still missing” says what is added, and not where
        whole = (whole[0]._replace(slot=ADDED[intent]),)
    return Understood(intent, sure, line.text, whole)


def _whole(text: str, span: Span) -> Span:
    """Return a slot with all that the quotation marks hold in which it begins or ends; a text to
    be written down that follows a colon goes on to the end of the message, and a day ends with its
    sentence.
    """
    if span.slot in DAYS and (stop := _SENTENCE_END.search(text, span.start, span.end)):
        return span._replace(end=stop.start())  # “not before Friday. Thursday it storms”
    if span.slot == "text" and text[: span.start].rstrip().endswith((":", "：")):
        return span._replace(end=len(text.rstrip()))
    for found in _QUOTED.finditer(text) if span.slot not in NEVER_QUOTED else ():
        start, end = found.span(1 if found[1] else 2)
        if start <= span.start < end or start < span.end <= end:
            return Span(span.slot, start, end)
    return span


def before(asked: Asked) -> str:
    """Return what the turn before was about, in the words of the labelled messages."""
    last = asked.earlier[0] if asked.earlier else Trace()
    if last.asks is not None:
        return "asked"
    if last.intent in MESSAGES:
        return "message"
    for things, is_list in ((last.about, False), (last.shown, True)):
        kinds = {one.kind for one in things}
        several = is_list and len(things) > 1
        if kinds == {"todo"}:
            return "todos" if several else "todo"
        if "note" in kinds:
            return "notes" if several else "list" if last.intent in LISTS else "note"
        if kinds:
            return "folder" if "folder" in kinds else "message"
    return "-"


@functools.cache
def _model(language: Language, name: str) -> crf.Model:
    return crf.opened(_path(language, name))


def _path(language: Language, name: str) -> Path:
    return language_data.FOLDERS / language / name
