"""An operation's answer for a person or for the next command in a pipe."""

import json
import re
import sys
from collections.abc import Callable, Mapping
from html import unescape
from typing import Any

import click

from app.commands.operations.command_index import OperationCommand
from app.commands.terminal.colours import paint
from app.commands.terminal.columns import NEAR, print_columns, shown_value, words_of
from app.commands.terminal.terminal_safe import on_one_line, strip_controls
from app.core.markdown.plain_words import plain_words

Answer = Mapping[str, Any]
PAST = {
    "add": "Added",
    "edit": "Changed",
    "move": "Moved",
    "copy": "Copied",
    "pin": "Changed",
    "delete": "Deleted",
    "remove": "Removed",
    "revoke": "Revoked",
    "complete": "Completed",
    "restore": "Restored",
    "rename": "Renamed",
    "save": "Saved",
    "purge": "Deleted for good",
    "disconnect": "Disconnected",
}
TOLD = ("secret", "url", "inviteUrl", "token")
"""What must be shown of an answer, since it is why somebody asked, or never shown again."""
NAMES = ("title", "name", "label", "handle", "username", "path")
IDS = ("id", "conversationId", "versionId", "linkId")
TOTALS = ("total", "totalNotes")
LONGEST = 120


def show_answer(command: str, made: OperationCommand, answer: Any) -> None:
    """Print an answer: a table of its rows, a text as it is, or what there is to say of a thing."""
    if isinstance(answer, list):
        answer = {made.rows: answer}
    own = _OWN.get(made.operation)
    rows = answer.get(made.rows)
    verb = command.partition(" ")[2]
    if own is not None:
        own(answer)
    elif isinstance(rows, list) and made.columns and (rows or made.reads):
        _show_rows(made, answer, rows)
    elif not made.reads and verb in PAST and not _is_told(answer):
        _show_done(command, answer)
    else:
        _show_record(_only_record(answer))
    if notice := answer.get("notice"):
        click.echo(strip_controls(notice), err=True)


def _show_rows(made: OperationCommand, answer: Answer, rows: list[Answer]) -> None:
    if not rows and sys.stdout.isatty():
        click.echo(f"No {words_of(made.rows)}." if made.rows else "Nothing found.", err=True)
        return
    columns = made.columns
    head = [words_of(name).upper() if name != "folderId" else "FOLDER" for name in columns]
    print_columns(head, ([_cell(row, name) for name in columns] for row in rows))
    total = next((answer[name] for name in TOTALS if name in answer), 0)
    if total > len(rows) and sys.stdout.isatty():
        click.echo(f"{len(rows)} of {total}; --limit and --offset show others.", err=True)


def _cell(row: Answer, name: str) -> Any:
    return plain_words(row[name])[0] if name == "snippet" else row.get(name)


def _show_done(command: str, answer: Answer) -> None:
    """Say what was done; into a pipe goes the number of the thing alone."""
    inner = [value for value in answer.values() if isinstance(value, dict)]
    record = inner[0] if len(inner) == 1 else answer
    number = next((record[name] for name in IDS if name in record), None)
    if not sys.stdout.isatty():
        if number is not None:
            click.echo(str(number))
        return
    noun, _, verb = command.partition(" ")
    done = "Moved to the trash" if answer.get("trashed") else PAST[verb]
    name = next((str(record[one]) for one in NAMES if record.get(one)), "")
    words = [done, noun, "" if number is None else str(number)]
    line = " ".join(filter(None, words)) if not answer.get("trashed") else f"{done}"
    click.echo(f"{line}{f': {on_one_line(name, LONGEST)}' if name else '.'}")


def _show_record(record: Answer, above: str = "") -> None:
    """Print a record's values one a line, those of records in it by both names."""
    for name, value in record.items():
        full = f"{above}.{name}" if above else name
        if isinstance(value, dict) and value:
            _show_record(value, full)
        elif not sys.stdout.isatty():
            click.echo(f"{full}\t{_value_text(value)}")
        elif value not in (None, "", []):
            label = words_of(full.replace(".", " "))
            click.echo(f"{paint(f'{label}:', bold=True)} {_value_text(value)}")


def _value_text(value: Any) -> str:
    parts = value if isinstance(value, list) else [value]
    if any(isinstance(part, dict | list) for part in parts):
        return json.dumps(value, ensure_ascii=False)
    if not sys.stdout.isatty():
        return strip_controls(str(value).lower() if isinstance(value, bool) else value)
    return strip_controls("no" if value is False else shown_value(value))


def _only_record(answer: Answer) -> Answer:
    """Return the record inside an answer that holds little else, else the answer itself."""
    inner = [value for value in answer.values() if isinstance(value, dict)]
    little = all(isinstance(value, dict | int | None) for value in answer.values())
    return inner[0] if len(inner) == 1 and little and not _is_told(answer) else answer


