"""The fields above a note, as a page shows them."""

import pytest

from app.interfaces.home.notes.note_fields import fields_of

FIELDS = """---
# of Obsidian
aliases:
  - How to, briefly
  - "b"
tags: [a, 'b']
author: {name: Ann, langs: [en, de]}
long: |
  one
  two
empty:
---
Body: no field
"""


def test_fields_are_shown_without_the_marks_of_yaml() -> None:
    assert fields_of(FIELDS) == [
        ("aliases", "How to, briefly, b"),
        ("tags", "a, b"),
        ("author", "name: Ann, langs: en, langs: de"),
        ("long", "one two"),
        ("empty", ""),
    ]
    assert fields_of("Body") == fields_of("---\nHello there.\n---\nx") == []


def test_lines_that_are_no_yaml_are_shown_as_they_are() -> None:
    assert fields_of("---\nabout: Text: more\ntags: [a\n---\nx") == [
        ("about", "Text: more"),
        ("tags", "[a"),
    ]


@pytest.mark.parametrize(
    "value", ["&a [*a, x]", "&a {b: *a}", "\n".join(["", *(f"  - &a{n} [b]" for n in range(900))])]
)
def test_fields_without_an_end_are_cut(value: str) -> None:
    assert len(fields_of(f"---\na: {value}\n---\nx")[0][1]) < 20_000


def test_lists_of_lists_of_lists_are_not_multiplied() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]" for n in range(1, 15)]
    shown = fields_of("---\n" + "\n".join(rows) + "\n---\nx")
    assert len(shown) == len(rows)
    assert max(len(value) for _, value in shown) < 1000
