"""Markdown to HTML and back.

No text is lost, nothing hostile gets through, and the way back is exact.
"""

import re

import pytest
from markdown_it import MarkdownIt

from app.core.markdown.convert import MOST_CHARACTERS, to_markdown
from app.core.markdown.render_parts import render
from app.core.markdown.to_html.html_tags import holds_html
from tests.support.commonmark_examples import EXAMPLES
from tests.support.hostile import PAYLOADS, strangers
from tests.support.looping import through


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("", ""),
        ("a", "<p>a</p>"),
        ("a\nb  \nc\\\nd", "<p>a<br>\nb<br>\nc\\<br>\nd</p>"),
        ("a\r\nb\rc", "<p>a<br>\nb<br>\nc</p>"),
        ("*a* **b** ~~c~~ `d`", "<p><em>a</em> <strong>b</strong> <del>c</del> <code>d</code></p>"),
        ("_a_ __b__ snake_case", "<p>_a_ __b__ snake_case</p>"),
        (r"\*a\* C:\new_dir\\_x", r"<p>*a* C:\new_dir\_x</p>"),
        (r"\# a \`b\` `\*` \[c](d) \q \ä \ ", r"<p># a `b` <code>\*</code> [c](d) \q \ä \</p>"),
        (r"\``a` [b\]](c)", '<p>`<code>a</code> <a href="c">b]</a></p>'),
        ("&amp; &copy; &#42;a&#42; &#65;", "<p>&amp;amp; &amp;copy; *a* &amp;#65;</p>"),
        ('(c) -- ... "q" :)', '<p>(c) -- ... "q" :)</p>'),
        ("http://x.y <http://x.y> a@b.c", "<p>http://x.y &lt;http://x.y&gt; a@b.c</p>"),
        ("[a]: b\n\n[a]", "<p>[a]: b</p>\n\n<p>[a]</p>"),
        ("a\n===", "<p>a<br>\n===</p>"),
        ("a\n---", "<p>a</p>\n<hr>"),
        ("## a ##", "<h2>a ##</h2>"),
        ("<b>a</b>\n<!-- c -->", "<p>&lt;b&gt;a&lt;/b&gt;<br>\n&lt;!-- c --&gt;</p>"),
        ("`a\nb`", "<p>`a<br>\nb`</p>"),
        ("` a ` `` `b ``", "<p><code> a </code> <code>`b</code></p>"),
        ('[a](b "c")', '<p><a href="b" title="c">a</a></p>'),
        ("[a\nb](c)", '<p><a href="c">a<br>\nb</a></p>'),
        ("[a](b\nc)", "<p>[a](b<br>\nc)</p>"),
        ("![a](http://b/c.png)", '<p>!<a href="http://b/c.png">a</a></p>'),
        ("[a](javascript:b) [c](//d) [e](data:f)", "<p>[a](javascript:b) [c](//d) [e](data:f)</p>"),
        (
            "- [ ] a\n- [X] b",
            '<ul><li><input type="checkbox" disabled=""> a</li>\n<li><input '
            'type="checkbox" checked="" disabled=""> b</li></ul>',
        ),
        ("3. a\n4. b", '<ol start="3"><li>a</li>\n<li>b</li></ol>'),
        ("- a\n  - b", "<ul><li>a\n<ul><li>b</li></ul></li></ul>"),
        ("- a\n\n- b", "<ul><li><p>a</p></li>\n\n<li><p>b</p></li></ul>"),
        ("> a\nb", "<blockquote><p>a<br>\nb</p></blockquote>"),
        ("```\na\n\n b\n```\nc", "\n<pre><code>a\n\n b\n</code></pre>\n<p>c</p>"),
        ("```py\na\n```", "<div><span>py</span>\n<pre><code>a\n</code></pre></div>"),
        ("    a\nb", "<pre><code>a\n</code></pre><p>b</p>"),
        (
            "|a|b|\n|:-|-|\n|c|d|e|",
            '<table><thead><tr><th align="left">a</th> <th>b</th></tr></thead>\n\n'
            '<tbody><tr><td align="left">c</td> <td>d</td> <td>e</td></tr></tbody></table>',
        ),
        (r"| a \| b |" "\n|-|", "<table><thead><tr><th>a | b</th></tr></thead></table>\n"),
        (
            r"|a|b|" "\n|-|-|\n" r"|`x\|y`|[[N\|z]] \\|",
            "<table><thead><tr><th>a</th> "
            "<th>b</th></tr></thead>\n\n<tbody><tr><td><code>x|y</code></td> <td>[[N|z]] "
            "\\</td></tr></tbody></table>",
        ),
    ],
)
def test_markdown_renders_to(markdown: str, html: str) -> None:
    assert render(markdown) == html


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("", ""),
        ("plain", "plain"),
        ("<p>a</p><p>b</p>", "a\n\nb"),
        ("<h1>a</h1>\n<p>b<br>c</p>", "# a\nb\nc"),
        ("<p>2 * 3 snake_case a-b #tag [x]</p>", "2 * 3 snake_case a-b #tag [x]"),
        ("<p>*a* `b` [c](d) ~~e~~</p>", r"\*a\* \`b\` [c\](d) \~\~e\~\~"),
        ("<p># a<br>- b<br>1. c<br>&gt; d<br>---</p>", "\\# a\n\\- b\n1\\. c\n\\> d\n\\---"),
        ("<p>&amp;#42; &amp;amp;</p>", "\\&#42; &amp;"),
        ("<b>a</b><i>b</i><s>c</s>", "**a***b*~~c~~"),
        ("<p><b> a </b>b</p>", "**a** b"),
        ("<p><b>a</b><b>b</b></p>", "**ab**"),
        ("<section><article>a</article><unknown>b</unknown></section>", "a\n\nb"),
        ("a<script>b</script><style>c</style><template>d</template>e", "ae"),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
        ("<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>", "- a\n\n- b"),
        ("<ol start=9><li>a<li>b</ol>", "9. a\n10. b"),
        ("<ul><li>a</li></ul><ul><li>b</li></ul>", "- a\n\n* b"),
        ("<ul><li><input type=checkbox checked> a</li><li>[ ] b</li></ul>", "- [x] a\n- \\[ ] b"),
        ("<blockquote>\n<p>a</p>\n<p>b</p>\n</blockquote>", "> a\n>\n> b"),
        ("<p>a</p><pre><code class=x>b\n```\n</code></pre><p>c</p>", "a\n\n````\nb\n```\n````\nc"),
        ("<div><span>py</span>\n<pre><code>a\n</code></pre></div>\n<p>b</p>", "```py\na\n```\nb"),
        ("<p><code>a`b</code> <code>`c</code></p>", "``a`b`` `` `c ``"),
        (
            "<table><tr><th align=right>a|b<th>c<tr><td><p>d</p><p>e</p></table>",
            "| a\\|b | c |\n| ---: | --- |\n| d / e |",
        ),
        ('<a href="b c" title=\'d"e\'>a</a>', "[a](<b c> 'd\"e')"),
        ("<a href=javascript:x>a</a><a name=b>c</a>", "ac"),
        ('<img src="http://a/b.png" alt="c"><img src="data:x" alt="d">', "![c](http://a/b.png)d"),
        ("a<hr>b", "a\n\n---\n\nb"),
    ],
)
def test_html_becomes_markdown(html: str, markdown: str) -> None:
    assert to_markdown(html) == markdown


