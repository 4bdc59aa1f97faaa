"""The index of names (FTS5, contentless) with its words and tags: every statement that changes it.

It holds the names of notes, folders, todos and tags as tokens that begin with their owner and
kind, so that what others have is never even read. A new name costs its write nothing: ids only
grow, and the highest one that is indexed is remembered for each kind; those above it are indexed
when the writer is idle or when somebody asks, whichever comes first.
"""

import sqlite3
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from app.core.database.tx import Tx
from app.core.text import fold_name
from app.workspace.index import name_text

Kind = Literal["note", "folder", "todo", "tag"]
NUMBERS: dict[Kind, int] = {"note": 0, "folder": 1, "todo": 2, "tag": 3}
KINDS = tuple(NUMBERS)
SORTS: dict[Kind, str] = {"note": "n", "folder": "f", "todo": "d", "tag": "t"}
WHOLE, INITIALS = "w", "i"
BATCH = 512
IDLE_BATCH = 64
MERGE_PAGES = 64
BLOCK = 2048
PLANES = 36
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_tags = msgspec.json.Decoder(list[str])
# Part of it is the version of Unicode: another one folds names otherwise, so all is made anew.
_FORMAT = name_text.FORMAT * 10_000 + int("".join(unicodedata.unidata_version.split(".")[:2]))
_WAITING: dict[Kind, str] = {
    "note": "SELECT id, owner_id, title, tags FROM notes WHERE id > :after ORDER BY id LIMIT :most",
    "folder": "SELECT id, owner_id, name, '[]' FROM folders WHERE id > :after "
    "ORDER BY id LIMIT :most",
    "todo": "SELECT id, owner_id, title, '[]' FROM todos WHERE id > :after ORDER BY id LIMIT :most",
}


def rename(tx: Tx, kind: Kind, item_id: int, *, owner: int, old: str, new: str) -> None:
    """Let something be found by its new name instead of its old one, unless it waits to be
    indexed anyway.
    """
    if old != new and item_id <= last_indexed(tx, kind):
        _delete_tokens(tx, owner, kind, item_id, old)
        _insert_tokens(tx, owner, kind, item_id, new)


def change_owner(
    tx: Tx, kind: Kind, item_id: int, name: str, *, old_owner: int, new_owner: int
) -> None:
    """Let something be found by another owner."""
    if item_id <= last_indexed(tx, kind):
        _delete_tokens(tx, old_owner, kind, item_id, name)
        _insert_tokens(tx, new_owner, kind, item_id, name)


def remove(tx: Tx, kind: Kind, item_id: int, *, owner: int, name: str) -> None:
    """Take something out that is about to be deleted for good."""
    if item_id <= last_indexed(tx, kind):
        _delete_tokens(tx, owner, kind, item_id, name)


def add_tags(tx: Tx, owner: int, tags: str) -> None:
    """Let tags be found; those that are already stay as they were first written."""
    for tag in _tags.decode(tags):
        made = tx.run(
            "INSERT INTO tag_names (owner_id, tag_key, name) VALUES (:owner, :key, :tag) "
            "ON CONFLICT DO NOTHING",
            owner=owner,
            key=fold_name(tag),
            tag=tag,
        )
        if made.rowcount:
            _insert_tokens(tx, owner, "tag", made.lastrowid or 0, tag)


def drop_tags(tx: Tx, owner: int, tags: str) -> None:
    """Take out those of some tags that no note of their owner has any more."""
    for tag in _tags.decode(tags):
        row = tx.one(
            """SELECT id, name FROM tag_names WHERE owner_id = :owner AND tag_key = :key
               AND NOT EXISTS (SELECT 1 FROM note_tags t WHERE t.owner_id = :owner
                 AND t.tag_key = :key)""",
            owner=owner,
            key=fold_name(tag),
        )
        if row is not None:
            _delete_tokens(tx, owner, "tag", row["id"], row["name"])
            tx.run("DELETE FROM tag_names WHERE id = :id", id=row["id"])


