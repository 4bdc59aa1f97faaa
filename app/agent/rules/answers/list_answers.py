"""Lists that were asked for: todos, notes, folders, and the day."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.agent.quickadd import quickadd
from app.agent.quickadd.quickadd import QuickAdd
from app.agent.rules.answers import resolve_reference
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.phrases.phrases import phrase
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, call_tool, note_link

TODOS = 20
NOTES = 20
LATELY = 5
HIGH = 4


def list_todos(asked: Asked, route: Route) -> Step:
    """List the todos of a day, by words, state or priority."""
    if not asked.results:
        day = (
            # Quick add wants a title before the date.
            quickadd.read_line(f"x {route.get('day')}", now=asked.now) if route.get("day") else None
        )
        if day and day.no_such_day:
            return Step(route.phrase("no_such_day", day=day.no_such_day))
        return call_tool("search_todos", **_filters(asked, route, day))
    found = [result.content for result in asked.of("search_todos")]
    if not found:
        return tell_refusal(asked, route)
    return Step(todos_text(route.language, found[0]["todos"], found[0]["total"]))


def list_notes(asked: Asked, route: Route) -> Step:
    """List the newest notes, of a folder where one was named."""
    if not asked.results:
        place: dict[str, Any] = (
            {"folderName": route.get("folder")}
            if route.get("folder")
            else {"sort": "updatedAt", "order": "desc"}
        )
        return call_tool("list_notes", recursive=True, limit=NOTES, **place)
    found = [result.content for result in asked.of("list_notes")]
    if not found:
        return tell_refusal(asked, route)
    rows = found[0]["notes"]
    if not rows:
        return Step(route.phrase("nothing", owner=asked.persona.owner))
    head = route.phrase("notes", owner=asked.persona.owner)
    return Step(
        "\n".join([head, *_links(rows), *_more(route.language, found[0]["totalNotes"] - len(rows))])
    )


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
            route.language, result.content, overdue=result.arguments.get("date") == "overdue"
        )
        for result in asked.of("search_todos")
    ]
    lately = [_links(result.content["notes"]) for result in asked.of("list_notes")]
    parts += ["\n".join([route.phrase("edited"), *links]) for links in lately if links]
    return Step("\n\n".join(parts)) if parts else tell_refusal(asked, route)


def todos_text(language: Language, rows: Sequence[Mapping[str, Any]], total: int) -> str:
    """Return todos as a list, with their number."""
    if not rows:
        return phrase(language, "no_todos")
    head = phrase(language, "one_todo") if total == 1 else phrase(language, "todos", count=total)
    return "\n".join([head, *_todo_lines(language, rows), *_more(language, total - len(rows))])


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


def due_text(language: Language, todo: Mapping[str, Any]) -> str:
    """Return when a todo is due, as the end of a line; empty when never."""
    return phrase(language, "due", due=todo["dueDate"][:10]) if todo.get("dueDate") else ""


def _part_of_day(language: Language, found: Mapping[str, Any], *, overdue: bool) -> str:
    rows, total = found["todos"], found["total"]
    head = phrase(language, "overdue" if overdue else "today", count=total)
    return "\n".join([head, *_todo_lines(language, rows), *_more(language, total - len(rows))])


def _filters(asked: Asked, route: Route, day: QuickAdd | None) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "completed": bool(route.get("completed")),
        "limit": TODOS,
        **zone_argument(asked),
    }
    if route.get("date"):
        fields["date"] = route.get("date")
    if day and day.due_date:
        fields["date"] = day.due_date[:10]
    if route.get("priority"):
        fields["priorityMin"] = HIGH
    if route.get("words"):
        fields["q"] = " ".join(resolve_reference.word_stems(route.get("words"))) or route.get(
            "words"
        )
    return fields


def _todo_lines(language: Language, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return [f"- {row['title']}{due_text(language, row)}" for row in rows]


def _links(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return [f"- {note_link(row['id'], row['title'])}" for row in rows]


def _more(language: Language, count: int) -> list[str]:
    return [phrase(language, "more", count=count)] if count > 0 else []
