"""Two changes of one text are put together, and where they contradict both are kept."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.commands.daily.merge_text import has_marks, merge_texts

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d", ""]), max_size=12).map("\n".join)


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "merged"),
    [
        ("a\nb\nc\n", "a\nB\nc\n", "a\nb\nc\nd\n", "a\nB\nc\nd\n"),
        ("a\nb\nc\n", "b\nc\n", "a\nb\n", "b\n"),
        ("a\nb\n", "a\nx\nb\n", "a\nx\nb\n", "a\nx\nb\n"),
        ("a\nb\nc", "a\nb\nc", "", ""),
        ("", "mine", "", "mine"),
        ("a\r\nb\r\n", "a\r\nB\r\n", "A\r\nb\r\n", None),
    ],
)
def test_changes_in_different_places_are_merged(
    base: str, mine: str, theirs: str, merged: str | None
) -> None:
    found = merge_texts(base, mine, theirs)
    if merged is None:
        assert found.conflicts == 1
    else:
        assert (found.text, found.conflicts) == (merged, 0)
        assert not has_marks(found.text)


def test_a_contradiction_keeps_both_between_marks() -> None:
    found = merge_texts("one\ntwo\nthree", "one\nmine\nthree", "one\ntheirs\nthree")
    assert found.conflicts == 1
    assert has_marks(found.text)
    assert found.text == (
        "one\n<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> the note as it is now\nthree"
    )


@given(TEXTS, TEXTS, TEXTS)
def test_no_line_of_either_change_is_lost(base: str, mine: str, theirs: str) -> None:
    found = merge_texts(base, mine, theirs)
    kept = set(base.splitlines())
    for line in {*mine.splitlines(), *theirs.splitlines()} - kept:
        assert line in found.text.splitlines()


@given(TEXTS, TEXTS)
def test_one_change_alone_is_taken_whole(base: str, changed: str) -> None:
    assert merge_texts(base, changed, base) == (changed, 0)
    assert merge_texts(base, base, changed) == (changed, 0)
    assert merge_texts(base, changed, changed) == (changed, 0)


def test_a_very_long_text_is_merged_at_once() -> None:
    base = "".join(f"line {number % 50}\n" for number in range(60_000))
    mine = base.replace("line 7\n", "mine\n", 1)
    theirs = base + "theirs\n"
    began = time.process_time()
    found = merge_texts(base, mine, theirs)
    assert (found.text, found.conflicts) == (mine + "theirs\n", 0)
    assert time.process_time() - began < 5
