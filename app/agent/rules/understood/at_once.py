"""Which changes that a reader understood are made without asking first.

Only what can be taken back is, where the reader is as good as sure, the message names one thing by
the words of its name or goes on with what was just spoken of, and each of its slots is used.
"""

import re
from collections.abc import Mapping, Sequence

import msgspec

from app.agent.rules.answers import item_changes
from app.agent.rules.answers.item_changes import Held
from app.agent.rules.changes.marked import Marked, is_provided, words_of
from app.agent.rules.dialogue import dialogue_words, references, resolve_reference, slots
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.listed import list_words
from app.agent.rules.mentions import asking
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import fold_text, split_words
from app.agent.rules.reader import question_signs, reader
from app.agent.rules.reader.labelled import TWO
from app.agent.rules.reader.reader import Reading, Understood
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import agreement, meant, surely, wishes
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
MOST_CLAUSES = 4
"""So many clauses has a message at most of which one wishes something."""
_LETTER = re.compile(r"[\u30a0-\u30ff\u3400-\u9fff]")
_HAN = re.compile(r"[\u3400-\u9fff]|[\u30a0-\u30ff]{2,}")
WRITES = frozenset({*surely.ADDS, "add_step"})
TICKS = frozenset({"tick_item", "change_items"})
OF_ITEMS = {
    "remove": frozenset({"remove_item", "remove_step", "delete"}),
    "tick": frozenset({"tick_item", "tick_step", "complete_todo"}),
}
"""The intents by which items are taken off a list, and ticked."""
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
    if asks is None or uses is None:
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
    if asks is None or uses is None:
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


def items(
    looked: Asked, question: Step, reading: Reading, language: Language, act: Act
) -> Route | None:
    """Return the change of items that the patterns ask about, because of what is said beside it,
    where the reader is sure of the same, the list is that which was spoken of or is named, and each
    item has all its words said: “take the lamb off Lupe is vegetarian”.
    """
    said, asks = reading.likely[0], surely.asks_yes(question)
    if asks is None or asks.intent != "change_items" or len(asks.arguments) != 1:
        return None
    ((how, titles),) = asks.arguments.items()
    intents = OF_ITEMS.get(how, frozenset())
    likely = sum(reading.weights.get(one, 0.0) for one in intents)
    if (
        said.intent not in intents
        or likely < surely.AT_ONCE
        or question_signs.only_asks(said, language)
    ):
        return None
    marked, thing = Marked(said.text).text, asks.choices[0]
    unsure = (surely.perhaps, surely.relayed, surely.negates)
    if any(one(language).search(marked) for one in unsure):
        return None
    if is_provided(said.text, language) or question_signs.only_asks(said, language):
        return None
    last = looked.earlier[0] if looked.earlier else Trace()
    is_told = (*last.about, *last.shown) == (thing,) and not last.asks
    if not is_told and not surely.is_said(thing.title, said.text):
        return None
    is_whole = all(_is_name_alone(one, marked, how, language) for one in titles.split("\n"))
    names = said.all_of("item") or said.all_of("step")
    if not (is_whole or (names and surely.names_items(said, asks))):
        return None
    if surely.names_other(looked, said._replace(spans=()), asks.choices):
        return None
    return surely.route_of(looked, question, asks, said._replace(spans=()), act)


def _is_name_alone(title: str, text: str, how: str, language: Language) -> bool:
    """Return whether an item stands in a text with its whole name, which no word before or after it
    makes longer: “milk powder” is no “milk”.
    """
    name = re.search(rf"(?<!\w){re.escape(plain_letters(title).lower())}(?!\w)", text)
    if name is None or not words_of(language).spaced:
        return False
    before, after = text[: name.start()].rstrip(" "), text[name.end() :].lstrip(" ")
    words = [*re.findall(r"[\w'-]+$", before), *re.findall(r"^[\w'-]+", after)]
    cue = list_words.words_of(language).cues["remove" if how == "remove" else "tick"]
    return all(one in questions.little() or cue.search(one) for one in words)


def done(
    looked: Asked, question: Step, reading: Reading, language: Language, act: Act
) -> Route | None:
    """Return the todo to be marked as done that is asked about, where the reader is sure that one
    is done, and it alone of those just told has a word of that: “c'est payé” after “pay the bill”.
    """
    said, asks = reading.likely[0], surely.asks_yes(question)
    last = looked.earlier[0] if looked.earlier else Trace()
    told = [one for one in last.about or last.shown if one.kind == "todo"]
    if asks is None or asks.intent != "complete_todo" or len(asks.choices) != 1 or last.asks:
        return None
    if said.intent != asks.intent or not surely.may_be_done(said, USES[said.intent], language):
        return None
    if _is_open(said, language):
        return None
    if reading.weights.get(TWO, 0.0) > surely.NOT_TWO:
        return None
    named = [one for one in told if _has_some(one.title, said.text)]
    is_other = surely.names_other(looked, said, asks.choices)
    if tuple(named) != asks.choices or is_other:
        return None
    return surely.route_of(looked, question, asks, said, act)


def step_done(asked: Asked, language: Language, act: Act) -> tuple[Step | None, bool]:
    """Return the step that ticks the one step of the todo just told that a message says is done, or
    that reads the todo, and whether anything was looked up for that: “le RIB je l'ai, coche-le”.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    told = last.about or last.shown
    if len(told) != 1 or told[0].kind != "todo" or last.asks:
        return None, False
    reading = reader.read(asked, (), language)
    likely = sum(reading.weights.get(one, 0.0) for one in OF_ITEMS["tick"])
    said = reading.likely[0] if reading.likely else None
    if said is None or said.intent not in OF_ITEMS["tick"] or likely < surely.NAMED:
        return None, False
    if _is_open(said, language) or surely.share_said(told[0].title, said.text) == 1:
        return None, False
    held = item_changes.read(asked, told[0])
    if not isinstance(held, Held):
        return held, held is not None
    shares = [(_share(one.title, said.text), one.title) for one in held.items if not one.is_done]
    named = [(share, title) for share, title in shares if share > 0]
    if len(named) != 1 or named[0][0] < 1:
        return None, True
    route = Route("change_items", language, {"tick": named[0][1]}, told)
    return surely.do(asked, route, act), True


def _share(title: str, text: str) -> float:
    """Return the share of the words of a step that a text has; where no spaces part words, of its
    letters but those of mere endings.
    """
    if not questions.is_asian(title):
        return surely.share_said(title, text)
    letters = {*_LETTER.findall(title)}
    return len(letters & {*_LETTER.findall(text)}) / max(len(letters), 1)


def _is_open(said: Understood, language: Language) -> bool:
    """Return whether a message denies something, only asks, or tells what somebody else says, or
    what only may be so.
    """
    marked = Marked(said.text).text
    patterns = (surely.perhaps(language), surely.relayed(language), words_of(language).denies)
    asks = question_signs.only_asks(said, language) or question_signs.may_ask(said.text)
    is_open = any(one.search(marked) for one in patterns)
    return is_open or asks or is_provided(said.text, language)


def _has_some(title: str, text: str) -> bool:
    """Return whether a text has a word of a title in some form, or the end of a long one; where no
    spaces part words, two letters that are no mere ending.
    """
    if questions.is_asian(title):
        return len({*_HAN.findall(title)} & {*_HAN.findall(text)}) > 1
    words = [one for one in split_words(fold_text(text)) if one not in questions.little()]
    return surely.share_said(title, " ".join(words)) > 0 or any(
        resolve_reference.ends_compound(one, title) for one in words
    )


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
