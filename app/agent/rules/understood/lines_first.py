"""What is done with the lines of the note that a message names or goes on from, before all else.

Each way has a module of its own in note_parts; here is only which of them is tried, in what order,
and whether what it finds is done, asked about, or left.
"""

import re

from app.agent.rules.answers import item_changes
from app.agent.rules.answers.item_changes import Held
from app.agent.rules.changes.marked import Marked, is_provided, words_of
from app.agent.rules.dialogue import references
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.listed import list_words, named_notes
from app.agent.rules.mentions import asking
from app.agent.rules.note_parts import (
    cells,
    codes,
    descriptions,
    headings,
    line_values,
    log_entries,
    numbered_rows,
    past_lines,
    rows,
    section_lines,
    slips,
    sums_again,
    which_column,
)
from app.agent.rules.passages import questions
from app.agent.rules.reader import reader
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import (
    line_changes,
    replaced_text,
    surely,
    taken_back,
    wishes,
    written_at_once,
)
from app.agent.rules.understood.surely import Act
from app.agent.turn import looks
from app.agent.turn.steps import Asked, Call, Step, Thing, Trace, note_link

LEFT, NEWS = 1, 2
"""So many words at most has a message beside those of the row in which it surely changes a number,
none where it changes a word; and so many more where it says that something is new.
"""
NEAREST = 2
"""So many notes that are nearest to a message may have the table that it changes."""
ENDS = frozenset({"delete", "remove_item", "remove_step", "complete_todo"})
TAKES_OUT = ENDS | {"untag", "unpin"}
ADDS = frozenset({"append_note", "add_item", "add_todo", "add_step", "make_note", "remember"})
"""What a message may be taken for that takes a row out of a table, and that adds one."""
ELSE = frozenset("add_todo make_note add_item append_note undo".split())
"""What a message surely is that changes no cell."""
LIKELY = 0.3


def do(asked: Asked, whole: Asked, language: Language, act: Act) -> tuple[Step | None, bool]:
    """Return what is done first with the lines of the note that was spoken of or is named: added up
    again, one more, one changed; and whether anything was looked up for that.
    """
    if column := which_column.answered(asked, language):
        return surely.do(whole, column, act), True
    before = looks.before_change(whole)
    described, looked = descriptions.wished(asked, before, language)
    if described and not taken_back.at_end(asked, language):
        return surely.do(whole, described, act) if isinstance(described, Route) else described, True
    again = sums_again.find(asked, language)
    if again and looks.has_only_looked(asked):
        step = surely.do(asked, again, act)
        if not step.empty:
            return step, True
    under = _under_heading(asked, whole, language)
    if under is not None:
        return surely.do(whole, under, act) if isinstance(under, Route) else under, True
    for find in (
        _slip,
        _row_too,
        _one_more,
        numbered_rows.answer,
        past_lines.answer,
        _code,
        _table,
        _value,
    ):
        found = find(asked, whole, language)
        if found is not None:
            return surely.do(whole, found, act) if isinstance(found, Route) else found, True
    has_looked = bool(again) or looked or _has_looked(asked, whole, language)
    may_log = log_entries.may_be(asked, language)
    is_open = surely.perhaps(language).search(Marked(asked.message).text)
    is_else = is_open or is_provided(asked.message, language) or _prioritizes(asked, language)
    said = [] if is_else else line_changes.wanted(asked, language)
    if not (may_log or said) or taken_back.as_whole(asked, language):
        return None, has_looked
    line = log_entries.entry(asked, before, language)
    if line is None and said:
        line = line_changes.change(before, said, language)
        likely = reader.read(asked, (), language).likely[:1]
        if isinstance(line, Step) and likely:
            line = written_at_once.replaced(before, line, likely[0], act) or line
    return surely.do(whole, line, act) if isinstance(line, Route) else line, True


def _prioritizes(asked: Asked, language: Language) -> bool:
    """Return whether the number of a message is likely a priority, and no value of a line."""
    likely = reader.read(asked, (), language).likely[:1]
    return bool(likely) and likely[0].intent == "prioritize" and likely[0].sure >= surely.HALF


