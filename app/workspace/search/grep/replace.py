"""Replacing in many notes at once.

Looked at first, kept in snapshots, done whole or not at all, and undone when wished.
"""

import asyncio
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import Id, Most, NameOrPath, Record, Text
from app.errors import Conflict, Invalid, NotFound, PayloadTooLarge, RevisionConflict
from app.workspace.folders import access
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.notes import note_rows, snapshot_rows
from app.workspace.search.grep import re2_programs, replace_in_text, replacement_rows
from app.workspace.search.grep.grep import GrepRequest, GrepSearch, Pattern
from app.workspace.search.grep.re2_programs import Mode, TimeBudget
from app.workspace.search.grep.text_scan import Scope

MOST_NOTES = 1_000
MOST_BYTES = 16 << 20
MOST_LINES = 100_000
ATTEMPTS = 5
BEFORE_REPLACE = "auto: before replace"
BEFORE_UNDO = "auto: before undo"
Replacement = Annotated[str, Meta(max_length=10_000), Text()]
NoteIds = Annotated[list[Id], Meta(max_length=MOST_NOTES, description="only these notes")]
Revisions = Annotated[
    dict[str, Id],
    Meta(
        max_length=MOST_NOTES,
        description="note id: revision, as the preview gave them; only these notes are changed",
    ),
]


class ChangedLine(Record):
    """A line before and after; `line` counts from 1."""

    line: int
    before: str
    after: str


class ChangedNote(Record):
    """A note that changes; `revision` is its present one."""

    note_id: int
    title: str
    revision: int
    replacements: int
    lines: list[ChangedLine]


class ReplaceSummary(Record):
    notes_changed: int
    lines_changed: int
    replacements: int


class Replaced(Record):
    """What would be or was changed. `truncated`: not every line or note is shown.

    `undo`: by what it is undone, null for a preview.
    """

    preview: bool
    notes: list[ChangedNote]
    summary: ReplaceSummary
    truncated: bool
    undo: int | None


class Restored(Record):
    note_id: int
    title: str
    revision: int


class Skipped(Record):
    """A note that stays as it is, and why.

    The title is null when the caller may no longer read it.
    """

    note_id: int
    title: str | None
    reason: str


class Undone(Record):
    restored: list[Restored]
    skipped: list[Skipped]


class Change(NamedTuple):
    """What is to be done to a note of that revision."""

    note_id: int
    title: str
    revision: int
    text: note_rows.Text
    outcome: replace_in_text.Outcome


class Changes(msgspec.Struct, frozen=True):
    """What is to be done; `more`: there are more notes than can be changed at once."""

    notes: list[Change]
    more: bool


@operation(
    "POST /os/notes/replace",
    scope="os.notes:write",
    http=Http(
        refuses={
            "pattern": "in the mode regex it is none of RE2, or needs more than its time; it "
            "holds a NUL, or matches too much",
            "replacement": "it names a group that pattern does not have, or holds a lone backslash",
            "revisions": "its names are no ids of notes",
            "folderName": "both it and folderId are given, or it names several folders",
        },
        stoppable=True,
    ),
)
async def replace_in_notes(
    app: App,
    me: Caller,
    *,
    pattern: Pattern,
    replacement: Replacement,
    mode: Mode = "literal",
    case_sensitive: bool = False,
    folder_id: Id | None = None,
    folder_name: NameOrPath | None = None,
    note_ids: NoteIds | None = None,
    revisions: Revisions | None = None,
    preview: bool = True,
    limit: Annotated[int, Meta(ge=1), Most(10_000)] = 1000,
) -> Replaced:
    r"""Replace what a pattern matches in the notes the caller may write.

    Unless `preview` is false, only say what would change.

    In the replacement of a regular expression $1, ${name} and \1 mean groups. Each note is kept
    as a snapshot first; all notes are changed or none, at most 1,000. With `revisions`, which a
    preview gave, only those notes, and none when one has changed since. `limit`: lines to show.
    """
    me.require(("os.notes:read",))  # what matches tells what the notes hold
    me = app.quick(access.hide_policy_notes, me)
    only = _only_notes(note_ids, revisions)
    wanted = GrepRequest(pattern, mode, case_sensitive, folder_id, folder_name, "writer", only)
    # Matching takes seconds, in no transaction; when a note changed meanwhile it is done again.
    for _ in range(ATTEMPTS):
        await app.read(_require_ready, me, only or (), revisions or {})
        changes = await _find_changes(app, me, wanted, replacement)
        if preview:
            return _replace_answer(changes, limit)
        if changes.more:
            raise Invalid(
                f"pattern matches in more than {MOST_NOTES:,} notes; give a folder or noteIds.",
                field="pattern",
                limit=MOST_NOTES,
            )
        undo = await app.write(_apply_changes, me, changes.notes)
        if undo is not None:
            return _replace_answer(changes, limit, undo=undo)
    raise Conflict(
        "The notes change too quickly just now; nothing was replaced. Try again in a moment."
    )


