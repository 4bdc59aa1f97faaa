"""The tools for notes that are more than one endpoint by another name."""

from typing import Annotated

from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.operation import operation
from app.core.shapes import Id, Title
from app.core.text import fold
from app.errors import Invalid, Unprocessable
from app.workspace.notes import Content, Edited, TagsIn
from app.workspace.search import Hits

CANDIDATES = 5


@operation("TOOL", scope="os.notes:write", category="notes", tool=True)
async def edit_note(
    app: App, me: Caller, *, note_id: Id | None = None, search: Annotated[str, Meta(min_length=1, max_length=1000)] | None = None,
    title: Title | None = None, content: Content | None = None, tags: TagsIn | None = None, if_revision: Id | None = None,
) -> Edited:  # fmt: skip
    """Change the title, the Markdown or the tags of a note, which is named by its id or found by a search that only it fits.

    What is not given stays, and the state before is kept as a snapshot.
    """
    if (note_id is None) == (search is None):
        raise Invalid("Give either noteId or search.", field="noteId")
    found = note_id if search is None else await _only(app, me, search)
    fields = {"id": found, "title": title, "content": content, "tags": tags, "ifRevision": if_revision, "contentFormat": "markdown"}
    edited: Edited = await app.call(me, "change_note", {name: value for name, value in fields.items() if value is not None})
    return edited


async def _only(app: App, me: Caller, search: str) -> int:
    """Give the id of the note that is meant: the only one with that title, else the only one found; raise Unprocessable with the candidates."""
    hits: Hits = await app.call(me, "search_notes", {"query": search, "limit": CANDIDATES})
    titled = [hit for hit in hits.results if fold(hit.title) == fold(search)]
    fitting = titled or hits.results
    if len(fitting) == 1:
        return fitting[0].id
    candidates = [{"id": hit.id, "title": hit.title} for hit in fitting]
    named = ", ".join(f"{row['id']} ({row['title']})" for row in candidates)
    message = f"Several notes fit the search: {named}. Name one by noteId." if candidates else "No note fits the search."
    raise Unprocessable(message, field="search", candidates=candidates)
