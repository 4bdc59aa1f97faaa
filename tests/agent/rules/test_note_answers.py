"""Answers from notes: those that link to one, rows of tables, and what is told in short."""

import pytest

from tests.conftest import Client
from tests.support.talks import said

REBUILD = """# Kitchen rebuild

![Pasted image 2](/os/attachments/3)

The fitter comes on Monday. See [[Home]] and [[Plans/Bath#tiles|the bath plan]].

| Room | Area | Price |
| --- | --- | --- |
| Bath | 6 | 300 |
| Kitchen | 12 | 900 |

The worktop costs more than the rest together.
"""


async def notes(client: Client) -> None:
    for title, content in (("Kitchen rebuild", REBUILD), ("Home", "The start of all.")):
        fields = {"title": title, "content": content}
        await client.ok("POST", "/os/notes", status=201, json=fields)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "message",
    [
        "which notes link to Home?",
        "Welche Notizen verweisen auf Home?",
        "Quelles notes renvoient à Home ?",
        "¿Qué notas enlazan a Home?",
        "哪些笔记链接到Home？",
        "Homeにリンクしているメモは？",
    ],
)
async def test_the_notes_that_link_to_one_are_listed(alice: Client, message: str) -> None:
    await notes(alice)
    response = (await said(alice, message))["response"]
    assert response.split("\n")[1:] == ["- [Kitchen rebuild](hearth:note/1)"]


@pytest.mark.anyio
async def test_nothing_links_to_a_note_that_no_other_names(alice: Client) -> None:
    await notes(alice)
    response = (await said(alice, "which notes link to Kitchen rebuild?"))["response"]
    assert response == "No note links to Kitchen rebuild."


@pytest.mark.anyio
async def test_a_row_that_a_question_for_a_number_names_is_quoted(alice: Client) -> None:
    await notes(alice)
    response = (await said(alice, "How many square metres is the bath?"))["response"]
    assert response.startswith("Room | Area | Price\n\n> | Bath | 6 | 300 |")


@pytest.mark.anyio
async def test_a_summary_has_no_pictures_nor_marks_of_links_and_tables(alice: Client) -> None:
    await notes(alice)
    response = (await said(alice, "Summarise the note Kitchen rebuild"))["response"]
    assert "See Home and the bath plan." in response
    assert not [mark for mark in ("![", "[[", "|", "Area") if mark in response]
