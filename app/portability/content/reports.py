"""What an import or export did, and every thing that could not come along, by name."""

from msgspec import field

from app.core.schema import Record
from app.portability.content.source_items import NotCarried

MOST = 10_000
"""How many things a report names; more are counted."""


class Left(Record):
    """A thing that did not come along, or not as it was, with the reason."""

    name: str
    reason: str


class Counts(Record):
    """Of one kind of things, how many were made, changed and left as they were."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0


class ImportReport(Record):
    """What an import did, or with dryRun would do.

    `leftTotal` counts what `left` names the first 10,000 of.
    """

    format: str
    dry_run: bool
    folders: int = 0
    notes: Counts = field(default_factory=Counts)
    files: Counts = field(default_factory=Counts)
    todos: Counts = field(default_factory=Counts)
    conversations: Counts = field(default_factory=Counts)
    snapshots: int = 0
    bytes: int = 0
    left: list[Left] = field(default_factory=list)
    left_total: int = 0


class ExportReport(Record):
    """What an export holds; `leftTotal` counts what `left` names the first 10,000 of."""

    folders: int = 0
    notes: int = 0
    snapshots: int = 0
    files: int = 0
    todos: int = 0
    conversations: int = 0
    bytes: int = 0
    left: list[Left] = field(default_factory=list)
    left_total: int = 0


def note_left_out(report: ImportReport | ExportReport, *lines: NotCarried) -> None:
    """Add to what did not come along."""
    report.left_total += len(lines)
    for line in lines[: MOST - len(report.left)]:
        report.left.append(Left(line.name[:1000], line.reason[:1000]))
