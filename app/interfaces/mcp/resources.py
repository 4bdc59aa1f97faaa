"""Notes and folders as resources: `hearth://notes/12`, `hearth://folders/3`, `hearth://folders/root`.

A note's text is its Markdown, a folder's the list of what lies in it.
"""

import json
import re
from typing import Any
from urllib.parse import unquote

import mcp_types as types
import msgspec

from app.core.schema import TITLE_MOST, encode
from app.errors import AppError, NotFound
from app.interfaces.mcp.asked import Asked, Context, asked, page_start, refusal, shown

SCHEME = "hearth://"
NOTES, FOLDERS, TITLES = SCHEME + "notes/", SCHEME + "folders/", SCHEME + "titles/"
ROOT = FOLDERS + "root"
MARKDOWN, JSON = "text/markdown", "application/json"
PAGE = 100
MOST_COMPLETED = 20
MOST_WORDS = 10
_WORD = re.compile(r"\w+")
TEMPLATES = [
    types.ResourceTemplate(
        uri_template=NOTES + "{noteId}",
        name="note",
        title="A note by its id",
        description="The Markdown of one note.",
        mime_type=MARKDOWN,
    ),
    types.ResourceTemplate(
        uri_template=TITLES + "{title}",
        name="note-by-title",
        title="A note by its title",
        description="The Markdown of the one note with that title.",
        mime_type=MARKDOWN,
    ),
    types.ResourceTemplate(
        uri_template=FOLDERS + "{folderId}",
        name="folder",
        title="A folder by its id",
        description="The folders and notes that lie in a folder; `root` is the top.",
        mime_type=JSON,
    ),
]


class _Noted(msgspec.Struct):
    revision: int


class _Whole(msgspec.Struct):
    note: _Noted


async def list_resources(
    ctx: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    """List the folders, then the notes, the last changed first."""
    who = asked(ctx)
    if not who.may("list_notes"):
        return types.ListResourcesResult(resources=[])
    start = page_start(params.cursor if params else None)
    found: list[types.Resource] = []
    if start == 0:
        folders = (await who.use("list_folders"))["folders"]
        found = [_root(), *(_of_folder(one) for one in folders)]
    page = await who.use("list_notes", recursive=True, limit=PAGE, offset=start)
    found += [_of_note(one) for one in page["notes"]]
    end = start + len(page["notes"])
    more = str(end) if page["notes"] and end < page["totalNotes"] else None
    return types.ListResourcesResult(resources=found, next_cursor=more)


async def list_templates(
    _: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    """List the forms of addresses."""
    return types.ListResourceTemplatesResult(resource_templates=TEMPLATES)


async def read_resource(
    ctx: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    """Return the text behind an address, read through the gate as a tool reads it."""
    uri = str(params.uri)
    try:
        kind, text = await read(asked(ctx), uri)
    except AppError as error:
        raise refusal(ctx, error, uri=uri) from None
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type=kind, text=text)]
    )


async def read(who: Asked, uri: str) -> tuple[str, str]:
    """Return kind and text of a resource; raise NotFound."""
    if (number := _number(uri, NOTES)) is not None:
        return MARKDOWN, str((await who.note(number))["markdown"])
    if uri.startswith(TITLES):
        number = await _titled(who, unquote(uri.removeprefix(TITLES)))
        return MARKDOWN, str((await who.note(number))["markdown"])
    if uri == ROOT or _number(uri, FOLDERS) is not None:
        return JSON, json.dumps(await _folder(who, uri), ensure_ascii=False)
    raise NotFound("There is no such resource; resources/templates/list names the forms.")


