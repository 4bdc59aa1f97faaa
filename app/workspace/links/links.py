"""Links between notes: those of a note, and rewriting those that lead to it.

The notes that link to a note are found in `backlinks`, those that mention it in `mentions`.
"""

import sqlite3
from typing import Annotated, Literal

from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Tool, operation
from app.core.schema import Id, Most, Record, Title
from app.core.text import fold_name
from app.workspace.folders import access
from app.workspace.index import link_rows, link_text, name_index, word_index
from app.workspace.index.link_text import Link
from app.workspace.links.backlinks import Backlink, backlinks_of
from app.workspace.links.mentions import find_mentions
from app.workspace.notes import link_renames
from app.workspace.notes.link_targets import LinkResolver


class NoteLink(Record):
    """A link in a note: `wiki` leads to a title, `note` to a number.

    It `exists` when it leads to a note that the caller may read.
    """

    kind: Literal["wiki", "note"]
    text: str
    target: str
    heading: str
    line: int
    exists: bool
    note_id: int | None
    title: str | None


class Mention(Record):
    """A note that says the title without linking here, and the line in which it first does."""

    note_id: int
    title: str
    line: int
    context: str


class NoteLinks(Record):
    """`truncated` says that there are more links or backlinks than are shown.

    `tags` are those that stand in the text.
    """

    links: list[NoteLink]
    backlinks: list[Backlink]
    mentions: list[Mention]
    tags: list[str]
    truncated: bool


class Rewritten(Record):
    """`rewritten` notes were changed; `linksToRewrite` still link by that title."""

    rewritten: int
    links_to_rewrite: int


@operation(
    "GET /os/notes/{id}/links", scope="os.notes:read", tool=Tool(names={"id": "noteId"}, risk="R")
)
async def get_note_links(
    app: App, me: Caller, *, id: Id, limit: Annotated[int, Meta(ge=1), Most(1000)] = 200
) -> NoteLinks:
    """List a note's links, the notes that link to it, and those that only mention its title.

    A link is `[[Title]]`, `[[Folder/Title#heading|shown]]`, or the address of a note
    (`…/os/notes/5`, `hearth:note/5`). A title is compared without case, and its ending `.md` may
    be left out; of several notes of that title the caller's own come first, then one in exactly
    the folder named, then the newest. Where no note has that title, it leads to the only one
    with that alias (`aliases: [Title]` in its front matter). At most 200 notes that link here
    and 50 that mention it are given, the newest first.
    """
    # The indexes follow behind the writes; here they must have seen all.
    while app.glance(link_rows.any_unread):
        await app.write(link_rows.read_some)
    while app.glance(word_index.any_waiting):
        await app.write(word_index.index_waiting)
    while app.glance(name_index.any_waiting):  # else each title is sought among all that wait
        await app.write(name_index.index_waiting)
    return await app.read(_links_of_note, me, id, limit)


@operation("POST /os/notes/{id}/links/rewrite", scope="os.notes:write")
def rewrite_links(tx: Tx, me: Caller, *, id: Id, from_: Title) -> Rewritten:
    """Let links that name a note by a title it had lead to it by the title it has.

    Links that lead to another note stay as they are.

    Only notes the caller may change are rewritten, at most 1,000 a call, what they held before
    kept as snapshots.
    """
    note = access.require_note(tx, me, id, "writer")
    link_renames.require_linkable(note["title"])
    found = link_renames.find_linking(tx, me, note, from_, new_title=note["title"])
    done = link_renames.rewrite_linking(tx, me, note, found, keep_own=True)
    return Rewritten(
        done,
        len(link_renames.find_linking(tx, me, note, from_, new_title=note["title"]).notes)
        if done
        else 0,
    )


def _links_of_note(tx: Tx, me: Caller, note_id: int, limit: int) -> NoteLinks:
    note = access.require_note(tx, me, note_id, columns="id, owner_id, folder_id, title, content")
    view = LinkResolver(tx, me)
    found = link_text.find_links(note["content"])
    out = [link for link in found if link.kind != "tag"]
    tags: dict[str, str] = {}
    for tag in found:
        if tag.kind == "tag":
            tags.setdefault(fold_name(tag.target), tag.target)
    numbers = link_text.line_numbers(note["content"], [link.start for link in out[:limit]])
    # Titles of policy notes end in secret tokens: as mentions they are left out, in links of the
    # note itself, which the caller wrote, the token is blotted out.
    discreet = access.hide_policy_notes(tx, me)
    backlinks, known, more = backlinks_of(tx, view, note, besides=discreet.hidden)
    mentioned = find_mentions(
        tx, discreet, link_text.without_md_ending(note["title"]), {note_id, *known}
    )
    links = [_link_record(view, note, link, line) for link, line in zip(out, numbers, strict=False)]
    for link in links:
        if link.title and link.note_id in discreet.hidden:
            link.title = access.without_link_tokens(tx, me.user, link.title)
    return NoteLinks(
        links,
        backlinks,
        [Mention(*mention) for mention in mentioned],
        list(tags.values()),
        more or len(out) > limit,
    )


def _link_record(view: LinkResolver, note: sqlite3.Row, link: Link, line: int) -> NoteLink:
    here = link.kind == "wiki" and link.target.startswith("#")
    found = view.find_note(link) or (note if here else None)
    to, title = (None, None) if found is None else (found["id"], found["title"])
    kind: Literal["wiki", "note"] = "note" if link.kind == "note" else "wiki"
    return NoteLink(
        kind,
        link.shown,
        link.target,
        link_text.link_heading(link),
        line,
        found is not None,
        to,
        title,
    )
