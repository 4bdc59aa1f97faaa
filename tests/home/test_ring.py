"""A todo rings in the browser at its time."""

from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from app.core.database.tx import stamp
from app.workspace.todos.remind import Reminders
from tests.conftest import Client, MovableClock, Served
from tests.support.home import Home, at_home, without_browser

pytestmark = pytest.mark.anyio

LOOK = "dispatchEvent(new CustomEvent('hearth:changed'))"
ALLOWED = """
Object.defineProperty(Notification, "permission", { value: "granted" });
window.notified = [];
const count = () => { document.documentElement.dataset.notified = window.notified.length; };
const worker = ServiceWorkerRegistration.prototype;
worker.showNotification = async (...shown) => { window.notified.push(shown); count(); };
worker.getNotifications = async ({ tag }) => window.notified.filter((one) => one[1].tag === tag)
  .map((one) => ({ close() {
    window.notified = window.notified.filter((each) => each !== one);
    count();
  } }));
"""
"""A browser without a screen allows no notifications; what it is told is kept instead."""
CLICK = """async (address) => {
  const done = [];
  clients.openWindow = async (opened) => { done.push("open", opened); };
  WindowClient.prototype.focus = async () => { done.push("focus"); };
  const event = new Event("notificationclick");
  let work;
  event.notification = { close() {}, data: { address } };
  event.waitUntil = (given) => { work = given; };
  dispatchEvent(event);
  await work;
  return done;
}"""


async def made(client: Client, title: str, due: str, **more: Any) -> int:
    body = {"title": title, "dueDate": due, **more}
    answer = await client.ok("POST", "/os/todos", status=201, json=body)
    return int(answer["result"]["todo"]["id"])


def ring(page: Page, title: str) -> Locator:
    return page.get_by_role("group", name=f"It is time: {title}")


async def looked(page: Page) -> None:
    """Let a page look for what is due, and wait until it has."""
    async with page.expect_response("**/due"):
        await page.evaluate(LOOK)
    await page.evaluate("new Promise((done) => setTimeout(done, 50))")


async def test_a_todo_rings_at_its_time_and_done_completes_it(
    home: Home, clock: MovableClock
) -> None:
    await home.client.ok("PATCH", "/account/settings", json={"timezone": "Europe/Berlin"})
    oven = await made(home.client, "Check the <b>oven</b>", "2026-11-21T09:30:02Z")
    page = await home.go("/notes")
    await looked(page)
    await expect(page.locator(".ring")).to_have_count(0)
    clock.forward(seconds=2)
    shown = ring(page, "Check the <b>oven</b>")
    await expect(shown).to_contain_text("10:30")
    for width in (360, 1280):
        await home.assert_fits(width)
    for scheme in ("light", "dark"):
        await home.assert_accessible(scheme)
    # it stands until it is dealt with, on the next page too
    await home.go("/todos")
    await shown.get_by_role("button", name="Done").click()
    await expect(shown).to_have_count(0)
    assert (await home.client.ok("GET", f"/os/todos/{oven}"))["todo"]["completed"]
    await page.get_by_role("button", name="Undo").click()
    await expect(page.locator(".todo", has_text="oven")).to_be_visible()
    await looked(page)
    await expect(page.locator(".ring")).to_have_count(0)


async def test_in_ten_minutes_moves_it_and_it_rings_again(home: Home, clock: MovableClock) -> None:
    series = {"rule": "FREQ=DAILY", "from": "due"}
    pills = await made(home.client, "Pills", "2026-11-21T09:31:00Z", recurrence=series)
    clock.forward(minutes=3)
    page = await home.go("/")
    await ring(page, "Pills").get_by_role("button", name="In 10 minutes").click()
    await expect(page.locator(".toast", has_text="Again at 09:43")).to_be_visible()
    await expect(page.locator(".ring")).to_have_count(0)
    moved = (await home.client.ok("GET", f"/os/todos/{pills}"))["todo"]
    assert moved["dueDate"] == stamp(clock.now.replace(minute=43))
    clock.forward(minutes=10)
    await looked(page)
    await ring(page, "Pills").get_by_role("button", name="Done").click()
    await expect(page.locator(".toast", has_text="Done: Pills")).to_be_visible()
    # the series keeps its own time of day
    found = await home.client.ok("GET", "/os/todos?completed=false")
    assert [todo["dueDate"] for todo in found["result"]["todos"]] == ["2026-11-22T09:31:00.000Z"]


