"""Pages that stand still as they open, and that hold when somebody needs larger letters."""

import pytest

from tests.support.home import Home

pytestmark = pytest.mark.anyio

MOST = 0.02
LARGE = 32
WATCH = """window.moved = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.moved += entry.value;
}).observe({ type: "layout-shift", buffered: true });"""
BEYOND = "() => document.documentElement.scrollWidth - innerWidth"


async def pages_of(home: Home) -> list[str]:
    note = await home.client.note("Garden plan", "Beans in June.\n\n- [ ] Prune\n" * 3)
    for number in range(6):
        todo = {"title": f"Prune the hedge, part {number}", "dueDate": f"2026-11-{19 + number}"}
        await home.client.ok("POST", "/os/todos", status=201, json=todo)
    own = [f"/notes/{note['id']}", f"/notes/{note['id']}/edit"]
    return [*own, "/", "/notes", "/todos", "/search?q=beans", "/agent", "/heartbeat", "/settings"]


@pytest.mark.parametrize("size", [(1280, 900), (360, 740)])
async def test_nothing_jumps_as_a_page_opens(home: Home, size: tuple[int, int]) -> None:
    await home.page.add_init_script(WATCH)
    await home.page.set_viewport_size({"width": size[0], "height": size[1]})
    moved = {}
    for path in await pages_of(home):
        await home.go(path)
        await home.page.wait_for_load_state("networkidle")
        moved[path] = await home.page.evaluate("window.moved")
    assert {path: by for path, by in moved.items() if by > MOST} == {}


async def test_letters_of_twice_the_size_fit(home: Home) -> None:
    chromium = await home.page.context.new_cdp_session(home.page)
    sizes = {"standard": LARGE, "fixed": LARGE}
    await chromium.send("Page.setFontSizes", {"fontSizes": sizes})
    beyond = {}
    for path in await pages_of(home):
        for width in (360, 1280):
            await home.page.set_viewport_size({"width": width, "height": 800})
            await home.go(path)
            size = await home.page.evaluate("getComputedStyle(document.body).fontSize")
            assert size == f"{LARGE}px"
            beyond[path, width] = await home.page.evaluate(BEYOND)
    assert {place: by for place, by in beyond.items() if by > 0} == {}
