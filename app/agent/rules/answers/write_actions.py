"""What the rules change when they are told to.

Todos and notes, each only when exactly one is meant.
"""

import re
from typing import Any

from app.agent.quickadd import quickadd
from app.agent.quickadd.quickadd import QuickAdd
from app.agent.rules.answers import list_answers, resolve_reference
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_data import Answers, Language
from app.agent.rules.phrases.phrases import phrase
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, note_link

CANDIDATES = 20
LONGEST_TITLE = 120
LONGEST_TODO = 500
LONGEST_DESCRIPTION = 20_000


def add_todo(asked: Asked, route: Route) -> Step:
    """Add the todo that quick add reads."""
    if not asked.results:
        read = _read_task(asked, route)
        if read.no_such_day:
            return Step(phrase(route.language, "no_such_day", day=read.no_such_day))
        return Step(calls=(("create_todo", _new_todo(asked, route, read)),))
    made = asked.of("create_todo")
    if not made:
        return list_answers.tell_refusal(asked, route)
    todo = made[0].content["todo"]
    given = made[0].arguments.get("dueDate")
    due = phrase(route.language, "due", due=str(given).replace("T", " ")[:16]) if given else ""
    return Step(phrase(route.language, "added", title=todo["title"], due=due))


def complete_todo(asked: Asked, route: Route) -> Step:
    """Complete the one open todo that the words fit; ask when several do."""
    words = route.get("words")
    if not asked.has("search_todos"):
        query = " ".join(resolve_reference.word_stems(words)) or words
        return Step(
            calls=(
                (
                    "search_todos",
                    {
                        "q": query[:1000],
                        "completed": False,
                        "limit": CANDIDATES,
                        **list_answers.zone_argument(asked),
                    },
                ),
            )
        )
    if done := asked.of("complete_todo"):
        return Step(phrase(route.language, "completed", title=done[0].content["todo"]["title"]))
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    rows = [row for result in asked.of("search_todos") for row in result.content["todos"]]
    fitting = resolve_reference.fitting_rows(words, rows)[:CANDIDATES] or rows
    if len(fitting) != 1:
        return (
            resolve_reference.ask_which(route.language, fitting, are_notes=False)
            if fitting
            else Step(phrase(route.language, "none_fits", words=words))
        )
    return Step(
        calls=(("complete_todo", {"id": fitting[0]["id"], **list_answers.zone_argument(asked)}),)
    )


def make_note(asked: Asked, route: Route) -> Step:
    """Write a note down; without a title its first line is one."""
    if not asked.results:
        content = route.get("content")
        title = route.get("title") or content.partition("\n")[0].strip()[:LONGEST_TITLE]
        return Step(calls=(("create_note", {"title": _line(title) or "Note", "content": content}),))
    made = asked.of("create_note")
    if not made:
        return list_answers.tell_refusal(asked, route)
    note = made[0].content["note"]
    return Step(phrase(route.language, "noted", title=note_link(note["id"], note["title"])))


def append_note(asked: Asked, route: Route) -> Step:
    """Write a line at the end of the one note that is meant; in a list as one more of its items."""
    if step := _one_note(asked, route):
        return step
    if not asked.has("get_note_content"):
        return Step(
            calls=(("get_note_content", {"noteId": _fitting_todos(asked, route)[0]["id"]}),)
        )
    if done := asked.of("edit_note"):
        note = done[0].content["note"]
        return Step(phrase(route.language, "appended", title=note_link(note["id"], note["title"])))
    read = asked.of("get_note_content")
    if asked.refusal or not read or "note" not in read[0].content:
        return list_answers.tell_refusal(asked, route)
    note = read[0].content["note"]
    fields = {
        "noteId": note["id"],
        "content": append_text(note["markdown"], route.get("text")),
        "ifRevision": note["revision"],
    }
    return Step(calls=(("edit_note", fields),))


