"""What goes wrong as a person meets it: the text stays, and words say what happened."""

import asyncio
import dataclasses
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Route, expect

from app.core.database import disk_reserve
from app.core.database.store import Store
from app.errors import StorageFull
from tests.conftest import ORIGIN, Client, MovableClock, Served
from tests.support.home import Home, enter, without_browser
from tests.support.windows import opened

pytestmark = pytest.mark.anyio
TEXT = "Say it in other words, then <b>again</b>, until somebody has heard it."
FORMS: list[tuple[str, str, dict[str, str]]] = [
    ("/todos/add", "title", {"once": "a"}),
    ("/notes/new", "content", {"title": "Plan"}),
    ("/agent/say", "message", {}),
    ("/agent/memory/add", "content", {}),
    ("/people/new", "message", {"to": "bob"}),
    ("/people/groups", "name", {"member": "bob"}),
    ("/people/links/new", "policy", {"target": "agent", "what": "all"}),
    ("/heartbeat/instructions", "content", {}),
    ("/settings/save", "name", {}),
    ("/settings/keys", "name", {}),
    ("/settings/agents", "persona", {"handle": "shop", "name": "Shop"}),
    ("/settings/webhooks", "description", {"url": "https://example.org/"}),
    ("/search/replace", "replacement", {"pattern": "x"}),
]


@pytest.mark.parametrize(("path", "field", "others"), FORMS)
async def test_what_a_form_held_when_its_session_had_ended_is_shown_again(
    served: Served, path: str, field: str, others: dict[str, str]
) -> None:
    async with served.client(Origin=ORIGIN) as client:
        answer = await client.post(f"{ORIGIN}{path}?a=1", data={**others, field: TEXT})
    assert answer.status_code == 401
    assert "You are signed out" in answer.text
    assert f'action="{path}?a=1"' in answer.text
    assert "then &lt;b&gt;again&lt;/b&gt;, until" in answer.text
    assert all(f'name="{name}" value="{value}"' in answer.text for name, value in others.items())


async def test_a_link_that_was_used_or_has_run_out_says_so_and_the_next_one_works(
    home: Home, served: Served, clock: MovableClock, chromium: Browser
) -> None:
    async def link() -> str:
        made = await served.command("make_sign_in_code", username="alice")
        return f"{home.origin}/auth/sign-in?next=/todos#code={made.code}"

    used = await link()
    async with opened(chromium) as there:
        await there.page.goto(used)
        await there.page.wait_for_url(f"{home.origin}/todos")
    late = await link()
    clock.forward(minutes=11)
    async with opened(chromium) as there:
        for gone in (used, late):
            await there.page.goto(gone)
            await expect(there.page.get_by_role("alert")).to_contain_text("code")
            await there.page.goto("about:blank")
        await there.page.goto(await link())
        await there.page.wait_for_url(f"{home.origin}/todos")
        there.complaints.clear()  # the browser names each refusal in its console


async def test_a_text_that_is_too_long_is_told_and_kept(
    served: Served, alice: Client, home: Home
) -> None:
    long = "Wörter über Wörter. " * 6_000
    page = await home.go("/agent")
    await page.get_by_label("Message").fill(long)
    await page.get_by_role("button", name="Send").click()
    await expect(page.get_by_role("alert")).to_contain_text("at most 32")
    await expect(page.get_by_label("Message")).to_have_value(long)
    made = await alice.ok("POST", "/os/todos", status=201, json={"title": "Pack"})
    page = await home.go(f"/todos/{made['result']['todo']['id']}")
    await page.get_by_label("Description").fill(long)
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("alert")).to_contain_text("at most 20")
    await expect(page.get_by_label("Description")).to_have_value(long)
    client = await without_browser(served)
    answer = await client.post(f"{ORIGIN}/agent/say", data={"message": long, "talk": ""})
    assert answer.status_code == 400
    assert "at most 32" in answer.text
    assert long in answer.text
    answer = await client.post(f"{ORIGIN}/agent/say", data={"message": "x" * (4 << 20)})
    assert answer.status_code == 413
    assert "larger than" in answer.text


async def test_what_was_refused_is_changed_and_sent_again(home: Home) -> None:
    page = await home.go("/settings/webhooks")
    await page.get_by_label("Address").fill("https://example.org/" + "long/" * 20)
    await page.get_by_label("What it is for").fill("Shop")
    await page.locator("[name=event]").first.evaluate("each => { each.value = 'none'; }")
    await page.locator("[name=event]").first.check(force=True)
    await page.get_by_role("button", name="Add").click()
    await expect(page.get_by_role("alert")).to_contain_text("events")
    await expect(page.get_by_role("textbox", name="url")).to_have_value(
        "https://example.org/" + "long/" * 20
    )
    await page.locator("[name=event]").evaluate("each => { each.value = '*'; }")
    await page.get_by_role("button", name="Send it again").click()
    await expect(page.locator("output")).to_contain_text("whsec_")


