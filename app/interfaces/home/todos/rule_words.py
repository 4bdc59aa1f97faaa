"""How often a todo comes again, as people say it."""

from app.interfaces.home.words import Words

DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
WORKDAYS = "MO,TU,WE,TH,FR"
UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
SAID = {"FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "COUNT", "UNTIL", "WKST"}


def rule_words(words: Words, rule: str) -> str:
    """Return a rule (RFC 5545) in words; one that they do not suffice for, as it is."""
    parts = dict(part.partition("=")[::2] for part in rule.split(";"))
    days = _days(words, parts.get("BYDAY", ""))
    unit = UNITS.get(parts.get("FREQ", ""))
    if unit is None or days is None or parts.keys() - SAID:
        return rule
    if parts.get("BYDAY") == WORKDAYS and unit == "week" and "INTERVAL" not in parts:
        said = words("todos.rule.workdays")
    else:
        said = words(f"todos.rule.{unit}", n=int(parts.get("INTERVAL", "1")))
        if days:
            said = words("todos.rule.on", what=said, days=days)
    if day := parts.get("BYMONTHDAY"):
        last = "todos.rule.last_day" if day == "-1" else "todos.rule.month_day"
        said = words(last, what=said, day=day.replace(",", ", "))
    if count := parts.get("COUNT"):
        said = words("todos.rule.count", what=said, n=int(count))
    if until := parts.get("UNTIL"):
        said = words("todos.rule.until", what=said, day=f"{until[:4]}-{until[4:6]}-{until[6:8]}")
    return said


def _days(words: Words, listed: str) -> str | None:
    """Return the weekdays of a rule in words; None where it names which one of a month."""
    names = listed.split(",") if listed else []
    if any(name not in DAYS for name in names):
        return None
    return ", ".join(words(f"dates.weekdays.{DAYS.index(name) + 1}") for name in names)