def pin_note(asked: Asked, route: Route) -> Step:
    """Pin or unpin the one note that is meant."""
    if step := _one_note(asked, route):
        return step
    note = _fitting_todos(asked, route)[0]
    pinned = not route.get("unpin")
    if not asked.results or not asked.has("pin_note"):
        return Step(calls=(("pin_note", {"noteId": note["id"], "pinned": pinned}),))
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    return Step(
        phrase(
            route.language,
            "pinned" if pinned else "unpinned",
            title=note_link(note["id"], note["title"]),
        )
    )


def move_note(asked: Asked, route: Route) -> Step:
    """Move the one note that is meant into the folder of that name."""
    if not asked.results:
        return Step(calls=(*_search(route), ("list_folders", {})))
    if step := _one_note(asked, route):
        return step
    note = _fitting_todos(asked, route)[0]
    if not asked.has("list_folders"):
        return Step(calls=(("list_folders", {}),))
    folder = resolve_reference.find_folder(
        route.get("folder"),
        [row for result in asked.of("list_folders") for row in result.content["folders"]],
    )
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    if folder is None:
        return Step(phrase(route.language, "none_fits", words=route.get("folder")))
    if not asked.has("move_note"):
        return Step(calls=(("move_note", {"noteId": note["id"], "folderId": folder["id"]}),))
    return Step(
        phrase(
            route.language,
            "moved",
            title=note_link(note["id"], note["title"]),
            folder=folder["name"],
        )
    )


def replan(asked: Asked, route: Route) -> Step:
    """Return the overdue todos new days."""
    if not asked.results:
        return Step(calls=(("replan_todos", list_answers.zone_argument(asked)),))
    done = asked.of("replan_todos")
    if not done:
        return list_answers.tell_refusal(asked, route)
    moved = done[0].content["replanned"]
    lines = [f"- {row['title']}: {row['to'][:10]}" for row in moved[: list_answers.TODOS]]
    return Step(
        "\n".join([phrase(route.language, "replanned", count=done[0].content["count"]), *lines])
        if moved
        else phrase(route.language, "no_todos")
    )


def _read_task(asked: Asked, route: Route) -> QuickAdd:
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
    if read.recurrence and read.due_date:
        fields["recurrence"] = {"rule": read.recurrence.rule}
    return fields


def _line(text: str) -> str:
    """Return a text as the one line that a title is."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())


def _unquoted(text: str) -> str:
    text = text.strip()
    inner = text[1:-1]
    return (
        inner
        if len(text) > 2
        and text[0] in '"“„«「'
        and text[-1] in '"”“»」'
        and not any(mark in inner for mark in '"“”„«»')
        else text
    )


def _search(route: Route) -> tuple[tuple[str, dict[str, Any]], ...]:
    return (
        (
            "search_notes",
            {"query": resolve_reference.name_query(route.get("target")), "limit": CANDIDATES},
        ),
    )


def _fitting_todos(asked: Asked, route: Route) -> list[Any]:
    rows = [row for result in asked.of("search_notes") for row in result.content.get("results", ())]
    return resolve_reference.fitting_rows(route.get("target"), rows)


def _one_note(asked: Asked, route: Route) -> Step | None:
    """Return the step that finds the note that is meant, or says that it is not one.

    None when it is.
    """
    if not asked.has("search_notes"):
        return Step(calls=_search(route))
    found = _fitting_todos(asked, route)
    if not found:
        return (
            list_answers.tell_refusal(asked, route)
            if asked.refusal
            else Step(phrase(route.language, "none_fits", words=route.get("target")))
        )
    return resolve_reference.ask_which(route.language, found) if len(found) > 1 else None


def append_text(markdown: str, text: str) -> str:
    """Return a note's Markdown with a text after it."""
    kept = markdown.rstrip("\n")
    last = kept.rpartition("\n")[2].lstrip()
    mark = next(
        (
            mark
            for mark in ("- [ ] ", "* [ ] ", "- [x] ", "- ", "* ", "+ ")
            if last.startswith(mark)
        ),
        "",
    )
    if mark:
        return f"{kept}\n{mark.replace('x', ' ')}{' '.join(text.split())}\n"
    return f"{kept}\n\n{text}\n" if kept else f"{text}\n"
