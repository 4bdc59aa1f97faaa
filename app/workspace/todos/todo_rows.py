"""The table of todos: every statement that changes it.

Each keeps the counts and the deadline in step.
"""

import sqlite3
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple
from zoneinfo import ZoneInfo

from app.core.database.tx import Tx
from app.errors import NotFound
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.index import name_index
from app.workspace.todos import due, todo_counts, todo_steps


class Draft(NamedTuple):
    """What a caller says of a todo, checked and as it is stored.

    `steps` and `recurrence` are JSON, `wall` is the time a series keeps.
    """

    title: str
    description: str | None = None
    priority: int = 0
    due_date: str | None = None
    steps: str = "[]"
    last_step: int = 0
    recurrence: str | None = None
    wall: str | None = None


def find_live(tx: Tx, owner: int, todo_id: int) -> sqlite3.Row | None:
    """Return an owner's live todo, or None."""
    return tx.one(
        "SELECT * FROM todos WHERE id = :id AND owner_id = :owner AND trash_id IS NULL",
        id=todo_id,
        owner=owner,
    )


def require_live(tx: Tx, owner: int, todo_id: int) -> sqlite3.Row:
    """Return an owner's live todo; raise NotFound."""
    found = find_live(tx, owner, todo_id)
    if found is None:
        raise NotFound("There is no such todo.")
    return found


def draft_of(todo: sqlite3.Row) -> Draft:
    """Return a stored todo as the draft that would make it."""
    return Draft(*(todo[name] for name in Draft._fields))


def insert(tx: Tx, owner: int, draft: Draft, *, zone: ZoneInfo) -> int:
    """Add an open todo and return its id; `zone` is the one its owner has set."""
    todo_id = tx.insert(
        "todos",
        owner_id=owner,
        deadline=_deadline(tx, owner, draft.due_date, zone),
        words=_draft_words(draft),
        created_at=tx.now,
        updated_at=tx.now,
        **draft._asdict(),
    )
    todo_counts.add(tx, owner, still_open=1)
    return todo_id


def update(tx: Tx, todo: sqlite3.Row, draft: Draft, *, zone: ZoneInfo) -> None:
    """Store a draft over a todo; one that says the same already is left alone."""
    if draft != draft_of(todo):
        tx.run(
            """UPDATE todos SET title = :title, description = :description,
               priority = :priority, due_date = :due_date, steps = :steps,
                   last_step = :last_step, recurrence = :recurrence, wall = :wall, deadline =
                     :deadline, words = :words, updated_at = :now
               WHERE id = :id AND owner_id = :owner""",
            id=todo["id"],
            owner=todo["owner_id"],
            deadline=_deadline(tx, todo["owner_id"], draft.due_date, zone),
            words=_draft_words(draft),
            now=tx.now,
            **draft._asdict(),
        )
        name_index.rename(
            tx, "todo", todo["id"], owner=todo["owner_id"], old=todo["title"], new=draft.title
        )
        todo_counts.add(tx, todo["owner_id"])


def set_completed(tx: Tx, todo: sqlite3.Row, *, completed: bool) -> None:
    """Complete or reopen a todo that is in the other state."""
    tx.update(
        "todos",
        {"id": todo["id"], "owner_id": todo["owner_id"]},
        completed=completed,
        completed_at=tx.now if completed else None,
        updated_at=tx.now,
    )
    change = 1 if completed else -1
    todo_counts.add(tx, todo["owner_id"], still_open=-change, completed=change)


def set_times(tx: Tx, owner: int, todo_id: int, *, created_at: str, updated_at: str) -> None:
    """Set the times of a todo that comes from elsewhere."""
    tx.update(
        "todos", {"id": todo_id, "owner_id": owner}, created_at=created_at, updated_at=updated_at
    )


def set_next(tx: Tx, todo: sqlite3.Row, next_id: int) -> None:
    """Note which todo goes on with the series of this one."""
    tx.update("todos", {"id": todo["id"], "owner_id": todo["owner_id"]}, next_id=next_id)


