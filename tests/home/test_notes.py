"""Notes, as a person lists, reads, sorts and deletes them."""

import re

import pytest
from playwright.async_api import expect

from tests.conftest import Client
from tests.support.home import SIZES, Home
from tests.support.windows import SCHEMES

pytestmark = pytest.mark.anyio
TEXT = """Tomatoes in May, see [[Tools]] and [[Nowhere]].

## Before the frost

- [x] Bring the fleece down
- [ ] Prune the hedge

> Last frost: 12 May.

| Bed | 2026 |
|---|---|
| long | beans |
"""


async def test_an_empty_home_teaches_and_a_first_note_is_written(home: Home) -> None:
    await home.check_everywhere("/notes")
    page = await home.go("/notes")
    await expect(page.get_by_role("heading", name="Your first note")).to_be_visible()
    await page.get_by_role("link", name="Write a note").click()
    await page.get_by_label("Title").fill("Frost dates")
    await page.get_by_label("Text").fill("Last frost: about 12 May.")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Frost dates")
    await expect(page.locator(".prose")).to_contain_text("about 12 May")
    await home.check_everywhere("/notes/new")


async def test_a_note_is_read_beside_its_list_and_leads_on(home: Home) -> None:
    garden = await home.client.folder("Garden")
    await home.client.folder("Garden/Spring")
    tools = await home.client.note("Tools", "The rake is in the shed.", folderId=garden)
    plan = await home.client.note(
        "Garden plan", TEXT, folderId=garden, tags=["spring"], contentFormat="markdown"
    )
    await home.client.note("Frost dates", "So the [[Garden plan]] moves.")
    page = await home.go(f"/notes/{plan['id']}")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Garden plan")
    await expect(page.locator(".notes a[aria-current]")).to_contain_text("Tomatoes in May")
    await expect(page.locator(".rail .tree .on")).to_contain_text("Garden")
    await expect(page.locator(".around")).to_contain_text("So the Garden plan moves.")
    missing = page.get_by_role("link", name="Nowhere", exact=True)
    await expect(missing).to_have_class("wiki missing")
    await page.locator(".prose").get_by_role("link", name="Tools").click()
    await expect(page).to_have_url(f"{home.origin}/notes/{tools['id']}")
    await home.check_everywhere(f"/notes/{plan['id']}")
    await home.check_everywhere(f"/notes/{plan['id']}/print")
    await expect(home.page.locator(".meta")).to_contain_text("Changed 21 November 2026, ")


async def test_what_is_in_no_folder_is_listed_alone(home: Home) -> None:
    garden = await home.client.folder("Garden")
    await home.client.note("Tools", "The rake.", folderId=garden)
    loose = await home.client.note("Loose", "Found.")
    for address in ("/notes?in=root", f"/notes/{loose['id']}"):
        page = await home.go(address)
        await expect(page.locator(".list .top")).to_contain_text("In no folder")
        await expect(page.locator(".notes li b")).to_have_text(["Loose"])
    await home.go("/notes")
    await expect(page.locator(".notes li b")).to_have_count(2)


async def test_all_is_done_by_keyboard_alone(home: Home) -> None:
    page = await home.go("/")
    await page.keyboard.type("gn")
    await page.wait_for_url("**/notes")
    await page.keyboard.press("n")
    await page.wait_for_url("**/notes/new")
    await page.keyboard.type("Plan")
    await page.keyboard.press("Enter")
    await page.keyboard.type("- [ ] first")
    await page.keyboard.press("Control+Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Plan")
    await page.get_by_role("checkbox", name="first").focus()
    async with page.expect_response(re.compile("/tick$")):
        await page.keyboard.press("Space")
    await page.keyboard.press("e")
    await page.wait_for_url("**/edit")
    await expect(page.locator("#state")).to_have_text("Saved")
    await page.keyboard.press("Control+End")
    await page.keyboard.type(" and last")
    await page.keyboard.press("Control+Enter")
    await expect(page.get_by_role("checkbox", name="first and last")).to_be_checked()
    await page.keyboard.press("v")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Version 1")
    await page.get_by_role("button", name="Bring this back").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("checkbox", name="first", exact=True)).not_to_be_checked()


