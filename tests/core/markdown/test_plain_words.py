"""Markdown in a line of plain words, with the marks where they belong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.markdown.plain_words import plain_words, without_signs


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("# Kitchen\n\n> [!warning] Budget\n> Keep **it**", "Kitchen Budget Keep it"),
        ("> [!note]-\n> Folded", "Folded"),
        ("| Item | Cost |\n| --- | ---: |\n| Tiles | 80 |", "Item Cost Tiles 80"),
        ("![Plan](/os/attachments/14) [![i](s.png)](h)", "Plan i"),
        ("see [[A|the note]], [[B]] or [x](http://y)", "see the note, B or x"),
        ("- milk\n- [x] eggs\n1. flour\n- [ ] butter", "milk eggs flour butter"),
        ("```py\nx = 1\n```\n\n---\n\n~~no~~ `yes`", "x = 1 no yes"),
        ("2 * 3 = 6, snake_case, [1] and \\* a__b", "2 * 3 = 6, snake_case, [1] and * a__b"),
        ("…> Keep it.\n\n- […", "…Keep it. …"),
        ("…plan](x.png) of [[Plu…", "…plan of Plu…"),
        ("![Plan](/os/att…", "Plan…"),
        ("", ""),
    ],
)
def test_signs_are_left_out(markdown: str, words: str) -> None:
    assert plain_words(markdown) == (words, [])


def test_marks_stay_on_their_words() -> None:
    markdown = "…> Keep **it below**\n\n| [Cost](/c) | 15 |"
    marks = [(markdown.index(word), markdown.index(word) + len(word)) for word in ("it", "Cost")]
    words, moved = plain_words(markdown, [*marks, (0, 0), (1, 2)])
    assert [words[start:end] for start, end in moved] == ["it", "Cost"]


@given(st.text(st.sampled_from("a b#>*_`[]()!|-…\n.\\1x"), max_size=80), st.data())
def test_any_text_becomes_one_line_with_marks_in_it(markdown: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(markdown)))
    end = data.draw(st.integers(start, len(markdown)))
    words, marks = plain_words(markdown, [(start, end)])
    assert words == " ".join(without_signs(markdown).split())
    assert all(0 <= first < last <= len(words) for first, last in marks)
