"""Changes of todos that are there: another day, name or priority, one more step, done or not."""

import re
from calendar import monthrange
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any

import msgspec

from app.agent.quickadd import quickadd
from app.agent.quickadd.quickadd import QuickAdd
from app.agent.rules.answers import folder_changes, list_answers, new_todos, targets
from app.agent.rules.dialogue import dialogue_words, slots
from app.agent.rules.languages import language_data
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.phrases import dates
from app.agent.rules.routing import wording
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Question, Step, Thing, ThingKind, Trace, mark_of
from app.workspace.todos.recurrence import WEEKDAYS

WEEK, HALF_DAY = timedelta(days=7), timedelta(hours=12)
HOURS, NEAR_HOURS = 12, 3
_MINUTES = re.compile(r"\d ?[:.h] ?\d\d\b")
_NOON = re.compile(r"\d\s?pm\b|\bp\.m\.")
_EXACT_HOUR = re.compile(r"\b0\d|\d\s?am\b|\ba\.m\.")
_WEEKLY = re.compile(r"FREQ=WEEKLY;(?:INTERVAL=\d+;)?BYDAY=(?:MO|TU|WE|TH|FR|SA|SU)")
CHANGED = ("title", "dueDate", "priority", "completed", "steps", "recurrence")


def change_todo(asked: Asked, route: Route) -> Step:
    """Change the todos that are meant as the message says, and tell what they are now."""
    found = targets.find_things(
        asked, route, ("todo",), words=route.get("target"), completed=bool(route.get("reopen"))
    )
    if isinstance(found, Step):
        return found
    if route.get("step") and len(found) > 1:
        return Step(route.phrase("which_one"))
    if done := asked.of("edit_todo"):
        return _told(asked, route, [result.content["todo"] for result in done])
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    if not asked.has("get_todo"):
        return Step(calls=tuple(("get_todo", {"id": one.id}) for one in found))
    rows = [result.content["todo"] for result in asked.of("get_todo")]
    changes = [_change(asked, route, row) for row in rows]
    if any(change is None for change in changes):
        return _asked_back(asked, route, found)
    if all(change == {"title": row["title"]} for row, change in zip(rows, changes, strict=True)):
        return targets.called_so(route, found)
    return Step(
        calls=tuple(
            ("edit_todo", {"id": row["id"], **change, **list_answers.zone_argument(asked)})
            for row, change in zip(rows, changes, strict=True)
            if change
        )
    )


def complete_todo(asked: Asked, route: Route) -> Step:
    """Complete the open todos that are meant."""
    found = targets.find_things(
        asked, route, ("todo",), words=route.get("words"), did=route.get("did")
    )
    if isinstance(found, Step):
        return found
    if done := asked.of("complete_todo"):
        undo: list[Call] = []
        for result in done:
            undo.append(("edit_todo", {"id": result.content["todo"]["id"], "completed": False}))
            if following := result.content["next"]:
                undo.append(("delete_todo", {"id": following["id"]}))
        rows = [result.content["todo"] for result in done]
        titles = ", ".join(row["title"] for row in rows)
        marks = tuple(mark_of("todo", row) for row in rows)
        trace = Trace(about=list_answers.things("todo", rows), undo=tuple(undo), marks=marks)
        return Step(route.phrase("completed", title=titles), trace=trace)
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    zone = list_answers.zone_argument(asked)
    return Step(calls=tuple(("complete_todo", {"id": one.id, **zone}) for one in found))


def delete(asked: Asked, route: Route) -> Step:
    """Put the todo, note or folder that is meant into the trash."""
    if folder_changes.is_meant(asked, route):
        wish = {"folder": route.get("target")}
        return folder_changes.delete_folder(asked, msgspec.structs.replace(route, arguments=wish))
    kinds: tuple[ThingKind, ...] = ("todo", "note")
    if route.get("todo") or route.get("note"):
        kinds = ("todo",) if route.get("todo") else ("note",)
    found = targets.find_things(asked, route, kinds, words=route.get("target"), completed=None)
    if isinstance(found, Step):
        return found
    # “De la garbure” is no place beside “la note”.
    notes = () if route.get("note") else [one for one in found if one.kind == "note"]
    if any(targets.is_place(asked, one, route.language) for one in notes):
        return Step(route.phrase("which_one"))
    if asked.of("delete_todo") or asked.of("trash_note"):
        undo = tuple(("restore_from_trash", {"kind": one.kind, "id": one.id}) for one in found)
        titles = ", ".join(one.title for one in found)
        return Step(route.phrase("trashed", title=titles), trace=Trace(about=found, undo=undo))
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    return Step(
        calls=tuple(
            ("delete_todo", {"id": one.id})
            if one.kind == "todo"
            else ("trash_note", {"noteId": one.id})
            for one in found
        )
    )


