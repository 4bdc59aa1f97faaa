"""What is made from other rows, beside those.

Tags, links, names, words of messages, measures of texts and todos.
"""

from collections.abc import Callable, Iterator
from zoneinfo import ZoneInfo

from app.core.database.tx import Tx
from app.core.text import fold_name, word_count
from app.workspace.index import fresh_index, link_text, name_index_check, note_tags
from app.workspace.index.fresh_index import FRESH
from app.workspace.index.spellings import text_for_index
from app.workspace.todos import due, todo_rows


def check_tags(tx: Tx) -> Iterator[str]:
    """Compare the tags that notes are found by with those that they have."""
    wanted = {
        (owner, key, note)
        for note, owner, text in tx.all("SELECT id, owner_id, tags FROM notes")
        for key in note_tags.tag_keys(text)
    }
    there = {tuple(row) for row in tx.all("SELECT owner_id, tag_key, note_id FROM note_tags")}
    yield from (
        f"note {note} is listed under the tag {tag}, which it does not have"
        for _, tag, note in there - wanted
    )
    yield from (f"note {note} is not listed under its tag {tag}" for _, tag, note in wanted - there)


def check_links(tx: Tx) -> Iterator[str]:
    """Compare the stored links of notes with those in their texts.

    Notes whose links wait to be read are left out.
    """
    unread = tx.one("SELECT read, last FROM unread_links") or (0, 0)
    there: dict[int, set[tuple[str, str, str, int]]] = {}
    for note, *link in tx.run("SELECT note_id, kind, target, path, owner_id FROM note_links"):
        there.setdefault(note, set()).add(tuple(link))
    for note, owner, text in tx.run("SELECT id, owner_id, content FROM notes"):
        stored = there.pop(note, set())
        if unread[0] < note <= unread[1]:
            continue
        found = link_text.link_targets(text) if link_text.may_hold_links(text) else set()
        if stored != {(*target, owner) for target in found}:
            yield f"the stored links of note {note} do not match its text"
    yield from (f"links are stored for note {note}, which does not exist" for note in there)


def check_messages(tx: Tx) -> Iterator[str]:
    """Compare the words by which messages are found with their texts."""
    (sql,) = tx.require_row("SELECT sql FROM sqlite_schema WHERE name = 'message_words'")
    with fresh_index.make_fresh(sql.replace("message_words", FRESH, 1)) as fresh:
        rows = tx.run("SELECT id, content FROM messages ORDER BY id")
        fresh.executemany(
            f"INSERT INTO {FRESH} (rowid, content) VALUES (?, ?)",
            ((row[0], text_for_index(row[1])) for row in rows),
        )
        message = fresh_index.differing_row(tx.connection, fresh, "message_words")
    if message is not None:
        yield f"the word index does not match message {message}"


def check_measures(tx: Tx) -> Iterator[str]:
    """Compare the sizes and words of notes with their texts."""
    for note, size, words, content in tx.run("SELECT id, size, word_count, content FROM notes"):
        if (size, words) != (len(content.encode()), word_count(content)):
            yield f"the stored size or word count of note {note} does not match its text"


def check_todos(tx: Tx) -> Iterator[str]:
    """Compare words and deadlines of todos with what they say."""
    zones = {
        owner: ZoneInfo(zone)
        for owner, zone in tx.all("SELECT owner_id, zone FROM todo_lists WHERE zone IS NOT NULL")
    }
    for todo in tx.all("SELECT * FROM todos"):
        zone = zones.get(todo["owner_id"], ZoneInfo("UTC"))
        if todo["words"] != todo_rows.stored_words(todo) or todo[
            "deadline"
        ] != due.sortable_deadline(todo["due_date"], zone):
            yield f"the stored words or deadline of todo {todo['id']} do not match it"


def check_folder_keys(tx: Tx) -> Iterator[str]:
    """Compare the folded names of folders with their names."""
    for folder, name, key in tx.all("SELECT id, name, name_key FROM folders"):
        if key != fold_name(name):
            yield f"the search key of folder {folder} does not match its name"


def check_vectors(tx: Tx) -> Iterator[str]:
    """Look for vectors that cannot be of their model."""
    for table, of in (("note_passages", "note_id"), ("episode_passages", "episode_id")):
        rows = tx.all(
            f"""SELECT p.{of} FROM {table} p JOIN embedding_models m ON m.id = p.model_id
                WHERE m.dimension < 1 OR length(p.vectors) % m.dimension <> 0
                  OR length(p.spans) % 8 <> 0"""
        )
        yield from (
            f"the vectors of {of.removesuffix('_id')} {row[0]} do not fit their model"
            for row in rows
        )


CHECKS: dict[str, tuple[str, Callable[[Tx], Iterator[str]]]] = {
    "tags": ("tag index", check_tags),
    "links": ("links", check_links),
    "names": ("name index", name_index_check.find_differences),
    "messages": ("word index of messages", check_messages),
    "measures": ("measures of notes", check_measures),
    "todos": ("words and deadlines of todos", check_todos),
    "keys": ("folded names of folders", check_folder_keys),
}
"""What is compared, by the name of the repair that makes it anew."""
