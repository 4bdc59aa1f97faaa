"""Days and times as people write them in passing, in English, German, French and Spanish: the deadline that a sentence names."""

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from functools import cache

from app.workspace.todo_rows import folded

LONGEST = 600
_WEEKDAYS = (
    "monday|montag|lundi|lunes", "tuesday|dienstag|mardi|martes", "wednesday|mittwoch|mercredi|miercoles", "thursday|donnerstag|jeudi|jueves",
    "friday|freitag|vendredi|viernes", "saturday|samstag|sonnabend|samedi|sabado", "sunday|sonntag|dimanche|domingo",
)  # fmt: skip
_MONTHS = (
    "january|jan|januar|janner|janvier|enero", "february|feb|februar|fevrier|febrero", "march|mar|marz|mars|marzo", "april|apr|avril|abril", "may|mai|mayo",
    "june|jun|juni|juin|junio", "july|jul|juli|juillet|julio", "august|aug|aout|agosto", "september|sept|sep|septembre|septiembre",
    "october|oct|oktober|okt|octobre|octubre", "november|nov|novembre|noviembre", "december|dec|dezember|dez|decembre|diciembre",
)  # fmt: skip
_AMOUNTS = {
    "a": 1, "an": 1, "one": 1, "ein": 1, "einem": 1, "einer": 1, "un": 1, "une": 1, "una": 1, "two": 2, "zwei": 2, "deux": 2, "dos": 2, "three": 3, "drei": 3,
    "trois": 3, "tres": 3, "four": 4, "vier": 4, "quatre": 4, "cuatro": 4, "five": 5, "funf": 5, "cinq": 5, "cinco": 5, "six": 6, "sechs": 6, "seis": 6, "ten": 10,
}  # fmt: skip
_UNITS = {"day": 1, "tag": 1, "jour": 1, "dia": 1, "week": 7, "woch": 7, "sema": 7, "mont": 30, "mona": 30, "mois": 30, "mes": 30, "year": 365, "jahr": 365, "an": 365, "ano": 365}
_MONTH = "|".join(_MONTHS)
_WEEKDAY = "|".join(_WEEKDAYS)
_UNIT = r"days?|tage?n?|jours?|dias?|weeks?|wochen?|semaines?|semanas?|months?|monate?n?|mois|mes|meses|years?|jahre?n?|ans?|anos?"
_AMOUNT = rf"\d{{1,3}}|{'|'.join(sorted(_AMOUNTS, key=len, reverse=True))}"

Found = tuple[date, time | None]


def deadline(text: str, now: datetime, *, late: bool = False) -> tuple[date, time | None] | None:
    """Return the first day from today on that a text names, with its time where it has one; None where it names none.

    A time alone is one of today. With `late` the text is known to be of something overdue, so its latest past day counts.
    """
    plain = folded(text[:LONGEST]).replace("’", "'")
    today = now.date()
    days = sorted(set(_days(plain, today)))
    clock = _clock(plain)
    if late:
        past = [day for day in days if day < today]
        return (past[-1], None) if past else None
    coming = [day for day in days if day >= today]
    if coming:
        return coming[0], clock
    return (today, clock) if clock is not None and not days else None


def _days(plain: str, today: date) -> Iterator[date]:
    for pattern, reading in _patterns():
        for match in pattern.finditer(plain):
            try:
                day = reading(match, today)
            except (ValueError, OverflowError):
                continue
            if day is not None:
                yield day


