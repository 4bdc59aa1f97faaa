"""`hearth search`: how far search is with the notes."""

import click

from app.commands.ask.ask_operation import ask
from app.commands.ask.locate_data import settings_option
from app.commands.terminal.command_group import Commands
from app.commands.terminal.tables import format_json, json_option
from app.core.process.counted import counted
from app.settings import Settings


@click.group(cls=Commands)
def search() -> None:
    """Show search status."""


@search.command()
@json_option
@settings_option
def status(json_: bool, settings: Settings) -> None:
    """Show how many notes are indexed for words, patterns and meaning."""
    found = ask(settings, "search_progress")
    if json_:
        click.echo(format_json(found))
        return
    words, patterns, meaning = found["words"], found["patterns"], found["meaning"]
    click.echo(f"Words: {_waiting_text(words['waiting'], 'a search indexes them first')}")
    click.echo(
        "Patterns: "
        + (
            _waiting_text(patterns["waiting"], "grep reads those in full")
            if patterns
            else "no index; grep reads every note"
        )
    )
    click.echo(
        f"Meaning: {meaning['state']}; {meaning['notesIndexed']} of {meaning['notes']} "
        f"notes, {counted(meaning['passages'], 'passage')}"
    )
    if meaning["model"]:
        click.echo(f"Model: {meaning['model']}, {meaning['dimension']} dimensions")
    if meaning["reason"]:
        click.echo(meaning["reason"])


def _waiting_text(number: int, until: str) -> str:
    return (
        "every note is indexed"
        if number == 0
        else f"{counted(number, 'note is', 'notes are')} not indexed yet; {until}"
    )
