"""A note as it is read: its text, what leads to it, its boxes to tick."""

import re
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from app.core.markdown import front_matter
from app.core.schema import TITLE_MOST
from app.errors import Invalid, RevisionConflict
from app.interfaces.home.excerpts import excerpt
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.notes import parts
from app.interfaces.home.notes.desk import desk, listing_of, tags_of, tree_of
from app.interfaces.home.notes.home_leads import HomeLeads, leads_of
from app.interfaces.home.notes.note_fields import fields_of
from app.interfaces.pages.forms import form_of, number_of, value_of
from app.interfaces.pages.pages import json_response
from app.interfaces.pages.visit import Visit
from app.interfaces.reading.reading import read
from app.interfaces.reading.reading_html import Reading

PARTS = ["notes"]
WRITERS = ("owner", "admin", "editor", "writer")
KEEPERS = ("owner", "admin")
MOST_LINKS = 1000
SHOWN_LINKS = 40
_BOX = re.compile(r"(\[)([ xX])(\](?=\s|$))")
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+$")


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route("/notes/{id}", show),
        Route("/notes/{id}/print", show_print),
        Route("/notes/{id}/file", give_file),
        Route("/notes/{id}/related", show_related),
        Route("/notes/{id}/tick", tick, methods=["POST"]),
        Route("/notes/{id}/links", follow, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show a note, with the list that it was opened from."""
    note = await person.call("read_note_text", id=visit.number_in_path())
    place = "root" if note.folder_id is None else str(note.folder_id)
    listing = listing_of(visit, place)
    tree = await tree_of(person)
    part = parts.part_of(note.markdown, visit.number_asked("part", 1))
    links = await person.call("get_note_links", id=note.id, limit=MOST_LINKS)
    was = visit.query_params.get("was", "").strip()[:TITLE_MOST]
    return await person.show(
        "note",
        place="notes",
        parts=PARTS,
        note=note,
        note_tags=tags_of(note.tags),
        part=part,
        reading=await _reading(person, note, part, links),
        fields=fields_of(note.markdown) if part.number == 1 else [],
        above=note.markdown.count("\n", part.start, front_matter.body_start(note.markdown)),
        writes=note.role in WRITERS,
        keeps=note.role in KEEPERS,
        links=links,
        plain=excerpt,
        shown_links=SHOWN_LINKS,
        way=[(id_, tree.by_id[id_].name) for id_ in tree.way(note.folder_id)],
        was=was,
        linking=await _linking(person, note, was),
        changed_by=await _changed_by(person, note),
        **await desk(person, listing, tree),
    )


@for_person
async def give_file(visit: Visit, person: Person) -> Response:
    """Give a note as a file of Markdown."""
    note = await person.call("read_note_text", id=visit.number_in_path())
    name = quote(re.sub(r'[/\\:*?"<>|\x00-\x1f]', "_", note.title)[:120], safe="")
    return Response(
        note.markdown,
        headers={
            "Content-Disposition": f"attachment; filename=\"note.md\"; filename*=UTF-8''{name}.md",
            "Cache-Control": "no-store",
        },
        media_type="text/markdown",
    )


@for_person
async def show_print(visit: Visit, person: Person) -> Response:
    """Show a note alone, as it goes on paper."""
    note = await person.call("read_note_text", id=visit.number_in_path())
    text = note.markdown[front_matter.body_start(note.markdown) :]
    reading = await read(text, HomeLeads(), title=note.title)
    return await person.show("note_print", note=note, html=reading.html)


@for_person
async def show_related(visit: Visit, person: Person) -> Response:
    """Show the notes that are about the same; a script puts them under the note."""
    note = visit.number_in_path()
    found = await person.call("related_notes", id=note, limit=6)
    if "piece" in visit.query_params:
        return await person.piece("notes_related", found=found.results, plain=excerpt)
    return await person.show(
        "related", place="notes", note_id=note, found=found.results, plain=excerpt
    )


@for_person
async def tick(visit: Visit, person: Person) -> Response:
    """Tick a box of a note, or take the tick away.

    The line is found by its number where the note is as it was shown.
    """
    form = await form_of(visit)
    note = await person.call("read_note_text", id=visit.number_in_path())
    if number_of(form, "revision") != note.revision:
        raise RevisionConflict(person.words("notes.changed_meanwhile"), revision=note.revision)
    text = toggle_box(note.markdown, number_of(form, "line"))
    saved = await person.call("autosave_note", id=note.id, content=text, ifRevision=note.revision)
    if "application/json" in visit.headers.get("accept", ""):
        return json_response({"revision": saved.revision})
    return see(f"/notes/{note.id}")


@for_person
async def follow(visit: Visit, person: Person) -> Response:
    """Let the links that name a note by the title it had lead to it by the one it has."""
    note = visit.number_in_path()
    was = value_of(await form_of(visit), "was")
    await person.call("rewrite_links", id=note, **{"from": was})
    return see(f"/notes/{note}", did="links_rewritten")


def toggle_box(text: str, line: int) -> str:
    """Return a text with the box in a line ticked, or not any more; raise Invalid without one."""
    lines = text.split("\n")
    found = _BOX.search(lines[line]) if 0 <= line < len(lines) else None
    if found is None or not _ITEM.match(lines[line][: found.start()]):
        raise Invalid("There is no box in that line.", field="line")
    mark = "x" if found[2] == " " else " "
    lines[line] = lines[line][: found.start(2)] + mark + lines[line][found.end(2) :]
    return "\n".join(lines)


async def _reading(person: Person, note: Any, part: parts.Part, links: Any) -> Reading:
    start = max(part.start, front_matter.body_start(note.markdown))
    text = note.markdown[start : part.end]
    return await read(
        text,
        await leads_of(person, note, text, links),
        title=note.title,
        first_line=note.markdown.count("\n", 0, start),
        may_tick=note.role in WRITERS,
    )


async def _linking(person: Person, note: Any, was: str) -> int:
    """Return how many notes still link by the title that a note had, if it was just renamed."""
    if not was or was == note.title or note.role not in WRITERS:
        return 0
    return int((await person.call("count_linking", id=note.id, title=was)).notes)


async def _changed_by(person: Person, note: Any) -> str:
    """Return who changed a note last; empty where that was the reader, or nobody did."""
    newest = (await person.call("list_snapshots", noteId=note.id, limit=1)).snapshots
    if not newest:
        return ""
    return actor_name(person, newest[0].author)


def actor_name(person: Person, raw: Any) -> str:
    """Return the name of who did something; empty for the reader."""
    actor = msgspec.json.decode(raw)
    own = actor["kind"] == "user" and actor["name"] == person.caller.username
    return "" if own else str(actor["name"] or actor["kind"])
