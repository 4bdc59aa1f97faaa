"""Settings in the browser."""

import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.async_api import expect

from app.interfaces.home.settings.section import SECTIONS, address_of
from tests.conftest import BASE, Served
from tests.runtime.devices import registered, with_session
from tests.support.home import Home

pytestmark = pytest.mark.anyio


async def test_every_section_is_for_everybody(home: Home) -> None:
    for section in SECTIONS:
        await home.check_everywhere(address_of(section))


async def test_the_account_is_changed_and_speaks_the_language_that_is_chosen(home: Home) -> None:
    page = await home.go("/settings")
    await page.get_by_label("Your name").fill("Alice <b>Berg</b>")
    await page.get_by_label("Time zone").fill("Europe/Berlin")
    await page.get_by_label("Language").select_option("de")
    await page.get_by_label("Days in the trash").fill("60")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".did")).to_contain_text("Gespeichert.")
    await expect(page.get_by_role("link", name="Notizen")).to_be_visible()
    found = (await home.client.ok("GET", "/account/settings"))["settings"]
    assert (found["name"], found["trashDays"]) == ("Alice <b>Berg</b>", 60)
    await page.get_by_label("Zeitzone").fill("Mars/Olympus")
    await page.get_by_role("button", name="Speichern").click()
    await expect(page.get_by_text("„Zeitzone“ muss eine Zeitzone")).to_be_visible()


async def test_another_browser_signs_in_by_a_link_and_is_sent_away(home: Home) -> None:
    page = await home.go("/settings")
    await page.get_by_role("button", name="Sign in on another device").click()
    link = await page.locator("output").inner_text()
    other = await home.context.browser.new_context(  # type: ignore[union-attr]
        timezone_id="America/New_York"
    )
    tab = await other.new_page()
    await tab.goto(link)
    await tab.wait_for_url(f"{home.origin}/")
    found = (await home.client.ok("GET", "/account/settings"))["settings"]
    assert found["timezone"] == "America/New_York"  # of who has chosen none
    await page.goto(f"{home.origin}/settings")
    await page.get_by_role("button", name="End", exact=True).click()
    await expect(page.locator(".did")).to_contain_text("That session has ended.")
    await tab.goto(f"{home.origin}/settings")
    await expect(tab.get_by_role("heading", level=1)).to_have_text("Sign in to Hearth")
    await other.close()
    await page.get_by_role("button", name="Sign out", exact=True).click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Hearth is running")


async def test_a_form_that_comes_after_the_session_is_kept_and_sent_again(
    home: Home, served: Served
) -> None:
    page = await home.go("/settings")
    await page.get_by_label("Your name").fill("Kept")
    await served.command("end_sessions", username="alice")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("You are signed out")
    code = (await served.command("make_sign_in_code", username="alice")).code
    tab = await home.tab()
    await tab.goto(f"{home.origin}/auth/sign-in#code={code}")
    await tab.wait_for_url(f"{home.origin}/")
    await page.get_by_role("button", name="Send it again").click()
    await expect(page.locator(".did")).to_contain_text("Saved.")
    assert (await home.client.ok("GET", "/account/settings"))["settings"]["name"] == "Kept"


async def test_keys_connections_and_the_heartbeat_are_reached_by_keyboard_alone(home: Home) -> None:
    async def tab_to(wanted: str) -> None:
        for _ in range(90):
            await page.keyboard.press("Tab")
            if await page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
                return
        raise AssertionError(f"Tab does not come to {wanted}.")

    page = await home.go("/settings/keys")
    await tab_to("input[name=name]")
    await page.keyboard.type("Laptop")
    await page.keyboard.press("Enter")
    await expect(page.locator("output")).to_contain_text("hearth_sk_")
    await home.go("/settings/webhooks")
    await tab_to("input[name=url]")
    await page.keyboard.type("https://example.org/hook")
    await page.keyboard.press("Enter")
    await expect(page.locator("output").first).to_be_visible()
    await home.go("/heartbeat")
    await tab_to("form[action='/heartbeat/run'] button")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    runs = (await home.client.ok("GET", "/heartbeat/runs"))["runs"]
    assert len(runs) == 1


async def test_a_key_is_made_shown_once_and_revoked(home: Home, served: Served) -> None:
    page = await home.go("/settings/keys")
    await page.get_by_label("Name", exact=True).fill("Laptop")
    await page.get_by_label("Ends").select_option("30d")
    await page.get_by_text("Give it fewer rights than all").click()
    await page.get_by_label("os.notes:read").check()
    await page.get_by_role("button", name="Make a key").click()
    secret = await page.locator("output").inner_text()
    async with served.client(secret) as program:
        assert (await program.get("/os/notes")).status_code == 200
        assert (await program.get("/os/todos")).status_code == 403
        await page.goto(f"{home.origin}/settings/keys")
        assert secret not in await page.content()
        row = page.get_by_role("listitem").filter(has_text="Laptop")
        await row.get_by_role("button", name="Revoke").click()
        await expect(page.locator(".did")).to_contain_text("The key is revoked.")
        assert home.questions == ["Revoke this key? Whatever uses it stops working."]
        assert (await program.get("/os/notes")).status_code == 401