@operation("POST /os/notes/replace/{undoId}/undo", scope="os.notes:write")
def undo_replace(tx: Tx, me: Caller, *, undo_id: Id) -> Undone:
    """Give each note of a replacement the text it had before, unless its text has changed since.

    Those are listed.
    """
    rows = replacement_rows.list_notes(tx, me.owns, undo_id)
    if rows is None:
        raise NotFound("There is no such replacement.", field="undoId")
    done = Undone([], [])
    for note_id, version, seq in rows:
        _undo_one(tx, me, undo_id, (note_id, version, seq), done)
    return done


def _only_notes(
    note_ids: list[int] | None, revisions: dict[str, int] | None
) -> tuple[int, ...] | None:
    """Return the ids of the only notes that are to be changed, None for all."""
    if revisions is None:
        return None if note_ids is None else tuple(note_ids)
    if not all(key.isascii() and key.isdecimal() and len(key) < 17 for key in revisions):
        raise Invalid("revisions must have note ids as its names.", field="revisions")
    named = [int(key) for key in revisions]
    return tuple(
        named if note_ids is None else (note_id for note_id in named if note_id in note_ids)
    )


async def _find_changes(app: App, me: Caller, wanted: GrepRequest, replacement: str) -> Changes:
    """Find the notes that match, and what becomes of each."""
    program = await asyncio.to_thread(
        re2_programs.compile_program,
        wanted.pattern,
        wanted.mode,
        case_sensitive=wanted.case_sensitive,
        groups=True,
    )
    parts = replace_in_text.parse_template(replacement, wanted.mode, program)
    grep = GrepSearch(me, wanted, around=(0, 0), limit=MOST_LINES)
    await grep.run(app)
    more = grep.cut_to_limit() or len(grep.results) > MOST_NOTES
    rows = await app.read(
        _read_contents, grep.scope, [matched.note_id for matched in grep.results[:MOST_NOTES]]
    )
    budget = TimeBudget(re2_programs.SECONDS)
    changed: list[Change] = []
    for note_id, title, revision, content in rows:
        outcome = await asyncio.to_thread(_replace_in_note, program, parts, content, budget)
        if outcome.lines:
            changed.append(
                Change(
                    note_id,
                    title,
                    revision,
                    note_rows.measure_text(outcome.content, field="replacement"),
                    outcome,
                )
            )
    return Changes(changed, more)


def _replace_in_note(
    program: re2_programs.Program, parts: replace_in_text.Template, content: str, budget: TimeBudget
) -> replace_in_text.Outcome:
    budget.begin_slice()
    outcome = replace_in_text.replace_matches(program, parts, content, budget)
    budget.end_slice()
    return outcome


def _require_ready(
    tx: Tx, me: Caller, note_ids: tuple[int, ...], revisions: dict[str, int]
) -> None:
    """Raise unless the caller may write each of the notes and each has the revision that was
    given for it, if any was.
    """
    rows = [
        access.require_note(tx, me, note_id, "writer", columns="id, owner_id, folder_id, revision")
        for note_id in note_ids
    ]
    stale = [
        row["id"]
        for row in rows
        if row["revision"] != revisions.get(str(row["id"]), row["revision"])
    ]
    if stale:
        raise RevisionConflict(
            "Some notes have changed since the preview; nothing was replaced.",
            field="revisions",
            noteIds=stale,
        )


