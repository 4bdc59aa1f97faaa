"""What a bridge has received and done, a line of JSON for each step, synced before it goes on.

So whatever ends the bridge, it knows afterwards what it had begun, and begins nothing twice.
"""

import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO, Literal

import msgspec

from app.core.database.small_files import replace_file

KEPT = timedelta(days=8)
"""How long what is done is remembered: longer than a server keeps events that it may send again."""
TIDY_AFTER = 1_000
"""So many messages later the journal of a bridge that runs on is tidied."""
State = Literal["received", "acked", "asking", "accepted", "running", "answered", "done", "ended"]
OVER: tuple[State, ...] = ("done", "ended")


class Entry(msgspec.Struct, omit_defaults=True):
    """A message and how far it has come.

    received → acked (the server knows that it is here) → asking (its owner is asked) → accepted
    → running (from here it never starts again) → answered → done. `ended` says why in `reason`.
    """

    envelope: dict[str, Any]
    at: str
    state: State = "received"
    approval_id: str = ""
    ack_id: str = ""
    outcome: str = ""
    answer: str = ""
    reason: str = ""

    @property
    def id(self) -> str:
        """The message's id."""
        return str(self.envelope.get("id", ""))

    @property
    def session(self) -> str:
        """The grant under which it came."""
        return str(self.envelope.get("communicationSessionId", ""))

    @property
    def reply_to(self) -> str:
        """The message that it answers, or empty."""
        return str(self.envelope.get("replyTo") or "")

    @property
    def correlation(self) -> str:
        """What the task and its answer have in common."""
        return str(self.envelope.get("correlationId") or self.id)

    @property
    def is_task(self) -> bool:
        """Whether somebody waits for what a runtime makes of it."""
        return not self.reply_to or self.turn.get("expectsReply") is True

    @property
    def turn(self) -> dict[str, Any]:
        """What kind of word it is in a collaboration; empty outside of one."""
        turn = self.envelope.get("collaborationTurn")
        return turn if isinstance(turn, dict) else {}


class Step(msgspec.Struct, omit_defaults=True):
    """How far a message has come, and what is known of it since; empty is as before."""

    id: str
    at: str
    state: State
    approval_id: str = ""
    ack_id: str = ""
    outcome: str = ""
    answer: str = ""
    reason: str = ""

    def take(self, entry: Entry) -> None:
        """Let an entry be as this step says."""
        for name in self.__struct_fields__[1:]:
            if value := getattr(self, name):
                setattr(entry, name, value)


class Line(msgspec.Struct, omit_defaults=True):
    """One line: where the stream has been read to, a message, or a step of one."""

    cursor: str = ""
    entry: Entry | None = None
    step: Step | None = None


class Journal:
    """The journal of the one bridge that runs in a folder."""

    def __init__(self, path: Path) -> None:
        """Read what is there and leave out what was over long ago; raise OSError."""
        self._path = path
        self.cursor, self.entries = read_journal(path)
        self._file = self._written_anew()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def keep_cursor(self, cursor: str) -> None:
        """Note that the stream was read so far; what is lost of that is only read again."""
        self._append(Line(cursor=cursor))
        self.cursor = cursor

    def receive(self, envelope: dict[str, Any]) -> Entry:
        """Return the entry of a message, which is on the disk; a new one where it is new."""
        known = self.entries.get(str(envelope.get("id", "")))
        if known is not None:
            return known
        if self._received >= TIDY_AFTER:
            self._file.close()
            self._file = self._written_anew()
        entry = Entry(envelope, _now())
        self._append(Line(entry=entry), sync=True)
        self._received += 1
        self.entries[entry.id] = entry
        return entry

    def change(self, entry: Entry, state: State, **facts: str) -> None:
        """Note on the disk how far a message has come, and only then in the entry."""
        step = Step(entry.id, _now(), state, **facts)
        self._append(Line(step=step), sync=True)
        step.take(entry)

    def open_entries(self) -> Iterator[Entry]:
        """Yield what is not over, in the order in which it came."""
        return (one for one in list(self.entries.values()) if one.state not in OVER)

    def _written_anew(self) -> BinaryIO:
        oldest = (datetime.now(UTC) - KEPT).isoformat()
        for old in [one for one in self.entries.values() if one.state in OVER and one.at < oldest]:
            del self.entries[old.id]
        lines = [Line(cursor=self.cursor), *(Line(entry=one) for one in self.entries.values())]
        replace_file(self._path, b"".join(map(_encode, lines)), sync=True)
        self._received = 0
        return self._path.open("ab", buffering=0)

    def _append(self, line: Line, *, sync: bool = False) -> None:
        whole, text = self._file.tell(), _encode(line)
        try:
            if self._file.write(text) != len(text):
                raise OSError("the disk is full")  # noqa: TRY301 - as any other failure to write
            if sync:
                os.fsync(self._file.fileno())
        except OSError:
            self._file.truncate(whole)  # half a line would hide what follows it
            raise


def read_journal(path: Path) -> tuple[str, dict[str, Entry]]:
    """Return how far the stream was read, and all messages; half a line at the end is nothing."""
    cursor, entries = "0", {}
    for line in _lines(path):
        if line.cursor:
            cursor = line.cursor
        if line.entry is not None:
            entries[line.entry.id] = line.entry
        if line.step is not None and line.step.id in entries:
            line.step.take(entries[line.step.id])
    return cursor, entries


def find_answer(entries: Iterable[Entry], correlation: str) -> Entry | None:
    """Return the answer to a task, once it has come.

    What was answered here in turn is none, nor that the other side asks its owner.
    """
    return next(
        (
            one
            for one in entries
            if one.reply_to
            and one.correlation == correlation
            and one.state == "done"
            and not one.answer
            and one.turn.get("outcome") != "needs_owner"
        ),
        None,
    )


def _lines(path: Path) -> Iterator[Line]:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return
    for text in content.split(b"\n"):
        try:
            yield msgspec.json.decode(text, type=Line)
        except msgspec.DecodeError:
            continue


def _encode(line: Line) -> bytes:
    return msgspec.json.encode(line) + b"\n"


def _now() -> str:
    return datetime.now(UTC).isoformat()