async def test_webhooks_tools_agents_and_calendars_are_managed(home: Home) -> None:
    page = await home.go("/settings/webhooks")
    await page.get_by_label("Address").fill("https://example.org/hook")
    await page.get_by_label("What it is for").fill("Shop")
    await page.get_by_role("button", name="Add").click()
    assert (await page.locator("output").inner_text()).startswith("whsec_")
    await page.get_by_role("button", name="Pause").click()
    await expect(page.get_by_role("button", name="Go on")).to_be_visible()
    await home.check_everywhere(page.url.split("?")[0].removeprefix(home.origin))

    await home.go("/settings/tools")
    await page.get_by_label("The web").check()
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".did")).to_contain_text("Saved.")
    await expect(page.get_by_label("The web")).to_be_checked()

    await home.go("/settings/agents")
    await page.get_by_label("Handle").fill("shop")
    await page.get_by_label("Name", exact=True).fill("The shop")
    await page.get_by_role("button", name="Add").click()
    await expect(page.locator(".did")).to_contain_text("Made: The shop")
    await page.get_by_label("Name", exact=True).last.fill("clerk")
    await page.get_by_role("button", name="Make a key").click()
    await expect(page.locator("output")).to_be_visible()
    await home.check_everywhere(
        page.url.split("?")[0].removesuffix("/keys").removeprefix(home.origin)
    )


async def test_an_archive_is_made_and_taken_in_again(home: Home, tmp_path: Path) -> None:
    await home.client.note("Garden plan", "Beans in June.")
    page = await home.go("/settings/data")
    await page.get_by_role("button", name="Make an archive").click()
    async with page.expect_download() as waiting:
        await page.get_by_role("link", name="Download").click()
    archive = tmp_path / "archive.zip"
    await (await waiting.value).save_as(archive)
    assert archive.stat().st_size > 200
    vault = tmp_path / "vault.zip"
    with zipfile.ZipFile(vault, "w") as made:
        made.writestr("Frost <i>.md", "# Frost\n\nTwelfth of May.\n")
    await home.go("/settings/data")
    await page.get_by_label("File or archive").set_input_files(vault)
    await page.get_by_role("button", name="Bring in").click()
    await page.wait_for_url(re.compile("/settings/data/import/"))
    await expect(page.get_by_text("done", exact=True)).to_be_visible()
    await expect(page.get_by_text("1 new, 0 changed, 0 as they were")).to_be_visible()
    await expect(page.get_by_text("Nothing was left out.")).to_be_visible()
    await home.check_everywhere(page.url.removeprefix(home.origin))
    found = await home.client.post(f"{BASE}/os/notes/search", json={"query": "twelfth"})
    assert [hit["title"] for hit in json.loads(found.text)["results"]]


async def test_models_are_added_by_one_who_is_alone(home: Home, served: Served) -> None:
    page = await home.go("/settings/models")
    await page.get_by_label("Where it runs").select_option("compatible")
    await page.get_by_label("Model", exact=True).fill("small")
    await page.get_by_label("Address (optional)").fill("http://127.0.0.1:9/v1")
    await page.get_by_role("button", name="Add and try it").click()
    await expect(page.get_by_role("status").first).to_contain_text("does not answer")
    await home.check_everywhere("/settings/models")
    await served.command("add_user", username="ben")
    await home.go("/settings/models")
    await expect(page.get_by_text("with “hearth model add”")).to_be_visible()
    await expect(page.get_by_role("button", name="Try")).to_have_count(0)


async def test_a_session_of_a_runtime_is_seen_and_ended(home: Home) -> None:
    made = await registered(home.client)
    more = {"label": "Fix <b>the</b> build", "state": "busy", "allowInbound": False}
    await with_session(home.client, made, **more)
    page = await home.go("/settings/devices")
    row = page.get_by_role("listitem").filter(has_text="Fix <b>the</b> build")
    await expect(row).to_contain_text("works takes nothing in")
    await expect(row).to_contain_text(made["endpoint"]["runtime"])
    await home.check_everywhere("/settings/devices")
    await home.go("/settings/devices")
    await row.get_by_role("button", name="End").click()
    await expect(page.get_by_text("The session is ended.")).to_be_visible()
    await expect(row).to_have_count(0)
