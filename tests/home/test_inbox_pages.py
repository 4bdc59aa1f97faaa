"""More conversations than one page holds, with others and with one's own agent."""

import pytest
from playwright.async_api import expect

from app.interfaces.home.agent import agent_page
from app.interfaces.home.people import inbox_page
from tests.conftest import Client
from tests.support.home import Home

pytestmark = pytest.mark.anyio


async def test_older_conversations_are_a_page_away(
    home: Home, bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox_page, "MOST", 3)
    monkeypatch.setattr(agent_page, "MOST_TALKS", 2)
    for asker, asked in ((home.client, "bob"), (bob, "alice")):
        await asker.ok("POST", "/network/request", json={"to": asked})
    for number in range(5):
        made = {"name": f"Group {number}", "members": ["bob"]}
        await home.client.ok("POST", "/network/groups", status=201, json=made)
    # chats with the own agent push nobody out of the inbox, and have pages of their own
    for number in range(5):
        said = {"message": f"Call Eva {number}", "stream": False}
        await home.client.ok("POST", "/chat", json=said)
    page = await home.go("/people")
    await expect(page.locator("ul.talks li")).to_have_count(3)
    await page.get_by_role("link", name="Older conversations").click()
    await expect(page.locator("ul.talks li")).to_have_count(2)
    await expect(page.locator("ul.talks")).to_contain_text("Group 0")
    await home.check_everywhere("/people?from=3")
    await home.go("/agent")
    await expect(page.locator("#beginning .rows li")).to_have_count(2)
    await page.get_by_role("link", name="Older conversations").click()
    await expect(page.locator("#beginning .rows li").first).to_contain_text("Call Eva 2")
    await expect(page.get_by_role("link", name="Newer conversations")).to_be_visible()
