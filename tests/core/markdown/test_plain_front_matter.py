"""Front matter of plain words is read in a short way, and says there what PyYAML says of it."""

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.markdown import front_matter

NAMES = ["title", "tags", "date created", "a-b", "a", "no", "1", "", "- a", " a", "a:b"]
VALUES = [
    "",
    "Note 1",
    "2024-05-31T10:00:00",
    "a: b",
    "a #b",
    "a#b",
    "[a, b]",
    "[]",
    "[a b,c]",
    "[a, ]",
    "[a: b]",
    "['a']",
    "it's (fine), is it",
    "a  b",
    "yes",
    "~",
    "é ß",
    "'a'",
    "*a",
    "&a b",
    "a - b",
    "a:",
    "12:30",
    "{a: b}",
    "|",
    "@a",
    "a@b.org",
    "- a",
    "a\tb",
    "a ",
]
fields = st.builds("{}: {}".format, st.sampled_from(NAMES), st.sampled_from(VALUES))
items = st.builds("{}- {}".format, st.sampled_from(["", " ", "  "]), st.sampled_from(VALUES))
bare = st.builds("{}:".format, st.sampled_from(NAMES))
others = st.sampled_from(["", "# a", "  a", "...", "---", "a", "? a", "\ta: b"])
blocks = st.lists(st.one_of(fields, items, bare, others), max_size=6).map(
    lambda rows: "".join(f"{row}\n" for row in rows)
)


@settings(max_examples=800, deadline=None, derandomize=True)
@given(blocks)
def test_what_is_read_in_the_short_way_is_what_yaml_says(block: str) -> None:
    short = front_matter._read_simple(block)
    if short:
        found = yaml.load(block, yaml.BaseLoader)
        assert short == found
        assert list(short) == list(found)


def test_what_most_people_write_takes_the_short_way() -> None:
    block = "title: Garden\ncreated: 2024-05-31 10:00\ntags:\n  - a\n  - b c\naliases: [x, y]\n"
    assert front_matter._read_simple(block) == {
        "title": "Garden",
        "created": "2024-05-31 10:00",
        "tags": ["a", "b c"],
        "aliases": ["x", "y"],
    }
