"""Large notes: an edit of their HTML costs and changes what it touches, and what is too large to
be read keeps its marks.
"""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.markdown import convert, render_parts
from app.core.markdown.convert import to_markdown
from app.core.markdown.html_edit import apply_html_edit
from app.core.markdown.render_parts import render
from app.errors import Unprocessable
from tests.conftest import Client

pytestmark = pytest.mark.anyio

HEAVY = (
    "# Log\n\n"
    + "".join(f"- item *{number}* & <b>\n  - [ ] deep `x`  y\n" for number in range(8_000))
    + "\nlast"
)


async def test_a_small_edit_of_a_note_shown_as_plain_lines_keeps_every_other_line(
    alice: Client,
) -> None:
    note = await alice.note("Log", HEAVY)
    lines = note["content"].split("\n")
    await alice.ok(
        "PATCH",
        f"/os/notes/{note['id']}",
        json={"content": "\n".join([*lines[:2], *lines[3:]]) + "<p>END</p>"},
    )
    wanted = HEAVY.split("\n")
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"] == "\n".join(
        [*wanted[:2], *wanted[3:], "", "END"]
    )


async def test_what_a_plain_line_cannot_say_is_refused_with_what_to_send(alice: Client) -> None:
    note = await alice.note("Log", HEAVY)
    content = note["content"].replace("<br>\n", "<br>\n<strong>over<br>\nlines</strong><br>\n", 1)
    answer = await alice.refused(
        "PATCH",
        f"/os/notes/{note['id']}",
        422,
        "unprocessable",
        field="content",
        json={"content": content},
    )
    assert "contentFormat markdown" in answer["message"]
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"] == HEAVY


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("old", "new", "was", "now"),
    [
        ("<br>\n", "<br>", "", ""),
        ("<br>\n", "<br/>\n", "", ""),
        ("last</p>", "LAST</p>", "last", "LAST"),
        ("last</p>", "last</p><ul><li>one</li><li>two</li></ul>", "last", "last\n\n- one\n- two"),
        ("last</p>", "<strong>la</strong>st <i>x</i><span>y</span></p>", "last", "**la**st *x*y"),
        ("# Log<br>\n", "# Log</p><h2>New</h2>\n<p>", "# Log\n", "# Log\n\n## New\n\n"),
        ("# Log<br>\n", "# Log &amp; *more*<br>\n", "# Log", "# Log & *more*"),
    ],
)
def test_an_edit_of_plain_lines_is_read_line_by_line(
    old: str, new: str, was: str, now: str, end: str
) -> None:
    assert apply_html_edit(
        HEAVY.replace("\n", end), render(HEAVY).replace(old, new)
    ) == HEAVY.replace(was, now, 1).replace("\n", end)


def test_an_editor_that_joins_spaces_leaves_the_indents() -> None:
    html = re.sub(" +", " ", render(HEAVY).replace("<br>\n", "<br>").replace("<br> ", "<br>"))
    assert apply_html_edit(HEAVY, html.replace("last", "end")) == HEAVY.replace("last", "end")


def test_lines_of_divisions_are_lines() -> None:
    html = "".join(
        f"<div>{line or '<br>'}</div>"
        for line in render(HEAVY).removeprefix("<p>").removesuffix("</p>").split("<br>\n")
    )
    assert apply_html_edit(HEAVY, html).count("\n- item") == 8_000


def test_html_that_shares_nothing_with_plain_lines_is_read_as_any_other() -> None:
    assert apply_html_edit(HEAVY, "<p>other <b>text</b></p>") == "other **text**"


def test_a_part_nested_too_deep_keeps_its_marks_beside_parts_that_show_theirs() -> None:
    deep = "> " * 100 + "*a*\n- b"
    source = f"# Head\n\n{deep}\n\n* one\n* two"
    html = render(source)
    assert "<h1>" in html
    assert "*a*<br>" in html
    assert apply_html_edit(source, html.replace("- b", "- c")) == source.replace("- b", "- c")


