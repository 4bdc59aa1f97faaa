"""What a message writes into the description of a todo, and what that says.

“Write in the description that he needs his card” of the todo that was told, “add to the jam jar
todo that the lids must be red”. The text goes after what stands there, on a line of its own.
"""

from collections.abc import Sequence
from typing import Any

from app.agent.rules.answers import list_answers, note_changes, targets
from app.agent.rules.changes.marked import words_of
from app.agent.rules.dialogue import references, resolve_reference
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.note_parts import description_words
from app.agent.rules.note_parts.description_words import OUTRIGHT, Said
from app.agent.rules.passages import note_lines, questions
from app.agent.rules.passages.sentences import fold_text, split_words
from app.agent.rules.phrases import phrases
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import (
    Asked,
    Call,
    Question,
    Step,
    Thing,
    Trace,
    call_tool,
    mark_of,
    note_link,
)

WRITE, TELL = "describe_todo", "tell_description"
"""The intents of what is written into a description and of what one says."""
PASSING = frozenset({"thanks", "greet", "none", "smalltalk", "leave", "date", "time", "bye"})
"""What may stand between a todo and what is said of it."""
LINES = 20
"""So many lines of notes with a name are looked at."""


def wished(asked: Asked, before: Asked, language: Language) -> tuple[Route | Step | None, bool]:
    """Return what a message writes into a description or asks of one, the question which todo is
    meant, or the step that looks for it; and whether anything was looked up for that.
    """
    if chosen := _chosen(asked, language):
        return chosen, False
    said = description_words.read(asked.message, language)
    if not said and description_words.is_denied(asked.message, language):
        told = phrases.phrase(language, "leave")
        return Step(told, trace=Trace(intent="leave", language=language)), False
    last = asked.earlier[0] if asked.earlier else Trace()
    said = [one for one in said if one.how != "more" or last.intent in (WRITE, TELL)]
    named = [one for one in said if one.name]
    plain = next((one for one in said if not one.name), None)
    spoken = spoken_of(asked)
    # “also, write into that of the dentist …” names another
    is_sure = plain is not None and (
        plain.how in OUTRIGHT or not any(one.how in OUTRIGHT for one in named)
    )
    if plain and is_sure and len(spoken) == 1:
        return _route(plain, language, spoken), False
    if named:
        if not asking.has_looked(before):
            return (None if before.is_last else Step(calls=asking.looks(before))), True
        if found := _named(asked, before, named, language):
            return found, True
    if plain and plain.how in OUTRIGHT and not plain.asks and not _tells_note(asked):
        wish = _route(plain, language, ())
        # after two were changed, “the parcel code is 4471, put that in the description”
        shared = [one for one in spoken if _shares_word(one.title, plain.text)]
        if is_sure and len(spoken) > 1 and len(shared) == 1:
            return _route(plain, language, shared), bool(named)
        asks = targets.ask_which(wish, spoken) if len(spoken) > 1 else targets.ask_what(wish)
        return asks, bool(named)
    return None, bool(named)


def _shares_word(title: str, text: str) -> bool:
    """Return whether a text has a word of a title, or two letters where no spaces part words."""
    if not questions.is_asian(title):
        return resolve_reference.words_said(title, text) > 0
    pairs = (title[at : at + 2] for at in range(len(title) - 1))
    return any(one in text for one in pairs)


def spoken_of(asked: Asked) -> tuple[Thing, ...]:
    """Return the todos of which the turn before told and of nothing else; none of which it only
    asked whether it is meant.
    """
    turn = next((one for one in asked.earlier if one.intent not in PASSING), Trace())
    kept = tuple(one for one in turn.about or turn.shown if one.kind in ("todo", "note"))
    is_guess = turn.asks is not None and not turn.undo and len(kept) == 1
    if is_guess or any(one.kind == "note" for one in kept):
        return ()
    return tuple(one for one in kept if not references.is_gone(asked, one))


def write(asked: Asked, route: Route) -> Step:
    """Write a text after the description of the todo that is meant, or into the note that was
    chosen instead.
    """
    if route.things and route.things[0].kind == "note":
        return note_changes.append_note(asked, route)
    found = targets.find_things(asked, route, ("todo",), words=route.get("target"))
    if isinstance(found, Step):
        return found
    if len(found) > 1:
        return targets.ask_which(route, found)
    row = _read(asked, route, found[0])
    if isinstance(row, Step):
        return row
    old, text = row.get("description") or "", route.get("text")
    if done := asked.of("edit_todo"):
        new = done[0].content["todo"]
        undo: Call = ("edit_todo", {"id": new["id"], "description": old})
        trace = Trace(
            about=(Thing("todo", new["id"], new["title"]),),
            undo=(undo,),
            marks=(mark_of("todo", new),),
        )
        return Step(route.phrase("described", title=new["title"], text=text), trace=trace)
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    gap = "\n" if old and not old.endswith("\n") else ""
    zone = list_answers.zone_argument(asked)
    return call_tool("edit_todo", id=row["id"], description=f"{old}{gap}{text}", **zone)


def tell(asked: Asked, route: Route) -> Step:
    """Tell all that the description of a todo says."""
    found = targets.find_things(asked, route, ("todo",), words=route.get("target"))
    if isinstance(found, Step):
        return found
    row = _read(asked, route, found[0])
    if isinstance(row, Step):
        return row
    about = Thing("todo", row["id"], row["title"])
    lines = (row.get("description") or "").strip().split("\n")
    quoted = "\n".join(f"> {one}".rstrip() for one in lines)
    none = route.phrase("no_description", title=about.title)
    text = f"{quoted}\n\n— {about.title}" if any(lines) else none
    return Step(text, trace=Trace(about=(about,), shown=(about,)))


