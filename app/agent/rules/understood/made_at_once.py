"""What is made without asking first: todos, notes, folders, messages, and lines of notes."""

import itertools
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from app.agent.quickadd import quickadd
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import resolve_reference, view_words
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.reader import message_texts, question_signs, reader
from app.agent.rules.reader.labelled import TWO
from app.agent.rules.reader.reader import Reading, Understood
from app.agent.rules.routing import routing, spoken_tasks
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import agreement, new_todos, shown, surely, wishes
from app.agent.rules.understood.surely import Act
from app.agent.turn.steps import Asked, Step, Trace

MAKES: Mapping[str, frozenset[str]] = {
    "message": frozenset({"person", "text"}),
    "make_folder": frozenset({"name", "folder"}),
    "make_note": frozenset({"name", "text", "item", "folder"}),
}
"""The intents of what is made, and the slots of that."""
OF_TODOS = frozenset({"title", "day", "prio"})
"""The slots of a new todo that are surely put where they belong."""
LEAST = 2
"""So many todos at least are several."""
PLAIN, BARE = 0.8, 0.9
"""So likely at least is a new todo where a message has nothing beside its title and day, a message
to somebody, which waits for a yes, and a number that is to be corrected; and a todo without a day,
which is asked about where it is less likely.
"""
UNKNOWN = frozenset({"ask", "cannot", "add_todo"})
"""What the patterns take a message for of which they know no more."""
UNFIT = frozenset({"replace_text", "none", "cannot"})
"""What a message with the verb of an errand hardly is."""
ROW = 0.05
"""A second wish is not likelier than this where a row of todos is told."""
MOST_WORDS, MOST_LETTERS = 5, 14
"""So many words, or letters where no spaces part words, stand beside them and their days."""


def plain_todo(asked: Asked, language: Language, act: Act) -> tuple[Step | None, bool]:
    """Return the step that makes a todo of a message that is no more than its title and perhaps its
    day, or that asks whether it is one, and whether anything was looked up for that; no step where
    something that there is may be meant.
    """
    reading = _whatever_before(asked, reader.read(asked, (), language), language)
    if not _is_plain(asked, reading, language):
        return None, False
    if not asking.has_looked(asked):
        return (None if asked.is_last else Step(calls=asking.looks(asked))), True
    said = reading.likely[0]
    if _may_be_there(asked, said.all_of("title")[0]):
        return None, True
    if not said.get("day") and said.sure < _least(said, BARE, language):
        return wishes.ask(asked, said, language), True
    task = {"task": _task(asked, said, language)}
    return surely.do(asked, Route("add_todo", language, task), act), True


def _whatever_before(asked: Asked, reading: Reading, language: Language) -> Reading:
    """Return what a message is by itself, where it is an errand so and most likely one after what
    was spoken of, too, or hardly what it is taken for then: “buy dog food” after a note was told.
    """
    said = reading.likely[0] if reading.likely else None
    if said is None:
        return reading
    is_unsure = said.intent == "add_todo" and surely.HALF <= said.sure < BARE
    if not is_unsure and not (said.intent in UNFIT and _is_errand(said, language)):
        return reading
    alone = reader.read(msgspec.structs.replace(asked, earlier=()), (), language)
    return alone if alone.likely[0].intent == "add_todo" else reading


def _is_plain(asked: Asked, reading: Reading, language: Language) -> bool:
    """Return whether a message surely is the title of a new todo, perhaps with its day, and nothing
    else.
    """
    said = reading.likely[0] if reading.likely else None
    if said is None or said.intent != "add_todo":
        return False
    if said.sure < _least(said, PLAIN, language):
        return False
    others = (reading.weights.get(one, 0.0) for one in (TWO, "message"))
    if (asked.earlier and asked.earlier[0].asks) or max(others) > surely.NOT_TWO:
        return False
    titles, marked = said.all_of("title"), Marked(said.text).text
    if len(titles) != 1 or not _task(asked, said, language):
        return False
    if words_of(language).cues["todo"].search(marked):
        return False  # what asks for one outright is known to the patterns
    if _route_of(said, language) in shown.BY_PATTERNS:
        return False  # “share my agent”
    rest = said.text
    for one in said.spans:
        rest = rest.replace(said.text[one.start : one.end], " ", 1)
    is_open = surely.perhaps(language).search(marked) or surely.relayed(language).search(marked)
    return not (
        is_open
        or question_signs.may_be_question(said)
        or question_signs.may_ask(said.text)
        or not {one.slot for one in said.spans} <= {"title", "day"}
        or not new_todos.only_asks(rest, language)
        or not surely.says_one_day(asked, said, language)
    )


def _least(said: Understood, least: float, language: Language) -> float:
    """Return how likely a new todo is at least; less is enough for what begins with a known verb of
    an errand, where the verb stands first and the patterns know nothing else of it.
    """
    is_else = not _is_errand(said, language) or _route_of(said, language) not in UNKNOWN
    return least if is_else else surely.HALF


