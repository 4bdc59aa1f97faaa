"""The schema, as the ordered steps that made it.

Append only: a step that has been released is never changed.

Each step runs in one transaction together with the record that it ran, so a step that was cut
off has not happened.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from app.migrations.agent import (
    m008_briefings,
    m009_tools,
    m010_conversations,
    m011_models,
    m012_escalations,
    m013_episodes,
    m014_attachments,
    m015_integrations,
    m016_metering,
    m017_heartbeat,
)
from app.migrations.delegation import m036_delegation
from app.migrations.managed_agents import m037_managed_agents
from app.migrations.mcp import m034_mcp_servers, m040_challenges_and_documents
from app.migrations.network import (
    m018_contacts,
    m019_messages,
    m020_shares,
    m021_sessions,
    m023_imports,
    m030_makers,
)
from app.migrations.oauth import m032_oauth
from app.migrations.raw_memory import m039_raw_memory
from app.migrations.runtime import m035_devices
from app.migrations.webhooks import m038_webhooks
from app.migrations.workspace import (
    m001_accounts,
    m002_workspace,
    m003_words,
    m004_grams,
    m005_vectors,
    m006_links,
    m007_names,
    m024_links_again,
    m028_clock_steps,
    m041_aliases,
)

if TYPE_CHECKING:
    from sqlite_utils import Database


class NewerFile(Exception):
    """The database was made by a newer Hearth than this one."""


STEPS: tuple[Callable[["Database"], None], ...] = (
    m001_accounts,
    m002_workspace,
    m003_words,
    m004_grams,
    m005_vectors,
    m006_links,
    m007_names,
    m008_briefings,
    m009_tools,
    m010_conversations,
    m011_models,
    m012_escalations,
    m013_episodes,
    m014_attachments,
    m015_integrations,
    m016_metering,
    m017_heartbeat,
    m018_contacts,
    m019_messages,
    m020_shares,
    m021_sessions,
    m023_imports,
    m024_links_again,
    m028_clock_steps,
    m030_makers,
    m032_oauth,
    m034_mcp_servers,
    m035_devices,
    m036_delegation,
    m037_managed_agents,
    m038_webhooks,
    m039_raw_memory,
    m040_challenges_and_documents,
    m041_aliases,
)


def migrate(
    path: Path,
    *,
    steps: tuple[Callable[["Database"], None], ...] = STEPS,
    before: Callable[[Path], object] | None = None,
) -> list[str]:
    """Bring the file at `path` up to date and give the names of the steps that ran.

    It is made if it is not there.

    `before` is called with the path of a file that is about to be changed; what it raises ends
    the matter with nothing changed. Raises NewerFile when the file holds a step that this Hearth
    does not know.
    """
    pending = due_steps(path, steps=steps)
    if pending:
        if before is not None and len(pending) < len(steps):  # it is there already
            before(path)
        _apply_steps(path, steps)
    return pending


def due_steps(
    path: Path, *, steps: tuple[Callable[["Database"], None], ...] = STEPS, sealed: bool = False
) -> list[str]:
    """Return the names of the steps that the file at `path` still needs, without changing it.

    `sealed`: it lies where no file can be made.

    Raises NewerFile as `migrate` does.
    """
    names = [step.__name__ for step in steps]
    applied = _applied_steps(path, sealed=sealed)
    if unknown := [name for name in applied if name not in names]:
        raise NewerFile(
            f"{path} was made by a newer Hearth (it holds {', '.join(unknown)}); install "
            "that version to open it."
        )
    return [name for name in names if name not in applied]


def _applied_steps(path: Path, *, sealed: bool = False) -> list[str]:
    if not path.exists():
        return []
    journal = (
        not sealed and path.with_name(path.name + "-wal").exists()
    )  # without one even a look would leave an empty one behind
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?{'mode=ro' if journal else 'immutable=1'}", uri=True
    )
    try:
        return [
            row[0]
            for row in connection.execute(
                "SELECT name FROM _sqlite_migrations WHERE migration_set = 'hearth'"
            )
        ]
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return []
        raise
    finally:
        connection.close()


def _apply_steps(path: Path, steps: tuple[Callable[["Database"], None], ...]) -> None:
    from sqlite_utils import Database, Migrations  # a third of a second, so only when a step is due

    ordered = Migrations("hearth")
    for step in steps:
        ordered()(step)
    db = Database(path)
    try:
        db.conn.execute("PRAGMA auto_vacuum=INCREMENTAL")  # holds for a file that is made now
        db.conn.execute("PRAGMA journal_mode=WAL")
        db.conn.execute("PRAGMA synchronous=FULL")
        ordered.apply(db)
    finally:
        db.close()
