"""A chat at the terminal: reading what is typed, showing turns, and the slash commands."""

import contextlib
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from rich.console import Console

from app.commands.ask.ask_as_user import LocalClient
from app.commands.chat.chat_history import KeptHistory
from app.commands.chat.chat_screen import Screen
from app.commands.chat.chat_turn import TurnRecord, follow_turn, mark_read
from app.commands.terminal.local_zone import zone_fields
from app.commands.terminal.terminal_safe import on_one_line
from app.core.database.data_dir import DataDirError
from app.errors import AppError
from app.migrations import NewerFile

REFUSALS = (click.ClickException, AppError, DataDirError, NewerFile, sqlite3.DatabaseError)
"""What may be refused without the end of the chat."""
RECENT = 4
SHOWN = 20
LISTED = 10
PROMPT = "› "
ANSWERS = {
    "y": "continue",
    "yes": "continue",
    "n": "stop",
    "no": "stop",
    "l": "",
    "later": "",
    "": "",
}
HELP = """\
/new                start a new conversation
/history [NUMBER]   show the last messages of this conversation
/conversations      list your last conversations
/open ID            continue one of them
/model [NAME]       choose the model, or show it
/models             list the models
/waiting            review actions that await your approval
/help               show this help
/quit               quit (or Ctrl-D)
Ctrl-C stops watching a turn, which continues in the background. Alt-Enter starts a new line."""


