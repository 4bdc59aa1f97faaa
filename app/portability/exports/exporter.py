"""Writes a workspace as a tree of files that people and other programs can read.

An import brings the workspace back from it as it was.

All of it is read in one read transaction on a connection of its own, so it is one state of the
workspace. The alternative, `VACUUM INTO` a copy, holds such a transaction too, and for about as
long: it has to read the whole file, indexes and other users included, and needs as much disk
again.
"""

import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from app.account import users
from app.core.caller import Caller
from app.core.database.store import Store
from app.core.database.tx import Tx
from app.portability.content import address_links, own_front_matter
from app.portability.content.file_links import FileLinks
from app.portability.content.reports import ExportReport, note_left_out
from app.portability.content.source_items import NotCarried
from app.portability.exports import export_todos
from app.portability.exports.export_plan import Plan
from app.portability.exports.sinks import Sink, sink_for
from app.workspace.folders import access

VERSION = 1
Tell = Callable[[int, int], None]
"""Told how many things are done of how many.

What it raises ends the export, and nothing is left of it.
"""
EVERY = 64
FOLDERS, FILES, TODOS, SETTINGS, AGENTS, ABOUT = (
    "folders.jsonl",
    "attachments.jsonl",
    "todos.json",
    "settings.json",
    "agents.json",
    "hearth.json",
)


def write_export(store: Store, me: Caller, target: Path, *, tell: Tell) -> ExportReport:
    """Write what the caller owns to a folder, or to an archive where the name ends in .zip, and
    return what it holds. For a thread.

    Raises AlreadyExists for a place that is allowed, and OSError where it cannot be written; then
    nothing is left there.
    """
    with store.one_state() as tx, sink_for(target) as sink:
        return _Export(tx, me, sink, tell).write()


class _Export:
    """One export: what it reads from, where it writes, and what it has done."""

    def __init__(self, tx: Tx, me: Caller, sink: Sink, tell: Tell) -> None:
        self._tx, self._me, self._sink, self._tell = tx, me, sink, tell
        self._report = ExportReport()
        self._done = self._total = 0
        self._key: address_links.Lookup = lambda kind, row_id: None

    def write(self) -> ExportReport:
        """Write everything that the caller's scopes allow."""
        self._put(ABOUT, [_pretty_json({"format": "hearth", "version": VERSION})])
        allowed = self._me.rights
        if "os.notes:read" in allowed:
            self._write_notes()
        else:
            self._leave("notes", "the credential may not read them")
        if "os.todos:read" in allowed:
            self._report.todos = export_todos.write_todos(self._tx, self._me, self._put, self._key)
        else:
            self._leave("todos", "the credential may not read them")
        self._write_own()
        self._name_the_rest()
        return self._report

    def _write_notes(self) -> None:
        plan = Plan(self._tx, self._me)
        files = list(
            plan.ordered(
                "file",
                "attachments",
                "attachments.complete = 1",
                columns=", name, media_type, size, created_at",
            )
        )
        for row in files:
            plan.files[row["id"]] = plan.free_place("attachments", row["name"])
        self._key = plan.known_key
        self._total = len(plan.notes) + len(files)
        self._links = FileLinks(self._tx, self._me, plan.notes, plan.renamed)
        self._put(FOLDERS, [_json_line(_folder_record(folder)) for folder in plan.folders])
        for folder in plan.folders:
            self._sink.folder(folder.place)
        # By path: the archive of the same workspace has the same bytes, so backups of it
        # deduplicate.
        for note_id in sorted(plan.notes, key=plan.notes.__getitem__):
            self._write_note(plan, note_id)
            self._count()
        self._put(FILES, (_json_line(_file_record(plan, row)) for row in files))
        for row in files:
            self._put(plan.files[row["id"]], self._parts(row), _epoch_seconds(row["created_at"]))
            self._report.files += 1
            self._count()
        self._report.folders, self._report.notes = len(plan.folders), len(plan.notes)

    def _write_note(self, plan: Plan, note_id: int) -> None:
        note = self._tx.require_row(
            "SELECT * FROM notes WHERE id = :id AND owner_id = :me", id=note_id, me=self._me.user
        )
        place, key = plan.notes[note_id], plan.key("note", note_id)
        body, before = self._links.rewrite_links(
            address_links.to_export_file(note["content"], place, plan.place, plan.known_key)
        )
        fields = _note_fields(note, key) | ({own_front_matter.LINKS: before} if before else {})
        self._put(
            place,
            [own_front_matter.merge_fields(fields, body).encode()],
            _epoch_seconds(note["updated_at"]),
        )
        if note["snapshot_count"] and "os.snapshots:read" in self._me.rights:
            self._put(f"snapshots/{key}.jsonl", self._snapshots(plan, note_id))
        elif note["snapshot_count"]:
            self._leave(note["title"], "the credential may not read its snapshots")

    def _snapshots(self, plan: Plan, note_id: int) -> Iterator[bytes]:
        # Numbers first, then one at a time: a long history does not fit into memory.
        numbers = self._tx.all(
            "SELECT seq FROM snapshots WHERE note_id = :note ORDER BY seq", note=note_id
        )
        for (seq,) in numbers:
            row = self._tx.require_row(
                "SELECT * FROM snapshots WHERE note_id = :note AND seq = :seq",
                note=note_id,
                seq=seq,
            )
            self._report.snapshots += 1
            yield _json_line(
                {
                    "seq": seq,
                    "label": row["label"],
                    "title": row["title"],
                    "message": row["message"],
                    "author": msgspec.Raw(row["author"]),
                    "automatic": row["automatic"] == 1,
                    "created": row["created_at"],
                    "content": address_links.to_keys(row["content"], plan.known_key),
                }
            )

    def _parts(self, row: sqlite3.Row) -> Iterator[bytes]:
        for (number,) in self._tx.all(
            "SELECT number FROM attachment_parts WHERE attachment_id = :id ORDER BY number",
            id=row["id"],
        ):
            yield self._tx.value(
                "SELECT bytes FROM attachment_parts WHERE attachment_id = :id AND number = :number",
                id=row["id"],
                number=number,
            )

    def _write_own(self) -> None:
        """Write conversations, settings and agents, where the credential may read them."""
        from app.portability.exports import export_agents, export_conversations

        if "agent.chat:read" in self._me.rights:
            self._report.conversations = export_conversations.write_conversations(
                self._tx, self._me, self._put, self._leave, self._key
            )
        else:
            self._leave("conversations", "the credential may not read them")
        if "account:manage" in self._me.rights:
            self._put(SETTINGS, [_pretty_json(chosen_settings(self._tx, self._me))])
        else:
            self._leave("settings", "the credential may not read them")
        agents = export_agents.agent_records(self._tx, self._me)
        if agents and "agents:read" in self._me.rights:
            self._put(AGENTS, [_pretty_json(agents)])
        elif agents:
            self._leave("agents", "the credential may not read them")

    def _name_the_rest(self) -> None:
        """Name what stays here."""
        for kind, title, path in self._tx.all(
            "SELECT kind, title, path FROM trash WHERE owner_id = :me ORDER BY id", me=self._me.user
        ):
            if f"os.{'todos' if kind == 'todo' else 'notes'}:read" in self._me.rights:
                self._leave(
                    f"{path}/{title}".lstrip("/"),
                    f"this {kind} is in the trash; restore it to export it",
                )
        if "account:manage" not in self._me.rights:
            return
        for reason, sql in _LEFT.items():
            for row in self._tx.all(sql, me=self._me.user):
                self._leave(str(row[0]), reason)

    def _put(self, path: str, parts: Any, modified: float | None = None) -> None:
        self._sink.put(path, self._counted(parts), modified)

    def _counted(self, parts: Any) -> Iterator[bytes]:
        for part in parts:
            self._report.bytes += len(part)
            yield part

    def _count(self) -> None:
        self._done += 1
        if self._done % EVERY == 0 or self._done == self._total:
            self._tell(self._done, self._total)

    def _leave(self, name: str, reason: str) -> None:
        note_left_out(
            self._report,
            NotCarried(access.without_link_tokens(self._tx, self._me.user, name), reason),
        )


