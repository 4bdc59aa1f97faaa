"""Quotes in answers: what is held back until it is checked, what goes out, and what is left out."""

import json
from collections.abc import Iterable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.agent.rules import rules
from app.agent.turn.citations import LONGEST, Quotes, Source, locate_quote
from app.agent.turn.steps import Asked, Step
from tests.conftest import Client

pytestmark = pytest.mark.anyio

NOTES = {
    12: Source("Leek soup", "# Soup\n\nSimmer the leeks\nfor twenty minutes. Serve “hot”.\n"),
    13: Source("A [b] c", "Mustard — two spoons."),
}


async def read(note_id: int) -> Source | None:
    return NOTES.get(note_id)


async def passed(pieces: Iterable[str]) -> tuple[str, list[tuple[int, str]]]:
    quotes = Quotes(read)
    text = "".join([await quotes.add(piece) for piece in pieces]) + await quotes.end()
    for one in quotes.citations:
        assert NOTES[one.note_id].markdown[one.start : one.end] == one.quote
    return text, [(one.note_id, one.quote) for one in quotes.citations]


RIGHT = [
    ("It says “Simmer the leeks” [note 12].", "Simmer the leeks"),
    ('It says "for twenty minutes" [note 12]!', "for twenty minutes"),
    ("„Simmer the leeks“ [note 12]", "Simmer the leeks"),
    ("« twenty minutes » (note 12)", "twenty minutes"),
    ("「leeks」[Note #12]", "leeks"),
    (
        "“Simmer the leeks for twenty” — [Leek soup](hearth:note/12) and more",
        "Simmer the leeks\nfor twenty",
    ),
    (
        "> Simmer the leeks\n> for twenty minutes.\n\n— [Leek soup](hearth:note/12)\n\nBye.",
        "Simmer the leeks\nfor twenty minutes.",
    ),
    ("First.\n\n> Serve “hot”.\n[note 12]", "Serve “hot”."),
    ("> Mustard\n— [A \\[b\\] c](hearth:note/13)", "Mustard"),
]


@pytest.mark.parametrize(("text", "quote"), RIGHT)
@pytest.mark.parametrize("size", [1, 3, 7, 1000])
async def test_a_quote_that_stands_in_its_note_goes_out_and_is_listed(
    text: str, quote: str, size: int
) -> None:
    out, cited = await passed(text[at : at + size] for at in range(0, len(text), size))
    assert (out, [found for _, found in cited]) == (text, [quote])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("It says “Boil the leeks” [note 12]. Well.", "It says . Well."),
        ("It says “Simmer the leeks” [note 13].", "It says ."),
        ("It says “Simmer” [note 99].", "It says ."),
        ("It says “” [note 12].", "It says ."),
        ("A\n> Boil them.\n\n— [Leek soup](hearth:note/12)\nB", "A\n\nB"),
        ("> Simmer\n> Boil\n— [Leek soup](hearth:note/12)", ""),
    ],
)
@pytest.mark.parametrize("size", [1, 5, 1000])
async def test_a_quote_that_is_not_there_is_left_out_of_text_and_list(
    text: str, left: str, size: int
) -> None:
    assert await passed(text[at : at + size] for at in range(0, len(text), size)) == (left, [])


@pytest.mark.parametrize(
    "text",
    [
        "Nothing to check.",
        "> open",
        "it's “a” [list",
        "“" * 50,
        ">" * 20,
        "“x" + "y" * LONGEST * 2 + "” [note 12]",
        "She said “hello” and left.",
        "Added “Buy milk”.",
        'A 5" screen and "more',
        "> a quote of nobody\n\nand on",
        "“open",
        "a > b",
        "[note 12]",
    ],
)
@pytest.mark.parametrize("size", [1, 4, 9999])
async def test_other_text_goes_out_as_it_is(text: str, size: int) -> None:
    assert await passed(text[at : at + size] for at in range(0, len(text), size)) == (text, [])


async def test_text_without_quotes_is_not_held_back() -> None:
    quotes = Quotes(read)
    assert await quotes.add("Plain words, ") == "Plain words, "
    assert await quotes.add("then “Simmer") == "then "
    assert await quotes.add(" the leeks”") == ""
    assert await quotes.add(" [note 12] and on") == "“Simmer the leeks” [note 12] and on"


@settings(max_examples=200, deadline=None)
@example(["“", "\n", "\n", "“", " [note 12]"], 1)
@given(
    st.lists(
        st.sampled_from(
            [
                "“",
                "”",
                '"',
                "> ",
                "\n",
                "Simmer the leeks",
                "Boil",
                " [note 12]",
                "[x](hearth:note/12)",
                "— ",
                "a ",
            ]
        ),
        max_size=12,
    ),
    st.integers(1, 9),
)
def test_however_text_comes_in_pieces_the_same_goes_out(parts: list[str], size: int) -> None:
    text = "".join(parts)

    def run(pieces: list[str]) -> tuple[str, list[tuple[int, str]]]:
        coroutine = passed(pieces)
        try:
            coroutine.send(None)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]
        raise AssertionError

    assert run([text]) == run([text[at : at + size] for at in range(0, len(text), size)])


@pytest.mark.parametrize(
    ("quote", "place"),
    [
        ("b c", (2, 5)),
        ("b  c", (2, 5)),
        (" a ", (0, 1)),
        ("c b", None),
        ("  ", None),
        ("a b\nc", (0, 5)),
    ],
)
def test_a_quote_is_located_whatever_the_spaces_between_its_words(
    quote: str, place: tuple[int, int] | None
) -> None:
    assert locate_quote("a b c", quote) == place


async def test_what_a_brain_makes_up_is_dropped_before_it_is_sent(
    alice: Client, bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = await alice.note("Safe", "The safe opens with 7741.")
    others = await bob.note("Vault", "The vault opens with 1234.")
    quoted = (
        ("The safe opens with 7741.", mine),
        ("It opens with 9999.", mine),
        ("The vault opens with 1234.", others),
    )
    said = " ".join(f"“{quote}” [note {note['id']}]" for quote, note in quoted)

    def lie(asked: Asked) -> Step:
        return Step(said)

    monkeypatch.setattr(rules, "next_step", lie)
    response = await alice.post("/chat", json={"message": "x"})
    events = [json.loads(line) for line in response.text.splitlines()]
    text = "".join(event.get("textDelta", "") for event in events)
    assert text.rstrip() == f"“The safe opens with 7741.” [note {mine['id']}]"
    (citation,) = events[-1]["metadata"]["citations"]
    assert citation == {
        "noteId": mine["id"],
        "title": "Safe",
        "quote": "The safe opens with 7741.",
        "seq": None,
        "start": 0,
        "end": 25,
    }
