"""What a first visit of a page has to load."""

import pytest

from tests.support.home import Home

pytestmark = pytest.mark.anyio

MOST = 60_000
PAGES = [
    "/",
    "/notes",
    "/todos",
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


async def test_no_page_is_heavy_and_none_asks_another_origin(home: Home) -> None:
    for number in range(30):
        await home.client.note(f"Note {number}", "Frost and beans.\n\n- [ ] one\n" * 5)
        todo = {"title": f"Todo {number}", "dueDate": f"2026-11-{10 + number % 18}"}
        await home.client.ok("POST", "/os/todos", status=201, json=todo)
    asked: set[str] = set()
    home.page.on("request", lambda request: asked.add(request.url))
    sizes = {}
    waited_for = {}
    for path in PAGES:
        await home.go(path)
        await home.page.wait_for_load_state("networkidle")
        sizes[path] = await home.page.evaluate(LOADED)
        waited_for[path] = await home.page.evaluate(BLOCKING)
    assert {path: size for path, size in sizes.items() if size > MOST} == {}, sizes
    assert [url for url in asked if not url.startswith(home.origin)] == []
    # What is painted waits for each of them: the sheet of all pages, and the one of its part.
    assert {path: names for path, names in waited_for.items() if len(names) > 2} == {}
    home_sheet = next(url for url in asked if url.endswith("home.css+palette.css"))
    folder = home_sheet.rpartition("/")[0]
    for name in ("home.css+none.css", "home.css+dom.js", "home.css+", "+".join(["home.css"] * 6)):
        assert (await home.context.request.get(f"{folder}/{name}")).status == 404
