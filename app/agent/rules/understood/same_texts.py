"""Whether the texts that a change writes are those that a message says."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from app.agent.rules.answers import new_todos
from app.agent.rules.changes.marked import words_of
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.passages import log_lines, questions, tables
from app.agent.rules.passages.sentences import split_words
from app.agent.rules.reader.reader import Understood
from app.agent.rules.understood import meant
from app.agent.turn.steps import Asked, Call, Step, Thing

SURE, SHORT = 0.9, 4
"""So sure is an intent whose text of so many words may be anywhere."""
SURELY = 0.9
"""So likely is what is on a list and no note of its own."""
_PARTED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff][\s，、：][\u3040-\u30ff\u3400-\u9fff]")
"""Two clauses in a text without spaces."""
_COMMAS = re.compile(r"[,，、;；]")
ENDING = 3
"""So many letters has the ending of a Japanese verb that a slot leaves out."""
EXACT = frozenset({"rename", "make_note", "make_folder", "tag"})
"""What gives a name, which has no word more or less than was said."""
FORM = 4
"""So many letters at the beginning have the forms of a word."""
MADE: Mapping[str, tuple[str, ...]] = {
    "add_todo": ("title", "step"),
    "add_step": ("step",),
    "add_item": ("item", "text"),
    "append_note": ("item", "text"),
    "rename": ("name",),
    "make_note": ("name",),
    "make_folder": ("name",),
    "tag": ("tag",),
}
"""The slots of the texts that a change writes."""


def are_same(asked: Asked, writes: Sequence[Call], said: Understood) -> bool:
    """Return whether new texts have the words that were understood to be theirs."""
    if said.intent == "replace_text" and any(added(asked, fields) for _, fields in writes):
        return False
    texts = made(asked, writes, said)
    if any(_is_row_beside(asked, one) for one in texts):
        return False
    wanted = [text for slot in MADE.get(said.intent, ()) for text in said.all_of(slot)]
    if said.intent == "make_note" and texts and not wanted:
        lead = re.split(r"[:：]", asked.message, maxsplit=1)
        if len(lead) > 1 and not Counter(_words(texts)) - Counter(_words(lead[:1])):
            return True  # “make a note with the window sizes: 120 by 95”
        return not Counter(_words(texts)) - Counter(
            _words([*said.all_of("text"), *said.all_of("item")])
        )
    if not texts:
        return True
    if not wanted:  # a short text may be anywhere
        is_short = len(_words(texts)) <= SHORT
        return said.sure >= SURE and is_short and said.intent == "add_todo"
    if said.intent == "make_folder":
        return _is_path(texts, wanted, said)
    is_split = said.intent == "append_note" and len(texts) > len(wanted)
    if is_split and any(len(one.split()) > SHORT for one in texts):
        return False  # “rice and beans, Ben wants chili on Sunday” is no list to its end
    if all(one.startswith("|") for one in texts) and len(texts) == len(wanted):
        return all(map(_is_row, texts, wanted))
    if said.intent == "rename" and _words(texts) == _words([meant.name_of(said)]):
        return True  # “call it Sharpen secateurs then”
    if said.intent in EXACT and _words(texts) != _words(wanted):
        return False
    if questions.is_asian(asked.message):
        is_line = said.intent == "append_note" and said.sure >= SURE  # which may have clauses
        if not is_line and any(_PARTED.search(one) for one in texts):
            return False
        same = _words(texts) == _words(wanted)
        return same or (len(texts) == len(wanted) and all(map(_is_begun, texts, wanted)))
    return are_alike(texts, wanted)


def _is_row_beside(asked: Asked, text: str) -> bool:
    """Return whether a text with several parts is written below a table, and into no row of it."""
    held = next((str(one.content["note"]["markdown"]) for one in asked.of("get_note_content")), "")
    ends_in_row = held.rstrip("\n").rpartition("\n")[2].startswith("|")
    return ends_in_row and not text.startswith("|") and len(_COMMAS.findall(text)) > 1


def _is_path(made: Sequence[str], names: Sequence[str], said: Understood) -> bool:
    """Return whether a path has the words that name a folder and the one that it is in, and no
    other: “Invoices under Catering”.
    """
    path = Counter(_words(made))
    above = [*said.all_of("folder"), *said.all_of("target")]
    if path - Counter(_words([*names, *above])):
        return False
    left = Counter(_words(names)) - path
    return all(word in questions.little() for word in left)


def leaves_folder(step: Step, said: Understood) -> bool:
    """Return whether a new note gets into no folder, where a message may name one."""
    makes = any(tool == "create_note" and not fields.get("folderId") for tool, fields in step.calls)
    return makes and said.intent == "make_note" and bool(said.get("folder"))


def makes_bare_note(step: Step) -> bool:
    """Return whether a step makes a note of which no more than a short title is told."""
    return any(
        tool == "create_note"
        and str(fields.get("content", "")).strip() in ("", fields["title"])
        and len(fields["title"].split()) <= SHORT
        for tool, fields in step.calls
    )


def leaves_list(step: Step, said: Understood) -> bool:
    """Return whether a step makes a note of what a message surely puts on a list that it names."""
    is_new = any(tool == "create_note" for tool, _ in step.calls)
    return is_new and said.intent == "add_item" and said.sure >= SURELY and bool(said.get("target"))


def begins_with_note(step: Step, things: Sequence[Thing]) -> bool:
    """Return whether the title of a new note is that of another with more behind it: in “note
    Insurance in there” the note that is there may be meant.
    """
    titles = [plain_letters(fields["title"]).lower() for _, fields in step.calls]
    notes = [plain_letters(one.title).lower() for one in things if one.kind == "note"]
    return any(title.startswith(f"{note} ") for title in titles for note in notes)


def are_alike(texts: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether texts have the words of others, but for the form of one and for little words,
    of which they have one more at most.
    """
    words, meant_words = _words(texts), _words(others)
    apart = Counter(words)
    apart.subtract(meant_words)
    left = {word for word, count in apart.items() if count}
    if pair := _forms_of_one(apart):
        left -= pair
    little = {word for word in left if len(word) == 1 or word in questions.little()}
    forms = left - little
    is_form = not forms or (not pair and len(forms) == 2 and sum(apart[one] for one in forms) == 0)
    return is_form and sum(apart[one] > 0 for one in little) <= 1


