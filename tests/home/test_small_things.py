"""What a person misses when it is not there: files, a tag's name, a note as a file, limits."""

import re

import pytest
from playwright.async_api import expect

from tests.conftest import ORIGIN, Client, Served
from tests.support.home import Home, without_browser

pytestmark = pytest.mark.anyio


async def test_a_tag_is_renamed_in_all_notes_and_back(home: Home) -> None:
    for number in range(3):
        await home.client.note(f"Note {number}", "Text.", tags=["gardn", "old"])
    page = await home.go("/notes?tag=gardn")
    await page.get_by_role("link", name="Rename").click()
    await home.assert_accessible("light")
    await page.get_by_label("New name of #gardn").fill("garden")
    await page.get_by_role("button", name="Rename").click()
    await expect(page.locator(".did")).to_contain_text("Tags of 3 notes changed.")
    await expect(page.get_by_role("heading", level=1)).to_have_text("#garden")
    found = await home.client.ok("GET", "/os/notes?tag=garden")
    assert [sorted(note["tags"]) for note in found["notes"]] == [["garden", "old"]] * 3
    await home.check_everywhere("/notes?tag=garden")


async def test_a_note_is_saved_as_a_file(home: Home) -> None:
    text = "# Soup\n\n- [ ] onions\n"
    note = await home.client.note("Soup: 1/2", text, contentFormat="markdown")
    page = await home.go(f"/notes/{note['id']}")
    await page.locator(".tools summary").last.click()
    async with page.expect_download() as waiting:
        await page.get_by_role("link", name="Save as a Markdown file").click()
    file = await waiting.value
    assert file.suggested_filename == "Soup_ 1_2.md"
    assert (await file.path()).read_text("utf-8").strip() == text.strip()


async def test_files_are_listed_with_their_notes_and_cleared_up(home: Home) -> None:
    ids = []
    for name in ("plan.txt", "old.txt"):
        sent = await home.client.post(
            f"/os/attachments?name={name}",
            content=b"x" * 2048,
            headers={"Content-Type": "text/plain"},
        )
        ids.append(sent.json()["attachment"]["id"])
    await home.client.note("Plan", f"[plan](/os/attachments/{ids[0]})", contentFormat="markdown")
    page = await home.go("/settings/data")
    await page.get_by_role("link", name="Files in notes").click()
    rows = page.locator(".files li")
    await expect(rows).to_have_count(2)
    await expect(rows.filter(has_text="plan.txt")).to_contain_text("Plan")
    await expect(rows.filter(has_text="old.txt")).to_contain_text("in no note")
    await home.check_everywhere("/settings/files")
    await home.go("/settings/files")
    await page.get_by_label("old.txt").check()
    await page.get_by_role("button", name="Delete the ticked ones").click()
    await expect(page.locator(".did")).to_contain_text("One file is deleted.")
    assert (await home.client.ok("GET", "/os/attachments"))["total"] == 1


async def test_a_limit_of_tokens_is_set_changed_and_removed(home: Home) -> None:
    page = await home.go("/settings/usage")
    await page.get_by_text("Limit tokens").click()
    await page.get_by_label("Limit", exact=True).last.fill("90000")
    await page.get_by_role("button", name="Add the limit").click()
    caps = (await home.client.ok("GET", "/metering/caps"))["caps"]
    assert any(cap["limit"] == 90000 and cap["subject"] == "account" for cap in caps)
    row = page.locator(".rows li", has_text="90,000")
    await row.get_by_text("Change").click()
    await home.assert_accessible("light")
    await row.get_by_role("button", name="Remove").click()
    await expect(page.locator(".rows li", has_text="90,000")).to_have_count(0)


async def test_word_of_changes_tells_neither_how_many_nor_whose(
    served: Served, alice: Client, bob: Client
) -> None:
    windows = [await without_browser(served, name) for name in ("alice", "bob")]
    seen: list[list[str]] = []
    for _ in range(3):
        seen.append([(await each.get(f"{ORIGIN}/changes")).text for each in windows])
        await bob.note("Bob's own", "Text.")
    marks = [mark for pair in seen for mark in pair]
    assert len(set(marks)) == len(marks)
    assert all(len(mark) == 16 and not mark.isdecimal() for mark in marks)
    page = (await windows[0].get(f"{ORIGIN}/help")).text
    assert re.search(r'data-mark="[0-9a-f]{16}"', page)
    assert (await served.client().get(f"{ORIGIN}/changes")).status_code == 401


@pytest.mark.parametrize("number", ["9" * 5000, "-1", "1e3", "٣", "²", "0", "999999999999999"])
async def test_numbers_that_are_none_break_no_page(served: Served, number: str) -> None:
    await served.person("alice")
    page = await without_browser(served)
    note = (await page.post(f"{ORIGIN}/notes/new", data={"title": "A", "content": "b"})).headers
    paths = {
        "from": (
            "/agent",
            "/settings/files",
            "/todos",
            "/people",
            "/people/links",
            "/people/guests",
        ),
        "page": ("/notes", "/trash", f"{note['location'].partition('?')[0]}/history"),
        "in": ("/notes",),
        "folder": ("/notes/new", "/search/lines"),
        "part": (note["location"].partition("?")[0],),
        "here": ("/people/talks",),
        "before": ("/people/c/1", "/agent/talks/1"),
        "perDay": ("/todos/replan",),
    }
    for name, addresses in paths.items():
        for address in addresses:
            answer = await page.get(f"{ORIGIN}{address}", params={name: number, "pattern": "b"})
            assert answer.status_code in (200, 400, 404), (address, name)
    forms = {
        "/notes/many": {"note": number, "do": "pin"},
        "/notes/many/undo?do=pin&g=": {},
        "/todos/new": {"title": "x", "priority": number},
        "/notes/new": {"title": "x", "content": "y", "folder": number},
        "/people/links/new": {"folder": number, "note": number, "scope": "folders"},
        "/agent/say": {"message": "Hi", "talk": number},
    }
    for address, form in forms.items():
        answer = await page.post(ORIGIN + address, data=form)
        assert answer.status_code < 500, address


async def test_a_long_title_takes_one_line_of_what_is_told(home: Home) -> None:
    title = "Ask for the offer of the new roof " * 10
    for name in ("Short", title.strip()):
        await home.client.ok("POST", "/os/todos", status=201, json={"title": name})
    page = await home.go("/todos")
    for name in ("Short", "Ask for"):
        await page.get_by_role("button", name=f"Done: {name}").click()
    toasts = page.locator(".toast")
    await expect(toasts.last).to_contain_text(title.strip())
    heights = [each["height"] for one in await toasts.all() if (each := await one.bounding_box())]
    assert heights == [heights[0]] * 2


async def test_the_keys_are_read_from_the_first_and_closed_from_anywhere(home: Home) -> None:
    page = await home.go("/todos")
    await page.set_viewport_size({"width": 1280, "height": 600})
    await page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    for each in (dialog.get_by_role("heading"), dialog.get_by_role("button")):
        await expect(each).to_be_in_viewport(ratio=1)
    await dialog.locator("dd").last.scroll_into_view_if_needed()
    await expect(dialog.get_by_role("button")).to_be_in_viewport(ratio=1)
    await dialog.get_by_role("button").click()
    await expect(dialog).to_have_count(0)
