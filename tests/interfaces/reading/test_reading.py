"""A note's text as its reader sees it: what leads somewhere, what is hidden, what may not run."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from app.interfaces.home.notes.home_leads import HomeLeads
from app.interfaces.reading.leads import Leads
from app.interfaces.reading.reading import read

pytestmark = pytest.mark.anyio


def linked(*tags: str, **titles: int) -> Any:
    """The links of a note: what stands in brackets leads to the note of that number."""
    links = [
        SimpleNamespace(kind="wiki", target=target, note_id=number, title=target.split("#")[0])
        for target, number in titles.items()
    ]
    return SimpleNamespace(links=links, tags=list(tags))


KNOWN = HomeLeads(linked("beans", "project/haus", **{"A/B#h": 7, "Plan#The Way": 8, "Plan": 8}))


async def shown(markdown: str, leads: Leads = KNOWN, **more: Any) -> str:
    return (await read(markdown, leads, **more)).html


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("see [[A/B#h|it]]", '<a class="wiki" href="/notes/7#h-h">it</a>'),
        ("[[A/B#h]]", ">B › h</a>"),
        ("[[Plan#The Way]]", '<a class="wiki" href="/notes/8#h-the-way">Plan › The Way</a>'),
        ("[[Plan]]", '<a class="wiki" href="/notes/8">Plan</a>'),
        ("see [[Gone]]", '<a class="wiki missing" href="/notes/named?to=Gone">Gone</a>'),
        ("[[a<b>&]]", '<a class="wiki missing" href="/notes/named?to=a%3Cb%3E%26">a&lt;b&gt;&amp;'),
        ("`[[A/B#h]]`", "<code>[[A/B#h]]</code>"),
        ("![x](/os/attachments/5)", '<img src="/api/v1/os/attachments/5" alt="x" loading="lazy">'),
        ("[x](/os/attachments/5)", '<a href="/api/v1/os/attachments/5">x</a>'),
        ("[x](/os/attachments/5#page=3)", '<a href="/api/v1/os/attachments/5#page=3">x</a>'),
        ("[x](/os/notes/5)", '<a class="wiki" href="/notes/5">x</a>'),
        ("[x](/os/notes/5#A%20part)", '<a class="wiki" href="/notes/5#h-a-part">x</a>'),
        ("![x](https://a.b)", '<a href="https://a.b" rel="noreferrer" target="_blank">x</a>'),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        (
            'see https://a.b/?c&d"e.',
            '<a href="https://a.b/?c&amp;d" rel="noreferrer" target="_blank">'
            'https://a.b/?c&amp;d</a>"e.',
        ),
        ("(https://a.b).", "https://a.b</a>)."),
    ],
)
async def test_links_and_pictures_lead_where_they_should(markdown: str, html: str) -> None:
    assert html in await shown(markdown)


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("_so_ and __very__", "<em>so</em> and <strong>very</strong>"),
        ("_see [[A/B#h]] now_", '<em>see <a class="wiki" href="/notes/7#h-h">B › h</a> now</em>'),
        ("==this== 1==2==3", "<mark>this</mark> 1==2==3"),
        ("snake_case_word _ a _", "snake_case_word _ a _"),
        ("`_x_` https://a.b/_c_", '<code>_x_</code> <a href="https://a.b/_c_"'),
        ("_<img>_", "<em>&lt;img&gt;</em>"),
        ("> [!tip] A *b*\n> c", '<blockquote class="callout good"><p>A <em>b</em><br>\nc</p>'),
        ("> [!NOTE]\n> c", '<blockquote class="callout plain"><p>Note<br>\nc</p>'),
        ('> [!a"onclick=] x', "<blockquote><p>[!a"),
        ("> plain [!tip] x", "<blockquote><p>plain [!tip] x</p>"),
    ],
)
async def test_what_notes_of_other_programs_mean_is_shown(markdown: str, html: str) -> None:
    assert html in await shown(markdown)


async def test_headings_have_ids_of_their_own_and_links_find_them() -> None:
    text = (
        "## The Way\n\n[a](#the-way) [b](#The%20Way) [[#the way]] [[#The Way|c]] [[#gone]]\n\n"
        '## The Way\n\n## "><img src=x> [[Plan|p]]\n\n## Küche & Bad!\n\n## 🎉\n\n[d](#küche-bad)'
    )
    page = await read(text, KNOWN)
    ids = [heading.id for heading in page.outline]
    assert ids == ["h-the-way", "h-the-way-2", "h-img-src-x-plan-p", "h-küche-bad", "h-part"]
    assert [heading.text for heading in page.outline][2:4] == ['"><img src=x> p', "Küche & Bad!"]
    assert page.html.count('href="#h-the-way"') == 4
    assert '<a class="wiki" href="#h-the-way">the way</a>' in page.html
    assert '<span class="wiki">gone</span>' in page.html
    assert '<a class="wiki" href="#h-küche-bad">d</a>' in page.html
    assert all(page.html.count(f'id="{id_}"') == 1 for id_ in ids)


async def test_few_headings_have_no_outline_and_the_title_is_none_of_them() -> None:
    text = "# Soup\n\n## One\n\n### Two\n\nwords"
    assert (await read(text, KNOWN, title="Soup")).outline == []
    outline = (await read(f"{text}\n\n## Three", KNOWN, title="soup")).outline
    assert [(one.text, one.depth) for one in outline] == [("One", 0), ("Two", 1), ("Three", 0)]


async def test_a_guest_follows_nothing() -> None:
    text = "[[Plan#The Way]] ![[Plan]] #beans [n](/os/notes/8) [f](/os/attachments/5) end"
    html = await shown(f"{text}\n\n![p](/os/attachments/5)", Leads())
    assert "<a" not in html
    assert "<img" not in html
    assert "Plan › The Way" in html
    assert "<span>n</span> <span>f</span> end" in html


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("floor plan.png|300", 'alt="floor plan.png" width="300"'),
        ("A rose|300x200", 'alt="A rose" width="300" height="200"'),
        ("|40", 'alt="" width="40"'),
        ("a|b", 'alt="a|b" loading'),
        ("x|0", 'alt="x|0" loading'),
        ("x|99999", 'alt="x|99999" loading'),
        ('x" onerror=|7', 'alt="x&quot; onerror=" width="7"'),
    ],
)
async def test_pictures_have_the_size_that_is_asked_for(name: str, html: str) -> None:
    assert html in await shown(f"![{name}](/os/attachments/5)")


async def test_the_size_of_a_picture_in_a_table_is_known() -> None:
    html = await shown("| a |\n|---|\n| ![x.png\\|300](/os/attachments/5) |")
    assert 'alt="x.png" width="300"' in html


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("a %%b\nc%% d", "<p>a<br>\nd</p>"),
        ("%%\nhidden\n\nall of it\n%%\n\nshown", "\n\n\n\n\n\n<p>shown</p>"),
        ("20 %% of this\n\nand 30 %% of that", "<p>20 %% of this</p>\n\n<p>and 30 %% of that</p>"),
        ("`%%code%%` %%c%%", "<p><code>%%code%%</code></p>"),
        ("```\n%%x%%\na ^block1\n```", "%%x%%\na ^block1"),
        ("A line ^block1\nanother ^37066d", "<p>A line<br>\nanother</p>"),
        ("- item ^a-1\n\n^table", "<ul><li>item</li></ul>"),
        ("12 m ^2\nx^10\n2 ^10 of", "<p>12 m ^2<br>\nx^10<br>\n2 ^10 of</p>"),
        ("[[Plan#^block1]] [[Plan#^block1|so]]", ">Plan</a> <a"),
    ],
)
async def test_comments_and_names_of_blocks_are_hidden(markdown: str, html: str) -> None:
    assert html in await shown(markdown)


async def test_boxes_below_what_is_hidden_know_their_line() -> None:
    text = "%%\nsecret\n\n%%\n- [ ] one ^id1\n\n[^1]: said\n    more\n\n- [ ] two[^1]"
    html = await shown(text, may_tick=True)
    assert 'value="4" aria-label="one"' in html
    assert 'value="9" aria-label="two[^1]"' in html


async def test_footnotes_stand_below_the_text_and_lead_there_and_back() -> None:
    text = (
        "One[^b], two[^a] and[^b] again, [^none], `[^a]`.\n\n[^a]: First *one*\n    and [[Plan]]\n"
        "[^b]: Second\n[^c]: Nobody asks\n\n    [^a]: code"
    )
    html = await shown(text)
    mark = '<sup><a href="#foot-1" id="foot-1-from" role="doc-noteref">1</a></sup>'
    assert f"One{mark}, two<sup>" in html
    assert html.count('id="foot-1-from"') == 1
    assert "[^none], <code>[^a]</code>" in html
    assert "[^a]: code" in html
    notes = html[html.index('<ol class="footnotes">') :]
    assert [notes.index(said) for said in ("Second", "First", "Nobody")] == sorted(
        notes.index(said) for said in ("Second", "First", "Nobody")
    )
    assert '<em>one</em><br>\nand <a class="wiki" href="/notes/8">Plan</a>' in notes
    assert '<a href="#foot-1-from" role="doc-backlink">↩</a>' in notes


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("a<br>b<BR/>c", "a<br>b<br>c"),
        (
            "H<sub>2</sub>O, <kbd>Ctrl</kbd>, <u>*so*</u>",
            "H<sub>2</sub>O, <kbd>Ctrl</kbd>, <u><em>",
        ),
        ("<u>open\n\n</u> <kbd>", "<p>&lt;u&gt;open</p>\n\n<p>&lt;/u&gt; &lt;kbd&gt;</p>"),
        ("`<kbd>x</kbd>`", "<code>&lt;kbd&gt;x&lt;/kbd&gt;</code>"),
        ("<u onclick=x>a</u>", "<p>&lt;u onclick=x&gt;a&lt;/u&gt;</p>"),
        ("<details>\n\nunclosed", "&lt;details&gt;"),
        ("</details>\n\n<details>", "<details></details>"),
        ("<u>**a</u>**", "<u><strong>a</strong></u>"),
        ("<form><script>x</script></form>", "&lt;form&gt;&lt;script&gt;"),
    ],
)
async def test_a_few_tags_that_change_but_the_look_of_words_are_let_in(
    markdown: str, html: str
) -> None:
    assert html in await shown(markdown)


async def test_what_a_note_folds_is_folded() -> None:
    text = "<details>\n<summary>More</summary>\n\n- [ ] box\n\n</details>\n\nbelow"
    html = await shown(text, may_tick=True)
    assert "<details>\n<summary>More</summary>" in html
    assert html.index("<button") < html.index("</details>") < html.index("<p>below</p>")
    assert 'value="3"' in html
    assert html.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        (
            "> [!tip]- A *b*\n> c\n\nd",
            '<details class="callout good"><summary>A <em>b</em></summary><p>\nc</p></details>'
            "\n\n<p>d</p>",
        ),
        (
            "> [!danger]+",
            '<details class="callout careful" open><summary>Danger</summary></details>',
        ),
        (
            "> [!tip]- **a\n> b**\n> c",
            "<summary><strong>a<br>\nb</strong></summary><p>\nc</p></details>",
        ),
        (
            "> [!tip]- a\n> > [!note]- b\n> > c",
            '<summary>a</summary><details class="callout plain"><summary>b</summary><p>\nc</p>'
            "</details></details>",
        ),
    ],
)
async def test_a_callout_with_a_sign_can_be_folded(markdown: str, html: str) -> None:
    assert html in (await shown(markdown)).replace("</summary>\n<d", "</summary><d")


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("#beans, (#beans) #Beans", '<a class="hash" href="/search?q=tag%3Abeans">#beans</a>'),
        ("#project/haus", '<a class="hash" href="/search?q=tag%3Aproject%2Fhaus">#project/haus'),
        ("#other #12 a#beans", "<p>#other #12 a#beans</p>"),
        ("**a**#beans `#beans`", "<strong>a</strong>#beans <code>#beans</code>"),
        ("## #beans", ">#beans</h2>"),
        ("[#beans](x)", '<a href="x">#beans</a>'),
    ],
)
async def test_a_tag_in_a_text_leads_to_all_that_has_it(markdown: str, html: str) -> None:
    assert html in await shown(markdown)


async def test_a_note_stands_in_another_where_it_is_a_paragraph_alone() -> None:
    leads = HomeLeads(linked(Plan=8), {"Plan": "<p>of it</p>"})
    html = await shown("![[Plan]]\n\nin ![[Plan]] line\n\n![[Gone]]", leads)
    box = '<blockquote class="embed"><p><a class="wiki" href="/notes/8">Plan</a></p><p>of it</p>'
    assert box in html
    assert 'in <a class="wiki" href="/notes/8">Plan</a> line' in html
    assert "!" not in html


async def test_a_long_text_is_read_beside_the_event_loop() -> None:
    threads: set[int] = set()

    class Watching(Leads):
        def tag(self, tag: str) -> str:
            threads.add(threading.get_ident())
            return ""

    await read("#short", Watching())
    assert threads == {threading.get_ident()}
    threads.clear()
    await read("#long " * 1_000, Watching())
    assert threading.get_ident() not in threads