def _read_contents(tx: Tx, where: Scope, note_ids: list[int]) -> list[tuple[int, str, int, str]]:
    listed = {"wanted": id_list(note_ids), **where.params}
    source = (
        f"FROM notes n WHERE n.id IN ({IN_LIST.replace(':ids', ':wanted')}) "
        f"AND n.trash_id IS NULL AND {where.condition}"
    )
    if tx.value(f"SELECT ifnull(sum(n.size), 0) {source}", **listed) > MOST_BYTES:
        raise PayloadTooLarge(
            f"The notes that match hold more than {MOST_BYTES >> 20} MiB together; give a "
            "folder or noteIds.",
            field="pattern",
            limitBytes=MOST_BYTES,
        )
    return [
        tuple(row)
        for row in tx.all(
            f"SELECT n.id, n.title, n.revision, n.content {source} ORDER BY n.id", **listed
        )
    ]


def _apply_changes(tx: Tx, me: Caller, changes: list[Change]) -> int | None:
    """Change the notes, each kept as a snapshot first, and return the id by which to undo that.

    None, with nothing done, when one has changed.
    """
    # All are checked before the first is changed, so that None leaves nothing to undo.
    notes = []
    for change in changes:
        try:
            note = access.require_note(tx, me, change.note_id, "writer")
        except NotFound:
            return None
        if note["revision"] != change.revision:
            return None
        notes.append(note)
    done = []
    for note, change in zip(notes, changes, strict=True):
        seq = snapshot_rows.take(tx, me, note, label=BEFORE_REPLACE, automatic=True)
        note_rows.update(tx, note, title=note["title"], tags=note["tags"], text=change.text)
        # The version counts texts: by it undoing knows whether the text is still this one.
        done.append((note["id"], note["version"] + 1, seq))
    return replacement_rows.add(tx, me.owns, done)


def _undo_one(tx: Tx, me: Caller, undo: int, kept: tuple[int, int, int], done: Undone) -> None:
    note_id, version, seq = kept
    note = tx.require_row("SELECT * FROM notes WHERE id = :id", id=note_id)
    held = access.note_rank(tx, me, note["id"], owner=note["owner_id"], folder_id=note["folder_id"])
    snapshot = tx.one(
        "SELECT content FROM snapshots WHERE note_id = :note AND seq = :seq", note=note_id, seq=seq
    )
    if held == 0:
        done.skipped.append(Skipped(note_id, None, "it is no longer there for you"))
    elif held < access.RANKS["writer"]:
        done.skipped.append(Skipped(note_id, note["title"], "you may no longer write it"))
    elif note["trash_id"] is not None:
        done.skipped.append(Skipped(note_id, note["title"], "it is in the trash"))
    elif note["version"] != version:
        done.skipped.append(Skipped(note_id, note["title"], "its text has changed since"))
    elif snapshot is None:
        done.skipped.append(Skipped(note_id, note["title"], "its snapshot is gone"))
    else:
        snapshot_rows.take(tx, me, note, label=BEFORE_UNDO, automatic=True)
        note_rows.update(
            tx,
            note,
            title=note["title"],
            tags=note["tags"],
            text=note_rows.measure_text(snapshot["content"]),
        )
        replacement_rows.forget_note(tx, undo, note_id)
        done.restored.append(Restored(note_id, note["title"], note["revision"] + 1))


def _replace_answer(changes: Changes, limit: int, *, undo: int | None = None) -> Replaced:
    """Return the answer, with as many lines as are wanted."""
    left = limit
    shown: list[ChangedNote] = []
    for change in changes.notes:
        lines = [ChangedLine(*line) for line in change.outcome.lines[:left]]
        left -= len(lines)
        shown.append(
            ChangedNote(
                change.note_id,
                change.title,
                change.revision + (undo is not None),
                change.outcome.replacements,
                lines,
            )
        )
    lines_changed = sum(len(change.outcome.lines) for change in changes.notes)
    summary = ReplaceSummary(
        len(shown), lines_changed, sum(change.outcome.replacements for change in changes.notes)
    )
    return Replaced(undo is None, shown, summary, changes.more or lines_changed > limit, undo)
