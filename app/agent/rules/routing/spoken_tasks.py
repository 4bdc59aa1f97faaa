"""What a whole message asks to be put down as a todo, or says must be done.

A message is read in three steps: its days are taken out wherever they stand, what is left is
matched with the frames of its language, one within the other (“remind me that I have to …”), and
what the frames leave is the title.
"""

import functools
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Literal, NamedTuple

import msgspec

from app.agent.quickadd import folded_text, quickadd
from app.agent.quickadd.quickadd import QuickAdd
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language, Pieces
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.task_tables import Tasks
from app.agent.rules.phrases import phrases
from app.agent.rules.routing import wording

LONGEST = 300
LONGEST_TITLE = 120
LONGEST_MOMENT = 5
"""So many words has a day with its hour at most."""
ACCENTED = "accented"
"""The group of what only counts with its accents."""
MOST_CLAUSES = 4
"""After so many clauses at most may the one stand that says what is to be done."""
DEPTH = 4
"""So many frames stand one within the other at most."""
_MARKS = " \t,;:!–—-、。，！：；"
_SENTENCE = re.compile(r"(?<=\w{3})[.!?]\s+\w|(?<=\w\w)[.!?]\s+[a-zà-ÿ]|[。！？]\s*\w")
_END = re.compile(r"(?<=[^\W\d_])[.]+$|(?<=\W)[.]+$|[,?？\s]+$")
_ASKS = re.compile(r"[?？]\W*$")
_CLAUSE = re.compile(r"[,;.!–—]+\s+|[，。；！、]\s*")
_COLON_IN = re.compile(r"[:：]\s*[^\d\s]")
_COLON = re.compile(r"[:：]\s*$")


Kind = Literal["asked", "noted", "duty", "plain"]
FRAMES: Mapping[str, Kind] = {"asks": "asked", "notes": "noted", "duties": "duty"}
"""What a message is of which these frames are taken, the surest first."""


class SpokenTask(msgspec.Struct, frozen=True):
    """What is to be done: its title, and the words of its day, hour and rule.

    It is `asked` for outright, or to be `noted`, or a `duty` of which a message says that it must
    be done, or `plain` where the message only names it.
    """

    title: str
    when: str
    kind: Kind


class _Frames(NamedTuple):
    asks: tuple[re.Pattern[str], ...]
    notes: tuple[re.Pattern[str], ...]
    duties: tuple[re.Pattern[str], ...]
    events: tuple[re.Pattern[str], ...]
    plain: re.Pattern[str]
    timed: re.Pattern[str]
    begin: re.Pattern[str]
    end: re.Pattern[str]
    fillers: re.Pattern[str]
    stops: re.Pattern[str]
    questions: re.Pattern[str]
    titles: tuple[tuple[re.Pattern[str], str], ...]


class _Said(NamedTuple):
    """A message without its days: whether it asks, and what kinds of days it had."""

    text: str
    asks: bool
    kinds: frozenset[str]


class _Taken(NamedTuple):
    """What frames leave of a message, and the days that stood between them."""

    title: str
    kind: Kind
    moments: tuple[str, ...]


@functools.lru_cache(maxsize=64)
def read(message: str, now: datetime, language: Language) -> SpokenTask | None:
    """Return the todo that a message as a whole is about, or the last of its clauses; None where
    it is not surely one.
    """
    text = message.strip()
    if not language_data.has_table(language, Tasks) or len(text) > LONGEST or "\n" in text:
        return None
    if wording.says_no_duty(text, language):
        return None
    spelled = wording.spelled(text, language)
    found = _read(spelled, now, language)
    if spelled != text and found:
        # A title stays as it was written.
        as_written = _read(text, now, language)
        if as_written and wording.spelled(as_written.title, language) == found.title:
            return as_written
    return found


