"""Links in a text: what is one and what is not, how each may be read, where it stands, and what
a new title leaves alone.
"""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.markdown import blocks
from app.core.text import fold_name
from app.workspace.index import link_text
from app.workspace.index.link_text import Target

FOUND = [
    ("[[Plan]]", [("wiki", "Plan", "Plan")]),
    ("[[Plan|the plan]]", [("wiki", "Plan", "the plan")]),
    ("| [[Plan\\|the plan]] |", [("wiki", "Plan", "the plan")]),
    ("[[ Work/Plan#Goals ]]", [("wiki", "Work/Plan#Goals", "Work/Plan#Goals")]),
    ("# A heading with [[Plan]]", [("wiki", "Plan", "Plan")]),
    ("a[[b]]c[[d]]", [("wiki", "b", "b"), ("wiki", "d", "d")]),
    ("[[計画]] and [[Über]]", [("wiki", "計画", "計画"), ("wiki", "Über", "Über")]),
    ("hearth:note/12", [("note", "12", "hearth:note/12")]),
    ("(hearth:note/12)", [("note", "12", "hearth:note/12")]),
    ("[it](hearth:note/12)", [("note", "12", "it")]),
    ("[it](</os/notes/12>)", [("note", "12", "it")]),
    ("See /api/v1/os/notes/12.", [("note", "12", "/api/v1/os/notes/12")]),
    (
        "http://127.0.0.1:8765/api/v1/os/notes/12?x=1",
        [("note", "12", "http://127.0.0.1:8765/api/v1/os/notes/12")],
    ),
    ("[a b](https://home.example/os/notes/3#top)", [("note", "3", "a b")]),
    (
        "#tag and (#other-tag), #a/b",
        [("tag", "tag", "#tag"), ("tag", "other-tag", "#other-tag"), ("tag", "a/b", "#a/b")],
    ),
    ("#2026-plan #計画", [("tag", "2026-plan", "#2026-plan"), ("tag", "計画", "#計画")]),
]


@pytest.mark.parametrize(("text", "wanted"), FOUND)
def test_a_link_is_found_with_what_it_shows(text: str, wanted: list[tuple[str, str, str]]) -> None:
    assert [(link.kind, link.target, link.shown) for link in link_text.find_links(text)] == wanted


NOT_FOUND = [
    "",
    "plain text",
    "[Plan]",
    "[[]]",
    "[[ ]]",
    "[[|shown]]",
    "[[Plan]",
    "[[Plan\n]]",
    "[[[[",
    "`[[Plan]]`",
    "``a ` [[Plan]]``",
    "```\n[[Plan]]\n```",
    "```\n[[Plan]]",
    "~~~ text\n#tag [[Plan]]\n~~~",
    "- ```\n  [[Plan]]\n  ```",
    "> ```\n> [[Plan]]\n> ```",
    "1. ~~~\n   #tag\n   ~~~",
    "````\n```\n[[Plan]]\n````",
    "os/notes/12",
    "path/os/notes/12",
    "/os/notes/12/links",
    "/os/notes/012",
    "/os/notes/",
    "/os/notes/12a",
    "xhearth:note/12",
    "ftp://x/os/notes/12",
    "# heading #no",
    "## #no",
    "a#b",
    "http://x.example/#fragment",
    "[x](#anchor)",
    "#12",
    "# ",
    "##tag",
    "#-",
    "[FS]: #anchor",
    "> [FS]: #anchor",
    "   # heading #no",
    "> # heading #no",
    "    [[Plan]] #indented",
    "- ````\n  ```\n  #a\n  ````",
    "````\n~~~\n#tag",
    "- ```\n  #a\n\n  #b",
    "[[" * 50,
    "]]" * 50,
    "[[" + "a" * 2_000 + "]]",
]


@pytest.mark.parametrize("text", NOT_FOUND)
def test_what_is_no_link_is_left_alone(text: str) -> None:
    assert link_text.find_links(text) == []
    assert link_text.link_targets(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "`a` [[Plan]]",
        "``` a ``` [[Plan]]",
        "```\na\n```\n[[Plan]]",
        "`a\n` [[Plan]]",
        "~~ [[Plan]]",
        "```\n~~~\n```\n[[Plan]] ~~~",
        "- ```\n\n[[Plan]]",
        "a\n    [[Plan]]",
        "[a]: b [[Plan]]",
    ],
)
def test_a_link_beside_code_is_one(text: str) -> None:
    assert [link.target for link in link_text.find_links(text)] == ["Plan"]


READINGS = [
    ("[[Plan]]", [("plan", "")]),
    ("[[WORK/Plan]]", [("work/plan", ""), ("plan", "work")]),
    ("[[a/b/C]]", [("a/b/c", ""), ("b/c", "a"), ("c", "a/b")]),
    ("[[C# notes]]", [("c# notes", ""), ("c", "")]),
    (
        "[[Work/Plan#Goals]]",
        [("work/plan#goals", ""), ("plan#goals", "work"), ("work/plan", ""), ("plan", "work")],
    ),
    ("[[#Goals]]", [("#goals", "")]),
    ("[[Straße]]", [("strasse", "")]),
    ("[[E\u0301te\u0301]]", [("été", "")]),
]


