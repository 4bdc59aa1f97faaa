"""What is done about a message as it was understood: what it wishes to change is asked about."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from app.agent.rules.answers import item_changes, targets
from app.agent.rules.answers.item_changes import Held, Item
from app.agent.rules.changes import days, told
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import dialogue_words, references, resolve_reference
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_tables import Wish
from app.agent.rules.listed import list_wishes, named_notes, said_items
from app.agent.rules.mentions import asking
from app.agent.rules.reader import message_texts
from app.agent.rules.reader.reader import Understood
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import (
    agreement,
    meant,
    new_todos,
    replaced_text,
    same_question,
    same_texts,
    surely,
    taken_back,
)
from app.agent.rules.understood.meant import Meant
from app.agent.turn.steps import Asked, Call, Question, Step, Thing, ThingKind, Trace

TODO: tuple[ThingKind, ...] = ("todo",)
NOTE: tuple[ThingKind, ...] = ("note",)
ANY: tuple[ThingKind, ...] = ("todo", "note", "folder")
KINDS: Mapping[str, tuple[ThingKind, ...]] = {
    intent: kinds
    for kinds, intents in (
        (TODO, "complete_todo reopen_todo move_todo shift_todo undate_todo prioritize repeat_todo"),
        (TODO, "add_step"),
        (NOTE, "append_note add_item tag untag pin unpin move_note"),
        (ANY, "rename delete"),
    )
    for intent in intents.split()
}
"""The changes of what is there, and the kinds of things that they are of."""
ITEMS: Mapping[str, str] = {
    "tick_item": "tick",
    "untick_item": "untick",
    "remove_item": "remove",
    "tick_step": "tick",
    "remove_step": "remove",
}
"""The changes of what stands on a list, or of the steps of a todo."""
SHOWN_AS: Mapping[str, Wish] = {"repeat_todo": "move_todo", "add_item": "append_note"}
"""The changes that are asked about in the words of another."""
FOLDERS = {"rename": "rename_folder", "delete": "delete_folder"}

_COLON = re.compile(r"[^\W\d][:：]")
Ask = Callable[[Asked, Understood, Language], Step | None]


def ask(asked: Asked, said: Understood, language: Language) -> Step | None:
    """Return the question whether a change is meant, or of which; None where nothing is named."""
    if said.intent in NEW:
        return NEW[said.intent](asked, said, language)
    if said.intent in ITEMS:
        return _ask_of_items(asked, said, language)
    if said.intent in ("delete", "untag") and (part := _ask_of_part(asked, said, language)):
        return part
    wanted = _wanted(asked, said, language) if said.intent in KINDS else None
    if wanted is None:
        return (
            replaced_text.ask_number(asked, said, language)
            if said.intent in agreement.WRITTEN
            else None
        )
    found = meant.things(asked, said, KINDS[said.intent], language)
    if found.unsure:
        return targets.ask_meant(wanted, found.unsure)
    return _ask_change(asked, said, wanted, found)


def _ask_of_part(asked: Asked, said: Understood, language: Language) -> Step | None:
    """Return the question whether items of the one note that is meant are to be taken off it."""
    notes = [one for one in meant.things(asked, said, ANY, language).things if one.kind == "note"]
    spoken = list_wishes.spoken_of(asked)
    notes = notes or ([spoken] if spoken else [])
    return said_items.ask_removed(asked, notes[0], language) if len(notes) == 1 else None


def to_read(asked: Asked, said: Understood, language: Language) -> Route | None:
    """Return what a message asks to be shown or told; None where nothing, or not surely what."""
    last = asked.earlier[0] if asked.earlier else Trace()
    match said.intent:
        case "list_todos":
            narrowed = [one for slot in NARROWS for one in said.all_of(slot)]
            if note := meant.named_whole(asked, narrowed, "note"):
                return Route("show_note", language, {}, note)
            words = [said.text[one.start : one.end] for one in said.spans if one.slot != "it"]
            counts = dialogue_words.tables(language)[0].counts
            is_counted = dialogue_words.find_in(counts, dialogue_words.bare(said.text))
            kind = "counted" if is_counted else "listed"
            text = " ".join(words) or said.text
            return Route("list_todos", language, {"text": text, kind: "yes"})
        case "agenda" if said.all_of("day"):
            return Route("events", language, {"text": " ".join(said.all_of("day"))})
        case "changed" if _is_today(asked, said):
            return Route("changes", language, {})
        case "todo_state" | "show_note" | "move_todo" | "shift_todo":
            kinds = NOTE if said.intent == "show_note" else TODO
            found = meant.things(asked, said, kinds, language).things
            # “when is mum's op?” is not answered by mum's transport
            is_named = all(
                told.is_all_named(name, one.title)
                for name in meant.names_of(said, language)
                for one in found
            )
            intent = "show_note" if kinds == NOTE else "todo_state"
            return Route(intent, language, {}, found) if len(found) == 1 and is_named else None
        case "ask":
            return Route("ask", language, {"words": said.text})
        case "sum":
            note = meant.things(asked, said, NOTE, language).things if said.get("target") else ()
            named = "\n".join(said.text[one.start : one.end] for one in said.spans)
            near = " ".join(str(one.id) for one in named_notes.with_word_in_title(asked, said.text))
            arguments = {"words": said.text, "named": named, "near": near}
            return Route("add_up", language, arguments, note if len(note) == 1 else ())
        case "read_messages":
            who = meant.person(asked, said.get("person"))
            return Route("from_person", language, {"who": who}) if who else None
        case "leave":
            waits = tuple(one for one in last.about if one.kind == "escalation")
            return Route("decide", language, {"no": "no"}, waits) if waits else None
    return None


def _is_today(asked: Asked, said: Understood) -> bool:
    """Return whether a message names no other day than today."""
    found = dialogue_words.find_days(dialogue_words.bare(" ".join(said.all_of("day"))), asked.now)
    return found is None or found[0].start <= asked.now < found[0].end


def _wanted(asked: Asked, said: Understood, language: Language) -> Route | None:
    """Return a change of things that are still to be found; None where what it takes is missing."""
    intent, arguments = said.intent, dict[str, str]()
    match intent:
        case "complete_todo" | "delete":
            return Route(intent, language, {})
        case "reopen_todo":
            return Route("change_todo", language, {"reopen": "yes"})
        case "undate_todo":
            return Route("change_todo", language, {"clear": "yes"})
        case "pin" | "unpin":
            return Route("pin_note", language, {"unpin": "yes"} if intent == "unpin" else {})
        case "move_todo" | "repeat_todo":
            day = meant.day(asked, _days(said, language), language)
            if intent == "repeat_todo" and not meant.is_rule(asked, day, language):
                return None
            intent, arguments = "change_todo", {"day": day, **_level(said, language)}
        case "shift_todo":
            by = days.shift(asked, Marked(asked.message), language)
            return Route("change_todo", language, by) if by else None
        case "prioritize":
            level = _level(said, language) or {"priority": ""}
            day = meant.day(asked, _days(said, language), language)
            intent, arguments = "change_todo", {**({"day": day} if day else {}), **level}
        case "rename":
            arguments = {"title": meant.name_of(said)}
        case "add_step":
            arguments = {"step": ", ".join(map(meant.trimmed, said.all_of("step")))}
        case "append_note" | "add_item":
            slot = "item" if said.all_of("item") else "text"
            texts = same_texts.written(said, slot, language)
            if len(texts) == 1 and same_texts.is_number_alone(texts[0]):
                return None  # more likely the new value of what stands there
            intent, arguments = "append_note", {"text": ", ".join(texts)}
        case "tag":
            tags = (meant.trimmed(one).lstrip("#") for one in said.all_of("tag"))
            intent, arguments = "change_note", {"tag": ", ".join(tags)}
        case "untag":
            tag = meant.trimmed(said.get("tag")).lstrip("#")
            return Route("change_note", language, {"untag": "yes", **({"tag": tag} if tag else {})})
        case "move_note":
            folders = surely.not_denied(said, "folder", language)  # “kids, no, office”: the last
            arguments = {"folder": meant.folder_of(asked, said, folders[-1:], language)}
    return Route(intent, language, arguments) if all(arguments.values()) else None


def _level(said: Understood, language: Language) -> dict[str, str]:
    """Return the argument of the priority that a message names, if it does."""
    level = meant.said_level(said, language)
    return {} if level is None else {"priority": str(level)}


def _days(said: Understood, language: Language) -> list[str]:
    """Return the days that a message names, but those of a clause that only says how things are,
    and that the time stays.
    """
    told = [one.span() for one in words_of(language).chatter.finditer(Marked(said.text).text)]
    return [
        said.text[one.start : one.end]
        for one in said.spans
        if one.slot == "day"
        and not any(start <= one.start < end for start, end in told)
        and not meant.keeps_time(said.text[one.start : one.end], language)
    ]


def _ask_change(asked: Asked, said: Understood, wanted: Route, found: Meant) -> Step | None:
    if not found.things:
        return None
    first, titles = found.things[0], ", ".join(one.title for one in found.things)
    shown = dict.fromkeys(("todo", "note", "thing"), titles)
    shown |= {"day": meant.shown_day(asked, wanted.get("day"), wanted.language)}
    shown |= {name: wanted.get(name) for name in ("by", "folder")}
    text = next(filter(None, map(wanted.get, ("title", "step", "text", "tag"))), "")
    shown |= {"number": wanted.get("priority"), "text": text}
    key = SHOWN_AS.get(said.intent) or cast(Wish, said.intent)
    key = "advance_todo" if wanted.get("earlier") else key
    if first.kind == "folder":
        arguments = {"folder": first.title, **wanted.arguments}
        wish = Route(FOLDERS[said.intent], wanted.language, arguments)
        return _question(wish, key, **shown)
    wish = Route(wanted.intent, wanted.language, wanted.arguments, found.things)
    both = wanted.get("day") and wanted.get("priority")
    keys: Sequence[Wish] = ("move_todo", "prioritize") if both else (key,)
    return _question(wish, *keys, **shown)


def _ask_new_todos(asked: Asked, said: Understood, language: Language) -> Step | None:
    lines = new_todos.lines(asked, said, language)
    if not lines:
        return None
    arguments = {"task": lines[0]} if len(lines) == 1 else {"tasks": "\n".join(lines)}
    if level := meant.said_level(said, language):
        arguments["priority"] = str(level)
    if steps := said.all_of("step"):
        arguments["steps"] = "\n".join(map(meant.trimmed, steps))
    wish = Route("add_todo", language, arguments)
    return _question(wish, "add_todo", text=", ".join(lines))


def _ask_new_note(asked: Asked, said: Understood, language: Language) -> Step | None:
    name, text = meant.trimmed(said.get("name")), said.get("text").strip()
    boxes = (f"- [ ] {meant.trimmed(one)}" for one in said.all_of("item"))
    text = text or "\n".join(boxes)
    where = said.get("folder")
    folder = meant.folder(asked, where or said.get("target"))
    is_elsewhere = where and not folder and not references.points_there(where, language)
    if not (name or text) or is_elsewhere:
        return None
    folder = folder or meant.folder_there(asked, said, language)
    arguments = {"title": name, "content": text, "folder": folder}
    wish = Route("make_note", language, {key: one for key, one in arguments.items() if one})
    told = ": ".join(filter(None, (name, text)))
    return _question(wish, "make_note_in" if folder else "make_note", text=told, folder=folder)


def ask_in_folder(asked: Asked, said: Understood, language: Language) -> Step | None:
    """Return the question whether a new note is meant in the folder that is named for it; None
    where there is none of that name.
    """
    there = said.get("folder")
    is_there = meant.folder(asked, there) or references.points_there(there, language)
    return _ask_new_note(asked, said, language) if is_there and said.intent == "make_note" else None


def _ask_new_folder(asked: Asked, said: Understood, language: Language) -> Step | None:
    name = meant.trimmed(said.get("name"))
    above = meant.folder(asked, said.get("folder") or said.get("target"))
    wish = Route("make_folder", language, {"folder": name, **({"inside": above} if above else {})})
    path = f"{above}/{name}" if above else name
    return _question(wish, "make_folder", text=path) if name else None


def _ask_message(asked: Asked, said: Understood, language: Language) -> Step | None:
    text = message_texts.message_text(said, language)
    who = meant.person(asked, said.get("person"))
    wish = Route("message", language, {"who": who, "text": text})
    shown = text.rstrip(" ?？")
    return _question(wish, "message", person=who, text=shown) if text and who else None


def ask_undo(asked: Asked, language: Language) -> Step | None:
    """Return the question whether what was done last is to be taken back, if anything was."""
    return _question(Route("undo", language, {}), "undo") if taken_back.can_undo(asked) else None


def _ask_of_items(asked: Asked, said: Understood, language: Language) -> Step | None:
    """Return the question whether items of a list, or steps of a todo, are to be changed."""
    names = [meant.trimmed(one) for one in (*said.all_of("item"), *said.all_of("step"))]
    pointers = said.all_of("it")
    thing = _list_of(asked, said, language)
    if thing is None or not (names or pointers):
        return None
    held = item_changes.read(asked, thing)
    if not isinstance(held, Held):
        return held
    how = ITEMS[said.intent]
    items = [_item(name, held, how) for name in names]
    items += [_item_pointed_at(words, held, how, language) for words in pointers]
    if not all(items):
        return None
    changes = {one.place: how for one in items if one}
    return item_changes.ask_changes(Route("change_items", language, {}, (thing,)), held, changes)


def may_be_part(calls: Sequence[Call], likely: Sequence[Understood]) -> bool:
    """Return whether a todo is about to be done of which a message may only mean a step: “the ale:
    the bottles are clean, tick that”.
    """
    is_done = any(tool == "complete_todo" for tool, _ in calls)
    ticks = likely[:1] and (likely[0].intent in agreement.TICKS or _COLON.search(likely[0].text))
    return is_done and bool(ticks)


def ask_of_named_step(looked: Asked, calls: Sequence[Call], language: Language) -> Step | None:
    """Return the question whether the step that a message names is done, and not its whole todo:
    “weekend bag: the charger is in, tick it”; None where it names none.
    """
    done = {fields.get("id") for _, fields in calls}
    lead = looked.message[: colon.end()] if (colon := _COLON.search(looked.message)) else ""
    for thing, steps in item_changes.all_steps(looked):
        named = [
            one
            for one in steps
            if not one.is_done
            and surely.is_said(one.title, looked.message)
            and surely.share_said(one.title, thing.title) < 1
        ]
        may_be = thing.id in done or surely.share_said(thing.title, lead) >= surely.HALF
        if may_be and len(named) == 1:
            held = item_changes.read(looked, thing)
            if not isinstance(held, Held):
                return held
            route = Route("change_items", language, {}, (thing,))
            return item_changes.ask_changes(route, held, {named[0].place: "tick"})
    return None


def _list_of(asked: Asked, said: Understood, language: Language) -> Thing | None:
    """Return the one list, or todo with steps, that is named, else the one spoken of."""
    of_steps = said.intent.endswith("step")
    if not said.all_of("target"):
        return list_wishes.spoken_of(asked, steps=of_steps)
    kinds = (TODO, NOTE) if of_steps else (NOTE, TODO)
    found = (meant.things(asked, said, one, language).things for one in kinds)
    return next((one[0] for one in found if len(one) == 1), None)


def _item(name: str, held: Held, how: str) -> Item | None:
    """Return the one item that a name means of those that can be changed so."""
    rows = [{"title": one.title, "item": one} for one in _changeable(held, how)]
    found = resolve_reference.fitting_rows(name, rows) or resolve_reference.near_rows(name, rows)
    (item, *others) = item_changes.narrowest([one["item"] for one in found]) or (None,)
    return None if others else item


def _item_pointed_at(words: str, held: Held, how: str, language: Language) -> Item | None:
    """Return the one item that “the second one” of a whole list means, if it can be changed so."""
    whole = held.whole
    rows = [Thing(held.thing.kind, at, one.title) for at, one in enumerate(whole)]
    found = references.choose(rows, words, language)
    item = whole[found.things[0].id] if found and len(found.things) == 1 else None
    return item if item in _changeable(held, how) else None


def _changeable(held: Held, how: str) -> list[Item]:
    return [one for one in held.items if one.can_be_changed(how)]


def _question(wish: Route, *keys: Wish, **shown: str) -> Step:
    """Return the question whether a wish is meant, in plain words with what is `shown` in them."""
    question = Question(wish.intent, dict(wish.arguments), lacks="yes", choices=wish.things)
    plain = ", ".join(asking.plain_words(wish.language, one, **shown) for one in keys)
    return asking.ask_whether(plain, question, wish.language)


NEW: Mapping[str, Ask] = {
    "add_todo": _ask_new_todos,
    "make_note": _ask_new_note,
    "make_folder": _ask_new_folder,
    "message": _ask_message,
    "undo": lambda asked, _, language: ask_undo(asked, language),
    "replace_text": replaced_text.ask,
    "same": same_question.ask_same_change,
}
ASKED, SURE = 0.45, 0.85
"""So likely is what is asked about where nothing else was understood, and where something was."""
WRITES: Sequence[str] = (*KINDS, *ITEMS, *NEW)
"""The intents that change something."""
NARROWS = ("word", "target", "folder", "person")
"""The slots of what a list is narrowed to."""
READS: Sequence[str] = (
    "list_todos agenda changed todo_state show_note sum ask read_messages leave".split()
)
"""The intents of what is only shown or told, or not done."""
