"""Lists that were asked for: todos, notes, folders, and the day."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from app.agent.rules.answers import list_filters
from app.agent.rules.answers.list_filters import Filters
from app.agent.rules.dialogue import dialogue_words, references
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.phrases import dates
from app.agent.rules.phrases.phrases import phrase
from app.agent.rules.routing import wording
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing, ThingKind, Trace, call_tool, note_link

TODOS = 20
NOTES = 20
LATELY = 5
MOST = 200


def list_todos(asked: Asked, route: Route) -> Step:
    """List or count the todos that the message narrows them to, and say to which."""
    text = said(asked, route)
    wanted = list_filters.read_filters(asked, route, text)
    if wanted.no_such_day:
        return Step(route.phrase("no_such_day", day=wanted.no_such_day))
    if not asked.results:
        return call_tool("search_todos", **_filters(asked, route, wanted))
    found = [result.content for result in asked.of("search_todos")]
    if not found:
        return tell_refusal(asked, route)
    unfound = wanted.words and not any(_passes(asked, wanted, row) for row in found[0]["todos"])
    narrowed = wanted.fields.keys() - {"q"} or wanted.undated or wanted.low or wanted.levels
    if unfound and not route.is_loose and (narrowed or wanted.said):
        # A word that was no filter would else say of a whole list that there is nothing.
        without = list_filters.without_words(wanted)
        if len(found) == 1:
            return call_tool("search_todos", **_filters(asked, route, without))
        none = route.phrase("no_todos_of", told=route.phrase("quoted", text=wanted.words))
        step = _told(asked, route, without, found[1], text)
        text = step.text if route.get("days") else f"{none}\n{step.text}"
        return msgspec.structs.replace(step, text=text, empty=not found[1]["todos"])
    rows = found[0]["todos"]
    if wanted.words and len(rows) == 1 and not counts(route, text):
        # “What is there to do for the programme?” asks for its steps, too.
        if "get_todo" in asked.tools and not asked.has("get_todo"):
            return call_tool("get_todo", id=rows[0]["id"])
        read = [result.content["todo"] for result in asked.of("get_todo")]
        return _told(asked, route, wanted, {**found[0], "todos": read or rows}, text)
    return _told(asked, route, wanted, found[0], text)


def _told(asked: Asked, route: Route, wanted: Filters, found: Mapping[str, Any], text: str) -> Step:
    """Return what was found, or how many, with what it was narrowed to."""
    rows, total = found["todos"], found["total"]
    if _narrows_rows(wanted):
        rows = [row for row in rows if _passes(asked, wanted, row)]
        total = len(rows)
        rows = rows[:TODOS]
    told = ", ".join(wanted.told)
    if not rows:
        text = route.phrase("no_todos_of", told=told) if told else route.phrase("no_todos")
        return Step(text, empty=bool(wanted.words))
    head = (
        route.phrase("one_todo_of" if total == 1 else "todos_of", count=total, told=told)
        if told
        else route.phrase("one_todo" if total == 1 else "todos", count=total)
    )
    trace = Trace(shown=things("todo", rows))
    if counts(route, text):
        # A sentence of its own, with the stop of its script.
        return Step(head.rstrip(":： ") + ("。" if head.endswith("：") else "."), trace=trace)
    more = more_lines(route.language, total - len(rows))
    return Step("\n".join([head, *todo_lines(asked, route, rows), *more]), trace=trace)


def list_notes(asked: Asked, route: Route) -> Step:
    """List the newest notes, of a folder or tag or the pinned ones where that is said."""
    text = said(asked, route)
    wanted = list_filters.read_note_filters(route, text)
    if not asked.results:
        last = references.last_folder(asked) if wanted.folder else None
        if last and references.points_there(wanted.folder, route.language):
            route = msgspec.structs.replace(route, things=(last,))
        place: dict[str, Any] = (
            {"folderId": route.things[0].id}
            if route.things
            else {"folderName": wanted.folder}
            if wanted.folder
            else {"sort": "updatedAt", "order": "desc"}
        )
        if wanted.tag:
            place["tag"] = wanted.tag
        return call_tool("list_notes", recursive=True, limit=NOTES, **place)
    found = [result.content for result in asked.of("list_notes")]
    if not found:
        return msgspec.structs.replace(tell_refusal(asked, route), empty=True)
    rows, total = found[0]["notes"], found[0]["totalNotes"]
    if wanted.pinned:
        rows = [row for row in rows if row["pinned"]]
        total = len(rows)
    if not rows:
        return Step(route.phrase("no_notes_there", owner=asked.persona.owner))
    tag = {"tag": wanted.tag} if wanted.tag else {}
    trace = Trace(shown=things("note", rows), arguments=tag)
    if counts(route, text):
        return Step(route.phrase("count_notes", count=total), trace=trace)
    head = route.phrase("notes", owner=asked.persona.owner)
    lines = [head, *note_lines(rows), *more_lines(route.language, total - len(rows))]
    return Step("\n".join(lines), trace=trace)


def said(asked: Asked, route: Route) -> str:
    """Return the words by which a list was asked for."""
    text = route.get("text") or route.said or asked.message
    return wording.spelled(text, route.get("written") or route.language)


def tell_changes(asked: Asked, route: Route) -> Step:
    """List what was changed today: notes and todos, the newest first."""
    if not asked.results:
        newest = {"sort": "updatedAt", "order": "desc", "limit": TODOS}
        return Step(
            calls=(
                ("list_notes", {"recursive": True, **newest}),
                ("search_todos", {**newest, **zone_argument(asked)}),
            )
        )
    since = asked.now.replace(hour=0, minute=0, second=0, microsecond=0)
    parts: list[str] = []
    shown: list[Thing] = []
    for result in asked.results:
        kind: ThingKind = "note" if result.tool == "list_notes" else "todo"
        if result.failed:
            continue
        rows = [
            row
            for row in result.content["notes" if kind == "note" else "todos"]
            if datetime.fromisoformat(row["updatedAt"]) >= since
        ]
        if rows:
            name = "changed_notes" if kind == "note" else "changed_todos"
            lines = note_lines(rows) if kind == "note" else todo_lines(asked, route, rows)
            parts.append("\n".join([route.phrase(name), *lines]))
            shown += things(kind, rows)
    # Some changes, such as a pin, leave the time of the last one.
    if here := _changed_here(asked, shown):
        parts.append("\n".join(f"- {one.title}" for one in here))
    text = "\n\n".join(parts) or route.phrase("nothing_changed")
    return Step(text, trace=Trace(shown=(*shown, *here)))


def _changed_here(asked: Asked, shown: Collection[Thing]) -> tuple[Thing, ...]:
    """Return what turns before changed and a list does not show."""
    found = [one for turn in asked.earlier if turn.undo for one in turn.about]
    known = {(one.kind, one.id) for one in shown}
    return tuple(dict.fromkeys(one for one in found if (one.kind, one.id) not in known))


def list_folders(asked: Asked, route: Route) -> Step:
    """List the folders."""
    if not asked.results:
        return call_tool("list_folders")
    found = [result.content for result in asked.of("list_folders")]
    if not found:
        return tell_refusal(asked, route)
    lines = [f"- {row['name']} ({row['fileCount']})" for row in found[0]["folders"]]
    return Step("\n".join([route.phrase("folders", owner=asked.persona.owner), *lines]))


def sum_up_day(asked: Asked, route: Route) -> Step:
    """Sum up the day: what is due, what is overdue, and what was written lately."""
    if not asked.results:
        named = (
            {"date": name, "completed": False, "limit": TODOS, **zone_argument(asked)}
            for name in ("today", "overdue")
        )
        recent = (
            "list_notes",
            {"recursive": True, "sort": "updatedAt", "order": "desc", "limit": LATELY},
        )
        return Step(calls=(*(("search_todos", fields) for fields in named), recent))
    parts = [
        _part_of_day(
            asked, route, result.content, overdue=result.arguments.get("date") == "overdue"
        )
        for result in asked.of("search_todos")
    ]
    lately = [note_lines(result.content["notes"]) for result in asked.of("list_notes")]
    parts += ["\n".join([route.phrase("edited"), *links]) for links in lately if links]
    return Step("\n\n".join(parts)) if parts else tell_refusal(asked, route)


def refusal_or(asked: Asked, route: Route, sentence: str) -> Step:
    """Return what was refused, or a sentence where nothing was."""
    return Step(sentence) if asked.refusal is None else tell_refusal(asked, route)


def tell_refusal(asked: Asked, route: Route) -> Step:
    """Return what was refused, and why, or that it waits for the owner's yes.

    Which tool and which escalation only the owner is told.
    """
    found, owner = asked.refusal, asked.persona.owner
    if found is None:
        return Step(route.phrase("nothing", owner=owner))
    if "escalationId" in found.content:
        return Step(
            route.phrase("waits", owner=owner, tool=found.tool, id=found.content["escalationId"])
        )
    reason = str(found.content.get("message", ""))
    # A guest needs no names of tools.
    if owner and (found.tool in reason or not reason):
        return tell_not_allowed(asked, route, found.tool)
    return Step(route.phrase("refused", owner=owner, tool=found.tool, reason=reason))


def tell_not_allowed(asked: Asked, route: Route, tool: str) -> Step:
    """Say that a tool is not there for whoever asks."""
    return Step(route.phrase("not_offered", owner=asked.persona.owner, tool=tool))


def zone_argument(asked: Asked) -> dict[str, str]:
    """Return the user's time zone as a tool takes it."""
    key = getattr(asked.now.tzinfo, "key", None)
    return {"userTimezone": key} if key else {}