def _has_looked(asked: Asked, whole: Asked, language: Language) -> bool:
    """Return whether anything was looked up for a heading, a code or a table."""
    may_ask = past_lines.may_ask(asked, language) or numbered_rows.may_ask(asked)
    goes_on = log_entries.more_said(asked, language) or rows.taken_from(asked, language)
    if may_ask or goes_on:
        return True
    if line_values.wishes(asked, language):
        return True
    mine = [headings.HEADINGS, codes.look(asked), rows.look(asked, language)]
    if _may_change_table(asked, language):
        if _tells_note(asked):
            return True
        mine += [named_notes.NOTES] * _names_note(asked, language)
    return any(one is not None and _made(whole, one) for one in mine)


def _under_heading(asked: Asked, whole: Asked, language: Language) -> Route | Step | None:
    """Return the line that a message writes under a heading, or the step that looks for one."""
    may = headings.may_add(asked, language, is_first=not headings.made(whole))
    if not may or taken_back.as_whole(asked, language):
        return None
    return headings.add(looks.before_change(whole), language)


def at_last(asked: Asked, whole: Asked, step: Step, language: Language) -> Route | Step | None:
    """Return what a message that came to nothing changes of a part of a note, or the step that
    looks for that: a line under whatever heading, a cell of the table of the one note that was
    told or is nearest to it; None where it changes nothing.
    """
    asks = (step.trace or Trace()).asks
    if whole.is_last or (asks and len(asks.choices) > 1):
        return None
    may = headings.may_add(asked, language, is_first=False)
    if may and not headings.made(whole) and headings.HEADINGS[0] in asked.tools:
        return Step(calls=(headings.HEADINGS,))
    if not _may_change_table(asked, language) or taken_back.as_whole(asked, language):
        return None
    before = looks.before_change(whole)
    if not any("|" in str(one.content) for one in before.results):
        return None  # nothing that was found is of a table
    found = []
    for note in references.notes_told(step.trace or Trace(), NEAREST):
        held = item_changes.read(before, note)
        if isinstance(held, Step):
            return held
        changed = _of_table(before, held, language) if held else None
        is_row_gone = isinstance(changed, Route) and changed.intent == "change_items"
        if changed and not (is_row_gone and not surely.is_said(note.title, asked.message)):
            found.append(changed)  # “drop Frank a line” takes no row out of whatever table
    # a note that is only near is changed where that is sure, and never asked about
    if len(found) != 1 or not isinstance(found[0], Route):
        return None
    changed, note = found[0], found[0].things[0]
    if references.is_one_of_several(asked, note) and not surely.is_said(note.title, asked.message):
        changed = replaced_text.question(changed, note_link(note.id, note.title))
    return _unless_todo(asked, before, changed, language)


def _unless_todo(
    asked: Asked, before: Asked, found: Route | Step, language: Language
) -> Route | Step | None:
    """Return what is found unless a message names a todo, or the step that looks for these."""
    if not asking.has_looked(before):
        return None if before.is_last else Step(calls=asking.looks(before))
    said = reader.read(asked, (), language).likely[0]
    return None if surely.names_other(before, said._replace(spans=()), ()) else found


def _slip(asked: Asked, whole: Asked, language: Language) -> Route | Step | None:
    """Return the correction of a number that was just written, or the step that reads its note."""
    note = slips.note_of(asked, language)
    if note is None or taken_back.as_whole(asked, language):
        return None
    before = looks.before_change(whole)
    held = item_changes.read(before, note)
    return slips.change(before, held, language) if isinstance(held, Held) else held


def _row_too(asked: Asked, whole: Asked, language: Language) -> Route | Step | None:
    """Return the row that goes as well as the one before, or the step that reads its note."""
    note = rows.taken_from(asked, language)
    if note is None or "?" in asked.message or "？" in asked.message:
        return None
    before = looks.before_change(whole)
    held = item_changes.read(before, note)
    return rows.one_more(before, held, language) if isinstance(held, Held) else held


def _one_more(asked: Asked, whole: Asked, language: Language) -> Route | Step | None:
    """Return one more line of the note that was written or told, or the step that reads it."""
    if not log_entries.more_said(asked, language) or taken_back.as_whole(asked, language):
        return None
    return log_entries.one_more(asked, looks.before_change(whole), language)


