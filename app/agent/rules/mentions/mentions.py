"""What a message speaks of: things of the user by their names, days, numbers and quoted texts."""

import functools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from app.agent.quickadd import quickadd
from app.agent.quickadd.quickadd import QuickAdd
from app.agent.rules.dialogue import dialogue_words, references, resolve_reference
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.mentions import parts
from app.agent.rules.mentions.parts import Part
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import stem
from app.agent.turn.steps import Asked, Thing, ThingKind
from app.core.process.caches import keep_short

_QUOTED = re.compile(r"[\"“„«»「『]\s*([^\"“”„«»「」『』]+?)\s*[\"”“»«」』]|(?<!\S)'([^']+)'(?!\w)")
_AFTER_COLON = re.compile(r"(?<=\w)\s?[:：]\s*(?P<text>[^\s\d:：].*\S|\d+\s\D.*)$", re.DOTALL)
GAP = 4
"""So many letters between two parts of a date, as “at”, belong to it."""
SHORTEST = 2
"""The letters of a name that must stand together where no spaces part words."""
POINTING = 3
"""So many words point at something at most."""
LONG_WORD = 4
"""A word of so many letters may be what an article before it is of."""
_ONE_LETTER = re.compile(r"(?<![^\W\u3040-\u309f])[\u3400-\u9fff](?=[をはがのもに分]|[^\w]|$)")
"""A Japanese word of one Chinese letter, by the particle after it: “もなかの薬をもらう”."""
_LOANED = re.compile(r"[\u30a0-\u30ff]+")
_ENDING = re.compile(r"[\u3040-\u309f]+")
LONGEST_TAIL = 3
"""So many letters of a Japanese word, but not its first, may be those of any other."""
_KANA = re.compile(r"[\u3040-\u309f]")
BEFORE_DAY, AFTER_DAY = 1, 4
"""So many words before and after a weekday's name may belong to it."""
SHORTEST_DAY = 3
"""“So” and “do” are names of days that mean other things, too."""
LENGTH = 3
"""So many words, and where no spaces part them letters, says a length of time at most."""


@keep_short  # what is read of a message and what is changed by it ask for the same
def moments(text: str, now: datetime, language: Language) -> tuple[Part, ...]:
    """Return the days and times that a text names, what belongs together as one."""
    read = quickadd.read_line(text, now=now, locale=language)
    found = [
        Part(span.start, span.end, "", "day")
        for span in read.spans
        if span.kind in ("date", "time", "recurrence")
    ]
    folded = plain_letters(text).lower()
    if not found and (days := dialogue_words.find_days(folded, now)):
        found = [Part(days[1], days[2], "", "day")]
    row = parts.split(text)
    for at, part in enumerate(row):
        if not any(one.start <= part.start < one.end for one in found):
            found += _day_at(text, row, at, now, language)
    joined: list[Part] = []
    for one in sorted(found):
        if joined and one.start - joined[-1].end <= GAP:
            joined[-1] = joined[-1]._replace(end=one.end)
        else:
            joined.append(one)
    return tuple(joined)


def _day_at(
    text: str, row: Sequence[Part], at: int, now: datetime, language: Language
) -> list[Part]:
    """Return the day that begins with a word, where that is a weekday's name or the like."""
    size = _size_of_day(row, at, _days(language))
    if not size:
        return []
    least = at + size
    for end in range(min(least + AFTER_DAY, len(row)), least - 1, -1):
        if _is_moment(text[row[at].start : row[end - 1].end], now, language):
            for start in range(max(at - BEFORE_DAY, 0), at):
                if _is_moment(text[row[start].start : row[end - 1].end], now, language):
                    return [Part(row[start].start, row[end - 1].end, "", "day")]
            return [Part(row[at].start, row[end - 1].end, "", "day")]
    return []


def _size_of_day(row: Sequence[Part], at: int, days: frozenset[str]) -> int:
    """Return of how many parts a day's name is that begins with one, 0 where none does: of some
    letters where no spaces part words.
    """
    if not questions.is_asian(row[at].word):
        return int(len(row[at].word) >= SHORTEST_DAY and row[at].word in days)
    names = ("".join(part.word for part in row[at : at + size]) for size in (3, 2))
    return next((len(name) for name in names if name in days and len(name) > 1), 0)


