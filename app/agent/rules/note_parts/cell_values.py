"""New values for the cells of a row, as a message says them: a time, a number, a weekday, a word.

Each is of the kind that the cell has, and written as that is: 9.15 for “9.30”, “Sat” for “Tue”.
"""

import functools
import re
from collections.abc import Iterator, Sequence, Set
from datetime import datetime
from typing import NamedTuple

from app.agent.quickadd import quickadd
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.question_tables import Questions
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.note_parts import days_times
from app.agent.rules.note_parts.days_times import Weekday
from app.agent.rules.passages import note_lines, questions, valued_rows
from app.agent.rules.passages.new_rows import NUMBER, PHONE, TIME, is_alike, is_phone
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.reckoning import numbers

SHORTEST = 2
"""A value of fewer letters is said as it stands."""
DENIED = 2
"""So many words stand between a “not” and what it denies at most."""


class Value(NamedTuple):
    """A new text for the cell of a column, and where the message says it."""

    column: int
    text: str
    start: int
    end: int


def find(
    message: str,
    row: Sequence[str],
    others: Sequence[Sequence[str]],
    now: datetime,
    language: Language,
    named: Set[int] = frozenset(),
) -> list[Value]:
    """Return the values that a message may say for the cells of a row, each other than what is
    there; `others` are the other rows of the table, `named` the columns whose names it says.
    """
    words = _words(message, row, others)
    stated = [] if words else _states(message, row, others, language, named)
    stated += _sums(message, row, others, language, named)
    both = _days_with_times(message, row, now, language)
    found = [
        *words,
        *stated,
        *_times(message, row, now, language),
        *_weekdays(message, row, others),
    ]
    found = [one for one in found if one.column not in both]
    found += filter(None, both.values())
    read = quickadd.read_line(message, now=now, locale=language).spans
    taken = [(one.start, one.end) for one in found]
    taken += [(one.start, one.end) for one in read if one.kind in ("date", "time")]
    bare = ["" if _is_day(one, now, language) else one for one in row]
    counted = [
        one
        for one in (
            *_phones(message, row),
            *(_numbers_in_words(message, row, language) or _numbers(message, bare, taken)),
        )
        if not any(start < one.end and one.start < end for start, end in taken)
    ]
    counted = [one for one in counted if one.column]  # “11月” names its row
    values = (*found, *counted, *filled(message, row, others, named))
    return [one for one in values if one in stated or not _is_denied(message, one.start, language)]


def filled(
    message: str, row: Sequence[str], others: Sequence[Sequence[str]], named: Set[int]
) -> list[Value]:
    """Return the one number of a message for the empty cell of the one column that it names, where
    all others of that column are numbers: “put 68 for the power in November”.
    """
    empty = [at for at in sorted(named) if 0 < at < len(row) and not row[at]]
    said = note_lines.amounts(message)
    said = [one for one in said if one.text not in row[0]]
    if len(empty) != 1 or len(said) != 1:
        return []
    column = [cells[empty[0]] for cells in others if empty[0] < len(cells)]
    if not any(column) or not all(NUMBER.fullmatch(one) for one in column if one):
        return []
    like = NUMBER.fullmatch(next(filter(None, column)))
    text = f"{like['before']}{said[0].text}{like['unit']}" if like else said[0].text
    return [Value(empty[0], text, said[0].start, said[0].end)]


def _is_day(cell: str, now: datetime, language: Language) -> bool:
    """Return whether a cell is a day, of which no number is changed alone: “12 Dec”."""
    if not any(map(str.isalpha, cell)):
        return False
    spans = quickadd.read_line(f"x {cell}", now=now, locale=language).spans
    return any(one.kind == "date" for one in spans)


def as_before(value: str, column: Sequence[str]) -> str:
    """Return a value as another row has it: “Soprano” for “soprano”, “no” for “not paid”."""
    if same := next((one for one in column if fold_text(one) == fold_text(value)), ""):
        return same
    if are_states((value, *column)):
        state = "open" if valued_rows.is_of("open", fold_text(value)) else "done"
        return next((one for one in column if valued_rows.is_of(state, fold_text(one))), value)
    return value


def elsewhere(message: str, column: int, rows: Sequence[Sequence[str]]) -> Value | None:
    """Return the one word of whatever column that a message says, for a cell of another; the names
    of the rows are none.
    """
    every = [(cell,) for row in rows for cell in row[1:]]
    found = _words(message, ("",), every)
    own = [row[column] for row in rows if column < len(row)]
    fits = len(found) == 1 and is_alike(found[0].text, own) and not _is_number(own)
    fits = fits and found[0].text != own[0]
    return found[0]._replace(column=column) if fits else None


def _is_number(column: Sequence[str]) -> bool:
    return any(NUMBER.fullmatch(one) for one in column)


def bare_number(value: str, column: Sequence[str]) -> str:
    """Return the number of a value where a column has nothing else: “20” of “会费20”."""
    found = note_lines.amounts(value)
    is_bare = bool(column) and all(map(str.isdecimal, column)) and len(found) == 1
    return found[0].text if is_bare else value


