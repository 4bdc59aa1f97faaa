"""Todos that are added, and overdue ones that get new days."""

import functools
import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

import msgspec

from app.agent.quickadd import language_words, quickadd
from app.agent.quickadd.quickadd import QuickAdd
from app.agent.rules.answers import list_answers, targets
from app.agent.rules.dialogue import dialogue_words, slots
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Answers, Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.plain_tables import PlainWords
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.passages import questions
from app.agent.rules.phrases import dates
from app.agent.rules.routing import routing, wording
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Question, Step, Trace, call_tool
from app.workspace.todos import recurrence

ASKS_A_DAY = frozenset({"list_todos", "events", "free"})
_MARKS = " \t\n,;:、，；：-–—"
_STOP = re.compile(r"(?<=[^\W\d_]{3})[.!]+$|(?<=[^\w.])[.!]+$|[。！]+$")
"""What ends a sentence, and no abbreviation."""
_CASE = re.compile("(?<=[\u3040-\u9fff])(?:の|こと)?を$")
"""The particle of a title whose verb stood after its day: “家賃を25日に追加”."""
LONGEST_TODO = 500
LONGEST_DESCRIPTION = 20_000


def add_todo(asked: Asked, route: Route) -> Step:
    """Add the todo that quick add reads, or each of several `tasks`, a line each."""
    if named := route.get("target"):
        # What was asked for, where only “that” was said.
        route = _of_task(route, f"{named} {route.get('task')}".strip())
    tasks = route.get("tasks").split("\n")
    if not tasks[0]:
        tasks = _dated_apart(asked, route)
    wishes = [_of_task(route, one) for one in tasks] if tasks[0] else [route]
    if not asked.results:
        calls: list[Call] = []
        for wish in wishes:
            read = _read_task(asked, wish)
            if read.no_such_day or read.too_often:
                return _asked_back(asked, wish, read)
            if kept := _of_several_days(asked, read) or _of_that_day(wish, read):
                question = Question("add_todo", {"task": kept}, lacks="day")
                return Step(wish.phrase("which_day", title=kept), trace=Trace(asks=question))
            if _only_points(asked, wish, read.title):
                kept = wish.get("task").replace(read.title, "").strip()
                last = asked.earlier[0] if asked.earlier else Trace()
                if last.intent == "make_note" and len(last.about) == 1:
                    # “Make that a todo” of what was just noted.
                    return add_todo(asked, _of_task(wish, f"{last.about[0].title} {kept}".strip()))
                return targets.ask_what(_of_task(wish, kept))
            if _names_nothing(asked, wish, read):
                return _ask_task(wish, read)
            calls.append(("create_todo", _new_todo(asked, wish, read)))
        return Step(calls=tuple(calls))
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    rows = [result.content["todo"] for result in asked.of("create_todo")]
    trace = Trace(
        about=list_answers.things("todo", rows),
        undo=tuple(("delete_todo", {"id": row["id"]}) for row in rows),
    )
    return Step("\n".join(_tell_added(asked, route, row) for row in rows), trace=trace)


def _dated_apart(asked: Asked, route: Route) -> list[str]:
    """Return the todos of a line of which each has a day of its own: “stamps tomorrow and the
    parcel on Friday”; nothing where they are not so.
    """
    written = _message_language(route)
    parts = dialogue_words.split_list(route.get("task"), written)
    if len(parts) < 2 or route.get("day"):
        return [""]
    read = [quickadd.read_line(one, now=asked.now, locale=written) for one in parts]
    apart = all(one.due and any(span.kind == "date" for span in one.spans) for one in read)
    named = all(questions.read_question(one.title).terms for one in read)
    return parts if apart and named else [""]


