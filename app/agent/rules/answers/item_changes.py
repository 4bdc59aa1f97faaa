"""What stands on a list, the boxes of a note or the steps of a todo: told, ticked, taken off."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from app.agent.rules.answers import list_answers
from app.agent.rules.languages import language_data
from app.agent.rules.languages.plain_tables import PlainWords
from app.agent.rules.passages import note_lines
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import (
    Asked,
    Call,
    Question,
    Step,
    Thing,
    Trace,
    call_tool,
    mark_of,
    note_link,
)

_ITEM = re.compile(r"^(?P<mark>\s*(?:[-*+]|\d+[.)])\s+)(?:\[(?P<box>[ xX])\]\s+)?(?P<title>\S.*)$")
BOX_LINE = r"^\s*(?:[-*+]|\d+[.)])\s+\[[ xX]\]\s"
_BOX = re.compile(r"\[[ xX]\]")
_IN_ROW = "、"
_LABELLED = re.compile(r"^\s*(?:[-*+]\s+)?(?P<label>[^\W\d_][^:：\n|]{0,29}?)\s?[:：]\s*(?=\S)")
_VALUE_ENDS = re.compile(r"[,;]\s+|[、，；]\s*")
LONGEST_ROW = 100
TOLD = {"tick": "ticked", "untick": "unticked", "remove": "taken_off"}


class Item(NamedTuple):
    """An item: its line in a note, or its place among the steps of a todo."""

    title: str
    place: int
    is_done: bool
    has_box: bool = True

    @property
    def line(self) -> int:
        """The number of the line that it is, or of which it is a part."""
        return self.place if self.place >= 0 else (-1 - self.place) // LONGEST_ROW

    def can_be_changed(self, how: str) -> bool:
        """Return whether it can be ticked, opened again or taken off, which needs no box."""
        return how == "remove" or (self.has_box and self.is_done == (how == "untick"))


class Held(NamedTuple):
    """A list as it was read."""

    thing: Thing
    record: Mapping[str, Any]
    items: tuple[Item, ...]

    @property
    def whole(self) -> Sequence[Item]:
        """The items that are no part of a line, unless all are."""
        return [one for one in self.items if one.place >= 0] or self.items

    @property
    def goes_on(self) -> bool:
        """Whether what is added becomes one more item."""
        if self.thing.kind == "todo":
            return True
        last = str(self.record["markdown"]).rstrip("\n").rpartition("\n")[2]
        return _ITEM.match(last) is not None

    @property
    def link(self) -> str:
        """Its name as it is told."""
        todo = self.thing.kind == "todo"
        return self.record["title"] if todo else note_link(self.thing.id, self.record["title"])


def call_for(thing: Thing) -> Call:
    """Return the call that reads a list."""
    if thing.kind == "todo":
        return "get_todo", {"id": thing.id}
    return "get_note_content", {"noteId": thing.id}


def narrowest(items: Sequence[Item]) -> list[Item]:
    """Return items without the lines of which there is a part: “drop Ben's kite” is not all of
    “Ben: a kite, a scarf”.
    """
    lines = {one.line for one in items if one.place < 0}
    return [one for one in items if one.place < 0 or one.place not in lines]


def of_line(held: Held, text: str, said: str) -> list[Item]:
    """Return the items that a line is, or the one thing in it that is called as `said`."""
    lines = str(held.record["markdown"]).split("\n")
    items = [one for one in held.items if lines[one.line].strip() == text.strip()]
    part = [one for one in items if one.place < 0 and one.title.lower() == said.lower().strip()]
    return part or [one for one in items if one.place >= 0]


def held(asked: Asked, thing: Thing) -> Held | None:
    """Return a list as a tool has given it; None where it has not."""
    name = "todo" if thing.kind == "todo" else "note"
    tool, arguments = call_for(thing)
    for result in asked.of(tool):
        if result.arguments == arguments and isinstance(result.content.get(name), Mapping):
            record: Mapping[str, Any] = result.content[name]
            return Held(thing, record, tuple(_steps(record) if name == "todo" else _lines(record)))
    return None


def read(asked: Asked, thing: Thing) -> Held | Step | None:
    """Return a list, or the step that reads it; None where that was tried or no tool can."""
    if (found := held(asked, thing)) is not None:
        return found
    call = call_for(thing)
    is_made = any((one.tool, one.arguments) == call for one in asked.results)
    return Step(calls=(call,)) if call[0] in asked.tools and not is_made else None


def all_items(asked: Asked) -> list[tuple[Thing, list[Item]]]:
    """Return the items with boxes of all notes that were searched for these."""
    return [
        (Thing("note", row["noteId"], row["title"]), _items(one["text"] for one in row["matches"]))
        for result in asked.of("grep_notes")
        for row in result.content.get("results", ())
    ]


def all_steps(asked: Asked) -> list[tuple[Thing, list[Item]]]:
    """Return the steps of all todos that were searched for with these."""
    return [
        (Thing("todo", row["id"], row["title"]), _steps(row))
        for result in asked.of("search_todos")
        if result.arguments.get("includeSteps")
        for row in result.content["todos"]
        if row.get("steps")
    ]


def tell_left(route: Route, held: Held) -> Step:
    """Tell which items of a list are open; nothing where it has no boxes."""
    if not any(one.has_box for one in held.items):
        return Step()
    left = [one.title for one in held.items if one.has_box and not one.is_done]
    told = "left_on_list" if left else "nothing_left"
    text = route.phrase(told, title=held.link, count=len(left))
    lines = [f"- [ ] {one}" if held.thing.kind == "note" else f"- {one}" for one in left]
    trace = Trace(intent="show_note", language=route.language, about=(held.thing,))
    return Step("\n".join([text, *lines]), trace=trace)


def tell_ticked(route: Route, held: Held, items: Sequence[Item]) -> Step:
    """Tell that items have been ticked before."""
    named = ", ".join(one.title for one in items)
    text = route.phrase("ticked_before", item=named, title=held.link)
    trace = Trace(intent="tick_item", language=route.language, about=(held.thing,))
    return Step(text, trace=trace)


def change_named(asked: Asked, route: Route) -> Step:
    """Change the items of a list that are named whole, by what is to be done to them; with a `row`
    the one of a table.
    """
    tool = call_for(route.things[0])
    if (found := held(asked, route.things[0])) is None:
        return (
            list_answers.tell_refusal(asked, route) if asked.has(tool[0]) else Step(calls=(tool,))
        )
    if row := route.get("row"):
        lines = str(found.record["markdown"]).split("\n")
        places = [at for at, one in enumerate(lines) if one == row]
        items = (Item(route.get("remove"), at, False, has_box=False) for at in places[:1])
        found = found._replace(items=tuple(items))
    changes = {
        one.place: how
        for how in TOLD
        for one in found.items
        if one.title in route.get(how).split("\n")
    }
    return change_items(asked, route, found, changes)


def ask_changes(route: Route, held: Held, changes: Mapping[int, str]) -> Step:
    """Ask whether items of a list are to be ticked, opened again or taken off it."""
    named = _by_change(held, changes)
    told = [
        route.phrase(f"{TOLD[how]}_whether", item=one)
        for how, items in named.items()
        for one in items
    ]
    means = language_data.load_table(route.language, PlainWords).means
    text = means.replace("{plain}", f"{', '.join(told)} ({held.link})")
    wanted = {how: "\n".join(items) for how, items in named.items()}
    question = Question("change_items", wanted, lacks="yes", choices=(held.thing,))
    return Step(text, trace=Trace(intent="change_items", language=route.language, asks=question))


def _by_change(held: Held, changes: Mapping[int, str]) -> dict[str, list[str]]:
    """Return the names of items by what is done to them."""
    rows = {how: [one.title for one in held.items if changes.get(one.place) == how] for how in TOLD}
    return {how: titles for how, titles in rows.items() if titles}


def change_items(asked: Asked, route: Route, held: Held, changes: Mapping[int, str]) -> Step:
    """Tick items of a list, open them again or take them off it, by their places."""
    tool = "edit_todo" if held.thing.kind == "todo" else "edit_note"
    if done := asked.of(tool):
        told = [
            route.phrase(TOLD[how], item=", ".join(items), title=held.link)
            for how, items in _by_change(held, changes).items()
        ]
        return Step("\n".join(told), trace=_trace(held, done[0].content))
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    if held.thing.kind == "todo":
        steps = [_step(one, changes.get(at, "")) for at, one in enumerate(held.record["steps"])]
        kept = [one for one in steps if one]
        zone = list_answers.zone_argument(asked)
        return call_tool("edit_todo", id=held.thing.id, steps=kept, **zone)
    lines = str(held.record["markdown"]).split("\n")
    changed = [
        _line(_without(one, at, changes), changes.get(at, "")) for at, one in enumerate(lines)
    ]
    content = "\n".join(one for one in changed if one is not None)
    # With the revision that was read: a change in between is refused and not overwritten.
    revision = held.record["revision"]
    return call_tool("edit_note", noteId=held.thing.id, content=content, ifRevision=revision)


def _trace(held: Held, content: Mapping[str, Any]) -> Trace:
    if held.thing.kind == "todo":
        record = content["todo"]
        old = [_step(one, "") for one in held.record["steps"]]
        undo: Call = ("edit_todo", {"id": held.thing.id, "steps": old})
        return Trace(about=(held.thing,), undo=(undo,), marks=(mark_of("todo", record),))
    undo = ("restore_snapshot", {"noteId": held.thing.id})
    return Trace(about=(held.thing,), undo=(undo,), marks=(mark_of("note", content["note"]),))


def _step(step: Mapping[str, Any], how: str) -> dict[str, Any]:
    """Return a step as it is to be, without what is not its own; nothing of one taken off."""
    kept = {name: step[name] for name in ("id", "title", "completed")}
    if not how:
        return kept
    return {} if how == "remove" else {**kept, "completed": how == "tick"}


def _without(line: str, at: int, changes: Mapping[int, str]) -> str | None:
    """Return a line that is a row of things without those that are taken off; nothing where none
    of its things is left.
    """
    if at in changes:
        return line
    spans = _spans(line)
    kept = [one for number, one in enumerate(spans) if _place(at, number) not in changes]
    if len(kept) == len(spans):
        return line
    gaps = [line[a[1] : b[0]] for a, b in itertools.pairwise(spans)]
    row = "".join(
        f"{gaps[number - 1] if number else ''}{line[slice(*one)]}"
        for number, one in enumerate(kept)
    )
    return f"{line[: spans[0][0]]}{row}{line[spans[-1][1] :]}" if kept else None


def _spans(line: str) -> list[tuple[int, int]]:
    """Return where each thing stands in a line that is a row of things, behind a name or not:
    “白菜、豆腐”, “- Ben: a kite, a scarf”; nothing where it is none.
    """
    label = _LABELLED.match(line)
    if label is None:
        ends = [one.span() for one in re.finditer(_IN_ROW, line)]
    else:
        ends = [one.span() for one in _VALUE_ENDS.finditer(line, label.end())]
    if not ends or len(ends) >= LONGEST_ROW:
        return []
    starts = [label.end() if label else 0, *(one[1] for one in ends)]
    return list(zip(starts, [*(one[0] for one in ends), len(line)], strict=True))


def _place(line: int, number: int) -> int:
    """Return the place of one thing in a line that is a row of things."""
    return -1 - line * LONGEST_ROW - number


def _line(line: str | None, how: str) -> str | None:
    if not how or line is None:
        return line
    return None if how == "remove" else _BOX.sub("[x]" if how == "tick" else "[ ]", line, count=1)


def _steps(record: Mapping[str, Any]) -> list[Item]:
    steps = record.get("steps") or ()
    return [Item(one["title"], at, bool(one["completed"])) for at, one in enumerate(steps)]


def _lines(record: Mapping[str, Any]) -> list[Item]:
    """Return the items of a note; where it has none, those of lines such as “白菜、豆腐”, or the
    rows of its tables by what they are of; and the things behind the name of a line.
    """
    lines = str(record.get("markdown", "")).split("\n")
    whole = _items(lines) or _in_rows(lines, with_name=False) or _table_rows(lines)
    return [*whole, *_in_rows(lines, with_name=True)]


def _in_rows(lines: Sequence[str], *, with_name: bool) -> list[Item]:
    """Return the things of lines that are rows of them, behind a name or without one; two that are
    called the same are told apart by their names.
    """
    found = [
        (at, number, label["label"] if label else "", line[start:end].strip(" .。"))
        for at, line in enumerate(lines)
        for label in [_LABELLED.match(line)]
        if (label is not None) == with_name and not (with_name and _BOX.search(line))
        for number, (start, end) in enumerate(_spans(line))
    ]
    titles = Counter(one[-1] for one in found)
    return [
        Item(
            f"{label}: {title}" if label and titles[title] > 1 else title,
            _place(at, number),
            False,
            has_box=False,
        )
        for at, number, label, title in found
        if title
    ]


def _table_rows(lines: Sequence[str]) -> list[Item]:
    rows = note_lines.read("\n".join(lines))
    return [
        Item(one.label, lines.index(one.text), False, has_box=False)
        for one in rows
        if one.columns and one.label
    ]


def _items(lines: Iterable[str]) -> list[Item]:
    found = [(at, one) for at, line in enumerate(lines) if (one := _ITEM.match(line))]
    return [
        Item(one["title"].strip(), at, one["box"] in ("x", "X"), one["box"] is not None)
        for at, one in found
    ]