def _read(text: str, now: datetime, language: Language) -> SpokenTask | None:
    """Return the todo that a text of the usual spelling is about."""
    frames = _frames(language)
    begun = _plain(_bare(text, frames, end=False))
    asks = bool(_ASKS.search(text) or frames.questions.match(begun))
    line = _read_line(text, now, language)
    if not line.spans:
        text = _bare(text, frames, end=False)
        line = _read_line(text, now, language)
    if line.no_such_day or line.too_often:
        return None
    core = folded_text.remove_parts(text, [(one.start, one.end) for one in line.spans])
    when = " ".join(one.text.strip(_MARKS) for one in line.spans)
    without = functools.partial(_without_moment, now=now, language=language)
    first, core = without(_bare(core, frames, end=False))
    kinds = frozenset(one.kind for one in line.spans if one.kind != "priority")
    kinds |= {"date"} if first else set()
    for said, is_whole in _variants(core, language):
        found = _taken(_Said(said, asks, kinds), frames, without)
        if found is None or not (is_whole or _is_sure(found, core, kinds)):
            continue
        for moments in ((first, when, *found.moments), (when, first, *found.moments)):
            # A day that began the message is no name at its end.
            said_when = " ".join(filter(None, moments)).lower()
            # Else other words of its title would make another day of it.
            if _read_line(f"{found.title} {said_when}".strip(), now, language).title == found.title:
                return SpokenTask(found.title, said_when, found.kind)
    return None


def _read_line(text: str, now: datetime, language: Language) -> QuickAdd:
    return quickadd.read_line(text, now=now, locale=language)


def _is_sure(found: _Taken, core: str, kinds: Collection[str]) -> bool:
    """Return whether the last clause of a message alone says that something is to be done."""
    is_dated_duty = found.kind == "duty" and kinds and "?" not in core and "？" not in core
    return found.kind == "asked" or bool(is_dated_duty)


def _variants(core: str, language: Language) -> Iterator[tuple[str, bool]]:
    """Yield a message as it is and in plain words, and what follows each end of a clause; with
    whether that is all of it.
    """
    for one in dict.fromkeys((core, wording.plain_wording(core, language))):
        yield one, True
    for found in itertools.islice(_CLAUSE.finditer(core), MOST_CLAUSES):
        yield core[found.end() :], False


def _without_moment(said: str, now: datetime, language: Language) -> tuple[str, str]:
    """Return the day or hour that a text begins with, and the rest: one that is only read apart
    from what follows it.
    """
    words = said.split(" ")
    for count in range(min(LONGEST_MOMENT, len(words) - 1), 0, -1):
        moment = " ".join(words[:count]).strip(_MARKS)
        read = _read_line(f"x {moment}", now, language)
        if moment and read.title == "x" and read.due:
            return moment, " ".join(words[count:]).strip(_MARKS)
    return "", said


def _taken(
    said: _Said, frames: _Frames, without_moment: Callable[[str], tuple[str, str]]
) -> _Taken | None:
    """Return what the frames leave of a message; None where it is no title, or not surely one."""
    taken: set[str] = set()
    moments: list[str] = []
    # What follows a colon stands as it is.
    text = _bare(said.text, frames, end=_COLON_IN.search(said.text) is None)
    is_verbatim = False
    while len(moments) < DEPTH and not is_verbatim:
        names = ["asks", "notes"]
        if taken or not said.asks:
            # “Must” may stand in a title, too.
            names += ["duties"] if "duties" not in taken else []
            names += ["events"] if said.kinds else []
        inner = next(
            ((one, rest) for one in names if (rest := _within(text, getattr(frames, one)))), None
        )
        if inner is None:
            break
        taken.add(inner[0])
        is_verbatim = _COLON.search(text[: text.find(inner[1])]) is not None
        moment, text = without_moment(inner[1] if is_verbatim else _bare(inner[1], frames))
        text = text if is_verbatim else _bare(text, frames)
        moments.append(moment)
    if said.asks and not taken:
        return None
    kind: Kind = next((kind for name, kind in FRAMES.items() if name in taken), "plain")
    is_plain = "events" in taken or _is_plain(text, said.kinds, frames)
    title = wording.unquoted(_END.sub("", text)) if is_verbatim else _titled(text, frames)
    is_sure = "duties" in taken or is_plain
    if kind == "noted":
        is_sure = ":" not in title and (is_sure or bool(said.kinds) or any(moments))
    if not (is_sure or kind == "asked") or not _is_title(title, frames):
        return None
    return _Taken(title, kind, tuple(moments))


def _is_plain(text: str, kinds: Collection[str], frames: _Frames) -> bool:
    """Return whether a text only names what is to be done."""
    plain = _plain(text)
    is_timed = "time" in kinds and frames.timed.fullmatch(plain)
    return bool(is_timed or frames.plain.fullmatch(plain))


def _is_title(title: str, frames: _Frames) -> bool:
    too_long = len(title) > LONGEST_TITLE or _SENTENCE.search(title)
    return bool(title) and not too_long and not frames.stops.search(_plain(title))


