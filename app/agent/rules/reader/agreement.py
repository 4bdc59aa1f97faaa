"""Whether what is about to be done is what the reader of a message makes of it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.agent.rules.dialogue import references
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.passages import questions
from app.agent.rules.reader import lines, meant, new_todos
from app.agent.rules.reader.labelled import TWO
from app.agent.rules.reader.reader import Reading, Understood
from app.agent.turn.steps import Asked, Call, Step, Thing

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
TAKES_BACK = frozenset({"undo", "leave"})
"""What taking back what was done may be."""
ANSWERS = frozenset({"choose", "yes"})
"""What any change may be after a question."""
LIKELY = 0.25
"""So likely is at least one of the intents that a change is of, if it is to be done unasked."""
POSSIBLE = 0.01
"""So likely is at least each of several changes that are to be done."""
SURE, SHORT = 0.9, 4
"""So sure is an intent whose text of so many words may be anywhere."""
_PARTED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff][\s，、：][\u3040-\u30ff\u3400-\u9fff]")
"""Two clauses in a text without spaces."""
_BOX = re.compile(r"\[[xX]\]")
ENDING = 3
"""So many letters has the ending of a Japanese verb that a slot leaves out."""
DONE = frozenset({"complete_todo", "reopen_todo"})
"""What ticking an item of a list may seem to be."""
WRITTEN = frozenset({"append_note", "add_item"})
"""The intents that both write a line into a note."""
EXACT = frozenset({"rename", "make_note", "make_folder", "tag"})
"""What gives a name, which has no word more or less than was said."""
MOVES = frozenset({"move_todo", "repeat_todo"})
MONTH = 4
"""So many letters has the name of a month at least that is no other word."""
MADE: Mapping[str, tuple[str, ...]] = {
    "add_todo": ("title", "step"),
    "add_step": ("step",),
    "add_item": ("item", "text"),
    "append_note": ("item", "text"),
    "rename": ("name",),
    "make_note": ("name",),
    "make_folder": ("name",),
    "tag": ("tag",),
}
"""The slots of the texts that a change writes."""


def agree(asked: Asked, step: Step, reading: Reading, language: Language) -> bool:
    """Return whether what is about to be done is what a message says, as far as that is known."""
    writes = [call for call in step.calls if call[0] in SAYS]
    if len(writes) != len(step.calls) or not reading.likely:
        return True
    if adds_number_alone(asked, step):
        return False
    if reading.likely[0].intent == TWO:
        # of two wishes that were not parted one would be lost, unless both are of one list
        return len(writes) == 1 and _kinds_of_changes(asked, writes[0][1]) > 1
    always = _always(asked, writes)
    if ticks := _only_ticks(asked, writes):
        always |= DONE  # no reader knows the items of a list
    allowed = always.union(*(SAYS[tool] for tool, _ in writes))
    if _weight(reading, allowed) < LIKELY:
        return False
    if any(_weight(reading, always | SAYS[tool]) < POSSIBLE for tool, _ in writes):
        return False
    likely = [one for one in reading.likely if one.intent in allowed]
    if not likely:
        return True
    if likely[0].intent in always - DONE:  # “no, the gas is not paid” takes one of two back
        named = {part[:2] for part in lines.named(asked.message, _about(asked))}
        return not 0 < max(len(likely[0].all_of("target")), len(named)) < len(writes)
    says_all = references.says_all(asked.message, language)
    return any(
        _same_things(asked, writes, one, says_all=says_all)
        and not is_in_other_month(writes, one, language)
        and _are_days(asked, one, language)
        and _as_many(asked, writes, one, language)
        and _same_texts(asked, writes, one)
        and not (one.intent in WRITTEN and ticks)
        for one in likely
        if one is likely[0] or {one.intent, likely[0].intent} <= WRITTEN
    )


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
    answers = question is not None and (not choices or changed <= choices)
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
    return any(said.intent in SAYS.get(tool, ()) for tool, _ in step.calls)


def has_more(asked: Asked, step: Step, said: Understood) -> bool:
    """Return whether a step makes more things than was understood."""
    if said.intent not in ("add_todo", "add_step", "add_item"):
        return False
    return len(_made(asked, step.calls, said)) > len(said.all_of(MADE[said.intent][0]))


def _same_things(asked: Asked, writes: Sequence[Call], said: Understood, *, says_all: bool) -> bool:
    """Return whether only what a message names is changed, or what it points at."""
    changed = [_changed(fields) for _, fields in writes]
    names, pointers = said.all_of("target"), said.all_of("it")
    if names:
        return len(changed) == 1 or len(names) + len(pointers) > 1
    if len(changed) > 1 and says_all:
        return False  # “all of them” is told first
    if not _about(asked):
        return True
    spoken_of = {one.id for turn in asked.earlier for one in (*turn.about, *turn.shown)}
    return None in changed or spoken_of.issuperset(changed)


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


def _are_days(asked: Asked, said: Understood, language: Language) -> bool:
    """Return whether each day to which a thing is to be moved is one: “up to a 5 and to 11 Dec”."""
    days = said.all_of("day") if said.intent in MOVES else []
    return len(days) < 2 or all(meant.day(asked, [one], language) for one in days)


def _as_many(asked: Asked, writes: Sequence[Call], said: Understood, language: Language) -> bool:
    """Return whether no more todos or items were understood than are made."""
    if said.intent == "add_todo":
        made = sum(tool == "create_todo" for tool, _ in writes)
        return made == 0 or len(new_todos.lines(asked, said, language)) <= made
    if said.intent in ("add_item", "add_step"):
        made, meant_to_be = len(_made(asked, writes, said)), len(said.all_of(MADE[said.intent][0]))
        return made == 0 or meant_to_be <= made
    return True


def _same_texts(asked: Asked, writes: Sequence[Call], said: Understood) -> bool:
    """Return whether new texts have the words that were understood to be theirs."""
    if said.intent == "replace_text" and any(_added(asked, fields) for _, fields in writes):
        return False
    made = _made(asked, writes, said)
    wanted = [text for slot in MADE.get(said.intent, ()) for text in said.all_of(slot)]
    if said.intent == "make_note" and made and not wanted:
        return bool(said.all_of("text") or said.all_of("item"))
    if not made:
        return True
    if not wanted:  # a short text may be anywhere
        is_short = len(_words(made)) <= SHORT
        return said.sure >= SURE and is_short and said.intent == "add_todo"
    if said.intent in EXACT and _words(made) != _words(wanted):
        return False
    if questions.is_asian(asked.message):
        if any(_PARTED.search(one) for one in made):
            return False
        same = _words(made) == _words(wanted)
        return same or (len(made) == len(wanted) and all(map(_is_begun, made, wanted)))
    return are_alike(made, wanted)


def are_alike(texts: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether texts have the words of others, but for the form of one and for little words,
    of which they have one more at most.
    """
    words, meant_words = _words(texts), _words(others)
    apart = Counter(words)
    apart.subtract(meant_words)
    left = {word for word, count in apart.items() if count}
    little = {word for word in left if len(word) == 1 or word in questions.little()}
    forms = left - little
    is_form = not forms or (len(forms) == 2 and sum(apart[one] for one in forms) == 0)
    return is_form and sum(apart[one] > 0 for one in little) <= 1


