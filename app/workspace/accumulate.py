"""Bulk writing: many files, texts, deletions and folders in one call and one transaction."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import Record, Rule, Text
from app.errors import AppError, Forbidden, Invalid, NotFound, Unprocessable
from app.workspace.folders import (
    access,
    create_folder,
    folder_rows,
    folders,
    paths,
    workspace_counters,
)
from app.workspace.notes import delete_note, note_edits, note_rows
from app.workspace.trash import delete_folder

# All of a call is one transaction, and holds up other writes for as long as it takes.
MOST_WRITES = 50
MOST_DELETES = 200
MOST_FOLDERS = 200
Kind = Literal["files", "texts", "delete", "folders.create", "folders.delete"]


class File(Record):
    """A file to write: the path's last segment is the note's title, the others are its folders."""

    path: str
    content: str
    message: str | None = None


class Note(Record):
    """A text to write under a title, in the folder of that path; without one in General."""

    title: str
    content: str
    folder: str | None = None


class Removal(Record):
    """A note to move to the trash."""

    path: str


class FolderChanges(Record):
    """Folders to make, and folders to move to the trash, by path."""

    create: list[str] | None = None
    delete: list[str] | None = None


class Refused(Record):
    """An entry that was not applied; `index` counts within its own list."""

    kind: Kind
    index: int
    path: str
    error: str
    message: str


class Versioned(Record):
    """A file whose text was replaced: `from` and `to` are labels such as v1 and v2."""

    file: str
    from_: str
    to: str
    message: str | None


class Size(Record):
    total_files: int
    total_size_bytes: int


class Accumulated(Record):
    """What was done. Each entry is counted once; those in `errors` changed nothing."""

    created: int
    updated: int
    deleted: int
    skipped: int
    errors: list[Refused]
    versions: list[Versioned]
    folders_created: list[str]
    folders_deleted: list[str]
    workspace: Size


@operation(
    "POST /accumulate",
    scope="os.notes:write",
    http=Http(
        refuses={
            "files": "the lists are all empty, or too long together",
            "*": "every entry was refused (422); `errors` says of each why",
        },
        body="max_accumulate_body",
    ),
)
def accumulate(
    tx: Tx,
    me: Caller,
    *,
    files: list[File] | None = None,
    texts: list[Note] | None = None,
    delete: list[Removal] | None = None,
    folders: FolderChanges | None = None,
) -> Accumulated:
    """Write, delete and order many notes at once.

    Folders are made, then files and texts written, notes deleted, folders deleted.

    All of it is one transaction. An entry that is refused stands in `errors` and changes
    nothing; the others are applied. Replacing a text keeps the one before as a snapshot; an
    equal text is skipped.
    """
    files, texts, delete, folders = (
        files or [],
        texts or [],
        delete or [],
        folders or FolderChanges(),
    )
    create_folders, delete_folders = folders.create or [], folders.delete or []
    _require_some(files, texts, delete, create_folders, delete_folders)
    work = _BulkWriter(tx, me)
    # Folders first and their deletion last: so a call can file a note anew and drop its old folder.
    work.apply_each("folders.create", create_folders, work.create_folder, lambda path: path)
    work.apply_each("files", files, work.write_file, lambda file: file.path)
    work.apply_each("texts", texts, work.write_text, lambda text: text.title)
    work.apply_each("delete", delete, work.delete_note, lambda removal: removal.path)
    work.apply_each("folders.delete", delete_folders, work.delete_folder, lambda path: path)
    return work.result()


class _BulkWriter:
    """The entries of one call as they are applied, and what came of them.

    Paths begin at the caller's own root, or at what is shared with them.
    """

    def __init__(self, tx: Tx, me: Caller) -> None:
        self.tx = tx
        self.me = me
        self.applied = 0
        self.done = Accumulated(0, 0, 0, 0, [], [], [], [], Size(0, 0))
        # Many files share a folder: each path is walked down once. Deleting a folder forgets all,
        # since it may have held some of them.
        self.places: dict[str, tuple[int, int | None]] = {}

    def apply_each(
        self,
        kind: Kind,
        entries: Sequence[Any],
        apply: Callable[[Any], None],
        name: Callable[[Any], str],
    ) -> None:
        """Apply every entry of a list, each all or not at all."""
        for index, entry in enumerate(entries):
            try:
                with self.tx.savepoint():
                    apply(entry)
                self.applied += 1
            except AppError as error:
                self.done.errors.append(
                    Refused(kind, index, name(entry)[:1000], error.code, error.message)
                )

    def create_folder(self, path: str) -> None:
        self._ensure_folder(paths.split_path(path, field="path"))

    def write_file(self, file: File) -> None:
        *segments, title = paths.split_path(file.path, field="path")
        self._write_note(file.path, segments, title, file.content, file.message)

    def write_text(self, text: Note) -> None:
        title = _check_text(paths.NAME, text.title, "title")
        if title in (".", ".."):
            raise Invalid(f"title must not be {title}, which no path can name.", field="title")
        segments = (
            [folder_rows.GENERAL]
            if text.folder is None
            else paths.split_path(text.folder, field="folder")
        )
        self._write_note("/".join([*segments, title]), segments, title, text.content, None)

    def delete_note(self, removal: Removal) -> None:
        *segments, title = paths.split_path(removal.path, field="path")
        note = self._find_note(self._require_folder(segments), title)
        if note is None:
            raise NotFound(f"There is no note {removal.path[:300]}.")
        access.require_note(self.tx, self.me, note["id"], "admin")
        delete_note.move_to_trash(self.tx, self.me, note)
        self.done.deleted += 1

    def delete_folder(self, path: str) -> None:
        _, folder_id = self._require_folder(paths.split_path(path, field="path"))
        found = None if folder_id is None else folder_rows.find_live(self.tx, folder_id)
        if found is None:
            raise NotFound(f"There is no folder {path[:300]}.")
        if (
            folders.is_general(found)
            or found["owner_id"] != self.me.owns
            or self._is_shared(found["id"])
        ):
            raise Forbidden("Accumulate deletes neither General nor shared folders.")
        self.done.deleted += delete_folder.move_folder_to_trash(self.tx, self.me, found["id"])[0]
        self.places.clear()
        self.done.folders_deleted.append(path)

    def result(self) -> Accumulated:
        """Return what was done; raise Unprocessable when every entry was refused."""
        counted = workspace_counters.workspace_counts(self.tx, self.me.owns)
        self.done.workspace = Size(counted.notes, counted.bytes)
        if self.applied == 0:
            raise Unprocessable(
                f"Every entry was refused; the first: {self.done.errors[0].message}",
                **msgspec.to_builtins(self.done),
            )
        return self.done

    def _write_note(
        self, path: str, segments: list[str], title: str, content: str, message: str | None
    ) -> None:
        text = note_rows.measure_text(_check_text(CONTENT, content, "content"))
        # Checked here, not by the request's types: one bad entry must not refuse all the others.
        message = None if message is None else _check_text(MESSAGE, message, "message")
        owner, folder_id = self._ensure_folder(segments)
        note = self._find_note((owner, folder_id), title)
        if folder_id is not None:
            access.require_folder(
                self.tx, self.me, folder_id, "editor" if note is None else "writer", field="path"
            )
        if note is None:
            note_rows.insert(self.tx, owner=owner, folder_id=folder_id, title=title, text=text)
            self.done.created += 1
        elif note["content"] == content:
            self.done.skipped += 1
        else:
            self._update_note(path, note, text, message)

    def _update_note(self, path: str, note: Any, text: note_rows.Text, message: str | None) -> None:
        # Versions of the text, not numbers of snapshots: `from` and `to` stand for texts.
        before, after = f"v{note['version']}", f"v{note['version'] + 1}"
        note_edits.apply_edit(
            self.tx,
            self.me,
            note,
            note_edits.NoteEdit(None, text, None),
            label=before,
            message=message,
        )
        self.done.versions.append(Versioned(path, before, after, message))
        self.done.updated += 1

    def _ensure_folder(self, segments: list[str]) -> tuple[int, int | None]:
        """Return owner and id of the folder of that path, making what is missing."""
        key = "/".join(segments)
        if key not in self.places:
            start = create_folder.start_of_path(self.tx, self.me, segments)
            create_folder.require_depth(self.tx, start, field="path")
            folder_id, made = create_folder.ensure_path(self.tx, self.me, *start)
            self.done.folders_created += [
                "/".join(segments[: len(segments) - missing])
                for missing in reversed(range(len(made)))
            ]
            self.places[key] = (start.owner, folder_id)
        return self.places[key]

    def _require_folder(self, segments: list[str]) -> tuple[int, int | None]:
        """Return owner and id of the folder of that path; raise NotFound."""
        owner, at, names = create_folder.start_of_path(self.tx, self.me, segments)
        for name in names:
            found = folder_rows.find_child(self.tx, owner, at, name)
            if found is None:
                raise NotFound(f"There is no folder {'/'.join(segments)[:300]}.")
            at = found["id"]
        return owner, at

    def _find_note(self, place: tuple[int, int | None], title: str) -> Any:
        """Return the live note of exactly that title there, the oldest of several."""
        # NOCASE and pinned only lead into the index of titles; the plain comparison decides.
        return self.tx.one(
            """SELECT * FROM notes WHERE owner_id = :owner
               AND folder_id IS :folder AND pinned IN (0, 1) AND title = :title COLLATE NOCASE
               AND title = :title AND trash_id IS NULL ORDER BY id LIMIT 1""",
            owner=place[0],
            folder=place[1],
            title=title,
        )

    def _is_shared(self, folder_id: int) -> bool:
        below = folder_rows.id_list(folder_rows.subtree_ids(self.tx, folder_id))
        found = self.tx.one(
            f"SELECT 1 FROM folder_shares WHERE folder_id IN ({folder_rows.IN_LIST})", ids=below
        )
        return found is not None


CONTENT = Text()
MESSAGE = Text(500)


def _check_text(rule: Rule, text: str, field: str) -> str:
    try:
        return str(rule(text))
    except ValueError as error:
        raise Invalid(f"{field} {error}.", field=field) from None


def _require_some(
    files: list[Any], texts: list[Any], delete: list[Any], create: list[str], remove: list[str]
) -> None:
    if not (files or texts or delete or create or remove):
        raise Invalid(
            "Give at least one operation: files, texts, delete or folders.", field="files"
        )
    if len(files) + len(texts) > MOST_WRITES:
        raise Invalid(
            f"files and texts must have at most {MOST_WRITES} entries together.",
            field="files",
            limit=MOST_WRITES,
        )
    for field, entries, most in (
        ("delete", delete, MOST_DELETES),
        ("folders.create", create, MOST_FOLDERS),
        ("folders.delete", remove, MOST_FOLDERS),
    ):
        if len(entries) > most:
            raise Invalid(f"{field} must have at most {most} entries.", field=field, limit=most)
