"""What is done with several notes at once: move, tag, pin, delete, and all of it taken back."""

import functools
from urllib.parse import urlencode

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.back import back_of
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.many import MOST, Acts, Group, selected_in, tell
from app.interfaces.home.notes.desk import chosen_folder, tags_of, tree_of
from app.interfaces.home.notes.edit_page import split_tags
from app.interfaces.pages.forms import form_of, value_of, values_of
from app.interfaces.pages.visit import Visit, as_number


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route("/notes/many", act, methods=["POST"]),
        ACTS.undo_route(),
        Route("/notes/tags/rename", ask_tag),
        Route("/notes/tags/rename", rename_tag, methods=["POST"]),
    ]


@for_person
async def act(visit: Visit, person: Person) -> Response:
    """Do to the notes selected what the button says, or ask first where to, or which tags."""
    form = await form_of(visit)
    ids, wanted = selected_in(form, "note", person), value_of(form, "do")
    back = back_of(visit, form, "/notes")
    if wanted in ("ask-move", "ask-tags"):
        return await _ask(person, ids, wanted.removeprefix("ask-"), back)
    value = await _value(person, form, wanted)
    outcome = await ACTS.do(person, wanted, dict.fromkeys(ids, value))
    where = (await tree_of(person)).path(as_number(value)) if wanted == "move" else ""
    told = person.words(
        f"many.did_{wanted}", n=outcome.done, where=where or person.words("notes.no_folder_name")
    )
    if wanted == "trash" and back.partition("?")[0] in {f"/notes/{id_}" for id_ in ids}:
        back = "/notes"
    return tell(person, back, outcome, told)


@for_person
async def ask_tag(visit: Visit, person: Person) -> Response:
    """Ask for a tag's new name."""
    tag = visit.query_params.get("tag", "")[:65]
    back = f"/notes?{urlencode({'tag': tag})}"
    return await person.show(
        "notes_many", place="notes", what="rename", tag=tag, back=back, ids=[], titles=[], tags=[]
    )


@for_person
async def rename_tag(visit: Visit, person: Person) -> Response:
    """Give a tag another name, in the first hundred notes that have it."""
    form = await form_of(visit)
    tag, to = value_of(form, "tag"), split_tags(value_of(form, "to"))
    if not tag or len(to) != 1 or to[0] == tag:
        return see(f"/notes?{urlencode({'tag': tag})}")
    found = await person.call("list_notes", tag=tag, recursive=True, limit=MOST)
    signed = f"-{tag},+{to[0]}"
    outcome = await ACTS.do(person, "tags", dict.fromkeys((n.id for n in found.notes), signed))
    told = person.words("many.did_tags", n=outcome.done)
    if left := found.total_notes - len(found.notes):
        told += " " + person.words("many.left", n=left)
    # while notes have the old name, the list of these shows what is left
    back = f"/notes?{urlencode({'tag': tag if left else to[0]})}"
    return tell(person, back, outcome, told)


async def _ask(person: Person, ids: list[int], what: str, back: str) -> Response:
    """Ask where the notes are to go, or which tags they are to have."""
    notes = [await person.call("read_note_text", id=id_) for id_ in ids]
    return await person.show(
        "notes_many",
        place="notes",
        what=what,
        ids=ids,
        back=back,
        titles=[note.title for note in notes],
        tags=sorted({tag for note in notes for tag in tags_of(note.tags)}),
        places=(await tree_of(person)).places() if what == "move" else [],
    )


async def _value(person: Person, form: list[tuple[str, str]], wanted: str) -> str:
    """Return what a form gives the notes: a folder, or tags with a sign before each."""
    if wanted == "tags":
        added = [f"+{tag}" for tag in split_tags(value_of(form, "tags"))]
        return ",".join([*added, *(f"-{tag}" for tag in values_of(form, "without"))])
    return await chosen_folder(person, form) if wanted == "move" else ""


async def _move(person: Person, id_: int, folder: str) -> list[Group]:
    before = (await person.call("read_note_text", id=id_)).folder_id
    await person.call("move_note", id=id_, folderId=as_number(folder))
    return [(str(before or ""), id_)]


async def _change_tags(person: Person, id_: int, signed: str) -> list[Group]:
    """Add each tag with a plus before it, and take away each with a minus."""
    note = await person.call("read_note_text", id=id_)
    tags, undone = tags_of(note.tags), list[str]()
    for sign, tag in ((each[0], each[1:]) for each in signed.split(",") if each):
        if sign == "+" and tag not in tags:
            tags.append(tag)
            undone.append(f"-{tag}")
        elif sign == "-" and tag in tags:
            tags.remove(tag)
            undone.append(f"+{tag}")
    if undone:
        await person.call("change_note", id=id_, tags=tags, ifRevision=note.revision)
    return [(",".join(undone), id_)] if undone else []


async def _pin(person: Person, id_: int, _: str, *, pinned: bool = True) -> list[Group]:
    before = (await person.call("read_note_text", id=id_)).pinned
    await person.call("pin_note", id=id_, pinned=pinned)
    return [("", id_)] if before != pinned else []


async def _title(person: Person, id_: int) -> str:
    return str((await person.call("read_note_text", id=id_)).title)


ACTS = Acts(
    "note",
    _title,
    {
        "move": (_move, "move"),
        "tags": (_change_tags, "tags"),
        "pin": (_pin, "unpin"),
        "unpin": (functools.partial(_pin, pinned=False), "pin"),
    },
)