def _code(asked: Asked, whole: Asked, language: Language) -> Route | Step | None:
    """Return the change of the code that a message tells anew, in the note that was told just
    before or that has a line of its name, or the step that looks for it.
    """
    call = codes.look(asked)
    if call is None or not _may_change_table(asked, language) or _is_open(asked, language):
        return None
    if not (
        _corrects(asked, language) or cells.says_now(language).search(Marked(asked.message).text)
    ):
        return None  # “the wifi at the cafe is …”
    if taken_back.as_whole(asked, language):
        return None
    before = looks.before_change(whole)
    notes = references.notes_told(asked.earlier[0]) if asked.earlier else ()
    if not _made(before, call):
        return Step(calls=(call,)) if call[0] in before.tools and not before.is_last else None
    named = tuple({one.note for one in codes.found(before)})
    for note in named or notes[:1]:
        held = item_changes.read(before, note) if len(named) < 2 else None
        if isinstance(held, Step):
            return held
        if held and (change := codes.change(before, held, language)):
            return change
    return None


def _table(asked: Asked, whole: Asked, language: Language) -> Route | Step | None:
    """Return the change of the table that was told just before or is named: of a cell, a row that
    is added or taken out; the question whether it is meant, or the step that reads its note.
    """
    if not _may_change_table(asked, language):
        return None
    # the last value of a row may be a “no”, and why one goes may have a “not”
    is_no = taken_back.as_whole(asked, language) and not rows.may_be_row(asked.message)
    removes = is_no and rows.removes(asked.message, language)
    if is_no and (not removes or taken_back.ends_with_no(asked, language)):
        return None
    before = looks.before_change(whole)
    notes = _tells_note(asked)
    looks_for = rows.look(asked, language)
    if looks_for and not _made(before, looks_for):
        may = looks_for[0] in before.tools and not before.is_last
        return Step(calls=(looks_for,)) if may else None
    of_row = rows.found(before, language)
    if not (notes or of_row) or _names_note(asked, language):
        if not before.has(named_notes.NOTES[0]):
            may = _names_note(asked, language) and not before.is_last
            may = may and named_notes.NOTES[0] in before.tools
            return Step(calls=(named_notes.NOTES,)) if may else None
        named = tuple(one.note for one in named_notes.find(before, language))
        notes = tuple(dict.fromkeys((*named, *notes)))
    for note in dict.fromkeys((*notes, *of_row)):
        held = item_changes.read(before, note)
        if isinstance(held, Step):
            return held
        if held and (found := _of_table(before, held, language)):
            is_named = note in notes or surely.is_said(note.title, asked.message)
            if isinstance(found, Route) and not is_named:
                return rows.ask(found, held)
            return _unless_todo(asked, before, found, language)
    return None


def _made(looked: Asked, call: Call) -> bool:
    return any((one.tool, one.arguments) == call for one in looked.results)


def _value(asked: Asked, whole: Asked, language: Language) -> Route | Step | None:
    """Return the line that has another weekday, time or name now, or a question."""
    said = line_values.wishes(asked, language)
    tells = line_values.is_told_by(asked.message, language)
    is_open = _is_open(asked, language, relayed=not tells)
    if not said or is_open or taken_back.as_whole(asked, language):
        return None
    found = line_values.change(looks.before_change(whole), said, language)
    if not isinstance(found, line_values.Changed):
        return found
    link = note_link(found.route.things[0].id, found.route.things[0].title)
    is_sure = found.is_sure and not tells
    return found.route if is_sure else replaced_text.question(found.route, link)


def _is_open(asked: Asked, language: Language, *, relayed: bool = True) -> bool:
    """Return whether a message only asks, or tells what may be so: “has Norman paid”, “he might
    have paid”, “ask whether he has paid”.
    """
    words, text = words_of(language), Marked(asked.message).text
    patterns = [surely.perhaps(language), words.doubts, words.asks]
    patterns += [surely.relayed(language)] * relayed
    return any(one.search(text) for one in patterns)


def _tells_note(asked: Asked) -> tuple[Thing, ...]:
    """Return the one note that was told just before, if it is one."""
    last = asked.earlier[0] if asked.earlier else Trace()
    is_asked = last.asks is not None and last.asks.intent == "replace_text"
    notes = last.asks.choices if last.asks and is_asked else references.notes_told(last)
    return notes if len(notes) == 1 else ()


