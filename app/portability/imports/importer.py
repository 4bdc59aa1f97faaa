"""Takes the things of a source into the workspace, one batch after another.

It can be cut off at any moment and begun again.

A batch is one transaction, and what each thing became is kept with it, so a second run goes on
where the first ended, and the same source imported again changes what has changed in it and
doubles nothing.
"""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from app.account import users
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.errors import AppError, Forbidden
from app.portability.content import import_rows
from app.portability.content.import_rows import OWN, REFERENCES
from app.portability.content.reports import Counts, ImportReport, note_left_out
from app.portability.content.source_items import (
    Folders,
    Item,
    NotCarried,
    Source,
    SourceAgents,
    SourceConversation,
    SourceFile,
    SourceFolder,
    SourceNote,
    SourceSettings,
    SourceTodo,
)
from app.portability.exports.export_plan import key_prefix
from app.portability.imports import finish_import, prepare, store_agents, store_files, store_items
from app.portability.imports.known_rows import ImportContext
from app.portability.imports.prepare import Ready, ReadyFolder, ReadyNote
from app.portability.imports.store_items import BatchResult
from app.workspace.folders import paths
from app.workspace.index import word_index

SINGLE = (SourceFile, SourceConversation, SourceSettings, SourceAgents)
BATCH = 250
BATCH_BYTES = 2 << 20
SETTLED = 100
NOTES, TODOS = "os.notes:write", "os.todos:write"
Tell = Callable[[int, int | None], None]
"""Told how many things are done of how many, None where that is not known."""


class Chunk(NamedTuple):
    """Some things of the source in a row.

    What a transaction takes together, or one thing that is stored by itself; None at the end.
    """

    batch: list[Ready]
    lines: list[NotCarried]
    single: Item | None
    taken: int
    at_end: bool


