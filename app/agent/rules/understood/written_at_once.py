"""What is written into a note without asking first: another value, one more line of a log."""

import msgspec

from app.agent.rules.answers import item_changes
from app.agent.rules.answers.item_changes import Held
from app.agent.rules.changes.marked import Marked
from app.agent.rules.dialogue import references, said_days
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.listed import corrected_facts, fitting_numbers, list_words
from app.agent.rules.note_parts import cells
from app.agent.rules.passages import log_lines, new_rows, note_lines, questions
from app.agent.rules.reader import question_signs, reader
from app.agent.rules.reader.labelled import TWO
from app.agent.rules.reader.reader import Reading, Understood
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import agreement, made_at_once, replaced_text, surely
from app.agent.rules.understood.surely import Act
from app.agent.turn.steps import Asked, Question, Step, Trace

CORRECTS = frozenset({"replace_text", *agreement.WRITTEN})
"""The intents that what is to be corrected may seem to be of."""
LOGGED = frozenset({"text", "item", "day", "olddat"})
"""The slots of a new line of a log."""


def replaced(looked: Asked, question: Step, said: Understood, act: Act) -> Route | None:
    """Return the replacement of a value in a note that is asked about, where the message has words
    of its line, or the old value itself: “the lamp costs 45 € now, change that in the note”.
    """
    trace = question.trace or Trace()
    asks = trace.asks
    if asks is None or asks.intent != "replace_text":
        return None
    new, old, line = (asks.arguments[name] for name in ("to", "from", "old"))
    told_old = [
        *said.all_of("old"),
        *(one["old"] for one in replaced_text.not_but(trace.language).finditer(said.text)),
    ]
    is_old = any(old in one for one in told_old)
    if not is_old and references.is_one_of_several(looked, asks.choices[0]):
        return None  # “he's a 35 now” after two notes told his size
    if line.lstrip().startswith("|") and not (is_old or corrected_facts.is_only_cell(looked, asks)):
        return None  # of which column, a row does not tell
    texts = said.all_of("text") if said.intent == asks.intent else []
    least = surely.NAMED if is_old else surely.AT_ONCE
    is_told = said.sure >= least and bool(texts) and new in texts[-1]
    is_told = is_told and not question_signs.only_asks(said, trace.language)
    is_asked = _asks_to_correct(looked, asks, trace.language)
    if not (is_told or is_asked):
        return None
    # 改 asks for nothing: “公司的改成7788了”
    is_asked = is_asked and not questions.is_asian(looked.message)
    if not (is_old or is_asked or _fits(looked, asks, trace.language)):
        return None  # “if it's 30 I take it”
    if surely.perhaps(trace.language).search(Marked(said.text).text):
        return None
    told = looked.earlier[0].told.splitlines()[:1] if looked.earlier else []
    # “typo, it's 3560” of the number that the message before had written down
    is_own = bool(looked.earlier and looked.earlier[0].undo)
    is_named = (
        is_old
        or (is_own and any(old in one for one in looked.before[-1:]))
        or corrected_facts.shares(said.text, line, "")
        or (any(line.endswith(one) for one in told if one) and _is_of(looked, asks, trace.language))
    )
    return surely.route_of(looked, question, asks, said, act) if is_named else None


def _fits(looked: Asked, asks: Question, language: Language) -> bool:
    """Return whether a new number is surely one of the line that it is asked about."""
    titles = (one.title for one in asks.choices)
    known = " ".join((asks.arguments["old"], *titles, *looked.before[-1:]))
    place = fitting_numbers.Place(asks.arguments["from"], (), "", known, is_named=False)
    return fitting_numbers.fit(looked.message, asks.arguments["to"], place, language) == "fits"


def _is_of(looked: Asked, asks: Question, language: Language) -> bool:
    """Return whether a message says nothing but the new value of what was just told, or points back
    to that: “the milk is 3 now” after the price of the eggs is of something else.
    """
    text, titles = looked.message, " ".join(one.title for one in asks.choices)
    known = " ".join((asks.arguments["old"], asks.arguments["to"], titles, *looked.before[-1:]))
    left = frozenset() if questions.is_asian(text) else note_lines.left_of_title(text, known)
    return not cells.begins_else(text.partition(asks.arguments["to"])[0], frozenset(left), language)


def _asks_to_correct(looked: Asked, asks: Question, language: Language) -> bool:
    """Return whether a message outright asks for something to be corrected, and tells this number
    as the old one stands, in euros for euros: “the kits are 160 now, fix that in the order”.
    """
    said, held = asks.arguments["to"], asks.arguments["from"]
    new = {one.unit for one in note_lines.amounts(looked.message) if one.text == said}
    old = {one.unit for one in note_lines.amounts(asks.arguments["old"]) if one.text == held}
    weights = reader.read(looked, (), language).weights
    is_written = sum(weights.get(one, 0.0) for one in CORRECTS) >= made_at_once.PLAIN
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
    if note_lines.content(texts[0]) & note_lines.content(asks.choices[0].title):
        return None  # “in the honey prices make the medium jar 6”
    language = (question.trace or Trace()).language
    # “can you note it?” is a request
    only_asks = question_signs.only_asks(said, language)
    if reading.weights.get(TWO, 0.0) > surely.NOT_TWO or only_asks:
        return None
    days = [*said.all_of("day"), *said.all_of("olddat")]
    beside = looked.message.replace(texts[0], " ", 1)
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