def adds_number_alone(asked: Asked, step: Step) -> bool:
    """Return whether a step adds a line with nothing but a number: “put that up to 65”."""
    added = [
        one for tool, fields in step.calls if tool == "edit_note" for one in _added(asked, fields)
    ]
    return bool(added) and all(map(is_number_alone, added))


def is_number_alone(text: str) -> bool:
    """Return whether a text has nothing but a number and little words."""
    words = re.findall(r"[^\W_]+", plain_letters(text).lower())
    numbers = [one for one in words if one[0].isdigit()]
    return len(numbers) == 1 and all(one in numbers or one in questions.little() for one in words)


def _is_begun(made: str, wanted: str) -> bool:
    """Return whether a text is another with no more than the ending of its verb."""
    begun = re.escape(meant.trimmed(wanted))
    return re.fullmatch(rf"{begun}[\u3040-\u309f]{{0,{ENDING}}}", made) is not None


def _made(asked: Asked, writes: Sequence[Call], said: Understood) -> list[str]:
    """Return the texts that calls write."""
    found: list[str] = []
    for tool, fields in writes:
        steps = [one["title"] for one in fields.get("steps", ()) if "id" not in one]
        if tool == "create_todo" and said.intent == "add_todo":
            found += [fields["title"], *steps]
        elif said.intent == "add_step":
            found += steps
        elif tool == "create_folder" and said.intent == "make_folder":
            found.append(str(fields["path"]))
        elif said.intent == "rename":
            found += filter(None, [fields.get("title") or fields.get("name")])
        elif tool == "create_note" and said.intent == "make_note":
            found.append(fields["title"])
        elif tool == "edit_note" and said.intent == "tag":
            found += fields.get("tags", ())[-1:]
        elif tool == "edit_note" and said.intent in ("append_note", "add_item"):
            found += _added(asked, fields)
    return found


def _added(asked: Asked, fields: Mapping[str, Any]) -> list[str]:
    """Return the lines that are written at the end of a note; none where more of it changes."""
    old = next((str(one.content["note"]["markdown"]) for one in asked.of("get_note_content")), "")
    kept, new = old.rstrip("\n"), str(fields.get("content", ""))
    lines = new[len(kept) :].splitlines() if new.startswith(kept) else []
    return list(filter(None, (re.sub(r"^\s*[-*+]?\s*(?:\[[ x]\])?\s*", "", one) for one in lines)))


def _kinds_of_changes(asked: Asked, fields: Mapping[str, Any]) -> int:
    """Return in how many ways the lines of a note change: by ticking, by adding, by removing."""
    old = next((str(one.content["note"]["markdown"]) for one in asked.of("get_note_content")), "")
    new = str(fields.get("content") or old)
    before, after = ({_BOX.sub("[ ]", one) for one in text.splitlines()} for text in (old, new))
    ticks = any(_BOX.sub("[ ]", one) in after for one in {*old.splitlines()} - {*new.splitlines()})
    return ticks + bool(after - before) + bool(before - after)


def _only_ticks(asked: Asked, writes: Sequence[Call]) -> bool:
    """Return whether all that changes is which items of a list are ticked."""
    old = next((str(one.content["note"]["markdown"]) for one in asked.of("get_note_content")), "")
    texts = [str(fields["content"]) for _, fields in writes if fields.get("content") is not None]
    unticked = [_BOX.sub("[ ]", one.rstrip("\n")) for one in (old, *texts)]
    return len(texts) == len(writes) and len(set(unticked)) == 1


def _words(texts: Sequence[str]) -> list[str]:
    """Return the words of texts by their letters; where none are spaced, the letters."""
    found: list[str] = []
    for text in texts:
        plain = plain_letters(text).lower()
        found += re.findall(r"[^\W_]" if questions.is_asian(plain) else r"[^\W_]+", plain)
    return sorted(found)
