"""What somebody corrects of a change that was only asked about: “half ten, he said”."""

import re
from datetime import date, datetime

import msgspec

from app.agent.quickadd import quickadd
from app.agent.rules.dialogue import repairs
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.passages import questions
from app.agent.rules.reader import reader
from app.agent.rules.understood import meant, wishes
from app.agent.turn.steps import Asked, Question, Step

SURE = 0.8
"""So likely does a message say no more than another day."""
DAYS = frozenset({"move_todo", "repeat_todo"})
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
        day = _with_day(asked, f"x {question.arguments['day']}", new, language)
        return _ask(asked, question, {"day": day.removeprefix("x ")}, language)
    task = _with_day(asked, question.arguments["task"], new, language)
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


def _with_day(asked: Asked, text: str, new: str, language: Language) -> str:
    """Return a text with a new day in place of its own; a day of a month is that of the old one's,
    and a time alone leaves the day.
    """
    before = quickadd.read_line(text, now=asked.now, locale=language).due
    if _DAY_OF_MONTH.fullmatch(new) and before is not None:
        month = before if isinstance(before, datetime) else _midnight(before, asked.now)
        begin = max(month.replace(day=1), asked.now)
        due = quickadd.read_line(f"x {new}", now=begin, locale=language).due
        if due is not None:
            new = (due.date() if isinstance(due, datetime) else due).isoformat()
    return repairs.with_day(asked, text, new, language) or f"{text} {new}"


def _midnight(day: date, now: datetime) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=now.tzinfo)
