"""Which changes that a reader understood are made without asking first.

Only what can be taken back is, where the reader is as good as sure, the message names one thing by
the words of its name or goes on with what was just spoken of, and each of its slots is used.
"""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from app.agent.rules.answers import item_changes
from app.agent.rules.answers.item_changes import Held
from app.agent.rules.changes import reused, told
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import resolve_reference
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.listed import corrected_facts
from app.agent.rules.mentions import asking
from app.agent.rules.passages import log_lines, questions
from app.agent.rules.passages.sentences import fold_text, split_words
from app.agent.rules.reader import agreement, lines, meant, new_todos, reader
from app.agent.rules.reader.labelled import TWO
from app.agent.rules.reader.reader import Reading, Understood
from app.agent.rules.routing.routing import Route
from app.agent.turn import looks
from app.agent.turn.steps import Asked, Question, Step, Thing, Trace

Act = Callable[[Asked, Route], Step]
_LOANED_ON = re.compile(r"[\u3400-\u9fff\u30a0-\u30ff][\u30a1-\u30ff]")
"""Where a Japanese word goes on with a loan word."""
AT_ONCE, NAMED = 0.97, 0.9
"""So likely is what is done at once, and what is so to a thing that a message names."""
SUREST = 0.99
"""So likely is what is done at once though the patterns would do something else."""
USES: Mapping[str, frozenset[str]] = {
    intent: frozenset(slots.split())
    for intent, slots in {
        "move_todo": "day olddat prio",
        "repeat_todo": "day",
        "shift_todo": "by",
        "undate_todo": "",
        "prioritize": "prio day",
        "same": "",
        "append_note": "text item",
        "add_item": "text item",
        "add_step": "step",
        "complete_todo": "olddat person",
        "delete": "",
        "rename": "name",
        "tick_item": "item",
        "untick_item": "item",
        "remove_item": "item",
        "tick_step": "step",
        "remove_step": "step",
        "pin": "",
        "unpin": "",
        "tag": "tag",
        "move_note": "folder",
    }.items()
}
"""The intents of that, and the slots that they use beside those of what they change."""
MAKES: Mapping[str, frozenset[str]] = {
    "message": frozenset({"person", "text"}),
    "make_folder": frozenset({"name", "folder"}),
    "make_note": frozenset({"name", "text", "item", "folder"}),
}
"""The intents of what is made, and the slots of that."""
AS_BEFORE = frozenset(
    "move_todo repeat_todo shift_todo undate_todo prioritize append_note add_item add_step".split()
)
"""Those that are done where the patterns ask about the same, whatever else is said."""
WITHOUT_DAY = frozenset(
    {"prioritize", "rename", "delete", "undate_todo", "pin", "tag", "move_note"}
)
"""Those of which a message names no day, unless it wishes more."""
OF_TODOS = frozenset({"title", "day", "prio"})
"""The slots of a new todo that are surely put where they belong."""
LOGGED = frozenset({"text", "item", "day", "olddat"})
"""The slots of a new line of a log."""
HALF, SAID = 0.5, 0.6
"""Such a share of a todo's words is said of what is told to be done."""
NOT_TWO = 0.02
"""A second wish is not likelier than this."""
TAKEN_BACK = 0.5
"""So likely does a clause take back what was said before it."""
TAKES_BACK = ("leave", "undo", "no", "delete")
OTHERS_WORDS = "list_conversations"
"""What gives the words of others, after which a change waits for the owner anyway."""


def as_asked(looked: Asked, question: Step, said: Understood, act: Act) -> Route | None:
    """Return the change that the patterns would ask about in the same way; None where it is asked
    about.
    """
    asks = _asks(question)
    uses = USES.get(said.intent) if said.intent in AS_BEFORE else None
    if said.sure < _least(said) or uses is None or asks is None or len(said.all_of("day")) > 1:
        return None
    if not _is_named(said, asks.choices) or not _uses_all(said, uses):
        return None
    if said.intent in WITHOUT_DAY and agreement.says_other_day(looked, said):
        return None
    return _surely(looked, question, asks, said, act)