def purge_owner(tx: Tx, owner: int) -> None:
    """Take out all that is left of a user: tags and words."""
    for row in tx.all("SELECT id, name FROM tag_names WHERE owner_id = :owner", owner=owner):
        _delete_tokens(tx, owner, "tag", row["id"], row["name"])
    tx.run("DELETE FROM tag_names WHERE owner_id = :owner", owner=owner)
    tx.run("DELETE FROM name_words WHERE owner_id = :owner", owner=owner)
    tx.run("DELETE FROM name_letters WHERE owner_id = :owner", owner=owner)


def any_waiting(tx: Tx) -> bool:
    """Return whether a name waits to be indexed."""
    row = tx.require_row(
        """SELECT (SELECT ifnull(max(id), 0) FROM notes) > (SELECT number
           FROM name_progress WHERE kind = 'note')
               OR (SELECT ifnull(max(id), 0) FROM todos) > (SELECT number FROM name_progress
                 WHERE kind = 'todo')
               OR (SELECT ifnull(max(id), 0) FROM folders) > (SELECT number FROM name_progress
                 WHERE kind = 'folder')
               OR (SELECT number FROM name_progress WHERE kind = 'format') <> :format""",
        format=_FORMAT,
    )
    return bool(row[0])


def index_waiting(tx: Tx, most: int = BATCH) -> None:
    """Index some of the names that wait, oldest first.

    An index with tokens of another kind is emptied before, so that all wait.
    """
    if last_indexed(tx, "format") != _FORMAT:
        _delete_all(tx)
    for kind, sql in _WAITING.items():
        rows = tx.all(sql, after=last_indexed(tx, kind), most=most)
        for item_id, owner, name, tags in rows:
            _insert_tokens(tx, owner, kind, item_id, name)
            add_tags(tx, owner, tags)
        if rows:
            tx.update("name_progress", {"kind": kind}, number=rows[-1][0])


def rebuild(tx: Tx) -> None:
    """Empty the index, its words and its tags, so that all names wait for it again."""
    _delete_all(tx)


def is_outdated(tx: Tx) -> bool:
    """Return whether the index has tokens of another kind, or none."""
    return last_indexed(tx, "format") != _FORMAT


def indexed_names(tx: Tx) -> Iterator[tuple[Kind, int, int, str]]:
    """Return kind, id, owner and name of all that should be in the index by now."""
    for kind, sql in _WAITING.items():
        for item_id, owner, name, _ in tx.run(sql, after=0, most=-1):
            if item_id <= last_indexed(tx, kind):
                yield kind, item_id, owner, name
    for item_id, owner, name in tx.run("SELECT id, owner_id, name FROM tag_names"):
        yield "tag", item_id, owner, name


def do_idle_work(tx: Tx) -> bool:
    """Do a little of what can wait for an idle moment; return whether there is more to do."""
    if any_waiting(tx):
        index_waiting(tx, IDLE_BATCH)
        return True
    # FTS5 says that there was nothing to merge by changing one row only.
    before = tx.connection.total_changes
    tx.run("INSERT INTO name_index (name_index, rank) VALUES ('merge', :pages)", pages=MERGE_PAGES)
    return tx.connection.total_changes - before > 1


def token_prefix(owner: int, sort: str) -> str:
    """Return what the tokens of an owner's names of one sort begin with.

    Always as long, so that prefixes of it can be indexed.
    """
    code = ""
    while owner:
        owner, digit = divmod(owner, 36)
        code = _DIGITS[digit] + code
    return code.rjust(5, "0") + sort


def notes_titled(tx: Tx, owner: int, title: str, most: int = 200) -> list[sqlite3.Row]:
    """Return id, title and folder of an owner's live notes with that title, compared without case,
    the newest first; those that wait too.
    """
    # The token is a cut and folded name that others may share, so the titles are compared again.
    plain = name_text.fold_name(title)
    token = token_prefix(owner, WHOLE) + name_text.whole_name_token(
        plain, name_text.split_words(plain)
    )
    rows = tx.all(
        """SELECT n.id, n.title, n.folder_id
           FROM (SELECT rowid >> 2 AS id FROM name_index WHERE name_index MATCH :match
           AND rowid & 3 = 0
               ORDER BY rowid DESC LIMIT :most) found CROSS JOIN notes n ON n.id = found.id
                 WHERE n.owner_id = :owner AND n.trash_id IS NULL""",
        owner=owner,
        match=f'"{token}"',
        most=most,
    )
    rows += tx.all(
        "SELECT id, title, folder_id FROM notes "
        # The sign keeps SQLite from the owner's index: those that wait are few, above one id.
        "WHERE id > :after AND +owner_id = :owner AND trash_id IS NULL",
        after=last_indexed(tx, "note"),
        owner=owner,
    )
    wanted = fold_name(title)
    return sorted(
        (row for row in rows if fold_name(row["title"]) == wanted), key=lambda row: -row["id"]
    )


