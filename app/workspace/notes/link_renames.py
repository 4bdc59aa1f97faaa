"""Titles that change, and the links that lead to the old ones.

Counting them, and rewriting them.
"""

import sqlite3

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.errors import Invalid, PayloadTooLarge
from app.workspace.index import link_text
from app.workspace.index.link_text import Target
from app.workspace.notes import note_rows, snapshot_rows
from app.workspace.notes.link_targets import LinkResolver, distinct_notes, link_names

MOST = 1_000
BEFORE_RENAME = "auto: before rename"


class LinkingNotes(msgspec.Struct, frozen=True):
    """The notes the caller may change that link to a note by a title it has or had, at most a
    thousand, and what those links name.
    """

    targets: frozenset[Target]
    notes: list[int]


def find_linking(
    tx: Tx, me: Caller, note: sqlite3.Row, title: str, *, new_title: str
) -> LinkingNotes:
    """Find what links to a note by a title in a way that the new title ends, unless such links
    lead to another note.
    """
    view = LinkResolver(tx, me)
    rows = view.notes_linking("wiki", link_names(title) - link_names(new_title), MOST)
    named = {Target("wiki", row["target"], row["path"]) for row in rows}
    # Of links by that title only those that lead to this note: another may have the title too.
    targets = frozenset(target for target in named if _leads_to(view, note, target))
    sources = distinct_notes(
        row
        for row in rows
        if Target("wiki", row["target"], row["path"]) in targets and view.may_write(row)
    )
    return LinkingNotes(targets, [row["id"] for row in sources])


def require_linkable(title: str) -> None:
    """Raise Invalid for a title that no link to it can hold."""
    if link_text.WIKI_MARKS.search(title):
        raise Invalid(
            "Links cannot hold a title with [, ] or |; give another title or leave out "
            "rewriteLinks.",
            field="title",
        )


def rewrite_linking(
    tx: Tx, me: Caller, note: sqlite3.Row, found: LinkingNotes, *, keep_own: bool
) -> int:
    """Let what links to a note by that title link to the title it has now.

    Return the number of notes that this changed. What each held before is kept as a
    snapshot, with `keep_own` also of the note itself.
    """
    title: str = tx.value("SELECT title FROM notes WHERE id = :id", id=note["id"])

    def renamed(target: Target) -> str | None:
        if target not in found.targets:
            return None
        return (
            title if target.name.endswith(link_text.ENDING) else link_text.without_md_ending(title)
        )

    changed = 0
    for note_id in found.notes:
        source = tx.require_row("SELECT * FROM notes WHERE id = :id", id=note_id)
        content = link_text.rewrite_links(source["content"], renamed)
        try:
            text = note_rows.measure_text(content)
        except PayloadTooLarge:  # a longer title may push a note past its limit: it stays
            continue
        if content != source["content"]:
            if keep_own or note_id != note["id"]:
                snapshot_rows.take(tx, me, source, label=BEFORE_RENAME, automatic=True)
            note_rows.update(tx, source, title=source["title"], tags=source["tags"], text=text)
            changed += 1
    return changed


def _leads_to(view: LinkResolver, note: sqlite3.Row, target: Target) -> bool:
    found = view.find_target(target)
    return view.lies_in(note["folder_id"], target.path) and (
        found is None or found["id"] == note["id"]
    )
