"""HEARTBEAT.md: the checklist of the heartbeat.

It is an ordinary note below `Memory/Self/` that its owner edits, here or as any note.
"""

import sqlite3
import unicodedata
from typing import Annotated

from msgspec import Meta

from app.account import users
from app.agent.memory import memory, recall
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import Record, Text
from app.errors import Invalid
from app.workspace.folders import folder_rows
from app.workspace.notes import note_edits, note_rows

TITLE = "HEARTBEAT.md"
LONGEST = 10_000
ENGLISH = """# Heartbeat

- Urgent mail: tell me of messages and requests that wait for an answer
- Calendar: tell me what begins in the next 2 hours
- Todos: remind me of what is overdue or has top priority
- Always summarise what there is to tell
"""
GERMAN = """# Heartbeat

- Dringende Post: sag mir, welche Nachrichten und Anfragen auf eine Antwort warten
- Kalender: sag mir, was in den nächsten 2 Stunden beginnt
- Aufgaben: erinnere mich an das, was überfällig ist oder höchste Priorität hat
- Immer zusammenfassen, was es zu sagen gibt
"""
Checklist = Annotated[
    str,
    Meta(description="Markdown, at most 10000 characters; empty is a list without items"),
    Text(LONGEST),
]


class Instructions(Record):
    """The checklist; `isDefault` while it is the one that Hearth begins with, `noteId` null
    until it is a note.
    """

    instructions: str
    is_default: bool
    updated_at: str | None
    note_id: int | None


@operation("GET /heartbeat/instructions", scope="os.heartbeat:read")
def read_heartbeat_instructions(tx: Tx, me: Caller) -> Instructions:
    """Read the heartbeat's checklist, the note Memory/Self/HEARTBEAT.md."""
    note = find_note(tx, me.user)
    if note is None:
        text = default_of(tx, me.user)
        return Instructions(text, is_default=True, updated_at=None, note_id=None)
    is_default = note["content"] in (ENGLISH, GERMAN)
    return Instructions(note["content"], is_default, note["updated_at"], note["id"])


@operation(
    "PUT /heartbeat/instructions",
    scope="os.heartbeat:run",
    http=Http(
        refuses={
            "instructions": "content is given with another text",
            "content": "neither it nor instructions is given, or it holds control characters",
        }
    ),
)
def replace_heartbeat_instructions(
    tx: Tx, me: Caller, *, content: Checklist | None = None, instructions: Checklist | None = None
) -> Instructions:
    """Replace the heartbeat's checklist; the one before is kept as a snapshot.

    `instructions` is another name of `content`.
    """
    text = _given_text(content, instructions)
    # They would be invisible in the note and yet part of what is asked for.
    if bad := next(
        (mark for mark in text if mark not in "\n\r\t" and unicodedata.category(mark) == "Cc"), None
    ):
        raise Invalid(
            f"content must be text; it holds the control character U+{ord(bad):04X}.",
            field="content",
        )
    write(tx, me, text)
    return read_heartbeat_instructions(tx, me)


def default_of(tx: Tx, user: int) -> str:
    """Return the checklist that Hearth begins with, in the user's language where it is known."""
    return GERMAN if users.settings_of(tx, user).locale.startswith("de") else ENGLISH


def read_checklist(tx: Tx, user: int) -> str:
    """Return the checklist that holds; of a note that has grown too long only the beginning."""
    note = find_note(tx, user)
    return default_of(tx, user) if note is None else str(note["content"])[:LONGEST]


def write(tx: Tx, me: Caller, content: str) -> None:
    """Store a checklist as the note, which is made with its folders where it is missing."""
    note, text = find_note(tx, me.user), note_rows.measure_text(content)
    if note is None:
        folder_id, _ = folder_rows.ensure(tx, me.user, None, (recall.FOLDER, memory.SELF))
        note_rows.insert(tx, owner=me.user, folder_id=folder_id, title=TITLE, text=text)
    else:
        note_edits.apply_edit(tx, me, note, note_edits.NoteEdit(None, text, None))


def find_note(tx: Tx, user: int) -> sqlite3.Row | None:
    """Return the note, of several of that title the one with the lowest id."""
    folder_id = recall.memory_folder(tx, user, memory.SELF)
    return None if folder_id is None else recall.find_note(tx, user, folder_id, TITLE)


def _given_text(content: str | None, instructions: str | None) -> str:
    """Return the one of the two names that was used."""
    if content is None and instructions is None:
        raise Invalid("content is required: the checklist, which may be empty.", field="content")
    if content is not None and instructions is not None and content != instructions:
        raise Invalid(
            "instructions is another name of content; give only one of them.", field="instructions"
        )
    return content if content is not None else instructions or ""
