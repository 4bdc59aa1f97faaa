"""The reader of blocks: it sees the headings and the code that the renderer shows, and cuts where nothing changes by it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core import blocks, markdown, parts
from app.core.markdown_rules import engine

# fmt: off
LINES = [
    "", "", "a", "b c", "# h", "  ## h", "   ### h", "    # no", "\t# no", "```", "~~~", "````", "  ```py", "~~~ py", "``` a`b", "- a", "- a", "  - b",
    "  c", "    d", "1. a", "   b", "2) c", "* x", "> q", "> # h", "> ```", "> - a", "- # h", "- ```", "  x", "  ```", "   ~~~", "---", "- - a", "-", "1.",
]
# fmt: on
texts = st.lists(st.sampled_from(LINES), max_size=12).map("\n".join)


def shown(text: str) -> list[str]:
    """Return what each line is to the parser behind the renderer."""
    kinds = ["text"] * (text.count("\n") + 1)
    for token in engine().parse(text):
        if token.map and token.type in ("fence", "code_block"):
            kinds[slice(*token.map)] = ["code"] * (min(token.map[1], len(kinds)) - token.map[0])
        elif token.map and token.tag[:1] == "h" and token.tag[1:].isdecimal():
            kinds[token.map[0]] = token.tag
    return kinds


def seen(text: str) -> list[str]:
    """Return the same as the reader of blocks sees it."""
    return ["code" if line.kind in ("fence", "code", "end") else f"h{line.level}" if line.level else "text" for line in blocks.lines(text)]


@settings(max_examples=1_000, deadline=None, derandomize=True)
@given(texts)
def test_headings_and_code_are_those_that_the_renderer_shows(text: str) -> None:
    full = [bool(line.strip(" \t>")) for line in text.split("\n")]  # whether an empty line below code belongs to it shows nowhere
    assert [kind for kind, is_full in zip(seen(text), full, strict=True) if is_full] == [
        kind for kind, is_full in zip(shown(text), full, strict=True) if is_full
    ]


@given(texts, st.sampled_from(["\r\n", "\r"]))
def test_every_line_end_parts_lines_and_each_stands_where_it_says(text: str, end: str) -> None:
    given = text.replace("\n", end)
    assert [given[line.start : line.end].rstrip("\r") for line in blocks.lines(given)] == text.split("\n")
    assert seen(given) == seen(text)


@settings(max_examples=1_000, deadline=None, derandomize=True)
@given(texts)
def test_a_text_with_lists_renders_by_parts_as_in_one(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "ITEMS_TOGETHER", 1)
        assert parts.html(parts.marked(text)) == markdown.marked(text)


def test_a_long_list_is_rendered_in_many_parts() -> None:
    text = "# Log\n" + "".join(f"- item *{number}*\n  - inner\n" for number in range(2_000))
    assert len(list(parts.marked(text))) > 50
    assert parts.html(parts.marked(text)) == markdown.marked(text)


@pytest.mark.parametrize(
    "text", ["> " * 50_000, "- " * 50_000 + "\n" * 50_000, "`" * 100_000, "\t" * 100_000, "1. " * 50_000], ids=lambda text: repr(text[:4])
)
def test_a_hostile_text_is_read_soon(text: str) -> None:
    assert sum(1 for _ in blocks.lines(text)) == text.count("\n") + 1