def test_an_edit_that_makes_a_text_too_long_to_be_read_changes_no_other_line() -> None:
    source = "".join(f"* item {number}\n\nword __x__\n\n" for number in range(6_000)) + "end"
    html = render(source)
    assert "<li>" in html
    more = "<ul>" + "".join(f"<li>{number}</li>" for number in range(1_100)) + "</ul>"
    result = apply_html_edit(source, html + more)
    assert result.startswith(source)
    assert convert.is_heavy(result)


BLOCKS = [
    "one\ntwo",
    "# head",
    "- a\n- b\n  - c",
    "* x\n\n* y",
    "```py\ncode\n\n# more\n```",
    "> quote\n> more",
    "> a\n>\n> b",
    "| a | b |\n|-|-|\n| c | d |",
    "    indented\n\n    code",
    "1. one\n2. two",
    "---",
    "**b** [l](u) __x__",
    "- a\n\n  ```\n  x\n\n  y\n  ```",
    "~~~\nopen",
    "- ```\n  x",
    "\n",
    "> ```\n> x",
]
documents = st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=9).map("\n\n".join)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(documents)
def test_a_text_renders_by_parts_as_in_one(source: str) -> None:
    assert render_parts.join_html(render_parts.render_marked(source)) == convert.render_marks(
        source
    )


PUT_IN = [
    "<p>new</p>",
    "<h2>new</h2>",
    "<ul><li>new</li></ul>",
    "<pre><code>c\n\nd</code></pre>",
    "<p>- x</p>\n\n",
    "<hr>",
    "<p>```</p>",
]


def flat(html: str) -> str:
    """Return HTML without the line ends between its tags."""
    return re.sub(r"\n+", "\n", re.sub(r"(?<=>)\s+|\s+(?=<)", "", html)).strip()


@settings(max_examples=200, deadline=None, derandomize=True)
@given(documents, st.sampled_from(PUT_IN), st.integers(0, 30), st.sampled_from(["\n", "\r\n"]))
def test_what_is_put_into_some_part_shows_as_if_all_were_read_back(
    source: str, new: str, place: int, end: str
) -> None:
    html = render(source)
    places = [
        found.start() for found in re.finditer("<(?:p|h1|ul|ol|table|blockquote|hr|div)[ >]", html)
    ] or [0]
    at = places[place % len(places)]
    wanted = html[:at] + new + html[at:]
    result = apply_html_edit(source.replace("\n", end), wanted)
    assert flat(render(result)) == flat(render(to_markdown(wanted)))


def test_an_edit_leaves_the_bytes_of_all_other_parts() -> None:
    odd = "* star  \n+ plus\n\n__x__ &#42; \\*\n\n~~~ py\ncode\n~~~\n\n|a|b\n|-|-\n\nText {}\n\n"
    source = "".join(odd.replace("{}", str(number)) for number in range(400))
    html = render(source)
    assert apply_html_edit(
        source, html.replace("<p>Text 200</p>", "<h2>New</h2><p>Text two hundred</p>")
    ) == source.replace("Text 200\n", "## New\n\nText two hundred\n")


def test_a_text_marked_up_where_it_shows_plain_lines_is_named() -> None:
    with pytest.raises(Unprocessable, match="<strong>"):
        apply_html_edit(HEAVY, render(HEAVY).replace("<br>", "<br><strong>", 1))


def test_an_edit_of_a_large_note_costs_a_fraction_of_rendering_it() -> None:
    block = (
        "## Day {}\n\n"
        + "Some *words* of [it](x.md) and `code` here. " * 3
        + "\n\n- one **bold** thing\n- another {}\n\n"
    )
    source = "".join(block.replace("{}", str(number)) for number in range(2_500))
    assert not convert.is_heavy(source)
    begun = time.process_time()
    html = render_parts.join_html(render_parts.parts_of(source))
    rendered = time.process_time()
    result = apply_html_edit(source, html.replace("another 1500", "another 1500th"))
    assert time.process_time() - rendered < (rendered - begun) / 2
    assert result == source.replace("another 1500", "another 1500th")
    assert render_parts.known_html(source) == html
