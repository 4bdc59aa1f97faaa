"""What the rules change when they are told to.

Todos and notes, each only when exactly one is meant.
"""

import re
from typing import Any

from app.agent.quickadd import quickadd
from app.agent.quickadd.quickadd import QuickAdd
from app.agent.rules.answers import list_answers, resolve_reference
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Answers, Language
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, call_tool, note_link

CANDIDATES = 20
LONGEST_TITLE = 120
LONGEST_TODO = 500
LONGEST_DESCRIPTION = 20_000


def add_todo(asked: Asked, route: Route) -> Step:
    """Add the todo that quick add reads."""
    if not asked.results:
        read = _read_task(asked, route)
        if read.no_such_day:
            return Step(route.phrase("no_such_day", day=read.no_such_day))
        return call_tool("create_todo", **_new_todo(asked, route, read))
    made = asked.of("create_todo")
    if not made:
        return list_answers.tell_refusal(asked, route)
    todo = made[0].content["todo"]
    given = made[0].arguments.get("dueDate")
    due = route.phrase("due", due=str(given).replace("T", " ")[:16]) if given else ""
    return Step(route.phrase("added", title=todo["title"], due=due))


def complete_todo(asked: Asked, route: Route) -> Step:
    """Complete the one open todo that the words fit; ask when several do."""
    words = route.get("words")
    if not asked.has("search_todos"):
        query = " ".join(resolve_reference.word_stems(words)) or words
        return call_tool(
            "search_todos",
            q=query[:1000],
            completed=False,
            limit=CANDIDATES,
            **list_answers.zone_argument(asked),
        )
    if done := asked.of("complete_todo"):
        return Step(route.phrase("completed", title=done[0].content["todo"]["title"]))
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    rows = [row for result in asked.of("search_todos") for row in result.content["todos"]]
    # The search also finds words in descriptions.
    fitting = resolve_reference.fitting_rows(words, rows)[:CANDIDATES] or rows
    if len(fitting) != 1:
        return (
            resolve_reference.ask_which(route.language, fitting, are_notes=False)
            if fitting
            else Step(route.phrase("none_fits", words=words))
        )
    return call_tool("complete_todo", id=fitting[0]["id"], **list_answers.zone_argument(asked))


def make_note(asked: Asked, route: Route) -> Step:
    """Write a note down; without a title its first line is one."""
    if not asked.results:
        content = route.get("content")
        title = route.get("title") or content.partition("\n")[0].strip()[:LONGEST_TITLE]
        return call_tool("create_note", title=_line(title) or "Note", content=content)
    made = asked.of("create_note")
    if not made:
        return list_answers.tell_refusal(asked, route)
    note = made[0].content["note"]
    return Step(route.phrase("noted", title=note_link(note["id"], note["title"])))


def append_note(asked: Asked, route: Route) -> Step:
    """Write a line at the end of the one note that is meant; in a list as one more of its items."""
    if step := _one_note(asked, route):
        return step
    if not asked.has("get_note_content"):
        return call_tool("get_note_content", noteId=_fitting_notes(asked, route)[0]["id"])
    if done := asked.of("edit_note"):
        note = done[0].content["note"]
        return Step(route.phrase("appended", title=note_link(note["id"], note["title"])))
    read = asked.of("get_note_content")
    if asked.refusal or not read or "note" not in read[0].content:
        return list_answers.tell_refusal(asked, route)
    note = read[0].content["note"]
    # With the revision that was read: a change in between is refused and not overwritten.
    content = append_text(note["markdown"], route.get("text"))
    return call_tool("edit_note", noteId=note["id"], content=content, ifRevision=note["revision"])


def pin_note(asked: Asked, route: Route) -> Step:
    """Pin or unpin the one note that is meant."""
    if step := _one_note(asked, route):
        return step
    note = _fitting_notes(asked, route)[0]
    pinned = not route.get("unpin")
    if not asked.results or not asked.has("pin_note"):
        return call_tool("pin_note", noteId=note["id"], pinned=pinned)
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    return Step(
        route.phrase("pinned" if pinned else "unpinned", title=note_link(note["id"], note["title"]))
    )


