"""HTML as editors write it: whatever its shape, no character and no mark is lost without being
told.
"""

from html import escape
from html.parser import HTMLParser
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.markdown.convert import to_markdown
from app.core.markdown.from_html.html_losses import gather_losses
from app.core.markdown.render_parts import render

TIPTAP_TASKS = (
    '<ul data-type="taskList"><li data-checked="true" '
    'data-type="taskItem"><label><input type="checkbox" '
    'checked="checked"><span></span></label>'
    '<div><p>done</p></div></li><li data-checked="false" '
    'data-type="taskItem"><label><input type="checkbox"><span></span></label>'
    "<div><p>open</p></div></li></ul>"
)
QUILL_LISTS = (
    '<ol><li data-list="checked"><span class="ql-ui" '
    'contenteditable="false"></span>a</li><li data-list="unchecked">b</li>'
    '<li data-list="bullet">c</li><li data-list="bullet" '
    'class="ql-indent-1">d</li><li data-list="ordered">e</li></ol>'
)
QUILL_CODE = (
    '<div class="ql-code-block-container"><div class="ql-code-block" '
    'data-language="javascript">let a</div>'
    '<div class="ql-code-block" data-language="javascript">b &lt; c</div></div>'
)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (TIPTAP_TASKS, "- [x] done\n\n- [ ] open"),
        (QUILL_LISTS, "- [x] a\n- [ ] b\n- c\n  - d\n\n1. e"),
        (
            '<ul data-checked="true"><li>a</li></ul><ul data-checked="false"><li>b</li></ul>',
            "- [x] a\n\n* [ ] b",
        ),
        ('<ul><li role="checkbox" aria-checked="true">a</li></ul>', "- [x] a"),
        (
            '<ul><li><label><input type="checkbox" checked '
            "disabled><span>a</span></label></li></ul>",
            "- [x] a",
        ),
        ('<ul><li class="task-list-item"><p><input type="checkbox"> a</p></li></ul>', "- [ ] a"),
        ('<ul><li data-checked="true"><div><p></p></div></li></ul>', "- [x]"),
        ('<ul><li data-checked="false"><h2>a</h2></li></ul>', "- [ ]\n  ## a"),
        ('<p>a <input type="checkbox" checked>b</p>', "a [x] b"),
    ],
)
def test_the_box_of_a_task_and_its_state_stay(html: str, markdown: str) -> None:
    assert to_markdown(html) == markdown
    assert render(to_markdown(render(markdown))) == render(markdown)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p><strong><em>x</em></strong> a <em>b</em> <s>c</s></p>", "***x*** a *b* ~~c~~"),
        ("<p><em><strong>x</strong></em></p>", "***x***"),
        ("<p><strong>a</strong><em><strong>b</strong></em></p>", "**a*****b***"),
        ("<p><strong>a <a href=x>b</a></strong><a href=x>c</a></p>", "**a [b](x)**[c](x)"),
        ('<p><a href="x">a <b>b</b></a><b> c</b></p>', "[a **b**](x) **c**"),
        (
            '<p><span style="font-weight: 700">a</span> <span '
            'style="font-style:italic">b</span></p>',
            "**a** *b*",
        ),
        (
            "<p><span "
            'style="font-weight:bold;font-style:italic;text-decoration:line-through">a</span></p>',
            "***~~a~~***",
        ),
        (
            '<b style="font-weight:normal"><p>a</p><p><span '
            'style="font-weight:600">b</span></p></b>',
            "a\n\n**b**",
        ),
        ('<p style="font-weight:bold">a</p><h2 style="font-weight:700">b</h2>', "**a**\n\n## b"),
        ("<strong><p>a</p><ul><li>b</li></ul></strong>", "**a**\n\n- **b**"),
        ('<a href="x"><div>a</div><p>b</p></a>', "[a](x)\n\n[b](x)"),
        ("<p>x<sup>2</sup> H<sub>2</sub>O, <q>a</q>, <kbd>Ctrl</kbd></p>", "x² H₂O, “a”, `Ctrl`"),
        ('<pre><code class="language-py">a</code></pre>', "```py\na\n```"),
        ('<pre data-language="py">a\n</pre>', "```py\na\n```"),
        ('<div class="highlight highlight-source-shell"><pre>a</pre></div>', "```shell\na\n```"),
        ('<pre><code class="hljs python">a</code></pre>', "```python\na\n```"),
        (QUILL_CODE, "```javascript\nlet a\nb < c\n```"),
        (
            "<table><tr><th>a|b<th><code>c|d</code><tr><td>[[N|x]]<td>\\|</table>",
            "| a\\|b | `c\\|d` |\n| --- | --- |\n| [[N\\|x]] | \\\\\\| |",
        ),
        (
            '<table><tr><th>a<tr><th>b<tr><td style="text-align:right">c</table>',
            "| a |\n| --- |\n| **b** |\n| c |",
        ),
        ('<table><tr><th style="text-align:right">a</table>', "| a |\n| ---: |"),
        ('<iframe src="https://a.b/c" title="Film"></iframe>', "[Film](https://a.b/c)"),
        (
            "<p>def f(*args, **kw): a_b C:\\dir\\_x \\* [[N]] #t</p>",
            "def f(\\*args, \\*\\*kw): a_b C:\\dir\\\\_x \\\\\\* [[N]] #t",
        ),
    ],
)
def test_what_markdown_has_a_mark_for_is_kept(html: str, markdown: str) -> None:
    with gather_losses() as lost:
        assert to_markdown(html) == markdown
    assert lost == []