async def test_a_box_is_ticked_where_it_is_read(home: Home) -> None:
    note = await home.client.note("Plan", TEXT, contentFormat="markdown")
    page = await home.go(f"/notes/{note['id']}")
    box = page.get_by_role("checkbox", name="Prune the hedge")
    await expect(box).not_to_be_checked()
    async with page.expect_response(re.compile("/tick$")):
        await box.click()
    await expect(box).to_be_checked()
    async with page.expect_response(re.compile("/tick$")):
        await page.get_by_role("checkbox", name="Bring the fleece down").press("Enter")
    now = (await home.client.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"]
    assert now == TEXT.replace("[x] Bring", "[ ] Bring").replace("[ ] Prune", "[x] Prune")


async def test_fields_above_a_text_stand_aside(home: Home) -> None:
    text = "---\naliases:\n  - Frost\nplace: '<b>here</b>'\n---\n\nSow late.\n\n- [ ] Fleece\n"
    note = await home.client.note("Dates", text, contentFormat="markdown")
    page = await home.go(f"/notes/{note['id']}")
    await expect(page.locator(".prose p").first).to_have_text("Sow late.")
    await expect(page.locator(".notes a[aria-current]")).to_contain_text("Sow late.")
    await page.get_by_text("2 properties").click()
    await expect(page.locator(".fields-of dd").last).to_have_text("<b>here</b>")
    async with page.expect_response(re.compile("/tick$")):
        await page.get_by_role("checkbox", name="Fleece").click()
    now = (await home.client.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"]
    assert now == text.replace("[ ]", "[x]")
    await home.check_everywhere(f"/notes/{note['id']}")


async def test_a_note_goes_to_the_trash_and_comes_back(home: Home) -> None:
    note = await home.client.note("Old list", "Milk", folderId=await home.client.folder("Home"))
    page = await home.go(f"/notes/{note['id']}")
    await page.keyboard.press("#")
    await expect(page.locator(".did")).to_contain_text("In the trash: Old list")
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Old list")
    await page.get_by_label("More", exact=True).click()
    await page.get_by_role("button", name="Delete").click()
    await home.check_everywhere("/trash")
    await page.get_by_role("button", name="Bring back").click()
    await expect(page.locator(".did")).to_contain_text("Back again: Old list")
    await home.client.ok("DELETE", f"/os/notes/{note['id']}")
    await home.go("/trash")
    await page.get_by_text("Empty the trash").click()
    await page.get_by_role("button", name="Delete for good").first.click()
    await expect(page.get_by_text("The trash is empty.").first).to_be_visible()


async def test_folders_are_made_renamed_moved_and_deleted(home: Home) -> None:
    await home.client.folder("Work")
    page = await home.go("/notes")
    await page.locator(".rail").get_by_text("New folder").click()
    await page.locator(".rail").get_by_label("Name of the folder").fill("Garden")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Garden")
    address = page.url.partition("?")[0]
    await page.get_by_role("link", name="Rename, move or share").click()
    await home.check_everywhere(f"{address.removeprefix(home.origin)}/edit")
    await page.get_by_label("Name of the folder").fill("Beds")
    await page.get_by_label("Lies in").select_option("Work")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Beds")
    folders = (await home.client.ok("GET", "/os/folders"))["folders"]
    beds = next(one for one in folders if one["name"] == "Beds")
    assert beds["parentId"] == next(one["id"] for one in folders if one["name"] == "Work")
    note = await home.client.note("Roses", "Cut in March")
    await home.go("/notes")
    work = page.locator(".rail .tree li", has_text="Work")
    await page.locator(".notes a", has_text="Roses").drag_to(work)
    await expect(page.locator(".toast")).to_contain_text("Moved to Work")
    moved = (await home.client.ok("GET", f"/os/notes/{note['id']}"))["note"]
    assert moved["folder"]["name"] == "Work"
    await home.go(f"/notes/folder/{beds['id']}/edit")
    await page.get_by_role("button", name="Delete this folder").click()
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Beds")


async def test_a_note_is_moved_copied_tagged_pinned_and_shared(home: Home) -> None:
    await home.client.folder("Work")
    note = await home.client.note("Offer", "48,000 until tomorrow")
    page = await home.go(f"/notes/{note['id']}")
    await page.keyboard.press("m")
    await page.get_by_label("Folder", exact=True).select_option("Work")
    await page.get_by_role("button", name="Move").click()
    await expect(page.locator(".did")).to_contain_text("Moved to Work")
    await page.get_by_role("button", name="Undo").click()
    await expect(page.locator(".did")).to_contain_text("In no folder")
    await page.get_by_text("Add a tag").click()
    await page.get_by_label("Tags, with commas").fill("money, #urgent")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".meta")).to_contain_text("#urgent")
    await page.get_by_role("button", name="Pin on top").click()
    await expect(page.get_by_role("button", name="Pin on top")).to_have_attribute(
        "aria-pressed", "true"
    )
    await page.get_by_role("link", name="Share").click()
    await page.get_by_role("button", name="Make a link").click()
    address = home.origin + "/shared/" + (await page.locator(".copy").inner_text())[-10:]
    other = await home.tab()
    await other.goto(address)
    await expect(other.get_by_text("48,000 until tomorrow")).to_be_visible()
    await home.go(f"/people/links/new?note={note['id']}")
    await expect(page.get_by_role("heading", name="Links that open this note")).to_be_visible()
    await home.go(f"/notes/{note['id']}")
    await page.get_by_label("More", exact=True).click()
    await page.get_by_role("button", name="Copy").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Copy of Offer")