async def test_one_of_two_tabs_rings_and_what_is_closed_stays_so(
    home: Home, clock: MovableClock
) -> None:
    await made(home.client, "Oven", "2026-11-21T09:30:01Z")
    pages = [await home.go("/"), await home.tab()]
    await pages[1].goto(f"{home.origin}/notes")
    for page in pages:
        await looked(page)
    clock.forward(seconds=1)
    for page in pages:
        await looked(page)
    await pages[0].wait_for_timeout(1500)  # a tab in the background leaves the other time
    shown = [page for page in pages if await page.locator(".ring").count()]
    assert len(shown) == 1
    await ring(shown[0], "Oven").get_by_role("button", name="Close").click()
    for page in pages:
        await page.reload()
        await looked(page)
        await expect(page.locator(".ring")).to_have_count(0)


async def test_what_was_missed_rings_if_it_is_no_hour_ago_and_what_is_done_elsewhere_goes(
    home: Home, clock: MovableClock
) -> None:
    await made(home.client, "Long ago", "2026-11-21T09:40:00Z")
    lately = await made(home.client, "Lately", "2026-11-21T10:00:00Z")
    await made(home.client, "All day", "2026-11-21")
    clock.forward(minutes=80)
    page = await home.go("/")
    await expect(ring(page, "Lately")).to_contain_text("10:00")
    await expect(page.locator(".ring")).to_have_count(1)
    await home.client.ok("POST", f"/os/todos/{lately}/complete")
    await looked(page)
    await expect(page.locator(".ring")).to_have_count(0)


async def test_the_title_leads_to_the_todo(home: Home, clock: MovableClock) -> None:
    oven = await made(home.client, "Oven", "2026-11-21T09:40:00Z")
    clock.forward(minutes=10)
    page = await home.go("/notes")
    await ring(page, "Oven").get_by_role("link").click()
    await page.wait_for_url(f"**/todos/{oven}")
    await looked(page)
    await expect(page.locator(".ring")).to_have_count(0)


async def test_a_notification_comes_where_it_is_allowed_and_goes_with_the_ring(
    served: Served, alice: Client, chromium: Browser, origin: str, clock: MovableClock
) -> None:
    async with at_home(served, alice, chromium, origin, service_workers="allow") as home:
        await home.page.add_init_script(ALLOWED)
        page = await home.go("/notes")
        await page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        oven = await made(alice, "--help", "2026-11-21T09:40:00Z")
        clock.forward(minutes=10)
        await looked(page)
        shown = ring(page, "--help")
        await expect(shown).to_be_visible()
        await expect(page.locator("html")).to_have_attribute("data-notified", "1")
        (title, told), *more = await page.evaluate("window.notified")
        assert (title, told["body"], told["data"], more) == (
            "--help",
            "09:40",
            {"address": f"/todos/{oven}"},
            [],
        )
        await shown.get_by_role("button", name="Close").click()
        await expect(page.locator("html")).to_have_attribute("data-notified", "0")


async def test_a_click_on_a_notification_leads_to_the_todo(
    served: Served, alice: Client, chromium: Browser, origin: str
) -> None:
    oven = await made(alice, "Oven", "2026-11-21T09:40:00Z")
    async with at_home(served, alice, chromium, origin, service_workers="allow") as home:
        page = await home.go("/notes")
        await page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        worker = home.context.service_workers[0]
        assert await worker.evaluate(CLICK, f"/todos/{oven}") == ["open", f"{origin}/todos/{oven}"]
        await home.go(f"/todos/{oven}?back=/")
        assert await worker.evaluate(CLICK, f"/todos/{oven}") == ["focus"]


