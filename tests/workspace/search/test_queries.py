"""The language of search: what a query is read as."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.workspace.search.ranking.query_days import Days, parse_days
from app.workspace.search.ranking.query_language import (
    NO_FILTERS,
    Filters,
    Period,
    Query,
    Term,
    parse_query,
)

TODAY = date(2026, 11, 21)  # a Saturday


def words(*texts: str) -> tuple[tuple[Term, ...], ...]:
    return tuple((Term(text),) for text in texts)


def phrase(text: str, **more: Any) -> Term:
    return Term(text, "phrase", **more)


@pytest.mark.parametrize(
    ("text", "clauses", "free"),
    [
        ("frost dates", words("frost", "dates"), "frost dates"),
        ("frost frost", words("frost"), "frost frost"),
        ('"last frost"', ((phrase("last frost"),),), ""),
        ('"frost"', ((phrase("frost"),),), ""),
        ('may "last frost"', (*words("may"), (phrase("last frost"),)), "may last frost"),
        ("“last frost” „x y“", ((phrase("last frost"),), (phrase("x y"),)), ""),
        ("a OR b", ((Term("a"), Term("b")),), ""),
        ("a OR b OR c d", ((Term("a"), Term("b"), Term("c")), (Term("d"),)), "a b c d"),
        ('a OR "b c"', ((Term("a"), phrase("b c")),), ""),
        ("a AND b", words("a", "b"), "a b"),
        ("a or b", words("a", "or", "b"), "a or b"),
        ("toma*", ((Term("toma", "prefix"),),), ""),
        ("t* a*b", words("t", "a", "b"), "t* a*b"),
        ("title:frost", ((Term("frost", title=True),),), ""),
        ('title:"last frost"', ((phrase("last frost", title=True),),), ""),
        ("Title:fro*", ((Term("fro", "prefix", title=True),),), ""),
        ("col:x http://y.z", words("col", "x", "http", "y", "z"), "col:x http://y.z"),
        ("title: tag: after: in:", words("title", "tag", "after", "in"), "title: tag: after: in:"),
        ("in:nowhere is:odd", words("in", "nowhere", "is", "odd"), "in:nowhere is:odd"),
        (
            "after:soon updated:2026-13",
            words("after", "soon", "updated", "2026", "13"),
            "after:soon updated:2026-13",
        ),
        ("AND OR", words("AND", "OR"), "AND OR"),
        ("OR a OR", words("OR", "a"), "OR a OR"),
        ('"unclosed here', words("unclosed", "here"), "unclosed here"),
        ("(a b) {c} ^d", words("a", "b", "c", "d"), "(a b) {c} ^d"),
        ("Python入門", words("Python入門"), "Python入門"),
        ("\0a\0", words("a"), "\0a\0"),
        ('- -- * "" \' :', (), ""),
    ],
)
def test_a_query_is_read(text: str, clauses: tuple[tuple[Term, ...], ...], free: str) -> None:
    read = parse_query(text, TODAY)
    assert (read.clauses, read.text) == (clauses, free)
    assert (read.excluded, read.filters) == ((), NO_FILTERS)


@pytest.mark.parametrize(
    ("text", "excluded"),
    [
        ("-frost", (phrase("frost"),)),
        ('-"last frost" -x*y', (phrase("last frost"), phrase("x y"))),
        ("-fro*", (Term("fro", "prefix"),)),
        ("-title:frost", (Term("frost", title=True),)),
        ("a-b - c", ()),
    ],
)
def test_what_a_note_must_not_hold(text: str, excluded: tuple[Term, ...]) -> None:
    assert parse_query(text, TODAY).excluded == excluded


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("tag:Garden tag:#café -tag:old", Filters(tags=("garden", "café"), no_tags=("old",))),
        ('tag:"two words"', Filters(tags=("two words",))),
        (
            'folder:Work folder:"Work/Old Plans/" -folder:x folder:/',
            Filters(folders=("work", "work/old plans", ""), no_folders=("x",)),
        ),
        ("in:pinned is:todo", Filters(pinned=True, todo=True)),
        ("-in:pinned -is:todo", Filters(pinned=False, todo=False)),
        ("IS:Todo IN:PINNED", Filters(pinned=True, todo=True)),
        (
            "updated:2026-11",
            Filters(periods=(Period("updated", date(2026, 11, 1), date(2026, 11, 30)),)),
        ),
        (
            "created:yesterday",
            Filters(periods=(Period("created", date(2026, 11, 20), date(2026, 11, 20)),)),
        ),
        ("after:2026", Filters(periods=(Period("updated", date(2026, 1, 1), None),))),
        ("before:2026-11-01", Filters(periods=(Period("updated", None, date(2026, 10, 31)),))),
        (
            "-after:2026",
            Filters(periods=(Period("updated", date(2026, 1, 1), None, without=True),)),
        ),
        (
            'updated:"last week"',
            Filters(periods=(Period("updated", date(2026, 11, 9), date(2026, 11, 15)),)),
        ),
        (
            "updated:last week",
            Filters(periods=(Period("updated", date(2026, 11, 9), date(2026, 11, 15)),)),
        ),
        ("updated:3 days", Filters(periods=(Period("updated", date(2026, 11, 18), TODAY),))),
    ],
)
def test_what_a_note_must_be(text: str, filters: Filters) -> None:
    assert parse_query(text, TODAY) == Query(filters=filters)


def test_without_a_day_the_words_for_days_are_words() -> None:
    assert parse_query("after:today").clauses == words("after", "today")


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-11-21", "2026-11-21", "2026-11-21"),
        ("2026-2", "2026-02-01", "2026-02-28"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2026", "2026-01-01", "2026-12-31"),
        ("9999-12", "9999-12-01", "9999-12-31"),
        ("0001", "0001-01-01", "0001-12-31"),
        ("today", "2026-11-21", "2026-11-21"),
        ("Yesterday", "2026-11-20", "2026-11-20"),
        ("monday", "2026-11-16", "2026-11-16"),
        ("saturday", "2026-11-21", "2026-11-21"),
        ("last saturday", "2026-11-14", "2026-11-14"),
        ("last monday", "2026-11-16", "2026-11-16"),
        ("this week", "2026-11-16", "2026-11-22"),
        ("last_week", "2026-11-09", "2026-11-15"),
        ("this month", "2026-11-01", "2026-11-30"),
        ("last month", "2026-10-01", "2026-10-31"),
        ("this year", "2026-01-01", "2026-12-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("3 days", "2026-11-18", "2026-11-21"),
        ("3d", "2026-11-18", "2026-11-21"),
        ("last 2 weeks", "2026-11-07", "2026-11-21"),
        ("1 month ago", "2026-10-21", "2026-11-21"),
        ("9 months", "2026-02-21", "2026-11-21"),
        ("2 years", "2024-11-21", "2026-11-21"),
    ],
)
def test_days_are_read(text: str, first: str, last: str) -> None:
    assert parse_days(text, TODAY) == Days(date.fromisoformat(first), date.fromisoformat(last))


def test_a_shorter_month_ends_earlier() -> None:
    assert parse_days("1 month", date(2026, 3, 31)) == Days(date(2026, 2, 28), date(2026, 3, 31))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2026-13",
        "2026-02-30",
        "2026-00",
        "0000",
        "9999 years",
        "12345 days",
        "last",
        "26-11-01",
        "today now",
    ],
)
def test_what_names_no_days(text: str) -> None:
    assert parse_days(text, TODAY) is None


PIECES = st.sampled_from(
    [
        '"',
        "-",
        "title:",
        "tag:",
        "folder:",
        "in:pinned",
        "is:todo",
        "after:",
        "last",
        "week",
        " OR ",
        " AND ",
        "*",
        "東京",
        " ",
        "a",
    ]
)


@given(st.one_of(st.text(max_size=100), st.lists(PIECES, max_size=12).map("".join)))
def test_any_text_is_a_query(text: str) -> None:
    read = parse_query(text, TODAY)
    assert read == parse_query(text, TODAY)
    assert all(term.text.strip() for term in read.terms + read.excluded)
