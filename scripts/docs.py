"""Write what is generated: `python3 scripts/docs.py` brings app/schema.sql, the commands that are
made from operations and the guide's tables of endpoints and settings up to date; with `--check` it
only compares.
"""

import dataclasses
import json
import re
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from environment import ROOT, use_own_python

GUIDE = ROOT / "app" / "guide"
SCHEMA = ROOT / "app" / "schema.sql"
COMMANDS = ROOT / "app" / "commands" / "operations" / "operations.json"


def main(arguments: list[str]) -> int:
    """Write, or with --check compare, every generated text; return the exit code."""
    use_own_python()
    sys.path.insert(0, str(ROOT))
    try:
        stale = [
            path
            for path, text in generated().items()
            if not (path.exists() and path.read_text("utf-8") == text)
        ]
    except LookupError as error:
        print(error.args[0])
        return 1
    if "--check" in arguments:
        for path in stale:
            print(
                f"{path.relative_to(ROOT)} is not what the code says; run: python3 scripts/docs.py"
            )
        return 1 if stale else 0
    for path in stale:
        path.write_text(generated()[path], "utf-8", newline="\n")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


def generated() -> dict[Path, str]:
    """Return every generated file with the text it should have."""
    pages = {GUIDE / f"{name}.md": table for name, table in TABLES.items()}
    texts = {
        path: between(path.read_text("utf-8"), path.stem, table()) for path, table in pages.items()
    }
    return {SCHEMA: schema(), COMMANDS: commands(), **texts}


def between(text: str, name: str, table: str) -> str:
    """Return the text with the table between the markers of that name.

    Raise LookupError when it lacks them.
    """
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, found, rest = text.partition(begin)
    _, also, after = rest.partition(end)
    if not (found and also):
        raise LookupError(
            f"{name}.md needs the line {begin} and below it the line {end}; the table "
            f"of {name} goes between them."
        )
    return f"{before}{begin}\n{table}\n{end}{after}"


def schema() -> str:
    """Return the schema that the migrations make, without the tables that SQLite and the
    migrations keep for themselves.
    """
    from app.migrations import migrate

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        migrate(path)
        connection = sqlite3.connect(path)
        rows = connection.execute(
            "SELECT name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
        ).fetchall()
        connection.close()
    virtual = tuple(f"{name}_" for name, _, sql in rows if sql.startswith("CREATE VIRTUAL"))
    kept = [
        sql
        for name, table, sql in rows
        if not name.startswith(("sqlite_", "_sqlite", *virtual)) and not table.startswith("_sqlite")
    ]
    # SQLite keeps the indentation of the migrations' source, which is no business of the schema.
    statements = [re.sub(r"\n\s+", "\n    ", sql.strip()) + ";\n" for sql in kept]
    return "-- The schema as the migrations make it; generated, see scripts/docs.py.\n\n" + "".join(
        statements
    )


def commands() -> str:
    """Return the commands that are made from operations, and a line about every command."""
    from app.__main__ import summaries
    from app.catalog import CATALOG
    from app.commands.operations.describe import describe, describe_routes

    found = {
        "nouns": describe(CATALOG),
        "routes": describe_routes(CATALOG),
        "summaries": summaries(),
    }
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def endpoints() -> str:
    """Return the table of endpoints."""
    from app.catalog import CATALOG

    served = sorted(CATALOG.listed(), key=lambda one: (one.category, one.path, one.method))
    rows = [
        (one.method, f"`{one.path}`", scope_of(one.operation), one.operation.summary)
        for one in served
    ]
    return markdown(("Method", "Path", "Scope", "What it does"), rows)


def scope_of(found: Any) -> str:
    """Return the scopes of which an operation asks for one."""
    return found.asks_for or ("none" if found.public else "any")


def settings() -> str:
    """Return the table of settings."""
    from app.settings import PREFIX, Settings

    rows = [
        (f"`{PREFIX}{one.name.upper()}`", shown(one.default), one.metadata["help"])
        for one in dataclasses.fields(Settings)
    ]
    return markdown(("Variable", "Default", "Meaning"), rows)


def shown(default: Any) -> str:
    """Return a default as one writes it in the environment."""
    match default:
        case None | () | "":
            return ""
        case bool():
            return "`on`" if default else "`off`"
        case _:
            return f"`{default}`"


def markdown(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return a Markdown table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    )


TABLES: dict[str, Callable[[], str]] = {"endpoints": endpoints, "settings": settings}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