def reschedule(tx: Tx, owner: int, todo_id: int, *, due_date: str, zone: ZoneInfo) -> None:
    """Give a todo another due date."""
    tx.update(
        "todos",
        {"id": todo_id, "owner_id": owner},
        due_date=due_date,
        deadline=_deadline(tx, owner, due_date, zone),
        updated_at=tx.now,
    )
    todo_counts.add(tx, owner)


def set_trash(tx: Tx, todo_ids: Sequence[int], trash_id: int | None) -> None:
    """Put todos into the trash under one entry, or with None take them out."""
    listed = id_list(todo_ids)
    _add_to_counts(
        tx,
        f"id IN ({IN_LIST}) AND (trash_id IS NULL) = :going",
        -1 if trash_id else 1,
        ids=listed,
        going=trash_id is not None,
    )
    tx.run(
        f"UPDATE todos SET trash_id = :trash WHERE id IN ({IN_LIST})", trash=trash_id, ids=listed
    )


def purge(tx: Tx, todo_ids: Sequence[int]) -> int:
    """Delete todos for good, live or trashed; return their number."""
    listed = id_list(todo_ids)
    _add_to_counts(tx, f"id IN ({IN_LIST}) AND trash_id IS NULL", -1, ids=listed)
    _forget_names(tx, f"id IN ({IN_LIST})", ids=listed)
    return tx.run(f"DELETE FROM todos WHERE id IN ({IN_LIST})", ids=listed).rowcount


def purge_owner(tx: Tx, owner: int) -> None:
    """Delete every todo of an owner for good."""
    _forget_names(tx, "owner_id = :owner", owner=owner)
    tx.run("DELETE FROM todos WHERE owner_id = :owner", owner=owner)
    todo_counts.purge_owner(tx, owner)


def _forget_names(tx: Tx, which: str, **params: object) -> None:
    for row in tx.all(f"SELECT id, owner_id, title FROM todos WHERE {which}", **params):
        name_index.remove(tx, "todo", row["id"], owner=row["owner_id"], name=row["title"])


def fold_text(text: str) -> str:
    """Return a text without accents and case, as words are compared."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text)
    return "".join(mark for mark in parts if not unicodedata.combining(mark)).casefold()


def stored_words(todo: sqlite3.Row) -> str:
    """Return the words by which a stored todo is found."""
    return _draft_words(draft_of(todo))


def rebuild(tx: Tx) -> None:
    """Make words and deadlines anew from what the todos say."""
    for todo in tx.all(
        "SELECT t.*, l.zone FROM todos t LEFT JOIN todo_lists l ON l.owner_id = t.owner_id"
    ):
        tx.update(
            "todos",
            {"id": todo["id"]},
            words=stored_words(todo),
            deadline=due.sortable_deadline(todo["due_date"], ZoneInfo(todo["zone"] or "UTC")),
        )


def _draft_words(draft: Draft) -> str:
    steps = (step.title for step in todo_steps.decode_steps(draft.steps))
    return fold_text("\n".join((draft.title, draft.description or "", *steps)))


def _deadline(tx: Tx, owner: int, due_date: str | None, zone: ZoneInfo) -> str:
    """Return the deadline to store.

    All days of an owner have theirs in one zone, so a new one moves them all.
    """
    # A day ends at another moment in another zone, and lists are sorted by the stored moment.
    is_day = due_date is not None and due.is_whole_day(due_date)
    if is_day and todo_counts.set_zone(tx, owner, zone):
        for row in tx.all(
            "SELECT id, due_date FROM todos WHERE owner_id = :owner AND length(due_date) = 10",
            owner=owner,
        ):
            tx.update(
                "todos", {"id": row["id"]}, deadline=due.sortable_deadline(row["due_date"], zone)
            )
    return due.sortable_deadline(due_date, zone)


def _add_to_counts(tx: Tx, which: str, sign: int, **params: object) -> None:
    for row in tx.all(
        "SELECT owner_id, completed, count(*) AS number FROM todos "
        f"WHERE {which} GROUP BY owner_id, completed",
        **params,
    ):
        number = sign * row["number"]
        todo_counts.add(
            tx,
            row["owner_id"],
            still_open=0 if row["completed"] else number,
            completed=number if row["completed"] else 0,
        )
