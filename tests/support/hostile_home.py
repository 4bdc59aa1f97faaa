"""Texts as everything that people, guests, agents and files may write in a home."""

import asyncio
import collections
import io
import zipfile
from typing import Any
from urllib.parse import quote

from app.core.caller import OPERATOR, Caller
from app.core.temp_files import Upload
from app.errors import AppError
from app.interfaces.home.home_page import see
from app.tools.approvals import tool_gate
from tests.conftest import Served
from tests.support.agents import ACTIONS

MOST_AGENTS = 20
SELDOM = 10
"""One in so many texts is written where that takes long."""
COMMON = "hyacinth"
"""A word in each note, by which all of them are found."""
KEY = "A" * 43
LATE = "2026-11-19"
EVENT = (
    "BEGIN:VEVENT\r\nUID:{0}\r\nDTSTAMP:20261101T000000Z\r\nDTSTART:20261121T1{1}0000Z"
    "\r\nSUMMARY:{2}\r\nLOCATION:{2}\r\nEND:VEVENT\r\n"
)
CALENDAR = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n{}END:VCALENDAR\r\n"
ZIP = "application/zip"


def line_of(text: str, most: int = 200) -> str:
    """Return a text as one line that a name may be."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:most] or "x"


class HostileHome:
    """A user whose every name and text is hostile; `pages` are the places that show them.

    `each` are addresses of which every text has one of its own, `together` those that show all,
    `taken` counts what was taken by operation, `refused` what was not.
    """

    def __init__(self, served: Served, username: str, other: str) -> None:
        self.served = served
        self.username = username
        self.other = other
        self.each: list[str] = []
        self.together: list[str] = []
        self.open_to_all: list[str] = []
        self.models: set[str] = set()
        self.taken: collections.Counter[str] = collections.Counter()
        self.refused: collections.Counter[str] = collections.Counter()

    def caller(self, username: str, kind: Any = "session") -> Caller:
        """Return a user as they are at a page of their own, or as one of their agents."""
        row = self.served.parts.quick(
            lambda tx: tx.require_row("SELECT id, uuid FROM users WHERE username = :u", u=username)
        )
        return Caller(row["id"], row["uuid"], username, kind)

    async def does(self, operation: str, /, by: str = "", **fields: Any) -> Any:
        """Let the user, or somebody else, do something; give None where the text was refused."""
        me = OPERATOR if by == "operator" else self.caller(by or self.username)
        try:
            made = await self.served.parts.call(me, operation, fields)
        except AppError:
            self.refused[operation] += 1
            return None
        self.taken[operation] += 1
        return made

    async def fill(self, texts: list[str]) -> None:
        """Write every text everywhere, and note where it stands."""
        await self._begin(texts[0])
        await asyncio.gather(*(self._own_things(text) for text in texts))
        await asyncio.gather(*(self._settings(text, number) for number, text in enumerate(texts)))
        some = [texts[first : first + SELDOM] for first in range(0, len(texts), SELDOM)]
        await asyncio.gather(*map(self._answered, some))
        await self._gathered(texts)
        await self._shown_once(texts)
        # the last, since what is said from here on asks them
        self.models = {line_of(text, 100) for text in texts}
        for name in self.models:
            await self.does(
                "add_model", by="operator", name=name, model=name, url="http://127.0.0.1:9/v1"
            )

    async def remove_models(self) -> None:
        """Let the rules of the server answer again."""
        for name in self.models:
            await self.does("remove_model", by="operator", name=name)

    async def _begin(self, text: str) -> None:
        for name in (self.username, self.other):
            await self.does("add_user", by="operator", username=name)
            await self.does("init", by=name)
        for asker, asked in ((self.username, self.other), (self.other, self.username)):
            await self.does("request_contact", by=asker, to=asked, note=text[:500])
        await self.does("change_settings", name=line_of(text, 100), agentName=line_of(text, 90))
        made = await self.does(
            "create_share_link", scope="all", requireSignIn=False, label=line_of(text, 120)
        )
        self.token = made.share_link.token
        self.open_to_all.append(f"/a/{self.token}")
        self.together.append(f"/people/links/{made.share_link.id}")

    async def _own_things(self, text: str) -> None:
        line = line_of(text)
        folder = await self.does("create_folder", path=line.replace("/", "∕").strip(". "))
        where = {"folderId": folder.folder.id} if folder else {}
        content = f"{text}\n\n{COMMON}"
        note = await self.does("create_note", title=line, content=content, **where)
        if note:
            id_ = note.note.id
            self.each.append(f"/notes/{id_}")
            await self.does("change_note", id=id_, tags=[line[:60].replace('"', "'")])
            link = await self.does(
                "create_share_link",
                scope="note_only",
                noteId=id_,
                target="note",
                requireSignIn=False,
                label=line[:120],
            )
            if link:
                self.open_to_all.append(f"/shared/{link.share_link.token}")
            await self._ask_to_change(id_, text)
        await self.does("create_todo", title=line, description=text[:2000], dueDate=LATE)
        await self.does("send_message", by=self.other, to=self.username, message=text[:4000])
        await self.does("memory_write", kind="long_term", content=text[:4000])

    async def _ask_to_change(self, note: int, text: str) -> None:
        """Let an agent want what it may do only with a yes."""
        call = {"noteId": note, "content": f"{text}\n"}
        agent = self.caller(self.username, "heartbeat")
        try:
            await tool_gate.use_tool(self.served.parts, agent, "edit_note", call, origin=ACTIONS)
        except AppError:
            self.refused["approval"] += 1
        else:
            self.taken["approval"] += 1

    async def _answered(self, texts: list[str]) -> None:
        """Say some texts to agents, who take their time, and answer with what they were told."""
        together = "\n\n".join(texts)[:4000]
        said = await self.does("chat", message=together, stream=False)
        if said:
            self.together.append(f"/agent/talks/{said.conversation_id}")
        asked = await self.does(
            "ask_as_guest",
            by="operator",
            token=self.token,
            message=together,
            visitorName=line_of(texts[0], 80),
        )
        if asked:
            self.together.append(f"/people/guests/{asked.session_key}")

    async def _settings(self, text: str, number: int) -> None:
        line = line_of(text, 64)
        if number % SELDOM == 0:  # groups are made seldom
            await self.does("create_group", name=line, members=[self.other])
        await self.does("create_key", name=line)
        hook = await self.does(
            "add_webhook", url="https://example.org/", events=["*"], description=line
        )
        agent = number < MOST_AGENTS and await self.does(
            "create_managed_agent",
            handle=f"{self.username}-a{number}",
            name=line,
            description=text[:500],
            persona=text[:4000],
        )
        for path, made in (("webhooks", hook and hook.webhook), ("agents", agent and agent.agent)):
            if made and number == 0:
                self.together.append(f"/settings/{path}/{made.id}")
        if number % SELDOM == 0:  # it is tried at once, for most of a second
            await self.does(
                "add_mcp_server", name=line, serverUrl="http://127.0.0.1:9/" + quote(line[:20])
            )

    async def _gathered(self, texts: list[str]) -> None:
        """Write what holds many texts at once: long notes, a calendar, an archive, a list."""
        together = "\n".join(texts)
        made = await self.does("create_note", title=line_of(texts[-1]), content="before")
        id_ = made.note.id
        await self.does("save_snapshot", noteId=id_, label=line_of(texts[0]))
        await self.does("change_note", id=id_, content=together, contentFormat="markdown")
        todo = await self.does(
            "create_todo",
            title=line_of(texts[-1]),
            description=together[:5000],
            steps=[{"title": line_of(text)} for text in texts],
        )
        self.together += [f"/notes/{id_}{end}" for end in ("/edit", "/history", "/history/1")]
        self.together += [f"/notes/{id_}{end}" for end in ("/related", "/print", "/move")]
        self.together.append(f"/todos/{todo.todo.id}")
        events = "".join(
            EVENT.format(number, number % 4, line_of(text)) for number, text in enumerate(texts)
        )
        await self.does(
            "add_integration", kind="ics", name=line_of(texts[0]), content=CALENDAR.format(events)
        )
        items = "\n".join(f"- {line_of(text)}" for text in texts)
        await self.does("replace_heartbeat_instructions", content=items)
        run = await self.does("run_heartbeat")
        self.together.append(f"/heartbeat/runs/{run.run_id}")
        await self.does("briefing")
        job = await self.does(
            "start_import", content=self._sent(texts), contentType=ZIP, name=line_of(texts[0])
        )
        self.together.append(f"/settings/data/import/{job.job.id}")
        trashed = await self.does("create_note", title=line_of(texts[0]), content=texts[0])
        await self.does("delete_note", id=trashed.note.id)

    def _sent(self, texts: list[str]) -> bytes:
        """Send an archive as a browser does; give the name of the file that it is in."""
        upload = Upload(self.served.parts.store.path.parent)
        upload.add(_archive(texts))
        upload.close()
        return upload.name.encode()

    async def _shown_once(self, texts: list[str]) -> None:
        """Note the places that show what stands in their address, or a name of somebody."""
        for text in (texts[0], texts[-1]):
            for place in ("/search?q=", "/search/lines?pattern=", "/agent?say=", "/notes?tag="):
                self.together.append(place + quote(text[:500], safe="", errors="replace"))
            told = see("/help", did="todo_done", what=text[:500], undo="/todos/1/undo")
            self.together.append(told.headers["location"].encode("utf-8", "replace").decode())
        invited = await self.does("invite_to_team", email="lena@example.org")
        self.open_to_all.append(invited.invite_url[invited.invite_url.index("/team/") :])
        threads = await self.served.parts.call(
            self.caller(self.username), "list_conversations", {"limit": 100}
        )
        self.together += [f"/people/c/{one.conversation_id}" for one in threads.conversations[:3]]
        self.together += [f"/people/@{self.other}", f"/people/@{self.other}/as"]


def _archive(texts: list[str]) -> bytes:
    """Return an archive whose notes, folders and files that are none have hostile names."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number, text in enumerate(texts):
            name = line_of(text, 80).replace("/", "∕").strip(". ").encode("utf-8", "replace")
            for end in (".md", ".canvas"):
                archive.writestr(f"{number}{name.decode()}{end}", text.encode("utf-8", "replace"))
    return packed.getvalue()
