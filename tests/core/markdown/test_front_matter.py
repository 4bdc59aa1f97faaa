"""Fields above a text: where it begins."""

import pytest

from app.core.markdown.front_matter import body_start

FIELDS = """---
# of Obsidian
aliases:
  - How to, briefly
  - "b"
description: Text: more, and so
tags: [a, 'b']
long: |
  one
  two
empty:
---
"""


def test_the_text_begins_below_the_fields() -> None:
    assert body_start(FIELDS + "Body") == len(FIELDS)
    assert body_start("\ufeff" + FIELDS) == len(FIELDS) + 1
    assert body_start(FIELDS.replace("\n", "\r\n") + "x") == len(FIELDS.replace("\n", "\r\n"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Body",
        "---\nHello there.\n---\nx",
        "---\n\n---\nx",
        "---\nNote: this\nand that\n---\n",
        "---\n- a: b\n---\n",
        "---\na: b\n",
        "----\na: b\n----\n",
        "x\n---\na: b\n---\n",
        "---\na: " + "b" * (64 << 10) + "\n---\n",
    ],
)
def test_what_is_no_field_is_text(text: str) -> None:
    assert body_start(text) == 0
