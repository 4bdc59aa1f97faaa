"""Share links, what guests asked by them, and the team."""

import pytest
from playwright.async_api import expect

from tests.conftest import Client
from tests.support import guests
from tests.support.home import Home

pytestmark = pytest.mark.anyio


async def test_a_note_is_shared_read_and_closed_again(home: Home, stranger: Client) -> None:
    note = await home.client.note("Beds <b>&", "Beans in June.")
    page = await home.go(f"/people/links/new?note={note['id']}")
    await expect(page.get_by_label("The note “Beds <b>&”")).to_be_checked()
    await expect(page.get_by_label("reads the note")).to_be_checked()
    await page.get_by_label("Anybody who has the link").check()
    await page.get_by_label("It ends").select_option("never")
    await page.get_by_role("button", name="Make a link").click()
    await expect(page.locator(".did")).to_contain_text("The link is open")
    await expect(page.get_by_role("heading", level=1)).to_have_text("The note “Beds <b>&”, to read")
    (link,) = (await home.client.ok("GET", "/os/share/list"))["links"]
    assert (link["target"], link["expiresAt"], link["requireSignIn"]) == ("note", None, False)
    await expect(page.locator(".copy")).to_have_text(link["url"])
    assert "Beans in June." in (await stranger.get(link["url"])).text
    await home.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await page.get_by_role("button", name="Copy").click()
    await expect(page.locator(".toast")).to_contain_text("Copied.")
    assert await page.evaluate("navigator.clipboard.readText()") == link["url"]
    await page.get_by_text("Close the link…").click()
    await page.get_by_role("button", name="Close the link", exact=True).click()
    await expect(page.locator(".did")).to_contain_text("Closed for good")
    assert (await stranger.get(link["url"])).status_code == 404
    await expect(page.get_by_text("No link is open.")).to_be_visible()
    await page.get_by_role("link", name="Also those that have ended").click()
    await expect(page.locator(".tag")).to_have_text("closed")


async def test_a_link_is_copied_where_pages_have_no_clipboard(home: Home) -> None:
    await home.client.note("Beds", "Beans in June.")
    made = await guests.link(home.client)
    without = "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
    await home.context.add_init_script(without)
    page = await home.go(f"/people/links/{made['id']}")
    await page.get_by_role("button", name="Copy").click()
    await expect(page.locator(".toast")).to_contain_text("Copied.")
    await page.keyboard.press("Control+k")
    field = page.get_by_role("combobox")
    await field.press("Control+v")
    await expect(field).to_have_value(made["url"])


async def test_a_link_without_a_name_is_nowhere_told_by_its_token(
    home: Home, stranger: Client
) -> None:
    await home.client.note("Frost dates", "Last frost here: about 12 May.")
    made = await guests.link(home.client)
    await guests.ask(stranger, made, "When is the last frost?")
    page = await home.go("/")
    await expect(
        page.get_by_text("A guest talked with your agent by a link, 2 messages.")
    ).to_be_visible()
    for path in ("/people/guests", "/notes"):
        await home.go(path)
        assert made["token"] not in await page.inner_text("main, .list")
    await expect(page.locator(".notes li b")).to_have_text(["Frost dates"])
    await expect(page.locator(".rail .item[href='/notes'] .count")).to_have_text("1")
    # where it lies, its policy is found and changed
    await page.get_by_role("link", name="Workspace").click()
    await expect(page.locator(".notes li b")).to_have_text([f"Link_{made['token']}"])
    listed = await home.client.ok("GET", "/os/notes", params={"recursive": True})
    assert listed["totalNotes"] == 2