async def test_a_second_click_sends_nothing_twice(home: Home) -> None:
    page = await home.go("/people/team")

    async def slowly(route: Route) -> None:
        await asyncio.sleep(0.5)
        await route.continue_()

    await page.route("**/people/team", slowly)
    button = page.get_by_role("button", name="Make an invite")
    await button.evaluate("(each) => { each.click(); setTimeout(() => each.click(), 100); }")
    await expect(page.locator(".copy")).to_be_visible()
    assert home.requested.count(page.url) == 2, "the page, and one form"
    assert len((await home.client.ok("GET", "/os/team"))["pendingInvites"]) == 1
    client = await without_browser(home.served)
    places = set()
    for _ in range(2):
        fields = {"title": "Plan", "content": "Beans", "once": "one"}
        answer = await client.post(f"{ORIGIN}/notes/new", data=fields)
        places.add(answer.headers["location"].partition("?")[0])
    assert len(places) == 1
    assert (await home.client.ok("GET", "/os/notes"))["notes"][1:] == []


async def test_on_a_full_disk_what_is_typed_stays(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = await home.client.note("Plan", "begun", contentFormat="markdown")
    page = await home.go(f"/notes/{note['id']}/edit")
    area, state = page.get_by_label("Text", exact=True), page.locator("#state")
    await expect(state).to_have_text("Saved")

    async def full(*_: Any, **__: Any) -> None:
        raise StorageFull(disk_reserve.FULL)

    with monkeypatch.context() as patched:
        patched.setattr(Store, "write", full)
        await area.press("Control+End")
        await area.press_sequentially(" and typed on")
        await expect(state).to_contain_text("disk")
        tab = await home.tab()
        await tab.goto(f"{home.origin}/todos")
        await tab.get_by_label("Add a todo").fill("Make room")
        await tab.keyboard.press("Enter")
        await expect(tab.locator(".toast")).to_contain_text("disk")
        await expect(tab.get_by_label("Add a todo")).to_have_value("Make room")
    await expect(state).to_have_text("Saved", timeout=20_000)
    now = (await home.client.ok("GET", f"/os/notes/{note['id']}"))["note"]
    assert now["markdown"] == "begun and typed on"


async def test_others_changes_come_by_themselves_but_not_under_the_pointer(home: Home) -> None:
    note = await home.client.note("Plan", "Beans in June.", contentFormat="markdown")
    number = note["id"]
    page = await home.go("/")
    reading, writing = await home.tab(), await home.tab()
    await reading.goto(f"{home.origin}/notes/{number}")
    await writing.goto(f"{home.origin}/notes/{number}/edit")
    await expect(writing.locator("#state")).to_have_text("Saved")
    await page.locator("#live").hover()
    todo = {"title": "Sign the offer", "dueDate": "2026-11-19"}
    await home.client.ok("POST", "/os/todos", status=201, json=todo)
    changed = {"content": "First line\n\nBeans in May.", "contentFormat": "markdown"}
    await home.client.ok("PATCH", f"/os/notes/{number}", json=changed)
    await expect(page.locator("#sentence")).to_contain_text("late")
    await expect(page.locator(".rail .hot")).to_have_text("1")
    await expect(page.get_by_role("link", name="Sign the offer")).to_have_count(0)
    await page.mouse.move(1, 1)
    await expect(page.get_by_role("link", name="Sign the offer").first).to_be_visible()
    await expect(reading.locator("#reading")).to_contain_text("Beans in May.")
    await expect(writing.locator("#content")).to_have_value("First line\n\nBeans in May.")
    await reading.locator("#reading").hover()
    await home.client.ok("PATCH", f"/os/notes/{number}", json={**changed, "content": "Beans."})
    await reading.get_by_role("button", name="Show it").click()
    await expect(reading.locator("#reading")).to_have_text("Beans.")


async def test_a_file_that_cannot_be_taken_in_is_told(home: Home, tmp_path: Path) -> None:
    page = await home.go("/settings/data")
    file = tmp_path / "notes.bin"
    file.write_bytes(b"\0" * 3000)
    chosen = page.get_by_label("File or archive")
    button = page.get_by_role("button", name="Bring in")
    await home.context.set_offline(True)
    await chosen.set_input_files(file)
    await button.click()
    await expect(page.locator(".toast")).to_contain_text("does not answer")
    await home.context.set_offline(False)
    await home.served.command("end_sessions", username="alice")
    await button.click()
    await expect(page.locator(".toast.bad").last).to_contain_text("You are signed out")
    await enter(home, await without_browser(home.served))
    home.served.parts.settings = dataclasses.replace(home.served.parts.settings, max_import_body=9)
    await button.click()
    await expect(page.locator(".toast.bad").last).to_contain_text("larger than")
    await expect(button).to_be_enabled()


async def test_work_that_is_done_at_once_shows_no_progress(home: Home) -> None:
    page = await home.go("/settings/data")
    look = "each => getComputedStyle(each).visibility"
    bar = page.locator("#import-progress")
    await bar.evaluate("each => { each.hidden = false; }")
    assert await bar.evaluate(look) == "hidden"
    await page.wait_for_timeout(400)
    assert await bar.evaluate(look) == "visible"