class Session:
    """One person talking with their agent."""

    def __init__(
        self,
        client: LocalClient,
        username: str,
        history: Path,
        *,
        conversation: int | None = None,
        model: str | None = None,
    ) -> None:
        self._client = client
        self._username = username
        self._conversation = conversation
        self._model = model
        self._screen = Screen(Console(highlight=False, markup=False, emoji=False))
        self._commands: dict[str, Callable[[str], None]] = {
            "/new": self._new,
            "/history": self._history,
            "/conversations": self._list,
            "/open": self._open,
            "/model": self._choose,
            "/models": self._models,
            "/waiting": self._waiting,
            "/help": self._help,
        }
        self._kept = history
        self._left: str | None = None
        """What began a conversation whose number nobody waited for."""

    def talk(self) -> None:
        """Talk until the person ends it; raise what speaks against beginning at all."""
        answering = on_one_line(self._model or self._client.models()[0]["name"], 80)
        words = WordCompleter([*self._commands, "/quit"], sentence=True)
        typing: PromptSession[str] = PromptSession(
            history=KeptHistory(self._kept), completer=words, complete_while_typing=False
        )
        self._screen.say(
            f"Hearth · {self._username} · {answering} · /help for help, Ctrl-D to quit", "dim"
        )
        if self._conversation is not None:
            self._history(str(RECENT))
        while (typed := self._read(typing)) is not None:
            text = typed.strip()
            if text == "/quit":
                return
            if text:
                self._do(text)

    def answer(self, message: str) -> TurnRecord | None:
        """Show one turn, and ask for what waits in it.

        Return the turn, or None when the person stopped watching.
        """
        record = TurnRecord()
        before = self._conversation
        try:
            with (
                contextlib.closing(self._client.lines("chat", **self._asked(message))) as lines,
                self._screen.turn() as shown,
            ):
                follow_turn(lines, record, shown)
        except KeyboardInterrupt:
            self._left = None if before else message
            self._screen.say(
                "Stopped watching; the turn continues. /history shows the answer once it is ready.",
                "yellow",
            )
            return None
        self._conversation = record.conversation or before
        self._screen.foot(record)
        mark_read(self._client, record)
        for line in record.waiting:
            self._decide(line["escalationId"])
        return record

    def _read(self, typing: PromptSession[str]) -> str | None:
        while True:
            try:
                return typing.prompt(PROMPT)
            except KeyboardInterrupt:
                self._screen.say("Press Ctrl-D to quit.", "dim")
            except EOFError:
                return None

    def _do(self, text: str) -> None:
        try:
            self._find_left()
            if not text.startswith("/"):
                self.answer(text)
                return
            name, _, rest = text.partition(" ")
            command = self._commands.get(name)
            if command is None:
                self._screen.say(
                    f"Unknown command {on_one_line(name, 40)}. Type /help for a list.", "yellow"
                )
            else:
                command(rest.strip())
        except REFUSALS as error:
            self._screen.say(
                error.message if isinstance(error, AppError | click.ClickException) else str(error),
                "red",
            )
        except KeyboardInterrupt:
            self._screen.say("Stopped.", "dim")

    def _asked(self, message: str) -> dict[str, Any]:
        asked: dict[str, Any] = {"message": message, **zone_fields()}
        if self._conversation is not None:
            asked["conversationId"] = self._conversation
        if self._model is not None:
            asked["model"] = self._model
        return asked

    def _find_left(self) -> None:
        """Take up the conversation that was begun by a turn whose end nobody waited for."""
        if self._left is None:
            return
        if self._client.is_busy:
            self._screen.say("Waiting for the previous turn to finish.", "dim")
        newest = self._client.ask("list_conversations", view="me", limit=1)["conversations"]
        said = [
            one["content"] for row in newest for one in row["messages"] if one["role"] == "user"
        ]
        # Another program may have begun a newer conversation meanwhile.
        if said[-1:] == [self._left]:
            self._conversation = int(newest[0]["conversationId"])
        self._left = None

    def _new(self, _: str) -> None:
        self._conversation = None
        self._screen.say("Your next message starts a new conversation.", "dim")

    def _history(self, number: str) -> None:
        if self._conversation is None:
            self._screen.say("There are no messages yet.", "dim")
            return
        limit = int(number) if number.isdecimal() else SHOWN
        found = self._client.ask(
            "read_conversation", id=self._conversation, limit=max(1, min(limit, 200))
        )
        if found["hasMore"]:
            self._screen.say("…", "dim")
        self._screen.messages(found["messages"])

    def _list(self, _: str) -> None:
        found = self._client.ask("list_conversations", view="me", limit=LISTED, messageLimit=0)[
            "conversations"
        ]
        for row in found:
            mark = "›" if row["conversationId"] == self._conversation else " "
            when = row["updatedAt"][:16].replace("T", " ")
            self._screen.say(
                f"{mark} {row['conversationId']:>6}  {when}  {on_one_line(row['title'], 80)}"
            )
        if not found:
            self._screen.say("There are no conversations yet.", "dim")

    def _open(self, number: str) -> None:
        if not number.isdecimal():
            self._screen.say("Usage: /open ID. /conversations lists the IDs.", "yellow")
            return
        found = self._client.ask("read_conversation", id=int(number), limit=RECENT)
        self._conversation = int(number)
        self._screen.messages(found["messages"])

    def _choose(self, name: str) -> None:
        if name:
            self._client.require_model(name)
            self._model = name
        answering = self._model or f"{self._client.models()[0]['name']}, the default,"
        self._screen.say(f"{on_one_line(answering, 80)} answers.", "dim")

    def _models(self, _: str) -> None:
        for one in self._client.models():
            marks = ", ".join(
                [
                    *(["default"] if one["default"] else []),
                    "on this machine" if one["local"] else "elsewhere",
                ]
            )
            self._screen.say(
                f"{on_one_line(one['name'], 80)}  {on_one_line(one['provider'], 80)}  {marks}"
            )

    def _waiting(self, _: str) -> None:
        found = self._client.ask("list_escalations")["escalations"]
        if not found:
            self._screen.say("Nothing awaits your approval.", "dim")
        for one in reversed(found):
            if not self._decide(one["id"]):
                return

    def _help(self, _: str) -> None:
        self._screen.say(HELP)

    def _decide(self, id_: int) -> bool:
        """Show an escalation and ask for a decision.

        Say whether the person gave an answer at all.
        """
        self._screen.escalation(self._client.ask("read_escalation", id=id_)["escalation"])
        said = self._said("Do it? [y]es, [n]o, [l]ater: ", ANSWERS)
        if not said:
            self._screen.say(f"Escalation {id_} is still waiting. /waiting shows it again.", "dim")
            return said is not None
        found = self._client.ask("decide_escalation", id=id_, decision=said)["escalation"]
        failure = found.get("failure")
        self._screen.say(
            f"Escalation {id_} is {on_one_line(found['status'], 40)}"
            + (f": {failure['message']}" if failure else "."),
            "dim",
        )
        return True

    def _said(self, question: str, answers: dict[str, str]) -> str | None:
        """Return what was answered, or None where it was left open by Ctrl-C or Ctrl-D."""
        if not sys.stdin.isatty():
            return None
        asking: PromptSession[str] = PromptSession()
        while True:
            try:
                typed = asking.prompt(question).strip().lower()
            except (KeyboardInterrupt, EOFError):
                return None
            if typed in answers:
                return answers[typed]
