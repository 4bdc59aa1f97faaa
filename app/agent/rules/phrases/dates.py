"""Days and times as people of a language write them; as the wire does where it says no form."""

import functools
import re
from datetime import date, datetime

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import DateForms, Language, Phrases

_STORED = re.compile(r"\d{4}-\d\d-\d\d")


def day(language: Language, shown: date, now: datetime) -> str:
    """Return a day, with its year where that is not the one of `now`."""
    table: Phrases = language_data.load_table(language, Phrases)
    if (forms := table.dates) is None:
        return f"{shown:%Y-%m-%d}"
    text = forms.day if shown.year == now.year else forms.day_of_year
    values = {
        "weekday": table.sentences["weekdays"].split()[shown.weekday()],
        "day": forms.first if shown.day == 1 else str(shown.day),
        "month": forms.months[shown.month - 1],
        "year": str(shown.year),
    }
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def moment(language: Language, shown: datetime, now: datetime) -> str:
    """Return a day with the time of it, both in the zone of `now`."""
    local = shown.astimezone(now.tzinfo)
    table: Phrases = language_data.load_table(language, Phrases)
    forms = table.dates
    text = forms.moment if forms else "{date} {time}"
    text = text.replace("{date}", day(language, local.date(), now))
    return text.replace("{time}", f"{local:%H:%M}")


def days(language: Language, first: date, last: date, now: datetime) -> str:
    """Return the days from one to another, or the one that both are; without the first that any
    day is after.
    """
    if first == date.min:
        return f"– {day(language, last, now)}"
    ends = dict.fromkeys((first, last))
    return " – ".join(day(language, one, now) for one in ends)


def stored(language: Language, text: str, now: datetime) -> str:
    """Return a day or moment that is stored, as a record has it."""
    if len(text) == len("2026-01-01"):
        return day(language, date.fromisoformat(text), now)
    return moment(language, datetime.fromisoformat(text), now)


def told(language: Language, text: str, now: datetime) -> dict[date, int]:
    """Return the days that a text of ours tells, as `day` writes them, and where each stands."""
    table: Phrases = language_data.load_table(language, Phrases)
    if (forms := table.dates) is None:
        return {date.fromisoformat(one[0]): one.start() for one in _STORED.finditer(text)}
    found = {}
    for form in (forms.day_of_year, forms.day):  # the longer first, which holds the other
        pattern = _written(form, forms)
        for one in pattern.finditer(text):
            said = {"year": str(now.year), **one.groupdict()}
            number = 1 if said["day"] == forms.first else int(said["day"])
            month = forms.months.index(said["month"]) + 1
            found[date(int(said["year"]), month, number)] = one.start()
        text = pattern.sub(lambda one: " " * len(one[0]), text)
    return found


@functools.cache
def _written(form: str, forms: DateForms) -> re.Pattern[str]:
    months = "|".join(map(re.escape, reversed(forms.months)))  # “11月” before “1月”
    groups = {
        "weekday": r"[^\W\d]+",
        "day": rf"(?P<day>{re.escape(forms.first)}|\d{{1,2}})",
        "month": f"(?P<month>{months})",
        "year": r"(?P<year>\d{4})",
    }
    parts = re.split(r"\{(\w+)\}", form)
    return re.compile(
        "".join(groups[one] if at % 2 else re.escape(one) for at, one in enumerate(parts))
    )


def within(language: Language, text: str, now: datetime) -> str:
    """Return a text with its days as people write them."""
    return _STORED.sub(lambda found: day(language, date.fromisoformat(found[0]), now), text)
