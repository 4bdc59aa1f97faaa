"""What is said of the items of a list, and of a number in a note."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app.agent.rules import message_route, rules
from app.agent.rules.answers import item_changes
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Result, Step, Thing, Trace

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
NOTE = Thing("note", 1, "Trip")
LIST = "- [ ] oat milk\n- [ ] eggs\n- [x] salt\n"
TOOLS = frozenset({"get_note_content", "edit_note", "search_todos", "search_notes", "list_notes"})


def answer(message: str, markdown: str, before: str = "") -> Step:
    """Return what is said, or the call that writes, after a turn that was about a note."""
    note = {"id": 1, "title": "Trip", "markdown": markdown, "revision": 3, "folderId": None}
    given: dict[str, dict[str, Any]] = {
        "get_note_content": {"note": note},
        "search_todos": {"todos": [], "total": 0},
        "search_notes": {"results": [], "result": {"results": []}},
        "list_notes": {"notes": [{"id": 1, "title": "Trip"}], "totalNotes": 1},
    }
    earlier = (Trace(intent="show_note", language="en", about=(NOTE,)),)
    asked = Asked(message, (), TOOLS, NOW, before=(before,), earlier=earlier)
    while (step := rules.next_step(asked)).calls and step.calls[0][0] in given:
        results = tuple(Result(tool, of, given[tool], False) for tool, of in step.calls)
        asked = Asked(
            message, (*asked.results, *results), TOOLS, NOW, before=(before,), earlier=earlier
        )
    return step


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("got the milk", LIST.replace("[ ] oat", "[x] oat")),
        ("untick the salt", LIST.replace("[x]", "[ ]")),
        ("take the eggs off", LIST.replace("- [ ] eggs\n", "")),
        ("we need rice and some bread too", f"{LIST}- [ ] rice\n- [ ] bread\n"),
        ("the milk came today, so that's done", LIST.replace("[ ] oat", "[x] oat")),
        ("got the eggs. take the salt off, we have plenty", "- [ ] oat milk\n- [x] eggs\n"),
        ("eggs I still have, take them off", LIST.replace("- [ ] eggs\n", "")),
        ("I still need the eggs, the milk is in", LIST.replace("[ ] oat", "[x] oat")),
    ],
)
def test_an_item_of_the_list_spoken_of_is_changed(message: str, content: str) -> None:
    ((tool, fields),) = answer(message, LIST).calls
    assert (tool, fields["content"], fields["ifRevision"]) == ("edit_note", content, 3)


def test_a_question_without_its_mark_changes_nothing() -> None:
    step = answer("do we have the eggs in there", LIST)
    assert step.text
    assert step.trace is None or not step.trace.undo


def test_an_item_beside_other_words_is_ticked() -> None:
    said = "the eggs came from Otto's farm, cross that off"
    ((tool, fields),) = answer(said, LIST).calls
    assert tool == "edit_note"
    assert fields["content"] == LIST.replace("- [ ] eggs", "- [x] eggs")


def test_only_what_is_open_is_left() -> None:
    assert answer("what's still to buy?", LIST).text.endswith(":\n- [ ] oat milk\n- [ ] eggs")


@pytest.mark.parametrize("message", ["got the milk powder", "no milk yet", "got the milk?"])
def test_what_says_anything_else_ticks_nothing(message: str) -> None:
    assert all(tool != "edit_note" for tool, _ in answer(message, LIST).calls)


def test_the_one_number_of_its_kind_is_asked_about() -> None:
    step = answer("that's 30 kilos now, update the note", "Born in 2019.\n\nWeighs 31 kilos.\n")
    assert "“31” with “30”" in step.text
    assert step.trace
    assert step.trace.asks
    assert step.trace.asks.choices == (NOTE,)


def test_a_number_that_may_be_of_several_is_not_asked_about() -> None:
    step = answer("that's 30 kilos now, update the note", "Rex weighs 31 kilos.\n\nTom 12 kilos.\n")
    assert not (step.trace and step.trace.asks and step.trace.asks.intent == "replace_text")


@pytest.mark.parametrize("message", ["and add Mabel to the girls", "add Mabel to the girls please"])
def test_what_goes_to_one_line_is_written_at_its_end(message: str) -> None:
    ((tool, fields),) = answer(message, "Girls: Nell, Iris.\n\nBoys: Tom.\n").calls
    assert (tool, fields["content"]) == ("edit_note", "Girls: Nell, Iris, Mabel.\n\nBoys: Tom.\n")


def test_another_thing_is_no_answer_to_whether_items_of_a_list_are_meant() -> None:
    eggs = item_changes.Item("eggs", 0, is_done=False)
    groceries = item_changes.Held(Thing("note", 1, "Groceries"), {"title": "Groceries"}, (eggs,))
    left = item_changes.ask_changes(Route("ask", "en", {}), groceries, {0: "tick"}).trace
    assert left is not None
    asked = Asked("I meant the milk", (), frozenset(), NOW, earlier=(left,))
    assert message_route.understand(asked).intent != "change_items"
    agreed = message_route.understand(Asked("yes", (), frozenset(), NOW, earlier=(left,)))
    assert (agreed.intent, agreed.things) == ("change_items", (groceries.thing,))


def test_a_text_after_a_colon_goes_into_the_note_that_stands_before_it() -> None:
    for message in (
        "add at the bottom: book the ferry",
        "into the trip note please: book the ferry",
    ):
        ((tool, fields),) = answer(message, "Hotel booked.\n").calls
        assert (tool, fields["content"]) == ("edit_note", "Hotel booked.\n\nbook the ferry\n")


def test_what_only_tells_why_is_left_out_with_a_yes() -> None:
    step = answer("add to the trip list rice and beans, Ben wants chili on Sunday", LIST)
    assert step.trace
    assert step.trace.asks


def test_an_item_stands_in_the_list_and_not_below_the_text_after_it() -> None:
    ((_, fields),) = answer("put a tent on the list", f"{LIST}\nPack by Friday.\n").calls
    assert fields["content"] == f"{LIST}- [ ] tent\n\nPack by Friday.\n"


def test_commas_part_no_items_where_the_items_of_a_list_have_some() -> None:
    log = "- 2 March: oil changed, 1204 hours\n- 9 May: new belt, 1251 hours\n"
    ((_, fields),) = answer("add to the trip note: 2 July: new battery, 1275 hours", log).calls
    assert fields["content"] == f"{log}- 2 July: new battery, 1275 hours\n"


def test_a_number_alone_is_the_new_value_of_what_was_quoted() -> None:
    prices = "- Single hour: £38\n- Motorway session: £60\n"
    told = "how much is a motorway session?"
    for message, old, new in (
        ("put that up to 65", "60", "65"),
        ("single hours are £41 now, change that in it", "38", "41"),
    ):
        ((tool, fields),) = answer(message, prices, before=told).calls
        assert (tool, fields["content"]) == ("edit_note", prices.replace(old, new))


def test_the_only_open_item_is_asked_about_as_it() -> None:
    step = answer("off the list with it", LIST.replace("- [ ] eggs\n", ""))
    assert step.trace
    assert step.trace.asks
    assert step.trace.asks.arguments == {"remove": "oat milk"}


def test_a_name_ends_at_its_first_comma_only_with_a_yes() -> None:
    step = answer("rename it to Ferry instead, sounds better to the others", "Hotel booked.\n")
    assert step.trace
    assert step.trace.asks
    assert step.trace.asks.arguments["title"] == "Ferry"
