"""What somebody corrects of a change that was only asked about: “half ten, he said”."""

import re
from datetime import date, datetime

import msgspec

from app.agent.quickadd import quickadd
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.passages import questions
from app.agent.rules.reader import reader
from app.agent.rules.understood import meant, wishes
from app.agent.turn.steps import Asked, Question, Step

SURE = 0.8
"""So likely does a message say no more than another day."""
DAYS = frozenset({"move_todo", "repeat_todo"})
DATES = frozenset({"date", "recurrence"})
MOMENTS = frozenset({*DATES, "time"})
REST = 3
"""So many words, and where no spaces part them twice as many letters, stand beside a day that is
all that is said.
"""
_DAY_OF_MONTH = re.compile(r"[^\W\d]*\s*(?:[^\W\d]+\s+)?\d{1,2}(?:\.|[a-z]{2}|日|号)?")


def ask_amended(asked: Asked, language: Language) -> Step | None:
    """Return the question of the turn before with the day that a message says instead; None where
    it asked about no day, or the message says anything else.
    """
    question = asked.earlier[0].asks if asked.earlier else None
    if question is None or question.lacks != "yes":
        return None
    is_new = question.intent == "add_todo" and question.arguments.get("task")
    if not (is_new or (question.intent == "change_todo" and question.arguments.get("day"))):
        return None
    new = _day_said(asked, language)
    if not new:
        return None
    if not is_new:
        day = _with_date(asked, question.arguments["day"], new, language)
        return _ask(asked, question, {"day": day}, language)
    title, old = _parted(asked, question.arguments["task"], language)
    task = f"{title} {_with_date(asked, old, new, language)}"
    return _ask(asked, question, {"task": task}, language)


def _day_said(asked: Asked, language: Language) -> str:
    """Return the day that is all that a message says; empty where it says more."""
    best = next(iter(reader.read(asked, (), language).likely), None)
    if best is None or asked.message.rstrip().endswith(("?", "？")):
        return ""
    if best.intent in DAYS and best.sure >= SURE:
        is_all = {one.slot for one in best.spans} <= {"day", "olddat", "it"}
        return meant.day(asked, best.all_of("day"), language) if is_all else ""
    if best.intent in wishes.WRITES and best.sure >= SURE:
        return ""
    said = meant.day(asked, [asked.message.strip(" .!…。！")], language)
    rest = asked.message.replace(said, " ", 1)
    words = len(rest) / 2 if questions.is_asian(rest) else len(rest.split())
    return said if words <= REST else ""


def _ask(asked: Asked, question: Question, fields: dict[str, str], language: Language) -> Step:
    arguments = {**question.arguments, **fields}
    asks = msgspec.structs.replace(question, arguments=arguments)
    titles = ", ".join(one.title for one in question.choices)
    shown = meant.shown_day(asked, arguments.get("day", ""), language)
    told = (
        asking.plain_words(language, "add_todo", text=arguments["task"])
        if question.intent == "add_todo"
        else asking.plain_words(language, "move_todo", todo=titles, day=shown)
    )
    return asking.ask_whether(told, asks, language)


def _with_date(asked: Asked, old: str, new: str, language: Language) -> str:
    """Return the new day, or the old one with the new time where that is all that is said; a day of
    a month is that of the old one's.
    """
    now = quickadd.read_line(f"x {new}", now=asked.now, locale=language)
    before = quickadd.read_line(f"x {old}", now=asked.now, locale=language)
    if not {one.kind for one in now.spans} & DATES:
        text = f"x {old}"
        dates = [text[one.start : one.end] for one in before.spans if one.kind in DATES]
        return " ".join((*dates, new))
    if _DAY_OF_MONTH.fullmatch(new) and before.due is not None:
        month = before.due if isinstance(before.due, datetime) else _midnight(before.due, asked.now)
        begin = max(month.replace(day=1), asked.now)
        due = quickadd.read_line(f"x {new}", now=begin, locale=language).due
        if due is not None:
            return (due.date() if isinstance(due, datetime) else due).isoformat()
    return new


def _midnight(day: date, now: datetime) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=now.tzinfo)


def _parted(asked: Asked, line: str, language: Language) -> tuple[str, str]:
    """Return what a line says beside its day and time, and these."""
    spans = quickadd.read_line(line, now=asked.now, locale=language).spans
    days = [(one.start, one.end) for one in spans if one.kind in MOMENTS]
    title, said = line, " ".join(line[start:end] for start, end in days)
    for start, end in reversed(days):
        title = title[:start] + title[end:]
    return " ".join(title.split()), said
