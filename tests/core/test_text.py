"""Word counts, summaries, folded names and relative times."""

import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text import fold_name, plain_lines, relative_time, summarise_text, word_count

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("markdown", "count"),
    [
        ("", 0),
        (" \n\t", 0),
        ("one two\nthree", 3),
        ("# Title\n\n- an *item*\n- [ ] task\n\n---", 4),
        ("don't snake_case a-b 3.5 (x)", 5),
        ("naïve café", 2),
        ("漢字", 2),
        ("ひらがな カタ", 6),
        ("read 漢字now", 4),
        ("한국어 단어", 2),
        ("กขค", 3),
        ("🙂 — …", 0),
        ("\ud800 a", 1),
    ],
)
def test_words_are_counted(markdown: str, count: int) -> None:
    assert word_count(markdown) == count


def test_a_long_run_of_marks_counts_nothing() -> None:
    assert word_count("-" * 1_000_000) == word_count("—" * 1_000_000) == 0


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("", ""),
        ("# Title\n\nA *b* [c](http://d)\n- e\n- [ ] f", "Title A b c e f"),
        ("```py\nx < y\n```", "py x < y"),
        ("a &#42; <b>", "a * <b>"),
    ],
)
def test_a_summary_is_one_plain_paragraph(markdown: str, text: str) -> None:
    assert summarise_text(markdown) == text


@given(st.text(max_size=2_000), st.integers(2, 50))
def test_a_summary_is_never_longer_than_asked(markdown: str, most: int) -> None:
    assert len(summarise_text(markdown, most)) <= most


def test_a_summary_ends_with_a_whole_word() -> None:
    assert summarise_text("alpha beta gamma", 12) == "alpha beta…"
    assert summarise_text("alpha beta gamma", 11) == "alpha beta…"
    assert summarise_text("alpha beta", 10) == "alpha beta"
    assert summarise_text("漢" * 100, 10) == "漢" * 9 + "…"


def test_a_summary_looks_behind_marks_without_text() -> None:
    assert summarise_text("---\n\n" * 500 + "at last", 20) == "at last"


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("", [""]),
        ("<p>a<br>\nb &lt;c&gt;</p>", ["a", "b <c>"]),
        ("\n<pre><code>&amp;amp;\n</code></pre>", ["", "&amp;", ""]),
    ],
)
def test_tags_and_entities_leave_plain_lines(html: str, lines: list[str]) -> None:
    assert plain_lines(html) == lines


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "just now"),
        (59, "just now"),
        (-59, "just now"),
        (60, "1 minute ago"),
        (3_599, "59 minutes ago"),
        (7_200, "2 hours ago"),
        (86_399, "23 hours ago"),
        (86_400, "1 day ago"),
        (8 * 86_400, "1 week ago"),
        (31 * 86_400, "1 month ago"),
        (800 * 86_400, "2 years ago"),
        (-60, "in 1 minute"),
        (-3 * 86_400, "in 3 days"),
    ],
)
def test_a_time_is_told_in_words(seconds: int, words: str) -> None:
    assert relative_time(NOW - timedelta(seconds=seconds), NOW) == words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"),
        ("é", "E\u0301"),
        ("Ⅷ", "ⅷ"),
        ("ﬁ", "FI"),
        ("ᾳ", "ΑΙ"),
        ("Ω", "\u2126"),
    ],
)
def test_names_that_differ_in_case_or_composition_fold_alike(one: str, other: str) -> None:
    assert fold_name(one) == fold_name(other)


@pytest.mark.parametrize(("one", "other"), [("a", "á"), ("o", "0"), ("a b", "ab"), ("x", "y")])
def test_other_names_stay_apart(one: str, other: str) -> None:
    assert fold_name(one) != fold_name(other)


@given(st.text())
def test_a_folded_name_is_stable(name: str) -> None:
    key = fold_name(name)
    assert fold_name(key) == key == unicodedata.normalize("NFC", key)
    assert fold_name(unicodedata.normalize("NFD", name)) == fold_name(name.casefold()) == key
