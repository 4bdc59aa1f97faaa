"""The pages before and without signing in speak the language of whoever reads them."""

import re
from typing import Any

import httpx2 as httpx
import pytest
from playwright.async_api import expect

from app.interfaces.languages.accepted import accepted_language
from app.interfaces.languages.said import said
from app.interfaces.languages.words import words_of
from tests.account.test_team import invite
from tests.conftest import ORIGIN, Client, Served
from tests.interfaces.test_pages import answered
from tests.network.test_guests import speaking
from tests.network.test_rpc import brain
from tests.raw_memory.test_enrolments import begun as enrolment
from tests.runtime.bodies import LAPTOP
from tests.support.guests import link
from tests.support.home import without_browser
from tests.support.oauth import CONSENT, Browser, answer_in, going_to, hidden, register
from tests.support.raw_records import RawDevice
from tests.support.windows import opened

pytestmark = pytest.mark.anyio
DE = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.8", "Accept": "text/html"}
CODE = f"{ORIGIN}/local-agent/device-code"
ENROL = f"{ORIGIN}/raw-memory/enrol"
REFUSED_THERE = (
    "Sign in at the page of this very server.",
    "Only the page of this request may answer it. Open it again.",
    "decision must be approve or deny.",
    "Choose at least one right, or say no.",
    "The application did not ask for os.notes:read.",
    "The application that asked is not registered here any more.",
    "The application that sent you here is not known to this server.",
    "This key or code is unknown, used up, expired or revoked.",
    "Too many unknown links or codes; wait a moment.",
    "Pages of another origin may not change anything here.",
)


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("de", "de"),
        ("DE-ch", "de"),
        ("fr, de;q=0.5, en;q=0.4", "de"),
        ("en;q=0.4,de;q=0.5", "de"),
        ("en, de", "en"),
        ("de, en", "de"),
        ("de;q=0", "en"),
        ("de ; q=1.000", "de"),
        ("*", "en"),
        ("fr-CA,fr", "en"),
        ("de;q=2", "en"),
        ("de;q=-1", "en"),
        ("de;q=nan", "en"),
        ("de;q=0.5;q=0.1", "en"),
        ("de;q=٠", "en"),
        ("../de", "en"),
        ("__pycache__", "en"),
        ("\x00de", "en"),
        ("<b>de</b>", "en"),
        (";q=1,,;,=", "en"),
        ("x," * 500_000 + "de", "en"),
        ("de" * 500_000, "en"),
        (" " * 500_000 + "de", "en"),
    ],
)
def test_the_language_that_is_wanted_most_is_spoken(header: str, language: str) -> None:
    assert accepted_language(header) == language


def test_what_these_pages_refuse_has_german_words() -> None:
    words = words_of("de")
    assert [text for text in REFUSED_THERE if said(words, text) == text] == []


def assert_german(answer: httpx.Response, *words: str, status: int = 200) -> None:
    """Assert that a page is German throughout, as far as these English words show."""
    assert answer.status_code == status, answer.text
    assert '<html lang="de">' in answer.text
    for each in words:
        assert each in answer.text
    text = re.sub(r"<(script|code)\b.*?</\1>|<[^>]*>", " ", answer.text, flags=re.DOTALL)
    english = re.findall(r"\b(?:the|you|your|this|with|sign in|of|is|will)\b", text, re.IGNORECASE)
    assert english == [], text