def says(message: str, value: str) -> bool:
    """Return whether a message says a value that stands in a cell, a time, a number or a word."""
    is_value = any(one.isdecimal() for one in value) or len(value) > 2
    return is_value and bool(note_lines.places(fold_text(value)).search(fold_text(message)))


def _states(
    message: str,
    row: Sequence[str],
    others: Sequence[Sequence[str]],
    language: Language,
    named: Set[int],
) -> list[Value]:
    """Return what a message says of the cells that only tell whether something is paid or done yet,
    in the words of the other rows: “sí” where somebody “ha pagado”, or has “confirmado” what the
    column is named after.
    """
    pays, lacks = _paying(language)
    said = pays.search(Marked(message).text)
    if said is None and not named:
        return []
    start, end = said.span() if said else (0, 0)
    state = "open" if lacks.search(Marked(message).text) else "done"
    values = []
    for at, cell in enumerate(row):
        column = [other[at] for other in others if at < len(other)]
        if not are_states((cell, *column)) or not (said or at in named):
            continue
        known = [one for one in column if valued_rows.is_of(state, fold_text(one))]
        if known and not valued_rows.is_of(state, fold_text(cell)):
            values.append(Value(at, known[0], start, end))
    return values


def _sums(
    message: str,
    row: Sequence[str],
    others: Sequence[Sequence[str]],
    language: Language,
    named: Set[int],
) -> list[Value]:
    """Return the one sum of a message for each cell that only says that nothing is paid yet, where
    other rows have sums: “40 €” for the “no” of a deposit.
    """
    said = note_lines.amounts(message)
    if len(said) != 1 or _paying(language)[1].search(Marked(message).text):
        return []
    values = []
    for at, cell in enumerate(row):
        column = [NUMBER.fullmatch(other[at]) for other in others if at < len(other)]
        sums = [one for one in column if one and not TIME.fullmatch(one[0])]
        if at not in named or not sums or not valued_rows.is_of("open", fold_text(cell)):
            continue
        kind = note_lines.kind_of(fold_text(f"{sums[0]['before']}{sums[0]['unit']}").strip())
        if said[0].unit in ("", kind):
            text = f"{sums[0]['before']}{said[0].text}{sums[0]['unit']}"
            values.append(Value(at, text, said[0].start, said[0].end))
    return values


def are_states(column: Sequence[str]) -> bool:
    """Return whether all cells of a column only tell whether something is paid or done yet."""
    folded = [fold_text(one) for one in column]
    return all(valued_rows.is_of("open", one) or valued_rows.is_of("done", one) for one in folded)


