"""A managed agent, from its first name to its last key, in the browser."""

import pytest
from playwright.async_api import expect

from tests.support.home import Home

pytestmark = pytest.mark.anyio


async def test_an_agent_gets_rights_limits_and_a_time_to_wake(home: Home) -> None:
    garden = await home.client.folder("Garden")
    page = await home.go("/settings/agents")
    await page.get_by_label("Handle").fill("gardener")
    await page.get_by_label("Name", exact=True).fill("The gardener")
    await page.get_by_role("button", name="Add").click()
    await expect(page.locator(".did")).to_contain_text("Made: The gardener")

    rights, waking, limits = (page.locator(f"#{name}") for name in ("rights", "waking", "limits"))
    await rights.get_by_text("Change", exact=True).click()
    await rights.get_by_text("Those in some folders").click()
    await rights.get_by_label("Garden").check()
    await rights.get_by_label("See them").check()
    for space in ("Notes", "Todos"):
        await rights.get_by_label(space, exact=True).check()
    await rights.get_by_role("button", name="Save").click()
    await expect(rights).to_contain_text("Garden")
    address = page.url.partition("?")[0].removeprefix(home.origin)

    await waking.get_by_label("It wakes").select_option("every 3 hours")
    await waking.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("main")).to_contain_text("Say what the agent is to do")
    await home.go(address)
    await waking.get_by_label("It wakes").select_option("every 3 hours")
    await waking.get_by_label("And then does this").fill("Which todos are overdue?")
    await waking.get_by_role("button", name="Save").click()
    await expect(waking).to_contain_text("Next:")
    await limits.get_by_label("Tokens a month").fill("50000")
    await limits.get_by_role("button", name="Save").click()
    await expect(limits.get_by_label("Tokens a month")).to_have_value("50000")

    agent = (await home.client.ok("GET", "/managed-agents"))["agents"][0]
    assert agent["permissions"]["notesAccess"] == {
        "scope": "folders",
        "folderIds": [garden],
        "access": "read",
    }
    assert agent["permissions"]["todoAccess"] == {"read": True, "create": False}
    assert agent["namespaces"] == ["notes", "todos"]
    assert agent["budget"] == {"monthlyTokens": 50000, "perReplyTokens": None}
    woken = await home.served.command("agent_wake", username="alice", handle="gardener")
    assert (woken.every_minutes, woken.task) == (180, "Which todos are overdue?")

    await waking.get_by_label("It wakes").select_option("never by itself")
    await waking.get_by_role("button", name="Save").click()
    await expect(waking).not_to_contain_text("Next:")
    await home.check_everywhere(address)
    await page.get_by_role("link", name="Write to it").click()
    await page.get_by_label("Message").fill("When is the last frost?")
    await page.get_by_role("button", name="Send").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("The gardener")