async def test_versions_are_compared_named_and_brought_back(home: Home) -> None:
    note = await home.client.note("Plan", "one\n\ntwo\n\nthree", contentFormat="markdown")
    await home.client.patch(
        f"/os/notes/{note['id']}",
        json={"content": "one\n\ntwo and more\n\nthree", "contentFormat": "markdown"},
    )
    page = await home.go(f"/notes/{note['id']}/history")
    await expect(page.locator("ins")).to_have_text(" and more")
    await home.check_everywhere(f"/notes/{note['id']}/history")
    await page.get_by_label("Name what is there now").fill("Before the talk")
    await page.get_by_role("button", name="Keep it").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Before the talk")
    await home.go(f"/notes/{note['id']}/history/1")
    await page.get_by_role("button", name="Bring this back").click()
    await expect(page.locator(".prose")).not_to_contain_text("and more")
    await page.get_by_role("button", name="Undo").click()
    await expect(page.locator(".prose")).to_contain_text("two and more")


async def test_many_notes_are_paged_sorted_and_found_by_tag(home: Home) -> None:
    for number in range(60):
        await home.client.note(f"Note {number:02}", "Text", tags=["even"] * (number % 2 == 0))
    page = await home.go("/notes")
    await expect(page.locator("ol.notes li")).to_have_count(30)
    await page.get_by_role("link", name="The next page").click()
    await expect(page.locator("ol.notes li")).to_have_count(30)
    await page.get_by_label("Order").select_option("By title")
    await expect(page.locator("ol.notes b").first).to_have_text("Note 00")
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Note 01")
    await expect(page.locator(".notes a[aria-current] b")).to_have_text("Note 01")
    await home.go("/notes?tag=even")
    await expect(page.locator("ol.notes li")).to_have_count(30)


async def test_the_tags_to_choose_from_stay_within_the_list(home: Home) -> None:
    await home.client.note("Plan", "Text", tags=[f"tag number {number}" for number in range(12)])
    page = await home.go("/notes")
    await page.locator(".list summary").click()
    for width, height in SIZES.values():
        await page.set_viewport_size({"width": width, "height": height})
        tags = await page.locator(".list .tags").bounding_box()
        list_ = await page.locator(".list").bounding_box()
        assert tags is not None
        assert list_ is not None
        assert list_["x"] <= tags["x"] < tags["x"] + tags["width"] <= list_["x"] + list_["width"]