def _of_table(before: Asked, held: Held, language: Language) -> Route | Step | None:
    """Return the change of a table in a note that a message means, or the question whether it does;
    None where it means none.
    """
    reading = reader.read(before, (), language)
    said, weights = reading.likely[0], reading.weights
    ends = sum(weights.get(one, 0.0) for one in TAKES_OUT) >= surely.HALF
    says_row = rows.says_removed(before.message, language) and not _is_open(before, language)
    if (ends or says_row) and (gone := rows.removed(before, held, language)):
        return gone
    adds = sum(weights.get(one, 0.0) for one in ADDS)
    if adds >= LIKELY and (new := rows.added(before, held, language)):
        return new
    if _is_open(before, language):
        return None
    changed = cells.change(before, held, language) or section_lines.change(before, held, language)
    if changed is None:
        return which_column.ask(before, held, language)
    corrects = changed.tells_old or _corrects(before, language)
    if not corrects and (changed.fit == "else" or cells.may_be_of_else(before, changed, language)):
        return None  # “he is 8 years old now” is no shoe size
    if questions.is_asian(before.message) and _says_add(before, language):
        return None
    # an empty cell of the row and column that are named
    is_filled = changed.is_named and not changed.route.get("from")
    is_else = adds >= surely.HALF or rows.may_be_row(before.message)
    if not (changed.is_said or is_filled) and is_else:
        return None
    least = surely.NAMED if said.intent == "undo" else surely.HALF
    if said.intent in ELSE and said.sure >= least and not (corrects or is_filled):
        return None
    is_value = said.intent == "replace_text" and said.sure >= surely.HALF
    is_named = said.sure >= surely.NAMED and not changed.is_told
    is_value = is_value and (is_named or not changed.left)
    text = Marked(before.message).text
    is_word = not re.search(r"\d", changed.route.get("to"))
    denies = is_word and words_of(language).denies.search(text)
    is_open = changed.is_told and changed.is_said
    most = (0 if is_word or is_open else LEFT) + NEWS * questions.is_asian(text)
    most += NEWS * (cells.says_now(language).search(text) is not None)
    is_plain = len(changed.left) <= most and not denies and said.intent not in ELSE
    if is_filled and len(changed.left) > questions.is_asian(text):
        return None  # “in November there were 2 power cuts”
    is_sure = corrects or is_value or is_plain or is_filled
    if changed.is_told and not is_sure:
        return None  # “Duke's vet is at 12:30” after “when does Duke arrive?”
    is_sure = is_sure and not (changed.is_told and changed.is_else and not changed.is_said)
    is_sure = is_sure and (changed.fit == "fits" or corrects)
    if not is_sure and not changed.route.get("from"):
        return None
    return changed.route if is_sure else replaced_text.question(changed.route, held.link)


def _corrects(asked: Asked, language: Language) -> bool:
    """Return whether a message asks for something to be corrected, or written into a table."""
    words, text = list_words.words_of(language), Marked(asked.message).text
    return bool(words.cues["correct"].search(text) or words.table.search(text))


def _says_add(asked: Asked, language: Language) -> bool:
    """Return whether a message asks for something to be added, and for nothing to be corrected."""
    cues = list_words.words_of(language).cues
    text = Marked(asked.message).text.replace("：", ":").partition(":")[0]  # 加一行：改袖长 15€
    return bool(cues["add"].search(text)) and not cues["correct"].search(text)


def _names_note(asked: Asked, language: Language) -> bool:
    """Return whether a message may change a table that it names: it corrects something, or has the
    values of a row.
    """
    return _corrects(asked, language) or rows.may_be_row(asked.message)


def _may_change_table(asked: Asked, language: Language) -> bool:
    """Return whether a message may tell what a cell of a table is now."""
    text = asked.message
    last = asked.earlier[0] if asked.earlier else Trace()
    if len(text) > line_changes.LONGEST or "?" in text or "？" in text:
        return False
    if taken_back.is_open(asked, language) and not _corrects(asked, language):
        return False
    if last.asks and last.asks.lacks != "yes":
        return False
    likely = reader.read(asked, (), language).likely[:1]
    if not likely:
        return False
    if likely[0].intent in wishes.READS and likely[0].sure >= surely.HALF:
        return False
    # “Saturday at 11 instead of 9:30” seems a new todo
    is_else = likely[0].intent in ELSE and likely[0].sure >= surely.NAMED
    return not is_else or len(re.findall(r"\d+", text)) > 1 or rows.may_be_row(text)
