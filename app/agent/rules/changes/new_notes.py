"""Notes and folders to make: their name, text and place, in whatever order a message tells them."""

import functools
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from app.agent.rules.changes import texts
from app.agent.rules.changes.marked import Marked, Words, words_of
from app.agent.rules.changes.named import NAME, beside, find, folder_there
from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import ChangeKind, Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Thing


class _Words(NamedTuple):
    """The words of a language for the parts of a list to write, compiled."""

    new: re.Pattern[str]
    listed: re.Pattern[str]
    new_list: re.Pattern[str]
    holding: re.Pattern[str]


_PART = re.compile(r"[^\s,，。；;、]+")
_AROUND = " \t,，、：:；;。"
LONGEST_NAME = 80
LONGEST_TITLE = 40
_CLAUSE = re.compile(r"(?:[「『][^」』]*[」』]|[^。！!、，\n「『])+")
_FIRST = re.compile("[,，:：。；;、\n]")
"""What ends the clause that says where a note goes."""
_ABOUT = re.compile(r"(?:の(?:こと?|件|用|ための?)|について|に関して|用|の)+(?:を|は|も)?$")
FEWEST = 2
"""So many things has a text at least that “with” says."""


def folder_of(
    asked: Asked, marked: Marked, things: Sequence[Thing], shape: str, language: Language
) -> str:
    """Return the folder that something is to be in, by its name or as the one spoken of."""
    for one in find(asked, marked, things, ("folder",), language):
        if len(one.things) == 1 and beside(marked, one, shape, words_of(language)):
            return one.things[0].title
    there = folder_there(asked, marked, language)
    return there.title if there else ""


def folder(
    asked: Asked, kind: ChangeKind, things: Sequence[Thing], language: Language
) -> Route | None:
    """Return a folder to make, in another where one is named."""
    words, marked = words_of(language), Marked(asked.message)
    inside = folder_of(asked, marked, things, words.inside, language)
    made = marked.fit(words.also[kind], "p")
    if not made or not marked.fit(words.cues[kind], "c") or marked.has(words.denies):
        return None
    marked.fit(words.titled, "t")
    said = asked.message if called(asked.message, language) != asked.message else ""
    name = called(said, language) if said else texts.text_of(marked, words, kind)
    if not name or len(name) > LONGEST_NAME or (not words.spaced and words.put.search(name)):
        return None
    return Route("make_folder", language, {"folder": name, "inside": inside})


def called(said: str, language: Language) -> str:
    """Return the name that the last clause of what is said of a folder gives it: “recipes, call it
    Recipes”; else what is said.
    """
    words, text = words_of(language), Marked(said).text
    start = max((one.end() for one in words.join.finditer(text)), default=0)
    cue = words.cues["rename"].match(text, start)
    if cue is None or not (start or cue.end() > 1):
        return said
    return texts.without_edge(said[cue.end() :].strip(), [words.filler], words).strip()


def note(
    asked: Asked, kind: ChangeKind, things: Sequence[Thing], language: Language
) -> Route | None:
    """Return a note to write: its name before what says its text, or after what says its name."""
    inside_of = functools.partial(_folder_in, asked, things, language)
    words, whole = words_of(language), Marked(asked.message)
    is_first = language_data.load_table(language, Changes).verb_first
    if is_first and (pieces := parted(whole, things, language)):
        head = Marked(_FIRST.split(asked.message.strip(), maxsplit=1)[0])
        there = None if pieces.get("folder") else folder_there(asked, head, language)
        where = {"folder": there.title} if there else {}
        return msgspec.structs.replace(pieces, arguments={**pieces.arguments, **where})
    if in_clauses := _in_clauses(asked.message, inside_of, language):
        return in_clauses
    if placed := _of_pieces(asked, things, language):
        return placed
    head, content = texts.content_of(whole, words)
    inside = folder_of(asked, head, things, words.inside, language)
    if not head.fit(words.cues[kind], "c") or head.has(words.denies):
        return None
    is_titled = head.fit(words.titled, "t")
    if not content and not is_titled:
        content, title = texts.text_of(head, words, kind, exact=True), ""
    else:
        is_titled = is_titled or words.spaced or words.saying.search(whole.text) is not None
        title = texts.text_of(head, words, kind) if is_titled else ""
        if not title and not texts.is_covered(head, words, kind):
            return None
    if title and not content and not words.spaced:
        # “タイトルは陶器市、場所は駅前広場”
        title, content = texts.title_and_text(title)
    if not title and content:
        inner, text = texts.content_of(Marked(content), words)
        title, content = (inner.message.strip(" ,，、"), text) if text else ("", content)
    if content and not inside:
        inside, content = _folder_at_end(asked, content, things, language)
    if not (title or content):
        return None
    if not (title or inside or words.note.search(whole.text)) and texts.is_dated(
        asked, content, language
    ):
        return Route("add_todo", language, {"task": content})
    told = {"content": content, "whole": content, "title": title, "folder": inside}
    return Route("make_note", language, {name: said for name, said in told.items() if said})