Reading = Callable[[re.Match[str], date], date | None]


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Reading], ...]:
    rows: tuple[tuple[str, Reading], ...] = (
        (r"(\d{4})-(\d\d)-(\d\d)", lambda m, _: date(int(m[1]), int(m[2]), int(m[3]))),
        (r"(\d{1,2})\.(\d{1,2})\.(\d{4})?(?!\d)", lambda m, today: _numbered(int(m[1]), int(m[2]), m[3], today)),
        (r"(\d{1,2})/(\d{1,2})/(\d{4})", lambda m, today: _slashed(int(m[1]), int(m[2]), m[3], today)),
        (rf"(\d{{1,2}})(?:st|nd|rd|th|\.|er)?\s+(?:of\s+|de\s+)?({_MONTH})\b\.?(?:\s+(?:de\s+)?(\d{{4}}))?", lambda m, today: _numbered(int(m[1]), _place(_MONTHS, m[2]), m[3], today)),
        (rf"\b({_MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,?\s+(\d{{4}}))?", lambda m, today: _numbered(int(m[2]), _place(_MONTHS, m[1]), m[3], today)),
        (r"today|tonight|this (?:morning|afternoon|evening)|heute|aujourd'hui|ce (?:soir|matin)|cet apres-midi|hoy|esta (?:noche|tarde|manana)|end of (?:the )?day|eod|feierabend", lambda _, today: today),
        (r"(?<!after )tomorrow|(?<!guten )(?<!jeden )(?<!heute )(?<!am )(?<!ueber)morgen|(?<!apres-)(?<!apres )demain|(?<!la )(?<!esta )(?<!pasado )manana", lambda _, today: today + timedelta(1)),
        (r"day after tomorrow|ubermorgen|uebermorgen|apres[- ]demain|pasado manana", lambda _, today: today + timedelta(2)),
        (r"yesterday|gestern|ayer|depuis hier", lambda _, today: today - timedelta(1)),
        (rf"(?:in|within|binnen|innerhalb von|dans|d'ici|en|dentro de)\s+({_AMOUNT})\s+({_UNIT})", lambda m, today: today + _span(m[1], m[2])),
        (rf"(?:since|seit|depuis|desde hace|for)\s+({_AMOUNT})\s+({_UNIT})|({_AMOUNT})\s+({_UNIT})\s+(?:overdue|late|ago|uberfallig|de retard|de retraso)", lambda m, today: today - _span(m[1] or m[3], m[2] or m[4])),
        (rf"(?:overdue|uberfallig|en retard de|depuis|retraso de|vor)\s+({_AMOUNT})\s+({_UNIT})", lambda m, today: today - _span(m[1], m[2])),
        (rf"(?:since|seit|depuis|desde el|desde|last|letzten|letzter)\s+({_WEEKDAY})|(?:{_WEEKDAY})\s+(?:dernier|pasado)", lambda m, today: today - timedelta((today.weekday() - _weekday(m[0])) % 7 or 7)),
        (rf"(?<!since )(?<!seit )(?<!depuis )(?<!desde )(?<!desde el )(?<!last )(?<!letzten )({_WEEKDAY})s?\b(?!'s)(?! (?:dernier|pasado))", lambda m, today: today + timedelta((_weekday(m[1]) - today.weekday()) % 7)),
        (r"(?:by|before|until|till|for|over)?\s*(?:the |this )?weekend|wochenende|ce week-end|fin de semana", lambda _, today: today + timedelta((5 - today.weekday()) % 7)),
        (r"this week|end of (?:the )?week|diese woche|ende der woche|cette semaine|fin de la semaine|esta semana|final de la semana|eow", lambda _, today: today + timedelta(max(4 - today.weekday(), 0))),
        (r"next week|nachste(?:r|n)? woche|kommende(?:r|n)? woche|semaine prochaine|(?:proxima semana|semana que viene)", lambda _, today: today + timedelta(7 - today.weekday())),
        (r"end of (?:the )?(?:next )?month|month[- ]end|monatsende|ende des monats|fin du mois|fin de mois|fin de mes|final de mes|eom", lambda m, today: _month_end(today, 1 if "next" in m[0] else 0)),
        (r"next month|nachste(?:n|r|s)? monat|mois prochain|proximo mes|mes que viene", lambda _, today: _month_end(today, 0) + timedelta(1)),
        (r"next year|nachste(?:s|n|m)? jahr|annee prochaine|l'an prochain|proximo ano|ano que viene", lambda _, today: date(today.year + 1, 1, 1)),
        (rf"(?<!\d )(?<!\d\. )\b(?:in|by|until|before|im|bis|ab|vor|ende|anfang|mitte|en|avant|debut|fin|para|antes de|a finales de)\s+({_MONTH})\b(?!\.?\s+\d)", lambda m, today: _next_month(_place(_MONTHS, m[1]), today)),
    )  # fmt: skip
    return tuple((re.compile(rf"(?<!\w)(?:{pattern})(?!\w)"), reading) for pattern, reading in rows)


def _clock(plain: str) -> time | None:
    """Give the first time of day in a text."""
    if match := _times().search(plain):
        named = {"noon": 12, "midday": 12, "mittag": 12, "midi": 12, "mediodia": 12, "midnight": 23, "mitternacht": 23, "minuit": 23, "medianoche": 23}
        if match["word"]:
            return time(named[match["word"]], 59 if named[match["word"]] == 23 else 0)
        hour = int(next(found for found in (match["h1"], match["h2"], match["h3"], match["h4"]) if found))
        minute = int(match["m1"] or match["m2"] or match["m3"] or 0)
        half = match["half"] or match["half1"] or ""
        hour = hour + 12 if half.startswith("p") and hour < 12 else 0 if half.startswith("a") and hour == 12 else hour
        return time(hour, minute) if hour < 24 and minute < 60 else None
    return None


@cache
def _times() -> re.Pattern[str]:
    half = r"(?P<{}>[ap])\.?m\b"
    return re.compile(
        rf"(?<![\w.:/-])(?:(?P<h1>\d{{1,2}}):(?P<m1>\d\d)(?::\d\d)?\s?(?:{half.format('half1')})?|(?P<h2>\d{{1,2}})(?:[:.](?P<m2>\d\d))?\s?{half.format('half')}"
        r"|(?P<h3>\d{1,2})\s?(?:uhr|h)(?P<m3>\d\d)?(?![\w])|(?:by|before|until|at|a las|antes de las|um|gegen)\s+(?P<h4>\d{1,2})(?!\s?[\w%/-]|[.,:]\d)"
        r"|(?P<word>noon|midday|mittag|midi|mediodia|midnight|mitternacht|minuit|medianoche)(?!\w))"
    )


def _numbered(day: int, month: int, year: str | None, today: date) -> date:
    """Give a day of a month: without a year the one that is nearest ahead, or was in the last two months."""
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
    days = next(days for begun, days in sorted(_UNITS.items(), key=lambda row: -len(row[0])) if unit.startswith(begun))
    return timedelta(days * (int(amount) if amount.isdigit() else _AMOUNTS[amount]))


def _weekday(text: str) -> int:
    match = re.search(_WEEKDAY, text)
    return _place(_WEEKDAYS, match[0]) - 1 if match else 0


def _place(rows: tuple[str, ...], word: str) -> int:
    """Give the number, from 1, of the row that has the word."""
    return next(number for number, row in enumerate(rows, 1) if word in row.split("|"))


def _month_end(today: date, later: int) -> date:
    months = today.month + later
    return date(today.year + months // 12, months % 12 + 1, 1) - timedelta(1)


def _next_month(month: int, today: date) -> date:
    return date(today.year + (month < today.month), month, 1) if month != today.month else _month_end(today, 0)
