"""The trash: what lies there comes back, or goes for good."""

from starlette.responses import Response
from starlette.routing import Route

from app.errors import NotFound
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.notes.note_page import PARTS, actor_name
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit

PAGE = 50
KINDS = ("note", "todo", "folder")


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route("/trash", show),
        Route("/trash/empty", empty, methods=["POST"]),
        Route("/trash/{kind}/{id}/restore", restore, methods=["POST"]),
        Route("/trash/{kind}/{id}/delete", delete, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show what lies in the trash."""
    kind = visit.query_params.get("kind", "")
    page = max(1, visit.number_asked("page"))
    fields = {"kind": kind} if kind in KINDS else {}
    found = await person.call("list_trash", limit=PAGE, offset=(page - 1) * PAGE, **fields)
    return await person.show(
        "trash",
        place="notes",
        parts=PARTS,
        items=[(item, actor_name(person, item.trashed_by)) for item in found.items],
        total=found.total,
        kind=kind if kind in KINDS else "",
        kinds=KINDS,
        page=page,
        pages=-(-found.total // PAGE),
    )


@for_person
async def restore(visit: Visit, person: Person) -> Response:
    """Bring a thing back; from the trash one stays there."""
    form = await form_of(visit)
    kind, id_ = _thing(visit)
    await person.call("restore_from_trash", kind=kind, id=id_)
    address = {"note": f"/notes/{id_}", "folder": f"/notes/folder/{id_}", "todo": "/todos"}[kind]
    if value_of(form, "from") == "trash":
        address = "/trash"
    return see(address, did="restored", what=value_of(form, "title"))


@for_person
async def delete(visit: Visit, person: Person) -> Response:
    """Delete a thing for good."""
    form = await form_of(visit)
    kind, id_ = _thing(visit)
    await person.call("purge_from_trash", kind=kind, id=id_)
    return see("/trash", did="deleted", what=value_of(form, "title"))


@for_person
async def empty(visit: Visit, person: Person) -> Response:
    """Delete all that lies in the trash for good, or all of a kind."""
    kind = value_of(await form_of(visit), "kind")
    await person.call("empty_trash", **({"kind": kind} if kind in KINDS else {}))
    return see("/trash", did="emptied")


def _thing(visit: Visit) -> tuple[str, int]:
    kind = visit.path_params["kind"]
    if kind not in KINDS:
        raise NotFound("There is nothing at this path.")
    return kind, visit.number_in_path()
