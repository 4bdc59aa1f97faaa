"""An editor that writes the whole note anew with each save changes only what its person changed."""

import re
from collections.abc import Callable

import pytest

from app.core.markdown.from_html import from_html as reader
from app.core.markdown.html_edit import apply_html_edit
from app.core.markdown.render_parts import render

NOTE = """# Head
Text right below it, **bold** and *slanted*, \\* with `code`
and a [link](https://x.y/a "t").

* star
* star *two*
  1. deep
  1. number
- [ ] open
- [x] done

2. two
2. two again

+ loose

+ list

  of more


> quote
>
> * in it

~~~ py
x = 1

y = 2
~~~

```
plain
```
| a | b |
|---|:-:|
| 1 | `2` |

***
last __words__ &#42;
"""


def flat(html: str) -> str:
    """Return a rendering without line ends outside of code, as no editor keeps them."""
    parts = re.split("(<pre>.*?</pre>)", html, flags=re.DOTALL)
    parts[::2] = [part.replace("\n", "") for part in parts[::2]]
    parts[1::2] = [re.sub("(?<=<code>)\n|\n(?=</code>)", "", part) for part in parts[1::2]]
    return "".join(parts)


def label_code(html: str, before: str) -> str:
    """Return HTML with the language of code where an editor has it."""
    return re.sub(
        r"<div><span>(\w+)</span><pre><code>(.*?)</code></pre></div>",
        lambda code: before.replace("{}", code[1]) + code[2] + "</code></pre>",
        html,
        flags=re.DOTALL,
    )


def wrap_items(html: str) -> str:
    """Return HTML with a paragraph in each item."""
    return re.sub("<li>(?!<p>)(.*?)(?=</li>|<ul>|<ol)", r"<li><p>\1</p>", html)


def tiptap(html: str) -> str:
    """Return a rendering as TipTap gives it back."""
    html = wrap_items(label_code(flat(html), '<pre><code class="language-{}">'))
    html = re.sub(
        '<li><p><input type="checkbox"( checked="")? disabled=""> (.*?)</p></li>',
        lambda task: (
            f'<li data-checked="{str(bool(task[1])).lower()}" data-type="taskItem"><label>'
            f'<input type="checkbox"{task[1] or ""}><span></span></label>'
            f"<div><p>{task[2]}</p></div></li>"
        ),
        html,
    )
    html = re.sub("</?t(?:head|body)>", "", html).replace("<table>", "<table><tbody>")
    html = re.sub(
        r"<(t[dh])([^>]*)>(.*?)</\1>", r'<\1 colspan="1" rowspan="1"\2><p>\3</p></\1>', html
    )
    return html.replace("</table>", "</tbody></table>").replace("<a ", '<a target="_blank" ')


def prosemirror(html: str) -> str:
    """Return a rendering as ProseMirror gives it back."""
    return wrap_items(label_code(flat(html), '<pre data-language="{}"><code>'))


def ckeditor(html: str) -> str:
    """Return a rendering as CKEditor gives it back."""
    html = label_code(flat(html), '<pre><code class="language-{}">')
    html = html.replace("<em>", "<i>").replace("</em>", "</i>")
    html = html.replace("<table>", '<figure class="table"><table>')
    html = re.sub(
        '<li><input type="checkbox"( checked="")? disabled=""> (.*?)</li>',
        r'<li><label><input type="checkbox"\1 disabled><span>\2</span></label></li>',
        html,
    )
    return html.replace("</table>", "</table></figure>")


def lexical(html: str) -> str:
    """Return a rendering as Lexical gives it back."""
    html = label_code(flat(html), '<pre data-language="{}"><code>')
    html = re.sub("<(p|h1|ul|ol|li)>", r'<\1 dir="ltr">', html)
    return re.sub("(?<=>)([^<>]+)(?=</(?:p|h1)>)", r'<span style="color: black">\1</span>', html)


EDITORS = [tiptap, prosemirror, ckeditor, lexical]
Editor = Callable[[str], str]


@pytest.mark.parametrize("times", [1, 60])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("editor", EDITORS)
def test_a_save_that_changes_nothing_leaves_every_byte(
    editor: Editor, end: str, times: int
) -> None:
    source = (NOTE * times).replace("\n", end)
    assert apply_html_edit(source, editor(render(source))) == source


@pytest.mark.parametrize(
    ("shown", "wanted", "was", "now"),
    [
        ("star <em>two</em>", "star <em>two</em> &amp; more", "star *two*", "star *two* & more"),
        ("Text right", "New text right", "Text right", "New text right"),
        ("<h1>Head</h1>", "<h1>Head</h1><p>put in</p>", "# Head\n", "# Head\n\nput in\n\n"),
        ("y = 2", "y = 3\n\nz = 4", "y = 2", "y = 3\n\nz = 4"),
        ("loose", "loose one", "+ loose", "+ loose one"),
    ],
)
@pytest.mark.parametrize("editor", [tiptap, prosemirror])
def test_a_save_changes_the_lines_that_were_edited(
    editor: Editor, shown: str, wanted: str, was: str, now: str
) -> None:
    html = editor(render(NOTE))
    assert html.count(shown) == 1
    assert apply_html_edit(NOTE, html.replace(shown, wanted)) == NOTE.replace(was, now, 1)


def test_an_editor_that_writes_tight_lists_itself_makes_lists_loose() -> None:
    source = "* a\n* b\n\ntext\n\n- c\n- d"
    html = flat(render(source))
    html = re.sub("<li>([ab])</li>", r"<li><p>\1</p></li>", html)
    assert apply_html_edit(source, html) == "* a\n\n* b\n\ntext\n\n- c\n- d"


def test_new_lists_of_an_editor_that_cannot_say_it_are_as_those_of_the_note() -> None:
    new = "<ul><li><p>x</p></li><li><p>y</p><ul><li><p>z</p></li></ul></li></ul>"
    quote = "<ul><li><p>q</p><blockquote><p>r</p></blockquote></li></ul>"
    old = "<ul><li><p>a</p></li><li><p>b</p></li></ul><p>t</p>"
    assert apply_html_edit("* a\n* b", old + new) == "* a\n* b\n\nt\n\n* x\n* y\n  * z"
    assert "- q\n  > r" in apply_html_edit("- a\n- q", f"<p>t</p>{quote}")
    assert "<li><p>x</p>" in render(apply_html_edit("+ a\n\n+ b", new))


def test_a_later_save_reads_only_the_parts_that_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    days = (f"## Day {day}\n\n* one *{day}*\n* two\n\nText {day}.\n\n" for day in range(900))
    source = "".join(days)
    html = tiptap(render(source))
    apply_html_edit(source, html)
    read: list[str] = []
    parse = reader.parse
    monkeypatch.setattr(reader, "parse", lambda html: (read.append(html), parse(html))[1])
    changed = html.replace("Text 400.", "Text four hundred.")
    assert apply_html_edit(source, changed) == source.replace("Text 400.", "Text four hundred.")
    assert read == ["<p>Text four hundred.</p>"]
