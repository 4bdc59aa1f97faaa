"""The tools for notes that are more than one endpoint by another name."""

from typing import Annotated, Any

from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Plan, Tool, operation
from app.core.schema import Id, Title
from app.core.text import fold_name
from app.errors import Invalid, Unprocessable
from app.workspace.index import note_tags
from app.workspace.notes import delete_note, note_edits, note_rows
from app.workspace.notes.note_edits import Edited
from app.workspace.notes.notes import Content, TagsIn
from app.workspace.search.search import Hits

CANDIDATES = 5


async def _plan_edit(
    app: App,
    me: Caller,
    *,
    note_id: int | None,
    search: str | None,
    title: str | None,
    content: str | None,
    tags: list[str] | None,
    if_revision: int | None,
) -> Plan:
    """Return the edit of the note that is meant, as one write."""
    # Both or neither would leave open which of them holds.
    if note_id is not None and search is None:
        found = note_id
    elif search is not None and note_id is None:
        found = await _find_meant_note(app, me, search)
    else:
        raise Invalid("Give either noteId or search.", field="noteId")
    text = None if content is None else note_rows.measure_text(content)
    edit = note_edits.NoteEdit(title, text, None if tags is None else note_tags.pack_tags(tags))
    fields: dict[str, Any] = {
        "noteId": found,
        "title": title,
        "content": content,
        "tags": tags,
        "ifRevision": if_revision,
    }
    given = {name: value for name, value in fields.items() if value is not None}
    return Plan(
        given, lambda tx, who: note_edits.edit_note(tx, who, found, edit, if_revision=if_revision)
    )


@operation(
    "TOOL",
    category="notes",
    scope="os.notes:write",
    tool=Tool(risk="W", overwrites=True, plan=_plan_edit),
)
async def edit_note(
    app: App,
    me: Caller,
    *,
    note_id: Id | None = None,
    search: Annotated[str, Meta(min_length=1, max_length=1000)] | None = None,
    title: Title | None = None,
    content: Content | None = None,
    tags: TagsIn | None = None,
    if_revision: Id | None = None,
) -> Edited:
    """Change the title, the Markdown or the tags of a note, which is named by its id or found by a
    search that only it fits.

    What is not given stays, and the state before is kept as a snapshot.
    """
    plan = await _plan_edit(
        app,
        me,
        note_id=note_id,
        search=search,
        title=title,
        content=content,
        tags=tags,
        if_revision=if_revision,
    )
    edited: Edited = await app.write(plan.step, me)
    return edited


async def _find_meant_note(app: App, me: Caller, search: str) -> int:
    """Return the id of the note that is meant.

    The only one with that title, else the only one found; raise Unprocessable with the
    candidates.
    """
    hits: Hits = await app.call(me, "search_notes", {"query": search, "limit": CANDIDATES})
    # A title that is exactly what was said wins over notes that only mention it.
    titled = [hit for hit in hits.results if fold_name(hit.title) == fold_name(search)]
    fitting = titled or hits.results
    if len(fitting) == 1:
        return fitting[0].id
    candidates = [{"id": hit.id, "title": hit.title} for hit in fitting]
    named = ", ".join(f"{row['id']} ({row['title']})" for row in candidates)
    message = (
        f"Several notes fit the search: {named}. Name one by noteId."
        if candidates
        else "No note fits the search."
    )
    raise Unprocessable(message, field="search", candidates=candidates)


@operation("TOOL", category="notes", scope="os.notes:write", tool=Tool(risk="W"))
def trash_note(tx: Tx, me: Caller, *, note_id: Id) -> delete_note.Trashed:
    """Move a note to the trash, from where it can be restored."""
    return delete_note.delete_note(tx, me, id=note_id)