def chosen_settings(tx: Tx, me: Caller) -> dict[str, Any]:
    """Return what the user has chosen otherwise than it is for everybody, by the names of the
    contract.
    """
    own = users.settings_of(tx, me.user)
    usual = msgspec.to_builtins(users.AccountSettings(name=me.username))
    return {name: value for name, value in msgspec.to_builtins(own).items() if value != usual[name]}


def _note_fields(note: sqlite3.Row, key: str) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": key,
        "title": note["title"],
        "created": note["created_at"],
        "updated": note["updated_at"],
    }
    tags = msgspec.json.decode(note["tags"])
    more = {
        "tags": tags or None,
        "pinned": True if note["pinned"] else None,
        "version": note["version"] if note["version"] > 1 else None,
    }
    return fields | {name: value for name, value in more.items() if value is not None}


def _epoch_seconds(moment: str) -> float | None:
    """Return a stored moment in seconds since 1970; None for one that no file can have."""
    try:
        return datetime.fromisoformat(moment).timestamp()
    except (ValueError, OverflowError):
        return None


def _folder_record(folder: Any) -> dict[str, Any]:
    given = {
        "place": folder.place,
        "path": folder.names,
        "icon": folder.icon,
        "created": folder.created_at,
    }
    return {name: value for name, value in given.items() if value is not None}


def _file_record(plan: Plan, row: sqlite3.Row) -> dict[str, Any]:
    return {
        "place": plan.files[row["id"]],
        "id": plan.key("file", row["id"]),
        "name": row["name"],
        "mediaType": row["media_type"],
        "created": row["created_at"],
    }


def _json_line(value: Any) -> bytes:
    return msgspec.json.encode(value) + b"\n"


def _pretty_json(value: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


_LEFT = {
    "API keys are never exported": "SELECT name FROM keys "
    "WHERE user_id = :me AND revoked_at IS NULL ORDER BY id",
    "connections to calendars are not exported; connect it again": "SELECT name FROM integrations "
    "WHERE user_id = :me ORDER BY id",
    "contacts are not exported; ask them to connect again": """SELECT username FROM contacts c
        JOIN users u ON u.id = c.contact_id WHERE c.user_id = :me ORDER BY username""",
    "this folder belongs to someone else": """SELECT f.name FROM folder_shares s
        JOIN folders f ON f.id = s.folder_id
        WHERE s.user_id = :me AND f.trash_id IS NULL ORDER BY f.id""",
    "shares of folders are not exported": """SELECT f.name || ' with ' || u.username
        FROM folder_shares s
        JOIN folders f ON f.id = s.folder_id
        JOIN users u ON u.id = s.user_id WHERE f.owner_id = :me AND f.trash_id IS NULL
          ORDER BY f.id, u.id""",
    "briefings are not exported": "SELECT 'Briefing of ' || generated_at FROM briefings "
    "WHERE owner_id = :me ORDER BY id",
    "the heartbeat's schedule is not exported": "SELECT 'Heartbeat' FROM heartbeats "
    "WHERE user_id = :me",
}