def _folder_in(asked: Asked, things: Sequence[Thing], language: Language, marked: Marked) -> str:
    return folder_of(asked, marked, things, words_of(language).inside, language)


def _in_clauses(
    message: str, folder_in: Callable[[Marked], str], language: Language
) -> Route | None:
    """Return the note of which one clause says that it is to be written, another its name or its
    folder, and the rest what it holds; None where they leave its name or that open, or say anything
    else. `folder_in` marks and returns the folder that a clause names.
    """
    words = words_of(language)
    if words.spaced:
        return None
    head, after = texts.after_colon(Marked(message))
    said: dict[str, str] = {}
    told: list[tuple[int, int]] = []
    last = -1
    for at, found in enumerate(_CLAUSE.finditer(head.message)):
        piece = Marked(found[0].strip())
        if not re.search(r"\w", piece.text):
            continue
        if not _is_head(piece, words):
            if told and last != at - 1:
                return None  # what a note holds stands together
            told.append(found.span())
            last = at
            continue
        new = _read_head(piece, folder_in, words)
        if new is None or new.keys() & said.keys():
            return None
        said |= new
    content = head.message[told[0][0] : told[-1][1]].strip() if told else ""
    content = texts.without_saying(content, words)
    if bool(content) == bool(after) or not said.pop("is_note", "") or not said.get("title"):
        return None
    content = content or after
    return Route("make_note", language, {**said, "content": content, "whole": content})


def _is_head(piece: Marked, words: Words) -> bool:
    """Return whether a clause says that a note is to be written, or its name or folder."""
    cues = (words.cues["note"], words.cues["folder"], words.titled)
    return any(one.search(piece.text) for one in cues)


def _read_head(
    piece: Marked, folder_in: Callable[[Marked], str], words: Words
) -> dict[str, str] | None:
    """Return what such a clause says; None where it says more."""
    said = {"folder": folder_in(piece)}
    is_note = piece.fit(words.cues["note"], "c")
    piece.fit(words.titled, "t")
    if piece.has(words.denies) or (words.cues["folder"].search(piece.text) and not said["folder"]):
        return None
    text = texts.text_of(piece, words, "note")
    title = _ABOUT.sub("", text)
    if len(title) > LONGEST_TITLE or (text and "「" in title):
        return None
    said |= {"title": title, "is_note": "yes" if is_note else ""}
    return {name: value for name, value in said.items() if value}


def _folder_at_end(
    asked: Asked, content: str, things: Sequence[Thing], language: Language
) -> tuple[str, str]:
    """Return the folder with which a text ends, as “… in the folder Home”, and the text before."""
    words, marked = words_of(language), Marked(content)
    inside = folder_of(asked, marked, things, words.inside, language)
    places = list(marked.runs(NAME))
    start, end = places[-1] if places else (0, 0)
    if (
        not inside
        or content[end:].strip(" .!。！")
        or not words.cues["folder"].search(content[start:].lower())
    ):
        return "", content
    return inside, content[:start].strip(" ,，、")


def _of_pieces(asked: Asked, things: Sequence[Thing], language: Language) -> Route | None:
    """Return a note of which one piece of the message is the name: what stands beside its folder,
    the word for a list and its text, “in Home, Camping, as a checklist: tent, stove”, “Camping in
    Home with tent, stove”; None where there are several pieces, or no list and no “with”.
    """
    words, whole = words_of(language), Marked(asked.message)
    if not words.spaced:
        return None
    own = _words(language)
    head, content = texts.content_of(whole, words)
    inside = folder_of(asked, head, things, words.inside, language)
    is_list = makes_list(head.text, language) or head.fit(own.listed, "l")
    made = head.fit(own.new_list if makes_list(head.text, language) else words.cues["note"], "c")
    has_text = bool(content)
    if not has_text:
        head, content = _held(head, language)
    if not made or not content or head.has(words.denies) or (has_text and not is_list):
        return None
    head.fit(words.titled, "t")
    title = texts.text_of(head, words, "note", exact=not makes_list(head.text, language))
    if not title or len(title) > LONGEST_NAME:
        return None
    mark = "- [ ] " if is_list else "- "
    several = dialogue_words.split_list(content.rstrip(" .!"), language)
    lines = "\n".join(f"{mark}{one}" for one in several)
    told = {"content": lines, "whole": lines, "title": title, "folder": inside}
    return Route("make_note", language, {name: said for name, said in told.items() if said})


