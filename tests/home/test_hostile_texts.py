"""Texts that try to run code, as everything that people write: none runs, and none becomes markup.

HOSTILE_TEXTS names a JSON file with a list of texts of one's own, such as a public list.
"""

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from app.interfaces.home.home_page import see
from tests.conftest import Client
from tests.support import hostile
from tests.support.home import Home

pytestmark = pytest.mark.anyio

BUILT_IN = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "\"'><svg/onload=alert(1)>",
    "</title></textarea></script><script>alert(1)</script>",
    "--><iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "{{ 7 * 7 }}{% raw %}${alert(1)}<%= 1 %>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<a href=javascript:alert(1)>x</a> [x](javascript:alert(1))",
    "<form action=javascript:alert(1)><button>x",
    "<base href=//evil.example/><meta http-equiv=refresh content=0;url=//evil.example>",
    "<details open ontoggle=alert(1)>",
    "\u2028</script><!--<script>",
    "hearth:note/1 [[<b>x</b>|<img src=x onerror=alert(1)>]] #<u>x",
]
SHOWN = [
    ("note", "/notes/{}"),
    ("note", "/notes/{}/edit"),
    ("todo", "/todos/{}"),
    ("folder", "/notes/folder/{}"),
]
QUERIES = ("/search?q=", "/search/lines?pattern=", "/agent?say=")
MOST_QUERIES = 8
MADE = """() => [...document.querySelectorAll("body *")].filter((each) =>
  [...each.attributes].some(({ name, value }) => /^on/i.test(name)
    || /^(href|src|action|formaction|xlink:href|data|srcdoc)$/i.test(name)
      && /^[\\s\\x00-\\x1f]*(javascript|vbscript|data|about|blob):/i.test(value)
    || name === "style" && /expression|url/i.test(value))
  || /^(IFRAME|OBJECT|EMBED|BASE|FRAME|META|MATH|STYLE|TEMPLATE)$/.test(each.tagName)
  || each.tagName === "SCRIPT" && each.type !== "application/json"
    && !each.src.startsWith(`${location.origin}/static/`)
).map((each) => each.outerHTML.slice(0, 300))"""


def texts() -> list[str]:
    given = os.environ.get("HOSTILE_TEXTS")
    if given:
        return [str(each) for each in json.loads(Path(given).read_text("utf-8"))]
    return [*BUILT_IN, " ".join(f"[x]({each})" for each in hostile.DESTINATIONS)]


async def write(client: Client, bob: Client, text: str) -> dict[str, Any]:
    """Write a text as everything that it may be; give the ids of what was taken."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())[:200] or "x"
    made: dict[str, Any] = {}
    folder = await client.post("/os/folders", json={"path": line.replace("/", "∕").strip(". ")})
    if folder.status_code == 200:
        made["folder"] = folder.json()["folder"]["id"]
    note = await client.post(
        "/os/notes",
        json={"title": line, "content": text, "contentFormat": "markdown"}
        | ({"folderId": made["folder"]} if "folder" in made else {}),
    )
    if note.status_code == 201:
        made["note"] = note.json()["result"]["note"]["id"]
        await client.patch(f"/os/notes/{made['note']}", json={"tags": [line[:60]]})
    todo = await client.post("/os/todos", json={"title": line, "description": text[:2000]})
    if todo.status_code == 201:
        made["todo"] = todo.json()["result"]["todo"]["id"]
    await bob.post("/agent/message", json={"to": client.username, "message": text[:4000]})
    await client.post("/os/share", json={"scope": "all", "label": line[:120]})
    await client.post("/network/groups", json={"name": line[:100], "members": ["bob"]})
    return made


PEOPLE = {f"/people{place}" for place in ("", "/contacts", "/groups", "/links", "/team", "/@bob")}


async def test_none_runs_or_becomes_markup(home: Home, bob: Client) -> None:
    every = texts()
    await bob.patch("/account/settings", json={"name": every[0][:100], "agentName": every[-1][:90]})
    for asker, asked in ((bob, "alice"), (home.client, "bob")):
        await asker.post("/network/request", json={"to": asked, "note": every[0][:500]})
    await home.client.patch("/account/settings", json={"name": every[0][:100], "trashDays": 30})
    pages: set[str] = {"/", "/notes", "/todos", "/agent", "/heartbeat", "/settings", *PEOPLE}
    for text in every:
        made = await write(home.client, bob, text)
        pages |= {address.format(made[kind]) for kind, address in SHOWN if kind in made}
    for text in every[:: max(1, len(every) // MOST_QUERIES)]:
        pages |= {place + quote(text[:500], safe="", errors="replace") for place in QUERIES}
        pages.add(see("/", did="todo_done", what=text[:500]).headers["location"])
    talks = (await home.client.ok("GET", "/conversations", params={"limit": 20}))["conversations"]
    pages |= {f"/people/c/{talk['conversationId']}" for talk in talks}
    found = []
    for path in sorted(pages):
        page = await home.go(path)
        found += [(path, each) for each in await page.evaluate(MADE)]
    assert found == []
    assert home.questions == []
