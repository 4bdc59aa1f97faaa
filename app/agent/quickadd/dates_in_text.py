"""Days and times as people write them in passing, in English, German, French and Spanish.

The deadline that a sentence names.
"""

import calendar
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from functools import cache

from app.agent.quickadd.meaning import NoSuchDay
from app.core.process.lazy_regex import regex
from app.workspace.todos.todo_rows import folded

LONGEST = 600
_WEEKDAYS = (
    "monday|montag|lundi|lunes",
    "tuesday|dienstag|mardi|martes",
    "wednesday|mittwoch|mercredi|miercoles",
    "thursday|donnerstag|jeudi|jueves",
    "friday|freitag|vendredi|viernes",
    "saturday|samstag|sonnabend|samedi|sabado",
    "sunday|sonntag|dimanche|domingo",
)
_MONTHS = (
    "january|jan|januar|janner|janvier|enero",
    "february|feb|februar|fevrier|febrero",
    "march|mar|marz|mars|marzo",
    "april|apr|avril|abril",
    "may|mai|mayo",
    "june|jun|juni|juin|junio",
    "july|jul|juli|juillet|julio",
    "august|aug|aout|agosto",
    "september|sept|sep|septembre|septiembre",
    "october|oct|oktober|okt|octobre|octubre",
    "november|nov|novembre|noviembre",
    "december|dec|dezember|dez|decembre|diciembre",
)
_AMOUNTS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "ein": 1,
    "einem": 1,
    "einer": 1,
    "un": 1,
    "une": 1,
    "una": 1,
    "two": 2,
    "zwei": 2,
    "deux": 2,
    "dos": 2,
    "three": 3,
    "drei": 3,
    "trois": 3,
    "tres": 3,
    "four": 4,
    "vier": 4,
    "quatre": 4,
    "cuatro": 4,
    "five": 5,
    "funf": 5,
    "cinq": 5,
    "cinco": 5,
    "six": 6,
    "sechs": 6,
    "seis": 6,
    "ten": 10,
}
_UNITS = {
    "day": 1,
    "tag": 1,
    "jour": 1,
    "dia": 1,
    "week": 7,
    "woch": 7,
    "sema": 7,
    "mont": 30,
    "mona": 30,
    "mois": 30,
    "mes": 30,
    "year": 365,
    "jahr": 365,
    "an": 365,
    "ano": 365,
}
_NOON_AND_MIDNIGHT = {
    "noon": time(12),
    "midday": time(12),
    "mittag": time(12),
    "midi": time(12),
    "mediodia": time(12),
    "midnight": time(23, 59),
    "mitternacht": time(23, 59),
    "minuit": time(23, 59),
    "medianoche": time(23, 59),
}
_MONTH = "|".join(_MONTHS)
_WEEKDAY = "|".join(_WEEKDAYS)
_UNIT = (
    r"days?|tage?n?|jours?|dias?|weeks?|wochen?|semaines?|semanas?"
    r"|months?|monate?n?|mois|mes|meses|years?|jahre?n?|ans?|anos?"
)
_AMOUNT = rf"\d{{1,3}}|{'|'.join(sorted(_AMOUNTS, key=len, reverse=True))}"
_SINCE = r"since|seit|depuis|desde el|desde|last|letzten|letzter"
_NOT_SINCE = "".join(f"(?<!{word} )" for word in _SINCE.split("|"))
# every date has a digit or a word that begins like one of these; looking for one first is much
# faster
_HINT = regex(
    rf"\d|\b(?:{_WEEKDAY}|{_MONTH}|{_AMOUNT}|tod|ton|this|heut|auj|ce|hoy|esta|end|eo|feie|tom|morg|dem|man|day|ube|apr|pas|yes|ges|aye|hie|wee|woc|sem"
    r"|nex|nac|kom|pro|mon|moi|mes|ann|fin|noo|mid|mit|med|min)"
)


def deadline(text: str, now: datetime, *, late: bool = False) -> tuple[date, time | None] | None:
    """Return the first day from today on that a text names, with its time where it has one.

    None where it names none.

    A time alone is one of today. With `late` the text is known to be of something overdue, so
    its latest past day counts.
    """
    plain = folded(text[:LONGEST]).replace("’", "'")
    if not _HINT.search(plain):
        return None
    today = now.date()
    missing: list[str] = []
    days = sorted(set(_days(plain, today, missing)))
    clock = _clock(plain)
    if late:
        past = [day for day in days if day < today]
        return (past[-1], None) if past else None
    coming = [day for day in days if day >= today]
    if coming:
        return coming[0], clock
    return (today, clock) if clock is not None and not days and not missing else None


