"""`hearth find`: notes and todos by words, or lines by a pattern; one may be chosen and opened."""

import sys
from typing import Any, NamedTuple

import click

from app.commands.ask.door import Door, open_door
from app.commands.terminal.colours import paint
from app.commands.terminal.columns import NEAR, print_columns
from app.commands.terminal.command_group import Misused
from app.commands.terminal.tables import format_json
from app.commands.terminal.terminal_safe import on_one_line, strip_controls
from app.commands.terminal.user_options import user_options
from app.core.markdown.plain_words import plain_words
from app.settings import Settings

LONGEST = 110


class Hit(NamedTuple):
    """Something that was found: a todo, a note, or a line of one."""

    kind: str
    id: int
    title: str
    shown: str
    line: int | None = None
    match: str = ""


@click.command(
    epilog="\b\nExamples:\n  hearth find last frost\n  hearth find -e 'TODO|FIXME' --folder Work"
)
@click.argument("words", nargs=-1, required=True)
@click.option("-e", "--regex", is_flag=True, help="Find lines by a regular expression instead.")
@click.option("--folder", metavar="NAME", help="Only in this folder, by its name or path.")
@click.option(
    "--limit", type=click.IntRange(1, 200), default=10, show_default=True, help="How many at most."
)
@click.option("--edit", is_flag=True, help="Open what is chosen in your editor.")
@user_options
def find(
    words: tuple[str, ...],
    regex: bool,
    folder: str | None,
    limit: int,
    edit: bool,
    user: str | None,
    json_: bool,
    settings: Settings,
) -> None:
    """Find notes and todos by words, best first.

    On a terminal you may choose one, which is then shown, or edited with --edit.
    """
    typed = " ".join(words)
    place = {"folderName": folder} if folder else {}
    with open_door(settings) as door:
        username = door.choose_user(user)
        find_ = _find_lines if regex else _find_words
        answer, hits = find_(door, username, typed, limit, place)
        if json_:
            click.echo(format_json(answer))
            return
        if not sys.stdout.isatty():
            print_columns(
                (),
                (
                    (one.kind, one.id, one.title, one.line or "", one.shown, one.match)
                    for one in hits
                ),
            )
            return
        list_hits(hits)
        chosen = _choose(hits)
        if chosen is None:
            return
        if not (edit and chosen.kind == "note"):
            _show(door, username, chosen)
            return
    from app.commands.daily.edit import edit_note

    edit_note(str(chosen.id), user=username, settings=settings)


def _find_words(
    door: Door, username: str, typed: str, limit: int, place: dict[str, Any]
) -> tuple[dict[str, Any], list[Hit]]:
    notes = door.ask_as(username, "search_notes", query=typed, limit=limit, **place)
    found = [
        Hit("note", one["id"], one["title"], plain_words(one["snippet"])[0], match=one["match"])
        for one in notes["results"]
    ]
    todos: list[dict[str, Any]] = []
    if not place:
        todos = door.ask_as(username, "search_todos", q=typed, completed=False, limit=limit)[
            "todos"
        ]
    hits = [Hit("todo", one["id"], one["title"], one["dueDate"] or "") for one in todos]
    return {"notes": notes["results"], "todos": todos}, [*hits, *found]


def _find_lines(
    door: Door, username: str, typed: str, limit: int, place: dict[str, Any]
) -> tuple[dict[str, Any], list[Hit]]:
    found = door.ask_as(username, "grep_notes", pattern=typed, mode="regex", limit=limit, **place)
    hits = [
        Hit("note", row["noteId"], row["title"], one["text"], one["line"])
        for row in found["results"]
        for one in row["matches"]
    ]
    return found, hits


def list_hits(hits: list[Hit]) -> None:
    """Print what was found, each with its number to choose it by."""
    room = len(str(len(hits)))
    for number, one in enumerate(hits, 1):
        place = f":{one.line}" if one.line else ""
        title = paint(on_one_line(one.title, LONGEST), bold=True)
        near = NEAR if one.match == "meaning" else ""
        mark = paint(f"  {one.kind} {one.id}{near}", dim=True)
        click.echo(f"{number:>{room}}  {title}{place}{mark}")
        if one.shown:
            click.echo(f"{'':{room}}  {on_one_line(one.shown, LONGEST)}")
    if not hits:
        click.echo("Nothing found.", err=True)


def _choose(hits: list[Hit]) -> Hit | None:
    """Return what somebody at the terminal chose; None where nobody did."""
    if not hits or not sys.stdin.isatty():
        return None
    try:
        typed = click.prompt("Open which? (Enter: none)", default="", show_default=False, err=True)
    except click.Abort:
        typed = ""
    if not typed.strip():
        return None
    if not typed.strip().isdecimal() or not 1 <= int(typed) <= len(hits):
        raise Misused(f"There is no number {on_one_line(typed, 20)} in the list.")
    return hits[int(typed) - 1]


def _show(door: Door, username: str, hit: Hit) -> None:
    """Show a note in the pager, or a todo."""
    if hit.kind == "note":
        note = door.ask_as(username, "get_note_content", id=hit.id)["note"]
        head = paint(on_one_line(note["title"], LONGEST), bold=True)
        click.echo_via_pager(f"{head}\n\n{strip_controls(note['markdown'])}\n")
        return
    from app.commands.operations.command_index import command_named
    from app.commands.operations.show_answer import show_answer

    if (known := command_named("get_todo")) is not None:
        show_answer(*known, door.ask_as(username, "get_todo", id=hit.id))
