"""Which changes that a reader understood are made without asking first.

Only what can be taken back is, where the reader is as good as sure, the message names one thing by
the words of its name or goes on with what was just spoken of, and each of its slots is used.
"""

import re
from collections.abc import Mapping, Sequence

import msgspec

from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import dialogue_words, references, slots
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.reader import question_signs, reader
from app.agent.rules.reader.labelled import TWO
from app.agent.rules.reader.reader import Reading, Understood
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import agreement, meant, surely, taken_back, wishes
from app.agent.rules.understood.surely import Act
from app.agent.turn.steps import Asked, Step, Thing, Trace

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
        "reopen_todo": "",
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
AS_BEFORE = frozenset(
    "move_todo repeat_todo shift_todo undate_todo prioritize append_note add_item add_step".split()
)
"""Those that are done where the patterns ask about the same, whatever else is said."""
_PART = re.compile(
    r"(?:の|里面?的?|中的?|的)(?!名|题|題|タイトル|标题|ほう|方|やつ|件|メモ|ノート|笔记)\w+?(?:を|は|改|换|換)"
)
"""What of a thing gets new words that are no name of it: “買い物リストの卵を…に変えて”."""
TOOLS = {
    "move_todo": "edit_todo",
    "complete_todo": "complete_todo",
    "delete": "delete_todo",
    "rename": taken_back.RENAME,
}
"""The tools of changes that a message asks for by more than a word of a todo's title."""
MOST_CLAUSES = 4
"""So many clauses has a message at most of which one wishes something."""
WRITES = frozenset({*surely.ADDS, "add_step"})
TICKS = frozenset({"tick_item", "change_items"})
WITHOUT_DAY = frozenset(
    {"prioritize", "rename", "delete", "undate_todo", "pin", "tag", "move_note"}
)
"""Those of which a message names no day, unless it wishes more."""


def as_asked(
    looked: Asked, question: Step, said: Understood, language: Language, act: Act
) -> Route | None:
    """Return the change that the patterns would ask about in the same way; None where it is asked
    about.
    """
    asks = surely.asks_yes(question)
    uses = USES.get(said.intent) if said.intent in AS_BEFORE else None
    # where both readings say the same of what was just spoken of, less is enough
    last = looked.earlier[0] if looked.earlier else Trace()
    spoken = last.about or last.shown
    is_same = asks is not None and len(asks.choices) == 1 and asks.choices == spoken
    least = surely.NAMED if is_same else None
    moves = said.intent == "move_todo"
    if asks is None or uses is None or taken_back.is_open(looked, language, moves=moves):
        return None
    if not surely.may_be_done(said, uses, language, least_sure=least):
        return None
    days = [one for one in said.all_of("day") if not meant.keeps_time(one, language)]
    if len(days) > 1 or not surely.is_named(said, asks.choices):
        return None
    before = looked.earlier[0].asks if looked.earlier else None
    is_pointed = said.all_of("target") or said.all_of("it")
    if before is not None and not is_pointed and not {*asks.choices} <= {*before.choices}:
        return None  # what follows a question is not about what was spoken of before it
    if said.intent in WITHOUT_DAY and agreement.says_other_day(looked, said):
        return None
    return surely.route_of(looked, question, asks, said, act)


def as_read(
    looked: Asked, question: Step, reading: Reading, language: Language, act: Act
) -> Route | None:
    """Return the change that the reader knows and no pattern; None where it is asked about."""
    said, asks = _said(reading), surely.asks_yes(question)
    uses = USES.get(said.intent)
    moves = said.intent == "move_todo"
    if asks is None or uses is None or taken_back.is_open(looked, language, moves=moves):
        return None
    takes_back = surely.takes_back(looked, said, asks.choices)
    if not surely.may_be_done(said, uses, language, takes_back=takes_back):
        return None
    if asks.choices[:1] and asks.choices[0].kind == "folder":
        return None
    is_each = _is_each_told(looked, said, asks.choices, language)
    is_listed = len(asks.choices) == 1 or _are_those_shown(looked, said, asks.choices, language)
    if not (is_each or is_listed):
        return None
    # “a little higher, make it 4” says one thing twice
    most = surely.MAYBE_TWO if len(said.all_of("prio")) > 1 else surely.NOT_TWO
    most = surely.BACK_TWO if takes_back else most
    if reading.weights.get(TWO, 0.0) > most or question_signs.only_asks(said, language):
        return None
    if said.intent in WITHOUT_DAY and agreement.says_other_day(looked, said):
        return None
    if said.intent == "rename" and _renames_part(said):
        return None
    last = looked.earlier[0] if looked.earlier else Trace()
    ticked = said.intent in surely.ADDS and last.intent in TICKS
    if ticked and not slots.has_kind(said.text, language, "add"):
        return None  # “the sun cream, too” may be ticked as well
    if said.intent in surely.ADDS and surely.writes_target(looked, said, language):
        return None
    is_meant = (
        (is_each or surely.is_told(looked, said, asks.choices[0], language))
        and surely.says_one_day(looked, said, language)
        and not surely.names_other(looked, said, asks.choices)
        and surely.names_items(said, asks)
        and not surely.relayed(language).search(Marked(said.text).text)
    )
    if any(
        one.kind == "todo" and taken_back.is_only_near(looked, TOOLS[said.intent], one, language)
        for one in (asks.choices if said.intent in TOOLS else ())
    ):
        return None
    return surely.route_of(looked, question, asks, said, act) if is_meant else None


