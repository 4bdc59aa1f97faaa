"""Whether what a reader understood is surely meant, so that it is done without asking first."""

import functools
import re
from collections.abc import Callable, Sequence

from app.agent.rules.answers.undo import GONE_BY
from app.agent.rules.changes import reused, told
from app.agent.rules.changes.marked import Marked, is_provided, words_of
from app.agent.rules.dialogue import dialogue_words, references, resolve_reference, said_days
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.passages import note_lines, questions
from app.agent.rules.passages.sentences import fold_text, split_words
from app.agent.rules.reader import lines, reader
from app.agent.rules.reader.reader import Reading, Understood
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import agreement, meant, same_texts
from app.agent.turn import looks
from app.agent.turn.steps import Asked, Question, Step, Thing, Trace

Act = Callable[[Asked, Route], Step]
MADE, NAMED, AT_ONCE, SUREST = 0.7, 0.9, 0.97, 0.99
"""So likely is what takes back what was just done, what is done to a thing that
a message names, what else is done at once, and what is done though the patterns would do something
else, or ends a thing without a word for it.
"""
HALF, SAID = 0.5, 0.6
"""Such a share of a todo's words is said of what is told to be done."""
NOT_TWO, MAYBE_TWO, BACK_TWO = 0.02, 0.1, 0.2
"""A second wish is not likelier than this, where it waits for a yes anyway than that, and than the
last where what was just done is taken back.
"""
LATELY = 3
"""In so many turns is looked for what was just made."""
BACK = frozenset({"undo", "reopen_todo"})
ADDS = frozenset({"add_item", "append_note"})
OTHERS_WORDS = "list_conversations"
"""What gives the words of others, after which a change waits for the owner anyway."""
_ENDINGS = re.compile(r"[\u3040-\u309f]+")
_LOANED_ON = re.compile(r"[\u3400-\u9fff\u30a0-\u30ff][\u30a1-\u30ff]")
"""Where a Japanese word goes on with a loan word."""


def least(said: Understood, *, takes_back: bool = False) -> float:
    """Return how likely at least a change is that is done at once; less is enough for a thing that
    is named, or pointed at, but not for news of what is done, and where it `takes_back` what was
    just done.
    """
    if takes_back:
        return MADE
    is_told = bool(said.all_of("target") or said.all_of("it"))
    return NAMED if is_told and said.intent != "complete_todo" else AT_ONCE


def is_undo(reading: Reading) -> bool:
    """Return whether a message surely takes back what was done last, and names nothing of it; to
    open again what was just completed is the same.
    """
    if not reading.likely:
        return False
    said = reading.likely[0]
    likely = sum(reading.weights.get(one, 0.0) for one in BACK)
    return said.intent in BACK and likely >= AT_ONCE and not said.all_of("target")


def asks_yes(question: Step) -> Question | None:
    """Return what a question needs no more than a yes to."""
    asks = (question.trace or Trace()).asks
    return asks if asks is not None and asks.lacks == "yes" else None


def uses_all(said: Understood, uses: frozenset[str]) -> bool:
    """Return whether a message has no slots but these and those of what it is about."""
    return all(one.slot in {*uses, "target", "it"} for one in said.spans)


def is_named(said: Understood, things: Sequence[Thing]) -> bool:
    """Return whether each name of a message has only words of the name of one of these."""
    return all(
        any(told.is_all_named(name, one.title) for one in things) for name in said.all_of("target")
    )


def may_be_done(
    said: Understood,
    uses: frozenset[str],
    language: Language,
    *,
    takes_back: bool = False,
    least_sure: float | None = None,
) -> bool:
    """Return whether a change is likely enough, all that a message says goes into it, and nothing
    says that it only may be so; `takes_back` says whether it is the contrary of what was just done.
    """
    is_open = bool(perhaps(language).search(Marked(said.text).text))
    is_open = is_open or is_provided(same_texts.beside(said), language)
    is_likely = said.sure >= (least_sure or least(said, takes_back=takes_back))
    return is_likely and uses_all(said, uses) and not is_open