class Importer:
    """One import of one source."""

    def __init__(
        self, app: App, me: Caller, source: Source, *, name: str, into: str | None, dry_run: bool
    ) -> None:
        if me.reach is not None:
            raise Forbidden("Only the owner of a workspace can import into it.")
        self._app, self._me, self._source = app, me, source
        self._into: Folders = (
            tuple(paths.split_path(into.strip("/"), field="into"))
            if into and into.strip("/")
            else ()
        )
        self._name = name
        self._dry = dry_run
        self._series: dict[str, str] = {}
        self._moved: dict[int, int] = {}
        self._missing: set[str] = set()
        self._ended = False
        self.report = ImportReport(source.format, dry_run)

    async def run(self, tell: Tell) -> ImportReport:
        """Import everything and return what was done.

        What `tell` raises ends the import between two batches; those that were stored stay.
        """
        own = self._source.format == OWN
        where = "/".join(self._into)
        # of formats whose keys are the same under every file name and nobody else's
        lasting = getattr(self._source, "identity", None)
        known = lasting or f"{self._source.format}:{'' if own else self._name}"
        identity = OWN if own and not where else f"{known}:{where}"
        zone = ZoneInfo((await self._app.read(users.settings_of, self._me.user)).timezone)
        self._now = self._app.clock()
        self._context = ImportContext(self._me, identity, zone, key_prefix(self._me))
        try:
            total = await asyncio.to_thread(self._source.total)
            await self._all(total, tell)
        finally:
            self._ended = True  # the thread that still reads the source stops at its next item
        if not self._dry:
            await self._finish()
        for scope in sorted(self._missing):
            note_left_out(
                self.report,
                NotCarried(scope, "the key lacks this scope; what needs it was not imported"),
            )
        return self.report

    async def _all(self, total: int | None, tell: Tell) -> None:
        pulling = self._pull()
        done = 0
        async with contextlib.aclosing(_read_ahead(pulling)) as pulled_ahead:
            async for pulled in pulled_ahead:
                note_left_out(self.report, *pulled.lines)
                if pulled.batch:
                    await self._store(pulled.batch)
                if pulled.single is not None:
                    await self._store_single(pulled.single)
                done += pulled.taken
                tell(done, None if total is None else max(total, done))

    def _pull(self) -> Iterator[Chunk]:
        """Read and prepare the source piece by piece; runs in a thread."""
        batch: list[Ready] = []
        lines: list[NotCarried] = []
        size = count = 0
        for item in self._source.items():
            count += 1
            ready = self._prepared(item, lines)
            if ready is not None:
                batch.append(ready)
                size += ready.text.size if isinstance(ready, ReadyNote) else 200
            # Files are stored in many transactions of their own, so they cannot wait inside a
            # batch.
            single = isinstance(item, SINGLE)
            if single or len(batch) >= BATCH or size >= BATCH_BYTES:
                yield Chunk(batch, lines, item if single else None, count, at_end=False)
                batch, lines, size, count = [], [], 0, 0
            if self._ended:
                return
        yield Chunk(batch, lines, None, count, at_end=True)

    def _prepared(self, item: Item, lines: list[NotCarried]) -> Ready | None:
        if isinstance(item, NotCarried):
            lines.append(item)
            return None
        scope = TODOS if isinstance(item, SourceTodo) else NOTES
        if (
            isinstance(item, SourceNote | SourceFolder | SourceTodo)
            and scope not in self._me.rights
        ):
            self._missing.add(scope)
            return None
        if isinstance(item, SourceNote):
            return prepare.prepare_note(
                item, self._into, lines, zone=self._context.zone, now=self._now
            )
        if isinstance(item, SourceFolder):
            return prepare.prepare_folder(item, self._into, lines)
        if isinstance(item, SourceTodo):
            if item.next is not None:
                self._series[item.key] = item.next
            return prepare.prepare_todo(item, self._context.zone, lines)
        return None

    async def _store(self, batch: list[Ready]) -> None:
        # A dry run goes through the same judgement in a read, so that it can foretell what would be
        # done.
        act: Callable[[Tx, ImportContext, list[Ready]], BatchResult] = (
            store_items.preview_batch if self._dry else store_items.store_batch
        )
        stored = await (self._app.read if self._dry else self._app.write)(act, self._context, batch)
        note_left_out(self.report, *stored.lines)
        self.report.folders += stored.made
        for ready, outcome in stored.outcomes:
            if outcome is None:
                continue
            if isinstance(ready, ReadyFolder):
                self.report.folders += self._dry and outcome == "created"
            else:
                _count_outcome(
                    self.report.notes if isinstance(ready, ReadyNote) else self.report.todos,
                    outcome,
                )
            if isinstance(ready, ReadyNote):
                self.report.bytes += ready.text.size if outcome != "unchanged" else 0
                await self._snapshots(ready)

    async def _snapshots(self, ready: ReadyNote) -> None:
        kept = ready.source.snapshots
        if kept is None or self._dry or "os.snapshots:write" not in self._me.rights:
            if kept is not None and not self._dry:
                self._missing.add("os.snapshots:write")
            return
        key = ready.source.key
        if not await self._app.read(_lacks_snapshots, self._context, key):
            return
        batches = store_files.snapshot_batches(kept())
        while batch := await asyncio.to_thread(next, batches, None):
            self.report.snapshots += await self._app.write(
                store_files.put_snapshots, self._context, key, batch
            )
        await self._app.write(store_files.note_snapshots_done, self._context, key)

    async def _store_single(self, item: Item) -> None:
        if isinstance(item, SourceFile):
            if NOTES in self._me.rights:
                await self._file(item)
            else:
                self._missing.add(NOTES)
        elif isinstance(item, SourceConversation):
            if "agent.chat:run" in self._me.rights:
                await self._conversation(item)
            else:
                self._missing.add("agent.chat:run")
        elif isinstance(item, SourceAgents) and item.agents:
            if "agents:manage" not in self._me.rights:
                self._missing.add("agents:manage")
            elif not self._dry:
                left = await store_agents.store_agents(self._app, self._me, item)
                note_left_out(self.report, *left)
        elif isinstance(item, SourceSettings) and item.values:
            if "account:manage" not in self._me.rights:
                self._missing.add("account:manage")
            elif not self._dry:
                note_left_out(
                    self.report,
                    *await self._app.write(store_files.store_settings, self._context, item),
                )

    async def _file(self, source: SourceFile) -> None:
        # Read through once before anything is stored: an unchanged file must cost no write at all.
        looked = await asyncio.to_thread(
            store_files.inspect_file, source, self._app.settings.max_attachment_body, self._check
        )
        if isinstance(looked, str):
            note_left_out(self.report, NotCarried(source.key[:500], looked))
            return
        outcome, before = await self._app.read(
            store_files.file_state, self._context, source.key, looked
        )
        _count_outcome(self.report.files, outcome)
        if outcome == "unchanged" or self._dry:
            return
        lines: list[NotCarried] = []
        name = prepare.clean_name(source.name, source.key, lines)
        created = prepare.prepare_moment(source.created, source.key, "created", lines)
        created = None if created is None or created > stamp(self._now) else created
        note_left_out(self.report, *lines)
        try:
            made = await self._app.write(
                store_files.begin_file, self._context, source, name, looked, created
            )
            self.report.bytes += looked.size
            if not looked.first:
                await self._large_file(source, made, looked)
            if before:
                self._moved[before] = made
        except AppError as error:
            # A full quota or a name that is allowed is said of this file; the others go on.
            if error.status != 409:
                raise
            note_left_out(self.report, NotCarried(source.key[:500], error.message))

    async def _large_file(
        self, source: SourceFile, made: int, looked: store_files.InspectedFile
    ) -> None:
        from app.workspace.attachments import attachment_rows

        whole = False
        try:
            with source.open() as file:
                parts = store_files.read_parts(file)
                for number in itertools.count():
                    part = await asyncio.to_thread(next, parts, None)
                    if part is None:
                        break
                    await self._app.write(attachment_rows.put_part, made, number, part)
            await self._app.write(store_files.finish_file, self._context, source.key, made, looked)
            whole = True
        finally:
            if not whole:
                # As a task: whoever cancels the import would cancel an await here too.
                self._app.tasks.start(self._app.write(attachment_rows.discard, made))

    async def _conversation(self, source: SourceConversation) -> None:
        act: Any = store_files.conversation_state if self._dry else store_files.store_conversation
        lines: list[NotCarried] = []
        checked = _check_times(source, lines)
        if checked is None:
            note_left_out(self.report, *lines)
        else:
            _count_outcome(
                self.report.conversations,
                await (self._app.read if self._dry else self._app.write)(
                    act, self._context, checked
                ),
            )

    async def _finish(self) -> None:
        """Put true addresses where things were named before they were there, link series of
        todos, and index what waits to be found.
        """
        me, source = self._me.user, self._context.source
        while rows := await self._app.read(
            import_rows.list_unfinished, me, source, REFERENCES, SETTLED
        ):
            await self._app.write(
                finish_import.settle_addresses,
                self._context,
                {row["key"]: row["row_id"] for row in rows},
            )
        last = 0
        while self._moved and (
            shown := [
                row["id"]
                for row in await self._app.read(finish_import.notes_showing, self._context, last)
            ]
        ):
            await self._app.write(
                finish_import.replace_shown_files, self._context, shown, self._moved
            )
            last = shown[-1]
        if self._series:
            await self._app.write(finish_import.link_series, self._context, self._series)
        # Indexed now, so that the report means "all of it can be found".
        while await self._app.read(word_index.any_waiting):
            await self._app.write(word_index.index_waiting)

    def _check(self) -> None:
        if self._ended:
            raise OSError(0, "the import was cut off")


