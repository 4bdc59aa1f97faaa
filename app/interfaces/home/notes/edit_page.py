"""Writing a note: the page with the editor, and what its scripts ask while somebody types."""

import asyncio
import unicodedata
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from app.core.markdown import convert, front_matter
from app.core.random_tokens import new_uuid
from app.core.schema import TITLE_MOST
from app.errors import Forbidden, IdempotencyConflict, RevisionConflict
from app.interfaces.home.home_page import Person, for_person, for_script, see
from app.interfaces.home.notes import parts
from app.interfaces.home.notes.desk import tags_of, tree_of, used_tags
from app.interfaces.home.notes.home_leads import HomeLeads
from app.interfaces.home.notes.note_page import PARTS, WRITERS
from app.interfaces.pages.forms import form_of, number_of, value_of
from app.interfaces.pages.pages import json_response
from app.interfaces.pages.visit import Visit, as_number
from app.interfaces.reading.reading import read

LARGEST_FORM = 32 << 20
"""Bytes: 10 MiB of text as a form sends it, where each letter may take three times its bytes."""
LARGEST_TEXT = 12 << 20
LARGEST_FILE = 20 << 20


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route("/notes/new", show_new),
        Route("/notes/new", create, methods=["POST"]),
        Route("/notes/preview", preview, methods=["POST"]),
        Route("/notes/markdown", to_markdown, methods=["POST"]),
        Route("/notes/files", upload, methods=["POST"]),
        Route("/notes/{id}/edit", show),
        Route("/notes/{id}/edit", save_form, methods=["POST"]),
        Route("/notes/{id}/save", save, methods=["POST"]),
        Route("/notes/{id}/text", text),
    ]


@for_person
async def show_new(visit: Visit, person: Person) -> Response:
    """Show the page on which a note is begun."""
    tree = await tree_of(person)
    folder = visit.number_asked("folder")
    place = folder if folder in tree.by_id else None
    title = visit.query_params.get("title", "")[:TITLE_MOST]
    return await _editor(person, note=None, title=title, folder=place, tree=tree)