async def test_a_link_to_the_agent_says_what_guests_may_do_and_who_came(
    home: Home, stranger: Client
) -> None:
    garden = await home.client.folder("Garden")
    await home.client.note("Frost dates", "Last frost here: about 12 May.", folderId=garden)
    page = await home.go(f"/people/links/new?folder={garden}")
    await expect(page.get_by_label("Garden", exact=True)).to_be_checked()
    await page.get_by_label("Anybody who has the link").check()
    await page.get_by_label("Name, for yourself").fill("Open <garden>")
    await page.get_by_text("What else guests may do").click()
    await page.get_by_label("Only when I am busy").check()
    await page.get_by_role("button", name="Make a link").click()
    for told in ("reads the notes in Garden", "sees when you are busy, not why"):
        await expect(page.get_by_text(told)).to_be_visible()
    await expect(page.get_by_text("Nobody has come yet.")).to_be_visible()
    here = page.url.partition("?")[0]
    (link,) = (await home.client.ok("GET", "/os/share/list"))["links"]
    asked = {"token": link["token"], "message": "When is the last frost?", "mode": "agent"}
    asked["visitorName"] = "Zoe <i>"
    assert (await stranger.post(guests.GUESTS, json=asked)).status_code == 200
    await page.goto(here)
    chart = page.get_by_role("img", name="Conversations on each of the last 30 days: 1 in all")
    await expect(chart.locator("rect.some")).to_have_count(1)
    await home.check_everywhere(here.removeprefix(home.origin))
    await page.get_by_role("link", name="View as a guest").click()
    await expect(page.get_by_role("link", name="Frost dates")).to_be_visible()
    await page.goto(here)
    await page.get_by_role("link", name="Zoe <i>").click()
    await expect(page.locator(".message .said").first).to_have_text("When is the last frost?")
    await expect(page.locator(".message.agent .said a")).to_have_attribute("href", "/notes/1")
    await home.check_everywhere(page.url.removeprefix(home.origin))
    await page.goto(f"{here}/edit")
    await page.get_by_label("Garden", exact=True).uncheck()
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("alert")).to_contain_text("folderIds")
    await expect(page.get_by_label("Name, for yourself")).to_have_value("Open <garden>")
    await page.get_by_label("All my notes").check()
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("reads all your notes")).to_be_visible()
    changed = (await home.client.ok("GET", f"/os/share/{link['id']}"))["shareLink"]
    assert (changed["scope"], changed["expiresAt"]) == ("all", link["expiresAt"])
    await home.check_everywhere("/people/links")


async def test_an_invite_is_shown_once_and_accepted(home: Home, bob: Client) -> None:
    page = await home.go("/people/team")
    await page.get_by_role("button", name="Make an invite").click()
    address = await page.locator(".copy").inner_text()
    await page.reload()
    await home.client.ok("POST", "/os/team/invite", json={"email": "lena@example.org"})
    await bob.ok("POST", f"/os/team/invites/{address.rpartition('/')[2]}/accept")
    await home.go("/people/team")
    await expect(page.locator(".copy")).to_have_count(0)
    await page.get_by_role("button", name="Make bob an admin").click()
    await expect(page.locator(".did")).to_contain_text("An admin now: bob")
    await page.get_by_role("button", name="Take back the invite: lena@example.org").click()
    await home.check_everywhere("/people/team")
    await home.go("/people/team")
    await page.get_by_role("button", name="Take bob out").click()
    await expect(page.locator(".did")).to_contain_text("Not in the team any more: bob")
    assert (await bob.ok("GET", "/os/team"))["hasTeam"] is False


async def test_pages_behind_links_need_no_script_but_for_the_talk(home: Home, bob: Client) -> None:
    note = await bob.note("Soup", "Simmer.")
    shared = await bob.ok(
        "POST",
        "/os/share",
        status=201,
        json={"scope": "note_only", "noteId": note["id"], "target": "note"},
    )
    path = "/shared/" + shared["shareLink"]["token"]
    invite = (
        "/team/invites/" + (await bob.ok("POST", "/os/team/invite"))["inviteUrl"].rpartition("/")[2]
    )
    await home.check_everywhere(path)
    await home.check_everywhere(invite)
    page = await home.go(invite)
    await expect(page.get_by_text("You are signed in as alice.")).to_be_visible()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_have_text(
        "You belong to bob’s team now, as member."
    )
    await home.context.clear_cookies()
    await home.go(path)
    await page.get_by_role("link", name="Sign in").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Sign in to Hearth")
    assert await page.locator("[name=next]").input_value() == path
    answer = await home.context.request.post(
        home.origin + invite, headers={"Origin": "https://elsewhere.example"}
    )
    assert answer.status == 403
