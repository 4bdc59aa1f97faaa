"""`hearth ask`: one question to one's own agent, with what comes on standard input below it."""

import sys

import click

from app.commands.terminal.command_group import Misused
from app.commands.terminal.standard_input import is_piped, read_text
from app.commands.terminal.user_options import user_options
from app.settings import Settings


@click.command(
    epilog='\b\nExamples:\n  hearth ask "What is due this week?"\n'
    '  hearth ask -c "undo that"\n'
    '  hearth note show Plan | hearth ask "What is missing here?"'
)
@click.argument("words", nargs=-1)
@click.option("-c", "--continue", "continues", is_flag=True, help="Continue the last conversation.")
@click.option("-m", "--model", metavar="NAME", help="Model to use [default: the default model].")
@user_options
@click.pass_context
def ask(
    ctx: click.Context,
    words: tuple[str, ...],
    continues: bool,
    model: str | None,
    user: str | None,
    json_: bool,
    settings: Settings,
) -> None:
    """Ask your agent something and print the answer.

    Text on standard input goes below the question.
    """
    piped = read_text().strip() if is_piped() else ""
    message = "\n\n".join(filter(None, (" ".join(words).strip(), piped)))
    if not message:
        raise Misused('Ask something, such as: hearth ask "What is due today?".')
    from app.commands.chat.chat import chat

    ctx.invoke(
        chat,
        user=user,
        conversation=_last_conversation(user, settings) if continues else None,
        model=model,
        message=message,
        json_=json_,
        settings=settings,
    )
    sys.stdout.flush()


def _last_conversation(user: str | None, settings: Settings) -> int | None:
    from app.commands.ask.door import open_door

    with open_door(settings) as door:
        username = door.choose_user(user)
        found = door.ask_as(username, "list_conversations", view="me", limit=1, messageLimit=0)[
            "conversations"
        ]
    return int(found[0]["conversationId"]) if found else None
