"""A log: a note whose lines begin with dates, and one more line of it in the same form."""

import functools
import re
from datetime import date, timedelta

from app.agent.quickadd import time_ranges
from app.agent.rules.languages import language_data
from app.agent.rules.languages.line_tables import LineWords
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import stem
from app.agent.turn.steps import Asked

LEAST = 2
"""So many lines with dates has a log at least."""
WORDS, LETTERS = 3, 5
"""So many words, or letters where no spaces part them, name a day at most."""
_DAY = (
    r"(?:\d{4}-\d\d?-\d\d?|\d{1,2}\.\d{1,2}\.(?:\d{2,4})?"
    r"|\d{1,2}[/月]\d{1,2}(?:日|/\d{4}|/\d\d)?)(?![\d/])"
)
DATED = re.compile(rf"(?P<day>{_DAY})(?P<gap>\s?[:：,，]?\s*)")
"""A date at the beginning of a line, with what stands between it and the text."""
_MARK = re.compile(r"\s*(?:[-*+]\s+)?(?:\[[ xX]\]\s+)?")
_AMOUNT = re.compile(r"(?P<number>\d+(?:[.,]\d+)?)(?P<unit>\s?[^\W\d_]{0,12}[²³%€]?)")
_AFTER_DAY = re.compile(rf"(?P<name>[^\d\n]*?)\s*{_AMOUNT.pattern}\s*$")
"""What a line of a log says that tells nothing but one amount, of a name or of none."""
_EDGES = " \t,;:.，。、：；"


def is_log(markdown: str) -> bool:
    """Return whether most lines of a note begin with dates, and the last one does."""
    lines = [one for one in markdown.splitlines() if one.strip()]
    dated = [one for one in lines if _dated(one)]
    enough = len(dated) >= LEAST and 3 * len(dated) >= 2 * len(lines)
    return enough and lines[-1] is dated[-1]


def add(markdown: str, text: str, asked: Asked, day: date | None = None) -> str:
    """Return a log with one more line: of a day, else of that which its text begins or ends with,
    else of today; a text with a date keeps it.
    """
    kept = markdown.rstrip("\n")
    last = kept.rpartition("\n")[2]
    mark, dated = _MARK.match(last), _dated(last)
    lead = (mark[0] if mark else "").replace("[x]", "[ ]")
    one_line = " ".join(text.split())
    if DATED.match(one_line) or dated is None:
        return f"{kept}\n{lead}{one_line}\n"
    rest, named = without_day(one_line, asked)
    if day and named != day:
        rest, named = one_line, day
    rest = amount_of(rest, kept) or rest
    written = write_day(named or asked.now.date(), dated["day"], kept)
    gap = dated["gap"] or " "
    return f"{kept}\n{lead}{written}{gap}{rest}\n" if written else f"{kept}\n{lead}{one_line}\n"


def may_take(text: str, markdown: str) -> bool:
    """Return whether a text may be a line of a log: none of many words where all tell an amount."""
    dated = [(one, day) for one in markdown.split("\n") if (day := _dated(one))]
    are_amounts = all(_AFTER_DAY.match(one, day.end()) for one, day in dated)
    is_short = len(text.split()) <= WORDS or questions.is_asian(text)
    return is_short or not are_amounts or amount_of(text, markdown) is not None


def amount_of(text: str, markdown: str) -> str | None:
    """Return the only amount of a text as all lines of a log write theirs, with the name that
    stands in other lines, too: “Mei worked 7 hours” as “Mei 7 hours”; None where they tell more.
    """
    dated = [(one, day) for one in markdown.split("\n") if (day := _dated(one))]
    told = [_AFTER_DAY.match(one, day.end()) for one, day in dated]
    found = [*_AMOUNT.finditer(text)]
    if not told or len(found) != 1:
        return None
    lines = [one for one in told if one]
    names = {one["name"].strip() for one in lines}
    said = [one for one in names if one and one.lower() in text.lower()]
    if len(lines) < len(told) or len(said) != (0 if names == {""} else 1):
        return None
    of_name = [one for one in lines if not said or said[0] == one["name"].strip()]
    unit = found[0]["unit"].strip()
    if len({stem(one["unit"].strip()) for one in of_name}) != 1 or not any(
        _is_unit(unit, one["unit"].strip()) for one in of_name
    ):
        return None
    # “1 moth” has another form than “2 moths”
    alike = [one for one in of_name if (one["number"] == "1") == (found[0]["number"] == "1")]
    amount = f"{found[0]['number']}{(alike or of_name)[-1]['unit']}"
    return f"{said[0]} {amount}" if said else amount


def _is_unit(said: str, written: str) -> bool:
    """Return whether a unit may be what a log writes: 个小时 is its 小时, and a bare number any."""
    return said in ("", written) or (questions.is_asian(said) and said.endswith(written))


def past_day(text: str, asked: Asked) -> date | None:
    """Return the one day that a text is the name of, today or before; None for anything else."""
    found = time_ranges.named_whole(text, asked.now)
    if found is None or found.end - found.start > timedelta(days=1, hours=1):
        return None
    day = found.start.astimezone(asked.now.tzinfo).date()
    return day if day <= asked.now.date() else None


@functools.cache
def _link() -> re.Pattern[str]:
    """Return the words between a text and its day: “of today”."""
    return re.compile(rf"\s(?:{language_data.any_of(LineWords, lambda one: one.of_day)})$")


def _dated(line: str) -> re.Match[str] | None:
    mark = _MARK.match(line)
    return DATED.match(line, mark.end() if mark else 0)


def without_day(text: str, asked: Asked) -> tuple[str, date | None]:
    """Return a text without the day at its beginning or end, and that day."""
    if questions.is_asian(text):
        for size in range(min(LETTERS, len(text) - 1), 1, -1):
            if day := past_day(text[:size], asked):
                return text[size:].lstrip(f"{_EDGES}はに的"), day
        return text, None
    words = text.split()
    for size in range(min(WORDS, len(words) - 1), 0, -1):
        if day := past_day(" ".join(words[:size]).strip(_EDGES), asked):
            return " ".join(words[size:]).strip(_EDGES), day
        if day := past_day(" ".join(words[-size:]).strip(_EDGES), asked):
            rest = " ".join(words[:-size])
            return _link().sub("", rest).strip(_EDGES) or rest, day
    return text, None


def write_day(day: date, like: str, markdown: str) -> str:
    """Return a day in the form of another date; empty where that may be read in two ways."""
    if "-" in like:
        return day.isoformat()
    month, number = str(day.month), str(day.day)
    parts = re.findall(r"\d+", like)
    if len(parts[0]) == 2 and (parts[0][0] == "0" or len(parts[1]) == 2):
        month, number = month.zfill(2), number.zfill(2)
    if "." in like:
        year = f"{day.year}"[-len(parts[2]) :] if len(parts) > 2 else ""
        return f"{number}.{month}.{year}"
    if "月" in like:
        return f"{month}月{number}日"
    pairs = re.findall(r"(?m)^\W*(\d{1,2})/(\d{1,2})", markdown)
    is_month_first = questions.is_asian(markdown) or any(int(two) > 12 for _, two in pairs)
    is_day_first = not is_month_first and any(int(one) > 12 for one, _ in pairs)
    year = f"/{f'{day.year}'[-len(parts[2]) :]}" if len(parts) > 2 else ""
    if is_month_first:
        return f"{month}/{number}{year}"
    return f"{number}/{month}{year}" if is_day_first else ""
