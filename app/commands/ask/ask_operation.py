"""Ask for an operation as the owner of the data directory.

Through the running server, or straight in the database when there is none.
"""

from typing import Any

from app.commands.ask.door import ANSWER_SECONDS, Answer, open_door
from app.commands.terminal.progress_line import ProgressLine
from app.settings import Settings


def ask(settings: Settings, name: str, /, **params: Any) -> Answer:
    """Run the operation called `name` and give its record as JSON has it.

    `params` in wire spelling.

    Raises Refused with the operation's own sentence, and when there is no database or its owner
    does not answer.
    """
    return ask_patiently(settings, ANSWER_SECONDS, name, **params)


def ask_patiently(settings: Settings, seconds: int, name: str, /, **params: Any) -> Answer:
    """Do what `ask` does, and wait so long for what a server that runs has to ask elsewhere."""
    with open_door(settings, seconds=seconds) as door:
        return door.ask(name, **params)


def ask_showing(
    settings: Settings, seconds: int, doing: str, name: str, /, **params: Any
) -> Answer:
    """Do what `ask_patiently` does, and show at a terminal how far the work is meanwhile."""
    line = ProgressLine(doing)
    with open_door(settings, seconds=seconds) as door:
        if not line.is_wanted:
            return door.ask(name, **params)
        try:
            with door.watch(lambda work: line.show_step(work["step"], work["done"], work["total"])):
                return door.ask(name, **params)
        finally:
            line.end(gone=True)


def ask_anew(settings: Settings, name: str, /, **params: Any) -> Answer:
    """Do what `ask` does, and make the database first where there is none."""
    with open_door(settings, seconds=ANSWER_SECONDS, anew=True) as door:
        return door.ask(name, **params)
