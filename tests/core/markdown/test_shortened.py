"""Texts cut where they are too long."""

from app.core.markdown.shortened import one_line, shortened


def test_a_text_is_cut_only_where_it_is_too_long() -> None:
    assert shortened("a b\nc", 5) == "a b\nc"
    assert shortened("a b\nc", 4) == "a b…"
    assert shortened("ab cd", 4) == "ab…"


def test_a_line_has_single_spaces() -> None:
    assert one_line(" a\n\n b\tc ", 5) == "a b c"
    assert one_line("x" * 10_000, 10) == "x" * 9 + "…"
