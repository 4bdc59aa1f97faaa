"""Notes and todos in and out.

Importing what other programs wrote, exporting the workspace as files. The work itself is loaded
when it begins.
"""

import asyncio
import functools
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from app.account import users
from app.core import temp_files
from app.core.app import App
from app.core.caller import Caller
from app.core.database.data_dir import SPOOL
from app.core.download import Download
from app.core.line_stream import Lines
from app.core.operation import Http, operation
from app.core.schema import Id, Line, Record, Text
from app.errors import AlreadyRunning, Forbidden, Invalid, NotFound
from app.portability.transfer_jobs import Job, JobAnswer, Tell, Transfers, Work, report_progress

PART = 1 << 18
READ, WRITE = ("os.notes:read", "os.todos:read"), ("os.notes:write", "os.todos:write")
Name = Annotated[
    str,
    Meta(
        description="the name of the file, or of what is imported: the same name again is the "
        "same source"
    ),
    Line(),
]
Format = Annotated[str, Meta(description="the format; else it is told by the content"), Line(1, 40)]
Into = Annotated[
    str, Meta(description="the path of the folder into which all of it comes"), Text(10_000)
]


@operation(
    "POST /import",
    scope=WRITE,
    http=Http(
        status=202,
        refuses={
            "body": "it is empty, or in no format that can be imported",
            "format": "there is no such format",
        },
        body="max_import_body",
        spooled=True,
    ),
)
async def start_import(
    app: App,
    me: Caller,
    *,
    content: bytes,
    content_type: str = "",
    name: Name = "import",
    format: Format | None = None,
    into: Into | None = None,
    dry_run: bool = False,
) -> JobAnswer:
    """Import a file or an archive that other programs or Hearth's export wrote.

    The body is its bytes. The work goes on as a job.

    The formats are Hearth's own tree, Obsidian vaults, Markdown folders and those of other
    programs. The same source again changes what has changed in it and doubles nothing; a note is
    never overwritten without a snapshot. With dryRun the report says what would be done. The
    credential's scopes decide which kinds of things come in.
    """
    _require_whole_workspace(me)
    path = temp_files.upload_path(app.store.path.parent, content.decode("ascii", "replace"))
    if path.stat().st_size == 0:
        raise Invalid("The body is empty; it must be the bytes of a file or archive.", field="body")
    work = functools.partial(
        _import_upload, app, me, path, name=name, format=format, into=into, dry_run=dry_run
    )
    return JobAnswer(await app.part(Transfers).begin(app, me, "import", name, lambda job: work))


@operation("GET /import/{id}", scope=WRITE)
async def import_job(app: App, me: Caller, *, id: Id) -> JobAnswer:
    """Read how far an import is, or what it did."""
    return JobAnswer(app.part(Transfers).of(app, me, "import", id))


@operation("DELETE /import/{id}", scope=WRITE)
async def cancel_import(app: App, me: Caller, *, id: Id) -> JobAnswer:
    """Cancel an import that runs.

    What it has stored stays, and the same source imported again goes on from there.
    """
    return JobAnswer(await app.part(Transfers).cancel(app, me, "import", id))


@operation("GET /export", scope=READ, effect="write")
async def export_workspace(app: App, me: Caller) -> JobAnswer:
    """Export the workspace as an archive of files that people and other programs can read.

    Begins a job, or gives the one that runs.

    `GET /export/{id}` tells how far it is, `GET /export/{id}/archive` gives the archive, for a
    day. What it holds is what the credential may read.
    """
    _require_whole_workspace(me)
    transfers = app.part(Transfers)
    try:
        job = await transfers.begin(
            app,
            me,
            "export",
            "export",
            lambda job: functools.partial(_export_archive, app, me, job),
        )
    except AlreadyRunning:
        running = transfers.running(app, me, "export")
        if running is None:
            raise
        job = running
    return JobAnswer(job)


@operation("GET /export/{id}", scope=READ)
async def export_job(app: App, me: Caller, *, id: Id) -> JobAnswer:
    """Read how far an export is, or what it holds."""
    return JobAnswer(app.part(Transfers).of(app, me, "export", id))


