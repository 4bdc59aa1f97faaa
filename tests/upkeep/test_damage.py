"""Kinds of damage to a database, each seeded alone.

What `hearth doctor` finds, and that all that is made from other rows is made anew.
"""

import asyncio
import contextlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from app import __main__ as program
from app.agent.turn import conversation_rows
from app.core.caller import OPERATOR
from app.core.database import integrity
from app.core.database.data_dir import DATABASE
from app.main import create_app
from app.migrations import migrate
from app.tools.approvals import audit
from app.workspace.notes import note_rows
from tests.conftest import Served, open_settings
from tests.support.raw_records import RawDevice

ENVIRONMENT = {"HEARTH_EMBEDDINGS": "off", "HEARTH_BACKUPS": "off"}


def doctor(data: Path, *options: str) -> dict[str, Any]:
    """What it says: the gravity of each check at its worst, and what was mended."""
    result = CliRunner().invoke(
        program.hearth, ["doctor", "--json", *options, "--data", str(data)], env=ENVIRONMENT
    )
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    told = json.loads(result.stdout)
    wrong = {
        finding["check"]: finding["message"]
        for finding in told["findings"]
        if finding["gravity"] == "wrong"
    }
    return {"wrong": wrong, "mended": told["mended"]}


async def filled(data: Path) -> None:
    """A workspace with something of every kind."""
    asgi = create_app(open_settings(), data)
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        alice, bob = await served.person("alice"), await served.person("bob")
        work = await alice.folder("Work/Deep")
        for number in range(6):
            text = (
                f"# Heading\n\nNote {number} leads to [[Note {(number + 1) % 6}]] and #garden, "
                "in marvellous words."
            )
            note = await alice.note(
                f"Note {number}",
                text,
                tags=["Plan", f"t{number}"],
                folderId=work if number % 2 else None,
            )
            await alice.ok("POST", f"/os/snapshots/{note['id']}", json={})
        await bob.note("Of Bob", "His text.")
        for title in ("Water the beans", "Buy seeds"):
            await alice.ok(
                "POST", "/os/todos", status=201, json={"title": title, "dueDate": "2026-12-01"}
            )
        gone = await alice.note("Gone", "Thrown away.")
        await alice.ok("DELETE", f"/os/notes/{gone['id']}")
        await alice.ok(
            "POST",
            "/os/attachments?name=a.txt",
            status=201,
            content=b"attached text",
            headers={"Content-Type": "text/plain"},
        )

        device = await RawDevice().add(alice)
        await alice.ok("PUT", "/raw-memory/keys", json=device.keys())
        await alice.ok("POST", "/raw-memory/records", json={"records": [device.seal()]})

        def converse(tx: Any) -> None:
            talk = conversation_rows.begin(tx, type="direct", owner=1, title="Talk", members=(1,))
            for text in ("Where are the marigolds?", "Beside the beans."):
                conversation_rows.add_message(
                    tx,
                    talk,
                    role="user",
                    sender_type="human",
                    sender=1,
                    label="alice",
                    content=text,
                )
            for tool in ("create_note", "delete_note", "search_notes"):
                audit.add(tx, OPERATOR, audit.Entry("call", tool=tool), user=1)

        await served.parts.write(converse)
        await asyncio.sleep(0.5)  # the indexes follow behind the writes
        await alice.aclose()
        await bob.aclose()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("damage") / "home"
    data.mkdir(mode=0o700)
    migrate(data / DATABASE)
    asyncio.run(filled(data))
    assert (
        CliRunner()
        .invoke(program.hearth, ["user", "list", "--data", str(data)], env=ENVIRONMENT)
        .exit_code
        == 0
    )  # leaves the guard
    for path in data.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return data


class Damage(NamedTuple):
    """What is done to a copy, by which check it is found, and whether `--fix` mends it whole."""

    name: str
    seed: str | Callable[[Path], object]
    found: str
    mended: bool = True


def overwrite(part: float, length: int = 4096) -> Callable[[Path], object]:
    """Overwrite a page that lies so far in the file."""

    def seed(file: Path) -> None:
        content = bytearray(file.read_bytes())
        at = int(len(content) * part) // 4096 * 4096
        content[at : at + length] = b"\x55" * length
        file.write_bytes(content)

    return seed


