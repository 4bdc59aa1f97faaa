"""`hearth search`: how far search is with the notes."""

from pathlib import Path

import click

from app.commands.ask.ask_operation import ask
from app.commands.ask.data_directory import data_option, read_settings
from app.commands.terminal.command_group import Commands
from app.commands.terminal.tables import as_json


@click.group(cls=Commands)
def search() -> None:
    """Say how far search is."""


@search.command()
@click.option("--json", "json_", is_flag=True, help="As JSON.")
@data_option
def status(json_: bool, data: Path | None) -> None:
    """Show how many notes can be found by their words, by patterns and by their meaning."""
    found = ask(read_settings(data=data), "search_progress")
    if json_:
        click.echo(as_json(found))
        return
    words, patterns, meaning = found["words"], found["patterns"], found["meaning"]
    click.echo(f"Words: {_waiting(words['waiting'], 'a search takes them in first')}")
    click.echo(
        "Patterns: "
        + (
            _waiting(patterns["waiting"], "grep reads those whole")
            if patterns
            else "without an index; grep reads every note"
        )
    )
    click.echo(
        f"Meaning: {meaning['state']}; {meaning['notesIndexed']} of {meaning['notes']} "
        f"notes, {meaning['passages']} passages"
    )
    if meaning["model"]:
        click.echo(f"Model: {meaning['model']}, {meaning['dimension']} numbers a passage")
    if meaning["reason"]:
        click.echo(meaning["reason"])


def _waiting(number: int, until: str) -> str:
    return "every note is indexed" if number == 0 else f"{number} notes wait to be indexed; {until}"
