"""What the lines of a list, a log or a table come to together, and which of them tells the most:
only where every word of a message says which lines, and which of their amounts, are meant.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import NamedTuple

from app.agent.quickadd import time_ranges
from app.agent.quickadd.time_ranges import Range
from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.reckoning_tables import Keyword
from app.agent.rules.passages import questions
from app.agent.rules.passages.answer_passages import Text
from app.agent.rules.passages.sentences import split_words
from app.agent.rules.reckoning import (
    list_rows,
    note_amounts,
    numbers,
    sum_wishes,
    sums,
    words,
    written_dates,
)
from app.agent.rules.reckoning.list_rows import Line, Listed
from app.agent.rules.reckoning.note_amounts import Fact
from app.agent.rules.reckoning.sum_wishes import Solved, Wanted
from app.agent.turn.steps import Asked, Call

_SHORTEST = 2
"""Of fewer signs is no word where no spaces part them."""
LIMITS: tuple[Keyword, ...] = ("limit", "total")
"""What a line says that is no part of its list: “budget: 250”, “total 391”."""
OWED: tuple[Keyword, ...] = ("remaining",)
YEAR = 12
PART = 3
"""So many letters has a word at least that is a part of a longer one."""
ALIKE = 5
"""So many letters at least have two words in common that begin alike."""
BESIDE = 8
"""So many letters stand between a day and “since” at most, with that word."""
MOST_WORDS, MOST_FOUND, MANY = 3, 5, 100
"""So many words are looked for, in so many notes each, and so many lines with a unit."""


class Request(NamedTuple):
    """What a message asks of the lines of a note: its folded text, what of it is left without the
    words that only ask, the words that name something, the days, and which of several it wants, if
    only one. Of each of the `groups` of words one at least must be of the lines.
    """

    said: str
    wanted: Wanted
    names: Sequence[str]
    period: Range | None
    most: Keyword | None
    groups: tuple[frozenset[str], ...] = ()


def read(message: str, language: Language, asked: Asked, *, is_sum: bool = False) -> Request | None:
    """Return what a message asks of the lines of a note together; None where it asks no such
    thing. One that surely `is_sum` need not say so in words that are known.
    """
    if len(message) > sums.LONGEST:
        return None
    wanted = sum_wishes.read(message, language)
    keys: tuple[Keyword, ...] = ("most", "least")
    most = next((one for one in keys if wanted.says(one)), None)
    but = OWED if wanted.says("total") or wanted.says("done") else ()
    if is_sum and not wanted.numbers:
        but = (*but, "split")  # “entre todas las torres”
    if not sum_wishes.only_adds(wanted, but=but):
        return None
    counts = questions.read_question(message).kind in questions.COUNTED
    if not (is_sum or most or wanted.says("total") or (counts and wanted.says("done"))):
        return None
    period, text = _period(wanted.text, language, asked)
    table = words.table_of(language).words
    text = words.without(language, text, *(table[one] for one in ("done", *keys) if one in table))
    left = Wanted(text, language, numbers.find(words.hide_codes(text), language), [])
    names = sum_wishes.names_in(text, language, left.numbers)
    each = tuple(frozenset((one,)) for one in names)
    return Request(wanted.text, left._replace(names=names), names, period, most, each)


def needing(request: Request, texts: Sequence[str]) -> Request:
    """Return a request of whose words only one of each of some texts must be of the lines."""
    folded = [words.folded(one) for one in texts]
    groups = (frozenset(name for name in request.names if name in one) for one in folded)
    return request._replace(groups=tuple(filter(None, groups)))


def asks_again(request: Request, before: Request) -> Request:
    """Return what a message asks that goes on from a sum: with the words and days that it does not
    say itself.
    """
    names = request.names or before.names
    return before._replace(
        said=f"{before.said} {request.said}",
        wanted=request.wanted._replace(text=f"{request.wanted.text} {before.wanted.text}"),
        names=names,
        period=request.period or before.period,
        most=request.most,
        groups=request.groups if request.names else (),
    )


def _period(text: str, language: Language, asked: Asked) -> tuple[Range | None, str]:
    """Return the days that a text names, “since Thursday” those until today, and the rest of it."""
    found = dialogue_words.find_days(text, asked.now)
    if not found or text[found[1] : found[2]].isdecimal():
        return None, text
    before, after = text[: found[1]], text[found[2] :]
    since = words.whole(language, words.table_of(language).since)
    # “desde el jueves”, “木曜から”: beside the day, or part of what names it
    beside = f"{before[-BESIDE:]} {text[found[1] : found[2]]} {after[:BESIDE]}"
    named, units = text[found[1] : found[2]], words.table_of(language).units
    if "year" in units and words.whole(language, units["year"]).search(named):
        first = found[0].start.replace(month=1, day=1)  # “this year” for a todo is its last day
        return Range(first, first.replace(year=first.year + 1)), f"{before} {after}"
    if since.search(beside):
        start = time_ranges.been(found[0], asked.now.date()).start
        return Range(
            start, asked.now + timedelta(days=1)
        ), f"{since.sub(' ', before)} {since.sub(' ', after)}"
    return found[0], f"{before} {after}"


def calls_to_find(request: Request) -> list[Call]:
    """Return the calls that look for the notes that a request may be of: with its words, and with
    numbers of the units that it names.
    """
    names = [one for one in request.names if len(one) >= _SHORTEST]
    calls: list[Call] = [
        ("search_notes", {"query": one, "limit": MOST_FOUND}) for one in names[:MOST_WORDS]
    ]
    table = words.table_of(request.wanted.language)
    begun = [rf"\b{one[:ALIKE]}" for one in names if one.isalpha() and len(one) > ALIKE]
    if begun and not questions.is_asian(request.said):
        pattern = "|".join(begun[:MOST_WORDS])
        calls.append(("grep_notes", {"pattern": pattern, "mode": "regex", "limit": MANY}))
    for name in names:
        if unit := numbers.unit_of(name, request.wanted.language):
            pattern = rf"\d\s?(?:{language_data.join_pattern(table.units[unit])})"
            calls.append(("grep_notes", {"pattern": pattern, "mode": "regex", "limit": MANY}))
    return calls


def asks_of_told(message: str, language: Language, asked: Asked) -> bool:
    """Return whether a message asks which of the lines that were told tells the most, or the least,
    and names nothing: “and who owes the most?”
    """
    request = read(message, language, asked)
    return bool(request and request.most and not any(one[1:] for one in request.names))


def solve(
    request: Request, notes: Sequence[Text], asked: Asked, before: Sequence[int] = ()
) -> Solved | Fact | None:
    """Return what the lines that a message means come to, or the one that tells the most or the
    least; None where no note, or more than one, has just such lines.

    Of a message that names nothing it is one of the notes `before`.
    """
    found: list[tuple[int, Solved | Fact]] = []
    said = split_words(request.said)
    for note in notes:
        listed = list_rows.read(note, request.wanted.language, asked.now.date())
        may_be = note.whole and (request.names or note.note_id in before)
        if may_be and (one := _of_note(request, listed, asked, is_known=note.note_id in before)):
            title = words.folded(note.title)
            found.append((sum(note_amounts.holds(word, title) for word in said), one))
    # “Am I owed for honey” is of “Honey owed” and not of “Honey prices”
    most = max((points for points, _ in found), default=0)
    best = [one for points, one in found if points == most]
    return best[0] if len(best) == 1 else None


def _of_note(
    request: Request, listed: Listed, asked: Asked, *, is_known: bool
) -> Solved | Fact | None:
    """Return what is asked of the lines of one note; None where a word says nothing of it."""
    title = words.folded(listed.note.title)
    selected: list[str] = []
    unheard: set[str] = set()
    says_it = is_known
    for name in request.names:
        if len(name) < _SHORTEST:
            continue
        if _measures_by(name, request, listed) or _holds(name, title) or _is_part(name, title):
            says_it = True
        elif any(_holds(name, f"{title} {one.text}") for one in listed.lines if one.amounts):
            selected.append(name)
        elif any(_holds(name, one.text) for one in listed.lines):
            says_it = True  # “Per flight:” above the lines
        elif _begins_alike(name, title):
            says_it = True
        else:
            unheard.add(name)
    if any(group <= unheard for group in request.groups):
        return None
    lines = _chosen(selected, title, listed.lines)
    if request.period is not None:
        past = time_ranges.been(request.period, asked.now.date())
        lines = _within(past, lines, title) or _within(request.period, lines, title)
    if not lines or not (says_it or selected) or not _counts_lines(request, lines):
        return None
    return _told_of(request, listed, lines, selected)


def _is_part(name: str, title: str) -> bool:
    """Return whether a word begins or ends one of a title: “gas” in “Gasverbrauch”."""
    held = split_words(title) if len(name) >= PART else ()
    return any(one.startswith(name) or one.endswith(name) for one in held)


def _begins_alike(name: str, title: str) -> bool:
    """Return whether a word begins as one of a title does: “Futtertiere” of “Futterbestand”."""
    size = max(ALIKE, len(name) // 2)
    return len(name) > size and any(one[:size] == name[:size] for one in split_words(title))


def _measures_by(name: str, request: Request, listed: Listed) -> bool:
    """Return whether a word names what lines tell so much of, or in which unit."""
    unit = numbers.unit_of(name, request.wanted.language)
    if unit and any(unit in _units(key, listed.lines) for key in listed.measures):
        return True
    return any(list_rows.measures(name, listed, key) for key in listed.measures)


def _chosen(names: Sequence[str], title: str, lines: Sequence[Line]) -> Sequence[Line]:
    """Return the lines that have all the words, else those that have any of them."""
    if not names:
        return lines
    held = [[_holds(name, f"{title} {one.text}") for name in names] for one in lines]
    every = [one for one, has in zip(lines, held, strict=True) if all(has)]
    return every or [one for one, has in zip(lines, held, strict=True) if any(has)]


def _within(period: Range, lines: Sequence[Line], title: str) -> Sequence[Line]:
    """Return the lines of those days; all where only the name of the note tells of the days."""
    dated = [one for one in lines if one.day]
    if dated:
        days = (period.start.date(), period.end.date())
        return [one for one in dated if one.day and days[0] <= one.day < days[1]]
    months = _whole_months(period)
    if any(written_dates.months_in(one.text) for one in lines):
        return [one for one in lines if written_dates.months_in(one.text) & months]
    is_year = len(months) == YEAR and str(period.start.year) in split_words(title)
    is_month = len(months) == 1 and written_dates.months_in(title) == months
    return lines if is_month or is_year else []


def _whole_months(period: Range) -> set[int]:
    """Return the months that some days are all of; nothing of other days."""
    if period.start.day != 1 or period.end.day != 1:
        return set()
    count = (period.end.year - period.start.year) * YEAR + period.end.month - period.start.month
    return {(period.start.month - 1 + n) % YEAR + 1 for n in range(min(count, YEAR))}


def _counts_lines(request: Request, lines: Sequence[Line]) -> bool:
    """Return whether the numbers of a message are only how many lines there are: “these 4 days”."""
    counts = {one.value for one in request.wanted.numbers}
    told = [one for one in lines if one.amounts]
    return not counts or counts == {len(told)}


def _told_of(
    request: Request, listed: Listed, lines: Sequence[Line], names: Sequence[str]
) -> Solved | Fact | None:
    language = note_amounts.language_of(listed.note, request.wanted.language)
    for key in _measures(request, listed, lines):
        facts = _facts(key, lines, names, language)
        if facts is None:
            continue
        if request.most:
            return _greatest(facts, request.most)
        if any(one.per or one.is_deposit for one in facts):
            return None
        return sum_wishes.put_together([(1, one) for one in facts], request.wanted)
    return None


def _measures(request: Request, listed: Listed, lines: Sequence[Line]) -> Sequence[str]:
    """Return what may be added up, the only one of it: what is named, else money, else the one
    thing that is measured.
    """
    keys = [key for key in listed.measures if any(key in one.amounts for one in lines)]
    said = split_words(request.said)  # “on a payé combien ?” names a column
    named = [
        key
        for key in keys
        if any(list_rows.measures(one, listed, key) for one in (*said, *request.names))
        or _names_unit(request, key, lines)
    ]
    if named:
        return named if len(named) == 1 else []
    money = [key for key in keys if any(unit in words.MONEY for unit in _units(key, lines))]
    return money or (keys if len(keys) == 1 else [])


def _names_unit(request: Request, key: str, lines: Sequence[Line]) -> bool:
    language, text = request.wanted.language, request.wanted.text
    units = words.table_of(language).units
    return any(
        unit in units and words.whole(language, units[unit]).search(text)
        for unit in _units(key, lines)
    )


def _units(key: str, lines: Sequence[Line]) -> set[str]:
    return {fact.amount.unit for one in lines for fact in one.amounts.get(key, ())}


def _facts(
    key: str, lines: Sequence[Line], names: Sequence[str], language: Language
) -> list[Fact] | None:
    """Return the amounts of lines of which each tells one, none a sum itself; None where any tells
    something else, or only one line is left.
    """
    # “Built in 1971” above a list of parts is no part
    if all(one.is_item for one in lines if key in one.amounts):
        lines = [one for one in lines if one.is_item]
    lines = [
        one
        for one in lines
        if one.amounts and not any(words.says(language, limit, one.text) for limit in LIMITS)
    ]
    facts = [fact for one in lines if (fact := one.amount(key, names))]
    return facts if len(facts) == len(lines) > 1 else None


def _greatest(facts: Sequence[Fact], most: Keyword) -> Fact | None:
    """Return the one amount that is greater than all others, or less."""
    alike = len({(one.amount.unit, one.per) for one in facts}) == 1
    if not alike or not all(one.sure for one in facts):
        return None
    pick = max if most == "most" else min
    value = pick(one.amount.value for one in facts)
    best = [one for one in facts if one.amount.value == value]
    return best[0] if len(best) == 1 else None


def _holds(name: str, text: str) -> bool:
    """Return whether a folded text has a word; where no spaces part words, all that the run of
    signs is made of, but for single signs.
    """
    if not questions.is_asian(name):
        return note_amounts.holds(name, text)
    return not any(len(one) >= _SHORTEST for one in _without_held(name, text))


def _without_held(run: str, text: str) -> Iterator[str]:
    """Yield what is left of a run of signs without its longest parts that a text has."""
    for length in range(len(run), _SHORTEST - 1, -1):
        for at in range(len(run) - length + 1):
            if run[at : at + length] in text:
                yield from _without_held(run[:at], text)
                yield from _without_held(run[at + length :], text)
                return
    if run:
        yield run
