"""HTML read by parts gives the Markdown of the whole, and parts that were read stay known."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.markdown.from_html import from_html as reader
from app.core.markdown.from_html.html_chunks import cut_html
from app.core.markdown.from_html.html_losses import gather_losses

BLOCKS = [
    "<p>a *b*</p>",
    "<p></p>",
    "<p>x<br>y | z</p>",
    "<h2>h</h2>",
    "<ul><li>a</li><li><p>b</p></li></ul>",
    '<ol start="3"><li>x</li></ol>',
    "<pre><code>c\n\nd</code></pre>",
    "<pre>z</pre>",
    "<pre>\nz\n</pre>",
    "<div><span>py</span><pre><code>q\n</code></pre></div>",
    '<pre data-language="py"><code>q</code></pre>',
    "<hr>",
    "<blockquote><p>q</p></blockquote>",
    "<blockquote><pre>q\n</pre></blockquote>",
    "<ul><li><pre>in\n\nx</pre></li></ul>",
    "text",
    "<b>bold</b> t",
    "<div>line</div>",
    "<div></div>",
    "<div><p>u</p><ul><li>v</li></ul></div>",
    "<table><tbody><tr><td>a|b</td><td><p>c</p></td></tr></tbody></table>",
    "<table><p>x</p><tr><td>1</td></tr>out</table>",
    '<p style="text-align:center;font-weight:bold">c <sup>xy</sup></p>',
    '<ol><li data-list="bullet">q</li><li data-list="ordered" class="ql-indent-1">r</li></ol>',
    '<ul><li data-checked="true"><label><input></label><div><p>t</p></div></li></ul>',
    '<div class="ql-code-block-container"><div class="ql-code-block">a</div></div>',
    "<ul><li><div><li>x</li></div></li></ul>",
    '<a href="http://x.y">l<a href="u">m</a></a>',
    "<p><b><b><b><b>x</b></b></b></b></p>",
    '<figure><img src="a.png" alt="b"><figcaption>c</figcaption></figure>',
    "<li>alone</li>",
    "<br>",
]
documents = st.lists(
    st.tuples(st.sampled_from(BLOCKS), st.sampled_from(["", "", "\n", "\n\n", "\n\n\n", " "])),
    min_size=1,
    max_size=8,
).map(lambda pairs: "".join(block + end for block, end in pairs))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(documents)
def test_html_read_by_parts_is_read_as_in_one(html: str) -> None:
    with pytest.MonkeyPatch.context() as patch, gather_losses() as lost_in_one:
        patch.setattr(reader, "LONG", len(html) + 1)
        whole = reader.from_html(html)
    with pytest.MonkeyPatch.context() as patch, gather_losses() as lost:
        patch.setattr(reader, "LONG", 0)
        assert reader.from_html(html) == whole
        assert reader.from_html(html) == whole
    assert sorted(lost) == sorted(lost_in_one)


@pytest.mark.parametrize(
    "html",
    [
        "<p>a<p>b",
        "<p><b>a</p><p>b</b></p>",
        "<b><p>a</p><p>b</p></b>",
        "<p>a < b</p><p>c</p>",
        "<p>a</p><!-- <p>b</p> --><p>c</p>",
        "<p>a</p><svg><p>b</p></svg><p>c</p>",
        '<p x"y=" z>a</p><p>" b</p>',
        "<p>a</p></div><p>b</p>",
        "<select><p>a</p></select><p>b</p>",
    ],
)
def test_html_is_not_cut_where_a_browser_may_read_on(html: str) -> None:
    assert cut_html(html) == [html]


def test_html_is_cut_before_blocks_that_stand_in_nothing() -> None:
    assert cut_html("x<p title='>'>a</p> y<HR/><ul><li><p>b</p></li></ul>") == [
        "x",
        "<p title='>'>a</p> y",
        "<HR/>",
        "<ul><li><p>b</p></li></ul>",
    ]
