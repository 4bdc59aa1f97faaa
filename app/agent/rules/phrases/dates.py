"""Days and times as people of a language write them; as the wire does where it says no form."""

import re
from datetime import date, datetime

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language, Phrases

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
    """Return the days from one to another, or the one that both are."""
    ends = dict.fromkeys((first, last))
    return " – ".join(day(language, one, now) for one in ends)


def stored(language: Language, text: str, now: datetime) -> str:
    """Return a day or moment that is stored, as a record has it."""
    if len(text) == len("2026-01-01"):
        return day(language, date.fromisoformat(text), now)
    return moment(language, datetime.fromisoformat(text), now)


def within(language: Language, text: str, now: datetime) -> str:
    """Return a text with its days as people write them."""
    return _STORED.sub(lambda found: day(language, date.fromisoformat(found[0]), now), text)