def _within(said: str, patterns: Iterable[re.Pattern[str]]) -> str:
    """Return what the first frame that fits all of a text leaves of it; empty where none does."""
    plain = _plain(wording.hide_quoted(said))
    for pattern in patterns:
        if found := pattern.fullmatch(plain):
            accented = found.span(ACCENTED) if ACCENTED in pattern.groupindex else (0, 0)
            if accented[0] < accented[1] and said[slice(*accented)] == plain[slice(*accented)]:
                continue  # “musste” is no “müsste”
            spans = sorted(one for one in found.regs[1:] if one[0] < one[1] and one != accented)
            return " ".join(said[start:end].strip() for start, end in spans)
    return ""


def _plain(text: str) -> str:
    """Return a text as the frames expect it, as long as it was: without accents, with typographic
    apostrophes.
    """
    return plain_letters(text).replace("'", "’")


def _bare(said: str, frames: _Frames, *, end: bool = True) -> str:
    """Return a text without what says nothing at its edges, but all of it where nothing is left."""
    before = None
    while said != before:
        before = said
        for pattern in (frames.begin, frames.end)[: 1 + end]:
            plain = _plain(said)
            if (found := pattern.search(plain)) and found[0]:
                said = f"{said[: found.start()]} {said[found.end() :]}".strip(_MARKS) or said
        said = _END.sub("", said.strip(_MARKS))
    return said


def names_task(said: str, language: Language) -> bool:
    """Return whether a text only names what is to be done, by its verb: “buy two rolls of tape”."""
    has_frames = language_data.has_table(language, Tasks)
    return has_frames and _frames(language).plain.fullmatch(_plain(said.strip(_MARKS))) is not None


def usual_title(said: str, language: Language) -> str:
    """Return what is to be done in the usual form of a title: 取快递 of 去取快递, “ring gran” of
    “ring gran anyway”.
    """
    if not language_data.has_table(language, Tasks):
        return said
    frames = _frames(language)
    ends = frames.end.search(_plain(said)) if language in phrases.alphabetic_languages() else None
    said = said[: ends.start()].strip(_MARKS) or said if ends else said
    return _titled(said, frames) or said


def _titled(said: str, frames: _Frames) -> str:
    """Return what is to be done in its usual form."""
    title = wording.unquoted(said)
    while (found := frames.fillers.match(_plain(title))) and found.end() < len(title):
        title = title[found.end() :]
    for pattern, becomes in frames.titles:
        if found := pattern.search(_plain(title)):
            title = wording.rewritten_at(title, found, becomes)
    return wording.unquoted(title.strip(_MARKS))


@functools.cache
def _frames(language: Language) -> _Frames:
    table = language_data.load_table(language, Tasks)
    spaced = language in phrases.alphabetic_languages()
    compiled = functools.partial(_frame, language=language)
    fillers, begin, end = (
        f"(?:{language_data.join_pattern(one)})" for one in (table.fillers, table.begin, table.end)
    )
    begin, edge, behind, gap = (
        (f"(?:{begin}|{fillers})", r"(?:(?:(?<=[’¡¿])|(?!\w))[\s,.!:;–—-]*)", r"(?<!\w)", "[ ,]+")
        if spaced
        else (begin, r"[\s,、，。！!：:]*", "", "")
    )
    return _Frames(
        tuple(map(compiled, table.asks)),
        tuple(map(compiled, table.notes)),
        tuple(map(compiled, table.duties)),
        tuple(map(compiled, table.events)),
        compiled(table.plain),
        compiled(table.timed),
        compiled(rf"^{begin}{edge}"),
        compiled(rf"[\s,]*{behind}{end}[\s,.!]*$"),
        compiled(f"{fillers}{gap}"),
        compiled(table.stops),
        compiled(table.questions),
        tuple((compiled(one.pattern), one.becomes) for one in table.titles),
    )


def _frame(pattern: Pieces, language: Language) -> re.Pattern[str]:
    """Return a pattern of a language with its macros in place."""
    table = language_data.load_table(language, Tasks)
    fillers = f"(?:{language_data.join_pattern(table.fillers)})"
    spaced = language in phrases.alphabetic_languages()
    macros: dict[str, Pieces] = {
        **table.macros,
        "task": "(.+?)",
        "fill": rf"(?:[ ,:]+{fillers}(?!\w))*[ ,:]+" if spaced else f"{fillers}*",
    }
    text = plain_letters(language_data.expand_macros(pattern, macros))
    return re.compile(text, re.IGNORECASE)
