"""Several notes or todos selected at once, by hand, by keys, by touch and without scripts."""

from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from tests.conftest import ORIGIN, Client, Served
from tests.support.home import Home, without_browser

pytestmark = pytest.mark.anyio


async def titles_in(client: Client, folder: int) -> set[str]:
    found = await client.ok("GET", f"/os/notes?folderId={folder}")
    return {note["title"] for note in found["notes"]}


def row(page: Page, title: str) -> Locator:
    return page.locator(".selectable li", has_text=title)


async def test_notes_are_selected_by_shift_and_keys_and_moved_together(home: Home) -> None:
    work = await home.client.folder("Work")
    for number in range(6):
        await home.client.note(f"Note {number}", "Text.")
    page = await home.go("/notes?sort=title")
    await expect(page.locator(".many")).to_be_hidden()
    await expect(page.locator(".pick").first).to_be_hidden()
    await row(page, "Note 1").get_by_role("link").click(modifiers=["Control"])
    await row(page, "Note 3").get_by_role("link").click(modifiers=["Shift"])
    await expect(page.get_by_text("3 selected")).to_be_visible()
    await home.assert_accessible("light")
    await page.keyboard.press("Escape")
    await expect(page.locator(".many")).to_be_hidden()

    await row(page, "Note 0").get_by_role("link").focus()
    for pressed in ("x", "j", "Space"):
        await page.keyboard.press(pressed)
    await expect(page.get_by_text("2 selected")).to_be_visible()
    await page.keyboard.press("Control+a")
    await expect(page.get_by_text("6 selected")).to_be_visible()
    await row(page, "Note 5").get_by_role("checkbox").uncheck()
    await page.get_by_role("button", name="Move").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Move 5 notes")
    await home.assert_accessible("light")
    await page.get_by_label("Folder", exact=True).select_option("Work")
    await page.get_by_role("button", name="Move").click()
    await expect(page.locator(".did")).to_contain_text("5 notes moved to Work.")
    assert await titles_in(home.client, work) == {f"Note {n}" for n in range(5)}
    await page.get_by_role("button", name="Undo").click()
    await expect(page.locator(".did")).to_contain_text("5 are as they were before.")
    assert await titles_in(home.client, work) == set()


async def test_without_scripts_the_rest_is_done_and_failures_are_named(
    served: Served, alice: Client, bob: Client
) -> None:
    own = [await alice.note(f"Mine {n}", "Text.", tags=["old"]) for n in range(2)]
    other = await bob.note("Not hers", "Text.")
    browser = await without_browser(served)

    async def send(**fields: object) -> str:
        body = {"note": [own[0]["id"], other["id"], own[1]["id"]], "back": "/notes", **fields}
        answer = await browser.post(f"{ORIGIN}/notes/many", data=body)
        assert answer.status_code == 303, answer.text
        return (await browser.get(ORIGIN + answer.headers["location"])).text

    async def tags() -> list[list[str]]:
        return [(await alice.ok("GET", f"/os/notes/{n['id']}"))["note"]["tags"] for n in own]

    shown = await send(do="tags", tags="spring, #beds", without="old")
    assert "Tags of 2 notes changed. Not done: one that is gone" in shown
    assert await tags() == [["spring", "beds"]] * 2
    told = shown.partition('class="did')[2]
    undo = told.partition('<form method="post" action="')[2].partition('"')[0]
    address = ORIGIN + undo.replace("&amp;", "&")
    back = await browser.post(address, data={"back": "/notes"})
    assert back.status_code == 303, back.text
    assert await tags() == [["old"]] * 2

    assert "Not done" in await send(do="trash")
    assert (await alice.ok("GET", "/os/notes"))["notes"] == []
    nothing = await browser.post(f"{ORIGIN}/notes/many", data={"do": "trash"})
    assert nothing.status_code == 400
    assert "Nothing is selected" in nothing.text


async def test_todos_are_done_weighed_and_moved_together(home: Home) -> None:
    made: dict[str, Any] = {}
    kinds: dict[str, dict[str, Any]] = {
        "Rake": {"dueDate": "2026-11-21"},
        "Water": {"dueDate": "2026-11-21", "recurrence": {"rule": "FREQ=DAILY"}},
        "Prune": {"priority": 4},
    }
    for title, more in kinds.items():
        sent = {"title": title, **more}
        made[title] = (await home.client.ok("POST", "/os/todos", status=201, json=sent))["result"][
            "todo"
        ]

    async def now(title: str) -> Any:
        return (await home.client.ok("GET", f"/os/todos/{made[title]['id']}"))["todo"]

    page = await home.go("/todos")

    async def select_all() -> None:
        await row(page, "Rake").get_by_role("link").focus()
        await page.keyboard.press("Space")
        await page.keyboard.press("Control+a")

    await select_all()
    await expect(page.get_by_text("3 selected")).to_be_visible()
    await page.locator(".drop summary", has_text="Priority").click()
    await (
        page.get_by_role("button", name="highest")
        .or_(page.get_by_role("button", name="top"))
        .click()
    )
    toast = page.locator(".toast")
    await expect(toast).to_contain_text("3 todos have another priority.")
    assert (await now("Prune"))["priority"] == 5
    await toast.get_by_role("button", name="Undo").click()
    await expect(toast.last).to_contain_text("3 are as they were before.")
    assert [(await now(title))["priority"] for title in made] == [
        made[title]["priority"] for title in made
    ]

    await select_all()
    await page.locator(".many").get_by_role("button", name="Done").click()
    await expect(toast.last).to_contain_text("3 todos done.")
    assert all([(await now(title))["completed"] for title in made])
    await toast.last.get_by_role("button", name="Undo").click()
    await expect(toast.filter(has_text="3 are as they were before.")).to_have_count(2)
    left = await home.client.ok("GET", "/os/todos?completed=false")
    assert sorted(todo["title"] for todo in left["result"]["todos"]) == ["Prune", "Rake", "Water"]
    assert home.complaints == []


async def test_on_a_phone_by_a_long_press_and_in_what_a_search_found(home: Home) -> None:
    for number in range(3):
        await home.client.note(f"Frost {number}", "Frost here.")
    await home.page.set_viewport_size({"width": 360, "height": 740})
    page = await home.go("/search?q=frost")
    link = row(page, "Frost 1").get_by_role("link")
    await link.dispatch_event("pointerdown", {"pointerType": "touch", "bubbles": True})
    await expect(page.get_by_text("1 selected")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.get_by_text("Select", exact=True).click()
    await row(page, "Frost 1").get_by_role("checkbox").check()
    await row(page, "Frost 2").get_by_role("checkbox").check()
    await home.assert_fits(360, 740)
    await page.get_by_role("button", name="Pin on top").click()
    await expect(page.locator(".did")).to_contain_text("2 notes pinned.")
    found = await home.client.ok("GET", "/os/notes")
    assert sum(note["pinned"] for note in found["notes"]) == 2