async def test_signing_in_is_in_the_language_of_the_browser(served: Served, alice: Client) -> None:
    async with served.client(Origin=ORIGIN) as browser:
        address = f"{ORIGIN}/auth/sign-in"
        page = await browser.get(address, headers=DE)
        assert_german(page, "Bei Hearth anmelden", '<button class="go">Anmelden</button>')
        assert "<code>hearth login</code>" in page.text
        assert "<code>hearth user code NAME</code>" in page.text
        wrong = {"next": "/", "secret": "AAAA-AAAA-AAAA"}
        refused = await browser.post(address, data=wrong, headers=DE)
        assert_german(refused, "Diesen Schlüssel oder Code gibt es nicht", status=401)
        code = (await served.command("make_sign_in_code", username="alice")).code
        done = await browser.post(address, data={"next": "/", "secret": code}, headers=DE)
        assert_german(done, "Du bist angemeldet.", ">Weiter</a>")
        await browser.post(f"{ORIGIN}/api/auth/sign-out", json={})
        elsewhere = DE | {"Origin": "http://evil.example"}
        hostile = await browser.post(address, data=wrong, headers=elsewhere)
        assert_german(hostile, "Das ging nicht", status=403)
        for header in (b"", b"fr", b"\xff;q=\xc3", b"de;q=0", b"en" * 3000):
            english = await browser.get(address, headers={b"Accept-Language": header})
            assert '<html lang="en">' in english.text, header
            assert "Sign in to Hearth" in english.text


async def test_whoever_is_signed_in_reads_their_own_language(served: Served, alice: Client) -> None:
    browser = await without_browser(served)
    here = f"{ORIGIN}/auth/sign-in"
    english = await browser.get(here, headers=DE)
    assert "You are signed in as" in english.text
    await alice.ok("PATCH", "/account/settings", json={"locale": "de-CH"})
    for wanted in ("en", "fr", "x" * 5000):
        page = await browser.get(here, headers={"Accept-Language": wanted})
        assert_german(page, "Du bist als <bdi>alice</bdi> angemeldet.")
        lost = await browser.get(f"{ORIGIN}/nowhere", headers=DE | {"Accept-Language": wanted})
        assert_german(lost, "Hier ist nichts", "Zur Startseite", status=404)
    talk = f"{ORIGIN}/a/{(await link(alice))['token']}"
    assert_german(await browser.get(talk, headers={"Accept-Language": "en"}), "Gespräch als Gast")
    framed = {"Sec-Fetch-Dest": "iframe", "Accept-Language": "en"}
    assert '<html lang="en">' in (await browser.get(talk, headers=framed)).text


async def test_consent_is_asked_in_german(served: Served, alice: Client) -> None:
    app, browser = await register(served), Browser(served)
    browser.http.headers.update(DE)
    asks = app.asks(scope="openid os.notes:read os.notes:write escalations:decide")
    stranger = await browser.open(asks)
    assert_german(stranger, "Garden Planner möchte dein Hearth benutzen.", status=401)
    await browser.sign_in()
    await alice.ok("PATCH", "/account/settings", json={"locale": "de"})
    page = await browser.open(asks)
    assert_german(
        page,
        "<h1>Darf <bdi>Garden Planner</bdi> dein Hearth benutzen?</h1>",
        "Alle Notizen, Ordner und Dateien lesen und durchsuchen",
        "Ein Programm auf diesem Rechner",
        "in deinem Namen",
        '<a href="/settings/keys#apps">Verbundene Programme</a>',
        ">Erlauben</button>",
    )
    nothing = await browser.answer(page.text, scopes=[])
    assert_german(nothing, "Wähl mindestens ein Recht, oder sag nein.", status=400)
    forged = {**hidden(page.text), "token": "x", "decision": "approve"}
    refused = await browser.http.post(CONSENT, data=forged, headers={"Origin": ORIGIN})
    assert_german(refused, "Nur die Seite dieser Anfrage", status=403)
    done = await browser.answer(page.text)
    assert_german(done, "Erlaubt", "Zurück zum Programm")
    await app.exchange(answer_in(going_to(done.text))["code"])
    again = await browser.answer(page.text)
    assert_german(again, "Das hast du schon beantwortet", status=409)
    unknown = await browser.http.get(f"{CONSENT}?request=x")
    assert_german(unknown, "Diese Anfrage ist abgelaufen", status=400)
    apps = await browser.http.get(f"{ORIGIN}/settings/keys")
    assert_german(apps, "Verbundene Programme", "Du, Notizen, Dein Agent")
    shown = await browser.http.get(f"{ORIGIN}/auth/cli?code=abc")
    assert_german(shown, "Kopier diesen Code")