def said_alone(
    looked: Asked, question: Step, reading: Reading, language: Language, act: Act
) -> Route | None:
    """Return the change that is asked about where one clause surely wishes it and the others only
    tell why: “library books are done, edie took them back”; None where it is asked about.
    """
    asks = surely.asks_yes(question)
    wished = next((one for one in reading.likely if one.intent != TWO), None)
    if asks is None or wished is None or wished.intent not in USES:
        return None
    clauses = _clauses(looked.message, language)
    least = reading.weights.get(TWO, 0.0) + wished.sure
    if not 1 < len(clauses) <= MOST_CLAUSES or least < surely.NAMED:
        return None
    if question_signs.may_ask(looked.message) or "?" in looked.message or "？" in looked.message:
        return None
    for at, clause in enumerate(clauses):
        part = msgspec.structs.replace(looked, message=clause)
        read = reader.read(part, asking.things(looked), language)
        if not read.likely or read.likely[0].intent != wished.intent:
            continue
        mine = wishes.ask(part, read.likely[0], language)
        if mine is None or surely.asks_yes(mine) != asks:
            continue
        others = clauses[:at] + clauses[at + 1 :]
        if not all(_only_tells(looked, one, asks.choices, language) for one in others):
            return None
        return as_read(part, mine, read, language, act)
    return None


def _clauses(message: str, language: Language) -> list[str]:
    """Return the clauses of a message that have a word."""
    start, found = 0, list[str]()
    for end, after in [
        *(one.span() for one in words_of(language).join.finditer(Marked(message).text)),
        (len(message), 0),
    ]:
        found += [message[start:end]] if re.search(r"\w", message[start:end]) else []
        start = after
    return found


def _only_tells(looked: Asked, clause: str, things: Sequence[Thing], language: Language) -> bool:
    """Return whether a clause wishes nothing of anything else, and leaves nothing open."""
    text = Marked(clause).text
    if surely.perhaps(language).search(text) or surely.relayed(language).search(text):
        return False
    part = msgspec.structs.replace(looked, message=clause)
    likely = reader.read(part, asking.things(looked), language).likely[:1]
    if not likely or likely[0].intent not in wishes.WRITES or likely[0].sure < surely.HALF:
        return True
    mine = wishes.ask(part, likely[0], language)
    asks = surely.asks_yes(mine) if mine else None
    return mine is None or bool(asks and asks.choices == things)


def _said(reading: Reading) -> Understood:
    """Return the likeliest of a reading, as likely as both that write the same line into a note."""
    said, *others = reading.likely
    texts = [*said.all_of("text"), *said.all_of("item")]
    same = [
        one.sure
        for one in others
        if {one.intent, said.intent} == surely.ADDS
        and [*one.all_of("text"), *one.all_of("item")] == texts
    ]
    return said._replace(sure=said.sure + sum(same))


def _renames_part(said: Understood) -> bool:
    targets = [one for one in said.spans if one.slot == "target"]
    return bool(targets) and _PART.match(said.text, targets[0].end) is not None


def _is_each_told(
    looked: Asked, said: Understood, things: Sequence[Thing], language: Language
) -> bool:
    """Return whether each of several things has a name of its own in a message: “the rent is paid
    and the form is sent”.
    """
    names = [one for one in said.spans if one.slot == "target"]
    others = [one for one in said.spans if one.slot != "target"]
    if not 1 < len(things) == len(names) or said.intent == "delete":
        return False
    return all(
        surely.is_told(looked, said._replace(spans=(name, *others)), thing, language)
        for name, thing in zip(names, things, strict=True)
    )


def _are_those_shown(
    looked: Asked, said: Understood, things: Sequence[Thing], language: Language
) -> bool:
    """Return whether several things are all that the turn before has listed, and both or all of
    them are meant: “move both to tomorrow”.
    """
    shown = looked.earlier[0].shown if looked.earlier else ()
    is_all = any(
        references.says_all(one, language) or dialogue_words.whole(language, "both", one)
        for one in said.all_of("it")
    )
    says_both = len(things) == 2 and references.both_in(said.text, language) != ""
    is_all = is_all or says_both
    is_change = said.intent in AS_BEFORE or said.intent == "complete_todo"
    is_of_todos = is_change and all(one.kind == "todo" for one in things)
    return is_all and is_of_todos and len(things) > 1 and {*things} == {*shown}


def instead(
    looked: Asked, step: Step, question: Step, reading: Reading, language: Language, act: Act
) -> Route | None:
    """Return the change of what is there that the patterns took for another, or for a new todo or
    note: “the other one to Wednesday at 10”, “diesel not before five” where there is such a todo.
    """
    said = reading.likely[0]
    makes = bool(step.calls) and all(tool in agreement.MAKES for tool, _ in step.calls)
    is_new = max(reading.weights.get(one, 0.0) for one in ("add_todo", "make_note"))
    # what is changed otherwise than the patterns have it is named, or pointed at, and one
    asks = surely.asks_yes(question)
    is_told = bool(said.all_of("target") or said.all_of("it"))
    if asks is not None and said.intent in WRITES and agreement.is_of(step, said):
        # the same thing gets other words: “add the step count the till to that”
        is_told = is_told or agreement.changes_only(step, asks.choices)
    is_told = is_told and asks is not None and len(asks.choices) == 1
    is_told = is_told and said.intent != "rename"  # a name may go on behind a comma
    is_other = is_new <= surely.NOT_TWO if makes else is_told
    # “at 5, not at 4” is no guess where the patterns took the 4
    keeps = agreement.keeps_days(looked, step.calls, said, language)
    least = surely.SUREST if keeps else surely.NAMED
    cue = words_of(language).cues["step"] if said.intent == "add_step" else None
    if cue and cue.search(Marked(said.text).text):
        least = surely.NAMED  # “another step: buy drinks”
    if said.intent != "same" and not (said.sure >= least and is_other):
        return None
    return as_read(looked, question, reading, language, act)