def cut(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def change_text(file: Path) -> None:
    """Change one letter behind SQLite's back."""
    content = file.read_bytes()
    file.write_bytes(content.replace(b"Thrown away.", b"Thrown awry."))


UNGUARD = "DROP TRIGGER audit_refuses_update; DROP TRIGGER audit_refuses_delete;"
REGUARD = """CREATE TRIGGER audit_refuses_update BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
    CREATE TRIGGER audit_refuses_delete BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;"""
PLACE = (
    "SELECT owner_id, folder_id, title, tags, word_count, size, created_at, "
    "updated_at, content FROM notes WHERE id = 1"
)
INTO_NOTES = (
    "INSERT INTO notes (owner_id, folder_id, title, tags, word_count, size, "
    f"created_at, updated_at, content) {PLACE}"
)
DAMAGES = [
    Damage("a page of rubbish", overwrite(0.5), "integrity", mended=False),
    Damage("a head that is no database's", overwrite(0, 100), "integrity", mended=False),
    Damage("a file cut in half", cut, "integrity", mended=False),
    Damage("a letter changed behind SQLite", change_text, "guard", mended=False),
    Damage(
        "an index that lost an entry",
        "PRAGMA writable_schema=ON; UPDATE sqlite_schema "
        "SET rootpage = (SELECT rootpage FROM sqlite_schema "
        "WHERE name = 'notes_by_folder') WHERE name = 'notes_by_trash'; PRAGMA writable_schema=OFF",
        "integrity",
        mended=False,
    ),
    Damage(
        "an index that misses rows",
        "PRAGMA writable_schema=ON; UPDATE sqlite_schema "
        "SET sql = replace(sql, 'trash_id IS NOT NULL', "
        "'trash_id IS NULL') WHERE name = 'notes_by_folder'; PRAGMA writable_schema=OFF",
        "integrity",
    ),
    Damage(
        "a row of no user",
        "INSERT INTO contacts (user_id, contact_id, connected_at) VALUES (8, 9, '2026')",
        "integrity",
        mended=False,
    ),
    Damage(
        "a kind that there is not",
        "PRAGMA ignore_check_constraints=ON; UPDATE trash SET kind = 'cloud'",
        "records",
        mended=False,
    ),
    Damage("an index dropped", "DROP INDEX notes_by_update", "schema"),
    Damage("a unique index dropped", "DROP INDEX folders_by_name", "schema"),
    Damage("a trigger dropped", "DROP TRIGGER audit_refuses_delete", "schema"),
    Damage(
        "a trigger that does nothing",
        "DROP TRIGGER audit_refuses_update; "
        "CREATE TRIGGER audit_refuses_update BEFORE UPDATE ON audit BEGIN SELECT 1; END",
        "schema",
    ),
    Damage(
        "a trigger of another",
        "CREATE TRIGGER sly AFTER INSERT ON notes BEGIN DELETE FROM todos; END",
        "schema",
        mended=False,
    ),
    Damage("a derived table dropped", "DROP TABLE note_tags", "schema"),
    Damage("an index for search dropped", "DROP TABLE name_index", "schema"),
    Damage("a table of people's dropped", "DROP TABLE snapshots", "schema", mended=False),
    Damage("a column dropped", "ALTER TABLE keys DROP COLUMN last_used_at", "schema", mended=False),
    Damage(
        "the words of a note lost",
        "INSERT INTO note_words_1 (note_words_1) VALUES ('delete-all')",
        "words",
    ),
    Damage(
        "a word index torn", "UPDATE note_words_1_data SET block = x'00' WHERE id > 10", "words"
    ),
    Damage("a word index dropped", "DROP TABLE note_words_1", "words"),
    Damage(
        "a note that no index knows",
        f"{INTO_NOTES}; UPDATE name_progress SET number = number + 1 WHERE kind = 'note'",
        "words",
    ),
    Damage(
        "a waiting word of no note", "INSERT INTO waiting_words (note_id) VALUES (999)", "words"
    ),
    Damage(
        "the trigrams lost", "INSERT INTO note_grams (note_grams) VALUES ('delete-all')", "trigrams"
    ),
    Damage("the names lost", "INSERT INTO name_index (name_index) VALUES ('delete-all')", "names"),
    Damage("a name index torn", "UPDATE name_index_data SET block = x'00' WHERE id > 10", "names"),
    Damage("a word of a name forgotten", "DELETE FROM name_words WHERE word = 'beans'", "names"),
    Damage("the progress of names gone", "DELETE FROM name_progress WHERE kind = 'note'", "names"),
    Damage(
        "a tag without a note",
        "INSERT INTO tag_names (owner_id, tag_key, name) VALUES (1, 'ghost', 'Ghost')",
        "names",
    ),
    Damage("a tag that is not found", "DELETE FROM tag_names WHERE tag_key = 'plan'", "names"),
    Damage("a note not under its tag", "DELETE FROM note_tags WHERE note_id = 2", "tags"),
    Damage(
        "a tag of no note",
        "INSERT INTO note_tags (owner_id, tag_key, note_id) VALUES (1, 'plan', 999)",
        "tags",
    ),
    Damage("a link lost", "DELETE FROM note_links WHERE note_id = 3", "links"),
    Damage(
        "a link of no note",
        "INSERT INTO note_links (note_id, kind, target, path, owner_id) "
        "VALUES (999, 'wiki', 'x', '', 1)",
        "links",
    ),
    Damage(
        "a link of another owner", "UPDATE note_links SET owner_id = 2 WHERE note_id = 3", "links"
    ),
    Damage(
        "the words of messages lost",
        "INSERT INTO message_words (message_words) VALUES ('delete-all')",
        "messages",
    ),
    Damage(
        "a word of no message",
        "INSERT INTO message_words (rowid, content) VALUES (999, 'ghost')",
        "messages",
    ),
    Damage(
        "a workspace miscounted", "UPDATE workspaces SET note_count = note_count + 1", "counters"
    ),
    Damage("bytes miscounted", "UPDATE workspaces SET total_bytes = 1", "counters"),
    Damage("a folder miscounted", "UPDATE folders SET note_count = 9", "counters"),
    Damage("snapshots miscounted", "UPDATE notes SET snapshot_count = 9 WHERE id = 1", "counters"),
    Damage(
        "a snapshot's number that would come again",
        "UPDATE notes SET snapshot_seq = 0 WHERE id = 1",
        "counters",
    ),
    Damage("todos miscounted", "UPDATE todo_lists SET open_count = 9", "counters"),
    Damage("a size that is wrong", "UPDATE notes SET size = 1 WHERE id = 1", "measures"),
    Damage(
        "a number of words that is wrong",
        "UPDATE notes SET word_count = 1000 WHERE id = 1",
        "measures",
    ),
    Damage("the words of a todo wrong", "UPDATE todos SET words = 'other' WHERE id = 1", "todos"),
    Damage(
        "a deadline not of its day",
        "UPDATE todos SET deadline = '2020-01-01T00:00:00.000Z' WHERE id = 1",
        "todos",
    ),
    Damage(
        "a folder's key not of its name",
        "UPDATE folders SET name_key = 'other' WHERE name = 'Work'",
        "keys",
    ),
    Damage(
        "two in each other",
        "UPDATE folders SET parent_id = (SELECT id FROM folders WHERE name = 'Deep') "
        "WHERE name = 'Work'",
        "folders",
    ),
    Damage(
        "a folder in itself", "UPDATE folders SET parent_id = id WHERE name = 'Deep'", "folders"
    ),
    Damage(
        "in another's folder",
        "UPDATE notes SET folder_id = (SELECT id FROM folders WHERE owner_id = 2) WHERE id = 1",
        "places",
        mended=False,
    ),
    Damage(
        "an empty entry of the trash",
        "UPDATE notes SET trash_id = NULL WHERE title = 'Gone'",
        "trash",
        mended=False,
    ),
    Damage(
        "numbers that would come again",
        "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'notes'",
        "numbers",
    ),
    Damage("a number forgotten", "DELETE FROM sqlite_sequence WHERE name = 'messages'", "numbers"),
    Damage("no moment", "UPDATE notes SET updated_at = 'yesterday' WHERE id = 1", "times"),
    Damage(
        "a day that is not",
        "UPDATE todos SET created_at = '2026-02-30T00:00:00.000Z' WHERE id = 1",
        "times",
    ),
    Damage(
        "a note from the future",
        "UPDATE notes SET updated_at = '2105-01-01T00:00:00.000Z' WHERE id = 1",
        "clock",
    ),
    Damage(
        "a workspace from the future",
        "UPDATE workspaces SET changed_at = '2105-01-01T00:00:00.000Z' WHERE owner_id = 1",
        "clock",
    ),
    Damage(
        "a conversation active in the future",
        "UPDATE conversation_members SET active_at = '2105-01-01T00:00:00.000Z'",
        "clock",
    ),
    Damage(
        "tags that are no list",
        "UPDATE notes SET tags = '[\"a' WHERE id = 1",
        "records",
        mended=False,
    ),
    Damage(
        "settings that are none",
        "UPDATE users SET settings = '7' WHERE id = 1",
        "records",
        mended=False,
    ),
    Damage(
        "no text",
        "UPDATE notes SET content = CAST(x'ff00ff' AS TEXT) WHERE id = 1",
        "texts",
        mended=False,
    ),
    Damage(
        "a part of an attachment lost", "DELETE FROM attachment_parts", "attachments", mended=False
    ),
    Damage(
        "a byte changed",
        "UPDATE attachment_parts SET bytes = CAST(replace(CAST(bytes AS TEXT), 'text', "
        "'test') AS BLOB)",
        "attachments",
        mended=False,
    ),
    Damage(
        "a part of an encrypted record lost",
        "DELETE FROM raw_record_parts",
        "raw memory",
        mended=False,
    ),
    Damage(
        "vectors of another length",
        "INSERT INTO embedding_models (name, dimension, created_at) "
        "VALUES ('m', 8, '2026-01-01T00:00:00.000Z'); "
        "INSERT INTO note_passages (note_id, model_id, version, title, spans, vectors) "
        "VALUES (1, 1, 1, '', zeroblob(8), x'00')",
        "vectors",
    ),
    Damage(
        "the record cut off",
        f"{UNGUARD} DELETE FROM audit WHERE id = (SELECT max(id) FROM audit); {REGUARD}",
        "audit",
        mended=False,
    ),
    Damage(
        "the record changed",
        f"{UNGUARD} UPDATE audit SET outcome = 'denied' WHERE id = 2; {REGUARD}",
        "audit",
        mended=False,
    ),
    Damage(
        "a step of the schema forgotten",
        "DELETE FROM _sqlite_migrations WHERE name = 'm023_imports'",
        "schema",
        mended=False,
    ),
    Damage(
        "a newer Hearth",
        "INSERT INTO _sqlite_migrations (migration_set, name) VALUES ('hearth', 'm999_later')",
        "schema",
        mended=False,
    ),
]


def seed(data: Path, damage: Damage) -> None:
    """Do the damage: by SQL as if the server had left it so, with the guards off, or by bytes
    behind SQLite's back.
    """
    if not isinstance(damage.seed, str):
        damage.seed(data / DATABASE)
        return
    with contextlib.closing(sqlite3.connect(data / DATABASE, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.executescript(damage.seed)
    integrity.forget_records(data / DATABASE)


def test_a_workspace_with_something_of_every_kind_is_well(made: Path) -> None:
    assert doctor(made)["wrong"] == {}


@pytest.mark.parametrize("damage", DAMAGES, ids=[damage.name for damage in DAMAGES])
def test_damage_is_found_and_what_is_made_from_other_rows_is_made_anew(
    made: Path, tmp_path: Path, damage: Damage
) -> None:
    data = Path(shutil.copytree(made, tmp_path / "home"))
    seed(data, damage)
    assert damage.found in doctor(data)["wrong"]
    if damage.mended:
        assert doctor(data, "--fix")["wrong"] == {}
        assert doctor(data)["wrong"] == {}


def test_a_conversation_is_active_when_it_was_last_used_once_the_clock_is_put_right(
    made: Path, tmp_path: Path
) -> None:
    data = Path(shutil.copytree(made, tmp_path / "home"))
    later = "2105-01-01T00:00:00.000Z"
    seed(
        data,
        Damage(
            "",
            f"UPDATE conversation_members SET active_at = '{later}'; "
            f"UPDATE conversations SET updated_at = '{later}'; "
            f"UPDATE messages SET created_at = '{later}' WHERE id = 2",
            "clock",
        ),
    )
    assert "3 times in the database lie in the future" in doctor(data)["wrong"]["clock"]
    assert doctor(data, "--fix")["wrong"] == {}
    with contextlib.closing(sqlite3.connect(data / DATABASE)) as connection:
        rows = connection.execute(
            "SELECT m.active_at, c.updated_at, c.created_at FROM conversation_members m "
            "JOIN conversations c ON c.id = m.conversation_id"
        ).fetchall()
    assert len(rows) == 1
    assert len(set(rows[0])) == 1


FEW, MANY = 300, 2_400


def test_a_look_takes_as_long_as_there_are_notes(made: Path, tmp_path: Path) -> None:
    """Eight times the notes take eight times as long at most, and not the square of it."""
    data = Path(shutil.copytree(made, tmp_path / "home"))
    spent = []
    for start, stop in ((0, FEW), (FEW, MANY)):
        asyncio.run(_add_notes(data, start, stop))
        began = sum(os.times()[:4])  # of the processor, so that work beside it does not count
        assert doctor(data)["wrong"] == {}
        spent.append(sum(os.times()[:4]) - began)
    assert spent[1] < 2 * MANY / FEW * spent[0]


async def _add_notes(data: Path, start: int, stop: int) -> None:
    asgi = create_app(open_settings(), data)
    async with asgi.router.lifespan_context(asgi):
        parts = asgi.state.parts
        for at in range(start, stop, 500):
            await parts.write(_insert, at, min(stop, at + 500))


def _insert(tx: Any, start: int, stop: int) -> None:
    for at in range(start, stop):
        said = " ".join(f"word{at * 7 % 997 + place} about it" for place in range(40))
        text = f"# Part {at}\n\n{said} goes on in [[Part {at + 1}]] #tag{at % 50}"
        note_rows.insert(
            tx,
            owner=1,
            folder_id=None,
            title=f"Part {at}",
            text=note_rows.measure_text(text),
            tags=f'["tag{at % 50}"]',
        )
