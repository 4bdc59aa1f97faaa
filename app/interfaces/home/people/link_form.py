"""Making and changing a share link, and saying what it opens."""

from typing import Any

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from app.errors import AppError, NotFound
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.people import permission_form
from app.interfaces.home.people.people_page import show_people
from app.interfaces.home.people.permission_form import Form, Sentence
from app.interfaces.pages.forms import form_of, numbers_of, value_of
from app.interfaces.pages.visit import Visit, as_number

NEW, EDIT = "/people/links/new", "/people/links/{id}/edit"
LIVES = ("1h", "24h", "7d", "30d", "90d", "never")
PAGE, MOST_LOOKED_AT = 50, 500
CALENDAR = {"read": "none", "read_calendar": "free_busy", "read_calendar_write": "free_busy"}


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(NEW, show),
        Route(NEW, make, methods=["POST"]),
        Route(EDIT, show_edit),
        Route(EDIT, change, methods=["POST"]),
    ]


class _Titled(msgspec.Struct):
    title: str


class Names:
    """What links open, in words: of folders and notes by their names."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self._folders: dict[int, str] = {}
        self._notes: dict[int, str] = {}

    async def read(self) -> None:
        """Read the names of the folders."""
        found = (await self._person.call("list_folders")).folders
        self._folders = dict(permission_form.path_names(found))

    async def opened_by(self, link: Any) -> str:
        """Return in a few words what a link opens."""
        words = self._person.words
        if link.scope == "note_only" or link.note_id is not None:
            title = await self.note(link.note_id)
            return words(f"people.opens.{link.target}_of_note", title=title)
        named = permission_form.named(words, link.folder_ids, self._folders)
        return words(f"people.opens.{link.scope}", folders=named)

    def opened_to(self, link: Any) -> str:
        """Return who can open a link."""
        return self._person.words(
            "people.can.signed_in" if link.require_sign_in else "people.can.anybody"
        )

    async def told_of(self, link: Any) -> list[Sentence]:
        """Return in sentences what guests may do by a link."""
        words = self._person.words
        if link.target == "note":
            title = await self.note(link.note_id)
            return [Sentence(words("people.can.read_note", title=title), "yes")]
        told = permission_form.sentences(words, link_fields(link), self._folders)
        if link.note_id is None:
            return told
        where = words("people.can.one_note", title=await self.note(link.note_id))
        kind = "yes" if link.notes_access == "read" else "careful"
        first = Sentence(words(f"people.can.{link.notes_access}", where=where), kind)
        return [first] if link.scope == "note_only" else [first, *told[1:]]

    async def note(self, number: int | None) -> str:
        """Return the title of a note; of one that is gone that it is."""
        if number is None:
            return ""
        if number not in self._notes:
            try:
                found = await self._person.call("get_note_content", id=number)
                self._notes[number] = msgspec.json.decode(found.note, type=_Titled).title
            except NotFound:
                self._notes[number] = self._person.words("people.note_gone")
        return self._notes[number]


def link_fields(link: Any) -> dict[str, Any]:
    """Return the fields of the form as they are filled for a link."""
    return {
        "scope": link.scope,
        "notes": "all" if link.scope == "all" else "folders",
        "folder": set(link.folder_ids),
        "note": link.note_id,
        "target": link.target,
        "access": link.notes_access,
        "calendar": CALENDAR[link.access],
        "calendar_write": link.access == "read_calendar_write",
        "email": link.email.read,
        "todos": link.todos.read,
        "todos_create": link.todos.create,
        "tool": set(link.tools.allowed_tools),
        "label": link.label,
        "sign_in": link.require_sign_in,
        "expires": "keep",
        "policy": "",
    }


def _asked(form: Form) -> dict[str, Any]:
    """Return the fields of the form as they were sent, or as an address names them."""
    note = value_of(form, "note")
    folders = set(numbers_of(form, "folder"))
    scope = value_of(form, "scope") or ("note_only" if note else "folders" if folders else "")
    calendar = value_of(form, "calendar") or "none"
    return {
        "scope": scope,
        "notes": scope,
        "folder": folders,
        "note": as_number(note),
        "target": value_of(form, "target") or ("note" if note else "agent"),
        "access": value_of(form, "access") or "read",
        "calendar": calendar,
        "calendar_write": value_of(form, "calendar_write") == "1",
        "email": value_of(form, "email") == "1",
        "todos": value_of(form, "todos") == "1",
        "todos_create": value_of(form, "todos_create") == "1",
        "tool": {value for name, value in form if name == "tool"},
        "label": value_of(form, "label"),
        "sign_in": value_of(form, "sign_in") != "0",
        "expires": value_of(form, "expires") or "30d",
        "policy": value_of(form, "policy"),
    }


def _terms(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the operation that the form comes to."""
    is_note = fields["scope"] == "note_only"
    access = "read" if fields["calendar"] == "none" else "read_calendar"
    if fields["calendar_write"]:
        access = "read_calendar_write"
    terms = {
        "scope": fields["scope"],
        "target": fields["target"] if is_note else "agent",
        "notesAccess": fields["access"],
        "access": access,
        "email": {"read": fields["email"]},
        "todos": {"read": fields["todos"], "create": fields["todos_create"]},
        "tools": {"allowedTools": sorted(fields["tool"])},
        "label": fields["label"],
        "requireSignIn": fields["sign_in"],
    }
    if fields["scope"] == "folders":
        terms["folderIds"] = sorted(fields["folder"])
    if is_note or (fields["scope"] == "folders" and fields["note"]):
        terms["noteId"] = fields["note"]
    return terms


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show the form for a link; `?note=` or `?folder=` says for what."""
    return await _shown(person, _asked(list(visit.query_params.multi_items())))


@for_person
async def make(visit: Visit, person: Person) -> Response:
    """Make a link, and show its address."""
    fields = _asked(await form_of(visit))
    more = {"linkPolicy": fields["policy"]} if fields["policy"].strip() else {}
    try:
        made = await person.call(
            "create_share_link", **_terms(fields), **more, expiresIn=fields["expires"]
        )
    except AppError as error:
        return await _shown(person, fields, refused=error)
    did = "link_made_unenforced" if made.policy_enforced is False else "link_opened"
    return see(f"/people/links/{made.share_link.id}", did=did, what=made.share_link.label)


@for_person
async def show_edit(visit: Visit, person: Person) -> Response:
    """Show the form of a link that there is."""
    link = (await person.call("read_share_link", linkId=visit.path_params["id"][:64])).share_link
    return await _shown(person, link_fields(link), link=link)


@for_person
async def change(visit: Visit, person: Person) -> Response:
    """Change what a link opens."""
    fields = _asked(await form_of(visit))
    link = (await person.call("read_share_link", linkId=visit.path_params["id"][:64])).share_link
    life = {"expiresIn": fields["expires"]} if fields["expires"] in LIVES else {}
    try:
        await person.call("change_share_link", linkId=str(link.id), **_terms(fields), **life)
    except AppError as error:
        return await _shown(person, fields, link=link, refused=error)
    return see(f"/people/links/{link.id}", did="link_changed")


async def _shown(
    person: Person, fields: dict[str, Any], *, link: Any = None, refused: AppError | None = None
) -> Response:
    names = Names(person)
    offered = await permission_form.offered(person)
    others = await _links_of_note(person, fields["note"]) if fields["note"] and not link else []
    return await show_people(
        person,
        "link_form",
        fields=fields,
        link=link,
        title=await names.note(fields["note"]),
        others=[(each, names.opened_to(each)) for each in others],
        name=person.words("people.guests"),
        lives=LIVES,
        refused=refused,
        **offered,
    )


async def _links_of_note(person: Person, note_id: int) -> list[Any]:
    """Return the open links to a note, among the newest that there are."""
    found: list[Any] = []
    for offset in range(0, MOST_LOOKED_AT, PAGE):
        links = await person.call("list_share_links", status="active", limit=PAGE, offset=offset)
        found += [link for link in links.links if link.note_id == note_id]
        if offset + PAGE >= links.total:
            break
    return found