def _change(asked: Asked, route: Route, row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the fields that the message changes of a todo; None where it does not say to what."""
    fields: dict[str, Any] = {}
    if route.get("reopen"):
        fields["completed"] = False
    if route.get("title"):
        written = route.get("written") or route.language
        fields["title"] = wording.as_written(route.get("title"), asked.message, written)
    if route.get("priority"):
        level = dialogue_words.priority_of(route.get("priority"), route.language)
        if level is None:
            return None
        fields["priority"] = level
    if route.get("step"):
        steps = [
            {name: step[name] for name in ("id", "title", "completed")}
            for step in row.get("steps") or ()
        ]
        more = dialogue_words.split_list(route.get("step"), route.language)
        fields["steps"] = [*steps, *({"title": title} for title in more)]
    again = _read(route.get("day"), asked.now, route) if route.get("day") else None
    if route.get("clear"):
        fields["dueDate"] = None
    elif again and again.recurrence:
        fields["recurrence"] = {"rule": again.recurrence.rule}
        # “Every Friday” says which day, and “every two weeks” not.
        if not row.get("dueDate") or "=" in again.recurrence.rule.partition("BY")[2]:
            fields["dueDate"] = _at_old_time(again, row, asked.now)
    elif not fields or route.get("day") or route.get("by"):
        due = _new_due(asked, route, row)
        if due is None:
            return None
        fields["dueDate"] = due
        if rule := _other_weekday(asked, route, row):
            fields["recurrence"] = {"rule": rule}
        if route.get("day") and (level := _read(route.get("day"), asked.now, route).priority):
            fields.setdefault("priority", level)
    return fields


def _at_old_time(again: QuickAdd, row: Mapping[str, Any], now: datetime) -> str | None:
    """Return the first day of a new rule, at the time of day that a todo had."""
    old = _stored_due(row)
    if not isinstance(old, datetime) or again.due is None or isinstance(again.due, datetime):
        return again.due_date
    moment = datetime.combine(again.due, old.astimezone(now.tzinfo).timetz())
    return moment.isoformat(timespec="minutes")


def _new_due(asked: Asked, route: Route, row: Mapping[str, Any]) -> str | None:
    """Return the day that the message moves a todo to, with its time of day kept; None where it
    names none that there is.
    """
    now = asked.now
    old = due_moment(row, now)
    if by := route.get("by"):
        # A length counts from the day that the todo has.
        ahead = dialogue_words.tables(route.language)[0].ahead.replace("{by}", by)
        base = old if old is not None else now
        read = _read(ahead, base, route)
        stored = _stored_due(row)
        if isinstance(read.due, datetime) and stored and not isinstance(stored, datetime):
            return None  # an hour before a whole day is no moment
        is_earlier = route.get("earlier") or _goes_earlier(asked, route)
        if is_earlier and old is None:
            return None  # nothing to be before
        if is_earlier and read.due is not None:
            return _before(base, read.due, is_day=not isinstance(_stored_due(row), datetime))
    else:
        read = _read(route.get("day"), now, route)
    if read.due is None or read.no_such_day or read.recurrence:
        return None
    # “提前到七点” of what is at half past seven in the evening
    is_timed = isinstance(read.due, datetime) and isinstance(_stored_due(row), datetime)
    if (route.get("corrects") or is_timed) and old is not None:
        read = msgspec.structs.replace(read, due=_corrected(old, read, now, route))
    due = read.due
    if isinstance(due, datetime):
        is_coming = old is not None and old.date() >= now.date()
        if old is not None and is_coming and not any(span.kind == "date" for span in read.spans):
            # A time alone leaves the day, unless that is over.
            moment = datetime.combine(old.date(), due.timetz())
            return moment.isoformat(timespec="minutes")
        return read.due_date
    if due and old is not None and isinstance(_stored_due(row), datetime):
        return datetime.combine(due, old.timetz()).isoformat(timespec="minutes")
    return read.due_date


def _goes_earlier(asked: Asked, route: Route) -> bool:
    """Return whether a message says that something is to be sooner, and not later."""
    language = route.get("written") or route.language
    told = slots.without_quoted(asked.message)
    early = slots.has_kind(told, language, "earlier")
    return early and not slots.has_kind(told, language, "later")


def _corrected(old: datetime, read: QuickAdd, now: datetime, route: Route) -> date | datetime:
    """Return what a correction means beside what it corrects: a weekday of the same week, an hour
    of the same half of the day.
    """
    due = read.due
    text = route.get("day")
    if isinstance(due, datetime):
        most = 1 if any(span.kind == "date" for span in read.spans) else NEAR_HOURS
        if due.hour > HOURS and str(due.hour) not in text and not _NOON.search(text):
            # “6h” of what is at seven in the morning, “4:30” of what was at five
            earlier = due - HALF_DAY
            is_near = abs(earlier.hour - old.hour) <= most < abs(due.hour - old.hour)
            return earlier if is_near and not _names_part_of_day(text, route) else due
        later = due + HALF_DAY
        near = abs(later.hour - old.hour) <= most < abs(due.hour - old.hour)
        # “8:30” is no evening where days have 24 hours
        is_halved = language_data.load_table(route.language, Dates).twelve_hours
        is_exact = _EXACT_HOUR.search(text) or (not is_halved and _MINUTES.search(text))
        is_said = is_exact or _names_part_of_day(text, route)
        return later if due.hour < later.hour and near and not is_said else due
    if due is None or (old.date() - now.date()).days < WEEK.days:
        return due or old
    far = [_read(text, now + timedelta(days=ahead), route).due for ahead in (40, 45)]
    if all(one and one != due and one.day == due.day for one in far):
        # The number of a day is of the month that it corrects.
        beside = _read(text, old.replace(day=1), route).due
        return beside or due
    if not _is_weekday(text, due, now, route) or due - now.date() > WEEK:
        return due  # “jeudi en huit” names its week
    return old.date() + timedelta(days=due.weekday() - old.weekday())


def _is_weekday(text: str, due: date, now: datetime, route: Route) -> bool:
    """Return whether a day was named by its weekday alone: asked later, it would be another one of
    the same name.
    """
    in_a_week = _read(text, now + WEEK, route).due
    tomorrow = _read(text, now + timedelta(days=1), route).due
    return in_a_week == due + WEEK and tomorrow in (due, due + WEEK)


def _other_weekday(asked: Asked, route: Route, row: Mapping[str, Any]) -> str:
    """Return the rule of a todo that was just made for one day of each week, with the weekday that
    its new day names instead: “every Tuesday”, “rather on Saturday”; empty where that is not so.
    """
    made = asked.earlier[0] if asked.earlier else Trace()
    rule = (row.get("recurrence") or {}).get("rule", "")
    if made.intent != "add_todo" or [one.id for one in made.about] != [row["id"]]:
        return ""
    due = _read(route.get("day"), asked.now, route).due
    if due is None or not _WEEKLY.fullmatch(rule):
        return ""
    is_weekday = _is_weekday(route.get("day"), due, asked.now, route)
    return f"{rule[:-2]}{WEEKDAYS[due.weekday()]}" if is_weekday else ""


def _names_part_of_day(text: str, route: Route) -> bool:
    parts = language_data.load_table(route.language, Dates).parts
    folded = plain_letters(text).lower()
    return any(word in folded for words in parts.values() for word in words)


def _before(base: datetime, ahead: date | datetime, *, is_day: bool) -> str:
    """Return the day, or moment, as long before another as a length of time leads after it."""
    months = (ahead.year - base.year) * 12 + ahead.month - base.month
    if months and ahead.day == base.day:  # months are of different lengths
        year, month = divmod(base.year * 12 + base.month - 1 - months, 12)
        last = monthrange(year, month + 1)[1]
        earlier = base.replace(year=year, month=month + 1, day=min(base.day, last))
        return earlier.date().isoformat() if is_day else earlier.isoformat(timespec="minutes")
    if isinstance(ahead, datetime):
        return (base - (ahead - base)).isoformat(timespec="minutes")
    moment = base - (datetime.combine(ahead, base.timetz()) - base)
    return moment.date().isoformat() if is_day else moment.isoformat(timespec="minutes")


def _read(text: str, now: datetime, route: Route) -> QuickAdd:
    # Quick add wants a title before the date.
    return quickadd.read_line(f"x {text}", now=now, locale=route.language)


def _stored_due(row: Mapping[str, Any]) -> date | datetime | None:
    due = row.get("dueDate")
    if not due:
        return None
    return date.fromisoformat(due) if len(due) == 10 else datetime.fromisoformat(due)


def due_moment(row: Mapping[str, Any], now: datetime) -> datetime | None:
    """Return when a todo is due in the user's zone; a whole day from its beginning."""
    due = _stored_due(row)
    if due is None:
        return None
    if isinstance(due, datetime):
        return due.astimezone(now.tzinfo)
    return datetime.combine(due, time(), now.tzinfo)


def _asked_back(asked: Asked, route: Route, found: tuple[Thing, ...]) -> Step:
    """Ask for the priority or the day, or say which day does not exist."""
    titles = ", ".join(one.title for one in found)
    if route.get("priority"):
        return Step(route.phrase("which_priority", title=titles))
    missing = _read(route.get("day"), asked.now, route).no_such_day if route.get("day") else ""
    text = (
        route.phrase("no_such_day", day=missing)
        if missing
        else route.phrase("which_day", title=titles)
    )
    return Step(text, trace=Trace(about=found, asks=Question("change_todo", {}, lacks="day")))


def _told(asked: Asked, route: Route, rows: list[Mapping[str, Any]]) -> Step:
    before = {row["id"]: row for row in (one.content["todo"] for one in asked.of("get_todo"))}
    undo: list[Call] = []
    lines = []
    for row in rows:
        old = before.get(row["id"], {})
        fields = {
            name: old.get(name) for name in CHANGED if name in old and old[name] != row.get(name)
        }
        undo.append(("edit_todo", {"id": row["id"], **fields}))
        lines.append(_state_line(asked, route, old, row))
    marks = tuple(mark_of("todo", row) for row in rows)
    trace = Trace(about=list_answers.things("todo", rows), undo=tuple(undo), marks=marks)
    return Step("\n".join(lines), trace=trace)


def _state_line(asked: Asked, route: Route, old: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Return what a todo is now, by what has changed of it, or by what was to change."""
    lines = []
    if old.get("title") != row["title"]:
        lines.append(route.phrase("renamed", old=old.get("title", ""), title=row["title"]))
    if old.get("completed") and not row["completed"]:
        lines.append(route.phrase("reopened", title=row["title"]))
    if old.get("priority") != row["priority"] or (route.get("priority") and not lines):
        lines.append(route.phrase("prioritised", title=row["title"], priority=row["priority"]))
    again = (row.get("recurrence") or {}).get("rule")
    if again and again != (old.get("recurrence") or {}).get("rule"):
        due = list_answers.due_text(route.language, row, asked.now)
        rule = new_todos.recurrence_text(route, again, asked.now)
        lines.append(f"{row['title']}{due}{route.phrase('repeats', rule=rule)}.")
        return "\n".join(lines)
    if old.get("dueDate") and not row.get("dueDate"):
        lines.append(route.phrase("undated", title=row["title"]))
    elif row.get("dueDate") and (
        old.get("dueDate") != row["dueDate"] or route.get("day") or route.get("by")
    ):
        due = dates.stored(route.language, row["dueDate"], asked.now)
        lines.append(route.phrase("rescheduled", title=row["title"], due=due))
    if lines:
        return "\n".join(lines)
    # what was so before
    if route.get("reopen") or route.get("clear"):
        return route.phrase("reopened" if route.get("reopen") else "undated", title=row["title"])
    steps = ", ".join(step["title"] for step in row.get("steps") or ())
    return route.phrase("stepped", title=row["title"], steps=steps)
