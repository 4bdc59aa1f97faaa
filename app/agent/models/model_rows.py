"""The tables of the language models that the operator has configured.

Every statement that reads or changes them.
"""

import sqlite3
from typing import Any, Literal

import msgspec

from app.core.database.tx import Tx
from app.core.schema import Record
from app.settings import Provider

Tools = Literal["auto", "all", "few", "none"]
COLUMNS = "name, provider, url, model, key_from, tools, thinking, context, found, checked_at"


class Found(Record):
    """What a test has found out about a model.

    The kind of its server, the tokens of its context, what it can do; None is not known.
    """

    server: str = ""
    context: int | None = None
    most_context: int | None = None
    tools: bool | None = None
    thinks: bool | None = None
    writes: bool | None = None


class Probed(Record):
    """What a test of a model found.

    `tools` says whether it can be trusted to choose and call tools, `writes` whether with an answer
    from data; `failed` is the first trial that it did not pass, `seconds` what they took together.
    `error` says why it does not work, `warnings` what to do about what may surprise.
    """

    ok: bool
    reachable: bool
    server: str
    models: list[str]
    offered: bool | None
    context: int | None
    most_context: int | None
    tools: bool | None
    thinks: bool | None
    writes: bool | None
    offers: str
    answer: str
    failed: str
    seconds: float
    error: str | None
    warnings: list[str]


class Configured(msgspec.Struct, frozen=True):
    """A model as it is configured.

    `model` is what its provider calls it, and `key_from` only says where its key lies.
    """

    name: str
    provider: Provider
    url: str
    model: str
    key_from: str = ""
    tools: Tools = "auto"
    thinking: bool = False
    context: int | None = None
    found: Found | None = None
    checked_at: str | None = None


def list_all(tx: Tx) -> list[Configured]:
    """Return all models, by name."""
    return [
        _configured_of_row(row) for row in tx.all(f"SELECT {COLUMNS} FROM models ORDER BY name")
    ]


def find_named(tx: Tx, name: str) -> Configured | None:
    """Return the model of that name, in whatever case."""
    row = tx.one(f"SELECT {COLUMNS} FROM models WHERE name = :name", name=name)
    return None if row is None else _configured_of_row(row)


def put(tx: Tx, model: Configured) -> None:
    """Store a model, in the place of one of that name if there is one."""
    tx.run(
        # What a test found is of the model before, so it goes.
        """INSERT INTO models
             (name, provider, url, model, key_from, tools, thinking, context, created_at)
           VALUES (:name, :provider, :url, :model, :key, :tools, :thinking, :context, :now)
           ON CONFLICT (name) DO UPDATE SET name = excluded.name, provider = excluded.provider,
             url = excluded.url, model = excluded.model,
               key_from = excluded.key_from, tools = excluded.tools, thinking =
                 excluded.thinking, context = excluded.context,
               found = NULL, checked_at = NULL""",
        name=model.name,
        provider=model.provider,
        url=model.url,
        model=model.model,
        key=model.key_from,
        tools=model.tools,
        thinking=int(model.thinking),
        context=model.context,
        now=tx.now,
    )


def note_found(tx: Tx, name: str, found: Found) -> None:
    """Keep what a test has found out."""
    tx.update(
        "models", {"name": name}, found=msgspec.json.encode(found).decode(), checked_at=tx.now
    )


def remove(tx: Tx, name: str) -> None:
    """Delete a model; where it answered by default, nothing is chosen any more."""
    tx.run("DELETE FROM models WHERE name = :name", name=name)
    tx.run("DELETE FROM model_default WHERE name = :name COLLATE NOCASE", name=name)


def default_name(tx: Tx) -> str | None:
    """Return the name that was chosen to answer by default."""
    name: str | None = tx.value("SELECT name FROM model_default")
    return name


def make_default(tx: Tx, name: str) -> None:
    """Let that model answer by default."""
    tx.run(
        "INSERT INTO model_default (one, name) VALUES (1, :name) "
        "ON CONFLICT (one) DO UPDATE SET name = excluded.name",
        name=name,
    )


def _configured_of_row(row: sqlite3.Row) -> Configured:
    fields: dict[str, Any] = dict(row)
    found = None if fields["found"] is None else msgspec.json.decode(fields["found"], type=Found)
    # SQLite has no booleans.
    return Configured(**{**fields, "found": found, "thinking": fields["thinking"] == 1})
