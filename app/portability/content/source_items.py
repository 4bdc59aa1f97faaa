"""What a source of an import gives, one item after another, whatever its format."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any, BinaryIO, Literal, Protocol
from urllib.parse import quote

import msgspec

from app.workspace.notes.snapshot_rows import ImportedSnapshot

Folders = tuple[str, ...]
"""Names of folders from the outermost in; the empty tuple is the top."""


class SourceFolder(msgspec.Struct, frozen=True, kw_only=True):
    """A folder that must be there even if no note is in it."""

    path: Folders
    description: str | None = None
    icon: str | None = None
    created: str | None = None


class SourceNote(msgspec.Struct, frozen=True, kw_only=True):
    """A note of the source.

    `key` names it within its source for good (a path, an id); importing the same source again
    knows it by this. In `text`, an address `note:KEY` stands for another note of the source and
    `attachment:KEY` for one of its files (`address` writes them); the import puts the true ones
    there. Times are as the source has them, ISO 8601 or None; the import checks them. Where it
    has none, `day` (of which the note is the journal) and `modified` (of its file, in seconds
    since 1970) stand in; that they change is no change of the note. Only Hearth's own trees have
    `version` and `snapshots`.
    """

    key: str
    path: Folders
    title: str
    text: str
    form: Literal["markdown", "html"] = "markdown"
    tags: tuple[str, ...] = ()
    pinned: bool = False
    created: str | None = None
    updated: str | None = None
    day: date | None = None
    modified: float | None = None
    version: int = 1
    snapshots: Callable[[], Iterator[ImportedSnapshot]] | None = None


class SourceFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that notes of the source show or link.

    `open` gives its bytes as a stream, each time from the start.
    """

    key: str
    name: str
    open: Callable[[], BinaryIO]
    size: int | None = None
    media_type: str | None = None
    created: str | None = None


class SourceTodo(msgspec.Struct, frozen=True, kw_only=True):
    """A todo of the source; `priority` is Hearth's 0 to 10 or None, `due` a date or a time in
    ISO 8601, `rule` an RRULE.
    """

    key: str
    title: str
    description: str | None = None
    steps: tuple[tuple[str, bool], ...] = ()
    """Titles, and whether each is done."""
    completed: bool = False
    completed_at: str | None = None
    priority: int | None = None
    due: str | None = None
    rule: str | None = None
    created: str | None = None
    updated: str | None = None
    counted_from: Literal["due", "done"] = "due"
    wall: str | None = None
    next: str | None = None
    """Key of the todo that goes on with the series of this one."""


class MessageFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that a message had; `key` is None for one that was deleted."""

    key: str | None
    name: str
    media_type: str


class SourceMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One message between the user and their agent."""

    role: Literal["user", "assistant"]
    sender_type: Literal["human", "agent"]
    label: str
    content: str
    created: str
    files: tuple[MessageFile, ...] = ()


class SourceConversation(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation of the user with their agent."""

    key: str
    title: str
    created: str
    messages: tuple[SourceMessage, ...]


class SourceSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the user had chosen, by the names of the contract.

    The import takes what the account has not chosen for itself yet.
    """

    values: dict[str, Any]


class SourceAgents(msgspec.Struct, frozen=True, kw_only=True):
    """The managed agents of the user, by the names of the contract; folders by their names."""

    agents: list[dict[str, Any]]


class NotCarried(msgspec.Struct, frozen=True):
    """Something of the source that is not imported as it is: its name there, and the reason."""

    name: str
    reason: str


class PassedOver(NotCarried, frozen=True):
    """A hidden file or folder, left out on purpose; an upload is not refused for it."""


Item = (
    SourceFolder
    | SourceNote
    | SourceFile
    | SourceTodo
    | SourceConversation
    | SourceSettings
    | SourceAgents
    | NotCarried
)


def item_address(kind: Literal["note", "attachment"], key: str) -> str:
    """Return the address that stands for a note or a file of the source in a text."""
    # Quoted, as a key may be a path with brackets or spaces, which would end the link.
    return f"{kind}:{quote(key, safe='/')}"


class Source(Protocol):
    """What is to be imported, opened.

    Its items come as a stream and may be asked for again from the start.
    """

    format: str
    """The format's name, such as `obsidian` or `joplin-jex`."""

    def total(self) -> int | None:
        """Count the items, or None where that costs as much as reading them."""
        ...

    def items(self) -> Iterator[Item]:
        """Return everything, the files of a note before or after it.

        Damage is told as NotCarried and never raised.
        """
        ...

    def close(self) -> None:
        """Let go of open files."""
        ...
