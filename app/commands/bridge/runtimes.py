"""What answers tasks: an echo for trying it, or a program of this machine."""

from collections.abc import Callable

from app.commands.bridge.deliveries import Result
from app.commands.bridge.journal import Entry
from app.commands.bridge.prompt import context_items, task_text, write_prompt
from app.commands.bridge.run_program import Program, run_program
from app.core.markdown.shortened import shortened

TOOL = "run_command"
MOST_SUMMARY = 4_000
MOST_COMMAND = 300


class Echo:
    """Answers every task with its own words, and runs nothing."""

    name = "echo"

    def asks(self, entry: Entry) -> tuple[str, str] | None:
        """Return None: nothing is run."""

    async def answer(self, entry: Entry, sender: str) -> Result:
        """Return the words of the task."""
        return Result(f"{sender} said: {task_text(entry.envelope['payload'])}")


class Command:
    """Answers a task with what a program writes that was given it."""

    name = "command"

    def __init__(self, program: Program, tell: Callable[[str], None]) -> None:
        self._program = program
        self._tell = tell

    def asks(self, entry: Entry) -> tuple[str, str]:
        """Return that a command is run: which, where, and for what task."""
        payload = entry.envelope["payload"]
        given = ", ".join(str(item.get("label")) for item in context_items(payload))
        with_ = f"\nwith {given}" if given else ""
        where = f"{str(self._program)[:MOST_COMMAND]}\nin {self._program.folder}{with_}"
        summary = f"{where}\n\n{task_text(payload)}"
        return TOOL, shortened(summary, MOST_SUMMARY)

    async def answer(self, entry: Entry, sender: str) -> Result:
        """Return what the program wrote; how it failed is told, its errors only to this machine."""
        ended = await run_program(self._program, write_prompt(entry, sender))
        if not ended.trouble and ended.output:
            return Result(ended.output)
        trouble = ended.trouble or "It wrote nothing."
        last_words = f" Its last words: {ended.last_words}" if ended.last_words else ""
        self._tell(f"{self._program}: {trouble}{last_words}")
        told = f"The program that should do this failed. {trouble}"
        return Result(f"{ended.output}\n\n{told}".strip(), "failed")