def _names_nothing(asked: Asked, route: Route, read: QuickAdd) -> bool:
    """Return whether a line has nothing but its day, time and the like, and words that ask for a
    todo: “remind me on Friday”.
    """
    language = _message_language(route)
    if not read.text or slots.only_days(read.text, asked, language, besides=()):
        return True
    bare = routing.route_message(read.title)
    return bare.intent == "add_todo" and not (bare.get("task") or bare.spoken)


def _ask_task(route: Route, read: QuickAdd) -> Step:
    """Ask what is to be done at the time that was said."""
    when = " ".join(span.text for span in read.spans)
    wish = {"task": when, "written": _message_language(route)}
    asks = Question("add_todo", wish, lacks="task")
    return Step(route.phrase("which_task"), trace=Trace(asks=asks))


def _only_points(asked: Asked, route: Route, title: str) -> bool:
    """Return whether a title is nothing but a word such as “that”, or a length of time."""
    said = slots.read(title, asked, _message_language(route))
    if said and said.has("earlier", "later") and slots.length(said, asked, "earlier", "later"):
        return True  # “a week before”
    table = language_data.load_table(_message_language(route), PlainWords)
    words = plain_letters(title).lower().strip(" .,!?").split()
    points = {plain_letters(one).lower() for one in table.it.split()}
    little = all(one in points or one in questions.little() for one in words)
    return little and not points.isdisjoint(words)


def _of_several_days(asked: Asked, read: QuickAdd) -> str:
    """Return a title without its days where each of its clauses has another; else nothing."""
    if not questions.is_asian(read.title):
        return ""
    clauses = [one.strip() for one in re.split("[,，、]", read.title)]
    days = [dialogue_words.find_days(dialogue_words.bare(one), asked.now) for one in clauses]
    named = [day for day in days if day and day[0].end - day[0].start <= timedelta(days=1)]
    if len(clauses) < 2 or not named or read.due is None or read.recurrence:
        return ""
    due = read.due.astimezone(asked.now.tzinfo) if isinstance(read.due, datetime) else read.due
    if all(day[0].start.date() == date(due.year, due.month, due.day) for day in named):
        return ""
    # The one that was read has left its clause.
    kept = (
        one[: day[1]] + one[day[2] :] if day else one
        for one, day in zip(clauses, days, strict=True)
    )
    return "，".join(one.strip() for one in kept if one.strip())


def _of_that_day(route: Route, read: QuickAdd) -> str:
    """Return the title of what is due on the same day as what nobody knows; else nothing."""
    if any(one.kind in ("date", "recurrence") for one in read.spans):
        return ""
    language = _message_language(route)
    text = plain_letters(read.title).lower()
    table = dialogue_words.tables(language)[0]
    # “Remind me the day before the concert to …” has a day that nobody has looked up.
    for pattern in (table.that_day.get(0, "(?!)"), f"^(?:{table.relative_day})"):
        if found := dialogue_words.find_in(pattern, text):
            rest = f"{read.title[: found.start()].strip()} {read.title[found.end() :].strip()}"
            return rest.strip(" ,，、")
    return ""


def _of_task(route: Route, task: str) -> Route:
    return msgspec.structs.replace(route, arguments={**route.arguments, "task": task})


def _asked_back(asked: Asked, route: Route, read: QuickAdd) -> Step:
    """Ask for a day that there is, or for how often it may come again."""
    text = (
        route.phrase("no_such_day", day=read.no_such_day)
        if read.no_such_day
        else route.phrase("too_often", often=read.too_often)
    )
    task = read.remainder
    if (request := _request(asked, route)) and (
        lead := language_words.load_language(read.language).lead.match(f"{request} {task}")
    ):
        task = f"{request} {task}"[lead.end() :] or task
    wish = {"task": task, "written": _message_language(route)}
    return Step(text, trace=Trace(asks=Question("add_todo", wish, lacks="day")))