async def fingerprint(who: Asked, uri: str) -> object:
    """Return what is another value when a resource has changed; raise NotFound.

    Read beside the gate: nothing of it is shown.
    """
    if (number := _number(uri, NOTES)) is not None:
        answer = await who.call("get_note_content", id=number)
        return msgspec.json.decode(encode(answer), type=_Whole).note.revision
    if uri.startswith(TITLES):
        return await _titled(who, unquote(uri.removeprefix(TITLES)))
    folder = _number(uri, FOLDERS)
    if uri != ROOT and folder is None:
        raise NotFound("There is no such resource.")
    inside = await who.call("list_folders", parentId="root" if folder is None else folder)
    notes = await who.call(
        "list_notes", limit=200, **({} if folder is None else {"folderId": folder})
    )
    return hash((encode(inside), encode(notes)))


async def complete(ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    """Return the titles of notes that begin with what was typed."""
    typed = params.argument.value
    who = asked(ctx)
    of_title = isinstance(params.ref, types.ResourceTemplateReference) and (
        params.ref.uri == TEMPLATES[1].uri_template and params.argument.name == "title"
    )
    words = _WORD.findall(typed)[:MOST_WORDS] if of_title else []
    if not words or not who.may("search_notes"):
        return types.CompleteResult(completion=types.Completion(values=[]))
    found = await _search(who, " ".join(f"title:{word}*" for word in words), MOST_COMPLETED)
    titles = list(dict.fromkeys(one.title for one in found))
    return types.CompleteResult(completion=types.Completion(values=titles, total=len(titles)))


def uri_of(note: int) -> str:
    """Return the address of a note."""
    return f"{NOTES}{note}"


def _number(uri: str, prefix: str) -> int | None:
    digits = uri.removeprefix(prefix)
    is_id = uri.startswith(prefix) and digits.isascii() and digits.isdecimal() and digits[0] != "0"
    return int(digits) if is_id and len(digits) < 16 else None


async def _folder(who: Asked, uri: str) -> dict[str, Any]:
    number = _number(uri, FOLDERS)
    inside = await who.use("list_folders", parentId="root" if number is None else number)
    notes = await who.use(
        "list_notes", limit=200, **({} if number is None else {"folderId": number})
    )
    return {
        "folder": notes["folder"],
        "folders": [
            {"uri": f"{FOLDERS}{one['id']}", "name": one["name"]} for one in inside["folders"]
        ],
        "notes": [
            {"uri": uri_of(one["id"]), "title": one["title"], "updatedAt": one["updatedAt"]}
            for one in notes["notes"]
        ],
        "totalNotes": notes["totalNotes"],
    }


async def _titled(who: Asked, title: str) -> int:
    """Return the id of the only note with a title."""
    words = _WORD.findall(title)
    if not words or len(title) > TITLE_MOST:
        raise NotFound("There is no note with this title.")
    found = await _search(who, f'title:"{" ".join(words)}"', 50)
    same = [one.id for one in found if one.title.casefold() == title.casefold()]
    if len(same) == 1:
        return int(same[0])
    if same:
        named = ", ".join(uri_of(one) for one in same[:5])
        raise NotFound(f"Several notes have this title: {named}.")
    raise NotFound("There is no note with this title.")


async def _search(who: Asked, query: str, most: int) -> list[Any]:
    """Return the notes that a query finds, of which the search keeps back what agents are not to
    quote.
    """
    hits = await who.call("search_notes", query=query, mode="words", limit=most)
    return list(hits.results)


def _root() -> types.Resource:
    return types.Resource(
        uri=ROOT, name="Notes", description="What lies at the top.", mime_type=JSON
    )


def _of_folder(folder: dict[str, Any]) -> types.Resource:
    return types.Resource(
        uri=f"{FOLDERS}{folder['id']}",
        name=shown(folder["name"]) or "Folder",
        description=f"Folder with {folder['fileCount']} notes",
        mime_type=JSON,
    )


def _of_note(note: dict[str, Any]) -> types.Resource:
    return types.Resource(
        uri=uri_of(note["id"]),
        name=shown(note["title"]) or "Note",
        mime_type=MARKDOWN,
        annotations=types.Annotations(last_modified=note["updatedAt"]),
    )
