"""Databases as earlier versions left them, each as the statements that make it.

`schemas/NNN.sql` holds the schema after step NNN, with small data.

`python -m tests.support.stored_schemas DATABASE FILE` writes down a database that was closed in
order.
"""

import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "schemas"
RELEASED = sorted(path.stem for path in FOLDER.glob("*.sql"))


def lay_down(version: str, file: Path) -> None:
    """Make the database of that version at `file`, in the journal mode in which it was."""
    connection = sqlite3.connect(file)
    connection.executescript((FOLDER / f"{version}.sql").read_text("utf-8"))
    connection.close()
    connection = sqlite3.connect(file)  # anew, so that the virtual tables are known
    connection.execute("PRAGMA journal_mode=WAL")
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def statements(connection: sqlite3.Connection) -> Iterator[str]:
    """Give the statements that make a database.

    Tables with their rows, then what stands on them, then the virtual tables above their own.
    """
    rows = connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
    ).fetchall()
    virtual = [row for row in rows if row[3].startswith("CREATE VIRTUAL")]
    tables = [
        row
        for row in rows
        if row[0] == "table" and row not in virtual and not row[1].startswith("sqlite_")
    ]
    yield "PRAGMA auto_vacuum=INCREMENTAL;"
    yield "BEGIN;"
    for _, name, _, sql in tables:
        yield f"{sql};"
        yield from _rows(connection, name)
    if any(row[1] == "sqlite_sequence" for row in rows):
        yield "DELETE FROM sqlite_sequence;"
        yield from _rows(connection, "sqlite_sequence")
    for kind, _, _, sql in rows:
        if kind != "table":
            yield f"{sql};"
    yield "PRAGMA writable_schema=ON;"
    for kind, name, table, sql in virtual:
        shown = sql.replace("'", "''")
        yield (
            "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) "
            f"VALUES ('{kind}', '{name}', '{table}', 0, '{shown}');"
        )
    yield "PRAGMA writable_schema=OFF;"
    yield "COMMIT;"


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    columns = [
        row[1] for row in connection.execute(f'PRAGMA table_xinfo("{table}")') if row[6] == 0
    ]
    quoted = ", ".join(f'quote("{column}")' for column in columns)
    for row in connection.execute(f'SELECT {quoted} FROM "{table}"'):
        named = ", ".join(f'"{column}"' for column in columns)
        yield f'INSERT INTO "{table}" ({named}) VALUES ({", ".join(map(str, row))});'


if __name__ == "__main__":
    opened = sqlite3.connect(sys.argv[1])
    Path(sys.argv[2]).write_text("\n".join(statements(opened)) + "\n", "utf-8")
    opened.close()
