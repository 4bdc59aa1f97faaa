"""One run: which servers take part, and the phases they all go through, round by round."""

import dataclasses
import itertools
import json
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import finding
import load
import work
from servers import Failed, Fleet, Server, hearth, minimal

BARE, THIN, HEARTH, FULL, LEAN, ALL, RIPGREP = (
    "bare",
    "thin",
    "hearth",
    "hearth full",
    "hearth lean",
    "hearth all",
    "ripgrep",
)
STARTS = 3
EMBEDDED = 200
CREATE = next(operation for operation in work.OPERATIONS if operation.name == "create")
EVERY_INDEX = dataclasses.replace(
    CREATE, name="indexes", title="create a note, every index", connections=(8,)
)
BIG_NAMES = (*dict.fromkeys(operation.name for operation in work.BIG), "rg", work.HYBRID.name)
NAMES = (
    *dict.fromkeys(operation.name for operation in work.OPERATIONS),
    *BIG_NAMES,
    "meaning",
    EVERY_INDEX.name,
    "facts",
)

Row = tuple[str, int]


@dataclass(frozen=True)
class Options:
    """What the command line asked for."""

    only: frozenset[str]
    servers: tuple[str, ...]
    notes: int
    rounds: int
    seconds: float
    big: int
    creates: int
    directory: Path | None
    checkout: Path