def _is_moment(said: str, now: datetime, language: Language) -> bool:
    read = quickadd.read_line(f"x {said}", now=now, locale=language)
    return read.due is not None and read.title == "x"


@functools.cache
def _days(language: Language) -> frozenset[str]:
    """Return the names of weekdays, and the words for days such as tomorrow."""
    table = language_data.load_table(language, Dates)
    rows = (*table.weekdays.values(), *table.days.values())
    return frozenset(plain_letters(word).lower() for row in rows for word in row)


def lengths(text: str, row: Sequence[Part], asked: Asked, language: Language) -> Iterator[Part]:
    """Yield the lengths of time that a text says: “two days”."""
    ahead = dialogue_words.tables(language)[0].ahead
    most = LENGTH + 2 * questions.is_asian(text)
    for at in range(len(row)):
        for end in range(min(at + most, len(row)), at, -1):
            said = text[row[at].start : row[end - 1].end]
            is_long = end - at > 1 or questions.is_asian(said)
            if is_long and dialogue_words.is_day(ahead.replace("{by}", said), asked, language):
                yield Part(row[at].start, row[end - 1].end, "", "by")
                return


def quoted(text: str) -> list[Part]:
    """Return the texts in quotation marks, or all that follows a colon."""
    if found := _AFTER_COLON.search(text):
        return [Part(found.start("text"), found.end(), found["text"].strip(), "text")]
    return [Part(*found.span(), found[1] or found[2], "text") for found in _QUOTED.finditer(text)]


def numbers(row: Sequence[Part]) -> list[Part]:
    """Return the numbers among the words of a text."""
    return [part._replace(slot="number") for part in row if part.word.isdecimal()]


def pointed(
    asked: Asked, row: Sequence[Part], slot: str, it: frozenset[str], language: Language
) -> list[Part]:
    """Return where a text points at what the turns before spoke of: “the second one”, “both”,
    “it”, “him”, “there”.
    """
    if not asked.earlier:
        return []
    if slot == "person":
        return _spoken(row, references.last_person(asked), "person", language)
    if slot == "folder":
        folder = references.last_folder(asked)
        return _spoken(row, folder.title if folder else "", "there", language)
    kinds: tuple[ThingKind, ...] = ("todo",) if slot == "todo" else ("note",)
    found = _both(asked, slot, kinds, language) if questions.is_asian(asked.message) else []
    for size in range(POINTING, 0, -1):
        for at in range(len(row) - size + 1):
            start, end = row[at].start, row[at + size - 1].end
            said = asked.message[start:end]
            if size == 1 and row[at].word in it:
                things = spoken_of(asked, kinds) if _stands_alone(row, at) else ()
            elif _points(said, language):
                meant = references.refer(asked, said, kinds, language)
                things = meant.things if meant else ()
            else:
                continue
            if things:
                found.append(Part(start, end, "", slot, things))
    return found[:1]


def _both(asked: Asked, slot: str, kinds: Sequence[ThingKind], language: Language) -> list[Part]:
    """Return where a text without spaces points at two things, or the rest of those listed:
    “both”, “the other one”, of more than `POINTING` letters.
    """
    table = dialogue_words.tables(language)[0]
    for pattern in (table.both, table.other):
        said = re.search(language_data.join_pattern(pattern), asked.message)
        meant = references.refer(asked, said[0], kinds, language) if said else None
        if said and meant and meant.things:
            return [Part(*said.span(), "", slot, meant.things)]
    return []


def spoken_of(asked: Asked, kinds: Sequence[ThingKind]) -> tuple[Thing, ...]:
    """Return the one thing that was spoken of last."""
    return references.newest(asked, kinds).things


