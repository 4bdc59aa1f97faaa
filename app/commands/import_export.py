"""`hearth import` and `hearth export`: notes and todos in and out."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from app.commands.ask.ask_as_user import LocalClient
from app.commands.ask.locate_data import settings_option
from app.commands.terminal.command_group import Refused
from app.commands.terminal.progress_line import ProgressLine
from app.commands.terminal.tables import format_json
from app.commands.terminal.terminal_safe import on_one_line
from app.commands.terminal.user_options import user_option
from app.commands.user import choose_username
from app.core.process.counted import counted
from app.settings import Settings

SHOWN = 20
"""How many of the things that were left out are shown.

All of them stand in the file that --report names.
"""
_ENDED = {
    "import_here": "The import was interrupted. What was imported is kept. Run the same "
    "command again to continue.",
    "export_here": "The export was interrupted, and nothing was kept.",
}
report_option = click.option(
    "--report",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    help="Write the full report to FILE as JSON.",
)


@click.command(name="import")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--format", "format_", metavar="FORMAT", help="Input format [default: detected].")
@click.option(
    "--into", metavar="FOLDER", help="Workspace folder to import into [default: the top level]."
)
@click.option("--dry-run", is_flag=True, help="Show what would be imported and change nothing.")
@user_option
@report_option
@click.option("--json", "json_", is_flag=True, help="Print the report as JSON.")
@settings_option
def import_(
    path: Path,
    format_: str | None,
    into: str | None,
    dry_run: bool,
    user: str | None,
    report: Path | None,
    json_: bool,
    settings: Settings,
) -> None:
    """Import notes, files and todos from PATH.

    PATH is a file, folder or archive: a Hearth export, an Obsidian vault, a folder of Markdown
    files or an export of another program. Importing again, also after an interruption, updates
    what has changed and duplicates nothing. A snapshot is kept of each note that is overwritten.
    """
    found = _run_job(
        settings,
        "Importing",
        "import_here",
        username=choose_username(settings, user),
        path=str(path.absolute()),
        format=format_,
        into=into,
        dryRun=dry_run,
    )
    _write_report(report, found)
    click.echo(format_json(found) if json_ else "\n".join(_import_report(found)))


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@user_option
@report_option
@click.option("--json", "json_", is_flag=True, help="Print the report as JSON.")
@settings_option
def export(
    path: Path, user: str | None, report: Path | None, json_: bool, settings: Settings
) -> None:
    """Export the workspace to a folder or .zip archive.

    Notes become Markdown files with front matter. Snapshots, attachments, todos (JSON, todo.txt,
    ICS), conversations and settings come along. `hearth import` reads all of it back.
    """
    found = _run_job(
        settings,
        "Exporting",
        "export_here",
        username=choose_username(settings, user),
        path=str(path.absolute()),
    )
    _write_report(report, found)
    click.echo(format_json(found) if json_ else "\n".join(_export_report(path, found)))


def _run_job(settings: Settings, doing: str, name: str, **params: Any) -> dict[str, Any]:
    """Ask for the work, show how far it is, and give its report."""
    bar = ProgressLine(doing)
    try:
        # Ctrl-C must stop the work: nobody else would ever hear of its end.
        for event in LocalClient(settings, None, goes_on=False).lines(name, **params):
            if event["type"] == "progress":
                bar.show(event["done"], event["total"])
            elif event["type"] == "error":
                raise Refused(on_one_line(event["message"], 1000))
            else:
                found: dict[str, Any] = event["report"]
                return found
    except KeyboardInterrupt:
        raise Refused(_ENDED[name]) from None
    finally:
        bar.end()
    raise Refused("The work was interrupted. Run the same command again to continue.")


def _write_report(report: Path | None, found: dict[str, Any]) -> None:
    if report is not None:
        report.write_text(format_json(found) + "\n", "utf-8")


def _import_report(found: dict[str, Any]) -> Iterable[str]:
    yield f"{'Would import' if found['dryRun'] else 'Imported'} ({found['format']}):"
    yield f"  folders        {found['folders']} new"
    for kind in ("notes", "files", "todos", "conversations"):
        counts = found[kind]
        if any(counts.values()):
            yield (
                f"  {kind:13}  {counts['created']} new, {counts['updated']} changed, "
                f"{counts['unchanged']} unchanged"
            )
    if found["snapshots"]:
        yield f"  snapshots      {found['snapshots']}"
    yield from _left_lines(found)


def _export_report(path: Path, found: dict[str, Any]) -> Iterable[str]:
    what = ", ".join(
        counted(found[f"{kind}s"], kind)
        for kind in ("folder", "note", "snapshot", "file", "todo", "conversation")
    )
    yield f"Exported to {on_one_line(str(path), 500)}: {what}; {counted(found['bytes'], 'byte')}."
    yield from _left_lines(found)


def _left_lines(found: dict[str, Any]) -> Iterable[str]:
    if found["leftTotal"] == 0:
        yield "Nothing was left out."
        return
    yield f"{counted(found['leftTotal'], 'item was', 'items were')} skipped or changed:"
    for line in found["left"][:SHOWN]:
        yield f"  {on_one_line(line['name'], 200)}: {on_one_line(line['reason'], 300)}"
    if found["leftTotal"] > SHOWN:
        yield f"  … and {found['leftTotal'] - SHOWN} more; use --report FILE to list them all."
