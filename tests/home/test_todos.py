"""Todos in the browser: added in words, moved, ticked, and everything taken back."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from tests.support.home import Home

pytestmark = pytest.mark.anyio
LOOK = """(box) => ["borderColor", "borderStyle", "borderWidth", "backgroundColor"].map(
  (name) => getComputedStyle(box)[name])"""


async def todo(home: Home, title: str, **fields: Any) -> int:
    body = await home.client.ok("POST", "/os/todos", status=201, json={"title": title, **fields})
    return int(body["result"]["todo"]["id"])


async def stored(home: Home, id_: int) -> Any:
    return (await home.client.ok("GET", f"/os/todos/{id_}"))["todo"]


async def all_todos(home: Home, **query: Any) -> Any:
    return (await home.client.ok("GET", "/os/todos", params=query))["result"]["todos"]


async def undo(page: Page) -> None:
    await page.get_by_role("button", name="Undo").last.click()


async def test_a_line_says_what_it_understood_and_each_part_can_be_left_in_the_title(
    home: Home,
) -> None:
    page = await home.go("/todos")
    await page.keyboard.press("n")
    await page.keyboard.type("Read the paper p1 tomorrow at 9: sport; arts")
    chips = page.locator(".understood .chip")
    await expect(chips).to_have_count(4)
    await page.get_by_role("button", name="Leave “p1” in the title").click()
    await expect(chips).to_have_count(3)
    await page.keyboard.press("Enter")
    await expect(page.locator(".toast")).to_contain_text("Added: Read the paper p1")
    (made,) = await all_todos(home, includeSteps=True)
    assert made["title"] == "Read the paper p1"
    assert (made["dueDate"], made["priority"]) == ("2026-11-22T09:00:00.000Z", 0)
    assert [step["title"] for step in made["steps"]] == ["sport", "arts"]
    await expect(page.get_by_role("link", name=made["title"])).to_be_visible()
    await undo(page)
    await expect(page.get_by_role("link", name=made["title"])).to_have_count(0)
    assert await all_todos(home) == []


async def test_each_priority_is_seen_and_said(home: Home) -> None:
    names = ["", "low", "low", "middle", "high", "top", "top", "top", "top", "top", "top"]
    for priority in range(11):
        await todo(home, f"Todo {priority:02}", priority=priority)
    page = await home.go("/todos")
    looks: dict[str, set[tuple[str, ...]]] = {}
    for priority, name in enumerate(names):
        said = f"Done: Todo {priority:02}" + (f", {name} priority" if name else "")
        box = page.get_by_role("button", name=said, exact=True)
        looks.setdefault(name, set()).add(tuple(await box.evaluate(LOOK)))
    assert [len(each) for each in looks.values()] == [1] * 5
    assert len(set.union(*looks.values())) == 5


async def test_a_tick_stays_in_its_place_and_can_be_taken_back(home: Home) -> None:
    first = await todo(home, "Sign the offer", dueDate="2026-11-19")
    water = {"dueDate": "2026-11-21", "recurrence": {"rule": "FREQ=DAILY;INTERVAL=2"}}
    again = await todo(home, "Water the seedlings", **water)
    page = await home.go("/todos")
    await expect(page.get_by_text("2 days late")).to_be_visible()
    await expect(page.get_by_text("every 2 days")).to_be_visible()
    await page.get_by_role("button", name="Done: Sign the offer").click()
    await expect(page.locator(".toast")).to_contain_text("Done: Sign the offer")
    await expect(page.locator("li.is-done")).to_have_count(1)
    assert (await stored(home, first))["completed"]
    await undo(page)
    await expect(page.locator("li.is-done")).to_have_count(0)
    assert not (await stored(home, first))["completed"]
    await page.get_by_role("button", name="Done: Water the seedlings").click()
    await expect(page.locator(".toast").last).to_contain_text(
        "due again: Water the seedlings (Monday)"
    )
    await undo(page)
    await expect(page.locator("li.is-done")).to_have_count(0)
    assert [each["id"] for each in await all_todos(home)] == [first, again]


async def test_keys_choose_move_weigh_and_delete(home: Home) -> None:
    first = await todo(home, "Sign the offer", dueDate="2026-11-19")
    second = await todo(home, "Call Eva")
    page = await home.go("/todos")
    await page.keyboard.press("j")
    await page.keyboard.press("t")
    await expect(page.locator(".toast")).to_contain_text("Moved: Sign the offer (Today)")
    assert (await stored(home, first))["dueDate"] == "2026-11-21"
    await page.keyboard.press("+")
    await expect(page.locator(".toast")).to_have_count(2)
    assert (await stored(home, first))["priority"] == 1
    await page.keyboard.press("j")
    await page.keyboard.press("#")
    await expect(page.locator(".toast").last).to_contain_text("In the trash: Call Eva")
    await undo(page)
    await expect(page.get_by_role("link", name="Call Eva")).to_be_visible()
    assert (await stored(home, second))["title"] == "Call Eva"
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog")).to_contain_text("Move it to tomorrow")
    await page.keyboard.press("Escape")
    await page.keyboard.press("j")
    await page.keyboard.press("e")
    await page.wait_for_url(f"**/todos/{second}")


async def test_a_menu_gives_another_day(home: Home) -> None:
    id_ = await todo(home, "Call Eva", dueDate="2026-11-21T15:00:00Z")
    page = await home.go("/todos")
    await page.get_by_role("button", name="Another day for Call Eva").click()
    await page.get_by_role("textbox", name="Another day").fill("2026-12-01")
    await page.get_by_role("button", name="Move", exact=True).click()
    await expect(page.locator(".toast")).to_contain_text("Moved: Call Eva (1 Dec)")
    assert (await stored(home, id_))["dueDate"] == "2026-12-01T15:00:00.000Z"
    await undo(page)
    await expect(page.locator(".toast").last).to_contain_text("As it was before")
    assert (await stored(home, id_))["dueDate"] == "2026-11-21T15:00:00.000Z"


async def test_filters_say_how_many_and_long_lists_are_paged(home: Home) -> None:
    for n in range(52):
        await todo(home, f"Sort photos {n}", dueDate="2026-12-10")
    await todo(home, "Sign the offer", dueDate="2026-11-19", priority=5)
    await todo(home, "Descale")
    page = await home.go("/todos")
    filters = page.get_by_role("navigation", name="Filters")
    await expect(filters).to_contain_text("All 54")
    await page.get_by_role("link", name="After").click()
    await expect(page.locator(".pager")).to_contain_text("41 to 54 of 54")
    await filters.get_by_role("link", name="Important 1").click()
    await expect(page.get_by_role("listitem")).to_have_count(1)
    await filters.get_by_role("link", name="No day 1").click()
    await expect(page.get_by_role("link", name="Descale")).to_be_visible()
    await expect(page.locator("li.todo")).to_have_count(1)
    await home.go("/todos")
    await page.keyboard.press("f")
    await page.keyboard.type("PHÓTOS 51")
    await page.keyboard.press("Enter")
    await expect(page.locator("li.todo")).to_have_count(1)


async def test_a_day_is_given_by_dragging_in_the_week(home: Home) -> None:
    id_ = await todo(home, "Call Eva", dueDate="2026-11-21")
    page = await home.go("/todos/week")
    day = page.locator("[data-drop='2026-11-24']")
    await page.locator("li", has_text="Call Eva").drag_to(day)
    await expect(day).to_contain_text("Call Eva")
    assert (await stored(home, id_))["dueDate"] == "2026-11-24"
    await undo(page)
    await expect(day).to_contain_text("Nothing")


async def test_days_are_there_to_drop_on_while_a_todo_is_held(home: Home) -> None:
    id_ = await todo(home, "Call Eva")
    page = await home.go("/todos")
    await page.locator("li", has_text="Call Eva").hover()
    await page.mouse.down()
    await page.mouse.move(600, 400)
    await page.locator(".days").get_by_text("Tomorrow").hover()
    await page.mouse.up()
    await expect(page.locator(".toast")).to_contain_text("Moved: Call Eva (Tomorrow)")
    await expect(page.locator(".days")).to_have_count(0)
    assert (await stored(home, id_))["dueDate"] == "2026-11-22"


async def test_new_days_are_shown_first_then_given_and_taken_back(home: Home) -> None:
    ids = [await todo(home, f"Late {n}", dueDate=f"2026-11-{10 + n}") for n in range(3)]
    page = await home.go("/todos")
    await page.get_by_role("link", name="Give late ones new days").click()
    await page.get_by_label("At most a day").fill("1")
    await page.get_by_role("button", name="Show again").click()
    await expect(page.locator("tbody tr").nth(2)).to_contain_text("Late 2")
    assert (await stored(home, ids[2]))["dueDate"] == "2026-11-12"
    await page.get_by_role("button", name="Give these days").click()
    await expect(page.locator(".did")).to_contain_text("New days given: 3")
    assert (await stored(home, ids[2]))["dueDate"] == "2026-11-23"
    await undo(page)
    await expect(page.locator(".did")).to_contain_text("Given their old days back: 3")
    assert (await stored(home, ids[2]))["dueDate"] == "2026-11-12"
    await home.check_everywhere("/todos/replan")


async def test_one_todo_is_changed_and_its_steps_are_ordered(home: Home) -> None:
    id_ = await todo(home, "Pack", steps=[{"title": "Tent"}, {"title": "Stove"}])
    page = await home.go(f"/todos/{id_}")
    await page.get_by_label("What is to be done").fill("Pack for the hut")
    await page.get_by_label("Due on").fill("2026-11-24")
    await page.get_by_label("At", exact=True).fill("07:30")
    await page.get_by_label("Priority").select_option("high")
    await page.get_by_label("Comes again").fill("every 2 weeks")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".toast")).to_contain_text("Saved: Pack for the hut")
    now = await stored(home, id_)
    assert (now["title"], now["dueDate"], now["priority"]) == (
        "Pack for the hut",
        "2026-11-24T07:30:00.000Z",
        4,
    )
    assert now["recurrence"]["rule"] == "FREQ=WEEKLY;INTERVAL=2"
    await expect(page.get_by_label("Comes again")).to_have_value("every 2 weeks")
    await page.get_by_role("button", name="Step done: Tent").click()
    await page.get_by_role("button", name="Down: Tent").click()
    await page.get_by_label("Add a step").fill("Map")
    await page.keyboard.press("Enter")
    await expect(page.locator(".toast").last).to_contain_text("Step added: Map")
    await page.get_by_role("button", name="Remove: Stove").click()
    await expect(page.locator(".toast").last).to_contain_text("Step removed: Stove")
    rows = [(each["title"], each["completed"]) for each in (await stored(home, id_))["steps"]]
    assert rows == [("Tent", True), ("Map", False)]
    await undo(page)
    await expect(page.locator(".toast").last).to_contain_text("As it was before")
    titles = [each["title"] for each in (await stored(home, id_))["steps"]]
    assert titles == ["Stove", "Tent", "Map"]
    await home.check_everywhere(f"/todos/{id_}")


async def test_a_change_waits_for_the_one_before_so_that_no_older_page_comes_last(
    home: Home,
) -> None:
    id_ = await todo(home, "Pack", steps=[{"title": "Tent"}, {"title": "Stove"}])
    page = await home.go(f"/todos/{id_}")
    waits = asyncio.Event()

    async def slowly(route: Route) -> None:
        answer = await route.fetch(max_redirects=0)
        if "do=down" in (route.request.post_data or ""):
            await waits.wait()
        await route.fulfill(response=answer)

    await page.route("**/steps", slowly)
    await page.get_by_role("button", name="Down: Tent").click()
    await page.get_by_label("Add a step").fill("Map")
    await page.keyboard.press("Enter")
    await asyncio.sleep(0.2)
    waits.set()
    await expect(page.locator(".toast")).to_contain_text(["Step moved: Tent", "Step added: Map"])
    assert [each["title"] for each in (await stored(home, id_))["steps"]] == [
        "Stove",
        "Tent",
        "Map",
    ]


async def test_what_cannot_be_saved_stays_in_the_form(home: Home) -> None:
    id_ = await todo(home, "Pack")
    page = await home.go(f"/todos/{id_}")
    await page.get_by_label("Description").fill("Mine")
    await page.get_by_label("Comes again").fill("now and then")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("alert")).to_contain_text("does not say how often")
    await expect(page.get_by_label("Description")).to_have_value("Mine")
    await page.get_by_label("Comes again").fill("")
    await home.client.ok("PATCH", f"/os/todos/{id_}", json={"description": "Theirs", "priority": 3})
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("alert")).to_contain_text("Description is now: Theirs")
    await expect(page.get_by_label("Description")).to_have_value("Mine")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".toast")).to_contain_text("Saved")
    now = await stored(home, id_)
    assert (now["description"], now["priority"]) == ("Mine", 3)


async def test_a_lost_connection_or_session_leaves_what_was_typed(home: Home) -> None:
    page = await home.go("/todos")
    await home.context.set_offline(True)
    await page.get_by_label("Add a todo").fill("Call Eva")
    await page.keyboard.press("Enter")
    await expect(page.locator(".toast")).to_contain_text("does not answer")
    await expect(page.get_by_label("Add a todo")).to_have_value("Call Eva")
    await home.context.set_offline(False)
    cookies = await home.context.cookies()
    await home.context.clear_cookies()
    await page.get_by_label("Add a todo").press("Enter")
    await expect(page.locator(".toast.bad").last).to_contain_text("You are signed out")
    await expect(page.get_by_label("Add a todo")).to_have_value("Call Eva")
    await home.context.add_cookies(cookies)  # type: ignore[arg-type]
    await page.get_by_label("Add a todo").press("Enter")
    await expect(page.get_by_role("link", name="Call Eva")).to_be_visible()
    assert len(await all_todos(home)) == 1


async def test_every_page_is_for_everybody(home: Home) -> None:
    await home.check_everywhere("/todos")
    hostile = "<img src=x onerror=alert(1)>" + "W" * 300
    await todo(home, hostile, dueDate="2026-11-19", priority=5, steps=[{"title": hostile[:200]}])
    done = await todo(home, "Call Eva", dueDate="2026-11-20", description="See [[Garden plan]].")
    await todo(home, "Tomorrow", dueDate="2026-11-22T08:00:00Z")
    await home.client.ok("POST", f"/os/todos/{done}/complete", json={})
    for path in ("/todos", "/todos/week", "/todos/done"):
        await home.check_everywhere(path)