def _tell_added(asked: Asked, route: Route, todo: Mapping[str, Any]) -> str:
    """Return what was stored: the title, the day, how often, and how important it is."""
    due = list_answers.due_text(route.language, todo, asked.now)
    if rule := todo.get("recurrence"):
        due += route.phrase("repeats", rule=recurrence_text(route, rule["rule"], asked.now))
    if todo["priority"]:
        due += route.phrase("of_priority", priority=todo["priority"])
    steps = "".join(f"\n- {step['title']}" for step in todo["steps"])
    return route.phrase("added", title=todo["title"], due=due) + steps


def recurrence_text(route: Route, rule: str, now: datetime) -> str:
    """Return how often a todo comes again, as people say it; a rule that no words are there for
    as it is.
    """
    read = recurrence.parse_rule(rule)
    numbers = dict(read.numbers)
    month_days = numbers.pop("BYMONTHDAY", ())
    if numbers or any(nth not in (None, -1, 1, 2, 3, 4, 5) for _, nth in read.byday):
        return rule
    name = read.frequency.lower()
    text = (
        route.phrase(f"every_{name}")
        if read.interval == 1
        else route.phrase("every", count=read.interval, unit=route.phrase(name))
    )
    text += "".join(_month_day(route, day) for day in month_days)
    text += "".join(_nth_weekday(route, day, nth) for day, nth in read.byday if nth)
    if plain := [_weekday(route, day) for day, nth in read.byday if not nth]:
        text += f" ({', '.join(plain)})"
    if read.until:
        text += route.phrase("rule_until", day=dates.stored(route.language, read.until[:10], now))
    return text + route.phrase("rule_count", count=read.count) if read.count else text


def _month_day(route: Route, day: int) -> str:
    return route.phrase("on_last_day") if day == -1 else route.phrase("on_the_day", day=day)


def _nth_weekday(route: Route, day: int, nth: int) -> str:
    which = route.phrase("last_nth") if nth == -1 else route.phrase("ordinals").split()[nth - 1]
    return route.phrase("on_nth", nth=which, day=_weekday(route, day))


def _weekday(route: Route, day: int) -> str:
    return route.phrase("weekdays").split()[day]


def replan(asked: Asked, route: Route) -> Step:
    """Give the overdue todos new days; what names a day moves something to that, “all of Thursday
    to Friday, same time”.
    """
    said = dialogue_words.bare(asked.message)
    if dialogue_words.find_days(said, asked.now) or dialogue_words.bare_weekday(said, asked.now):
        return Step(route.phrase("nothing", owner=asked.persona.owner), empty=True)
    if not asked.results:
        return call_tool("replan_todos", **list_answers.zone_argument(asked))
    done = asked.of("replan_todos")
    if not done:
        return list_answers.tell_refusal(asked, route)
    moved = done[0].content["replanned"]
    lines = [
        f"- {row['title']}: {dates.stored(route.language, row['to'], asked.now)}"
        for row in moved[: list_answers.TODOS]
    ]
    return Step(
        "\n".join([route.phrase("replanned", count=done[0].content["count"]), *lines])
        if moved
        else route.phrase("no_todos")
    )


def _read_task(asked: Asked, route: Route) -> QuickAdd:
    # The answer may be in another language than the message.
    written = _message_language(route)
    # “… for tomorrow, would you?”
    asked_for = _edges(written)[1].sub("", route.get("task").rstrip("?？ ")) or route.get("task")
    task = " ".join(filter(None, (asked_for, route.get("day"))))
    read = quickadd.read_line(task, now=asked.now, locale=written)
    if (day := _day_before(asked)) and _is_only_time(read):
        # “And at two the hairdresser” after it was asked whether Wednesday is free.
        read = quickadd.read_line(f"{task} {day.isoformat()}", now=asked.now, locale=written)
    if request := _request(asked, route):
        # “Tomorrow to call mum”: only after the request is it plain what “to” belongs to.
        whole = quickadd.read_line(f"{request} {task}", now=asked.now, locale=written)
        if not whole.title.startswith(request) and whole.due == read.due:
            return whole
    return read


