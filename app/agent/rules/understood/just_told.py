"""What is said of the todo or list just told, and done at once: “c'est payé”, “take lamb off”."""

import re

from app.agent.rules.answers import item_changes
from app.agent.rules.answers.item_changes import Held
from app.agent.rules.changes.marked import Marked, is_provided, words_of
from app.agent.rules.dialogue import resolve_reference
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.listed import list_words
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import fold_text, split_words
from app.agent.rules.reader import question_signs, reader
from app.agent.rules.reader.labelled import TWO
from app.agent.rules.reader.reader import Reading, Understood
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import at_once, surely
from app.agent.rules.understood.surely import Act
from app.agent.turn.steps import Asked, Step, Trace

OF_ITEMS = {
    "remove": frozenset({"remove_item", "remove_step", "delete"}),
    "tick": frozenset({"tick_item", "tick_step", "complete_todo"}),
}
"""The intents by which items are taken off a list, and ticked."""
_LETTER = re.compile(r"[\u30a0-\u30ff\u3400-\u9fff]")
_HAN = re.compile(r"[\u3400-\u9fff]|[\u30a0-\u30ff]{2,}")


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
    if said.intent not in intents or likely < surely.AT_ONCE:
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
    if said.intent != asks.intent or not surely.may_be_done(
        said, at_once.USES[said.intent], language
    ):
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
