"""The reader of blocks: it sees the headings and the code that the renderer shows, and cuts
where nothing changes by it.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.agent.heartbeat.look import checklist
from app.agent.rules.passages import sentences
from app.core.markdown import blocks, convert, render_cuts, render_parts
from app.core.markdown.to_html.dialect import markdown_parser
from app.portability.formats import memo_versions
from app.workspace.index import link_text, word_index
from app.workspace.search.vectors import note_passages

MARKED = (
    "# h/  ## h/   ### h/    # no/\t# no/```/~~~/````/  ```py/~~~ py/``` a`b/> q/> "
    "# h/> ```/> - a/---/   ~~~/  ```"
)
LISTED = "- a/- a/- a/  - b/1. a/   b/2) c/* x/- # h/- ```/- - a/-/1./  c/    d/  x"
LINES = ["", "", "a", "b c", *MARKED.split("/"), *LISTED.split("/")]
texts = st.lists(st.sampled_from(LINES), max_size=12).map("\n".join)


def shown(text: str) -> list[str]:
    """Return what each line is to the parser behind the renderer."""
    kinds = ["text"] * (text.count("\n") + 1)
    for token in markdown_parser().parse(text):
        if token.map and token.type in ("fence", "code_block"):
            kinds[slice(*token.map)] = ["code"] * (min(token.map[1], len(kinds)) - token.map[0])
        elif token.map and token.tag[:1] == "h" and token.tag[1:].isdecimal():
            kinds[token.map[0]] = token.tag
    return kinds


def seen(text: str) -> list[str]:
    """Return the same as the reader of blocks sees it."""
    return [
        "code"
        if line.kind in ("fence", "code", "end", "indented")
        else f"h{line.level}"
        if line.level
        else "text"
        for line in blocks.read_lines(text)
    ]


@settings(max_examples=400, deadline=None, derandomize=True)
@given(texts)
def test_headings_and_code_are_those_that_the_renderer_shows(text: str) -> None:
    full = [
        bool(line.strip(" \t>")) for line in text.split("\n")
    ]  # whether an empty line below code belongs to it shows nowhere
    assert [kind for kind, is_full in zip(seen(text), full, strict=True) if is_full] == [
        kind for kind, is_full in zip(shown(text), full, strict=True) if is_full
    ]


@settings(max_examples=400, deadline=None, derandomize=True)
@given(texts)
def test_fences_at_the_margin_are_those_that_are_found_line_by_line(text: str) -> None:
    short = blocks._fences_at_margin(text)
    assert short is None or short == blocks._code_by_line(text)


@given(texts, st.sampled_from(["\r\n", "\r"]))
def test_every_line_end_parts_lines_and_each_stands_where_it_says(text: str, end: str) -> None:
    given = text.replace("\n", end)
    assert [
        given[line.start : line.end].rstrip("\r") for line in blocks.read_lines(given)
    ] == text.split("\n")
    assert seen(given) == seen(text)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(texts)
def test_a_text_with_lists_renders_by_parts_as_in_one(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(render_cuts, "LINES_TOGETHER", 1)
        assert render_parts.join_html(render_parts.render_marked(text)) == convert.render_marks(
            text
        )


def test_a_long_list_is_rendered_in_many_parts() -> None:
    text = "# Log\n" + "".join(f"- item *{number}*\n  - inner\n" for number in range(2_000))
    assert len(list(render_parts.render_marked(text))) > 50
    assert render_parts.join_html(render_parts.render_marked(text)) == convert.render_marks(text)


@pytest.mark.parametrize(
    "text",
    ["> " * 50_000, "- " * 50_000 + "\n" * 50_000, "`" * 100_000, "\t" * 100_000, "1. " * 50_000],
    ids=lambda text: repr(text[:4]),
)
def test_a_hostile_text_is_read_soon(text: str) -> None:
    assert sum(1 for _ in blocks.read_lines(text)) == text.count("\n") + 1


CODE = [
    "~~~\n# no #no [[No]]\n~~~",
    "````\n```\n# no #no [[No]]\n````",
    "- ```\n  # no #no [[No]]\n  ```",
    "    # no #no [[No]]",
    "> ~~~\n> # no #no [[No]]",
]


@pytest.mark.parametrize("code", CODE)
def test_everyone_who_reads_a_note_sees_the_same_code(code: str) -> None:
    text = f"{code}\n\n   ## Real\n\nA sentence of some words stands here.\n"
    assert link_text.find_links(text) == []
    assert word_index.fts_columns(word_index.IndexedText("T", "[]", text))["headings"].split() == [
        "##",
        "Real",
    ]
    assert {
        passage.text.split("\n")[1]
        for passage in note_passages.cut_passages("T", text + "word " * 200, characters=200)[2:]
    } == {"Real"}
    assert sentences.split_sentences(text)[-1].heading == "Real"
    assert all("no" not in sentence.heading for sentence in sentences.split_sentences(text))
    assert [line.level for line in blocks.headings(text)] == [2]


@pytest.mark.parametrize("fence", ["~~~", "````", "   ```"])
def test_a_checklist_has_no_tasks_in_code(fence: str) -> None:
    inner = "~~~" if "`" in fence else "```"
    text = f"{fence}\n- not this\n{inner}\n- nor this\n{fence}\n- look at the mail\n"
    assert [task.text for task in checklist.parse_tasks(text)] == ["look at the mail"]


def test_tags_of_a_memo_stand_outside_its_code() -> None:
    found = memo_versions.memo(
        {
            "name": "memos/1",
            "createTime": "2026-01-01T00:00:00Z",
            "content": "~~~\n#no\n~~~\n#yes `#no` ````#no````",
        }
    )
    assert found is not None
    assert found.tags == ("yes",)


def test_the_anchors_of_definitions_are_no_tags() -> None:
    text = "[FS]: #anchor\n  [b c]: #other\n\nSee [FS] and #real.\n"
    assert [link.target for link in link_text.find_links(text)] == ["real"]