@pytest.mark.parametrize(
    "text",
    ["<p>", "a<br/>b", "</li>", '<INPUT type="checkbox">', "<h3 id=x>", "<a\nhref=x>", "<td >"],
)
def test_a_tag_of_a_note_makes_text_html(text: str) -> None:
    assert holds_html(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a < b > c",
        "<foo>",
        "<pa>",
        "< p>",
        "<p",
        "<h7>",
        "&lt;p&gt;",
        "<p<",
        "<http://x>",
        "<!-- p -->",
    ],
)
def test_text_without_a_tag_of_a_note_is_no_html(text: str) -> None:
    assert not holds_html(text)


@through(
    "markdown",
    [
        (f"{section} {number}", example)
        for section, examples in EXAMPLES.items()
        for number, example in enumerate(examples)
    ],
)
def test_what_the_dialect_leaves_alone_reads_as_commonmark(markdown: str) -> None:
    expected = (
        MarkdownIt("commonmark", {"html": False})
        .disable(["html_block", "html_inline"])
        .render(markdown)
    )
    assert flat(render(markdown)) == flat(expected)


def flat(html: str) -> str:
    """Return HTML without its layout, so that only structure and text are compared."""
    html = (
        re.sub(r"<br ?/?>", "\n", html)
        .replace("<hr />", "<hr>")
        .replace("&quot;", '"')
        .replace("&nbsp;", "\u00a0")
        .replace("%20", " ")
    )
    html = re.sub(
        r"\s*(</?(?:p|[uo]l|li|blockquote|h\d|hr|pre)\b[^>]*>|</code></pre>)\s*", r"\1", html
    )
    return re.sub(r"\s+", " ", html).strip()


