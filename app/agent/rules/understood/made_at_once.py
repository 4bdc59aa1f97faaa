"""What is made without asking first: todos, notes, folders, messages, and lines of notes."""

import itertools
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from app.agent.quickadd import quickadd
from app.agent.rules.answers import item_changes
from app.agent.rules.answers.item_changes import Held
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import resolve_reference, said_days
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.listed import corrected_facts, list_words
from app.agent.rules.mentions import asking
from app.agent.rules.passages import log_lines, new_rows, note_lines, questions
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.reader import reader
from app.agent.rules.reader.labelled import TWO
from app.agent.rules.reader.reader import Reading, Understood
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import agreement, meant, new_todos, surely, wishes
from app.agent.rules.understood.surely import Act
from app.agent.turn.steps import Asked, Question, Step, Trace

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
MOST_WORDS, MOST_LETTERS = 5, 14
"""So many words, or letters where no spaces part words, stand beside them and their days."""
CORRECTS = frozenset({"replace_text", *agreement.WRITTEN})
"""The intents that what is to be corrected may seem to be of."""
LOGGED = frozenset({"text", "item", "day", "olddat"})
"""The slots of a new line of a log."""


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
    if not said.get("day") and said.sure < BARE:
        return wishes.ask(asked, said, language), True
    task = {"task": _task(asked, said, language)}
    return surely.do(asked, Route("add_todo", language, task), act), True