def as_read(
    looked: Asked, question: Step, reading: Reading, language: Language, act: Act
) -> Route | None:
    """Return the change that the reader knows and no pattern; None where it is asked about."""
    said, asks = reading.likely[0], _asks(question)
    uses = USES.get(said.intent)
    if said.sure < _least(said) or uses is None or asks is None:
        return None
    if len(asks.choices) != 1 or asks.choices[0].kind == "folder":
        return None
    if reading.weights.get(TWO, 0.0) > NOT_TWO or _may_be_question(said):
        return None
    if not _uses_all(said, uses) or not _is_told(looked, said, asks.choices[0], language):
        return None
    if not _says_one_day(looked, said, language) or _names_other(looked, said, asks.choices):
        return None
    if said.intent in WITHOUT_DAY and agreement.says_other_day(looked, said):
        return None
    if not _names_items(said, asks) or _relayed(language).search(Marked(said.text).text):
        return None
    return _surely(looked, question, asks, said, act)


def as_new(
    looked: Asked, question: Step, reading: Reading, language: Language, act: Act
) -> Route | None:
    """Return the new folder or note, or the message to somebody, which waits for a yes anyway, that
    the reader knows and no pattern; None where it is asked about.
    """
    said, asks = reading.likely[0], _asks(question)
    uses = MAKES.get(said.intent)
    if said.sure < NAMED or uses is None or asks is None or _may_be_question(said):
        return None
    if reading.weights.get(TWO, 0.0) > NOT_TWO or not _uses_all(said, uses):
        return None
    request = words_of(language).cues["message"].search(Marked(said.text).text)
    if said.intent == "message" and not request:
        return None  # “Derek says that the cold snap is on the way”
    is_many = any(len(said.all_of(slot)) > 1 for slot in ("name", "text", "folder", "person"))
    return None if is_many else _surely(looked, question, asks, said, act)


def instead_of_new(
    looked: Asked, step: Step, question: Step, reading: Reading, language: Language, act: Act
) -> Route | None:
    """Return the change of what is there that the patterns took for a new todo or note: “the other
    one to Wednesday at 10”, “diesel not before five” where there is such a todo.
    """
    said = reading.likely[0]
    makes = bool(step.calls) and all(tool in agreement.MAKES for tool, _ in step.calls)
    is_new = max(reading.weights.get(one, 0.0) for one in ("add_todo", "make_note"))
    if not makes or said.sure < SUREST or is_new > NOT_TWO:
        return None
    return as_read(looked, question, reading, language, act)


def replaced(looked: Asked, question: Step, said: Understood, act: Act) -> Route | None:
    """Return the replacement of a value in a note that is asked about, where the message has words
    of its line, or the old value itself: “the lamp costs 45 € now, change that in the note”.
    """
    asks = (question.trace or Trace()).asks
    texts = said.all_of("text")
    if asks is None or asks.intent != "replace_text" or said.intent != asks.intent or not texts:
        return None
    new, old, line = (asks.arguments[name] for name in ("to", "from", "old"))
    if said.sure < AT_ONCE or new not in texts[-1] or _may_be_question(said):
        return None
    is_named = corrected_facts.shares(said.text, line, "") or old in said.all_of("old")
    return _surely(looked, question, asks, said, act) if is_named else None


def written(looked: Asked, question: Step, reading: Reading, act: Act) -> Route | Step | None:
    """Return the change of a note's text that is asked about, where it is surely meant: another
    value, or a new line of a log; None where it is asked about.
    """
    found = replaced(looked, question, reading.likely[0], act)
    return found or _logged(looked, question, reading, act)


def _logged(looked: Asked, question: Step, reading: Reading, act: Act) -> Route | Step | None:
    """Return the new line of a log that is asked about, or the step that reads the note: where
    every line has its date, no more is needed to know how one more is written.
    """
    said, asks = reading.likely[0], _asks(question)
    if asks is None or asks.intent != "append_note" or len(asks.choices) != 1:
        return None
    texts = [*said.all_of("text"), *said.all_of("item")]
    if said.intent not in agreement.WRITTEN or said.sure < HALF or len(texts) != 1:
        return None
    if reading.weights.get(TWO, 0.0) > NOT_TWO or _may_be_question(said):
        return None
    days = [*said.all_of("day"), *said.all_of("olddat")]
    past = [log_lines.past_day(one, looked) for one in days]
    if not _uses_all(said, LOGGED) or len(days) > 1 or not all(past):
        return None
    held = item_changes.read(looked, asks.choices[0])
    if not isinstance(held, Held):
        return held
    if not log_lines.is_log(str(held.record["markdown"])):
        return None
    if past and past[0] is not None:
        day = {"day": past[0].isoformat()}
        asks = msgspec.structs.replace(asks, arguments={**asks.arguments, **day})
    return _surely(looked, question, asks, said, act)