def due_text(language: Language, todo: Mapping[str, Any], now: datetime) -> str:
    """Return when a todo is due, as the end of a line; empty when never."""
    stored = todo.get("dueDate")
    return phrase(language, "due", due=dates.stored(language, stored, now)) if stored else ""


def _part_of_day(asked: Asked, route: Route, found: Mapping[str, Any], *, overdue: bool) -> str:
    rows, total = found["todos"], found["total"]
    head = route.phrase("overdue" if overdue else "today", count=total)
    more = more_lines(route.language, total - len(rows))
    return "\n".join([head, *todo_lines(asked, route, rows), *more])


def counts(route: Route, text: str) -> bool:
    """Return whether only the number of what is listed is asked for."""
    if route.get("counted") or route.get("listed"):
        return not route.get("listed")
    folded = dialogue_words.bare(text)
    tables = dialogue_words.tables(route.language)
    return any(dialogue_words.find_in(table.counts, folded) for table in tables)


def things(kind: ThingKind, rows: Collection[Mapping[str, Any]]) -> tuple[Thing, ...]:
    """Return records as things to refer to."""
    return tuple(Thing(kind, row["id"], row["title"]) for row in rows)


def _filters(asked: Asked, route: Route, wanted: Filters) -> dict[str, Any]:
    completed = bool(route.get("completed") or wanted.fields.get("completed"))
    fields = {"limit": TODOS, **zone_argument(asked), **wanted.fields, "completed": completed}
    if _narrows_rows(wanted):
        fields["limit"] = MOST
    if completed:
        fields |= {"sort": "updatedAt", "order": "desc"}
    return fields