def last_indexed(tx: Tx, kind: str) -> int:
    """Return the highest id of a kind that is indexed."""
    return int(tx.value("SELECT number FROM name_progress WHERE kind = :kind", kind=kind) or 0)


def _insert_tokens(tx: Tx, owner: int, kind: Kind, item_id: int, name: str) -> None:
    plain = name_text.fold_name(name)
    words = name_text.split_words(plain)
    tx.insert(
        "name_index", rowid=index_row(kind, item_id), tokens=tokens_of(owner, kind, plain, words)
    )
    _add_words(tx, owner, words)


def _delete_tokens(tx: Tx, owner: int, kind: Kind, item_id: int, name: str) -> None:
    plain = name_text.fold_name(name)
    tx.run(
        "INSERT INTO name_index (name_index, rowid, tokens) VALUES ('delete', :id, :tokens)",
        id=index_row(kind, item_id),
        tokens=tokens_of(owner, kind, plain, name_text.split_words(plain)),
    )


def index_row(kind: Kind, item_id: int) -> int:
    """Return the row of something in the index."""
    return item_id * 4 + NUMBERS[kind]


def tokens_of(owner: int, kind: Kind, plain: str, words: list[str]) -> str:
    """Return the tokens by which a folded name is found."""
    begin = token_prefix(owner, SORTS[kind])
    found = [begin + token for token in name_text.name_tokens(words)]
    found.append(token_prefix(owner, WHOLE) + name_text.whole_name_token(plain, words))
    if first := name_text.word_initials(words):
        found.append(token_prefix(owner, INITIALS) + first)
    return " ".join(found)


def _add_words(tx: Tx, owner: int, words: Iterable[str]) -> None:
    """Remember the words that a typed one may be a near miss of.

    A word stays when the names that hold it are gone.
    """
    for word in words:
        if (
            name_text.allowed_edits(word)
            and tx.one(
                "SELECT 1 FROM name_words WHERE owner_id = :owner AND word = :word",
                owner=owner,
                word=word,
            )
            is None
        ):
            number = tx.value(
                "SELECT ifnull(max(number), -1) + 1 FROM name_words WHERE owner_id = :owner",
                owner=owner,
            )
            tx.insert(
                "name_words",
                owner_id=owner,
                number=number,
                letters=name_text.letter_bits(word),
                word=word,
            )
            if number % BLOCK == BLOCK - 1:
                _close_block(tx, owner, number // BLOCK)


def _close_block(tx: Tx, owner: int, block: int) -> None:
    """Store which words of a full block hold each letter.

    The letters' rows of bits one after the other, each bit a word.
    """
    rows = tx.all(
        "SELECT letters FROM name_words "
        "WHERE owner_id = :owner AND number BETWEEN :first AND :last ORDER BY number",
        owner=owner,
        first=block * BLOCK,
        last=block * BLOCK + BLOCK - 1,
    )
    planes = [0] * PLANES
    for place, (bits,) in enumerate(rows):
        for plane in range(PLANES):
            planes[plane] |= (bits >> plane & 1) << place
    bits = b"".join(plane.to_bytes(BLOCK // 8, "little") for plane in planes)
    tx.insert("name_letters", owner_id=owner, block=block, bits=bits)


def _delete_all(tx: Tx) -> None:
    tx.run("INSERT INTO name_index (name_index) VALUES ('delete-all')")
    tx.run("DELETE FROM name_words")
    tx.run("DELETE FROM name_letters")
    tx.run("DELETE FROM tag_names")
    for kind in (*_WAITING, "format"):
        tx.run(
            "INSERT INTO name_progress (kind, number) VALUES (:kind, 0) ON CONFLICT DO NOTHING",
            kind=kind,
        )
    tx.run(
        "UPDATE name_progress SET number = CASE kind WHEN 'format' THEN :format ELSE 0 END",
        format=_FORMAT,
    )