@functools.cache
def _paying(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the words of paying, and those that say that something is not done yet."""
    table = language_data.load_table(language, Questions).rows
    pays, lacks = map(language_data.join_pattern, (table.pays, table.lacks))
    return re.compile(pays), re.compile(lacks)


def _words(message: str, row: Sequence[str], others: Sequence[Sequence[str]]) -> list[Value]:
    """Return the values of other rows that a message says."""
    values = []
    folded = fold_text(message)
    for at, cell in enumerate(row):
        known = {other[at] for other in others if at < len(other) and other[at] != cell}
        for text in sorted(known, key=len, reverse=True):
            if not any(one.isalpha() for one in text) or TIME.search(text):
                continue
            if len(text) == 1 and questions.is_asian(text):
                continue  # 是 is said of anything
            if len(text) < SHORTEST and not questions.is_asian(text):  # a size “S”, no “'s”
                said = [*re.finditer(rf"(?<![\w'’]){re.escape(text)}(?![\w'’])", message)]
            elif fold_text(text) in folded:
                said = [*note_lines.places(fold_text(text)).finditer(folded)]
            else:
                continue
            if said:
                values.append(Value(at, text, said[-1].start(), said[-1].end()))
                break
    return values


def _is_denied(message: str, at: int, language: Language) -> bool:
    """Return whether a “not” stands right before a place: “Bev isn't due, she's paid”."""
    words = words_of(language)
    before = Marked(message).text[:at]
    gap = rf"\W+(?:\w+\W+){{0,{DENIED}}}$" if words.spaced else "$"
    return re.search(rf"(?:{words.denies.pattern}){gap}", before) is not None


def _times(message: str, row: Sequence[str], now: datetime, language: Language) -> Iterator[Value]:
    """Yield the time that a message says for each cell with another one."""
    texts = (message, message.rpartition(" ")[0])  # “at a quarter to four now”
    read = (quickadd.read_line(one, now=now, locale=language).spans for one in texts)
    times = next(filter(None, ([one for one in spans if one.kind == "time"] for spans in read)), [])
    said = [
        (one.start, one.end, moment)
        for one in times
        if (moment := days_times.minutes_of(one.text, now, language)) is not None
    ]
    known = [range(start, end) for start, end, _ in said]
    said += [
        (one.start(), one.end(), int(one["hour"]) * 60 + int(one["minute"] or 0))
        for one in TIME.finditer(message)
        if one["minute"] and not any(one.start() in span for span in known)
    ]
    for at, cell in enumerate(row):
        old = list(TIME.finditer(cell))
        if len(old) != 1:
            continue
        before = int(old[0]["hour"]) * 60 + int(old[0]["minute"] or 0)
        new = [one for one in said if one[2] % days_times.HALF_DAY != before % days_times.HALF_DAY]
        if len(new) != 1:
            continue
        start, end, moment = new[0]
        other = (moment + days_times.HALF_DAY) % (2 * days_times.HALF_DAY)
        is_told = moment > days_times.HALF_DAY and str(moment // 60) in message[start:end]
        is_far = abs(moment - before) > days_times.NEAR
        if is_far and not is_told and abs(other - before) <= days_times.NEAR:
            moment = other
        text = (
            f"{cell[: old[0].start()]}{days_times.as_written(old[0], moment)}{cell[old[0].end() :]}"
        )
        yield Value(at, text, start, end)


def _weekdays(message: str, row: Sequence[str], others: Sequence[Sequence[str]]) -> Iterator[Value]:
    """Yield the weekday that a message says for a cell of a column of weekdays."""
    folded = fold_text(message)
    for at, cell in enumerate(row):
        old = _weekday(cell) if at else None
        if old is None or None in (_weekday(other[at]) for other in others if at < len(other)):
            continue
        for new, names in language_data.load_table(old.language, Dates).weekdays.items():
            if new == old.number:
                continue
            for name in sorted(map(fold_text, names), key=len, reverse=True):
                is_short = questions.is_asian(name) and len(name) < 2
                if not is_short and (said := note_lines.places(name).search(folded)):
                    text = days_times.named_like(old, cell, new)
                    yield Value(at, text, said.start(), said.end())
                    break


def _weekday(cell: str) -> Weekday | None:
    """Return which weekday a cell names, in whatever language."""
    folded = fold_text(cell).strip()
    for language in language_data.languages():
        if not language_data.has_table(language, Dates):
            continue
        for number, row in language_data.load_table(language, Dates).weekdays.items():
            if name := next((one for one in row if fold_text(one) == folded), ""):
                return Weekday(number, 0, len(cell), name, language)
    return None


def _days_with_times(
    message: str, row: Sequence[str], now: datetime, language: Language
) -> dict[int, Value | None]:
    """Return what a message that says a weekday makes of each cell that has one and a time, too:
    “木曜 16:00” of “火曜 15:30”; None for what it cannot be sure of.
    """
    cells = {
        at: cell for at, cell in enumerate(row) if TIME.search(cell) and days_times.weekdays(cell)
    }
    if not cells or not days_times.weekdays(message):
        return {}
    said, found = days_times.said_in(message, now, language), dict[int, Value | None]()
    spans = said.spans if said else []
    numbers_left = [
        one[0]
        for one in re.finditer(r"\d+", message)
        if not any(start <= one.start() < end for start, end in spans)
        and not any(one[0] in cell for cell in row)
    ]
    for at, cell in cells.items():
        moved = days_times.moved(cell, said, now, language) if said else None
        # “from Friday to Tuesday” of what is on Tuesday is done, and “5 to 6” may be no time
        if moved is None or numbers_left or (moved.old and moved.old[-1] > moved.new[0]):
            found[at] = None
        else:
            found[at] = Value(at, moved.text, moved.new[0][0], moved.new[-1][1])
    return found


def _phones(message: str, row: Sequence[str]) -> Iterator[Value]:
    said = [one for one in PHONE.finditer(message) if is_phone(one[0])]
    cells = [at for at, cell in enumerate(row) if is_phone(cell)]
    if len(said) == len(cells) == 1 and said[0][0] != row[cells[0]]:
        yield Value(cells[0], said[0][0], *said[0].span())


def _numbers(message: str, row: Sequence[str], taken: Sequence[tuple[int, int]]) -> Iterator[Value]:
    """Yield the one new number of a message for each cell that is a number; what is `taken` is part
    of something else.
    """
    said = [
        one
        for one in note_lines.amounts(message)
        if not any(start < one.end and one.start < end for start, end in taken)
        and not TIME.match(message, one.start)
    ]
    for at, cell in enumerate(row):
        old = NUMBER.fullmatch(cell)
        if old is None or is_phone(cell) or TIME.fullmatch(cell):
            continue
        unit = note_lines.kind_of(fold_text(f"{old['before']}{old['unit']}").strip())
        new = [one for one in said if one.text != old["number"]]
        if unit and any(one.unit not in ("", unit) for one in new):
            continue
        if len(new) == 1:
            text = f"{old['before']}{new[0].text}{old['unit']}"
            yield Value(at, text, new[0].start, new[0].end)


def _numbers_in_words(message: str, row: Sequence[str], language: Language) -> list[Value]:
    """Return the new number for a cell whose old one a message says, too, be it in words: “three
    instead of two”.
    """
    said = [one for one in numbers.find(fold_text(message), language) if one.sure]
    values = []
    for at, cell in enumerate(row):
        if not cell.isdecimal() or not any(one.in_words for one in said):
            continue
        new = [one for one in said if one.value != int(cell)]
        if len(new) == 1 and len(said) > 1:
            values.append(Value(at, f"{new[0].value}", new[0].start, new[0].end))
    return values