@operation("GET /export/{id}/archive", scope=READ)
async def download_export(app: App, me: Caller, *, id: Id) -> Download:
    """Download the archive of a completed export.

    The credential must be allowed to read as much as the one that began it.
    """
    path = _require_archive(app, me, app.part(Transfers).of(app, me, "export", id))
    return Download(
        "hearth-export.zip", "application/zip", path.stat().st_size, _stream_parts(path)
    )


@operation("DELETE /export/{id}", scope=READ)
async def cancel_export(app: App, me: Caller, *, id: Id) -> JobAnswer:
    """Cancel an export that runs, or delete the archive of one that is completed."""
    job = await app.part(Transfers).cancel(app, me, "export", id)
    await asyncio.to_thread(_archive_path(app, job.id).unlink, missing_ok=True)
    return JobAnswer(job)


@operation("COMMAND")
async def import_here(
    app: App,
    me: Caller,
    *,
    username: users.Name,
    path: str,
    format: Format | None = None,
    into: Into | None = None,
    dry_run: bool = False,
) -> Record | Lines:
    """Import a file or folder of this machine into a user's workspace, telling how far it is."""
    whose = app.quick(users.local_caller, username)
    # Opened before the answer begins to stream, so that a bad path is an error and not a line.
    work = await _open_import(
        app, whose, Path(path), Path(path).name, format=format, into=into, dry_run=dry_run
    )
    return Lines(report_progress(work, "import"))


@operation("COMMAND")
async def export_here(app: App, me: Caller, *, username: users.Name, path: str) -> Record | Lines:
    """Export a user's workspace to a folder of this machine, or to an archive where the name
    ends in .zip, telling how far it is.
    """
    whose = app.quick(users.local_caller, username)
    return Lines(report_progress(functools.partial(_export_to, app, whose, Path(path)), "export"))


def _require_whole_workspace(me: Caller) -> None:
    # A grant's scopes may be the right ones, but it reaches only some of the notes.
    if me.reach is not None:
        raise Forbidden("Only the owner of a workspace can move it in and out.")


async def _open_import(
    app: App,
    me: Caller,
    path: Path,
    name: str,
    *,
    format: str | None,
    into: str | None,
    dry_run: bool,
) -> Work:
    """Open what is to be imported and return the work of importing it, which closes it again."""
    from app.portability.formats.formats import open_import
    from app.portability.imports.importer import Importer

    source = await asyncio.to_thread(open_import, path, format)
    try:
        importer = Importer(app, me, source, name=name, into=into, dry_run=dry_run)
    except BaseException:
        source.close()
        raise

    async def work(tell: Tell) -> Record:
        try:
            return await importer.run(tell)
        finally:
            await asyncio.to_thread(source.close)

    return work


async def _import_upload(
    app: App,
    me: Caller,
    path: Path,
    tell: Tell,
    *,
    name: str,
    format: str | None,
    into: str | None,
    dry_run: bool,
) -> Record:
    """Import what was uploaded, proved to be harmless first, and delete it."""
    from app.portability.archives import uploads

    folder = path.with_name(path.name + ".d")
    try:
        file = await asyncio.to_thread(uploads.check_upload, path, folder, name)
        work = await _open_import(app, me, file, name, format=format, into=into, dry_run=dry_run)
        return await work(tell)
    finally:
        await asyncio.to_thread(uploads.remove, path, folder)


async def _export_archive(app: App, me: Caller, job: int, tell: Tell) -> Record:
    """Write the archive of a job."""
    target = _archive_path(app, job)
    target.parent.mkdir(mode=0o700, exist_ok=True)
    return await _export_to(app, me, target, tell)


async def _export_to(app: App, me: Caller, target: Path, tell: Tell) -> Record:
    from app.portability.exports.exporter import write_export

    app.store.require_file()
    return await asyncio.to_thread(write_export, app.store, me, target, tell=tell)


def _archive_path(app: App, job: int) -> Path:
    return app.store.path.parent / SPOOL / f"export-{job}.zip"


def _require_archive(app: App, me: Caller, job: Job) -> Path:
    path = _archive_path(app, job.id)
    if job.status != "completed" or not path.is_file():
        raise NotFound(
            "There is no archive of this export: it is not completed, or was deleted after a day."
        )
    return path


async def _stream_parts(path: Path) -> AsyncGenerator[bytes, None]:
    async for part in temp_files.read_parts(path, PART):
        yield part