async def test_a_device_is_let_in_in_german(
    served: Served, alice: Client, stranger: Client
) -> None:
    asked = await stranger.ok("POST", "/local-agent/device-code/start", json=LAPTOP)
    code = asked["userCode"]
    async with served.client() as nobody:
        page = await nobody.get(f"{CODE}?code={code}", headers=DE)
        assert_german(page, "Ein Gerät möchte für dich arbeiten.", status=401)
    browser = await without_browser(served)
    await alice.ok("PATCH", "/account/settings", json={"locale": "de"})
    assert_german(await browser.get(CODE), "Gib den Code ein, den dein Gerät zeigt.")
    wrong = await browser.get(f"{CODE}?code=BBBB-BBBB")
    assert_german(wrong, "Kein Gerät zeigt diesen Code.", status=404)
    page = await browser.get(f"{CODE}?code={code}")
    assert_german(page, "Darf dieses Gerät für dich arbeiten?", ">Erlauben</button>", code)
    yes = {"code": code, "decision": "approve"}
    unsure = await browser.post(CODE, data=yes)
    assert_german(unsure, "Setz das Häkchen", status=400)
    assert_german(await browser.post(CODE, data=yes | {"same": "yes"}), "Erlaubt")
    over = await browser.get(f"{CODE}?code={code}")
    assert_german(over, "Dieser Code ist schon beantwortet", status=409)
    odd = await browser.post(CODE, data={"code": code, "decision": "x"})
    assert_german(odd, "Die Antwort muss ja oder nein sein.", status=400)


async def test_an_enrolment_is_decided_in_german(
    served: Served, alice: Client, stranger: Client
) -> None:
    asked = await enrolment(stranger, RawDevice())
    here = f"{ENROL}?id={asked['enrolmentId']}"
    async with served.client() as nobody:
        page = await nobody.get(here, headers=DE)
        assert_german(page, "Ein Gerät möchte hier Verschlüsseltes ablegen.", status=401)
    browser = await without_browser(served)
    await alice.ok("PATCH", "/account/settings", json={"locale": "de"})
    page = await browser.get(here)
    assert_german(page, "Darf <bdi>Laptop</bdi> in deinen Tresor?", ">Zulassen</button>")
    answer = {"id": asked["enrolmentId"], "decision": "approve"}
    unsure = await browser.post(ENROL, data=answer)
    assert_german(unsure, "Vergleich den Fingerabdruck", status=400)
    done = await browser.post(ENROL, data=answer | {"same": "yes"})
    assert_german(done, "Das Gerät ist zugelassen")
    assert_german(await browser.get(here), "Das ist schon beantwortet", status=409)
    unknown = await browser.get(f"{ENROL}?id=x")
    assert_german(unknown, "Diese Anfrage gibt es nicht", status=404)


async def test_an_invite_is_taken_in_german(served: Served, alice: Client, bob: Client) -> None:
    here = f"{ORIGIN}/team/invites/{await invite(alice)}"
    async with served.client() as nobody:
        page = await nobody.get(here, headers=DE)
        assert_german(page, "Anmelden und eintreten", "Mitglied")
        gone = await nobody.get(here + "x", headers=DE)
        assert_german(gone, "Diesen Link gibt es nicht", status=404)
    browser = await without_browser(served, "bob")
    await bob.ok("PATCH", "/account/settings", json={"locale": "de"})
    assert_german(await browser.get(here), "Ins Team eintreten", "als <bdi>bob</bdi> angemeldet")
    assert_german(await browser.post(here, data={}), "Willkommen", "Deine Rolle: Mitglied")


async def test_a_shared_note_stands_in_a_german_page(served: Served, alice: Client) -> None:
    note = await alice.note(title="Suppe", content="Zwanzig Minuten.")
    made = await link(alice, scope="note_only", noteId=note["id"], target="note")
    async with served.client() as guest:
        assert_german(
            await guest.get(f"{ORIGIN}/shared/{made['token']}", headers=DE),
            "Suppe",
            "Freigegeben von <bdi>alice</bdi>",
        )
        gone = await guest.get(f"{ORIGIN}/shared/nothing", headers=DE)
        assert_german(gone, "Hier ist nichts", status=404)