def _read(asked: Asked, route: Route, thing: Thing) -> dict[str, Any] | Step:
    """Return a todo as it was before any change, or the step that reads it."""
    if read := asked.of("get_todo"):
        row: dict[str, Any] = read[0].content["todo"]
        return row
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    return call_tool("get_todo", id=thing.id)


def _route(said: Said, language: Language, things: Sequence[Thing]) -> Route:
    if said.asks:
        return Route(TELL, language, {"target": said.name}, tuple(things))
    return Route(WRITE, language, {"text": said.text, "target": said.name}, tuple(things))


def _tells_note(asked: Asked) -> bool:
    """Return whether the turn before was about a note."""
    last = asked.earlier[0] if asked.earlier else Trace()
    return any(one.kind == "note" for one in last.about)


def _named(
    asked: Asked, before: Asked, said: Sequence[Said], language: Language
) -> Route | Step | None:
    """Return what is done to the todo that a message names, or the question which is meant; None
    where it names none for sure.
    """
    spoken = spoken_of(asked)
    things = [*asking.things(before)]
    ended = {
        row["id"]
        for result in before.of("search_todos")
        for row in result.content["todos"]
        if row.get("completed")
    }
    todos = [one for one in things if one.kind == "todo" and one.id not in ended]
    notes = [one for one in things if one.kind == "note"]
    for one in said:
        found = fitting(one.name, todos)
        kept = tuple(thing for thing in found if thing in spoken)
        found = kept if len(kept) == 1 else found
        named = fitting(one.name, notes)
        if one.how not in OUTRIGHT and found:
            people = [thing for thing in things if thing.kind == "person"]
            if fitting(one.name, people) or _tells_note(asked):
                return None
            lines = _lines_of(before, one.name)
            if isinstance(lines, Step):
                return lines
            if both := dict.fromkeys((*named, *lines)):
                return _ask_which(one, language, (*found, *both))
        if len(found) > 1:
            return targets.ask_which(_route(one, language, ()), found)
        if found:
            return _route(one, language, found)
    for one in (one for one in said if one.how == "described" and not one.asks):
        if fitting(one.name, notes) or resolve_reference.near_rows(one.name, _rows(notes)):
            return None
        route = _route(one, language, ())
        if near := resolve_reference.near_rows(one.name, _rows(todos)):
            return targets.ask_whether(route, one.name, [row["thing"] for row in near])
        return Step(route.phrase("none_fits", words=one.name))
    return None


def _lines_of(before: Asked, name: str) -> tuple[Thing, ...] | Step:
    """Return the notes with a line or a heading of that name, or the step that looks for them."""
    word = max(split_words(name), key=len, default=name)
    call: Call = ("grep_notes", {"pattern": word, "mode": "literal", "limit": LINES})
    made = next((one for one in before.results if (one.tool, one.arguments) == call), None)
    if made is None:
        may = call[0] in before.tools and not before.is_last
        return Step(calls=(call,)) if may else ()
    rows = () if made.failed else made.content.get("results", ())
    return tuple(
        Thing("note", row["noteId"], row["title"])
        for row in rows
        if any(_is_of(name, match["text"]) for match in row["matches"])
    )


def _is_of(name: str, text: str) -> bool:
    """Return whether a line of a note is the heading of that name or tells something of it."""
    labels = [one.label for one in note_lines.read(text) if one.label]
    heads = [*labels, text.lstrip("# ")] if text.startswith("#") else labels
    return bool(resolve_reference.fitting_rows(name, [{"title": one} for one in heads]))


def fitting(name: str, things: Sequence[Thing]) -> tuple[Thing, ...]:
    """Return the things of which a name has whole words; the one of just that name alone."""
    rows = _rows(things)
    found = resolve_reference.fitting_rows(name, rows, strictly=True)
    if not found and questions.is_asian(name):
        found = resolve_reference.short_rows(name, rows)
    return tuple(row["thing"] for row in found)


def _rows(things: Sequence[Thing]) -> list[dict[str, Any]]:
    return [{"title": one.title, "thing": one} for one in things]


def _ask_which(said: Said, language: Language, choices: Sequence[Thing]) -> Step:
    """Return the question whether a text is meant for a todo or for a note of the same name."""
    shown = tuple(choices[: resolve_reference.SHOWN])
    route = _route(said, language, shown)
    lines = [f"{number}. {_plain(route, one)}" for number, one in enumerate(shown, 1)]
    question = Question(WRITE, dict(route.arguments), choices=shown)
    trace = Trace(shown=shown, asks=question)
    return Step("\n".join([route.phrase("which"), *lines]), trace=trace)


def _plain(route: Route, thing: Thing) -> str:
    text = route.get("text")
    if thing.kind == "todo":
        return route.phrase("describe_whether", title=thing.title, text=text)
    link = note_link(thing.id, thing.title)
    return asking.plain_words(route.language, "append_note", text=text, note=link)


def _chosen(asked: Asked, language: Language) -> Route | None:
    """Return what was asked about for the todo or the note, where an answer says only that."""
    asks = asked.earlier[0].asks if asked.earlier else None
    if asks is None or asks.intent != WRITE or asks.lacks or len(asks.choices) < 2:
        return None
    text = fold_text(asked.message).strip(" .!。！")
    for kind, pattern in (
        ("todo", description_words.todo(language)),
        ("note", words_of(language).note),
    ):
        found = [one for one in asks.choices if one.kind == kind]
        rest = pattern.sub(" ", text, count=1)
        if len(found) == 1 and rest != text and _says_nothing(rest):
            return Route(WRITE, language, dict(asks.arguments), tuple(found))
    return None


def _says_nothing(text: str) -> bool:
    words = set(split_words(text))
    return words <= questions.little() if not questions.is_asian(text) else len(text.strip()) < 4