async def test_settings_switch_it_off_and_say_what_the_browser_allows(
    home: Home, clock: MovableClock
) -> None:
    await made(home.client, "Oven", "2026-11-21T09:30:01Z")
    page = await home.go("/settings")
    state = page.locator("#ring-state")
    switch = page.get_by_label("Ring at the time of a todo")
    await expect(switch).to_be_checked()
    await expect(state).to_contain_text("It rings in the open page")
    await switch.uncheck()
    await expect(state).to_have_text("Nothing rings in this browser.")
    clock.forward(seconds=1)
    await page.reload()
    await page.wait_for_load_state("networkidle")
    await expect(switch).not_to_be_checked()
    home.requested.clear()
    await page.evaluate(LOOK)
    await page.wait_for_timeout(500)
    assert not any(address.endswith("/due") for address in home.requested)
    await switch.check()
    await expect(ring(page, "Oven")).to_be_visible()


async def test_it_is_offered_once_after_a_todo_with_a_time_was_added(
    home: Home, clock: MovableClock
) -> None:
    await home.page.add_init_script(
        "window.asked = 0; Object.defineProperty(Notification, 'permission', { value: 'default' });"
        "Notification.requestPermission = async () => { window.asked += 1; return 'granted'; };"
    )
    page = await home.go("/todos")
    offered = page.locator(".toast", has_text="Ring at this time")
    await page.locator("[data-quick-add]").fill("Wash the car tomorrow")
    await page.keyboard.press("Enter")
    await expect(page.locator(".toast", has_text="Wash the car")).to_be_visible()
    await looked(page)
    await expect(offered).to_have_count(0)
    await page.locator("[data-quick-add]").fill("Call Eva tomorrow at 3 pm")
    await page.keyboard.press("Enter")
    await offered.get_by_role("button", name="Allow").click()
    assert await page.evaluate("window.asked") == 1
    await page.reload()
    await looked(page)
    await expect(offered).to_have_count(0)


async def test_nothing_is_asked_once_the_session_has_ended(home: Home, served: Served) -> None:
    page = await home.go("/notes")
    await looked(page)
    await served.command("end_sessions", username="alice")
    await looked(page)
    home.requested.clear()
    await page.evaluate(LOOK)
    await page.wait_for_timeout(500)
    assert not any(address.endswith("/due") for address in home.requested)


async def test_what_is_due_is_told_to_its_owner_alone_and_counts_as_a_page(
    served: Served, alice: Client, bob: Client, stranger: Client, clock: MovableClock
) -> None:
    await made(alice, "Soon", "2026-11-21T09:44:00Z")
    await made(alice, "Later", "2026-11-21T09:46:00Z")
    assert (await stranger.get("http://127.0.0.1:8765/due")).status_code == 401
    pages = served.parts.part(Reminders)
    rows = served.parts.store.quick(lambda tx: tx.all("SELECT username, id FROM users"))
    users = {row["username"]: row["id"] for row in rows}
    assert not pages.has_page(users["alice"])
    page = await without_browser(served)
    found = (await page.get("http://127.0.0.1:8765/due")).json()
    assert [(todo["title"], todo["told"]) for todo in found["todos"]] == [("Soon", "09:44")]
    assert (found["now"], found["isNew"]) == (stamp(clock.now), True)
    assert pages.has_page(users["alice"])
    assert not pages.has_page(users["bob"])
    other = await without_browser(served, "bob")
    assert (await other.get("http://127.0.0.1:8765/due")).json()["todos"] == []
    refused = await other.post("http://127.0.0.1:8765/todos/1/put-off", json={})
    assert refused.status_code == 404


async def test_a_page_whose_scripts_did_not_come_rings_once_the_server_is_back(
    home: Home, clock: MovableClock
) -> None:
    await made(home.client, "Call Eva", "2026-11-21T09:30:02Z")
    clock.forward(seconds=2)
    for name in ("ring", "palette"):
        await home.context.route(f"**/{name}.js", lambda route: route.abort())
    page = await home.go("/todos")
    await page.keyboard.press("Control+k")
    await expect(page.locator(".toast.bad")).to_contain_text("does not answer")
    await home.context.unroute_all()
    await expect(ring(page, "Call Eva")).to_have_count(0)
    await page.evaluate("dispatchEvent(new CustomEvent('hearth:reach', { detail: true }))")
    await expect(ring(page, "Call Eva")).to_be_visible()
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("dialog")).to_be_visible()
