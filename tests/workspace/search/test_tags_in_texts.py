"""`tag:` finds what has a tag in its field or in its text, and tags nested in it."""

import pytest

from tests.conftest import Client

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("tag:beans", {"Field", "Text"}),
        ("tag:#Beans", {"Field", "Text"}),
        ("tag:bea*", {"Field", "Text", "Longer"}),
        ("tag:project", {"Nested", "Nested field"}),
        ("tag:project/haus", {"Nested"}),
        ("tag:haus", set()),
        ("tag:pro", set()),
        ("words -tag:beans", {"Longer", "Nested", "Nested field", "Code"}),
        ("tag:beans words", {"Field", "Text"}),
    ],
)
async def test_tags_of_fields_and_texts_are_found(
    alice: Client, query: str, titles: set[str]
) -> None:
    await alice.note("Field", "words", tags=["Beans"])
    await alice.note("Text", "words of #beans")
    await alice.note("Longer", "words of #beanstalk")
    await alice.note("Nested", "words of #project/haus")
    await alice.note("Nested field", "words", tags=["project/garden"])
    await alice.note("Code", "words `#beans` and a project0")
    found = await alice.ok("POST", "/os/notes/search", json={"query": query, "mode": "words"})
    assert {one["title"] for one in found["results"]} == titles
    listed = await alice.ok("GET", "/os/notes", params={"tag": "beans", "recursive": "true"})
    assert [one["title"] for one in listed["notes"]] == ["Field"]
