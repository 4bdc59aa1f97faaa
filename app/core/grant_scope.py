"""What a grant narrows a caller to: which notes, and which operations at all.

Whatever is not listed here cannot be called.
"""

import dataclasses
from collections.abc import Mapping
from typing import Literal

NotesScope = Literal["none", "all", "folders", "note_only"]
Access = Literal["read", "write", "edit"]
Calendar = Literal["none", "free_busy", "read", "write"]

READ_NOTES = frozenset(
    "search_notes grep_notes get_note_content list_folders list_notes "
    "list_snapshots read_snapshot read_version diff_snapshots".split()
)
CREATE_NOTES = frozenset({"create_note"})
EDIT_NOTES = frozenset({"edit_note", "save_snapshot", "restore_snapshot"})
READ_TODOS = frozenset({"search_todos", "get_todo"})
CREATE_TODOS = frozenset({"create_todo"})
READ_CALENDAR = frozenset({"search_calendar_events"})
BY_ACCESS: Mapping[Access, frozenset[str]] = {
    "read": READ_NOTES,
    "write": READ_NOTES | CREATE_NOTES,
    "edit": READ_NOTES | CREATE_NOTES | EDIT_NOTES,
}
SCOPES: Mapping[str, frozenset[str]] = {
    "os.notes:read": READ_NOTES,
    "os.snapshots:read": READ_NOTES,
    "os.notes:write": CREATE_NOTES | EDIT_NOTES,
    "os.snapshots:write": EDIT_NOTES,
    "os.todos:read": READ_TODOS | READ_CALENDAR,
    "os.todos:write": CREATE_TODOS,
}
"""Each scope with the operations for which a narrowed caller holds it."""
LENT = frozenset({"web_search", "read_url"})
REMOTE = "__"
"""What a grant may lend beside the workspace.

The tools of the web, and those of other servers, whose names hold this.
"""


@dataclasses.dataclass(frozen=True, slots=True)
class GrantScope:
    """How far a narrowed caller reaches into its owner's workspace.

    `folders` reach down to all below them; `note` is the only one of note_only.

    Only what is the owner's own: what others share with the owner is not passed on.
    """

    notes: NotesScope = "none"
    access: Access = "read"
    folders: frozenset[int] = frozenset()
    note: int | None = None
    hidden: frozenset[int] = frozenset()
    """Notes that it does not reach wherever they lie.

    The policies of share links, whose titles hold what opens the links.
    """
    calendar: Calendar = "none"
    email: bool = False
    todos_read: bool = False
    todos_create: bool = False
    tools: frozenset[str] = frozenset()
    also: frozenset[str] = frozenset()
    """Operations beside those of the workspace, such as sending messages."""
    operations: frozenset[str] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        notes = frozenset[str]() if self.notes == "none" else BY_ACCESS[self.access]
        if self.notes == "note_only":
            notes -= CREATE_NOTES
        todos = (READ_TODOS if self.todos_read else frozenset()) | (
            CREATE_TODOS if self.todos_create else frozenset()
        )
        calendar = frozenset[str]() if self.calendar == "none" else READ_CALENDAR
        object.__setattr__(self, "operations", notes | todos | calendar | self.lent | self.also)

    @property
    def lent(self) -> frozenset[str]:
        """Those of `tools` that a grant can lend.

        All others come from the other parts of a grant or not at all.
        """
        return frozenset(tool for tool in self.tools if tool in LENT or REMOTE in tool)

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes that its operations need, and no other."""
        needed = [scope for scope, operations in SCOPES.items() if self.operations & operations]
        return (*needed, "tools:run") if self.lent else tuple(needed)