def move_note(asked: Asked, route: Route) -> Step:
    """Move the one note that is meant into the folder of that name."""
    if not asked.results:
        return Step(calls=(*_search(route).calls, ("list_folders", {})))
    if step := _one_note(asked, route):
        return step
    note = _fitting_notes(asked, route)[0]
    if not asked.has("list_folders"):
        return call_tool("list_folders")
    folder = resolve_reference.find_folder(
        route.get("folder"),
        [row for result in asked.of("list_folders") for row in result.content["folders"]],
    )
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    if folder is None:
        return Step(route.phrase("none_fits", words=route.get("folder")))
    if not asked.has("move_note"):
        return call_tool("move_note", noteId=note["id"], folderId=folder["id"])
    return Step(
        route.phrase("moved", title=note_link(note["id"], note["title"]), folder=folder["name"])
    )


def replan(asked: Asked, route: Route) -> Step:
    """Give the overdue todos new days."""
    if not asked.results:
        return call_tool("replan_todos", **list_answers.zone_argument(asked))
    done = asked.of("replan_todos")
    if not done:
        return list_answers.tell_refusal(asked, route)
    moved = done[0].content["replanned"]
    lines = [f"- {row['title']}: {row['to'][:10]}" for row in moved[: list_answers.TODOS]]
    return Step(
        "\n".join([route.phrase("replanned", count=done[0].content["count"]), *lines])
        if moved
        else route.phrase("no_todos")
    )


def _read_task(asked: Asked, route: Route) -> QuickAdd:
    # The answer may be in another language than the message.
    written = _message_language(route)
    return quickadd.read_line(
        route.get("task"), now=asked.now, locale=None if written == "en" else written
    )


def _message_language(route: Route) -> Language:
    """Return the language that was written, which is not always that of the answer."""
    return route.get("written") or route.language


def _new_todo(asked: Asked, route: Route, read: QuickAdd) -> dict[str, Any]:
    """Return a todo's fields; what is too long for a title is its description."""
    title = _line(_unquoted(read.title))
    reminder = language_data.load_table(_message_language(route), Answers).reminder
    if reminder and re.match(
        rf"\W*{language_data.join_pattern(reminder.asked)}", asked.message, re.I
    ):
        title = re.sub(language_data.join_pattern(reminder.verb), r"\1", title)
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
    # A rule needs a first day to count from.
    if read.recurrence and read.due_date:
        fields["recurrence"] = {"rule": read.recurrence.rule}
    return fields


def _line(text: str) -> str:
    """Return a text as the one line that a title is."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())


def _unquoted(text: str) -> str:
    text = text.strip()
    inner = text[1:-1]
    quoted = len(text) > 2 and text[0] in '"“„«「' and text[-1] in '"”“»」'
    return inner if quoted and not set(inner) & set('"“”„«»') else text


def _search(route: Route) -> Step:
    query = resolve_reference.name_query(route.get("target"))
    return call_tool("search_notes", query=query, limit=CANDIDATES)


def _fitting_notes(asked: Asked, route: Route) -> list[Any]:
    rows = [row for result in asked.of("search_notes") for row in result.content.get("results", ())]
    return resolve_reference.fitting_rows(route.get("target"), rows)


def _one_note(asked: Asked, route: Route) -> Step | None:
    """Return the step that finds the note that is meant, or says that it is not one.

    None when it is.
    """
    if not asked.has("search_notes"):
        return _search(route)
    found = _fitting_notes(asked, route)
    if not found:
        return list_answers.refusal_or(
            asked, route, route.phrase("none_fits", words=route.get("target"))
        )
    return resolve_reference.ask_which(route.language, found) if len(found) > 1 else None


def append_text(markdown: str, text: str) -> str:
    """Return a note's Markdown with a text after it."""
    kept = markdown.rstrip("\n")
    last = kept.rpartition("\n")[2].lstrip()
    marks = ("- [ ] ", "* [ ] ", "- [x] ", "- ", "* ", "+ ")
    mark = next(filter(last.startswith, marks), "")
    if mark:
        return f"{kept}\n{mark.replace('x', ' ')}{' '.join(text.split())}\n"
    return f"{kept}\n\n{text}\n" if kept else f"{text}\n"
