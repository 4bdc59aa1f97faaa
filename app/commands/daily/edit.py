"""`hearth edit`: a note in the person's editor, saved only over the text that they saw."""

import functools
import sys
from collections.abc import Callable
from difflib import unified_diff
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from app.commands.ask.door import Declined, Door, open_door
from app.commands.ask.locate_data import data_directory, settings_option
from app.commands.daily.drafts import Draft, find_draft, kept_until_done
from app.commands.daily.merge_text import has_marks, merge_texts
from app.commands.operations.resolve_name import resolve_name
from app.commands.terminal.colours import paint
from app.commands.terminal.command_group import Refused
from app.commands.terminal.editor import run_editor
from app.commands.terminal.terminal_safe import on_one_line, strip_controls
from app.commands.terminal.user_options import user_option
from app.core.process.counted import counted
from app.settings import Settings

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

CONFLICT = "revision_conflict"
SHOWN = 60
LONGEST = 80


class Edited(NamedTuple):
    """The note that is edited: whose, which, and the revision that the person saw."""

    username: str
    id: int
    title: str
    revision: int
    text: str


def _complete_note(ctx: click.Context, _: click.Parameter, typed: str) -> "list[CompletionItem]":
    from app.commands.operations.complete_name import complete_name

    return complete_name(ctx, "note", typed)


@click.command(epilog='\b\nExample:\n  hearth edit "Frost dates"')
@click.argument("note", metavar="TITLE", shell_complete=_complete_note)
@user_option
@settings_option
def edit(note: str, user: str | None, settings: Settings) -> None:
    """Edit a note in your editor, $VISUAL or $EDITOR.

    If the note was changed meanwhile, both changes are merged, and where they contradict you
    decide. What you wrote is kept as a draft until it is saved.
    """
    edit_note(note, user=user, settings=settings)


def edit_note(typed: str, *, user: str | None, settings: Settings) -> None:
    """Let the person edit the note of that title or number, and save it."""

    def asking(work: Callable[[Door], Any]) -> Any:
        # anew each time: nobody waits for the database while somebody writes
        with open_door(settings) as door:
            return work(door)

    note: Edited = asking(lambda door: _open_note(door, typed, user))
    draft, begun = find_draft(data_directory(settings), note.username, note.id, note.title)
    if not (begun and _goes_on(draft)):
        draft.begin_from(note.text, note.text)
    with kept_until_done(draft, f"`hearth edit {note.id}` goes on with it."):
        _edit_until_saved(asking, note, draft)


def _open_note(door: Door, typed: str, user: str | None) -> Edited:
    username = door.choose_user(user)
    number = resolve_name(door, username, "note", typed)
    return _read_note(door, username, number)


def _read_note(door: Door, username: str, number: int) -> Edited:
    note = door.ask_as(username, "get_note_content", id=number)["note"]
    return Edited(username, number, note["title"], note["revision"], note["markdown"])


def _goes_on(draft: Draft) -> bool:
    """Ask whether to go on with what was not saved; where nobody can say it, go on."""
    if not sys.stdin.isatty():
        return True
    return click.confirm(
        "There is a draft that was not saved. Go on with it?", default=True, err=True
    )


def _edit_until_saved(
    asking: Callable[[Callable[[Door], Any]], Any], note: Edited, draft: Draft
) -> None:
    run_editor(draft.file)
    while True:
        if not draft.changed:
            draft.drop()
            click.echo("Nothing changed.", err=True)
            return
        _require_no_marks(draft)
        seen = note._replace(text=draft.base)
        now: Edited = asking(lambda door: _read_note(door, note.username, note.id))
        if now.text != seen.text:
            _take_in(draft, seen, now)
        try:
            asking(functools.partial(_save, note=now, text=draft.text))
        except Declined as error:
            if error.answer.get("error") != CONFLICT:
                raise
            continue  # somebody was quicker once more
        draft.drop()
        click.echo(f"Saved note {note.id}: {on_one_line(note.title, LONGEST)}", err=True)
        return


def _save(door: Door, *, note: Edited, text: str) -> None:
    door.ask_as(
        note.username,
        "change_note",
        id=note.id,
        content=text,
        contentFormat="markdown",
        ifRevision=note.revision,
    )


def _take_in(draft: Draft, seen: Edited, now: Edited) -> None:
    """Put what others changed meanwhile into the draft; where both contradict, let the person
    decide.
    """
    merged = merge_texts(seen.text, draft.text, now.text)
    click.echo("The note was changed meanwhile:", err=True)
    _show_change(seen.text, now.text)
    if not merged.conflicts:
        draft.begin_from(now.text, merged.text)
        click.echo("Both changes are merged.", err=True)
        return
    if not sys.stdin.isatty():
        raise Refused("The note was changed meanwhile in the same lines. Nothing was saved.")
    said = click.prompt(
        f"Yours contradicts that in {counted(merged.conflicts, 'place')}. [e]dit both, save "
        "[y]ours over it, or [k]eep the draft",
        type=click.Choice(["e", "y", "k"]),
        default="e",
        show_choices=False,
        err=True,
    )
    if said == "k":
        raise Refused("Nothing was saved.")
    if said == "y":
        draft.begin_from(now.text, draft.text)
        return
    draft.begin_from(now.text, merged.text)
    run_editor(draft.file)
    _require_no_marks(draft)


def _require_no_marks(draft: Draft) -> None:
    if has_marks(draft.text) and not has_marks(draft.base):
        raise Refused("There are still marks of a conflict in the text. Nothing was saved.")


def _show_change(before: str, after: str) -> None:
    lines = list(unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1))[2:]
    colours = {"+": "green", "-": "red"}
    for line in lines[:SHOWN]:
        colour = colours.get(line[:1])
        shown = strip_controls(line)
        click.echo(f"  {paint(shown, fg=colour) if colour else shown}", err=True)
    if len(lines) > SHOWN:
        click.echo("  …", err=True)
