"""The versions of a note: side by side with what it is now, named, and brought back."""

from typing import Any, NamedTuple

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.notes.note_page import PARTS, WRITERS, actor_name
from app.interfaces.home.notes.side_by_side import MOST_ROWS, side_by_side
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit

PAGE = 30


class Version(NamedTuple):
    """A version in the list; `name` is what somebody called it, `by` who changed it then."""

    seq: int
    name: str
    until: str
    by: str


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route("/notes/{id}/history", show),
        Route("/notes/{id}/history", keep, methods=["POST"]),
        Route("/notes/{id}/history/{seq}", show),
        Route("/notes/{id}/history/{seq}/restore", restore, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show the versions of a note, and how one differs from what the note is now."""
    note = await person.call("read_note_text", id=visit.number_in_path())
    page = max(1, visit.number_asked("page"))
    found = await person.call(
        "list_snapshots", noteId=note.id, limit=PAGE, offset=(page - 1) * PAGE
    )
    seq = (
        visit.number_in_path("seq")
        if "seq" in visit.path_params
        else found.snapshots[0].seq
        if found.snapshots
        else 0
    )
    step = visit.query_params.get("step", "")
    return await person.show(
        "note_history",
        place="notes",
        parts=PARTS,
        note=note,
        writes=note.role in WRITERS,
        versions=[_version(person, one) for one in found.snapshots],
        seq=seq,
        page=page,
        pages=-(-found.total // PAGE),
        step=bool(step),
        most=MOST_ROWS,
        **await _compared(person, note, seq, step=bool(step)),
    )


@for_person
async def keep(visit: Visit, person: Person) -> Response:
    """Keep the note as it is now, under a name."""
    name = value_of(await form_of(visit), "label").strip()
    note = visit.number_in_path()
    saved = await person.call("save_snapshot", noteId=note, **({"label": name} if name else {}))
    return see(f"/notes/{note}/history/{saved.snapshot.seq}", did="version_kept", what=name)


@for_person
async def restore(visit: Visit, person: Person) -> Response:
    """Give a note back the text of a version."""
    note, seq = visit.number_in_path(), visit.number_in_path("seq")
    done = await person.call("restore_snapshot", noteId=note, seq=seq)
    undo = f"/notes/{note}/history/{done.safety_seq}/restore" if done.safety_seq else ""
    return see(f"/notes/{note}", did="version_restored", what=done.note.title, undo=undo)


async def _compared(person: Person, note: Any, seq: int, *, step: bool) -> dict[str, Any]:
    """Return what a version and the present one differ in; with `step` the one after it."""
    if not seq:
        return {"lines": [], "added": 0, "removed": 0, "version": None}
    found = (await person.call("read_snapshot", noteId=note.id, seq=seq)).snapshot
    to = "current"
    if step and seq < await _newest(person, note.id):
        to = str(await _next(person, note.id, seq))
    diff = await person.call("diff_snapshots", noteId=note.id, to=to, **{"from": str(seq)})
    return {
        "lines": side_by_side(diff.diff),
        "added": diff.added,
        "removed": diff.removed,
        "version": _version(person, found),
        "version_title": found.title,
    }


async def _newest(person: Person, note_id: int) -> int:
    found = (await person.call("list_snapshots", noteId=note_id, limit=1)).snapshots
    return int(found[0].seq) if found else 0


async def _next(person: Person, note_id: int, seq: int) -> int:
    """Return the number of the version after one; some between may have been dropped."""
    offset = 0
    after = seq
    while found := (
        await person.call("list_snapshots", noteId=note_id, limit=200, offset=offset)
    ).snapshots:
        for one in found:
            if one.seq <= seq:
                return after
            after = one.seq
        offset += 200
    return after


def _version(person: Person, one: Any) -> Version:
    automatic = (one.label or "").startswith("auto:")
    name = "" if automatic else one.label or ""
    return Version(one.seq, name, one.created_at, actor_name(person, one.author))