def _forms_of_one(apart: Counter[str]) -> set[str]:
    """Return two words that begin alike, one more and one less: “appelle” and “appeler”."""
    more, less = ([word for word, count in apart.items() if count == by] for by in (1, -1))
    pairs = ({one, other} for one in more for other in less if one[:FORM] == other[:FORM])
    return next((one for one in pairs if min(map(len, one)) >= FORM), set())


def adds_number_alone(asked: Asked, step: Step) -> bool:
    """Return whether a step adds a line with nothing but a number: “put that up to 65”."""
    lines = [
        one for tool, fields in step.calls if tool == "edit_note" for one in added(asked, fields)
    ]
    return bool(lines) and all(map(is_number_alone, lines))


def is_number_alone(text: str) -> bool:
    """Return whether a text has nothing but a number and little words."""
    words = re.findall(r"[^\W_]+(?:[.,]\d+)*", plain_letters(text).lower())
    numbers = [one for one in words if one[0].isdigit()]
    return len(numbers) == 1 and all(one in numbers or one in questions.little() for one in words)


def _is_row(made: str, wanted: str) -> bool:
    """Return whether each cell of a new row of a table but its day is said."""
    day, *cells = tables.cells(made)
    cells = cells if log_lines.DATED.fullmatch(day) else [day, *cells]
    return all(one in wanted for one in cells)