def takes_back(asked: Asked, said: Understood, things: Sequence[Thing]) -> bool:
    """Return whether a change is the contrary of what was just done: it deletes what was made, or
    opens again what was completed.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    was_done = last.intent == "complete_todo" and bool(last.undo) and tuple(things) == last.about
    is_reopened = said.intent == "reopen_todo" and was_done
    return is_reopened or (said.intent == "delete" and was_just_made(asked, things))


def was_just_made(asked: Asked, things: Sequence[Thing]) -> bool:
    """Return whether one of the last turns has made all of these things."""
    made = {
        (GONE_BY[tool], fields.get("id") or fields.get("noteId"))
        for turn in asked.earlier[:LATELY]
        for tool, fields in turn.undo
        if tool in GONE_BY
    }
    return bool(things) and {(one.kind, one.id) for one in things} <= made


def perhaps(language: Language) -> re.Pattern[str]:
    """Return the words by which a message tells what only may be so: “might have to move it”."""
    return _words(language, "perhaps")


def relayed(language: Language) -> re.Pattern[str]:
    """Return the words by which a message tells what somebody else wishes."""
    return _words(language, "relayed")


def negates(language: Language) -> re.Pattern[str]:
    """Return the words by which a message says that something is not to be."""
    return _words(language, "negates")


def not_denied(said: Understood, slot: str, language: Language) -> list[str]:
    """Return the words of each place of a slot but those right after a “not”: “into Home, not into
    Work”.
    """
    text = Marked(said.text).text
    denied = re.compile(rf"(?:{negates(language).pattern})\s+(?:\w+\s+)?$")
    return [
        said.text[one.start : one.end]
        for one in said.spans
        if one.slot == slot and not denied.search(text[: one.start])
    ]


@functools.cache
def _words(language: Language, name: str) -> re.Pattern[str]:
    words = language_data.join_pattern(getattr(language_data.load_table(language, Changes), name))
    # an elided “n'” ends where the next word begins
    bounded = rf"(?<!\w)(?:{words})(?:(?!\w)|(?<=['’]))"
    return re.compile(bounded if words_of(language).spaced else words)


def is_told(asked: Asked, said: Understood, thing: Thing, language: Language) -> bool:
    """Return whether a thing is surely that of a message: by whole words of its name, or as what
    was spoken of where nothing was asked.
    """
    names = said.all_of("target")
    if not names:
        return _is_spoken_of(asked, said, thing)
    is_whole = all(
        _has_whole(thing.title, one) or _is_short_for(asked, one, thing) for one in names
    )
    ends = (one.end - 1 for one in said.spans if one.slot == "target")
    if any(_LOANED_ON.match(said.text, end) for end in ends):
        return False  # “牛乳プリン” is not the milk that is to be bought
    if said.intent == "delete" and meant.is_within(said):
        return False
    if any(meant.is_person(asked, one) for one in names):
        return False  # “Clara comes on Saturday” moves no drawings for Clara
    if said.intent not in ("complete_todo", "reopen_todo"):
        if _is_only_shown(asked, names, thing):
            return True
        # part of a name will do where nothing else is likely: “mvoe the car insurance to Friday”
        is_part = all(
            not questions.is_asian(one)
            or resolve_reference.is_within(thing.title, one)  # “行李单” for “行李”
            for one in names
        )
        is_part = is_part and said.intent != "delete"  # “pasport” may be another
        likely = NAMED if said.intent in ADDS else AT_ONCE
        return is_whole or (said.sure >= likely and is_part)
    marked, words = Marked(said.text).text, words_of(language)
    is_wish = said.intent == "reopen_todo" and words.cues["reopen"].search(marked)
    if words.denies.search(marked) and not is_wish:
        return False  # “I never returned the books” tells of more than one may know
    if said.intent == "reopen_todo":
        return is_whole
    share = share_said(thing.title, said.text)
    if any(resolve_reference.ends_compound(one, thing.title) for one in names):
        share += 1 / max(len(resolve_reference.word_stems(thing.title)), 1)  # “die Gläser”
    is_same = fold_text(names[0]) == fold_text(thing.title)
    # “sent the invoice last night” of the one invoice that was just listed
    last = asked.earlier[0] if asked.earlier else Trace()
    is_listed = said.sure >= AT_ONCE and thing in last.shown and last.asks is None
    asks_to_tick = said.sure >= AT_ONCE and _words(language, "ticks").search(marked)
    return is_whole and bool(share >= SAID or is_same or is_listed or asks_to_tick)


def _is_spoken_of(asked: Asked, said: Understood, thing: Thing) -> bool:
    """Return whether a message that names nothing is surely of what was spoken of."""
    open_question = asked.earlier[0].asks if asked.earlier else None
    # “完成报告” may name what is not there
    may_name = said.intent == "complete_todo" and questions.is_asian(said.text)
    if said.intent == "delete" and thing.kind == "note" and not takes_back(asked, said, (thing,)):
        return False  # “delete it again” may be the line that was just written
    is_sure = bool(said.all_of("it")) or (said.sure >= SUREST and not may_name)
    is_sure = is_sure or takes_back(asked, said, (thing,))
    is_bare = said.intent in agreement.ENDS and not is_sure
    spoken = references.newest(asked, (thing.kind,))
    was_spoken_of = thing in (*spoken.things, *spoken.unsure)
    # what a question after it was about as well is still spoken of
    is_open = open_question and not (
        was_spoken_of and open_question.choices == (thing,) and _was_told(asked, thing)
    )
    last = asked.earlier[0] if asked.earlier else Trace()
    if said.intent in agreement.ENDS and last.intent == "ask" and thing in last.shown:
        return False  # which was only near to what was asked
    if last.intent == "ask" and not (last.about or last.shown):
        return False  # what was asked about just before has not been found
    return bool(asked.earlier) and was_spoken_of and not is_open and not is_bare


def _was_told(asked: Asked, thing: Thing) -> bool:
    """Return whether a thing was spoken of in the turn before the last."""
    return any(thing in one.about for one in asked.earlier[1:2])


def _is_only_shown(asked: Asked, names: Sequence[str], thing: Thing) -> bool:
    """Return whether a thing is the only one of those just listed whose name has the names that a
    message says, be they of one letter where no spaces part words: “move the book one”, 本のほう.
    """
    # or those listed before one of them was dealt with
    last = next((one for one in asked.earlier[:2] if one.shown or one.asks), Trace())
    if thing not in last.shown or last.asks is not None or not names:
        return False
    having = [one for one in last.shown if all(_has_word(one.title, name) for name in names)]
    return having == [thing]


def _has_word(title: str, name: str) -> bool:
    if questions.is_asian(name):
        return fold_text(name).strip() in fold_text(title)
    return _has_whole(title, name)


def share_said(title: str, message: str) -> float:
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


def is_said(title: str, message: str) -> bool:
    """Return whether a message has all the words of a title in some form, or no other than its
    words: “got the roofing felt” for “buy roofing felt”.
    """
    words = note_lines.content(message)
    return share_said(title, message) == 1 or (bool(words) and words <= note_lines.content(title))


def names_items(said: Understood, asks: Question) -> bool:
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
        said, whole = fold_text(name).strip(), fold_text(title)
        # “母への電話” of “母に電話する”
        bare = _ENDINGS.sub("", said)
        is_bare = len(bare) > 1 and bare != said and bare in _ENDINGS.sub("", whole)
        return (len(name) > 1 and said in whole) or is_bare
    if resolve_reference.fitting_rows(name, [{"title": title}], strictly=True):
        return told.is_all_named(name, title)
    # “tickets nach kassel” of “Bahntickets nach Kassel buchen”
    words = [one for one in split_words(name) if one not in questions.little()]
    words = [one for one in words if not dialogue_words.is_list_word(one)] or words
    held = split_words(title)
    return bool(words) and all(
        one in held or resolve_reference.ends_compound(one, title) for one in words
    )


def _is_short_for(asked: Asked, name: str, thing: Thing) -> bool:
    """Return whether a name without spaces is short for one thing alone: 取药 for 取爸妈的药."""
    things = [one for one in asking.things(asked) if one.kind in ("todo", "note")]
    found = resolve_reference.short_rows(
        name, [{"title": one.title, "thing": one} for one in things]
    )
    return [one["thing"] for one in found] == [thing]


def says_one_day(asked: Asked, said: Understood, language: Language) -> bool:
    """Return whether the words of the new day are read as one, and none of them is left that is
    another: “Wednesday after lunch, 14:15”.
    """
    days = [one for one in said.all_of("day") if not meant.keeps_time(one, language)]
    if not days:
        return True
    read = meant.day(asked, days, language)
    if len(days) > 1 and read == " ".join(days):
        days = [read]  # “on Thursday” and “at 7 pm”
    if read and read not in days[0]:
        read = read.rpartition(" ")[2]  # the number of “on 17th”
    rest = days[0].replace(read, "", 1) if read else days[0]
    return (
        len(days) == 1 and bool(read) and rest != days[0] and not meant.day(asked, [rest], language)
    )


def names_other(looked: Asked, said: Understood, things: Sequence[Thing]) -> bool:
    """Return whether a message names another thing, beside its slots, than what is changed."""
    others = [
        one
        for one in asking.things(looked)
        if one not in things and one.kind == "todo" and share_said(one.title, said.text) > HALF
    ]
    texts = ("text", "item", "step", "name", "tag", "target")
    return any(
        not any(one.slot in texts and one.start <= start < one.end for one in said.spans)
        for start, _, _ in lines.named(said.text, others)
    )


def writes_target(looked: Asked, said: Understood, language: Language) -> bool:
    """Return whether a text to be written holds the words for where it is to be: “add Nadia to the
    table, she brings hummus” is no row as it stands.
    """
    alone = next(iter(reader.read(looked, (), language).likely), None)
    places = alone.all_of("target") if alone else []
    return any(one in text for one in places for text in said.all_of("text"))


def route_of(
    looked: Asked, question: Step, asks: Question, said: Understood, act: Act
) -> Route | None:
    """Return the change that a question asks about, unless its step would be no good."""
    if looked.has(OTHERS_WORDS) and said.intent != "message":  # which always waits
        return None
    names = said.all_of("target")
    if names and any(meant.may_be_other(looked, names, one.id) for one in asks.choices):
        return None
    language = (question.trace or Trace()).language
    tells_amount = asks.intent == "append_note" and note_lines.amounts(said.text)
    if tells_amount and None in said_days.past_days(looked, said.text, language):
        return None  # “4 kg will go tomorrow” is no line of a log yet
    text = Marked(asks.arguments.get("text", "")).text
    if tells_amount and words_of(language).put.match(text):
        return None  # “make the medium jar 6” changes a line
    route = Route(asks.intent, language, asks.arguments, asks.choices)
    step = do(looked, route, act)
    if agreement.is_in_other_month(step.calls, said, language):
        return None
    if not agreement.keeps_days(looked, step.calls, said, language):
        return None
    if said.get("prio") and not _is_priority(said, language):
        return None
    return None if looks.looks_too_long(looked, step) else route


def _is_priority(said: Understood, language: Language) -> bool:
    """Return whether a message names a priority: no “prio max” that nobody knows, and no 8 that
    nothing calls one, as in “the meeting is put back to 8”.
    """
    level, words = meant.said_level(said, language), said.get("prio")
    is_number = level is not None and words.isdecimal() and level > meant.TOP
    cue = words_of(language).cues["priority"]
    return level is not None and not (is_number and not cue.search(Marked(said.text).text))


def do(looked: Asked, route: Route, act: Act) -> Step:
    """Return the step of a change, given what was looked up and done for it in the turn."""
    return reused.reuse(looked, lambda part: act(part, route))