def _is_errand(said: Understood, language: Language) -> bool:
    return words_of(language).spaced and spoken_tasks.names_task(said.text, language)


def _route_of(said: Understood, language: Language) -> str:
    return routing.route_message(said.text, before=language).intent


def _task(asked: Asked, said: Understood, language: Language) -> str:
    """Return the line of a new todo of which quick add has the very title, and a day where one is
    said: the message, or its title and day alone where the reader is as good as sure of them; empty
    where none is.
    """
    title = fold_text(said.get("title"))
    lines = [said.text]
    if said.sure >= surely.SUREST:
        lines += new_todos.lines(asked, said, language)[:1]
    for one in lines:
        line = quickadd.read_line(one, now=asked.now, locale=language)
        has_day = line.due is not None or line.recurrence is not None
        if has_day == bool(said.get("day")) and fold_text(line.title) == title:
            return one
    return ""


def _may_be_there(looked: Asked, title: str) -> bool:
    """Return whether a title may be that of something that there is, whose name has all its words,
    or of a todo that it has all words of; or whether it has none to tell them apart.
    """
    stems = {*resolve_reference.word_stems(title)}
    if not stems:
        return True
    for one in asking.things(looked):
        held = {*resolve_reference.word_stems(one.title)}
        # “buy food for Truffle” is not the folder Truffle
        is_within = bool(held) and held <= stems and one.kind == "todo"
        if one.kind != "person" and (is_within or stems <= held):
            return True
    return False


def as_new(
    looked: Asked, question: Step, reading: Reading, language: Language, act: Act
) -> Route | None:
    """Return the new folder or note, or the message to somebody, which waits for a yes anyway, that
    the reader knows and no pattern; None where it is asked about.
    """
    said, asks = reading.likely[0], surely.asks_yes(question)
    uses, waits = MAKES.get(said.intent), said.intent == "message"
    # “folder” is said where one is to be made
    says_folder = "folder" in view_words.sort_words(said.text, language).said
    is_plain = waits or (said.intent == "make_folder" and says_folder)
    if said.sure < (PLAIN if is_plain else surely.NAMED) or uses is None or asks is None:
        return None
    # “could you ask Joanna whether …?” is a request
    if question_signs.may_be_question(said) and not (waits and said.sure >= surely.NAMED):
        return None
    most = surely.MAYBE_TWO if waits else surely.NOT_TWO
    if reading.weights.get(TWO, 0.0) > most or not surely.uses_all(said, uses):
        return None
    marked = Marked(said.text).text
    request = words_of(language).cues["message"].search(marked)
    request = request or message_texts.asks_others(language).search(marked)
    if said.intent == "message" and not request:
        return None  # “Derek says that the cold snap is on the way”
    is_many = any(len(said.all_of(slot)) > 1 for slot in ("name", "text", "folder", "person"))
    return None if is_many else surely.route_of(looked, question, asks, said, act)


def todo_said(
    looked: Asked, question: Step, reading: Reading, language: Language, act: Act
) -> Route | None:
    """Return the one new todo that a message begins with, after its day and priority and what asks
    for one: “tomorrow at 3 call Ralf, priority 5, he leaves then”; None where it is asked about.
    """
    said, asks = reading.likely[0], surely.asks_yes(question)
    titles = [one for one in said.spans if one.slot == "title"]
    if said.intent != "add_todo" or said.sure < surely.AT_ONCE or asks is None or len(titles) != 1:
        return None
    if not (said.get("day") or said.get("prio")) or question_signs.may_be_question(said):
        return None
    if reading.weights.get(TWO, 0.0) > surely.NOT_TWO or not surely.uses_all(said, OF_TODOS):
        return None
    lead = said.text[: titles[0].start]
    for one in (one for one in said.spans if one.end <= titles[0].start):
        lead = lead.replace(said.text[one.start : one.end], " ", 1)
    is_apart = lead.rstrip().endswith((":", "：")) and said.sure >= surely.AT_ONCE
    if not (is_apart or new_todos.only_asks(lead, language)):
        return None
    if not surely.says_one_day(looked, said, language):
        return None
    return surely.route_of(looked, question, asks, said, act)


def several_todos(
    looked: Asked, question: Step, reading: Reading, language: Language, act: Act
) -> Route | None:
    """Return the new todos of a message that is several titles with a day each, and hardly anything
    else than what asks for them: “buy stamps on Thursday, post the letter on Friday, put those
    two in”; None where it is asked about.
    """
    said, asks = reading.likely[0], surely.asks_yes(question)
    two = reading.weights.get(TWO, 0.0)
    is_sure = two <= ROW and said.intent == "add_todo" and said.sure + two >= surely.AT_ONCE
    if not is_sure or asks is None or not _are_paired(said, language):
        return None
    return surely.route_of(looked, question, asks, said, act)


