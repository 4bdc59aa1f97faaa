"""Wishes for a new note or folder, another name of a folder, or that a note goes to one."""

import functools
import re
from collections.abc import Callable, Sequence

from app.agent.rules.changes import texts
from app.agent.rules.changes.marked import Marked, Words, words_of
from app.agent.rules.changes.named import NAME, beside, find, folder_there, settled
from app.agent.rules.languages.change_tables import ChangeKind
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Thing

LONGEST_NAME = 80
LONGEST_TITLE = 40
_PIECE = re.compile(r"(?:[「『][^」』]*[」』]|[^。！!、，\n「『])+")
_ABOUT = re.compile(r"(?:の(?:こと?|件|用|ための?)|について|に関して|用|の)+(?:を|は|も)?$")


def moved_note(
    asked: Asked, kind: ChangeKind, things: Sequence[Thing], language: Language
) -> Route | None:
    """Return that a note goes to a folder, where nothing else is said."""
    words, marked = words_of(language), Marked(asked.message)
    folder = _folder(asked, things, words.onto, language, marked)
    notes = find(asked, marked, things, ("note",), language) if folder else []
    if not notes or not marked.mark([(notes[0].start, notes[0].end)], NAME):
        return None
    if not marked.fit(words.cues[kind], "c") or marked.has(words.denies):
        return None
    if not texts.is_covered(marked, words, kind):
        return None
    return settled("move_note", language, notes[0], folder=folder)


def renamed_folder(asked: Asked, things: Sequence[Thing], language: Language) -> Route | None:
    """Return the new name of a folder that is called one."""
    words, marked = words_of(language), Marked(asked.message)
    writes = words.cues["note"].search(marked.text)
    if words.spaced or writes or not marked.fit(words.cues["folder"], "c"):
        return None
    quoted = texts.only_quoted(marked)
    named = find(asked, marked, things, ("folder",), language, but=quoted)
    if not named or (quoted[1] and quoted[0] <= named[0].start):
        return None
    if not marked.mark([named[0][1:]], NAME):
        return None
    marked.fit(words.cues["rename"], "c")
    title = texts.text_of(marked, words, "rename")
    named_one = {"folder": named[0].words, "title": title}
    return Route("rename_folder", language, named_one) if title else None


def new_folder(
    asked: Asked, kind: ChangeKind, things: Sequence[Thing], language: Language
) -> Route | None:
    """Return a folder to make, in another where one is named."""
    words, marked = words_of(language), Marked(asked.message)
    inside = _folder(asked, things, words.inside, language, marked)
    made = marked.fit(words.also[kind], "p")
    if not made or not marked.fit(words.cues[kind], "c") or marked.has(words.denies):
        return None
    marked.fit(words.titled, "t")
    name = texts.text_of(marked, words, kind)
    if not name or len(name) > LONGEST_NAME:
        return None
    return Route("make_folder", language, {"folder": name, "inside": inside})


def new_note(
    asked: Asked, kind: ChangeKind, things: Sequence[Thing], language: Language
) -> Route | None:
    """Return a note to write: its name before what says its text, or after what says its name; or
    in clauses.
    """
    words, whole = words_of(language), Marked(asked.message)
    if not words.spaced:
        inside = functools.partial(_folder, asked, things, words.inside, language)
        if in_clauses := _in_clauses(asked.message, inside, language):
            return in_clauses
    head, content = texts.content_of(whole, words)
    folder = _folder(asked, things, words.inside, language, head)
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
    if content and not folder:
        folder, content = _folder_at_end(asked, content, things, language)
    if not (title or content):
        return None
    if not (title or folder or words.note.search(whole.text)) and texts.is_dated(
        asked, content, language
    ):
        return Route("add_todo", language, {"task": content})
    told = {"content": content, "whole": content, "title": title, "folder": folder}
    return Route("make_note", language, {name: said for name, said in told.items() if said})


def _in_clauses(
    message: str, folder_in: Callable[[Marked], str], language: Language
) -> Route | None:
    """Return the note of which one clause says that it is to be written, another its name or its
    folder, and the rest what it holds; None where they leave its name or that open, or say anything
    else. `folder_in` marks and returns the folder that a clause names.
    """
    words = words_of(language)
    head, after = texts.after_colon(Marked(message))
    said: dict[str, str] = {}
    told: list[tuple[int, int]] = []
    last = -1
    for at, found in enumerate(_PIECE.finditer(head.message)):
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
    folder = _folder(asked, things, words.inside, language, marked)
    places = list(marked.runs(NAME))
    start, end = places[-1] if places else (0, 0)
    if (
        not folder
        or content[end:].strip(" .!。！")
        or not words.cues["folder"].search(content[start:].lower())
    ):
        return "", content
    return folder, content[:start].strip(" ,，、")


def _folder(
    asked: Asked, things: Sequence[Thing], shape: str, language: Language, marked: Marked
) -> str:
    """Return the folder that something is to be in, by its name or as the one spoken of."""
    for one in find(asked, marked, things, ("folder",), language):
        if len(one.things) == 1 and beside(marked, one, shape, words_of(language)):
            return one.things[0].title
    there = folder_there(asked, marked, language)
    return there.title if there else ""
