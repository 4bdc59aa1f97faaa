"""Whether a message takes back what it wishes first, or may take back what was done last.

“Delete the list… no, leave it”, “put that back as it was”.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from app.agent.quickadd import quickadd
from app.agent.rules.changes import marked as changed
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import dialogue_words, view_words
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.listed import list_words
from app.agent.rules.mentions import asking
from app.agent.rules.note_parts import rows
from app.agent.rules.passages import note_lines, questions
from app.agent.rules.phrases import phrases
from app.agent.rules.reader import reader
from app.agent.rules.reader.reader import Reading
from app.agent.rules.understood import agreement, surely
from app.agent.turn.steps import Asked, Step, Thing, Trace

SURE, POSSIBLE = 0.7, 0.2
"""So likely is it that an end takes back what is before it, and that all does what was before."""
MOST = 3
"""So many ends are looked at."""
LATELY = 3
"""In so many turns is looked for what is to be taken back."""
TAKES_BACK = ("leave", "no", "undo")
REOPENS = frozenset({"reopen_todo", "untick_item"})
UNDONE: Mapping[str, tuple[str, ...]] = {
    "delete_todo": ("delete", "remove_step"),
    "trash_note": ("delete",),
    "delete_folder": ("delete",),
    "complete_todo": ("complete_todo", "tick_item", "tick_step"),
    "edit_note": ("remove_item", "tick_item"),
}
"""The tools by which something ends, and the intents of that."""
SEEMS = ("delete", "complete_todo", "untag")
"""What a clause with the verb of a change may seem to be that takes off or ticks an item."""
ENDS_OR_MOVES = frozenset("complete_todo delete_todo trash_note delete_folder edit_todo".split())
"""The tools that are asked about first where a message wishes it only if something else is so."""
RENAME = "rename"
CAPITALS = frozenset({"de"})
"""The languages in which not only names have capitals."""
WRITES = frozenset("edit_todo create_todo edit_note create_note create_folder pin_note".split())
"""The tools that do what a message may forbid."""
PARTS = frozenset("ask events replace_text append_note change_items tick_item add_up".split())
"""After these a part of a note was spoken of."""
_ENDING = re.compile(r"ないで|ちゃ(?:だめ|ダメ|いけ)")
_MARK = re.compile(r"(?:[,;.!…—–]|，|、|；|。|！|\s-\s)+\s*")
_TEXT = re.compile(r'[:："“”„«»「」『』\n]')


def at_end(asked: Asked, language: Language) -> bool:
    """Return whether the last clauses of a message say that nothing is to be done after all."""
    if _TEXT.search(asked.message):
        return False  # what is written down may say anything
    whole = _read(asked, asked.message, language)
    wished = whole.likely[0].intent if whole.likely else ""
    if wished in REOPENS or _no(whole) >= POSSIBLE:
        return False  # “wait no, put it back” takes back what was done before
    message = asked.message.rstrip(" .!…。！")
    marks = list(_MARK.finditer(message))[-MOST:]
    ends = ((message[: one.start()], message[one.end() :]) for one in marks)
    return any(_says_no(asked, lead, end, wished, language) for lead, end in ends if end)


def ends_with_no(asked: Asked, language: Language) -> bool:
    """Return whether a message, or one of its last clauses, is a plain “no”: “nimm ihn raus, der
    spielt nicht mehr mit” has a “nicht” that is none.
    """
    ends = (asked.message[one.end() :] for one in list(_MARK.finditer(asked.message))[-MOST:])
    texts = (asked.message, *filter(None, ends))
    return any(_no(_read(asked, one, language)) >= SURE for one in texts)


def as_whole(asked: Asked, language: Language) -> bool:
    """Return whether a message wishes nothing in the end, be it that it says so from the first."""
    return _no(_read(asked, asked.message, language)) >= SURE or at_end(asked, language)


def ends_in_undo(asked: Asked, language: Language) -> bool:
    """Return whether a message ends in no more than “undo” after what was just changed: “argh, that
    is not till Saturday, undo”.
    """
    *lead, last = _MARK.split(asked.message.rstrip(" .!…。！"))
    if not lead or not dialogue_words.whole(language, "undo", last) or not can_undo(asked):
        return False
    undone = [one for one in asked.earlier[:LATELY] if one.undo]
    said = note_lines.content(" ".join(lead))
    named = note_lines.content(" ".join(one.title for one in undone[0].about))
    if len(undone) > 1 and said and not said & named:
        return False  # “the jars aren't done, undo” after another change
    weights = reader.read(asked, (), language).weights
    return weights.get("undo", 0.0) >= POSSIBLE


def trashes_part(asked: Asked, step: Step) -> bool:
    """Return whether a step puts a note into the trash of which the turn before has told or changed
    no more than a part, and whose name is not said: “delete it again” may be of a line.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    ids = {fields.get("noteId") for tool, fields in step.calls if tool == "trash_note"}
    notes = [one for one in last.about if one.kind == "note" and one.id in ids]
    return last.intent in PARTS and any(
        not surely.is_said(one.title, asked.message) for one in notes
    )


