"""People: the inbox, threads, requests, contacts and what they see."""

from typing import Any

import pytest
from playwright.async_api import expect

from app.core.caller import Caller
from tests.conftest import Client, Served
from tests.support.home import Home

pytestmark = pytest.mark.anyio


async def caller_of(served: Served, username: str) -> Caller:
    """Give a user as they are at a page of their own."""
    row = served.parts.quick(
        lambda tx: tx.require_row("SELECT id, uuid FROM users WHERE username = :u", u=username)
    )
    return Caller(row["id"], row["uuid"], username, "session")


async def says(served: Served, username: str, to: str, text: str) -> Any:
    """Let somebody write by hand."""
    me = await caller_of(served, username)
    return await served.parts.call(me, "send_message", {"to": to, "message": text})


async def become_contacts(one: Client, other: Client) -> None:
    for asker, asked in ((one, other), (other, one)):
        await asker.ok("POST", "/network/request", json={"to": asked.username})


async def grant(owner: Client, to: Client, **permissions: Any) -> Any:
    return await owner.ok(
        "PUT",
        f"/network/contacts/{to.username}/permissions",
        json={"permissions": {"agentAccess": True, **permissions}},
    )


async def test_a_message_is_read_answered_and_the_next_one_appears(
    home: Home, served: Served, bob: Client
) -> None:
    await become_contacts(home.client, bob)
    await says(served, "bob", "alice", "Can I have the roller?\nhttps://example.org/r?a=1.")
    page = await home.go("/people")
    rail = page.get_by_role("navigation", name="Hearth").get_by_role("link", name="People")
    await expect(rail).to_contain_text("1")
    await expect(page.get_by_label("1 unread message")).to_be_visible()
    await home.check_everywhere("/people")
    await home.go("/people")
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("bob")
    await expect(page.locator(".message a")).to_have_attribute("href", "https://example.org/r?a=1")
    await expect(page.locator(".messages .new")).to_have_text("New")
    await expect(rail).not_to_contain_text("1")
    await page.keyboard.press("r")
    await page.keyboard.type("Until <b>March</b>.")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator(".message.mine .said")).to_have_text(["Until <b>March</b>."])
    await expect(page.get_by_label("Your message")).to_have_value("")
    await expect(page.locator(".sending")).to_have_count(0)  # else Bob may have been quicker
    await says(served, "bob", "alice", "Thank you!")
    await expect(page.locator(".message .said").last).to_have_text("Thank you!")
    await expect(page.locator(".message")).to_have_count(3)
    talks = await home.client.ok("GET", "/conversations", params={"view": "me"})
    assert [each["unreadCount"] for each in talks["conversations"]] == [0]
    await home.check_everywhere(page.url.removeprefix(home.origin))


async def test_what_cannot_be_sent_stays_in_the_field_and_comes_once(
    home: Home, served: Served, bob: Client
) -> None:
    await says(served, "bob", "alice", "Hello")
    page = await home.go("/people/new?to=bob")
    field = page.get_by_label("Your message")
    await home.context.set_offline(True)
    await field.fill("Are you there?")
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".toast").first).to_contain_text("does not answer")
    await expect(field).to_have_value("Are you there?")
    await home.context.set_offline(False)
    await page.reload()
    await expect(field).to_have_value("Are you there?")
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".message.mine .said")).to_have_text(["Are you there?"])
    await bob.ok("PATCH", "/account/settings", json={"inboxFrom": "contacts"})
    await field.fill("And now?")
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".toast.bad").last).to_contain_text("contacts only")
    await expect(field).to_have_value("And now?")


async def test_a_conversation_with_a_person_is_none_with_the_agent(
    home: Home, served: Served, bob: Client
) -> None:
    sent = await says(served, "bob", "alice", "May I keep the roller?")
    page = await home.go(f"/agent/talks/{sent.conversation_id}")
    assert page.url.endswith(f"/people/c/{sent.conversation_id}")


async def test_without_scripts_a_form_sent_twice_sends_one_message(
    home: Home, served: Served, bob: Client
) -> None:
    sent = await says(served, "bob", "alice", "Hello")
    here = f"{home.origin}/people/c/{sent.conversation_id}"
    form = {"message": "Once\r\nonly", "after": str(sent.message_id)}
    headers = {"Origin": home.origin}
    for _ in range(2):
        answer = await home.context.request.post(f"{here}/send", form=form, headers=headers)
        assert answer.ok
        assert (await answer.text()).count("Once") == 2  # the thread, and its row beside it
    refused = await home.context.request.post(
        f"{here}/send", form=form | {"message": "x" * 4001, "after": "9999"}, headers=headers
    )
    assert refused.status == 400
    assert "x" * 4001 in await refused.text()