def _days(plain: str, today: date, missing: list[str]) -> Iterator[date]:
    """Give the days that a text names, and note those that their month does not have."""
    for pattern, reading in _patterns():
        for match in pattern.finditer(plain):
            try:
                day = reading(match, today)
            except NoSuchDay:
                missing.append(match[0])
                continue
            except (ValueError, OverflowError):
                continue
            if day is not None:
                yield day


Reading = Callable[[re.Match[str], date], date | None]


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Reading], ...]:
    rows = (*_written_days(), *_days_near(), *_spans_of_days(), *_weeks_and_months())
    return tuple((re.compile(rf"(?<!\w)(?:{pattern})(?!\w)"), reading) for pattern, reading in rows)


def _written_days() -> Iterator[tuple[str, Reading]]:
    yield r"(\d{4})-(\d\d)-(\d\d)", lambda m, today: _numbered(int(m[3]), int(m[2]), m[1], today)
    yield (
        r"(\d{1,2})\.(\d{1,2})\.(\d{4})?(?!\d)",
        lambda m, today: _numbered(int(m[1]), int(m[2]), m[3], today),
    )
    yield (
        r"(\d{1,2})/(\d{1,2})/(\d{4})",
        lambda m, today: _slashed(int(m[1]), int(m[2]), m[3], today),
    )
    day_first = (
        rf"(\d{{1,2}})(?:st|nd|rd|th|\.|er)?\s+(?:of\s+|de\s+)?({_MONTH})\b\.?"
        r"(?:\s+(?:de\s+)?(\d{4}))?"
    )
    yield day_first, lambda m, today: _numbered(int(m[1]), _place(_MONTHS, m[2]), m[3], today)
    month_first = rf"({_MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,?\s+(\d{{4}}))?"
    yield month_first, lambda m, today: _numbered(int(m[2]), _place(_MONTHS, m[1]), m[3], today)


def _days_near() -> Iterator[tuple[str, Reading]]:
    """Yield the words for days around this one, and weekdays."""
    this = (
        r"today|tonight|this (?:morning|afternoon|evening)|end of (?:the "
        r")?day|eod|heute|feierabend|aujourd'hui|ce (?:soir|matin)|cet apres-midi"
    )
    yield rf"{this}|hoy|esta (?:noche|tarde|manana)", lambda _, today: today
    german = r"(?<!guten )(?<!jeden )(?<!heute )(?<!am )morgen"
    spanish = r"(?<!la )(?<!esta )(?<!pasado )manana"
    yield (
        rf"(?<!after )tomorrow|{german}|(?<!apres-)(?<!apres )demain|{spanish}",
        lambda _, today: today + timedelta(1),
    )
    yield (
        r"day after tomorrow|ubermorgen|uebermorgen|apres[- ]demain|pasado manana",
        lambda _, today: today + timedelta(2),
    )
    yield r"yesterday|gestern|ayer|depuis hier", lambda _, today: today - timedelta(1)
    past = rf"(?:{_SINCE})\s+(?:{_WEEKDAY})|(?:{_WEEKDAY})\s+(?:dernier|pasado)"
    yield past, lambda m, today: today - timedelta((today.weekday() - _weekday(m[0])) % 7 or 7)
    coming = rf"{_NOT_SINCE}(?:{_WEEKDAY})s?\b(?!'s)(?! (?:dernier|pasado))"
    yield coming, lambda m, today: today + timedelta((_weekday(m[0]) - today.weekday()) % 7)


