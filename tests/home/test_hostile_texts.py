"""Texts that try to run code, as everything that people write: none runs, and none becomes markup.

HOSTILE_TEXTS names a JSON file with a list of texts of one's own, such as a public list, and
HOSTILE_REPORT one that is written with what was tried.
"""

import collections
import contextlib
import json
import os
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import FilePayload, Page, expect

from tests.conftest import ORIGIN, Client
from tests.support import hostile
from tests.support.home import Home, enter, without_browser
from tests.support.hostile_doors import LET_IN, LISTENS, HostileDoors
from tests.support.hostile_home import COMMON, HostileHome, line_of

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
LISTS = (
    *("/", "/approvals", "/notes", "/notes/new", "/trash", "/agent", "/agent/memory", "/heartbeat"),
    *("/todos", "/todos?show=late", "/todos/week", "/todos/done", "/todos/replan", "/help"),
    *(f"/search?q={COMMON}", f"/search/lines?pattern={COMMON}"),
    *(f"/people{rest}" for rest in ("", "/contacts", "/groups", "/links", "/team", "/guests")),
    *("/people/new", "/people/links/new", "/people/talks"),
    *("/settings", *(f"/settings/{part}" for part in ("keys", "devices", "tools", "models"))),
    *(f"/settings/{part}" for part in ("webhooks", "agents", "data", "usage")),
)
AT_ONCE = 30
"""Texts of one user: as many as the shortest list shows."""
PARSED_AT_ONCE = 20
EACH, SELDOM = 2, 12
"""Of how many pages one is opened as well, and its scripts run: of texts here, of long lists."""
MADE = """(root) => [...root.querySelectorAll("*")].filter((each) => {
  const name = each.tagName.toUpperCase(), inHead = each.closest("head") !== null;
  return [...each.attributes].some(({ name, value }) => /^on/i.test(name)
      || /^(href|src|action|formaction|xlink:href|data|srcdoc|ping|values|to|from)$/i.test(name)
        && /^[\\s\\x00-\\x1f]*(javascript|vbscript|data|about|blob):/i.test(value)
      || name === "style" && root !== document)
    || name === "SCRIPT" && each.getAttribute("type") !== "application/json"
      && !each.getAttribute("src")?.startsWith("/static/")
    || name === "LINK" && !/^\\/(static\\/|manifest\\.)/.test(each.getAttribute("href"))
    || name === "META" && (!inHead || each.hasAttribute("http-equiv")
      && !each.content.startsWith("0;url=LISTENS"))
    || inHead && !/^(HEAD|META|TITLE|LINK|SCRIPT)$/.test(name)
    || !inHead && !KNOWN.has(name)
      && !(name === "NOSCRIPT" && /^<p[ >][^<]*<\\/p>$/.test(each.innerHTML));
}).map((each) => each.outerHTML.slice(0, 300))"""
KNOWN = """A ABBR ARTICLE ASIDE B BDI BLOCKQUOTE BODY BR BUTTON CIRCLE CODE COL COLGROUP DATALIST
DD DEL DETAILS DIALOG DIV DL DT EM FIELDSET FOOTER FORM G H1 H2 H3 H4 H5 H6 HEADER HR HTML I IMG
INPUT INS KBD LABEL LEGEND LI LINE LINK MAIN MARK METER NAV OL OPTGROUP OPTION OUTPUT P PATH
POLYLINE PRE PROGRESS RECT S SCRIPT SECTION SELECT SMALL SPAN STRONG SUB SUMMARY SUP SVG TABLE
TBODY TD TEXT TEXTAREA TFOOT TH THEAD TIME TITLE TR U UL VAR""".split()
"""What pages of the home are made of; anything else came from a text."""
FOUND = MADE.replace("KNOWN", f"new Set({json.dumps(KNOWN)})").replace("LISTENS", LISTENS)
PARSED = (
    f"(pages) => pages.map((html) => ({FOUND})(new DOMParser().parseFromString(html, 'text/html')))"
)


def texts() -> list[str]:
    """Return the texts without NUL and halves of characters, with which each would be refused."""
    given = os.environ.get("HOSTILE_TEXTS")
    found = [*BUILT_IN, " ".join(f"[x]({each})" for each in hostile.DESTINATIONS)]
    if given:
        found = [str(each) for each in json.loads(Path(given).read_text("utf-8"))]
    return [each.replace("\0", "").encode("utf-8", "replace").decode() or "x" for each in found]


