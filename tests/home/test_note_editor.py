"""The editor, as a person types in it."""

import base64
import re
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.support.home import Home

pytestmark = pytest.mark.anyio
PASTE = """(area, given) => {
  const data = new DataTransfer();
  for (const [kind, text] of Object.entries(given.texts ?? {})) data.setData(kind, text);
  for (const [name, type, bytes] of given.files ?? [])
    data.items.add(new File([new Uint8Array(bytes)], name, { type }));
  const way = { bubbles: true, cancelable: true };
  area.dispatchEvent(given.drop ? new DragEvent("drop", { dataTransfer: data, ...way })
    : new ClipboardEvent("paste", { clipboardData: data, ...way }));
}"""
PICTURE = list(
    base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )
)


KEYS: list[tuple[str, list[str], str]] = [
    ("- one", ["Enter", "two", "Enter", "Enter", "out"], "- one\n- two\nout"),
    ("- [x] done", ["Enter", "next"], "- [x] done\n- [ ] next"),
    ("1. a\n2. b", ["ArrowUp", "End", "Enter", "new"], "1. a\n2. new\n3. b"),
    ("> said", ["Enter", "more"], "> said\n> more"),
    ("- one", ["Enter", "Tab", "in", "Enter", "Shift+Tab", "back"], "- one\n    - in\n- back"),
    ("word", ["Control+b"], "**word**"),
    ("**word**", ["ArrowLeft", "ArrowLeft", "Control+b"], "word"),
    ("a word", ["Control+i"], "a *word*"),
    ("", ["(", "x", ")"], "(x)"),
    ("", ["("], "()"),
    ("", ["(", "Backspace"], ""),
    ("say it", ["Control+Shift+ArrowLeft", '"'], 'say "it"'),
    ("see it", ["Control+Shift+ArrowLeft", "Control+k", "https://a.b"], "see [it](https://a.b)"),
    ("one\ntwo", ["Alt+ArrowUp"], "two\none"),
    ("- ", ["Backspace", "x"], "x"),
    ("don", ["'", "t"], "don't"),
]


async def edit(home: Home, text: str = "", title: str = "Plan") -> tuple[Page, Any, int]:
    """Open a note in the editor, with the caret at its end."""
    note = await home.client.note(title, text or " ", contentFormat="markdown")
    page = await home.go(f"/notes/{note['id']}/edit")
    area = page.get_by_label("Text", exact=True)
    await expect(page.locator("#state")).to_have_text("Saved")
    await area.press("Control+End")
    if not text:
        await area.fill("")
    return page, area, note["id"]


async def stored(home: Home, number: int) -> Any:
    return (await home.client.ok("GET", f"/os/notes/{number}"))["note"]


async def test_what_is_typed_is_saved_by_itself(home: Home) -> None:
    page, area, number = await edit(home, "One line")
    await area.press_sequentially(" and more")
    await expect(page.locator("#state")).to_have_text("Saved")
    await expect(page.locator("#state")).to_have_attribute("data-is", "saved")
    assert (await stored(home, number))["markdown"] == "One line and more"
    await page.get_by_label("Title").fill("Better plan")
    await page.get_by_label("Tags").fill("spring, beds")
    await page.keyboard.press("Control+Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Better plan")
    now = await stored(home, number)
    assert (now["title"], now["tags"]) == ("Better plan", ["spring", "beds"])


async def test_a_new_note_is_made_by_typing(home: Home) -> None:
    garden = await home.client.folder("Garden")
    page = await home.go("/notes/new")
    await page.get_by_label("Title").press_sequentially("Frost")
    await page.keyboard.press("Enter")
    await page.keyboard.type("First in October")
    await page.wait_for_url("**/edit")
    await page.keyboard.type(", once on the 9th.")
    await page.get_by_label("Folder").select_option("Garden")
    await page.keyboard.press("Control+s")
    await expect(page.locator("#state")).to_have_text("Saved")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator(".way")).to_contain_text("Garden")
    notes = (await home.client.ok("GET", "/os/notes", params={"folderId": garden}))["notes"]
    assert [one["title"] for one in notes] == ["Frost"]
    now = await stored(home, notes[0]["id"])
    assert now["markdown"] == "First in October, once on the 9th."


async def test_keys_do_what_a_writer_expects(home: Home) -> None:
    page, area, _ = await edit(home)
    for text, keys, after in KEYS:
        await area.fill(text)
        await area.press("Control+End")
        for key in keys:
            named = len(key) == 1 or "+" in key or key in {"Enter", "Tab", "End", "Backspace"}
            if named or key.startswith("Arrow"):
                await page.keyboard.press(key)
            else:
                await page.keyboard.type(key)
        assert await area.input_value() == after, (text, keys)


async def test_undo_takes_back_what_keys_did(home: Home) -> None:
    page, area, _ = await edit(home, "- one")
    await page.keyboard.press("Enter")
    await expect(area).to_have_value("- one\n- ")
    await page.keyboard.press("Control+z")
    await expect(area).to_have_value("- one")
    await page.keyboard.press("Control+Shift+z")
    await expect(area).to_have_value("- one\n- ")