async def test_the_first_page_and_the_one_while_away_are_german(
    served: Served, alice: Client
) -> None:
    async with served.client() as anybody:
        assert_german(await anybody.get(f"{ORIGIN}/", headers=DE), "Hearth läuft", "Anmelden")
        assert_german(await anybody.get(f"{ORIGIN}/away", headers=DE), "Hearth antwortet nicht")
        manifest = await anybody.get(f"{ORIGIN}/manifest.webmanifest", headers=DE)
        found: dict[str, Any] = manifest.json()
        assert (found["lang"], found["shortcuts"][0]["name"]) == ("de", "Neue Notiz")
        assert "Accept-Language" in manifest.headers["Vary"]


async def test_a_guest_talks_in_german(
    alice: Client, origin: str, chromium: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await alice.ok("PATCH", "/account/settings", json={"agentName": "Robin"})
    made = await link(alice)
    brain(monkeypatch, speaking("Zwanzig Minuten."))
    async with opened(chromium, locale="de-DE") as window:
        page = window.page
        await page.goto(f"{origin}/a/{made['token']}")
        about = page.locator("#about")
        await expect(about).to_have_text(
            re.compile("^Antwortet für alice. Bis zu \\d+ Nachrichten.$")
        )
        await page.get_by_label("Deine Nachricht").last.fill("Wie lange?")
        await page.get_by_role("button", name="Senden").click()
        await expect(answered(page)).to_contain_text("Zwanzig Minuten.")
        await expect(page.locator("#messages .who").first).to_have_text("Du")
        await alice.ok("DELETE", f"/os/share/{made['id']}")
        await page.get_by_label("Deine Nachricht").last.fill("Und dann?")
        await page.keyboard.press("Enter")
        await expect(page.locator("#messages li").last).to_contain_text(
            "Dieser Link ist nicht mehr offen."
        )
        assert window.complaints == []


async def test_a_browsers_time_zone_becomes_that_of_who_has_chosen_none(served: Served) -> None:
    async def zone_after_sign_in(username: str, **told: str) -> str:
        code = (await served.command("make_sign_in_code", username=username)).code
        async with served.client(Origin=ORIGIN) as browser:
            await browser.post(f"{ORIGIN}/api/auth/sign-in", json={"code": code, **told})
            return str((await browser.ok("GET", "/account/settings"))["settings"]["timezone"])

    await served.person("erna")
    assert await zone_after_sign_in("erna") == "UTC"
    assert await zone_after_sign_in("erna", timezone="Mars/Olympus") == "UTC"
    assert await zone_after_sign_in("erna", timezone="Europe/Berlin") == "Europe/Berlin"
    assert await zone_after_sign_in("erna", timezone="Asia/Tokyo") == "Europe/Berlin"


async def test_a_browsers_language_becomes_that_of_who_has_chosen_none(served: Served) -> None:
    async def locale_after_sign_in(username: str, wanted: str | None) -> str:
        code = (await served.command("make_sign_in_code", username=username)).code
        headers = {} if wanted is None else {"Accept-Language": wanted}
        async with served.client(Origin=ORIGIN) as browser:
            answer = await browser.post(
                f"{ORIGIN}/api/auth/sign-in", json={"code": code}, headers=headers
            )
            assert answer.status_code == 200, answer.text
            return str((await browser.ok("GET", "/account/settings"))["settings"]["locale"])

    erna = await served.person("erna")
    await erna.ok("PATCH", "/account/settings", json={"timezone": "Europe/Berlin"})
    assert await locale_after_sign_in("erna", None) == "en"
    assert await locale_after_sign_in("erna", "fr") == "en"
    assert await locale_after_sign_in("erna", DE["Accept-Language"]) == "de"
    assert await locale_after_sign_in("erna", "en") == "de"
    emil = await served.person("emil")
    await emil.ok("PATCH", "/account/settings", json={"locale": "en"})
    assert await locale_after_sign_in("emil", DE["Accept-Language"]) == "en"
    await served.person("edith")
    assert await locale_after_sign_in("edith", "en-GB,en") == "en"
    assert await locale_after_sign_in("edith", DE["Accept-Language"]) == "en"