def _narrows_rows(wanted: Filters) -> bool:
    """Return whether a list is narrowed to what no filter of the tool finds: those without a day,
    of low priority, of a part of a day.
    """
    return bool(wanted.undated or wanted.low or wanted.done or wanted.levels or wanted.part)


def _passes(asked: Asked, wanted: Filters, row: Mapping[str, Any]) -> bool:
    if wanted.done is not None:
        done = row.get("completedAt")
        day = done and datetime.fromisoformat(done).astimezone(asked.now.tzinfo).date()
        return bool(day and wanted.done[0] <= day <= wanted.done[1])
    undated = not wanted.undated or row.get("dueDate") is None
    low = not wanted.low or 0 < row["priority"] <= list_filters.LOW
    least, most = wanted.levels or (0, list_filters.HIGHEST)
    level = least <= (row["priority"] or 0) <= most
    hours, due = wanted.part, row.get("dueDate") or ""
    # what is due on the whole day may be done at any hour of it
    is_whole = len(due) <= len("2026-01-01")
    is_then = hours is None or is_whole or hours.start <= datetime.fromisoformat(due) < hours.end
    return bool(undated and low and level and is_then)


def todo_lines(asked: Asked, route: Route, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each todo, with the day when it is due."""
    return [
        f"- {row['title']}{due_text(route.language, row, asked.now)}{steps_text(route, row)}"
        for row in rows
    ]


def steps_text(route: Route, row: Mapping[str, Any]) -> str:
    """Return of which steps a todo is made, as the end of a line; empty where of none."""
    steps = row.get("steps") or ()
    titles = ", ".join(step["title"] for step in steps)
    return route.phrase("has_steps", count=len(steps), steps=titles) if steps else ""


def note_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each note, with its link."""
    return [f"- {note_link(row['id'], row['title'])}" for row in rows]


def more_lines(language: Language, count: int) -> list[str]:
    """Return the line that tells how many more there are, where there are."""
    return [phrase(language, "more", count=count)] if count > 0 else []