CONTEXTS = [
    "{}",
    "> {}",
    "- {}",
    "| a |\n|-|\n| {} |",
    "*{}*",
    "<p>{}</p>",
    "<table><tr><td>{}</td></tr></table>",
    "<ul><li>{}",
]


@through("payload", [(repr(payload), payload) for payload in PAYLOADS])
def test_nothing_hostile_gets_through(payload: str) -> None:
    for context in CONTEXTS:
        source = context.replace("{}", payload)
        markdown = to_markdown(source)
        assert strangers(render(source)) == [], context
        assert strangers(render(markdown)) == [], context
        assert strangers(render(to_markdown(render(source)))) == [], context


def test_there_are_many_hostile_payloads() -> None:
    assert len(set(PAYLOADS)) > 250


MANY = 20_000


@pytest.mark.parametrize(
    "markdown",
    [
        "[" * MANY,
        "[" * MANY + "](x)" * MANY,
        "[a](" * MANY,
        "*a " * MANY,
        "*a**b***c" * MANY,
        "~~a" * MANY,
        "`" * MANY,
        " ".join("`" * length for length in range(1, 200)),
        "> " * MANY,
        "- " * MANY,
        "".join("  " * depth + "- a\n" for depth in range(300)),
        "1. " * MANY,
        "<" * MANY,
        "&#" * MANY,
        "\t" * MANY + "a",
        "|" * MANY + "\n" + "|-" * MANY,
        "| a " * 1000 + "|\n" + "|-" * 1000 + "|\n" + "| b |\n" * 1000,
        "| a |\n|-|\n" + "| b |\n" * 10_000,
        "\n" * MANY,
        "- a\n" * 30_000,
        "a " * MOST_CHARACTERS,
    ],
    ids=lambda markdown: repr(markdown[:12]),
)
def test_a_pathological_text_renders_line_for_line(markdown: str) -> None:
    html = render(markdown)
    assert html.count("\n") == markdown.count("\n")
    assert strangers(html[:100_000]) == []


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 5_000 + "end" + "</div>" * 5_000,
        "<blockquote>" * 1_500 + "end",
        "<ul><li>" * 900 + "end",
        "<b>" * 1_900 + "end",
        "<b>" * 100_000 + "end",
        "<unknown>" * 100_000 + "end",
        "<a href=x>" * 10_000 + "end",
        "<table><tr><td>" * 300 + "end",
        "<p>" + " " * 100_000 + "end",
        "<p>" + "<code>`</code>" * 2_000 + "end",
        "<" * 100_000 + " end",
        "<p>" + "&amp;#42;" * MANY + "end",
    ],
    ids=lambda html: repr(html[:12]),
)
def test_pathological_html_becomes_markdown_with_its_text(html: str) -> None:
    assert "end" in to_markdown(html)


def test_a_text_nested_too_deep_is_shown_as_plain_lines() -> None:
    assert render("> " * 100 + "*a*\n- b") == "<p>" + "&gt; " * 100 + "*a*<br>\n- b</p>"


def test_a_text_that_is_too_long_is_shown_as_plain_lines() -> None:
    assert render("*a*\n" * (MOST_CHARACTERS // 4) + "# b").endswith("*a*<br>\n*a*<br>\n# b</p>")


def test_quotes_of_any_depth_that_render_come_back() -> None:
    for depth in (1, 20, 50):
        html = render("> " * depth + "a")
        assert html.count("<blockquote>") == depth
        assert render(to_markdown(html)) == html