class Look:
    """The pages that were looked at, and what was found there."""

    def __init__(self, home: Home, parser: Page) -> None:
        self.home = home
        self.parser = parser
        self.parsed = 0
        self.opened = 0
        self.found: list[Any] = []
        self.failed: collections.Counter[Any] = collections.Counter()

    async def parse(self, client: Client, addresses: list[str]) -> None:
        """Let the browser make elements of pages as they are sent, and look at these."""
        for first in range(0, len(addresses), PARSED_AT_ONCE):
            some = addresses[first : first + PARSED_AT_ONCE]
            pages = [await client.get(ORIGIN + each, follow_redirects=True) for each in some]
            self.failed.update(
                (page.status_code, address.split("?")[0])
                for page, address in zip(pages, some, strict=True)
                if page.status_code >= 500 or page.status_code == 429
            )
            await self.parse_pages(some, [page.text for page in pages])

    async def parse_pages(self, names: list[str], pages: list[str]) -> None:
        made = await self.parser.evaluate(PARSED, pages)
        self.found += [(name, texts) for name, texts in zip(names, made, strict=True) if texts]
        self.parsed += len(names)

    async def open(self, addresses: list[str]) -> None:
        """Go to pages, where their scripts run and the policy of the home holds."""
        for address in addresses:
            await self.home.go(address)
            await self.look_here()

    async def look_here(self) -> None:
        made = await self.home.page.evaluate(f"() => ({FOUND})(document)")
        self.found += [(self.home.page.url, each) for each in made]
        self.opened += 1

    async def type_everywhere(self, text: str, note: str) -> None:
        """Give a text to what answers while one types: the palette, a new todo, a preview."""
        line = line_of(text, 60)
        page = await self.home.go("/todos")
        await page.get_by_role("textbox", name="Add a todo").fill(line)
        await page.keyboard.press("Control+k")
        await page.get_by_role("combobox").fill(line)
        await expect(page.get_by_role("option").first).to_be_visible()
        await self.look_here()
        await self.home.go(f"{note}/edit")
        await page.locator("#show-preview").click()
        await page.locator("#content").fill(text)
        named = line.replace("/", "∕")
        file = FilePayload(name=named, mimeType="text/plain", buffer=b"x")
        await page.locator("#file").set_input_files(file)
        await expect(page.locator("#content")).not_to_have_value(text)
        await expect(page.locator("#preview .prose")).not_to_be_empty()
        await self.look_here()
        await self.home.go("/agent")
        await page.get_by_label("Message").fill(text)
        await page.get_by_label("Message").press("Enter")
        await expect(page.locator(".hear:not([aria-busy])").last).to_be_visible(timeout=30_000)
        await self.look_here()


def report_of(every: list[str], look: Look, counted: list[Any], home: Home) -> dict[str, Any]:
    """Return what was tried and found; write it where HOSTILE_REPORT says."""
    report: dict[str, Any] = {
        "texts": len(every),
        "pages": look.parsed,
        "opened": look.opened,
        "taken": sum((each.taken for each in counted), collections.Counter()),
        "refused": sum((each.refused for each in counted), collections.Counter()),
        "failed": [f"{status} {path}: {n}" for (status, path), n in look.failed.items()],
        "found": look.found,
        "asked": home.questions,
        "complaints": home.complaints,
    }
    if wanted := os.environ.get("HOSTILE_REPORT"):
        Path(wanted).write_text(json.dumps(report, indent=1))
    return report


def assert_none_ran(report: dict[str, Any]) -> None:
    assert report["found"] == []
    assert report["asked"] == []
    assert report["failed"] == []
    assert {name for name in report["refused"] if not report["taken"][name]} == set()


async def test_none_runs_or_becomes_markup(home: Home) -> None:
    every = texts()
    is_given = "HOSTILE_TEXTS" in os.environ
    look = Look(home, await home.tab())
    counted: list[HostileHome] = []
    step = SELDOM if is_given else EACH
    for number in range(-(-len(every) // AT_ONCE)):
        some = every[number * AT_ONCE : (number + 1) * AT_ONCE]
        written = HostileHome(home.served, f"writer{number}", f"reader{number}")
        await written.fill(some)
        client = await without_browser(home.served, written.username)
        async with contextlib.aclosing(client), home.served.client() as stranger:
            shown = [*LISTS, *written.together, *written.each]
            await look.parse(client, shown)
            await look.parse(stranger, written.open_to_all)
            await enter(home, client)
            await look.open([*LISTS, *written.together][number % step :: step])
            rest = [*written.open_to_all, *written.each]
            await look.open(rest[number % step :: 4 * step])
            await written.remove_models()
            await look.type_everywhere(some[number % len(some)], written.each[0])
        counted.append(written)
    assert_none_ran(report_of(every, look, counted, home))


async def test_none_runs_before_somebody_is_in(home: Home) -> None:
    every = texts()
    look = Look(home, await home.tab())
    counted: list[HostileDoors] = []
    for number in range(-(-len(every) // AT_ONCE)):
        some = every[number * AT_ONCE : (number + 1) * AT_ONCE]
        doors = HostileDoors(home.served)
        await doors.ask(some)
        username = f"keeper{number}"
        await home.served.command("add_user", username=username)
        client = await without_browser(home.served, username)
        async with contextlib.aclosing(client), home.served.client() as stranger:
            await look.parse(stranger, [*doors.to_strangers, *doors.asking, *doors.sent_away])
            await look.parse_pages(some, [await doors.resent(stranger, each) for each in some])
            await look.parse(client, [*doors.to_users, *doors.asking])
            await home.context.clear_cookies()
            await look.open([*doors.asking, *doors.to_strangers][number % SELDOM :: 4 * AT_ONCE])
            await enter(home, client)
            await look.open([*doors.asking[:1], *doors.to_users[:2]])
            for at, address in enumerate(doors.asking):
                decision = "deny" if at % 4 == 0 else "approve"
                page = await doors.answered(client, address, decision)
                await look.parse_pages([f"{decision} {address}"], [page])
            await look.parse(client, [LET_IN])
            await look.open([LET_IN])
        counted.append(doors)
    assert_none_ran(report_of(every, look, counted, home))