def _is_told(answer: Answer) -> bool:
    return any(answer.get(name) for name in TOLD) or any(
        isinstance(value, dict) and any(value.get(name) for name in TOLD)
        for value in answer.values()
    )


def _show_note(answer: Answer) -> None:
    note = answer["note"]
    if sys.stdout.isatty():
        place = note.get("folder") or {}
        line = [on_one_line(place.get("name", ""), LONGEST), *(f"#{tag}" for tag in note["tags"])]
        click.echo(paint(on_one_line(note["title"], LONGEST), bold=True))
        click.echo(paint("  ".join([*filter(None, line), f"note {note['id']}"]), dim=True) + "\n")
    show_text(note["markdown"])


def show_text(text: str) -> None:
    """Print a text: as it is into a pipe, harmless and with its last line ended on a terminal."""
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    click.echo(strip_controls(text), nl=not text.endswith("\n"))


def _show_snapshot(answer: Answer) -> None:
    found = answer.get("snapshot", answer)
    show_text(str(found.get("markdown", found.get("content", ""))))


def _show_diff(answer: Answer) -> None:
    colours = {"+": "green", "-": "red", "@": "cyan"}
    for line in str(answer["diff"]).splitlines():
        colour = colours.get(line[:1])
        click.echo(paint(strip_controls(line), fg=colour) if colour else strip_controls(line))


def _show_hits(answer: Answer) -> None:
    rows = answer["results"]
    if not sys.stdout.isatty():
        cells = ((row["id"], row["title"], _cell(row, "snippet"), row.get("match")) for row in rows)
        print_columns((), cells)
        return
    for row in rows:
        title = paint(on_one_line(row["title"], LONGEST), bold=True)
        near = NEAR if row.get("match") == "meaning" else ""
        place = f"  {on_one_line(row['folderId'], LONGEST)}" if row["folderId"] else ""
        click.echo(f"{title}  {paint(str(row['id']) + place + near, dim=True)}")
        click.echo(f"    {on_one_line(_cell(row, 'snippet'), LONGEST)}")
    if not rows:
        click.echo("Nothing found.", err=True)


def _show_links(answer: Answer) -> None:
    rows = answer["links"]
    if not rows and sys.stdout.isatty():
        click.echo("No links.", err=True)
        return
    print_columns(
        ("NOTE", "KIND", "TITLE", "STATE"),
        (
            (
                one["noteId"] or "",
                one["kind"],
                one["title"] or one["target"] or one["text"],
                "" if one["exists"] else "missing",
            )
            for one in rows
        ),
    )


def _show_lines(answer: Answer) -> None:
    for row in answer["results"]:
        for found in row["matches"]:
            place = f"{on_one_line(row['title'], LONGEST)}:{found['line']}"
            click.echo(f"{paint(place, fg='cyan')}: {strip_controls(found['text'])}")
    if not answer["results"] and sys.stdout.isatty():
        click.echo("Nothing found.", err=True)


def _show_replaced(answer: Answer) -> None:
    for note in answer["notes"]:
        click.echo(
            paint(f"{on_one_line(note['title'], LONGEST)} (note {note['noteId']})", bold=True)
        )
        for line in note["lines"]:
            click.echo(paint(f"-{strip_controls(line['before'])}", fg="red"))
            click.echo(paint(f"+{strip_controls(line['after'])}", fg="green"))
    if not answer["notes"]:
        click.echo("Nothing found.", err=True)
    elif answer["preview"]:
        click.echo("Nothing is changed yet; --no-preview does it.", err=True)
    else:
        undo = answer["undo"]["id"] if isinstance(answer["undo"], dict) else answer["undo"]
        click.echo(f"Changed. `hearth note undo-replace {undo}` takes it back.", err=True)


def _show_briefing(answer: Answer) -> None:
    found = answer.get("briefing", answer)
    parts = (value for name, value in found.items() if name.endswith("Summary") and value)
    click.echo("\n\n".join(strip_controls(_plain_text(part)) for part in parts))


def _plain_text(html: str) -> str:
    """Return HTML as lines of text, the entries of lists with a dash."""
    lined = re.sub("</(p|li|ul|ol|h[1-6])>", "\n", html.replace("<li", "- <li"))
    text = unescape(re.sub("<[^>]*>", "", lined))
    return re.sub("\n{2,}", "\n", text).strip()


def _show_instructions(answer: Answer) -> None:
    show_text(str(answer.get("content", "")))


_OWN: Mapping[str, Callable[[Answer], None]] = {
    "get_note_content": _show_note,
    "read_snapshot": _show_snapshot,
    "read_version": _show_snapshot,
    "diff_snapshots": _show_diff,
    "search_notes": _show_hits,
    "related_notes": _show_hits,
    "grep_notes": _show_lines,
    "get_note_links": _show_links,
    "replace_in_notes": _show_replaced,
    "briefing": _show_briefing,
    "get_briefing": _show_briefing,
    "read_heartbeat_instructions": _show_instructions,
}
"""Operations whose answers a table would show badly."""