def _spans_of_days() -> Iterator[tuple[str, Reading]]:
    """Yield what counts days from today, forwards or back."""
    ahead = rf"(?:in|within|binnen|innerhalb von|dans|d'ici|en|dentro de)\s+({_AMOUNT})\s+({_UNIT})"
    yield ahead, lambda m, today: today + _span(m[1], m[2])
    hours = (
        r"(?:in|within|next|binnen|innerhalb von|dans les|sous|en|dentro "
        r"de)\s+(\d{1,3})\s*(?:hours?|hrs?|h|stunden?|heures?|horas?)"
    )
    yield hours, lambda m, today: today + timedelta(int(m[1]) // 24)
    behind = rf"({_AMOUNT})\s+({_UNIT})\s+(?:overdue|late|ago|uberfallig|de retard|de retraso)"
    yield behind, lambda m, today: today - _span(m[1], m[2])
    since = (
        r"(?:since|seit|depuis|desde hace|for|overdue|uberfallig|en retard de|retraso "
        rf"de|vor)\s+({_AMOUNT})\s+({_UNIT})"
    )
    yield since, lambda m, today: today - _span(m[1], m[2])


def _weeks_and_months() -> Iterator[tuple[str, Reading]]:
    yield (
        r"(?:the |this )?weekend|wochenende|week-end|fin de semana",
        lambda _, today: today + timedelta((5 - today.weekday()) % 7),
    )
    this_week = (
        r"this week|end of (?:the )?week|eow|diese woche|ende der woche|cette "
        r"semaine|fin de la semaine|esta semana|final de la semana"
    )
    yield (
        this_week,
        lambda _, today: today + timedelta((4 if today.weekday() < 5 else 6) - today.weekday()),
    )
    next_week = (
        r"next week|nachste[rn]? woche|kommende[rn]? woche|semaine prochaine|proxima "
        r"semana|semana que viene"
    )
    yield next_week, lambda _, today: today + timedelta(7 - today.weekday())
    this_month = (
        r"end of (?:the )?month|month[- ]end|eom|monatsende|ende des monats|fin du "
        r"mois|fin de mois|fin de mes|final de mes"
    )
    yield this_month, lambda _, today: _month_end(today)
    next_month = r"next month|nachste[nrs]? monat|mois prochain|proximo mes|mes que viene"
    yield next_month, lambda _, today: _month_end(today) + timedelta(1)
    next_year = (
        r"next year|nachste[snm]? jahr|annee prochaine|l'an prochain|proximo ano|ano que viene"
    )
    yield next_year, lambda _, today: date(today.year + 1, 1, 1)
    before = (
        r"in|by|until|before|im|bis|ab|vor|ende|anfang|mitte|en|avant|debut|fin|para|antes "
        r"de|a finales de"
    )
    month = rf"(?<!\d )(?<!\d\. )(?:{before})\s+({_MONTH})\b(?!\.?\s+\d)"
    yield month, lambda m, today: _first_of(_place(_MONTHS, m[1]), today)


def _clock(plain: str) -> time | None:
    """Give the first time of day in a text."""
    match = _times().search(plain)
    if match is None:
        return None
    if match["word"]:
        return _NOON_AND_MIDNIGHT[match["word"]]
    hour = int(match["h1"] or match["h2"] or match["h3"] or match["h4"])
    minute = int(match["m1"] or match["m2"] or match["m3"] or 0)
    half = match["half1"] or match["half2"]
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None


@cache
def _times() -> re.Pattern[str]:
    digital = r"(?P<h1>\d{1,2}):(?P<m1>\d\d)(?::\d\d)?(?:\s?(?P<half1>[ap])\.?m\b)?"
    english = r"(?P<h2>\d{1,2})(?:\.(?P<m2>\d\d))?\s?(?P<half2>[ap])\.?m\b"
    others = r"(?P<h3>\d{1,2})\s?(?:uhr|h)(?P<m3>\d\d)?(?!\w)"
    after = (
        r"(?:by|before|until|at|a las|antes de "
        r"las|um|gegen)\s+(?P<h4>\d{1,2})(?!\s?[\w%/-]|[.,:]\d)"
    )
    return re.compile(
        rf"(?<![\w.:/-])(?:{digital}|{english}|{others}|{after}|(?P<word>{'|'.join(_NOON_AND_MIDNIGHT)})(?!\w))"
    )


def _numbered(day: int, month: int, year: str | None, today: date) -> date:
    """Give a day of a month: without a year the one that is nearest ahead, or was in the last
    two months.
    """
    leap_or_named = int(year or 4)
    if 1 <= month <= 12 and calendar.monthrange(leap_or_named, month)[1] < day <= 31:
        raise NoSuchDay
    if year:
        return date(int(year), month, day)
    found = date(today.year, month, day)
    return found if found >= today - timedelta(60) else date(today.year + 1, month, day)


def _slashed(first: int, second: int, year: str, today: date) -> date | None:
    """Give a day of the form 24/11/2026 or 11/24/2026 where only one reading makes sense."""
    if first > 12 >= second or first == second:
        return _numbered(first, second, year, today)
    return _numbered(second, first, year, today) if second > 12 else None


def _span(amount: str, unit: str) -> timedelta:
    days = next(
        days
        for begun, days in sorted(_UNITS.items(), key=lambda row: -len(row[0]))
        if unit.startswith(begun)
    )
    return timedelta(days * (int(amount) if amount.isdigit() else _AMOUNTS[amount]))


def _weekday(text: str) -> int:
    match = re.search(_WEEKDAY, text)
    return _place(_WEEKDAYS, match[0]) - 1 if match else 0


def _place(rows: tuple[str, ...], word: str) -> int:
    """Give the number, from 1, of the row that has the word."""
    return next(number for number, row in enumerate(rows, 1) if word in row.split("|"))


def _month_end(today: date) -> date:
    return date(today.year + today.month // 12, today.month % 12 + 1, 1) - timedelta(1)


def _first_of(month: int, today: date) -> date:
    """Give the first day of a month to come; of this one the last."""
    return (
        _month_end(today)
        if month == today.month
        else date(today.year + (month < today.month), month, 1)
    )
