"""What the pages of notes are made of: text as it is read, beginnings, parts, trees, versions."""

import itertools
from types import SimpleNamespace

import pytest

from app.core.markdown.render_parts import render
from app.errors import Invalid
from app.interfaces.home.excerpts import excerpt
from app.interfaces.home.notes import parts
from app.interfaces.home.notes.folder_tree import FolderTree
from app.interfaces.home.notes.home_leads import HomeLeads
from app.interfaces.home.notes.note_page import toggle_box
from app.interfaces.home.notes.side_by_side import side_by_side
from app.interfaces.reading.reading_html import reading_html


def test_a_box_knows_its_line_and_what_it_is_about() -> None:
    text = "# T\n\nwords\nmore\n\n```\n- [ ] no\n```\n\n- [ ] *one* & two\n  - [x] three\n"
    html = reading_html(render(text), HomeLeads(), title="T", may_tick=True).html
    assert "<h1>" not in html
    assert 'value="9" aria-label="one &amp; two"' in html
    assert 'aria-checked="true" name="line" value="10" aria-label="three"' in html
    assert html.count("<button") == 2
    assert toggle_box(text, 9) == text.replace("[ ] *one*", "[x] *one*")
    for line in (0, 6 + 100, 2):
        with pytest.raises(Invalid):
            toggle_box(text, line)


def test_a_beginning_is_plain_words_without_the_title() -> None:
    text = "# Plan\n\n- [x] **Bold** and `code`\n> see [[A|the note]] or [x](http://y)\n\n|a|b|\n|---|---|"
    assert excerpt(text, title="Plan") == "Bold and code see the note or x a b"
    assert (
        excerpt("Tags are _words_ of `snake_case`", title="Tags") == "Tags are words of snake_case"
    )
    assert excerpt("word " * 100).endswith("word…")
    assert excerpt("---\naliases: [x]\n---\n\n# Plan\nSow in March", title="Plan") == "Sow in March"


def test_parts_join_to_the_whole_and_are_never_too_long() -> None:
    for text in ("x" * 900_000, "line\n" * 100_000, "a b\n\n" * 90_000, "short"):
        cuts = parts.cuts_of(text)
        assert "".join(text[a:b] for a, b in itertools.pairwise(cuts)) == text
        assert all(0 < b - a <= parts.LONG for a, b in itertools.pairwise(cuts))
        assert parts.part_of(text, 10**6).end == len(text)


def test_a_tree_opens_the_way_to_where_one_is_and_counts_all_below() -> None:
    def folder(id_: int, name: str, parent: int | None, notes: int) -> SimpleNamespace:
        return SimpleNamespace(id=id_, name=name, parent_id=parent, file_count=notes)

    tree = FolderTree([folder(1, "A", None, 1), folder(2, "B", 1, 2), folder(3, "C", 2, 4)])
    assert [(row.name, row.notes, row.depth) for row in tree.branches(None)] == [("A", 7, 0)]
    assert [row.name for row in tree.branches(2)] == ["A", "B", "C"]
    assert tree.path(3) == "A/B/C"
    assert tree.places(without=2) == [(1, "A")]


def test_a_diff_stands_side_by_side_with_what_differs_in_a_line() -> None:
    diff = "--- 1\n+++ current\n@@ -3,3 +3,4 @@\n one\n-two and three\n+two and four\n+five\n six"
    rows = side_by_side(diff)
    assert [(row.before.number, row.after.number) for row in rows] == [
        (3, 3),
        (4, 4),
        (0, 5),
        (5, 6),
    ]
    assert rows[0].gap
    assert rows[1].after.runs == [("two and ", False), ("four", True)]