async def _read_ahead(pulling: Iterator[Chunk]) -> AsyncGenerator[Chunk, None]:
    """Yield what a generator gives, which runs in a thread one step ahead of whoever takes it."""
    step = asyncio.ensure_future(asyncio.to_thread(next, pulling))
    try:
        while True:
            pulled = await step
            if not pulled.at_end:
                step = asyncio.ensure_future(asyncio.to_thread(next, pulling))
            yield pulled
            if pulled.at_end:
                return
    finally:
        # a generator must not be left in the middle of a step, nor a failure unheard
        with contextlib.suppress(Exception):
            await asyncio.shield(step)


def _count_outcome(counts: Counts, outcome: str) -> None:
    setattr(counts, outcome, getattr(counts, outcome) + 1)


def _lacks_snapshots(tx: Tx, context: ImportContext, key: str) -> bool:
    known = import_rows.find(tx, context.me.user, context.source, "note", key)
    return known is not None and bool(known["rest"] & import_rows.SNAPSHOTS)


def _check_times(source: SourceConversation, lines: list[NotCarried]) -> SourceConversation | None:
    """Return a conversation with times as they are stored; None where one of them is none."""
    created = prepare.prepare_moment(source.created, source.title, "begun", lines)
    times = [
        prepare.prepare_moment(one.created, source.title, "written", lines)
        for one in source.messages
    ]
    if created is None or None in times:
        return None
    messages = [
        msgspec.structs.replace(one, created=time)
        for one, time in zip(source.messages, times, strict=True)
    ]
    return msgspec.structs.replace(source, created=created, messages=tuple(messages))