@dataclass
class Findings:
    """Everything that was measured.

    Per row and server one entry a round, and the facts in order.
    """

    figures: dict[Row, dict[str, list[load.Figures]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    facts: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    remarks: list[str] = field(default_factory=list)


def say(line: str) -> None:
    """Tell the person who waits how far the run is."""
    print(line, file=sys.stderr, flush=True)


def sync_time(folder: Path) -> float:
    """Give the median milliseconds that the disk takes to write and sync 12 KB, as a small
    commit does.
    """
    times = []
    with Path(folder, "sync").open("wb", buffering=0) as file:
        for _ in range(30):
            file.write(bytes(12_288))
            began = time.perf_counter()
            os.fsync(file.fileno())
            times.append((time.perf_counter() - began) * 1e3)
    return statistics.median(times)


class Run:
    """A run from the first start to the last stop; `findings` grows while it goes on."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.findings = Findings()
        self.first = itertools.count(options.notes, options.creates)
        self.refused: set[tuple[str, str]] = set()

    def go(self) -> Findings:
        """Take all phases; the servers are stopped and their files removed whatever happens."""
        with Fleet(self.options.directory) as fleet:
            spaces = self.begin(fleet)
            if any(space.server.name == FULL for space in spaces):
                self.findings.remarks.append(
                    f"One sync of 12 KB takes this disk {sync_time(fleet.folder):.2f} ms."
                )
            self.rounds(work.READING, [space for space in spaces if space.server.name != FULL])
            spaces = [
                space
                for space in spaces
                if self.attempt(space.server.name, partial(self.weigh, space))
            ]
            self.rounds(work.WRITING, spaces)
            self.grow(spaces, fleet)
            self.search_everything(fleet)
        return self.findings

    def wants(self, name: str) -> bool:
        """Tell whether an operation was asked for; without a choice all were."""
        return not self.options.only or name in self.options.only

    def begin(self, fleet: Fleet) -> list[work.Workspace]:
        """Start and fill the servers that store, then start the one that answers with their
        constants.
        """
        spaces = [
            space
            for name in self.stored()
            if (space := self.attempt(name, partial(self.filled, fleet, name)))
        ]
        if BARE in self.options.servers:
            chosen = next(
                (space for space in spaces if space.server.name == HEARTH),
                spaces[0] if spaces else None,
            )
            model = chosen or self.filled(fleet, THIN)
            spaces.insert(0, self.bare(fleet, model))
        return [space for space in spaces if space.server.name in (*self.options.servers, FULL)]

    def stored(self) -> list[str]:
        """Name the servers with a database."""
        names = [name for name in (THIN, HEARTH) if name in self.options.servers]
        return [*names, FULL] if HEARTH in names and self.wants("create") else names

    def attempt(self, name: str, step: Callable[[], work.Workspace]) -> work.Workspace | None:
        """Do a step for a server; one that fails is left out, and the report says why."""
        try:
            return step()
        except (Failed, load.Refused, OSError) as error:
            self.findings.remarks.append(f"{name} is left out: {error}")
            say(self.findings.remarks[-1])
            return None

    def filled(self, fleet: Fleet, name: str) -> work.Workspace:
        """Start a server with an empty database, take its first facts and fill it."""
        folder = fleet.place(name.replace(" ", "-"))
        if name == THIN:
            server = minimal(THIN, folder, "--data", str(folder / "data"))
        else:
            server = hearth(
                name, folder, settings=self.settings(name), checkout=self.options.checkout
            )
        self.start(fleet.add(server), "start to first answer, empty, s")
        say(f"{name}: filling in {self.options.notes} notes")
        todos = work.TODOS if self.wants("todos") else 0
        return work.fill(
            server, notes=self.options.notes, todos=todos, creates=self.options.creates
        )

    def settings(self, name: str) -> dict[str, str]:
        """Give the settings by which the Hearths of a run differ.

        Vectors are made by one of them only, as that work goes on beside every row.
        """
        return {
            "HEARTH_DURABILITY": "full" if name == FULL else "normal",
            "HEARTH_EMBEDDINGS": "auto" if name == ALL else "off",
            "HEARTH_GREP_INDEX": "off" if name == LEAN else "on",
            "HEARTH_BACKUPS": "off",  # one that falls into a measurement makes it another one
            "HEARTH_MODELS": str(self.options.checkout / "data" / "models"),
        }

    def bare(self, fleet: Fleet, model: work.Workspace) -> work.Workspace:
        """Start the server of constants, which are answers of another server."""
        folder = fleet.place(BARE)
        file = folder / "constants.json"
        kinds = {name for name in NAMES if self.wants(name)} | (
            {"read", "create"} if self.wants("mixed") else set()
        )
        file.write_text(json.dumps(work.constants(model, kinds)))
        server = fleet.add(minimal(BARE, folder, "--constants", str(file)))
        self.start(server, "start to first answer, empty, s")
        return work.empty(server, creates=self.options.creates)

    def start(self, server: Server, fact: str) -> None:
        """Start a server, several times when facts are wanted, and note the median and the
        memory of the idle process.
        """
        times = [server.start()]
        while self.wants("facts") and len(times) < STARTS:
            server.stop()
            times.append(server.start())
        if server.name == FULL or not self.wants("facts"):
            return
        self.findings.facts[fact][server.name] = statistics.median(times)
        self.note_memory(
            "memory idle, MB" if "empty" in fact else f"memory idle, {fact.split(', ')[1]}, MB",
            server,
        )

    def note_memory(self, fact: str, server: Server) -> None:
        """Note the resident memory, where the system tells."""
        if (memory := server.memory()) is not None:
            self.findings.facts[fact][server.name] = memory

    def rounds(self, operations: Iterable[work.Operation], spaces: list[work.Workspace]) -> None:
        """Measure all operations on all servers, round by round, the servers in turn within each
        row.
        """
        rows = [
            (operation, c)
            for operation in operations
            if self.wants(operation.name)
            for c in operation.connections
        ]
        for number, (operation, connections) in itertools.product(range(self.options.rounds), rows):
            say(f"round {number + 1}: {operation.title}, c={connections}")
            first = next(self.first) if operation.sent != "steady" else 0
            # In turn, each round another server first: a machine that slows down is fair to all.
            turn = number % max(1, len(spaces))
            for space in spaces[turn:] + spaces[:turn]:
                self.measure(operation, space, connections=connections, first=first)

    def measure(
        self, operation: work.Operation, space: work.Workspace, *, connections: int, first: int
    ) -> None:
        """Measure once, unless the server has refused the operation before."""
        name = space.server.name
        if (name == FULL and operation is not CREATE) or (operation.title, name) in self.refused:
            return
        try:
            found = operation.measure(
                space, connections=connections, first=first, seconds=self.options.seconds
            )
        except (load.Refused, OSError) as error:
            self.refused.add((operation.title, name))
            self.findings.remarks.append(f"{name} refused to {operation.title}: {error}")
            return
        self.findings.figures[operation.title, connections][name].append(found)

    def weigh(self, space: work.Workspace) -> work.Workspace:
        """Note memory, disk after a clean stop and the start with a filled database, all before
        anything more is written.
        """
        server, notes = space.server, f"{self.options.notes} notes"
        if not self.wants("facts") or server.name in (BARE, FULL):
            return space
        say(f"{server.name}: memory, disk and start")
        self.note_memory(f"memory after reading {notes}, MB", server)
        server.stop()
        self.findings.facts["disk after a clean stop per byte of text"][server.name] = (
            server.disk() / server.text_bytes
        )
        self.start(server, f"start to first answer, {notes}, s")
        return space

    def search_everything(self, fleet: Fleet) -> None:
        """Measure what it takes to find by meaning, then creating notes with every index on and
        with that of words alone.
        """
        if HEARTH not in self.options.servers or not (
            self.wants("meaning") or self.wants(EVERY_INDEX.name)
        ):
            return
        spaces = [
            space
            for name in (LEAN, ALL)
            if (space := self.attempt(name, partial(self.prepared, fleet, name)))
        ]
        if len(spaces) == 2:
            self.rounds([EVERY_INDEX], spaces)
        for space in spaces:
            space.server.stop()

    def prepared(self, fleet: Fleet, name: str) -> work.Workspace:
        """Start a Hearth without notes; with every index on, note first what its vectors take."""
        server = fleet.add(
            hearth(
                name,
                fleet.place(name.replace(" ", "-")),
                settings=self.settings(name),
                checkout=self.options.checkout,
            )
        )
        server.start()
        if name == ALL and self.wants("meaning"):
            say(f"{name}: embedding {EMBEDDED} notes")
            for fact, found in finding.meaning(server, notes=EMBEDDED).items():
                self.findings.facts[fact][HEARTH] = found
        return work.fill(server, notes=work.READS, todos=0, creates=self.options.creates)

    def grow(self, spaces: list[work.Workspace], fleet: Fleet) -> None:
        """Give Hearth one big folder and measure what must not depend on its size."""
        space = next((space for space in spaces if space.server.name == HEARTH), None)
        if space is None or not self.options.big or not any(map(self.wants, BIG_NAMES)):
            return
        say(f"{HEARTH}: filling one folder with {self.options.big} notes")
        files = fleet.place("files") if self.wants("rg") else None
        if not self.attempt(HEARTH, partial(work.fill_big, space, self.options.big, files=files)):
            return
        self.rounds(work.BIG, [space])
        if files is not None:
            self.attempt(HEARTH, partial(self.compare_greps, space, files))
        if self.wants("facts"):
            self.attempt(HEARTH, partial(self.weigh_big, space))
        if self.wants(work.HYBRID.name):
            self.attempt(HEARTH, partial(self.search_by_both, space))

    def compare_greps(self, space: work.Workspace, files: Path) -> work.Workspace:
        """Grep all notes by Hearth and, as files, by ripgrep."""
        work.write_files(files, range(next(self.first)))
        for pattern in finding.PATTERNS:
            say(f"grep: {pattern.name}")
            ours, theirs = finding.grep(space.server, pattern), finding.ripgrep(files, pattern)
            fact = f"grep of all, {pattern.name}, ms"
            self.findings.facts[fact][HEARTH] = ours.milliseconds
            if theirs is None:
                self.findings.remarks.append(
                    "ripgrep is not installed, so nothing is compared with it."
                )
                return space
            self.findings.facts[fact][RIPGREP] = theirs.milliseconds
            if ours.notes != theirs.notes:
                self.findings.remarks.append(
                    f"{pattern.name}: {ours.notes} notes match in {HEARTH}, {theirs.notes} files "
                    f"in {RIPGREP}."
                )
        return space

    def search_by_both(self, space: work.Workspace) -> work.Workspace:
        """Give every note a vector and measure searching by words and meaning."""
        server = space.server
        server.environment = {**(server.environment or {}), "HEARTH_EMBEDDINGS": "auto"}
        # to the file that vectors are invented in
        server.command = [*server.command, "--accept-changes"]
        memory = []
        for most in (1, -1):
            server.stop()
            finding.invent_vectors(server, most=most)
            memory.append(finding.memory_by_meaning(server))
        few, all_ = memory
        if few is not None and all_ is not None:
            self.findings.facts[
                f"memory of the vectors of {self.options.big + self.options.notes} notes, MB"
            ][HEARTH] = all_ - few
        self.rounds([work.HYBRID], [space])
        return space

    def weigh_big(self, space: work.Workspace) -> work.Workspace:
        """Note memory, disk and start once more, with the big folder."""
        server, notes = space.server, f"{self.options.big + self.options.notes} notes"
        self.note_memory(f"memory after reading {notes}, MB", server)
        server.stop()
        self.findings.facts[f"disk after a clean stop per byte of text, {notes}"][server.name] = (
            server.disk() / server.text_bytes
        )
        self.start(server, f"start to first answer, {notes}, s")
        return space
