"""What a chat shows on a terminal.

The answer as Markdown while it comes, tool calls, sources, what waits for a yes or no.
"""

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, ConsoleRenderable, Group, RenderResult
from rich.live import Live
from rich.markdown import Markdown
from rich.padding import Padding
from rich.segment import Segment
from rich.spinner import Spinner
from rich.text import Text

from app.commands.chat.chat_turn import Line, TurnRecord
from app.commands.terminal.terminal_safe import on_one_line, strip_controls

LONGEST_QUOTE = 160
LONGEST_LINE = 200
RULES = "offline"
QUICK = 8
"""How often a second what is on its way is drawn."""
_NOTE_LINK = re.compile(r"\[((?:\\.|[^\]\\\n])*)\]\(hearth:note/([0-9]{1,15})\)")
_blocks = MarkdownIt("commonmark").enable("table")


class SafeRenderable:
    """Anything to be shown, its texts made harmless last of all, so that no way of writing a
    control character leads past.
    """

    def __init__(self, shown: ConsoleRenderable) -> None:
        self._shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._shown, options):
            yield Segment(strip_controls(segment.text), segment.style, segment.control)


def render_markdown(text: str) -> ConsoleRenderable:
    """Return a Markdown text as it is shown.

    Addresses are written out, and links to notes name them.
    """
    return SafeRenderable(
        Markdown(
            _NOTE_LINK.sub(r"\1 (note \2)", strip_controls(text)),
            hyperlinks=False,
            code_theme="ansi_dark",
        )
    )


def settled_length(text: str) -> int:
    """Return how much of an unfinished Markdown text, in characters, no longer changes whatever
    follows: all but its last block.
    """
    starts = [token.map[0] for token in _blocks.parse(text) if token.level == 0 and token.map]
    if len(starts) < 2:
        return 0
    return sum(len(line) for line in text.splitlines(keepends=True)[: starts[-1]])


class Screen:
    """A terminal on which turns are shown."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def say(self, text: str, style: str = "") -> None:
        """Show a text of this program's own, names in it made harmless."""
        self.console.print(Text(strip_controls(text), style), soft_wrap=True)

    def blank(self) -> None:
        """Leave a line free."""
        self.console.print()

    @contextlib.contextmanager
    def turn(self) -> Iterator["TurnScreen"]:
        """Show a turn while the block runs.

        What has come of the answer stays there however it ends.
        """
        with Live(console=self.console, refresh_per_second=QUICK, transient=True) as live:
            turn = TurnScreen(self.console, live)
            try:
                yield turn
            finally:
                turn.finish()

    def foot(self, record: TurnRecord) -> None:
        """Show what stands below an answer: its sources, what went wrong, and what it took."""
        if record.citations:
            self.blank()
            self.say("Sources", "bold")
        for number, one in enumerate(record.citations, 1):
            self.say(source_line(number, one))
        if record.error:
            self.say(record.error, "red")
        if fallback := record.metadata.get("fallback"):
            self.say(
                f"{on_one_line(fallback['model'], 80)} did not answer, so the rules did: "
                f"{on_one_line(fallback['reason'], 200)}",
                "yellow",
            )
        if record.metadata:
            # Rules take none; what is counted for them is only to compare.
            free = record.model == RULES
            took = [] if free else [f"{record.metadata['totalTokens']} tokens"]
            name = on_one_line(record.model, 80)
            self.say(" · ".join([name, *took, f"conversation {record.conversation}"]), "dim")
        self.blank()

    def messages(self, messages: Sequence[Line]) -> None:
        """Show what was said, oldest first."""
        for one in messages:
            self.say(
                f"{on_one_line(one['senderLabel'], 80)} · "
                f"{one['createdAt'][:16].replace('T', ' ')}",
                "bold",
            )
            self.console.print(Padding(render_markdown(one["content"]), (0, 0, 1, 2)))

    def escalation(self, found: Line) -> None:
        """Show exactly what would be done."""
        self.say(
            f"Waits for your yes: {on_one_line(found['summary'], LONGEST_LINE)}", "bold yellow"
        )
        self.say(
            f"{on_one_line(found['toolName'], 80)} · risk {on_one_line(found['risk'], 20)} "
            f"· {on_one_line(found['reason'], LONGEST_LINE)}",
            "dim",
        )
        preview = found.get("preview")
        if preview:
            lines = [
                Text(strip_controls(line), _line_style(line, preview["kind"]))
                for line in preview["text"].split("\n")
            ]
            self.console.print(Padding(Group(*lines), (0, 0, 0, 2)))


class TurnScreen:
    """One turn on the screen: blocks that are whole are printed for good, the rest is drawn
    again and again below them.
    """

    def __init__(self, console: Console, live: Live) -> None:
        self._console = console
        self._live = live
        self._text = ""
        self._calls: dict[str, str] = {}
        self._begun = False
        self._draw()

    def text(self, piece: str) -> None:
        """Show the next piece of the answer."""
        self._text += piece
        # Printed lines cannot be drawn again, so only blocks that no later text can change.
        if "\n" in piece and (end := settled_length(self._text)):
            self._print(self._text[:end])
            self._text = self._text[end:]
        self._draw()

    def begun(self, call: str, tool: str) -> None:
        """Show that a tool is being used."""
        self._flush()
        self._calls[call] = on_one_line(tool, 80)
        self._draw()

    def ended(self, call: str, *, ok: bool, summary: str) -> None:
        """Show what came of it."""
        self._flush()
        tool = self._calls.pop(call, "")
        said = "" if ok else f": {on_one_line(summary, LONGEST_LINE)}"
        self._console.print(
            Text(f"{'✓' if ok else '✗'} {tool}{said}", "dim green" if ok else "yellow"),
            soft_wrap=True,
        )
        self._begun = True
        self._draw()

    def finish(self) -> None:
        """Print for good what has come, and take away what was only on its way."""
        self._flush()
        self._live.update(Text(), refresh=True)

    def _flush(self) -> None:
        self._print(self._text)
        self._text = ""

    def _print(self, text: str) -> None:
        if text.strip():
            if self._begun:
                self._console.print()
            self._console.print(render_markdown(text))
            self._begun = True

    def _draw(self) -> None:
        on_the_way: list[ConsoleRenderable] = [
            Spinner("dots", Text(tool, "dim")) for tool in self._calls.values()
        ]
        if self._text:
            on_the_way.append(render_markdown(self._text))
        elif not on_the_way:
            on_the_way.append(Spinner("dots", style="dim"))
        self._live.update(Group(*on_the_way))


def source_line(number: int, one: Line) -> str:
    """Return a source as one line."""
    return (
        f"{number}. {on_one_line(one['title'], 80)} (note {one['noteId']}): "
        f"“{on_one_line(one['quote'], LONGEST_QUOTE)}”"
    )


def _line_style(line: str, kind: Any) -> str:
    """Return the colour of a line of what would be done."""
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "") if kind == "diff" else ""