@pytest.mark.parametrize(("text", "wanted"), READINGS)
def test_a_link_is_read_as_a_title_first_and_then_with_path_and_heading(
    text: str, wanted: list[tuple[str, str]]
) -> None:
    (link,) = link_text.find_links(text)
    assert [(target.name, target.path) for target in link_text.link_readings(link)] == wanted


REWRITTEN = [
    ("[[Plan]] [[plan]]", "[[New]] [[New]]"),
    ("[[Plan|shown]]", "[[New|shown]]"),
    ("|[[Plan\\|shown]]|", "|[[New\\|shown]]|"),
    ("[[Plan#Goals]]", "[[New#Goals]]"),
    ("[[Work/Plan#Goals|x]]", "[[Work/New#Goals|x]]"),
    (
        "[[Home/Plan]] [[Planning]] Plan [Plan](plan)",
        "[[Home/Plan]] [[Planning]] Plan [Plan](plan)",
    ),
    ("`[[Plan]]` [[Plan]]", "`[[Plan]]` [[New]]"),
    ("\r\n[[Plan]]\r\n\r", "\r\n[[New]]\r\n\r"),
]


@pytest.mark.parametrize(("text", "wanted"), REWRITTEN)
def test_rewriting_changes_the_title_and_nothing_else(text: str, wanted: str) -> None:
    there = {Target("wiki", "plan"): "New", Target("wiki", "plan", "work"): "New"}
    assert link_text.rewrite_links(text, there.get) == wanted


texts = st.lists(
    st.sampled_from(
        [
            "[[",
            "]]",
            "|",
            "#",
            "/",
            "`",
            "```",
            "~~~",
            "\n",
            "\r",
            " ",
            "- ",
            "> ",
            "Plan",
            "a",
            "é",
            "計",
            "🚀",
            "\\",
            "(",
            "/os/notes/1",
            "#t",
        ]
    )
    | st.text(max_size=5),
    max_size=40,
).map("".join)


@given(texts)
def test_of_any_text_every_link_stands_where_it_says(text: str) -> None:
    end = 0
    code = blocks.code_spans(text)
    for link in link_text.find_links(text):
        assert end <= link.start < link.end <= len(text)
        end = link.end
        assert not any(start <= link.start < stop for start, stop in code)
        assert link.target in text[link.start : link.end]
        assert all(target.name for target in link_text.link_readings(link))


@given(texts)
def test_of_any_text_the_code_is_in_order(text: str) -> None:
    spans = blocks.code_spans(text)
    assert all(start < end for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))


@given(texts)
def test_rewriting_a_title_that_nothing_links_to_changes_nothing(text: str) -> None:
    assert link_text.rewrite_links(text, {Target("wiki", "no such title"): "New"}.get) == text


@given(texts, st.sampled_from(["New", "Neu/er", "C#", "計画", "a b"]))
def test_after_rewriting_nothing_links_by_the_old_title_any_more(text: str, title: str) -> None:
    old = Target("wiki", "plan")
    again = link_text.rewrite_links(text, {old: title}.get)
    assert old not in link_text.link_targets(again)
    if old in link_text.link_targets(text):
        assert Target("wiki", fold_name(title)) in {
            target
            for link in link_text.find_links(again)
            for target in link_text.link_readings(link)
        }


@given(st.text(alphabet="a\n\r", max_size=60), st.lists(st.integers(0, 60), max_size=8))
def test_line_numbers_are_those_of_the_lines(text: str, places: list[int]) -> None:
    ascending = sorted(min(place, len(text)) for place in places)
    ascending = [place for place in ascending if text[place - 1 : place + 1] != "\r\n"]
    plain = [
        len(text[:place].replace("\r\n", "\n").replace("\r", "\n").split("\n"))
        for place in ascending
    ]
    assert link_text.line_numbers(text, ascending) == plain


@pytest.mark.parametrize(
    "text",
    [
        "[[" * 500_000,
        "[[" + "a" * 1_000_000,
        "`" * 1_000_000,
        "[[a]]" + "> " * 400_000,
        "#a " * 300_000,
        "/os/notes/5 " * 80_000,
        "[[a#b/c]]" * 100_000,
    ],
    ids=["open", "never closed", "ticks", "quotes", "tags", "addresses", "links"],
)
def test_a_hostile_text_gives_a_bounded_number_of_links(text: str) -> None:
    assert len(link_text.find_links(text)) <= link_text.MOST
    assert link_text.rewrite_links(text, {}.get) == text


PIECES = ["[[Hub]]", "[[a]]", "`", "``", "\n", "```\n", "~~~\n", "    ", "\t", "- ", "> ", "# "]
BROKEN = ["[[", "]]", "\n\n", "[[Hub|x `y`]]", "\r\n"]
ADDRESSES = ["/os/notes/5", "[[/os/notes/5]]", " hearth:note/5 ", "[x](/os/notes/5)", " #tag"]


@settings(max_examples=1_000, derandomize=True)
@given(st.lists(st.sampled_from([*PIECES, *BROKEN, *ADDRESSES]), max_size=14).map("".join))
def test_the_first_link_that_leads_somewhere_is_the_first_of_all_that_does(text: str) -> None:
    def leads(link: link_text.Link) -> bool:
        return link.kind != "tag" and link.target in ("Hub", "5", "/os/notes/5")

    assert link_text.first(text, leads) == next(filter(leads, link_text.find_links(text)), None)