def no_row(asked: Asked, step: Step, language: Language) -> Step | None:
    """Return the answer that no row fits, where a step would delete the whole of something, or ask
    about that, of which a message only takes a row out: “take his row out”.
    """
    if not rows.says_removed(asked.message, language):
        return None
    asks, last = (step.trace or Trace()).asks, asked.earlier[0] if asked.earlier else Trace()
    gone = {fields.get("noteId") for tool, fields in step.calls if tool == "trash_note"}
    meant = [one for one in last.about if one.kind == "note" and one.id in gone]
    meant += asks.choices if asks is not None and asks.intent == "delete" else ()
    if not meant or any(rows.names_row(one.title, language) for one in meant):
        return None
    told = phrases.phrase(language, "none_fits", words=asked.message.strip(" .!。！"))
    return Step(told, trace=Trace(intent="leave", language=language), empty=True)


def let_be(language: Language, about: tuple[Thing, ...] = ()) -> Step:
    """Return the answer that nothing is done, be it to what was spoken of."""
    told = phrases.phrase(language, "leave")
    return Step(told, trace=Trace(intent="leave", language=language, about=about))


def todos_of(asked: Asked, step: Step) -> tuple[Thing, ...]:
    """Return the todos that a step edits, of which what follows may be: “don't move it to Friday,
    move it to Saturday”.
    """
    ids = {fields.get("id") for tool, fields in step.calls if tool == "edit_todo"}
    read = [one.content["todo"] for one in asked.of("get_todo") if "todo" in one.content]
    return tuple(Thing("todo", one["id"], one["title"]) for one in read if one["id"] in ids)


def is_no(asked: Asked, language: Language) -> bool:
    """Return whether a message takes back what was only asked about: “oh wait, undo that” after
    “do you mean …?” is a no.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    is_open = last.asks is not None and not last.undo
    return is_open and surely.is_undo(reader.read(asked, (), language))


def is_denied(asked: Asked, step: Step, language: Language) -> bool:
    """Return whether a step ends or removes what a clause says is not to be: “lösch die Liste
    nicht”, which without its “not” is just that wish.
    """
    if _forbids(asked, step, language):
        return True
    wished = {one for tool, _ in step.calls for one in UNDONE.get(tool, ())}
    return bool(wished) and any(
        _wishes(asked, one, wished, language) for one in _without_not(asked.message, language)
    )


def _wishes(asked: Asked, text: str, wished: set[str], language: Language) -> bool:
    """Return whether a text is such a wish: alone, or where it has the verb of a change after what
    was said before, as “hak die Milch ab” of a list.
    """
    weights = _read(asked, text, language).weights
    if sum(weights.get(name, 0.0) for name in wished) >= SURE:
        return True
    lists, changes = list_words.words_of(language).cues, words_of(language).cues
    cues = (lists["remove"], lists["tick"], changes["tick"], changes["delete"])
    if not any(one.search(Marked(text).text) for one in cues):
        return False
    after = reader.read(msgspec.structs.replace(asked, message=text, results=()), (), language)
    return any(
        sum(one.get(name, 0.0) for name in {*wished, *SEEMS}) >= SURE
        for one in (weights, after.weights)
    )


def _forbids(asked: Asked, step: Step, language: Language) -> bool:
    """Return whether a step gives a todo the day that a clause says it is not to get, or does what
    is all that a message says is not to be done: “don't move the dentist to Friday”, “don't add
    milk to the list”.
    """
    writes = [(tool, fields) for tool, fields in step.calls if tool in WRITES]
    if not writes or _TEXT.search(asked.message):
        return False
    clauses = [one for one in _MARK.split(asked.message) if one]
    forbids = words_of(language).forbids
    days = {str(fields.get("dueDate"))[:10] for tool, fields in writes if tool == "edit_todo"}
    for clause in (one for one in clauses if forbids.search(_without_must(one, language))):
        read = quickadd.read_line(f"x {clause}", now=asked.now, locale=language)
        if str(read.due)[:10] in days if read.due and days else len(clauses) == 1:
            return True
    return False


def is_provided(asked: Asked, step: Step, language: Language) -> bool:
    """Return whether a step does at once what a message wishes only if something else is so: “if
    Ben comes, delete it”.
    """
    does = any(tool in ENDS_OR_MOVES for tool, _ in step.calls)
    return does and not _TEXT.search(asked.message) and changed.is_provided(asked.message, language)


def _without_not(message: str, language: Language) -> Iterator[str]:
    """Yield each clause that has a word for “not”, without it; a Japanese verb keeps its own."""
    for clause in _MARK.split(message):
        parts = clause.split() if questions.is_asian(clause) else [clause]
        for part in parts:
            left = _denied(part, language)
            # 窗帘删了吧 别 denies what stands before it
            if left is not None:
                yield left or _denied(clause, language) or ""


def _denied(text: str, language: Language) -> str | None:
    """Return a text without its word for “not”; None where it has none."""
    negates, marked = surely.negates(language), _without_must(text, language)
    if not negates.search(marked):
        return None
    return text if _ENDING.search(text) else " ".join(negates.sub(" ", marked).split())


def is_loose(asked: Asked, step: Step, language: Language) -> bool:
    """Return whether a step ends or moves a todo that its message only comes near to."""
    titles = {row["id"]: row["title"] for row in _todos(asked)}
    found = [
        (RENAME if "title" in fields else tool, Thing("todo", fields["id"], titles[fields["id"]]))
        for tool, fields in step.calls
        if tool in ENDS_OR_MOVES and fields.get("id") in titles
        if tool != "edit_todo" or {"dueDate", "title"} & fields.keys()
    ]
    return any(is_only_near(asked, tool, todo, language) for tool, todo in found)


def is_open(asked: Asked, language: Language, *, moves: bool = False) -> bool:
    """Return whether a message forbids something, wishes it only if something else is so, or begins
    as a question does, with no word of courtesy. What forbids one day only may move it to another.
    """
    words, text = words_of(language), Marked(asked.message).text
    is_question = words.asks.match(text) is not None and not words.courtesy.search(text)
    is_denied = forbids(asked, language) and not (moves and _clauses(text, language) > 1)
    return is_question or is_denied or changed.is_provided(asked.message, language)


def forbids(asked: Asked, language: Language, *, only: bool = False) -> bool:
    """Return whether a message forbids something, and says nothing else where it is to do `only`
    that.
    """
    text = _without_must(asked.message, language)
    is_only = _clauses(Marked(asked.message).text, language) == 1
    return words_of(language).forbids.search(text) is not None and (is_only or not only)


def _clauses(text: str, language: Language) -> int:
    return len([one for one in words_of(language).join.split(text) if one])


def is_only_near(asked: Asked, tool: str, todo: Thing, language: Language) -> bool:
    """Return whether a message hardly names a todo that was not spoken of, and asks for nothing
    outright: “Mia has paid” of “Book room for Mia”; or only says what may be so: “choir might move
    to Saturday”.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    if todo in (*last.about, *last.shown):
        return False
    text = Marked(asked.message).text
    is_open = surely.perhaps(language).search(text) is not None
    return is_open or _is_hardly_named(asked, tool, todo.title, language)


