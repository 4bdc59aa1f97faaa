"""Cuts within blocks: what is put together from parts is what the whole would show, and what an
edit of parts stores is what an edit of the whole would.
"""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.markdown import convert, render_cuts, render_parts
from app.core.markdown.html_edit import apply_html_edit
from tests.core.markdown.test_large_notes import flat

TABLE = (
    "| a | b |/|---|:-:|/|-|/---/:--|--:/a | b | c/| `x\\|y` | *c* |/| [l](u.md) | x \\| y |/|  |/"
    "| ragged |/| [r] | [[N\\|x]] |/plain row/1 | 2/2. | x/- | -/  | indented | r |/    code | x"
)
PARAGRAPH = (
    "one *two*/*open/closed*/**strong/b** x/~~gone/~~/[text/](u.md)/[l](u.md) `c`/`tick/a \\* b/"
    "[ref]: u.md/<b>html</b>/  indented/2. no item/-/end\\/&#42;*x*/![p](i.png)/ * /**a*b*"
)
QUOTE = "> q *x*/>/> > deep/> - a/>   more/>     code/> ```/> # h/> 1. x/lazy/> | a |/> |---|/- a/"
LOOSE = (
    "- a/- b *x*/- # h/  - c/  more/    - d/1. a/2. b/-/* x/- ```/  ```/- > q/+ x/    code/- [ ] t/"
)
BLANKS = ["", "", "", "# h", "---", "```"]
texts = st.one_of(
    [
        st.lists(st.sampled_from([*lines.split("/"), *BLANKS]), max_size=14).map("\n".join)
        for lines in (
            TABLE,
            PARAGRAPH,
            QUOTE,
            LOOSE,
            LOOSE + "/" + TABLE + "/" + QUOTE,
            PARAGRAPH + "/" + TABLE,
        )
    ]
)


@settings(max_examples=800, deadline=None, derandomize=True)
@given(text=texts, end=st.sampled_from(["\n", "\r\n"]))
def test_a_text_renders_by_parts_of_blocks_as_in_one(text: str, end: str) -> None:
    text = text.replace("\n", end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(render_cuts, "LINES_TOGETHER", 1)
        assert render_parts.join_html(render_parts.render_marked(text)) == convert.render_marks(
            text
        )


ROWS = ["| a | b |", "| c | `x\\|y` |", "| [l](u) | *d* |", "| x \\| y | z | ragged |", "| [r] |"]
tables = st.lists(st.sampled_from(ROWS), min_size=3, max_size=12).map(
    lambda rows: "\n".join(["[r]: /u", "", "| h | i |", "|---|:-:|", *rows, "", "[s]: /v"])
)
EDITS = {
    r"(?<=>)[a-z]+": "word & *typed*",
    r"(?<=</tr>)\n": "\n<tr><td>new</td> <td>*n* | x</td></tr>\n",
    r"<tr><td[^\n]*</tr>\n": "",
    r"(?<=<td>)": "<b>bold</b> ",
    r"(?<=</table>)": "<p>below</p>",
    r"<br>\n": "<br>\nput <i>in</i><br>\n",
    r"(?<=<br>)\n": " ",
    r"(?:</p>|<br>)\n": "</p>\n<p>parted",
    r"<li>": "<li>new</li>\n<li>",
}


def changed(html: str, pattern: str, new: str, place: int) -> str:
    """Return HTML with one of the places that a pattern finds edited."""
    places = list(re.finditer(pattern, html))
    if not places:
        return html
    found = places[place % len(places)]
    return html[: found.start()] + new + html[found.end() :]


def both(source: str, edit: tuple[str, str], place: int) -> tuple[str, str, str, str]:
    """Return what an edit stores by parts and in one, each with its HTML."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(render_cuts, "LINES_TOGETHER", 1)
        html = changed(render_parts.render(source), *edit, place)
        by_parts = apply_html_edit(source, html)
        patch.setattr(render_cuts, "find_cuts", lambda _: [])
        whole = apply_html_edit(source, html)
        return by_parts, whole, render_parts.render(by_parts), render_parts.render(whole)


@settings(max_examples=250, deadline=None, derandomize=True)
@given(tables, st.sampled_from(list(EDITS.items())), st.integers(0, 20))
def test_an_edit_of_a_table_stores_what_an_edit_of_the_whole_would(
    source: str, edit: tuple[str, str], place: int
) -> None:
    by_parts, whole, *_ = both(source, edit, place)
    assert by_parts == whole


@settings(max_examples=250, deadline=None, derandomize=True)
@given(texts, st.sampled_from(list(EDITS.items())), st.integers(0, 20))
def test_an_edit_within_any_block_shows_what_an_edit_of_the_whole_would(
    source: str, edit: tuple[str, str], place: int
) -> None:
    _, _, by_parts, whole = both(source, edit, place)
    assert flat(by_parts) == flat(whole)


LARGE = {
    "table": ("| a | b |\n|:--|--:|\n", "| word {} | `x\\|y` **z** |\n"),
    "paragraph": ("", "word {} *x* and [l](u.md)\n"),
    "html": ("<div>\n", "<p>word {}</p>\n"),
    "quote": ("", "> word {} *x*\n>\n"),
    "list": ("", "- word {} *x*\n"),
    "loose list": ("", "- word {} *x*\n\n"),
    "ordered loose list": ("", "1. word {} *x*\n\n"),
    "nested list": ("", "- top {}\n  - word {} *x*\n"),
}


@pytest.mark.parametrize("kind", LARGE)
def test_a_block_however_large_is_edited_in_small_parts(kind: str) -> None:
    head, line = LARGE[kind]
    source = head + "".join(line.replace("{}", str(number)) for number in range(2_000))
    parts = list(render_parts.render_marked(source))
    assert max(len(part.source) for part in parts) < len(source) / 10
    html = render_parts.join_html(parts)
    assert html == convert.render_marks(source)
    wanted = source.replace("word 1000", "new &lt;&nbsp;1000")
    assert (
        apply_html_edit(source, html.replace("word 1000", "new &amp;lt;&amp;nbsp;1000")) == wanted
    )