def shortest_day(asked: Asked, said: str) -> str:
    """Return the words for a day without those beside it, such as “on the”, that change nothing."""
    whole = quickadd.read_line(f"x {said}", now=asked.now)
    # “Tomorrow at 8” is no shorter at 9 o'clock: a time alone leaves the day as it is.
    has_day = _names_date(whole)
    for shorten in (_without_first, _without_last):
        while whole.due and (rest := shorten(said)):
            read = quickadd.read_line(f"x {rest}", now=asked.now)
            if (read.due, read.title, _names_date(read)) != (whole.due, "x", has_day):
                break
            said = rest
    return said.strip()


def _names_date(read: QuickAdd) -> bool:
    return any(span.kind == "date" for span in read.spans)


def _without_first(said: str) -> str:
    """Return a text without its first word, or letter where no spaces part words."""
    return said[1:] if questions.is_asian(said) else said.partition(" ")[2]


def _without_last(said: str) -> str:
    """Return a text without its last letter where no spaces part words: “木曜に”."""
    return said[:-1] if questions.is_asian(said) else ""


def _points(said: str, language: Language) -> bool:
    """Return whether words point at one or several of what was listed."""
    names = ("both", "other")
    if any(dialogue_words.whole(language, name, said) for name in names):
        return True
    return not said.isdecimal() and dialogue_words.ordinal(language, said) is not None


def _stands_alone(row: Sequence[Part], at: int) -> bool:
    """Return whether a word such as “la” is no article: nothing that it could be of follows it."""
    return at + 1 == len(row) or len(row[at + 1].word) < LONG_WORD


def _spoken(row: Sequence[Part], title: str, field: str, language: Language) -> list[Part]:
    """Return where a text has a word for who, or the folder that, was spoken of last."""
    if not title:
        return []
    kind: ThingKind = "person" if field == "person" else "folder"
    pattern = getattr(dialogue_words.tables(language)[0], field)
    return [
        Part(one.start, one.end, "", kind, (Thing(kind, 0, title),))
        for one in row
        if dialogue_words.fits(pattern, one.word)
    ][:1]


def named(row: Sequence[Part], things: Sequence[Thing], slot: str) -> list[Part]:
    """Return where a text names things of a kind, the surest first: by words of their names that
    are rare among these.
    """
    terms = {one: _terms(one.title) for one in things}
    counts = Counter(term for held in terms.values() for term in held)
    found: dict[tuple[int, int], list[tuple[float, float, Thing]]] = {}
    for thing, held in terms.items():
        for run in _runs(row, held):
            said = {word for part in run if (word := _term(part, held))}
            weight = sum(1 / counts[word] for word in said)
            place = run[0].start, run[-1].end
            found.setdefault(place, []).append((weight, len(said) / len(held), thing))
    rows = []
    for (start, end), fitting in found.items():
        best = max(one[:2] for one in fitting)
        meant = tuple(thing for *score, thing in fitting if tuple(score) == best)
        rows.append((best[0], Part(start, end, "", slot, meant, len(meant) > 1)))
    return [part for _, part in sorted(rows, key=lambda one: -one[0])]


def named_unspaced(row: Sequence[Part], things: Sequence[Thing], slot: str) -> list[Part]:
    """Return where a text without spaces names things of a kind, by the letters that their names
    share with it.
    """
    text = "".join(part.word for part in row)
    apart = "、".join(_unbroken(row))
    words = {found[0] for found in _ONE_LETTER.finditer(apart)} if _KANA.search(text) else set()
    found: dict[tuple[int, int], list[tuple[float, Thing]]] = {}
    for thing in things:
        title = plain_letters(thing.title).lower()
        start, end = _longest_shared(text, title)
        is_name = end - start >= min(SHORTEST, len(title))
        if is_name and not _is_tail(text, title, start, end):
            found.setdefault((start, end), []).append(((end - start) / len(title), thing))
        for one in _ONE_LETTER.findall(title) if words else ():
            if one in words:
                at = text.index(one)
                found.setdefault((at, at + 1), []).append((1 / len(title), thing))
    rows = []
    places = _places(row)
    for (start, end), fitting in found.items():
        before = text[start - 1 : start]
        is_of_another = before and (before in "のっ" or not _ENDING.match(before))
        if is_of_another and dialogue_words.is_list_word(text[start:end]):
            continue  # “毛糸のメモ” is no “買い物メモ”
        best = max(share for share, _ in fitting)
        meant = tuple(thing for share, thing in fitting if share == best)
        meant = told_apart(text, start, end, [thing for _, thing in fitting]) or meant
        part = Part(places[start][0], places[end - 1][1], "", slot, meant, len(meant) > 1)
        rows.append((end - start + best, part))
    return [part for _, part in sorted(rows, key=lambda one: -one[0])]