def _is_only_time(read: QuickAdd) -> bool:
    """Return whether a line says a time and no day."""
    kinds = {span.kind for span in read.spans}
    return "time" in kinds and not kinds & {"date", "recurrence"}


def _day_before(asked: Asked) -> date | None:
    """Return the one day that the turn before was asked of."""
    last = asked.earlier[0] if asked.earlier else Trace()
    said = last.arguments.get("text") or last.arguments.get("said", "")
    if last.intent not in ASKS_A_DAY or not said:
        return None
    found = dialogue_words.find_days(dialogue_words.bare(said), asked.now)
    one = found and found[0].end - found[0].start <= timedelta(days=1)
    return found[0].start.date() if found and one else None


def _request(asked: Asked, route: Route) -> str:
    """Return the words that ask for a reminder, if the message does so."""
    written = _message_language(route)
    asks = language_data.join_pattern(language_data.load_table(written, Answers).reminder)
    return (
        language_data.load_table(written, Dates).request
        if re.search(asks, asked.message, re.I)
        else ""
    )


def _message_language(route: Route) -> Language:
    """Return the language that was written, which is not always that of the answer."""
    return route.get("written") or route.language


def _new_todo(asked: Asked, route: Route, read: QuickAdd) -> dict[str, Any]:
    """Return a todo's fields; what is too long for a title is its description."""
    said = read.title.rstrip("?？ ") or read.title
    written = wording.as_written(said, asked.message, _message_language(route))
    title = _CASE.sub("", _line(_tidied(written, _message_language(route))))
    title += _what_it_is(asked, title, _message_language(route))
    fields: dict[str, Any] = {
        "title": title[:LONGEST_TODO].strip() or "Todo",
        **list_answers.zone_argument(asked),
    }
    if len(title) > LONGEST_TODO:
        fields["description"] = read.title[:LONGEST_DESCRIPTION]
    if read.due_date:
        fields["dueDate"] = read.due_date
    if read.priority:
        fields["priority"] = read.priority
    if level := route.get("priority"):
        fields["priority"] = int(level)
    if steps := route.get("steps"):
        fields["steps"] = [{"title": one} for one in steps.split("\n")]
    # A rule needs a first day to count from.
    if read.recurrence and read.due_date:
        fields["recurrence"] = {"rule": read.recurrence.rule}
    return fields


def _what_it_is(asked: Asked, title: str, language: Language) -> str:
    """Return what says in brackets what the “it” of a title is, where one note or todo was just
    spoken of: “pay it (Fair)”; empty where a title needs none.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    if last.asks or len(last.about) != 1 or last.about[0].kind not in ("note", "todo"):
        return ""
    leans = language_data.load_table(language, PlainWords).leans
    return f" ({last.about[0].title})" if re.fullmatch(leans, title, re.IGNORECASE) else ""


def without_what_it_is(asked: Asked, title: str) -> str:
    """Return a title as the message has it, without what says in brackets what its “it” is."""
    about = asked.earlier[0].about if asked.earlier else ()
    return title.removesuffix(f" ({about[0].title})") if len(about) == 1 else title


def _line(text: str) -> str:
    """Return a text as the one line that a title is."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())


def _tidied(text: str, language: Language) -> str:
    """Return a title without what ends a sentence, quotation marks around all of it, and words of
    the request that are left at its edges: “daran, …”, “…, would you”.
    """
    before = None
    while text != before:
        before = text
        for pattern in _edges(language):
            text = pattern.sub("", text, count=1) or text
        text = wording.unquoted(_STOP.sub("", text.strip(_MARKS)))
    return text


@functools.cache
def _edges(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    table = language_data.load_table(language, Answers)
    begin, end = map(language_data.join_pattern, (table.title_begin, table.title_end))
    return re.compile(rf"^(?:{begin})", re.I), re.compile(rf"(?:{end})$", re.I)