def new_of(language: Language) -> re.Pattern[str]:
    """Return the word that says of a folder that it is to be made."""
    return _words(language).new


def says_parts(text: str, language: Language) -> bool:
    """Return whether a text in small letters says what a new note holds, as a list or “with”."""
    own = _words(language)
    return bool(own.listed.search(text) or own.holding.search(text))


def is_listed(text: str, language: Language) -> bool:
    """Return whether a text in small letters says that a new note is a list."""
    return _words(language).listed.search(text) is not None


def makes_list(text: str, language: Language) -> bool:
    """Return whether a text in small letters makes a list: “new list Camping”, “start a packing
    list”.
    """
    words, table = words_of(language), dialogue_words.tables(language)[0]
    made = _words(language).new_list.search(text.partition(":")[0])
    is_note = words.cues["note"].search(text)
    return bool(
        made and not is_note and dialogue_words.find_in(table.list_name, text[made.start() :])
    )


def _held(head: Marked, language: Language) -> tuple[Marked, str]:
    """Return what stands before the “with” that several things follow, and those; all and nothing
    where there is none.
    """
    places = [
        one
        for one in _words(language).holding.finditer(head.text)
        if head.marks[one.start()] in " l"
    ]
    for one in places:
        content = head.message[one.end() :].strip()
        if len(dialogue_words.split_list(content, language)) >= FEWEST:
            rest = Marked(head.message[: one.start()])
            rest.marks[:] = head.marks[: one.start()]
            return rest, content
    return head, ""


@functools.cache
def _words(language: Language) -> _Words:
    table = language_data.load_table(language, Changes)
    return _Words(
        *(
            re.compile(rf"(?<!\w)(?:{plain_letters(language_data.join_pattern(one))})(?!\w)")
            for one in (table.new, table.listed, table.new_list, table.holding)
        )
    )


def parted(whole: Marked, things: Sequence[Thing], language: Language) -> Route | None:
    """Return the note that a message says part by part; None where a part is none of these, or
    fewer than two are named.
    """
    words = words_of(language)
    parts = list(_PART.finditer(whole.message))
    cue = words.cues["note"].search(whole.text)
    if cue is None or len(parts) < FEWEST or cue.start() >= parts[0].end():
        return None
    title, folder, start = "", "", 0
    ends = len(whole.message)
    is_titled = False
    for at, part in enumerate(parts):
        text = whole.message[max(part.start(), cue.end()) : part.end()].strip(_AROUND)
        if start and at + 1 < len(parts):
            continue  # of the text but the last is any
        if name := _folder_said(text, things, words.inside, has_cue=words.cues["folder"]):
            folder, ends = name, part.start() if start else ends
        elif start:
            continue
        elif said := words.titled.match(Marked(text).text):
            title = text[said.end() :].strip(_AROUND)
            is_titled = not title
        elif is_titled:
            title, is_titled = text, False
        elif said := words.saying.match(Marked(text).text):
            start = whole.message.index(text, part.start()) + said.end()
        elif Marked(text).left(words):
            start = max(part.start(), cue.end())
    content = whole.message[start:ends].strip(_AROUND) if start else ""
    told = {"title": title, "content": content, "whole": content, "folder": folder}
    said_of = {name: value for name, value in told.items() if value}
    if len({"title", "content", "folder"} & said_of.keys()) < FEWEST or not (title or content):
        return None
    if re.search("[:：]", title):
        return None  # what stands after the colon is the text
    return Route("make_note", language, said_of)


def _folder_said(
    text: str, things: Sequence[Thing], inside: str, *, has_cue: re.Pattern[str]
) -> str:
    """Return the folder that a part says the note goes to; empty where it says more."""
    for thing in things:
        name = thing.title.rpartition("/")[2]
        if thing.kind != "folder" or name not in text:
            continue
        shape = inside.replace("{name}", re.escape(name.lower()))
        says_so = re.fullmatch(rf"(?:{shape})\W*", Marked(text).text)
        if says_so and (text != name or has_cue.search(text)):
            return thing.title
    return ""