@pytest.mark.parametrize(
    ("html", "markdown", "told"),
    [
        (
            "<p><strong>Note:</strong>text <em>a</em> <b>b</b></p>",
            "**Note**:text *a* **b**",
            "bold type on punctuation",
        ),
        (
            "<p><strong>「你好」</strong>世界 <em>a</em></p>",
            "「**你好**」世界 *a*",
            "bold type on punctuation",
        ),
        ("<p>a<em>(b)</em> <b>c</b></p>", "a(*b*) **c**", "italics on punctuation"),
        ("<p>a<b><code>b</code></b>c <i>d</i></p>", "a`b`c *d*", "some bold type"),
        ("<p><em>a<strong>b</strong></em><strong>c</strong></p>", "a***b*c**", "some italics"),
        ("<p>e<sup>xy</sup></p>", "exy", "superscript"),
        ("<p><u>a</u><mark>b</mark></p>", "ab", "underline, highlighting"),
        ('<p><span style="color: red; font-size: 20px">a</span></p>', "a", "colours, font sizes"),
        ('<p style="text-align:center">a</p>', "a", "alignment"),
        ("<p><code>a<b>b</b></code></p>", "`ab`", "marks in code"),
        ('<p><a href="tel:1">a</a></p>', "a", "links"),
        ('<p>a<img src="data:image/png;base64,AA" alt="b"></p>', "ab", "pictures"),
        (
            "<table><tr><td>a<br>b<td><ul><li>x<li>y</ul></table>",
            "| a / b | • x / • y |\n| --- | --- |",
            "line breaks in cells",
        ),
        (
            "<table><tr><td colspan=2>a<tr><td rowspan=2>b<td>c<tr><td>d</table>",
            "| a |  |\n| --- | --- |\n| b | c |\n|  | d |",
            "merged cells",
        ),
        (
            "<table><tr><td><code>a\\|b</code></table>",
            "| a\\\\\\|b |\n| --- |",
            "code that has a backslash",
        ),
        ("<h2>a<br>b</h2>", "## a / b", "headings"),
        ("<svg><path/></svg><p>a</p>", "a", "drawings"),
        ("<p>a<math><mi>x</mi></math></p>", "a", "formulas"),
        ("<video><source src=x></video><p>a</p>", "a", "embedded media"),
    ],
)
def test_what_markdown_has_no_mark_for_is_told(html: str, markdown: str, told: str) -> None:
    with gather_losses() as lost:
        assert to_markdown(html) == markdown
    assert told in ", ".join(lost)


def test_a_rendering_read_back_loses_nothing() -> None:
    text = (
        "# a\n\n***b*** ~~c~~ [d](e)\n\n- [ ] f\n\n| g \\| h | i |\n|-|-|\n| `j\\|k` | "
        "l |\n\n```py\nm\n```\n\n> n"
    )
    with gather_losses() as lost:
        to_markdown(render(text))
    assert lost == []


class Piece(NamedTuple):
    """Some text with marks, in a link or not."""

    text: str
    marks: tuple[str, ...] = ()
    link: str = ""


Seen = list[tuple[str, frozenset[str], str]]
"""Every character but white space, with the marks on it and where it leads."""

MARKS = ("strong", "em", "del", "code")
TEXTS = [
    "a",
    "b c",
    "x:",
    "(y)",
    "「漢",
    "字」",
    "*",
    "**",
    "~~",
    "`",
    "\\",
    "\\*",
    "[",
    "](z)",
    "|",
    "&#42;",
    "&amp;",
    "<b>",
    "_",
    "- ",
    "1. ",
    "# ",
    ".",
]
words = st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3).map("".join)
marks = st.lists(st.sampled_from(MARKS), unique=True, max_size=2).map(tuple)
pieces = st.lists(
    st.builds(Piece, words, marks, st.sampled_from(["", "", "", "http://x.y", "n.md"])),
    min_size=1,
    max_size=5,
)
by_name = st.sampled_from([{}, {"strong": "b", "em": "i", "del": "s"}, {"del": "strike"}])
ways = st.sampled_from(["elements", "styles"])
STYLES = {
    "strong": "font-weight: bold",
    "em": "font-style: italic",
    "del": "text-decoration: line-through",
}


def written(parts: list[Piece], names: dict[str, str], way: str) -> str:
    """Return the HTML of a line, its marks as elements or as styles."""
    html = ""
    for part in parts:
        inner = escape(part.text)
        for mark in sorted(
            part.marks, key=lambda mark: mark != "code"
        ):  # no mark stands inside of code
            name = names.get(mark, mark)
            inner = (
                f'<span style="{STYLES[mark]}">{inner}</span>'
                if way == "styles" and mark in STYLES
                else f"<{name}>{inner}</{name}>"
            )
        html += f'<a href="{part.link}">{inner}</a>' if part.link else inner
    return html


