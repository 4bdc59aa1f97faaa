"""Cutting notes into passages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.workspace.search.vectors.note_passages import MOST, cut_passages, readable_text

SENTENCE = "The walrus went to the market. "


def pieces(content: str, characters: int = 200) -> list[str]:
    return [
        content[passage.start : passage.end]
        for passage in cut_passages("Title", content, characters=characters)
    ]


@pytest.mark.parametrize("content", ["", " ", "\n\n", "\t \u2003", "---\n", "![](a.png)", "| | |"])
def test_a_note_without_text_has_no_passages(content: str) -> None:
    assert cut_passages("Title", content, characters=100) == []


def test_a_passage_without_text_is_none() -> None:
    rules = "---\n\n" * 60
    assert len(found := pieces(f"{SENTENCE * 10}\n\n{rules}")) > 1
    assert all("walrus" in piece for piece in found)


def test_a_short_note_is_one_passage_under_its_title() -> None:
    assert cut_passages("Title", "  A text.\n", characters=100) == [(2, 9, "Title\nA text.")]


def test_long_text_is_cut_after_sentences() -> None:
    found = pieces(SENTENCE * 20)
    assert len(found) > 2
    assert all(piece.endswith("market.") and piece.startswith("The") for piece in found)


def test_a_section_begins_a_passage_of_its_own() -> None:
    found = pieces(f"# One\n\n{SENTENCE * 3}\n\n# Two\n\n{SENTENCE * 3}")
    assert [piece.partition("\n")[0] for piece in found] == ["# One", "# Two"]


def test_short_sections_share_a_passage() -> None:
    assert pieces("# One\n\na\n\n# Two\n\nb\n\n# Three\n\nc") == [
        "# One\n\na\n\n# Two\n\nb\n\n# Three\n\nc"
    ]


def test_a_passage_from_the_middle_tells_its_heading() -> None:
    texts = [
        passage.text
        for passage in cut_passages("Trip", f"## Packing *list*\n\n{SENTENCE * 20}", characters=200)
    ]
    assert texts[0].startswith("Trip\nPacking list The walrus")
    assert all(text.startswith("Trip\nPacking list\nThe walrus") for text in texts[1:])


def test_a_line_of_code_is_no_heading() -> None:
    content = f"# Real\n\n```sh\n# not this one\n```\n\n{SENTENCE * 20}"
    assert all(
        "\nReal\n" in passage.text for passage in cut_passages("T", content, characters=200)[1:]
    )


def test_a_short_end_stays_with_what_it_ends() -> None:
    assert len(pieces(SENTENCE * 7, characters=200)) == 1


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("see [the *plan*](https://example.org/a?b=c#d) now", "see the plan now"),
        ("![photo](a.png)", "photo"),
        ("- [ ] call **Ann**\n- [x] done", "[ ] call Ann [x] done"),
        ("> quoted\n1. first\n---\n| a | b |", "quoted first | a | b |"),
        ("snake_case a*b 5-3 `code` _so_", "snake_case a*b 5-3 code so"),
    ],
)
def test_marks_and_addresses_are_left_out(markdown: str, text: str) -> None:
    assert readable_text(markdown) == text


def test_a_huge_note_has_a_bounded_number_of_passages() -> None:
    assert len(cut_passages("T", SENTENCE * 300_000, characters=100)) == MOST


@given(st.text(st.sampled_from("ab #\n`~.。-\u2028é語"), max_size=600), st.integers(5, 60))
def test_passages_hold_every_letter_in_order_and_not_too_many_at_once(
    content: str, characters: int
) -> None:
    found = cut_passages("T", content, characters=characters)
    at = 0
    for passage in found:
        assert not any(map(str.isalnum, content[at : passage.start]))
        assert at <= passage.start <= passage.end <= at + len(content)
        assert passage.end - passage.start <= characters * 5 // 4
        assert passage.text.startswith("T")
        at = passage.end
    if len(found) < MOST:
        assert not any(map(str.isalnum, content[at:]))
