"""How often a todo comes again, as people say it."""

from app.interfaces.languages.words import Words

DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
WORKDAYS = "MO,TU,WE,TH,FR"
UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
SAID = {"FREQ", "INTERVAL", "BYDAY", "BYMONTH", "BYMONTHDAY", "COUNT", "UNTIL", "WKST"}


def rule_words(words: Words, rule: str) -> str:
    """Return a rule (RFC 5545) in words; one that they do not suffice for, as it is."""
    parts = dict(part.partition("=")[::2] for part in rule.split(";"))
    days = _days(words, parts.get("BYDAY", ""))
    unit = UNITS.get(parts.get("FREQ", ""))
    if unit is None or days is None or parts.keys() - SAID:
        return rule
    if parts.get("BYDAY") == WORKDAYS and unit == "week" and "INTERVAL" not in parts:
        said = words("todos.rule.workdays")
    elif days and unit == "week" and "INTERVAL" not in parts:
        said = words("todos.rule.weekdays", days=days)
    else:
        said = words(f"todos.rule.{unit}", n=int(parts.get("INTERVAL", "1")))
        if days:
            said = words("todos.rule.on", what=said, days=days)
    day, month = parts.get("BYMONTHDAY", ""), parts.get("BYMONTH", "")
    if month:
        if not (month.isdecimal() and day.isdecimal()):
            return rule
        name = words(f"dates.months.{month}")
        said = words("todos.rule.on", what=said, days=words("dates.short", day=day, month=name))
    elif day:
        last = "todos.rule.last_day" if day == "-1" else "todos.rule.month_day"
        said = words(last, what=said, day=day.replace(",", ", "))
    if count := parts.get("COUNT"):
        said = words("todos.rule.count", what=said, n=int(count))
    if until := parts.get("UNTIL"):
        said = words("todos.rule.until", what=said, day=f"{until[:4]}-{until[4:6]}-{until[6:8]}")
    return said


def _days(words: Words, listed: str) -> str | None:
    """Return the weekdays of a rule in words; None where there are no words for which ones."""
    found = [_day(words, name) for name in listed.split(",")] if listed else []
    return None if "" in found else ", ".join(found)


def _day(words: Words, name: str) -> str:
    which, day = name[:-2].removeprefix("+"), name[-2:]
    if day not in DAYS or (which and not words.has(f"todos.rule.nth.{which}")):
        return ""
    said = words(f"dates.weekdays.{DAYS.index(day) + 1}")
    return words(f"todos.rule.nth.{which}", day=said) if which else said