async def test_a_long_note_is_read_and_written_in_parts(home: Home) -> None:
    text = "\n\n".join(f"Paragraph {number} of a very long story." for number in range(9000))
    note = await home.client.note("Story", text, contentFormat="markdown")
    page = await home.go(f"/notes/{note['id']}")
    await page.get_by_role("link", name="The next part").first.click()
    await expect(page.get_by_text("Part 2 of 4").first).to_be_visible()
    await page.get_by_role("link", name="Edit").click()
    area = page.get_by_label("Text", exact=True)
    first = (await area.input_value()).partition("\n")[0]
    await area.press("Control+Home")
    await page.keyboard.insert_text("HERE ")
    await expect(page.locator("#state")).to_have_text("Saved")
    now = (await home.client.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"]
    assert now == text.replace(f"\n{first}\n", f"\nHERE {first}\n")


async def test_without_scripts_a_note_is_written_and_nothing_is_overwritten(home: Home) -> None:
    context = await home.context.browser.new_context(  # type: ignore[union-attr]
        java_script_enabled=False, storage_state=await home.context.storage_state()
    )
    page = await context.new_page()
    await page.goto(f"{home.origin}/notes/new")
    await page.get_by_label("Title").fill("Plan")
    await page.get_by_label("Text").fill("- [ ] first\nsecond")
    await page.get_by_role("button", name="Save").click()
    await page.get_by_role("checkbox", name="first").click()
    await expect(page.get_by_role("checkbox", name="first")).to_be_checked()
    await page.get_by_role("link", name="Edit").click()
    await page.get_by_label("Text").fill("mine")
    number = page.url.split("/")[-2]
    await home.client.patch(
        f"/os/notes/{number}", json={"content": "theirs", "contentFormat": "markdown"}
    )
    await page.get_by_role("button", name="Done").click()
    await expect(page.get_by_text("Somebody has changed this note")).to_be_visible()
    await expect(page.get_by_label("Text")).to_have_value("mine")
    await expect(page.locator(".theirs")).to_contain_text("theirs")
    await page.get_by_role("button", name="Done").click()
    await expect(page.locator(".prose")).to_contain_text("mine")
    await context.close()


async def test_hostile_titles_texts_tags_and_folders_run_nothing(home: Home) -> None:
    bad = "\"'><img src=x onerror=alert(1)><script>alert(2)</script>"
    folder = await home.client.folder(bad.replace("/", ""))
    note = await home.client.note(
        bad,
        f"{bad}\n\n[[{bad}]] [x](javascript:alert(3)) [[a|<b onclick=alert(4)>]]\n\n- [ ] {bad}",
        folderId=folder,
        tags=[bad.replace('"', "")],
        contentFormat="markdown",
    )
    await home.client.patch(f"/os/notes/{note['id']}", json={"title": bad + "!"})
    for path in ("", "/edit", "/history", "/move", "/print", "/related"):
        page = await home.go(f"/notes/{note['id']}{path}")
        await page.wait_for_load_state("networkidle")
        assert await page.locator("img[src=x], b[onclick]").count() == 0
    await home.go(f"/notes/folder/{folder}/edit")
    await home.client.ok("DELETE", f"/os/notes/{note['id']}")
    await home.go("/trash")
    assert home.complaints == []


async def test_what_one_may_only_read_shows_no_way_to_change_it(home: Home, bob: Client) -> None:
    await home.served.command("connect_users", username="alice", contact="bob")
    folder = await bob.folder("Club")
    note = await bob.note("Rules", "- [ ] be kind", folderId=folder)
    share = {"username": "alice", "role": "viewer"}
    await bob.ok("POST", f"/os/folders/{folder}/share", json=share)
    page = await home.go(f"/notes/{note['id']}")
    await expect(page.get_by_role("checkbox", name="be kind")).to_be_disabled()
    await expect(page.locator(".rail .tree")).to_contain_text("bob")
    for name in ("Edit", "Share", "Pin on top", "Delete"):
        await expect(page.get_by_text(name, exact=True)).to_have_count(0)
    await home.go(f"/notes/{note['id']}/edit")
    await expect(page.get_by_text("You may read this, but not change it.")).to_be_visible()
    await home.go(f"/notes/{note['id']}")
    await page.get_by_label("More", exact=True).click()
    await page.get_by_role("button", name="Copy").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Copy of Rules")
    await bob.ok("DELETE", f"/os/folders/{folder}/share/alice")
    await home.go(f"/notes/{note['id']}")
    await expect(page.get_by_text("There is no such note.")).to_be_visible()


async def test_on_a_phone_one_goes_from_the_list_to_a_note_and_back(home: Home) -> None:
    folder = await home.client.folder("Garden")
    await home.client.note("Tools", "The rake is in the shed.", folderId=folder)
    page = home.page
    await page.set_viewport_size({"width": 360, "height": 740})
    await home.go("/notes")
    await page.get_by_role("link", name="Folders").click()
    for scheme in SCHEMES:
        await home.assert_accessible(scheme)
    await page.get_by_role("link", name="Close").click()
    await expect(page.get_by_role("link", name="Garden", exact=True)).to_have_count(0)
    await page.get_by_role("link", name="Folders").click()
    await page.get_by_role("link", name="Garden", exact=True).click()
    await page.get_by_role("link", name="Tools").click()
    await expect(page.locator(".list")).to_be_hidden()
    await page.locator("main").get_by_role("link", name="Garden").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Garden")
