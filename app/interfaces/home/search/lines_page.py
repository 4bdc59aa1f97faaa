"""Lines by a pattern, with what stands around them, and replacing with a preview."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.errors import Invalid
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.marked_text import Piece, marked_pieces
from app.interfaces.pages.forms import form_of, value_of, values_of
from app.interfaces.pages.visit import Visit, as_number

LINES = "/search/lines"
MOST = 100
MOST_LINES = 50
LONGEST = 400
"""Characters of a line that are shown around its match."""


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(LINES, show),
        Route("/search/replace", replace, methods=["POST"]),
        Route("/search/replace/{id}/undo", undo, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show the lines that a pattern finds; with a replacement, what it would change."""
    query = visit.query_params
    asked = {
        "pattern": query.get("pattern", ""),
        "replacement": query.get("replacement", ""),
        "replacing": query.get("replacing") == "1",
        "regex": query.get("regex") == "1",
        "case": query.get("case") == "1",
        "history": query.get("history") == "1",
        "folder": query.get("folder", ""),
    }
    told: dict[str, Any] = {"asked": asked, "trouble": "", "found": None, "change": None}
    if asked["pattern"]:
        try:
            told |= await _answers(person, asked)
        except Invalid as error:
            told["trouble"] = error.message
    return await person.show(
        "search/lines",
        place="search",
        parts=["search"],
        status=400 if told["trouble"] else 200,
        folders=(await person.call("list_folders")).folders,
        shortened=_shortened,
        **told,
    )


async def _answers(person: Person, asked: dict[str, Any]) -> dict[str, Any]:
    fields = _fields(asked)
    if asked["replacing"]:
        change = await person.call(
            "replace_in_notes", **fields, replacement=asked["replacement"], limit=MOST
        )
        return {"change": change}
    found = await person.call(
        "grep_notes",
        **fields,
        contextBefore=1,
        contextAfter=1,
        limit=MOST_LINES,
        history=asked["history"],
    )
    return {"found": found}


def _fields(asked: dict[str, Any]) -> dict[str, Any]:
    number = as_number(str(asked["folder"]))
    folder = {"folderId": number} if number else {}
    return {
        "pattern": asked["pattern"],
        "mode": "regex" if asked["regex"] else "literal",
        "caseSensitive": asked["case"],
        **folder,
    }


def _shortened(match: Any) -> list[Piece]:
    """Return a matching line in pieces; a very long one is cut around its match."""
    text, start = match.text, match.column - 1
    first = max(0, start - LONGEST // 2)
    cut = text[first : start + len(match.match) + LONGEST]
    marks = [(start - first, start - first + len(match.match))]
    pieces = marked_pieces(cut, marks)
    before = [Piece("…", False)] if first else []
    after = [Piece("…", False)] if first + len(cut) < len(text) else []
    return [*before, *pieces, *after]


@for_person
async def replace(visit: Visit, person: Person) -> Response:
    """Replace in the notes that were ticked, where they are still as the preview showed them."""
    form = await form_of(visit)
    asked = {
        "pattern": value_of(form, "pattern"),
        "replacement": value_of(form, "replacement"),
        "regex": value_of(form, "regex") == "1",
        "case": value_of(form, "case") == "1",
        "folder": value_of(form, "folder"),
    }
    sent = [value.split(":", 1) for value in values_of(form, "note") if ":" in value]
    if not sent:
        raise Invalid(person.words("search.none_ticked"), field="note")
    done = await person.call(
        "replace_in_notes",
        **_fields(asked),
        replacement=asked["replacement"],
        revisions={each: number for each, at in sent if (number := as_number(at)) is not None},
        preview=False,
    )
    return see(
        LINES,
        did="replaced",
        what=str(done.summary.replacements),
        undo=f"/search/replace/{done.undo}/undo" if done.undo else "",
    )


@for_person
async def undo(visit: Visit, person: Person) -> Response:
    """Take a replacement back."""
    number = visit.number_in_path()
    back = await person.call("undo_replace", undoId=number)
    return see(LINES, did="replace_undone", what=str(len(back.restored)))
