"""Episodes: what has been said and done, in passages small enough to be found again.

Every statement that changes them, and their word index.

An episode is a turn of a conversation, a briefing or a run of the heartbeat; facts are notes
below `Memory/` and need none. Each owner has a word index of their own, `episode_words_<owner
id>`, so that neither results nor scores nor times of a search depend on what others have said.
"""

from typing import Literal

from app.core.database.tx import Tx
from app.workspace.index.spellings import TOKENIZER, text_for_index

Kind = Literal["conversation", "briefing", "heartbeat"]
LONGEST_TEXT = 40_000
"""Of a longer text the beginning is kept."""
CHANGED = "episode.changed"
"""Published with an episode's id when it comes, changes or goes."""
MANY_CHANGED = "episodes.changed"
"""Published with an owner when many of their episodes go at once."""
FORGOTTEN_AT_ONCE = 50


def add(
    tx: Tx,
    user: int,
    *,
    kind: Kind,
    key: str,
    title: str,
    text: str,
    at: str,
    path: str,
    conversation_id: int | None = None,
) -> int:
    """Keep an episode of a user and return its id; one with the same kind and key is replaced.

    `key` names what it is about, `path` where that can be read; `text` says in plain words or
    Markdown what was said or done, at the moment `at`.
    """
    text = text[:LONGEST_TEXT]
    row = tx.one(
        "SELECT id, title, text FROM episodes "
        "WHERE user_id = :user AND kind = :kind AND key = :key",
        user=user,
        kind=kind,
        key=key,
    )
    if row is None:
        episode = tx.insert(
            "episodes",
            user_id=user,
            kind=kind,
            key=key,
            conversation_id=conversation_id,
            path=path,
            title=title,
            at=at,
            text=text,
        )
    else:
        episode = row["id"]
        _delete_words(tx, user, episode, title=row["title"], text=row["text"])
        tx.run(
            """UPDATE episodes SET version = version + 1, conversation_id =
          :conversation, path = :path, title = :title, at = :at, text = :text
               WHERE id = :id""",
            conversation=conversation_id,
            path=path,
            title=title,
            at=at,
            text=text,
            id=episode,
        )
    _insert_words(tx, user, episode, title=title, text=text)
    tx.emit(CHANGED, id=episode)
    return episode


def forget_conversation(tx: Tx, conversation: int, *, user: int | None = None) -> None:
    """Forget every episode of a conversation, whosever it is, or those of one user."""
    whose = "" if user is None else " AND user_id = :user"
    _delete_where(
        tx, f"conversation_id = :conversation{whose}", conversation=conversation, user=user
    )


def table_name(owner: int) -> str:
    """Return the name of an owner's word index."""
    return f"episode_words_{owner:d}"


def has_words(tx: Tx, owner: int) -> bool:
    """Return whether an owner has a word index."""
    return tx.one("SELECT 1 FROM episode_owners WHERE owner_id = :owner", owner=owner) is not None


def do_idle_work(tx: Tx) -> bool:
    """Delete the word index of a user who is gone; return whether there may be another one."""
    gone: int | None = tx.value(
        "SELECT owner_id FROM episode_owners o WHERE NOT EXISTS (SELECT 1 FROM users "
        "WHERE id = o.owner_id) LIMIT 1"
    )
    if gone is None:
        return False
    tx.run("DELETE FROM episode_owners WHERE owner_id = :owner", owner=gone)
    # Rows of a deleted user go by their foreign keys, a table of their own does not.
    tx.run(f"DROP TABLE {table_name(gone)}")
    return True


def _delete_where(tx: Tx, which: str, **params: object) -> None:
    rows = tx.all(f"SELECT id, user_id, title, text FROM episodes WHERE {which}", **params)
    for row in rows:
        _delete_words(tx, row["user_id"], row["id"], title=row["title"], text=row["text"])
        tx.run("DELETE FROM episodes WHERE id = :id", id=row["id"])
    # One event drops all vectors of an owner from memory, which is cheaper than many single ones.
    if len(rows) <= FORGOTTEN_AT_ONCE:
        for row in rows:
            tx.emit(CHANGED, id=row["id"])
    else:
        for user in {row["user_id"] for row in rows}:
            tx.emit(MANY_CHANGED, owner=user)


def _insert_words(tx: Tx, owner: int, episode: int, *, title: str, text: str) -> None:
    _ensure_table(tx, owner)
    tx.run(
        f"INSERT INTO {table_name(owner)} (rowid, title, content) VALUES (:id, :title, :text)",
        id=episode,
        title=text_for_index(title),
        text=text_for_index(text),
    )


def _delete_words(tx: Tx, owner: int, episode: int, *, title: str, text: str) -> None:
    name = table_name(owner)
    tx.run(
        # A contentless index keeps no text: what leaves it must be given exactly as it came in.
        f"INSERT INTO {name} ({name}, rowid, title, content) VALUES ('delete', :id, :title, :text)",
        id=episode,
        title=text_for_index(title),
        text=text_for_index(text),
    )


def _ensure_table(tx: Tx, owner: int) -> None:
    """Make an owner's word index if it is missing."""
    if (
        tx.run(
            "INSERT INTO episode_owners (owner_id) VALUES (:owner) ON CONFLICT DO NOTHING",
            owner=owner,
        ).rowcount
        == 0
    ):
        return
    name = table_name(owner)
    tx.run(
        # The texts lie in `episodes` already, so the index keeps none (content='').
        f"CREATE VIRTUAL TABLE {name} USING fts5 (title, content, content='', "
        f'tokenize="{TOKENIZER}")'
    )
    tx.run(f"INSERT INTO {name} ({name}, rank) VALUES ('rank', 'bm25(2.0, 1.0)')")
