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


async def test_no_page_is_heavy_and_none_asks_another_origin(home: Home) -> None:
    for number in range(30):
        await home.client.note(f"Note {number}", "Frost and beans.\n\n- [ ] one\n" * 5)
        todo = {"title": f"Todo {number}", "dueDate": f"2026-11-{10 + number % 18}"}
        await home.client.ok("POST", "/os/todos", status=201, json=todo)
    asked: set[str] = set()
    home.page.on("request", lambda request: asked.add(request.url))
    sizes = {}
    for path in PAGES:
        await home.go(path)
        await home.page.wait_for_load_state("networkidle")
        sizes[path] = await home.page.evaluate(LOADED)
    assert {path: size for path, size in sizes.items() if size > MOST} == {}, sizes
    assert [url for url in asked if not url.startswith(home.origin)] == []
