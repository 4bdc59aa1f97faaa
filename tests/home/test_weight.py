"""What a first visit of a page has to load."""

import pytest

from tests.support.home import Home

pytestmark = pytest.mark.anyio

MOST = 61_000
PAGES = [
    "/",
    "/notes",
    "/todos",
    "/todos/week",
    "/search?q=frost",
    "/search/lines?pattern=frost",
    "/agent",
    "/agent/memory",
    "/heartbeat",
    "/settings",
    "/settings/keys",
    "/settings/data",
    "/help/search",
]
LOADED = """() => [...performance.getEntriesByType("navigation"),
  ...performance.getEntriesByType("resource")]
  .reduce((all, each) => all + each.encodedBodySize, 0)"""
BLOCKING = """() => performance.getEntriesByType("resource")
  .filter((each) => each.renderBlockingStatus === "blocking").map((each) => each.name)"""


NOTE = "Frost came early to the garden this year, and beans want a place on the south wall. " * 3


async def fill(home: Home) -> int:
    """Write as much as fills each list of a page and its folders; return a note's id."""
    files = [
        {
            "path": f"Garden and orchard {number % 40}/What grew in week {number}.md",
            "content": f"# What grew in week {number}\n\n{NOTE}\n\n- [ ] one\n",
        }
        for number in range(120)
    ]
    for first in range(0, len(files), 50):
        await home.client.ok("POST", "/accumulate", json={"files": files[first : first + 50]})
    for number in range(120):
        todo = {
            "title": f"Look after bed number {number} before it freezes",
            "dueDate": f"2026-11-{10 + number % 18}",
            "context": "garden",
            "priority": 1 + number % 5,
        }
        await home.client.ok("POST", "/os/todos", status=201, json=todo)
    found = await home.client.ok("GET", "/os/notes?limit=1&recursive=true")
    return int(found["notes"][0]["id"])


async def test_no_page_is_heavy_and_none_asks_another_origin(home: Home) -> None:
    note = await fill(home)
    asked: set[str] = set()
    home.page.on("request", lambda request: asked.add(request.url))
    sizes = {}
    waited_for = {}
    for path in (*PAGES, f"/notes/{note}?in=all", f"/notes/{note}/edit"):
        answer = await home.page.goto(home.origin + path)
        assert answer, path
        assert answer.ok, path
        await home.page.wait_for_load_state("networkidle")
        sizes[path] = await home.page.evaluate(LOADED)
        waited_for[path] = await home.page.evaluate(BLOCKING)
    assert {path: size for path, size in sizes.items() if size > MOST} == {}, sizes
    assert [url for url in asked if not url.startswith(home.origin)] == []
    # What is painted waits for each of them: the sheet of all pages, and the one of its part.
    assert {path: names for path, names in waited_for.items() if len(names) > 2} == {}
    home_sheet = next(url for url in asked if url.endswith("home.css+palette.css"))
    folder = home_sheet.rpartition("/")[0]
    wrong = ("home.css+none.css", "home.css+dom.js", "home.css+", "+".join(["home.css"] * 6))
    words = ("words-xx-shell.js", "words-en-none.js", "words-en-.js", "words-en-shell+.js")
    for name in (*wrong, *words):
        assert (await home.context.request.get(f"{folder}/{name}")).status == 404