def _is_begun(made: str, wanted: str) -> bool:
    """Return whether a text is another with no more than the ending of its verb, which may have
    another form: 粉ミルク買う of 粉ミルク買わなきゃ.
    """
    begun = re.escape(re.sub(r"(?<=[^\u3040-\u309f])[\u3040-\u309f]$", "", meant.trimmed(wanted)))
    return re.fullmatch(rf"{begun}[\u3040-\u309f]{{0,{ENDING}}}", made) is not None


def made(asked: Asked, writes: Sequence[Call], said: Understood) -> list[str]:
    """Return the texts that calls write."""
    found: list[str] = []
    for tool, fields in writes:
        steps = [one["title"] for one in fields.get("steps", ()) if "id" not in one]
        if tool == "create_todo" and said.intent == "add_todo":
            found += [new_todos.without_what_it_is(asked, fields["title"]), *steps]
        elif said.intent == "add_step":
            found += steps
        elif tool == "create_folder" and said.intent == "make_folder":
            found.append(str(fields["path"]))
        elif said.intent == "rename":
            found += filter(None, [fields.get("title") or fields.get("name")])
        elif tool == "create_note" and said.intent == "make_note":
            found.append(fields["title"])
        elif tool == "edit_note" and said.intent == "tag":
            found += fields.get("tags", ())[-1:]
        elif tool == "edit_note" and said.intent in ("append_note", "add_item"):
            found += added(asked, fields)
    return found


def added(asked: Asked, fields: Mapping[str, Any]) -> list[str]:
    """Return the lines that are written at the end of a note; none where more of it changes."""
    old = next((str(one.content["note"]["markdown"]) for one in asked.of("get_note_content")), "")
    kept, new = old.rstrip("\n"), str(fields.get("content", ""))
    lines = new[len(kept) :].splitlines() if new.startswith(kept) else []
    return list(filter(None, (re.sub(r"^\s*[-*+]?\s*(?:\[[ x]\])?\s*", "", one) for one in lines)))


def _words(texts: Sequence[str]) -> list[str]:
    """Return the words of texts by their letters; where none are spaced, the letters."""
    found: list[str] = []
    for text in texts:
        plain = plain_letters(text).lower()
        found += re.findall(r"[^\W_]" if questions.is_asian(plain) else r"[^\W_]+", plain)
    return sorted(found)


def share_letters(title: str, name: str) -> bool:
    """Return whether two names share so many letters at the beginning of a word, or two letters
    where no spaces part words.
    """
    size = 2 if questions.is_asian(name) else FORM
    text, said = plain_letters(title).lower(), plain_letters(name).lower()
    return any(said[at : at + size] in text for at in range(len(said) - size + 1))


def new_lines(before: Collection[str], after: Collection[str]) -> set[str]:
    """Return the lines that are there now and not before, but those that have only lost words."""
    gone = [Counter(split_words(one)) for one in set(before) - set(after)]
    added = set(after) - set(before)
    return {one for one in added if not any(Counter(split_words(one)) <= all_of for all_of in gone)}


def written(said: Understood, slot: str, language: Language) -> list[str]:
    """Return the texts of a slot without what belongs to the name behind them, or asks: “13,9 au”
    of “ajoute 13,9 au suivi ?” is 13,9.
    """
    texts = []
    for span in (one for one in said.spans if one.slot == slot):
        end = span.end
        for place in (one for one in said.spans if one.slot == "target" and one.start >= end):
            name = re.escape(plain_letters(said.text[place.start : place.end]).lower())
            shape = words_of(language).onto.replace("{name}", name)
            text = plain_letters(said.text[: place.end]).lower()
            found = re.search(rf"(?<!\w)(?:{shape})$", text[span.start :])
            if found and 0 < found.start() < end - span.start:
                end = span.start + found.start()
        texts.append(meant.trimmed(said.text[span.start : end].rstrip(" ?？")))
    return texts


def beside(said: Understood) -> str:
    """Return what a message says beside its slots, which may hold whatever is to be written."""
    text = said.text
    for one in said.spans:
        text = f"{text[: one.start]}{' ' * (one.end - one.start)}{text[one.end :]}"
    return text
