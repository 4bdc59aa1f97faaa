"""What is in a folder, has a tag, is about something or links to a note."""

import re
from collections.abc import Mapping
from typing import Any

from app.agent.rules.answers import list_answers, targets
from app.agent.rules.dialogue import resolve_reference
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Step, Thing, Trace, call_tool

MOST = 200
NOTES = list_answers.NOTES


def tell_view(asked: Asked, route: Route) -> Step:
    """List the notes of the folder or with the tag that the words name, else what is about them.

    The step is empty where nothing is.
    """
    if not asked.has("list_folders"):
        return Step(
            calls=(("list_folders", {}), ("list_notes", {"recursive": True, "limit": MOST}))
        )
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    words = route.get("words")
    notes = [row for one in asked.of("list_notes") for row in one.content["notes"]]
    tag = _tag(words, notes)
    folders = [row for one in asked.of("list_folders") for row in one.content["folders"]]
    folder = None if tag and not route.get("about") else _folder(route, folders)
    if folder is None and not tag:
        return _about(asked, route)
    place: dict[str, Any] = {"folderId": folder["id"]} if folder else {"tag": tag}
    listed = [one for one in asked.of("list_notes") if place.items() <= dict(one.arguments).items()]
    if not listed:
        wanted: Call = ("list_notes", {**place, "recursive": True, "limit": NOTES})
        return Step(calls=(wanted,))
    told = folder["name"] if folder else f"#{tag}"
    about = (Thing("folder", folder["id"], folder["name"]),) if folder else ()
    return _listed(route, listed[0].content, told, about)


def _listed(
    route: Route, found: Mapping[str, Any], told: str, about: tuple[Thing, ...] = ()
) -> Step:
    rows, total = found["notes"], found["totalNotes"]
    shown = list_answers.things("note", rows)
    tag = {"tag": told[1:]} if told.startswith("#") else {}
    trace = Trace(shown=shown, about=about if not rows else (), arguments=tag)
    if not rows:
        return Step(route.phrase("no_notes_of", told=told), trace=trace)
    if route.get("counted"):
        return Step(route.phrase("count_notes_of", count=total, told=told), trace=trace)
    head = route.phrase("notes_of", count=total, told=told)
    more = list_answers.more_lines(route.language, total - len(rows))
    return Step("\n".join([head, *list_answers.note_lines(rows), *more]), trace=trace)


def _folder(route: Route, rows: list[dict[str, Any]]) -> Mapping[str, Any] | None:
    """Return the folder that the words name, all of them or one, where no other could be meant.

    Where nothing is asked but only named, all of them must.
    """
    words = route.get("words")
    if not words:
        said = fold_text(route.get("text"))
        inside = [row for row in rows if _stands_in(fold_text(row["name"]), said)]
        return inside[0] if len(inside) == 1 else None
    found = resolve_reference.find_folder(words, rows)
    if found or route.get("named"):
        return found
    named = [one for word in words.split() if (one := resolve_reference.find_folder(word, rows))]
    return named[0] if len({one["id"] for one in named}) == 1 and len(words.split()) < 3 else None


def _stands_in(name: str, text: str) -> bool:
    edge = "" if questions.is_asian(name) else r"\b"
    return re.search(f"{edge}{re.escape(name)}{edge}", text) is not None


def _tag(words: str, notes: list[dict[str, Any]]) -> str:
    """Return the tag that is one of the words."""
    known = {fold_text(tag): tag for row in notes for tag in row.get("tags", ())}
    said = [one.strip("#") for one in words.split()]
    return next((known[one] for one in said if one in known and len(said) < 3), "")


def _about(asked: Asked, route: Route) -> Step:
    """List the todos and notes in which the words stand."""
    words, both = route.get("words"), route.get("about") == "notes"
    if not route.get("about"):
        return Step(route.phrase("nothing", owner=asked.persona.owner), empty=True)
    if not asked.has("search_todos"):
        query = " ".join(resolve_reference.word_stems(words)) or words
        zone = list_answers.zone_argument(asked)
        todos: Call = ("search_todos", {"q": query, "completed": False, "limit": NOTES, **zone})
        return Step(calls=(todos, ("search_notes", {"query": words, "limit": list_answers.LATELY})))
    rows = [row for one in asked.of("search_todos") for row in one.content["todos"]]
    hits = [row for one in asked.of("search_notes") for row in one.content["results"]]
    if not rows and not (hits and both):
        return Step(route.phrase("nothing", owner=asked.persona.owner), empty=True)
    parts = [*list_answers.todo_lines(asked, route, rows), *list_answers.note_lines(hits)]
    shown = (*list_answers.things("todo", rows), *list_answers.things("note", hits))
    head = route.phrase("about_of", told=words)
    return Step("\n".join([head, *parts]), trace=Trace(shown=shown))


def list_tags(asked: Asked, route: Route) -> Step:
    """List the tags of the notes, with how many have each."""
    if not asked.results:
        return Step(calls=(("list_notes", {"recursive": True, "limit": MOST}),))
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    counts: dict[str, int] = {}
    for row in (row for one in asked.of("list_notes") for row in one.content["notes"]):
        for tag in row.get("tags", ()):
            counts[tag] = counts.get(tag, 0) + 1
    if not counts:
        return Step(route.phrase("no_tags"))
    lines = [f"- #{tag} ({count})" for tag, count in sorted(counts.items())]
    return Step("\n".join([route.phrase("tags"), *lines]))


def tell_linking(asked: Asked, route: Route) -> Step:
    """List the notes that link to the one that is named."""
    found = targets.find_things(asked, route, ("note",), words=route.get("target"))
    if isinstance(found, Step):
        return found
    if len(found) > 1:
        return targets.ask_which(route, found)
    if not asked.has("get_note_links"):
        return call_tool("get_note_links", noteId=found[0].id)
    if not (read := asked.of("get_note_links")):
        return list_answers.tell_refusal(asked, route)
    rows = [{**row, "id": row["noteId"]} for row in read[0].content["backlinks"]]
    name = ("no_linking", "one_linking")[len(rows)] if len(rows) < 2 else "linking"
    head = route.phrase(name, count=len(rows), title=found[0].title)
    more = list_answers.more_lines(route.language, len(rows) - NOTES)
    trace = Trace(about=found, shown=list_answers.things("note", rows[:NOTES]))
    return Step("\n".join([head, *list_answers.note_lines(rows[:NOTES]), *more]), trace=trace)
