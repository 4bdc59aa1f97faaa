"""Edited HTML: what the edit did not touch keeps its Markdown, byte for byte."""

import pytest

from app.core.markdown.convert import to_markdown
from app.core.markdown.html_edit import apply_html_edit
from app.core.markdown.render_parts import render
from tests.conftest import Client

pytestmark = pytest.mark.anyio

SOURCE = (
    "Title\n=====\n\n* one  \n* two [two](two.md)\n\t+ deep &amp; *far*\n\n"
    "~~~py\nx = 1\n~~~\n\n| a|b |\n|-|-|\n|c | d|\n\n----------\nlast __line__ one\n"
)


@pytest.mark.parametrize(
    ("old", "new", "source", "markdown"),
    [
        ("far", "near", "*far*", "*near*"),
        (">two</a>", ">2</a>", "[two]", "[2]"),
        ("two <a", "2 <a", "* two", "* 2"),
        ("x = 1", "x = 2 * y", "x = 1", "x = 2 * y"),
        (">c", ">&lt;c&gt;", "|c |", "|<c> |"),
        (
            "last __line__ one",
            "last __line__ one, and more",
            "__line__ one",
            "__line__ one, and more",
        ),
        ("<li>one", "<li><strong>one</strong>", "* one  ", "* **one**"),
        ("<li>two", "<li>new</li>\n<li>two", "* two", "* new\n* two"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_the_line_that_was_edited_changes(
    old: str, new: str, source: str, markdown: str, end: str
) -> None:
    html = render(SOURCE)
    assert html.count(old) == 1
    assert SOURCE.count(source) == 1
    given, wanted = (text.replace("\n", end) for text in (SOURCE, SOURCE.replace(source, markdown)))
    assert apply_html_edit(given, html.replace(old, new)) == wanted


@pytest.mark.parametrize("typed", ["*", "# a", "<b>", "[a](b)", "`a`", "- a", "&amp;"])
def test_marks_that_are_typed_as_text_stay_text(typed: str) -> None:
    html = render("* first\n* second\n")
    shown = typed.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    wanted = html.replace("second", shown)
    assert render(apply_html_edit("* first\n* second\n", wanted)) == wanted


@pytest.mark.parametrize("html", ["<p>other</p>", "<h2>a</h2>", "<p>a</p>\n\n<p>b</p>"])
def test_an_edit_that_leaves_nothing_is_read_back_whole(html: str) -> None:
    assert apply_html_edit(SOURCE, html) == to_markdown(html)


async def test_a_note_edited_as_html_keeps_its_other_lines(alice: Client) -> None:
    note = await alice.note("Tools", SOURCE)
    await alice.ok(
        "PATCH", f"/os/notes/{note['id']}", json={"content": note["content"].replace("far", "near")}
    )
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"] == SOURCE.replace(
        "*far*", "*near*"
    )


@pytest.mark.parametrize(
    "text", ["a\r\nb\x0cc\r\nneedle", "a\u2028b\r\nc\rneedle", "a\n\x0bb\nneedle"]
)
async def test_grep_counts_the_lines_that_the_rendering_has(alice: Client, text: str) -> None:
    await alice.note("Pages", text)
    found = (await alice.ok("POST", "/os/notes/grep", json={"pattern": "needle"}))["results"][0][
        "matches"
    ]
    assert [(match["line"], match["text"]) for match in found] == [(3, "needle")]