def todo_said(
    looked: Asked, question: Step, reading: Reading, language: Language, act: Act
) -> Route | None:
    """Return the one new todo that a message begins with, after its day and priority and what asks
    for one: “tomorrow at 3 call Ralf, priority 5, he leaves then”; None where it is asked about.
    """
    said, asks = reading.likely[0], _asks(question)
    titles = [one for one in said.spans if one.slot == "title"]
    if said.intent != "add_todo" or said.sure < AT_ONCE or asks is None or len(titles) != 1:
        return None
    if not (said.get("day") or said.get("prio")) or _may_be_question(said):
        return None
    if reading.weights.get(TWO, 0.0) > NOT_TWO or not _uses_all(said, OF_TODOS):
        return None
    lead = said.text[: titles[0].start]
    for one in (one for one in said.spans if one.end <= titles[0].start):
        lead = lead.replace(said.text[one.start : one.end], " ", 1)
    if not new_todos.only_asks(lead, language) or not _says_one_day(looked, said, language):
        return None
    rest = said.text[max(one.end for one in said.spans) :]
    return (
        None if _takes_back(looked, rest, language) else _surely(looked, question, asks, said, act)
    )


def new_todo(
    looked: Asked, step: Step, question: Step, said: Understood, language: Language, act: Act
) -> Route | None:
    """Return the new todo whose title the patterns have with a reason behind it:
    “remind me to warm up the car at six, else it won't start”; None where they differ in more.
    """
    made, asks = _one_made(step), _asks(question)
    titles = said.all_of("title")
    if made is None or asks is None or said.sure < AT_ONCE or len(titles) != 1:
        return None
    if not _uses_all(said, OF_TODOS) or len(said.all_of("day")) > 1:
        return None
    title, written = fold_text(titles[0]).strip(), fold_text(made["title"]).strip()
    at = written.find(title)
    if at < 0 or _takes_back(looked, written[at + len(title) :], language):
        return None
    found = _surely(looked, question, asks, said, act)
    again = _one_made(do(looked, found, act)) if found else None
    same = ("dueDate", "recurrence", "priority")
    if again is None or any(again.get(name) != made.get(name) for name in same):
        return None
    return found


def do(looked: Asked, route: Route, act: Act) -> Step:
    """Return the step of a change, given what was looked up and done for it in the turn."""
    return reused.reuse(looked, lambda part: act(part, route))


def _one_made(step: Step) -> Mapping[str, Any] | None:
    """Return the fields of the one todo that a step makes, if it does nothing else."""
    if len(step.calls) != 1 or step.calls[0][0] != "create_todo":
        return None
    return step.calls[0][1]


def _takes_back(asked: Asked, rest: str, language: Language) -> bool:
    """Return whether what follows a new todo says that it is not to be made after all."""
    if not rest.strip():
        return False
    weights = reader.read(msgspec.structs.replace(asked, message=rest), (), language).weights
    return sum(weights.get(one, 0.0) for one in TAKES_BACK) > TAKEN_BACK


def _least(said: Understood) -> float:
    """Return how likely at least a change is that is done at once; less is enough for a thing that
    is named, or pointed at.
    """
    return NAMED if said.all_of("target") or said.all_of("it") else AT_ONCE


def _asks(question: Step) -> Question | None:
    """Return what a question needs no more than a yes to."""
    asks = (question.trace or Trace()).asks
    return asks if asks is not None and asks.lacks == "yes" else None


def _uses_all(said: Understood, uses: frozenset[str]) -> bool:
    return all(one.slot in {*uses, "target", "it"} for one in said.spans)


def _is_named(said: Understood, things: Sequence[Thing]) -> bool:
    """Return whether each name of a message has only words of the name of one of these."""
    return all(
        any(told.is_all_named(name, one.title) for one in things) for name in said.all_of("target")
    )


def _may_be_question(said: Understood) -> bool:
    return said.text.rstrip().endswith(("?", "？"))


@functools.cache
def _relayed(language: Language) -> re.Pattern[str]:
    """Return the words by which a message tells what somebody else wishes."""
    words = language_data.join_pattern(language_data.load_table(language, Changes).relayed)
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)" if words_of(language).spaced else words)