async def test_a_long_thread_is_shown_page_by_page(home: Home, served: Served, bob: Client) -> None:
    for number in range(55):
        sent = await says(served, "bob", "alice", f"Message {number}.")
    page = await home.go(f"/people/c/{sent.conversation_id}")
    await expect(page.locator(".message")).to_have_count(50)
    await expect(page.get_by_text("Message 54.", exact=True).last).to_be_in_viewport()
    await page.get_by_role("link", name="Earlier messages").click()
    await expect(page.locator(".message .said")).to_have_text([f"Message {n}." for n in range(5)])
    await expect(page.get_by_label("Your message")).to_have_count(0)
    await page.goto(f"{home.origin}/people?q=message+3")
    await page.locator(".found a").first.click()
    await expect(page.locator(".message .said").last).to_have_text("Message 3.")


async def test_a_request_is_answered_with_what_was_chosen(
    home: Home, bob: Client, served: Served
) -> None:
    folder = await home.client.folder("Garden/Beds")
    await bob.ok("POST", "/network/request", json={"to": "alice_coo", "note": "From the <club>"})
    page = await home.go("/people")
    await expect(page.get_by_text("From the <club>")).to_be_visible()
    await page.get_by_role("link", name="Choose what they may see").click()
    await home.check_everywhere(page.url.removeprefix(home.origin))
    await expect(page.get_by_label("bob may ask my agent")).to_be_checked()
    await page.get_by_label("Those in some folders").check()
    await page.get_by_label("Garden / Beds").check()
    await page.get_by_label("Only when I am busy").check()
    await page.get_by_role("button", name="Accept with these rights").click()
    await page.wait_for_url("**/people/@bob?**")
    await expect(page.get_by_text("reads the notes in Garden / Beds")).to_be_visible()
    await expect(page.get_by_text("sees when you are busy, not why")).to_be_visible()
    held = await home.client.ok("GET", "/network/contacts/bob/permissions")
    assert held["permissions"]["notesAccess"]["folderIds"] == [folder]
    carol = await served.person("carol")
    await carol.ok("POST", "/network/request", json={"to": "alice"})
    page = await home.go("/people/contacts")
    await page.get_by_role("button", name="Decline").click()
    await expect(page.locator(".did")).to_contain_text("Declined: carol")
    await carol.aclose()


async def test_asking_and_taking_it_back(home: Home, bob: Client) -> None:
    page = await home.go("/people/contacts")
    await page.get_by_label("Username").fill("nobody")
    await page.get_by_role("button", name="Ask").click()
    await expect(page.get_by_role("alert")).to_contain_text("no user called nobody")
    await page.get_by_label("Username").fill("bob")
    await page.get_by_label("A word about you").fill("Hi")
    await page.get_by_role("button", name="Ask").click()
    await expect(page.locator(".did")).to_contain_text("Asked: bob")
    await home.check_everywhere("/people/contacts")
    await page.goto(f"{home.origin}/people/contacts")
    await page.get_by_role("button", name="Take back the request to bob").click()
    await expect(page.locator(".did")).to_contain_text("taken back: bob")
    assert (await bob.ok("GET", "/network/requests"))["incoming"] == []
    await page.get_by_role("button", name="Undo").click()
    await expect(page.locator(".did")).to_contain_text("Asked: bob")
    (asked,) = (await bob.ok("GET", "/network/requests"))["incoming"]
    assert asked["note"] == "Hi"
    await home.go("/people?did=talk_hidden&undo=/people/team")
    await expect(page.get_by_role("button", name="Undo")).to_have_count(0)


async def test_permissions_are_changed_in_sentences_and_a_conflict_is_told(
    home: Home, bob: Client
) -> None:
    await become_contacts(home.client, bob)
    await home.client.folder("Garden")
    theirs = await bob.folder("Recipes/Soups")
    page = await home.go("/people/bob")
    await expect(page.get_by_text("bob may write to you, and sees nothing")).to_be_visible()
    await page.set_viewport_size({"width": 360, "height": 740})
    await page.get_by_text("Change", exact=True).click()
    await page.get_by_label("Those in some folders").check()
    assert await page.evaluate("document.documentElement.scrollWidth") == 360
    await page.get_by_label("bob may ask my agent").check()
    await page.get_by_label("All my notes").check()
    await page.get_by_label("It may").select_option("edit")
    await grant(home.client, bob, todoAccess={"read": True, "create": False})
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("alert")).to_contain_text("changed elsewhere meanwhile")
    await expect(page.get_by_text("sees your todos", exact=True)).to_be_visible()
    await expect(page.get_by_label("All my notes")).to_be_checked()
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".did")).to_contain_text("Saved")
    await expect(
        page.get_by_text("reads all your notes, adds notes, and changes them")
    ).to_be_visible()
    await bob.ok(
        "POST", f"/os/folders/{theirs}/share", json={"username": "alice", "role": "viewer"}
    )
    await page.get_by_text("Share a folder").click()
    await page.get_by_label("Folder", exact=True).select_option("Garden")
    await page.get_by_label("bob may", exact=True).select_option("editor")
    await page.get_by_role("button", name="Share", exact=True).click()
    await expect(page.get_by_text("bob may read, change and add")).to_be_visible()
    await expect(page.get_by_text("bob lets you read")).to_be_visible()
    await home.check_everywhere("/people/@bob")
    await page.goto(f"{home.origin}/people/@bob")
    await page.get_by_role("button", name="End the sharing of Garden").click()
    await expect(page.locator(".did")).to_contain_text("Not shared any more: Garden")
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_text("bob may read, change and add")).to_be_visible()
    await page.get_by_text("Remove bob from your contacts").click()
    await page.get_by_role("button", name="Remove", exact=True).click()
    await expect(page.locator(".did")).to_contain_text("Not a contact any more: bob")
    assert (await bob.ok("GET", "/network/contacts"))["total"] == 0


