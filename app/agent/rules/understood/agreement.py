"""Whether what is about to be done is what the reader of a message makes of it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from app.agent.quickadd import quickadd
from app.agent.rules.dialogue import dialogue_words, references, resolve_reference
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.mentions import asking
from app.agent.rules.reader import lines
from app.agent.rules.reader.labelled import TWO
from app.agent.rules.reader.reader import Reading, Understood
from app.agent.rules.understood import meant, new_todos, same_texts
from app.agent.turn.steps import Asked, Call, Step, Thing, Trace

SAYS: Mapping[str, frozenset[str]] = {
    tool: frozenset(intents.split())
    for tool, intents in {
        "create_todo": "add_todo",
        "complete_todo": "complete_todo tick_step tick_item",
        "edit_todo": "move_todo shift_todo undate_todo prioritize repeat_todo rename add_step"
        " remove_step tick_step reopen_todo tick_item untick_item remove_item add_item",
        "delete_todo": "delete",
        "trash_note": "delete",
        "create_note": "make_note move_note add_item",
        "edit_note": "append_note add_item tick_item untick_item remove_item tag untag rename"
        " tick_step remove_step add_step replace_text",
        "pin_note": "pin unpin",
        "move_note": "move_note",
        "create_folder": "make_folder move_note",
        "change_folder": "rename",
        "delete_folder": "delete",
        "send_message_to_human": "message",
    }.items()
}
"""The tools that change something, and the intents that they are of."""
EDITS: Mapping[str, frozenset[str]] = {
    field: frozenset(intents.split())
    for field, intents in {
        "dueDate": "move_todo shift_todo undate_todo repeat_todo",
        "recurrence": "repeat_todo move_todo undate_todo",
        "priority": "prioritize",
        "title": "rename",
        "completed": "complete_todo reopen_todo tick_item untick_item tick_step",
        "steps": "add_step remove_step tick_step tick_item untick_item remove_item add_item"
        " complete_todo",
    }.items()
}
"""The fields of a todo that are edited, and the intents that they are of."""
TAKES_BACK = frozenset({"undo", "leave"})
"""What taking back what was done may be."""
ANSWERS = frozenset({"choose", "yes"})
"""What any change may be after a question."""
LIKELY = 0.3
"""So likely is at least one of the intents that a change is of, if it is to be done unasked."""
POSSIBLE = 0.01
"""So likely is at least each of several changes that are to be done."""
_BOX = re.compile(r"\[[xX]\]")
RENAMES = frozenset({"rename"})
ADDS = frozenset({"add_step", "add_item"})
"""The intents that give a todo a new step."""
TICKS = frozenset({"tick_item", "tick_step"})
KEEPS = frozenset({"tick_item", "untick_item", "remove_item"})
"""The intents after which a list has no new lines."""
DONE = frozenset({"complete_todo", "reopen_todo"})
"""What ticking an item of a list may seem to be."""
WRITTEN = frozenset({"append_note", "add_item"})
"""The intents that both write a line into a note."""
NEW = frozenset({"add_todo", "make_note", "near", "mean"})
"""The questions that a yes may make a new thing of."""
MAKES = frozenset({"create_todo", "create_note"})
OF_TODOS = frozenset({"edit_todo", "complete_todo", "delete_todo"})
MOVES = frozenset({"move_todo", "repeat_todo"})
ENDS = frozenset({"complete_todo", "delete"})
"""Those after which a thing is out of sight."""
EDITED = frozenset({"move_todo", "shift_todo", "repeat_todo", "prioritize"})
LEVELLED = frozenset({"add_todo", "prioritize", "move_todo"})
MONTH = 4
"""So many letters has the name of a month at least that is no other word."""


def agree(asked: Asked, step: Step, reading: Reading, language: Language) -> bool:
    """Return whether what is about to be done is what a message says, as far as that is known."""
    writes = [call for call in step.calls if call[0] in SAYS]
    if len(writes) != len(step.calls) or not reading.likely:
        return True
    if same_texts.adds_number_alone(asked, step):
        return False
    if reading.likely[0].intent == TWO:
        # of two wishes that were not parted one would be lost, unless both are of one list
        return len(writes) == 1 and _kinds_of_changes(asked, writes[0][1]) > 1
    always = _always(asked, writes)
    if ticks := _only_ticks(asked, writes):
        always |= DONE  # no reader knows the items of a list
    said = [_may_be_of(tool, fields) for tool, fields in writes]
    allowed = always.union(*said)
    if _weight(reading, allowed) < LIKELY:
        return False
    if any(_weight(reading, always | one) < POSSIBLE for one in said):
        return False
    likely = [one for one in reading.likely if one.intent in allowed]
    if not likely:
        return True
    if likely[0].intent in always - DONE:  # “no, the gas is not paid” takes one of two back
        named = {part[:2] for part in lines.named(asked.message, _about(asked))}
        return not 0 < max(len(likely[0].all_of("target")), len(named)) < len(writes)
    # “tous les deux” are no more than were told
    says_all = references.says_all(asked.message, language)
    says_all = says_all and not references.both_in(asked.message, language)
    return any(
        _same_things(asked, writes, one, says_all=says_all)
        and not is_in_other_month(writes, one, language)
        and _are_days(asked, one, language)
        and not (len(writes) == 1 and one.get("it") and references.both_in(one.text, language))
        and keeps_days(asked, writes, one, language)
        and _as_many(asked, writes, one, language)
        and (
            same_texts.are_same(asked, writes, one)
            or new_todos.are_made(asked, writes, one, language)
        )
        and not (one.intent == "prioritize" and says_other_day(asked, one))
        and not (one.intent in WRITTEN and ticks)
        and _are_levels(writes, one, language)
        and not (one.intent == "delete" and meant.is_within(one))
        and _are_items(asked, writes, one)
        and not (one.intent in KEEPS and _adds_lines(asked, writes))
        and (not ticks or _may_be_ticked(asked, writes[0][1], one))
        for one in likely
        if one is likely[0] or {one.intent, likely[0].intent} <= WRITTEN
    )


def _may_be_of(tool: str, fields: Mapping[str, Any]) -> frozenset[str]:
    """Return the intents that a change may be of: that of a todo by the fields that it edits, and
    of a note by whether it gets another title.
    """
    if tool == "edit_note":
        return RENAMES if "title" in fields else SAYS[tool] - RENAMES
    edits = [EDITS[name] for name in fields if name in EDITS] if tool == "edit_todo" else []
    if any("id" not in one for one in fields.get("steps", ())):
        edits = [one & ADDS for one in edits]
    return frozenset[str]().union(*edits) if edits else SAYS[tool]


def _weight(reading: Reading, intents: Iterable[str]) -> float:
    return sum(reading.weights.get(one, 0.0) for one in intents)


def _always(asked: Asked, writes: Sequence[Call]) -> frozenset[str]:
    """Return the intents that changes may be of, whatever they are: that of taking back what was
    done, and after a question those of an answer.
    """
    undone = {(tool, _changed(fields)) for one in asked.earlier for tool, fields in one.undo}
    undoes = all((tool, _changed(fields)) in undone for tool, fields in writes)
    question = asked.earlier[0].asks if asked.earlier else None
    choices = {one.id for one in question.choices} if question else set()
    changed = {_changed(fields) for _, fields in writes}
    # what was asked about one thing is not answered by a change of another
    is_asked = asked.message.rstrip().endswith(("?", "？"))
    answers = question is not None and not is_asked and (not choices or changed <= choices)
    if question is not None and question.lacks == "yes" and question.intent not in NEW:
        answers = answers and all(tool not in MAKES for tool, _ in writes)
    return (ANSWERS if answers else frozenset()) | (TAKES_BACK if undoes else frozenset())


def changes_only(step: Step, things: Sequence[Thing]) -> bool:
    """Return whether a step changes none but these things, and makes none."""
    ids = {one.id for one in things}
    return all(_changed(fields) in ids for tool, fields in step.calls if tool in SAYS)


def _changed(fields: Mapping[str, Any]) -> Any:
    """Return the id of what a call changes; None of what is new."""
    return fields.get("id", fields.get("noteId"))


def _about(asked: Asked) -> Sequence[Thing]:
    return asked.earlier[0].about if asked.earlier else ()


def is_of(step: Step, said: Understood) -> bool:
    """Return whether a step does something of a kind that was understood."""
    return any(
        said.intent in _may_be_of(tool, fields) for tool, fields in step.calls if tool in SAYS
    )


def has_more(asked: Asked, step: Step, said: Understood) -> bool:
    """Return whether a step makes more things than was understood."""
    if said.intent not in ("add_todo", "add_step", "add_item"):
        return False
    slot = same_texts.MADE[said.intent][0]
    return len(same_texts.made(asked, step.calls, said)) > len(said.all_of(slot))


def _same_things(asked: Asked, writes: Sequence[Call], said: Understood, *, says_all: bool) -> bool:
    """Return whether only what a message names is changed, or what it points at."""
    changed = [_changed(fields) for _, fields in writes]
    names, pointers = said.all_of("target"), said.all_of("it")
    if names and not _may_be_named(asked, names, writes):
        return False
    last = asked.earlier[0] if asked.earlier else Trace()
    is_done = last.intent == "complete_todo" and {one.id for one in last.about}.issuperset(changed)
    if is_done and last.undo and said.intent in EDITED:
        return False  # what is done is hardly moved: “the roofer comes Wednesday, put it on here”
    if names:
        is_one = len(changed) == 1 and not meant.may_be_other(asked, names, changed[0])
        return is_one or len(names) + len(pointers) > 1
    if last.asks and last.asks.lacks == "yes" and not pointers and None not in changed:
        # what follows a question is of what that asked about, or of nothing that is known; and
        # whether something is done is not answered by a day
        is_other = last.asks.intent in ENDS and said.intent in EDITED
        return not is_other and {one.id for one in last.asks.choices}.issuperset(changed)
    if len(changed) > 1 and says_all:
        return False  # “all of them” is told first
    may_point = pointers or said.intent in ENDS or said.intent == "reopen_todo"
    if may_point and last.intent == "ask" and not last.asks:
        # “it” may be what was asked about just before, and not what was spoken of earlier
        told = {one.id for one in (*last.about, *last.shown)}
        if said.intent in ENDS:
            told -= {one.id for one in last.shown}  # which was only near to what was asked
        return None in changed or told.issuperset(changed)
    if not _about(asked):
        return True
    spoken_of = {one.id for turn in asked.earlier for one in (*turn.about, *turn.shown)}
    return None in changed or spoken_of.issuperset(changed)


def _are_items(asked: Asked, writes: Sequence[Call], said: Understood) -> bool:
    """Return whether what ends todos ends those that are named as items, if any are: “onions and
    dog food are in the trolley, tick them off” is no dog sitter, and “the cellar: the boxes are
    gone” no whole cellar.
    """
    items = said.all_of("item") + (said.all_of("step") if said.all_of("target") else [])
    if said.intent not in TICKS or not items:
        return True
    ended = {_changed(fields) for tool, fields in writes if tool == "complete_todo"}
    return all(
        any({*resolve_reference.word_stems(item)} <= held for item in items)
        for held in (
            {*resolve_reference.word_stems(one.title)}
            for one in asking.things(asked)
            if one.kind == "todo" and one.id in ended
        )
    )


def _may_be_named(asked: Asked, names: Sequence[str], writes: Sequence[Call]) -> bool:
    """Return whether the todos that are changed may be called so; where their names are known,
    which they are of what was spoken of.
    """
    known = {
        one.id: one.title
        for turn in asked.earlier
        for one in (*turn.about, *turn.shown)
        if one.kind == "todo"
    }
    ids = [_changed(fields) for tool, fields in writes if tool in OF_TODOS]
    titles = [known[one] for one in ids if one in known]
    return not titles or any(
        resolve_reference.words_said(title, name) or same_texts.share_letters(title, name)
        for title in titles
        for name in names
    )


def is_in_other_month(writes: Sequence[Call], said: Understood, language: Language) -> bool:
    """Return whether a thing is moved to another month than one that is named: “let's put it off
    to mid January, say the 14th”.
    """
    dues = [str(fields["dueDate"]) for _, fields in writes if fields.get("dueDate")]
    if said.intent not in MOVES or not dues:
        return False
    table = language_data.load_table(language, Dates)
    names = [said.text[one.start : one.end] for one in said.spans if one.slot == "target"]
    words = Counter(re.findall(r"[^\W\d_]+", plain_letters(said.text).lower()))
    for name in names:
        words.subtract(re.findall(r"[^\W\d_]+", plain_letters(name).lower()))
    named = {
        month
        for month, known in table.months.items()
        if any(words[one] > 0 for one in known if len(one) >= MONTH)
    }
    return bool(named) and not any(int(due[5:7]) in named for due in dues)


def _are_levels(writes: Sequence[Call], said: Understood, language: Language) -> bool:
    """Return whether a priority that a message names is what todos get."""
    words = said.get("prio") if said.intent in LEVELLED else ""
    if words.isdecimal() and said.intent != "prioritize":
        return True  # “at 7, no make it 8”
    level = meant.said_level(said, language) if words else None
    fields = [fields for tool, fields in writes if tool in ("create_todo", "edit_todo")]
    return level is None or all(one.get("priority") == level for one in fields)


def _may_be_ticked(asked: Asked, fields: Mapping[str, Any], said: Understood) -> bool:
    """Return whether the lines of a note that are ticked may be called as a message says: “the
    tyres are on, Tom did it” ticks no present for Tom.
    """
    names = said.all_of("target") if said.intent in DONE else []
    old, new = (text.splitlines() for text in (_read_before(asked), str(fields["content"])))
    return not names or any(
        resolve_reference.words_said(line, name) or same_texts.share_letters(line, name)
        for line in set(old) - set(new)
        for name in names
    )


def _are_days(asked: Asked, said: Understood, language: Language) -> bool:
    """Return whether each day to which a thing is to be moved is one: “up to a 5 and to 11 Dec”."""
    days = said.all_of("day") if said.intent in MOVES else []
    return len(days) < 2 or all(meant.day(asked, [one], language) for one in days)


def keeps_days(asked: Asked, writes: Sequence[Call], said: Understood, language: Language) -> bool:
    """Return whether what is moved gets the weekday that is said, and not its time of day alone,
    nor that which it had: “make that Thursday, half three”, “it's at 5, not at 4”.
    """
    dues = [str(fields["dueDate"]) for _, fields in writes if fields.get("dueDate")]
    if said.intent != "move_todo" or len(dues) != 1:
        return True
    days, times = _days_and_times(asked, said.all_of("day"), language)
    _, old = _days_and_times(asked, said.all_of("olddat"), language)
    is_old = bool(times) and dues[0][11:16] in old - times
    return not is_old and (not days or date.fromisoformat(dues[0][:10]).weekday() in days)


def _days_and_times(
    asked: Asked, texts: Sequence[str], language: Language
) -> tuple[set[int], set[str]]:
    """Return the weekdays of the days that some words name, and the times of day, “17:00”."""
    weekdays, times = set(), set()
    for text in texts:
        read = quickadd.read_line(f"x {text}", now=asked.now, locale=language)
        times |= {str(one.value) for one in read.spans if one.kind == "time"}
        if read.due is not None and any(one.kind == "date" for one in read.spans):
            weekdays.add(read.due.weekday())
    return weekdays, times


def says_other_day(asked: Asked, said: Understood) -> bool:
    """Return whether a day is named beside the slots: “call the landlord in three days, it's
    urgent” is more than a priority.
    """
    rest = dialogue_words.bare(same_texts.beside(said))
    return dialogue_words.find_days(rest, asked.now) is not None


def _as_many(asked: Asked, writes: Sequence[Call], said: Understood, language: Language) -> bool:
    """Return whether no more todos or items were understood than are made."""
    made = len(same_texts.made(asked, writes, said))
    if said.intent == "add_todo":
        # steps that are made may have been taken for more todos
        return made == 0 or len(new_todos.lines(asked, said, language)) <= made
    if said.intent in ("add_item", "add_step"):
        return made == 0 or len(said.all_of(same_texts.MADE[said.intent][0])) <= made
    return True


def _kinds_of_changes(asked: Asked, fields: Mapping[str, Any]) -> int:
    """Return in how many ways the lines of a note change: by ticking, by adding, by removing."""
    old = _read_before(asked)
    new = str(fields.get("content") or old)
    before, after = ({_BOX.sub("[ ]", one) for one in text.splitlines()} for text in (old, new))
    ticks = any(_BOX.sub("[ ]", one) in after for one in {*old.splitlines()} - {*new.splitlines()})
    return ticks + bool(same_texts.new_lines(before, after)) + bool(before - after)


def _adds_lines(asked: Asked, writes: Sequence[Call]) -> bool:
    """Return whether a note that was read gets lines that it has not, ticked or not."""
    old = set(_BOX.sub("[ ]", _read_before(asked)).splitlines())
    texts = [str(fields.get("content", "")) for tool, fields in writes if tool == "edit_note"]
    return any(same_texts.new_lines(old, set(_BOX.sub("[ ]", one).splitlines())) for one in texts)


def _only_ticks(asked: Asked, writes: Sequence[Call]) -> bool:
    """Return whether all that changes is which items of a list are ticked."""
    old = _read_before(asked)
    texts = [str(fields["content"]) for _, fields in writes if fields.get("content") is not None]
    unticked = [_BOX.sub("[ ]", one.rstrip("\n")) for one in (old, *texts)]
    return len(texts) == len(writes) and len(set(unticked)) == 1


def _read_before(asked: Asked) -> str:
    """Return the note that was read in this turn as it was then; empty where none was."""
    return next((str(one.content["note"]["markdown"]) for one in asked.of("get_note_content")), "")