def _are_paired(said: Understood, language: Language) -> bool:
    slots = [one.slot for one in said.spans]
    if (
        len(slots) < 2 * LEAST
        or set(slots) != {"title", "day"}
        or any(a == b for a, b in itertools.pairwise(slots))
    ):
        return False
    rest = said.text
    for one in said.spans:
        rest = rest.replace(said.text[one.start : one.end], " ", 1)
    words = re.findall(r"\w" if questions.is_asian(said.text) else r"\w+", rest)
    most = MOST_LETTERS if questions.is_asian(said.text) else MOST_WORDS
    is_open = surely.perhaps(language).search(Marked(said.text).text)
    is_plain = not (is_open or question_signs.may_be_question(said))
    return len(slots) % 2 == 0 and 0 < len(words) <= most and is_plain


def new_todo(
    looked: Asked, step: Step, question: Step, said: Understood, language: Language, act: Act
) -> Route | None:
    """Return the new todo whose title the patterns have with a reason behind it:
    “remind me to warm up the car at six, else it won't start”; None where they differ in more.
    """
    made, asks = _one_made(step), surely.asks_yes(question)
    titles = said.all_of("title")
    if made is None or asks is None or said.sure < surely.AT_ONCE or len(titles) != 1:
        return None
    if not surely.uses_all(said, OF_TODOS) or len(said.all_of("day")) > 1:
        return None
    title, written = fold_text(titles[0]).strip(), fold_text(made["title"]).strip()
    if not (written.startswith(title) or written.endswith(title)):
        return None  # “call” of “call mum”
    found = surely.route_of(looked, question, asks, said, act)
    again = _one_made(surely.do(looked, found, act)) if found else None
    same = ("dueDate", "recurrence", "priority")
    if again is None or any(again.get(name) != made.get(name) for name in same):
        return None
    return found


def new_note(looked: Asked, step: Step, question: Step, reading: Reading, act: Act) -> Route | None:
    """Return the new note of which the patterns have more than the reader: the words that ask for
    it, or those of its name before a colon; or which they took for something else though it says
    “note” before its name and a colon; None where it is asked about.
    """
    said, asks = reading.likely[0], surely.asks_yes(question)
    is_one = len(step.calls) == 1 and step.calls[0][0] in {*agreement.MAKES, "edit_note"}
    if not is_one or said.intent != "make_note" or asks is None:
        return None
    if question_signs.may_be_question(said):
        return None
    texts = [one for one in said.spans if one.slot in ("text", "item")]
    names = [one for one in said.spans if one.slot == "name"]
    if len(names) > 1 or not surely.uses_all(said, MAKES[said.intent]):
        return None
    between = said.text[names[0].end : texts[0].start].strip() if names and texts else ""
    is_titled = between in (":", "：")
    if len(texts) > 1 and not (is_titled and _has_all(said.text[names[0].end :], said)):
        return None
    # what follows the colon behind a name is all of the text, however many wishes it may be
    two = 0.0 if is_titled else reading.weights.get(TWO, 0.0)
    is_sure = said.sure >= surely.NAMED or is_titled
    tool, fields = step.calls[0]
    if tool == "create_note":
        is_part = _is_part(said, str(fields["title"]), str(fields["content"]))
    else:
        lead = said.text[: names[0].start] if names else ""
        language = (question.trace or Trace()).language
        notes = [fold_text(one.title) for one in asking.things(looked) if one.kind == "note"]
        is_there = any(fold_text(one) in notes for one in said.all_of("name"))
        says_note = "note" in view_words.sort_words(lead, language).said
        is_part = is_titled and says_note and not is_there
    if not is_sure or two > surely.NOT_TWO or not is_part:
        return None
    return surely.route_of(looked, question, asks, said, act)


def _has_all(text: str, said: Understood) -> bool:
    """Return whether all words of a text are in the slots of a message that are written down."""
    for one in (*said.all_of("text"), *said.all_of("item")):
        text = text.replace(one, " ", 1)
    return not re.search(r"\w", text)


def _is_part(said: Understood, title: str, content: str) -> bool:
    """Return whether what was understood of a new note is part of what the patterns make of it;
    where no spaces part words its name is all of theirs: “给李强发邮件” is no note “李强发邮件”.
    """
    written, names = fold_text(content), tuple(map(fold_text, said.all_of("name")))
    is_end = questions.is_asian(title) and fold_text(title).endswith(names)
    is_part = all(fold_text(said.text[one.start : one.end]) in written for one in said.spans)
    if (*names, *map(fold_text, said.all_of("text"))) == (fold_text(title), written):
        return True  # the same but for the folder
    return is_part and not (is_end and fold_text(title) not in names)


def _one_made(step: Step) -> Mapping[str, Any] | None:
    """Return the fields of the one todo that a step makes, if it does nothing else."""
    if len(step.calls) != 1 or step.calls[0][0] != "create_todo":
        return None
    return step.calls[0][1]