class Reader(HTMLParser):
    """What a reader sees of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.seen: Seen = []
        self.boxes: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "input":
            self.boxes.append("checked" in dict(attrs))
        elif tag == "a":
            self.links.append(dict(attrs)["href"] or "")
        else:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "a":
            self.links.pop()
        elif tag in self.open:
            self.open.remove(tag)

    def handle_data(self, data: str) -> None:
        marks = frozenset(tag for tag in self.open if tag in MARKS)
        self.seen += [
            (letter, marks, self.links[-1] if self.links else "")
            for letter in data
            if not letter.isspace()
        ]


def read(html: str) -> Reader:
    """Return what a reader sees."""
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


def meant(lines: list[list[Piece]]) -> Seen:
    """Return what a reader is to see of some lines."""
    parts = [part for line in lines for part in line]
    return [
        (letter, frozenset(part.marks), part.link)
        for part in parts
        for letter in part.text
        if not letter.isspace()
    ]


def letters(seen: Seen) -> str:
    """Return what is seen without marks."""
    return "".join(letter for letter, _, _ in seen)


SHAPES = {
    "paragraphs": ("", "<p>{}</p>", ""),
    "ProseMirror's breaks": ("<p>", '{}<br class="ProseMirror-trailingBreak">', "</p>"),
    "plain contenteditable": ("", "<div>{}</div>", ""),
    "marks around blocks": (
        '<div style="font-size:inherit"><b style="font-weight:normal">',
        "<p>{}</p>",
        "</b></div>",
    ),
    "items of TipTap": ("<ul>", "<li><p>{}</p></li>", "</ul>"),
    "items of Quill": (
        "<ol>",
        '<li data-list="bullet"><span class="ql-ui"></span>{}</li>',
        "</ol>",
    ),
    "quotes": ("<blockquote>", "<p>{}</p>", "</blockquote>"),
    "headings": ("", "<h2>{}</h2>", ""),
    "cells of TipTap": (
        '<table style="min-width: 50px"><tbody>',
        '<tr><td colspan="1" rowspan="1"><p>{}</p></td></tr>',
        "</tbody></table>",
    ),
}
TASKS = {
    "TipTap": '<li data-checked="{}" data-type="taskItem"><label><input '
    'type="checkbox"><span></span></label><div><p>{}</p></div></li>',
    "Quill": '<li data-list="{}"><span class="ql-ui" contenteditable="false"></span>{}</li>',
    "ProseMirror": '<li class="task-list-item"><input type="checkbox"{}>{}</li>',
    "Lexical": '<li role="checkbox" aria-checked="{}" tabindex="-1">{}</li>',
}
STATES = {"Quill": ("unchecked", "checked"), "ProseMirror": ("", " checked")}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(pieces, min_size=1, max_size=3), by_name, ways)
@pytest.mark.parametrize("shape", SHAPES)
def test_text_and_marks_of_editors_survive_or_are_told(
    shape: str, lines: list[list[Piece]], names: dict[str, str], way: str
) -> None:
    before, each, after = SHAPES[shape]
    html = before + "".join(each.replace("{}", written(line, names, way)) for line in lines) + after
    with gather_losses() as lost:
        seen = read(render(to_markdown(html))).seen
    wanted = meant(lines)
    assert letters(seen) == letters(wanted)
    assert seen == wanted or lost


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.booleans(), pieces), min_size=1, max_size=4), ways)
@pytest.mark.parametrize("editor", TASKS)
def test_tasks_of_editors_survive(
    editor: str, tasks: list[tuple[bool, list[Piece]]], way: str
) -> None:
    unchecked, checked = STATES.get(editor, ("false", "true"))
    rows = [
        TASKS[editor].format(checked if done else unchecked, written(text, {}, way))
        for done, text in tasks
    ]
    with gather_losses() as lost:
        seen = read(render(to_markdown(f"<ul>{''.join(rows)}</ul>")))
    wanted = meant([text for _, text in tasks])
    assert seen.boxes == [done for done, _ in tasks]
    assert letters(seen.seen) == letters(wanted)
    assert seen.seen == wanted or lost


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    st.lists(st.lists(words, min_size=2, max_size=2), min_size=1, max_size=3),
    st.sampled_from(["<td>{}</td>", "<td><code>{}</code></td>"]),
)
def test_cells_stay_apart(rows: list[list[str]], cell: str) -> None:
    html = (
        "<table>"
        + "".join(
            "<tr>" + "".join(cell.format(escape(text)) for text in row) + "</tr>" for row in rows
        )
        + "</table>"
    )
    shown = render(to_markdown(html))
    found = [
        letters(read(part).seen) for part in shown.replace("</th>", "</td>").split("</td>")[:-1]
    ]
    assert found == ["".join(text.split()) for row in rows for text in row]