def _whatever_before(asked: Asked, reading: Reading, language: Language) -> Reading:
    """Return what a message is by itself, where it is an errand so and most likely one after what
    was spoken of, too: “buy dog food” after a note was told.
    """
    said = reading.likely[0] if reading.likely else None
    if said is None or said.intent != "add_todo" or not surely.HALF <= said.sure < BARE:
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
    if said.sure < PLAIN:
        return False
    others = (reading.weights.get(one, 0.0) for one in (TWO, "message"))
    if (asked.earlier and asked.earlier[0].asks) or max(others) > surely.NOT_TWO:
        return False
    titles, marked = said.all_of("title"), Marked(said.text).text
    if len(titles) != 1 or not _task(asked, said, language):
        return False
    if words_of(language).cues["todo"].search(marked):
        return False  # what asks for one outright is known to the patterns
    rest = said.text
    for one in said.spans:
        rest = rest.replace(said.text[one.start : one.end], " ", 1)
    is_open = surely.perhaps(language).search(marked) or surely.relayed(language).search(marked)
    return not (
        is_open
        or surely.may_be_question(said)
        or not {one.slot for one in said.spans} <= {"title", "day"}
        or not new_todos.only_asks(rest, language)
        or not surely.says_one_day(asked, said, language)
    )


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
    if said.sure < (PLAIN if waits else surely.NAMED) or uses is None or asks is None:
        return None
    # “could you ask Joanna whether …?” is a request
    if surely.may_be_question(said) and not (waits and said.sure >= surely.NAMED):
        return None
    most = surely.MAYBE_TWO if waits else surely.NOT_TWO
    if reading.weights.get(TWO, 0.0) > most or not surely.uses_all(said, uses):
        return None
    marked = Marked(said.text).text
    request = words_of(language).cues["message"].search(marked)
    request = request or meant.asks_others(language).search(marked)
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
    if not (said.get("day") or said.get("prio")) or surely.may_be_question(said):
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
    is_one = reading.weights.get(TWO, 0.0) <= surely.NOT_TWO
    is_sure = is_one and said.intent == "add_todo" and said.sure >= surely.AT_ONCE
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
    is_plain = not (
        surely.may_be_question(said) or surely.perhaps(language).search(Marked(said.text).text)
    )
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
    it, or those of its name before a colon; None where it is asked about.
    """
    said, asks = reading.likely[0], surely.asks_yes(question)
    is_note = len(step.calls) == 1 and step.calls[0][0] == "create_note"
    if not is_note or said.intent != "make_note" or asks is None or surely.may_be_question(said):
        return None
    texts = [one for one in said.spans if one.slot in ("text", "item")]
    names = [one for one in said.spans if one.slot == "name"]
    if len(texts) > 1 or len(names) > 1 or not surely.uses_all(said, MAKES[said.intent]):
        return None
    between = said.text[names[0].end : texts[0].start].strip() if names and texts else ""
    # what follows the colon behind a name is all of the text, however many wishes it may be
    two = 0.0 if between in (":", "：") else reading.weights.get(TWO, 0.0)
    is_sure = said.sure >= surely.NAMED or between in (":", "：")
    written = fold_text(str(step.calls[0][1]["content"]))
    is_part = all(fold_text(said.text[one.start : one.end]) in written for one in said.spans)
    if not is_sure or two > surely.NOT_TWO or not is_part:
        return None
    return surely.route_of(looked, question, asks, said, act)


def replaced(looked: Asked, question: Step, said: Understood, act: Act) -> Route | None:
    """Return the replacement of a value in a note that is asked about, where the message has words
    of its line, or the old value itself: “the lamp costs 45 € now, change that in the note”.
    """
    trace = question.trace or Trace()
    asks = trace.asks
    if asks is None or asks.intent != "replace_text":
        return None
    new, old, line = (asks.arguments[name] for name in ("to", "from", "old"))
    is_old = any(old in one for one in said.all_of("old"))
    if line.lstrip().startswith("|") and not (is_old or corrected_facts.is_only_cell(looked, asks)):
        return None  # of which column, a row does not tell
    texts = said.all_of("text") if said.intent == asks.intent else []
    is_told = said.sure >= surely.AT_ONCE and bool(texts) and new in texts[-1]
    is_told = is_told and not surely.only_asks(said, trace.language)
    if not (is_told or _asks_to_correct(looked, asks, trace.language)):
        return None
    told = looked.earlier[0].told.splitlines()[:1] if looked.earlier else []
    # “typo, it's 3560” of the number that the message before had written down
    is_own = bool(looked.earlier and looked.earlier[0].undo)
    is_named = (
        is_old
        or (is_own and any(old in one for one in looked.before[-1:]))
        or corrected_facts.shares(said.text, line, "")
        or any(line.endswith(one) for one in told if one)
    )
    return surely.route_of(looked, question, asks, said, act) if is_named else None


def _asks_to_correct(looked: Asked, asks: Question, language: Language) -> bool:
    """Return whether a message outright asks for something to be corrected, and tells this number
    as the old one stands, in euros for euros: “the kits are 160 now, fix that in the order”.
    """
    said, held = asks.arguments["to"], asks.arguments["from"]
    new = {one.unit for one in note_lines.amounts(looked.message) if one.text == said}
    old = {one.unit for one in note_lines.amounts(asks.arguments["old"]) if one.text == held}
    weights = reader.read(looked, (), language).weights
    is_written = sum(weights.get(one, 0.0) for one in CORRECTS) >= PLAIN
    cue = list_words.words_of(language).cues["correct"]
    is_same = bool(new) and new == old
    return is_same and is_written and bool(cue.search(Marked(looked.message).text))


def written(looked: Asked, question: Step, reading: Reading, act: Act) -> Route | Step | None:
    """Return the change of a note's text that is asked about, where it is surely meant: another
    value, or a new line of a log; None where it is asked about.
    """
    found = replaced(looked, question, reading.likely[0], act)
    return found or _logged(looked, question, reading, act)


def _logged(looked: Asked, question: Step, reading: Reading, act: Act) -> Route | Step | None:
    """Return the new line of a log, or row of a table, that is asked about, or the step that reads
    the note: where every line has its date, or a column for each thing that is said, no more is
    needed to know how one more is written.
    """
    said, asks = reading.likely[0], surely.asks_yes(question)
    if asks is None or asks.intent != "append_note" or len(asks.choices) != 1:
        return None
    texts = [*said.all_of("text"), *said.all_of("item")]
    if said.intent not in agreement.WRITTEN or said.sure < surely.HALF or len(texts) != 1:
        return None
    if surely.writes_target(looked, said, (question.trace or Trace()).language):
        return None
    if reading.weights.get(TWO, 0.0) > surely.NOT_TWO or surely.may_be_question(said):
        return None
    days = [*said.all_of("day"), *said.all_of("olddat")]
    beside = looked.message.replace(texts[0], " ", 1)
    language = (question.trace or Trace()).language
    past = [log_lines.past_day(one, looked) for one in days]
    past = past or said_days.past_days(looked, beside, language)
    past = past or said_days.past_days(looked, texts[0], language)  # “on Saturday I got 2 kg”
    if not surely.uses_all(said, LOGGED) or len(past) > 1 or not all(past):
        return None
    held = item_changes.read(looked, asks.choices[0])
    if not isinstance(held, Held):
        return held
    markdown = str(held.record["markdown"])
    day = past[0] if past else None
    is_line = log_lines.is_log(markdown) and log_lines.may_take(texts[0], markdown)
    if not is_line and new_rows.add(markdown, texts[0], looked, day) is None:
        return None
    if day is not None:
        arguments = {**asks.arguments, "day": day.isoformat()}
        asks = msgspec.structs.replace(asks, arguments=arguments)
    return surely.route_of(looked, question, asks, said, act)


def _one_made(step: Step) -> Mapping[str, Any] | None:
    """Return the fields of the one todo that a step makes, if it does nothing else."""
    if len(step.calls) != 1 or step.calls[0][0] != "create_todo":
        return None
    return step.calls[0][1]