async def test_the_text_can_be_left_by_keyboard(home: Home) -> None:
    page, area, _ = await edit(home, "word")
    await page.keyboard.press("Tab")
    await expect(area).to_be_focused()
    await page.keyboard.press("Escape")
    await page.keyboard.press("Tab")
    await expect(area).not_to_be_focused()


async def test_two_brackets_link_another_note(home: Home) -> None:
    await home.client.note("Seed order", "Beans", folderId=await home.client.folder("Garden"))
    page, area, _ = await edit(home, "see ")
    await page.keyboard.type("[[se")
    await expect(page.get_by_role("option", name="Seed order")).to_have_attribute(
        "aria-selected", "true"
    )
    await page.keyboard.press("Enter")
    await expect(area).to_have_value("see [[Seed order]]")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator(".prose a.wiki")).to_have_text("Seed order")
    await expect(page.locator(".prose a.missing")).to_have_count(0)


async def test_links_follow_a_new_title(home: Home) -> None:
    other = await home.client.note("Index", "see [[Plan]]", contentFormat="markdown")
    page, _, _ = await edit(home, "text")
    await page.get_by_label("Title").fill("Better plan")
    await page.keyboard.press("Control+Enter")
    await expect(page.get_by_text("1 note still links to “Plan”.")).to_be_visible()
    await page.get_by_role("button", name="Let them follow").click()
    await expect(page.locator(".did")).to_contain_text("The links lead to the new title.")
    assert (await stored(home, other["id"]))["markdown"] == "see [[Better plan]]"


async def test_one_goes_on_writing_where_one_was_reading(home: Home) -> None:
    text = "\n\n".join(f"Paragraph {number}.\nAnd a line." for number in range(80))
    note = await home.client.note("Story", text, contentFormat="markdown")
    page = await home.go(f"/notes/{note['id']}")
    await page.get_by_text("Paragraph 60.").evaluate(
        "(each) => scrollTo(0, each.getBoundingClientRect().top - 80)"
    )
    await page.keyboard.press("e")
    await page.wait_for_url("**/edit")
    await page.wait_for_function("document.querySelector('#content').selectionStart > 0")
    await page.keyboard.type("HERE ")
    await expect(page.get_by_label("Text", exact=True)).to_have_value(
        text.replace("Paragraph 60.", "HERE Paragraph 60.")
    )


async def test_html_is_pasted_as_markdown_and_an_address_makes_a_link(home: Home) -> None:
    _, area, _ = await edit(home)
    html = "<meta charset=utf-8><h2>Beds</h2><ul><li><b>long</b></li><li>round</li></ul>"
    await area.evaluate(PASTE, {"texts": {"text/html": html, "text/plain": "Beds long round"}})
    await expect(area).to_have_value("## Beds\n\n- **long**\n- round")
    await area.press("Control+a")
    await area.press_sequentially("Hearth")
    await area.press("Control+a")
    await area.evaluate(PASTE, {"texts": {"text/plain": "https://example.org"}})
    await expect(area).to_have_value("[Hearth](https://example.org)")


async def test_a_picture_is_pasted_and_a_file_dropped(home: Home) -> None:
    page, area, _ = await edit(home, "before")
    await area.evaluate(PASTE, {"files": [["", "image/png", PICTURE]]})
    await expect(area).to_have_value("before\n\n![file.png](/os/attachments/1)")
    await area.evaluate(PASTE, {"files": [["list.txt", "text/plain", [65]]], "drop": True})
    await expect(area).to_have_value(
        "before\n\n![file.png](/os/attachments/1)[list.txt](/os/attachments/2)"
    )
    await page.keyboard.press("Control+Enter")
    picture = page.get_by_role("img", name="file.png")
    await expect(picture).to_have_attribute("src", "/api/v1/os/attachments/1")
    await expect(picture).to_have_js_property("naturalWidth", 1)
    await expect(page.get_by_role("link", name="list.txt", exact=True)).to_be_visible()


async def test_undo_takes_back_what_was_typed_in_one_go(home: Home) -> None:
    page, area, _ = await edit(home, "One line")
    await page.locator("#show-preview").click()
    await area.press("Control+End")
    for typed in (" and", " *more*", " of it"):
        await area.press_sequentially(typed)
        text = "".join((await area.input_value()).replace("*", "").split())
        await expect(page.locator("#preview")).to_have_text(re.compile(r"\s*".join(text)))
        await expect(page.locator("#state")).to_have_text("Saved")
    await page.keyboard.press("Control+z")
    await expect(area).to_have_value("One line")
    await page.keyboard.press("Control+Shift+z")
    await expect(area).to_have_value("One line and *more* of it")


async def test_the_preview_follows_and_its_boxes_tick_the_text(home: Home) -> None:
    await home.page.set_viewport_size({"width": 1400, "height": 900})
    page, area, number = await edit(home, "# Title\n\n- [ ] first")
    await page.keyboard.press("Control+.")
    await page.keyboard.type(" *now*")
    await expect(page.locator("#preview em")).to_have_text("now")
    await page.locator("#preview").get_by_role("checkbox", name="first now").click()
    await expect(area).to_have_value("# Title\n\n- [x] first *now*")
    await expect(page.locator("#preview .done")).to_have_count(1)
    await home.check_everywhere(f"/notes/{number}/edit")
