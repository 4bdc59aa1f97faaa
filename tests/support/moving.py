"""What tests of imports and exports share.

Running one on a served workspace, and comparing trees.
"""

import asyncio
from pathlib import Path
from typing import Any

from app.account import users
from app.core.caller import Caller
from app.portability.content.reports import ExportReport, ImportReport
from app.portability.exports.exporter import write_export
from app.portability.formats.formats import open_import
from app.portability.imports.importer import Importer
from tests.conftest import Client, Served


def person(served: Served, username: str) -> Caller:
    """The caller for a user at this machine."""
    return served.parts.quick(users.local_caller, username)


def write_out(served: Served, username: str, target: Path, **more: Any) -> ExportReport:
    """Export a user's workspace."""
    told = more.pop("tell", lambda done, total: None)
    return write_export(served.parts.store, person(served, username), target, tell=told)


async def read_in(
    served: Served, username: str, path: Path, *, tell: Any = None, **more: Any
) -> ImportReport:
    """Import a file or folder into a user's workspace."""
    source = open_import(path, more.pop("format", None))
    options = {"name": path.name, "into": None, "dry_run": False} | more
    importer = Importer(served.parts, person(served, username), source, **options)
    try:
        return await importer.run(tell or (lambda done, total: None))
    finally:
        source.close()


def files(folder: Path) -> dict[str, bytes | None]:
    """Every file below a folder with its bytes, folders with None."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def plant(folder: Path, tree: dict[str, str | bytes]) -> Path:
    """Write files below a folder and give it."""
    for name, content in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


async def finished(client: Client, path: str) -> Any:
    """The job at a path, once it runs no more."""
    async with asyncio.timeout(60):
        for pause in (0.0, *[0.02] * 3000):
            await asyncio.sleep(pause)
            job = (await client.ok("GET", path))["job"]
            if job["status"] != "running":
                return job
    raise TimeoutError
