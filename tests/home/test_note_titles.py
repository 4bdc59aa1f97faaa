"""The title of a note, as it is made in the browser, of a form without scripts, and of a copy."""

from typing import Any

import pytest
from playwright.async_api import expect

from app.core.schema import TITLE_MOST
from app.interfaces.home.notes.edit_page import title_of
from app.interfaces.pages.static_files import address_of
from tests.conftest import ORIGIN, Client, Served
from tests.support.home import Home, without_browser

pytestmark = pytest.mark.anyio
LONG = "A first line that goes on and on " * 12
MADE: list[tuple[str, str, str]] = [
    ("", LONG, LONG[:TITLE_MOST].rstrip()),
    ("x" * 300, "", "x" * TITLE_MOST),
    ("", "\N{SEEDLING}" * 300, "\N{SEEDLING}" * TITLE_MOST),
    ("  two \u00a0 words\t", "text", "two words"),
    ("", "\n---\n## Beds:\tspring **\n", "Beds: spring"),
    ("", "\u200b\n\u200b\nSown", "Sown"),
    ("\u200b", "Sown \x07 late", "Sown late"),
    ("", "- \n***", "Untitled"),
]


@pytest.mark.parametrize(("written", "content", "title"), MADE)
def test_a_title_is_what_was_written_or_the_first_line_that_says_something(
    written: str, content: str, title: str
) -> None:
    assert title_of(written, content, "Untitled") == title


async def test_the_script_makes_the_same_titles(home: Home) -> None:
    page = await home.go("/notes")
    made = await page.evaluate(
        """async ([address, made, titleMost]) => {
          const { titleOf } = await import(address);
          const note = { untitled: "Untitled", titleMost };
          return made.map(([title, text]) => titleOf({ title, text }, note));
        }""",
        [address_of("autosave.js"), MADE, TITLE_MOST],
    )
    assert made == [title for _, _, title in MADE]


async def test_an_untitled_note_with_a_long_first_line_is_saved(home: Home) -> None:
    page = await home.go("/notes/new")
    await expect(page.locator("#title")).to_have_attribute("maxlength", str(TITLE_MOST))
    await page.locator("#content").fill(LONG)
    await expect(page.locator("#state")).to_have_text("Saved")
    (note,) = (await home.client.ok("GET", "/os/notes"))["notes"]
    assert note["title"] == LONG[:TITLE_MOST].rstrip()


async def test_without_scripts_an_untitled_note_with_a_long_first_line_is_saved(
    served: Served, alice: Client
) -> None:
    client = await without_browser(served)
    answer = await client.post(f"{ORIGIN}/notes/new", data={"content": LONG})
    assert answer.status_code == 303
    (note,) = (await alice.ok("GET", "/os/notes"))["notes"]
    assert note["title"] == LONG[:TITLE_MOST].rstrip()


async def test_a_note_with_a_long_title_is_copied(served: Served, alice: Client) -> None:
    note = await alice.note("x" * 250, "text")
    client = await without_browser(served)
    answer = await client.post(f"{ORIGIN}/notes/{note['id']}/copy", data={})
    assert answer.status_code == 303
    titles = {one["title"] for one in (await alice.ok("GET", "/os/notes"))["notes"]}
    assert titles == {"x" * 250, ("Copy of " + "x" * 250)[:TITLE_MOST]}


@pytest.mark.parametrize(("field", "status"), [("part", 303), ("revision", 400)])
async def test_a_form_with_words_for_numbers_is_answered(
    served: Served, alice: Client, field: str, status: int
) -> None:
    note = await alice.note("Plan", "text")
    client = await without_browser(served)
    form: dict[str, Any] = {"title": "Plan", "content": "more", "part": "1", "revision": "1"}
    answer = await client.post(f"{ORIGIN}/notes/{note['id']}/edit", data=form | {field: "abc"})
    assert answer.status_code == status