def _is_hardly_named(asked: Asked, tool: str, title: str, language: Language) -> bool:
    """Return whether a message has less than half of the words of a title, and of these but names
    of people, or is to delete it or give it another.
    """
    words, text = words_of(language), Marked(asked.message).text
    if not words.spaced or surely.share_said(title, asked.message) >= surely.HALF:
        return False
    if tool in ("delete_todo", RENAME):
        return "todo" not in view_words.sort_words(asked.message, language).said
    if tool == "complete_todo" and words.cues["tick"].search(text):
        return False
    said = note_lines.content(text)
    shared = [one for one in re.findall(r"\w+", title) if note_lines.content(one) & said]
    first = re.findall(r"\w+", title)[:1]
    people = {one.title.split()[0] for one in asking.things(asked) if one.kind == "person"}
    has_names = language not in CAPITALS
    return bool(shared) and all(
        one in people or (has_names and one[0].isupper() and [one] != first) for one in shared
    )


def _todos(asked: Asked) -> Iterator[Mapping[str, Any]]:
    """Yield the todos that were looked up."""
    for result in asked.results:
        if not result.failed:
            yield from result.content.get("todos", ())
            yield from [result.content["todo"]] if "todo" in result.content else ()


def can_undo(asked: Asked) -> bool:
    """Return whether one of the last turns has changed something, and none after it asked."""
    newest = next((one for one in asked.earlier[:LATELY] if one.undo or one.asks), Trace())
    return bool(newest.undo) and newest.asks is None


def can_reopen(asked: Asked) -> bool:
    """Return whether the turn before has completed something, which a message may take back."""
    last = asked.earlier[0] if asked.earlier else Trace()
    return last.intent == "complete_todo" and can_undo(asked)


def _says_no(asked: Asked, lead: str, text: str, wished: str, language: Language) -> bool:
    """Return whether an end says no and nothing else, or denies just what was wished before it:
    “delete the list… no, don't delete it”; 好吧。窗帘不洗了 is all of the wish.
    """
    read = _read(asked, text, language)
    if _no(read) >= SURE:
        return not any(one.all_of("day") for one in read.likely[:1])  # “no, on Tuesday”
    denies = wished in agreement.ENDS and words_of(language).denies.search(Marked(text).text)
    if not denies or read.weights.get(wished, 0.0) < SURE:
        return False
    return _read(asked, lead, language).weights.get(wished, 0.0) >= POSSIBLE


def _no(read: Reading) -> float:
    return sum(read.weights.get(one, 0.0) for one in TAKES_BACK)


def _without_must(clause: str, language: Language) -> str:
    """Return a clause without what says that something must be done: “don't forget to move it”."""
    return words_of(language).must.sub(" ", Marked(clause).text)


def _read(asked: Asked, text: str, language: Language) -> Reading:
    alone = msgspec.structs.replace(asked, message=text, results=(), earlier=())
    return reader.read(alone, (), language)
