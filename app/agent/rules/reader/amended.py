"""What somebody corrects of a change that was only asked about: “half ten, he said”."""

import msgspec

from app.agent.quickadd import quickadd
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.reader import meant, reader
from app.agent.turn.steps import Asked, Question, Step

SURE = 0.8
"""So likely does a message say no more than another day."""
DAYS = frozenset({"move_todo", "repeat_todo"})
DATES = frozenset({"date", "recurrence"})


def ask_amended(asked: Asked, language: Language) -> Step | None:
    """Return the question of the turn before with the day that a message says instead; None where
    it asked about no day, or the message says anything else.
    """
    question = asked.earlier[0].asks if asked.earlier else None
    if question is None or question.lacks != "yes":
        return None
    said = reader.read(asked, (), language).likely[:1]
    if not said or said[0].intent not in DAYS or said[0].sure < SURE:
        return None
    if {one.slot for one in said[0].spans} - {"day", "olddat", "it"}:
        return None
    new = meant.day(asked, said[0].all_of("day"), language)
    if not new:
        return None
    if question.intent == "change_todo" and question.arguments.get("day"):
        day = _with_date(asked, question.arguments["day"], new, language)
        return _ask(question, {"day": day}, language)
    if question.intent == "add_todo" and question.arguments.get("task"):
        title, old = _parted(asked, question.arguments["task"], language)
        return _ask(
            question, {"task": f"{title} {_with_date(asked, old, new, language)}"}, language
        )
    return None


def _ask(question: Question, fields: dict[str, str], language: Language) -> Step:
    arguments = {**question.arguments, **fields}
    asks = msgspec.structs.replace(question, arguments=arguments)
    titles = ", ".join(one.title for one in question.choices)
    told = (
        asking.plain_words(language, "add_todo", text=arguments["task"])
        if question.intent == "add_todo"
        else asking.plain_words(language, "move_todo", todo=titles, day=arguments["day"])
    )
    return asking.ask_whether(told, asks, language)


def _with_date(asked: Asked, old: str, new: str, language: Language) -> str:
    """Return the new day, or the old one with the new time where that is all that is said."""
    kinds = {
        one.kind for one in quickadd.read_line(f"x {new}", now=asked.now, locale=language).spans
    }
    if kinds & DATES:
        return new
    text = f"x {old}"
    spans = quickadd.read_line(text, now=asked.now, locale=language).spans
    dates = [text[one.start : one.end] for one in spans if one.kind in DATES]
    return " ".join((*dates, new))


def _parted(asked: Asked, line: str, language: Language) -> tuple[str, str]:
    """Return the title of a new todo and its day."""
    spans = quickadd.read_line(line, now=asked.now, locale=language).spans
    days = [(one.start, one.end) for one in spans if one.kind in {*DATES, "time"}]
    title, said = line, " ".join(line[start:end] for start, end in days)
    for start, end in reversed(days):
        title = title[:start] + title[end:]
    return " ".join(title.split()), said