def _is_told(asked: Asked, said: Understood, thing: Thing, language: Language) -> bool:
    """Return whether a thing is surely that of a message: by whole words of its name, or as what
    was spoken of where nothing was asked.
    """
    names = said.all_of("target")
    if not names:
        open_question = asked.earlier and asked.earlier[0].asks
        return bool(asked.earlier) and not open_question
    is_whole = all(_has_whole(thing.title, one) for one in names)
    ends = (one.end - 1 for one in said.spans if one.slot == "target")
    if any(_LOANED_ON.match(said.text, end) for end in ends):
        return False  # “牛乳プリン” is not the milk that is to be bought
    if any(_is_person(asked, one) for one in names):
        return False  # “Clara comes on Saturday” moves no drawings for Clara
    if said.intent != "complete_todo":
        return is_whole
    if words_of(language).denies.search(Marked(said.text).text):
        return False
    return is_whole and (
        _share_said(thing.title, said.text) >= SAID or fold_text(names[0]) == fold_text(thing.title)
    )


def _is_person(asked: Asked, name: str) -> bool:
    """Return whether a name is no more than that of a contact."""
    words = set(split_words(name))
    people = (one for one in asking.things(asked) if one.kind == "person")
    return any(words <= set(split_words(one.title)) for one in people)


def _share_said(title: str, message: str) -> float:
    """Return the share of the words of a title that a message has in some form, 0 to 1: “hem the
    robes” in “the robes are hemmed”, “Winsch schmieren” in “Winsch ist geschmiert”.
    """
    stems = resolve_reference.word_stems(title)
    if questions.is_asian(title):
        letters = [one for one in fold_text(title) if one.isalpha()]
        return sum(one in fold_text(message) for one in letters) / max(len(letters), 1)
    held = split_words(message)
    said = sum(any(one[: told.SAME] in word for word in held) for one in stems)
    return said / max(len(stems), 1)


def _names_items(said: Understood, asks: Question) -> bool:
    """Return whether each item that is named has no other words than one that is changed: no
    “milk powder” for “milk”.
    """
    if asks.intent != "change_items":
        return True
    titles = [one for value in asks.arguments.values() for one in value.split("\n")]
    names = (*said.all_of("item"), *said.all_of("step"))
    return all(any(_has_whole(title, name) for title in titles) for name in names)


def _has_whole(title: str, name: str) -> bool:
    """Return whether a name stands in a title as whole words, in whatever form, or is the end of a
    long one where words are joined: “Kranz” of “Adventkranz”.
    """
    if questions.is_asian(name):
        return len(name) > 1 and fold_text(name).strip() in fold_text(title)
    if resolve_reference.fitting_rows(name, [{"title": title}], strictly=True):
        return told.is_all_named(name, title)
    return resolve_reference.ends_compound(name, title)


def _says_one_day(asked: Asked, said: Understood, language: Language) -> bool:
    """Return whether the words of the new day are read as one, and none of them is left that is
    another: “Wednesday after lunch, 14:15”.
    """
    days = [one for one in said.all_of("day") if not meant.keeps_time(one, language)]
    if not days:
        return True
    read = meant.day(asked, days, language)
    if read and read not in days[0]:
        read = read.rpartition(" ")[2]  # the number of “on 17th”
    rest = days[0].replace(read, "", 1) if read else days[0]
    return (
        len(days) == 1 and bool(read) and rest != days[0] and not meant.day(asked, [rest], language)
    )


def _names_other(looked: Asked, said: Understood, things: Sequence[Thing]) -> bool:
    """Return whether a message names another thing, beside its slots, than what is changed."""
    others = [
        one
        for one in asking.things(looked)
        if one not in things and one.kind == "todo" and _share_said(one.title, said.text) > HALF
    ]
    texts = ("text", "item", "step", "name", "tag", "target")
    return any(
        not any(one.slot in texts and one.start <= start < one.end for one in said.spans)
        for start, _, _ in lines.named(said.text, others)
    )


def _surely(
    looked: Asked, question: Step, asks: Question, said: Understood, act: Act
) -> Route | None:
    """Return the change that a question asks about, unless its step would be no good."""
    if looked.has(OTHERS_WORDS):
        return None
    language = (question.trace or Trace()).language
    route = Route(asks.intent, language, asks.arguments, asks.choices)
    step = do(looked, route, act)
    if agreement.is_in_other_month(step.calls, said, language):
        return None
    if not agreement.keeps_days(looked, step.calls, said, language):
        return None
    if said.get("prio") and meant.level(said.get("prio"), language) is None:
        return None  # “prio max” that nobody knows
    return None if looks.looks_too_long(looked, step) else route