@for_person
async def create(visit: Visit, person: Person) -> Response:
    """Make a note of a form."""
    form = await form_of(visit, LARGEST_FORM)
    folder = as_number(value_of(form, "folder"))
    fields: dict[str, Any] = {"folderId": folder} if folder else {}
    content = _lines(value_of(form, "content"))
    untitled = person.words("notes.untitled")
    fields |= {
        "title": title_of(value_of(form, "title"), content, untitled),
        "content": content,
        "tags": split_tags(value_of(form, "tags")),
    }
    once = value_of(form, "once")[:64] or new_uuid()
    try:
        made = await visit.parts.call(person.caller, "create_note", fields, once=once)
    except IdempotencyConflict:
        # another text under the same key: somebody went back, and wrote on
        made = await person.call("create_note", **fields)
    # the same form again is answered by what was kept of the first time
    if hasattr(made, "note"):
        number = made.note.id
    else:
        found = msgspec.json.decode(made.body)
        number = (found.get("result") or found)["note"]["id"]
    return see(f"/notes/{number}", did="note_saved", what=fields["title"])


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show a note in the editor; of a long one the part that is asked for."""
    note = await person.call("read_note_text", id=visit.number_in_path())
    if note.role not in WRITERS:
        raise Forbidden(person.words("notes.read_only"), role=note.role)
    part = parts.part_of(note.markdown, visit.number_asked("part", 1))
    return await _editor(
        person,
        note=note,
        title=note.title,
        content=part.of_text(note.markdown),
        tags=tags_of(note.tags),
        folder=note.folder_id,
        part=part,
        tree=await tree_of(person),
    )


@for_person
async def save_form(visit: Visit, person: Person) -> Response:
    """Save a form without scripts; where the note has changed meanwhile, show both."""
    form = await form_of(visit, LARGEST_FORM)
    note = await person.call("read_note_text", id=visit.number_in_path())
    part = parts.part_of(note.markdown, as_number(value_of(form, "part")) or 1)
    content = _lines(value_of(form, "content"))
    untitled = person.words("notes.untitled")
    title = title_of(value_of(form, "title"), content, untitled)
    tags = split_tags(value_of(form, "tags"))
    try:
        await person.call(
            "autosave_note",
            id=note.id,
            ifRevision=number_of(form, "revision"),
            content=_ended_as(content, note.markdown),
            start=part.start,
            end=part.end,
            keep=True,
            title=title,
            tags=tags,
        )
    except RevisionConflict:
        return await _editor(
            person,
            note=note,
            title=title,
            content=content,
            tags=tags,
            folder=note.folder_id,
            part=part,
            tree=await tree_of(person),
            theirs=part.of_text(note.markdown),
            status=409,
        )
    was = f"?{urlencode({'was': note.title})}" if title != note.title else ""
    return see(f"/notes/{note.id}{was}", did="note_saved", what=title)


@for_script
async def save(visit: Visit, person: Person) -> Response:
    """Save what a script sends: `{title, tags, content, revision, start, end, base, keep}`."""
    sent = await visit.fields(LARGEST_TEXT * 2)
    names = {"title", "tags", "content", "start", "end", "base", "keep", "ifRevision"}
    fields = {name: value for name, value in sent.items() if name in names}
    saved = await person.call("autosave_note", id=visit.number_in_path(), **fields)
    return json_response(saved)


@for_script
async def text(visit: Visit, person: Person) -> Response:
    """Give a note as it is now, for a script that merges it with what was typed; to one that only
    looks whether it has changed, its revision.
    """
    note = await person.call("read_note_text", id=visit.number_in_path())
    only = visit.query_params.get("only") == "revision"
    return json_response({"revision": note.revision} if only else note)


@for_script
async def preview(visit: Visit, person: Person) -> Response:
    """Show a text as it will be read."""
    sent = (await visit.body_of(LARGEST_TEXT)).decode("utf-8", "replace")
    start = front_matter.body_start(sent)
    first_line = sent.count("\n", 0, start)
    reading = await read(sent[start:], HomeLeads(), first_line=first_line, may_tick=True)
    return await person.piece("notes_preview", html=reading.html)


@for_script
async def to_markdown(visit: Visit, person: Person) -> Response:
    """Give the Markdown of HTML that was pasted."""
    sent = (await visit.body_of(LARGEST_TEXT)).decode("utf-8", "replace")
    made = await asyncio.to_thread(convert.to_markdown, sent)
    return json_response({"markdown": made})


@for_script
async def upload(visit: Visit, person: Person) -> Response:
    """Keep a file that was pasted or dropped, and say how a note shows it."""
    kept = await person.call(
        "upload_attachment",
        content=await visit.body_of(LARGEST_FILE),
        contentType=visit.headers.get("content-type", ""),
        name=visit.query_params.get("name", "") or "file",
    )
    return json_response(kept, status=201)


def split_tags(written: str) -> list[str]:
    """Return the tags of a line in which commas part them."""
    return [tag for part in written.split(",") if (tag := part.strip().lstrip("#").strip())]


def title_of(written: str, content: str, untitled: str) -> str:
    """Return a title: what was written, else the first line of the text that says something, else
    a word for none; `titleOf` of autosave.js makes the same.
    """
    lines = (_plain(line).strip("#>*-_` ") for line in content.split("\n"))
    said = _plain(written) or next(filter(None, lines), "") or untitled
    return said[:TITLE_MOST].rstrip()


def _plain(line: str) -> str:
    """Return a line with one space for each run of blanks and control characters; empty where no
    letter, digit or sign is in it.
    """
    kinds = [unicodedata.category(mark) for mark in line]
    if not any(kind[0] in "LNPS" for kind in kinds):
        return ""
    marks = zip(line, kinds, strict=True)
    return " ".join("".join(" " if kind == "Cc" else mark for mark, kind in marks).split())


def _lines(sent: str) -> str:
    """Return a text of a form with plain line ends; browsers send others."""
    return sent.replace("\r\n", "\n")


def _ended_as(content: str, stored: str) -> str:
    """Return a text with the line ends of what is stored."""
    return content.replace("\n", "\r\n") if "\r\n" in stored else content


async def _editor(
    person: Person,
    *,
    note: Any,
    title: str,
    tree: Any,
    content: str = "",
    tags: list[str] | None = None,
    folder: int | None = None,
    part: parts.Part | None = None,
    theirs: str | None = None,
    status: int = 200,
) -> Response:
    state = {
        "id": note.id if note else None,
        "revision": note.revision if note else 0,
        "folder": folder,
        "start": part.start if part else 0,
        "end": part.end if part else 0,
        "part": part.number if part and part.of > 1 else 0,
        "crlf": bool(note and "\r\n" in note.markdown),
        "person": person.caller.username,
        "untitled": person.words("notes.untitled"),
        "titleMost": TITLE_MOST,
        "changed": note.updated_at if note else "",
    }
    return await person.show(
        "note_edit",
        place="notes",
        parts=PARTS,
        status=status,
        note=note,
        title=title,
        title_most=TITLE_MOST,
        content=content,
        tags=tags or [],
        folder=folder,
        folder_name=tree.by_id[folder].name if folder in tree.by_id else "",
        places=tree.places(),
        part=part,
        theirs=theirs,
        state=state,
        known_tags=await used_tags(person),
        once=new_uuid(),
    )