def told_apart(text: str, start: int, end: int, things: Sequence[Thing]) -> tuple[Thing, ...]:
    """Return the one of several things with that piece of a text in their names of whose name the
    text without spaces has another piece, too; nothing where none is.
    """
    if len(things) < 2:
        return ()
    piece, rest = text[start:end], f"{text[:start]}\0{text[end:]}"
    shared: list[tuple[int, Thing]] = []
    for one in things:
        title = plain_letters(one.title).lower().replace(piece, "\1")
        first, last = _longest_shared(rest, title)
        if last - first >= SHORTEST and not _is_tail(rest, title, first, last):
            shared.append((last - first, one))
    most = max((size for size, _ in shared), default=0)
    best = tuple(one for size, one in shared if size == most)
    return best if len(best) == 1 else ()


def _unbroken(row: Sequence[Part]) -> Iterator[str]:
    """Yield the words of parts that stand together without a mark between them."""
    run = ""
    for at, part in enumerate(row):
        if run and part.start != row[at - 1].end:
            yield run
            run = ""
        run += part.word
    yield run


def _terms(title: str) -> dict[str, int]:
    words = [part.word for part in parts.split(title)]
    kept = [word for word in words if word not in questions.little() and len(word) > 1]
    return Counter(stem(word) for word in kept or words)


def _term(part: Part, held: Mapping[str, int]) -> str:
    """Return the word of a name that a part stands for; empty where it stands for none."""
    if part.slot or part.word in questions.little():
        return ""
    forms = (stem(part.word), *resolve_reference.same(stem(part.word)))
    return next((form for form in forms if form in held), "")


def _runs(row: Sequence[Part], held: Mapping[str, int]) -> Iterator[list[Part]]:
    """Yield the words of a name that stand together, but for little words between them."""
    run: list[Part] = []
    between = 0
    for part in row:
        if _term(part, held):
            run.append(part)
            between = 0
        elif run and part.word in questions.little() and not part.slot and between < 2:
            between += 1
        elif run:
            yield run
            run, between = [], 0
    if run:
        yield run


def _longest_shared(text: str, title: str) -> tuple[int, int]:
    """Return from where to where a text shares the longest piece with a title."""
    best = 0, 0
    lengths_before = [0] * (len(title) + 1)
    for at, letter in enumerate(text, 1):
        lengths_now = [0] * (len(title) + 1)
        for place, other in enumerate(title, 1):
            if letter == other:
                lengths_now[place] = length = lengths_before[place - 1] + 1
                if length > best[1] - best[0]:
                    best = at - length, at
        lengths_before = lengths_now
    return best


def _is_tail(text: str, title: str, start: int, end: int) -> bool:
    """Return whether a piece is only an ending of Japanese words, or the end of another loan word,
    as of “message” and “corsage”.
    """
    piece, at = text[start:end], title.find(text[start:end])
    if piece[0] == "を":
        return True  # “お菓子を買う” names no “猫砂を買う”
    if len(piece) > LONGEST_TAIL or not (_ENDING.fullmatch(piece) or _LOANED.fullmatch(piece)):
        return False
    before = text[start - 1 : start], title[at - 1 : at]
    if _LOANED.match(piece):
        return any(map(_LOANED.match, before))
    return at > 0 and before[1] not in "をと、（「：・ "


def _places(row: Sequence[Part]) -> list[tuple[int, int]]:
    """Return where each letter of the parts' words stands in the text."""
    return [(part.start + at, part.start + at + 1) for part in row for at in range(len(part.word))]