async def test_one_sees_what_a_contact_sees(home: Home, bob: Client) -> None:
    garden = await home.client.folder("Garden")
    await home.client.note("Frost dates", "12 May", folderId=garden)
    await home.client.note("Salary", "frost in the budget")
    await become_contacts(home.client, bob)
    await grant(home.client, bob, notesAccess={"scope": "folders", "folderIds": [garden]})
    page = await home.go("/people/@bob")
    await page.get_by_role("link", name="View as bob").click()
    await expect(page.get_by_role("link", name="Frost dates")).to_be_visible()
    await expect(page.get_by_text("Salary")).to_have_count(0)
    await expect(page.get_by_text("Nothing of it.")).to_have_count(2)
    await page.get_by_label("Search as bob").fill("frost")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("link", name="Frost dates")).to_be_visible()
    await expect(page.get_by_text("Salary")).to_have_count(0)
    await home.check_everywhere("/people/@bob/as")


async def test_groups_are_made_named_and_left(home: Home, served: Served, bob: Client) -> None:
    await become_contacts(home.client, bob)
    page = await home.go("/people/groups")
    await page.get_by_label("Name of the group").fill("Garden club")
    await page.get_by_label("bob").check()
    await page.get_by_role("button", name="Make a group").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Garden club")
    await page.get_by_label("Your message").fill("Hello all")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator(".message.mine")).to_have_count(1)
    await page.get_by_role("link", name="2 members").click()
    await page.get_by_label("Name of the group").fill("Beds")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Beds")
    await home.check_everywhere(page.url.partition("?")[0].removeprefix(home.origin))
    await page.get_by_role("button", name="Take bob out").click()
    await page.get_by_role("button", name="Undo").click()
    await expect(page.locator(".did")).to_contain_text("In the group now: bob")
    await page.get_by_text("Leave the group").click()
    await page.get_by_role("button", name="Leave", exact=True).click()
    await expect(page.locator(".did")).to_contain_text("You have left Beds")
    (left,) = (await bob.ok("GET", "/network/groups"))["groups"]
    assert left["memberCount"] == 1


async def test_agents_are_written_to_and_only_others_count_on_the_rail(
    home: Home, bob: Client
) -> None:
    await home.client.ok(
        "POST", "/managed-agents", status=201, json={"handle": "gardener", "name": "Gardener"}
    )
    await become_contacts(home.client, bob)
    await grant(bob, home.client, notesAccess={"scope": "all"})
    await bob.note("Rake", "The rake is in the shed.")
    page = await home.go("/people/contacts")
    await page.get_by_role("link", name="Gardener", exact=True).click()
    await page.get_by_label("Message").fill("Hello")
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".message.agent")).to_have_count(1)
    await page.get_by_label("Your message").fill("Again")
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".message.agent")).to_have_count(2)
    await page.goto(f"{home.origin}/people/@bob")
    await page.get_by_role("link", name="Ask their agent").click()
    await page.get_by_label("Message").fill("Where is the rake?")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator(".message.agent .said")).to_contain_text("shed")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Agent of bob")
    await home.check_everywhere(page.url.partition("#")[0].removeprefix(home.origin))
    await home.client.ok("POST", "/chat", json={"message": "Hello", "stream": False})
    await home.go("/people")
    rail = page.get_by_role("navigation", name="Hearth")
    await expect(rail.get_by_role("link", name="Agent")).to_contain_text("1")
    await expect(page.locator(".rail > a[href='/people'] .count")).to_have_count(0)
    await expect(page.locator(".talks li")).to_have_count(2)


async def test_people_begins_with_what_to_do_first(home: Home) -> None:
    page = await home.go("/people")
    await page.get_by_role("link", name="Add a contact").click()
    await expect(page.get_by_label("Username")).to_be_visible()
    for path in ("/people", "/people/new"):
        await home.check_everywhere(path)
    await home.client.ok("PATCH", "/account/settings", json={"locale": "de"})
    page = await home.go("/people/links/new")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Link machen")
