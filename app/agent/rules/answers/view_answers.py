"""What is in a folder, has a tag or is about something, and how long it is until a day."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

import msgspec

from app.agent.rules.answers import list_answers, note_answers
from app.agent.rules.dialogue import resolve_reference, that_day
from app.agent.rules.passages import answer_passages, questions
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.phrases import dates
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Step, Thing, Trace

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
    trace = Trace(shown=list_answers.things("note", rows), about=about if not rows else ())
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


def tell_days_left(asked: Asked, route: Route) -> Step:
    """Tell how many days are left until the day of a todo, or of what a note says.

    The step is empty where neither names a day.
    """
    words = route.get("words")
    if route.get("day"):
        day = date.fromisoformat(route.get("day"))
        return Step(_left(asked, route, route.get("title"), day))
    if not asked.has("search_todos"):
        fields = {"completed": False, "limit": MOST, **list_answers.zone_argument(asked)}
        return Step(calls=(("search_todos", fields),))
    dated = [
        row for one in asked.of("search_todos") for row in one.content["todos"] if row["dueDate"]
    ]
    fitting = resolve_reference.fitting_rows(words, dated)
    if len(fitting) == 1:
        due = fitting[0]["dueDate"]
        day = date.fromisoformat(due[:10])
        if len(due) > len("2026-01-01"):
            day = datetime.fromisoformat(due).astimezone(asked.now.tzinfo).date()
        trace = Trace(about=list_answers.things("todo", fitting))
        return Step(_left(asked, route, fitting[0]["title"], day), trace=trace)
    searched = tuple(one for one in asked.results if one.tool != "search_todos")
    asks = msgspec.structs.replace(asked, results=searched)
    when = {**route.arguments, "kind": "when"}
    ask = msgspec.structs.replace(route, intent="ask", arguments=when)
    found = note_answers.answer_question(asks, ask)
    if found.calls:
        return found
    today = asked.now.date()
    stems = questions.read_question(words).stems
    for quote in found.quotes:
        if not answer_passages.holds_most(f"{quote.text} {quote.title}", stems):
            continue  # a day of something else
        first = that_day.first_day(fold_text(quote.text), asked)
        if first and first >= today:
            left = _left(asked, route, quote.text, first)
            return msgspec.structs.replace(found, text=f"{left}\n{found.text}")
    return msgspec.structs.replace(found, empty=True)


def _left(asked: Asked, route: Route, title: str, day: date) -> str:
    count = (day - asked.now.date()).days
    shown = dates.day(route.language, day, asked.now)
    return route.phrase("days_left", title=title, count=count, day=shown).rstrip(" :：")
