"""Wishes that say by no name what they are about, as it was spoken of last."""

import re
from collections.abc import Sequence

import msgspec

from app.agent.rules.changes import days, texts
from app.agent.rules.changes.marked import Marked, Words, words_of
from app.agent.rules.changes.named import NAME, Named, find, settled
from app.agent.rules.dialogue import dialogue_words, references
from app.agent.rules.languages.change_tables import ChangeKind
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Thing, ThingKind

LONGEST_TAG = 2
"""So many words has a tag at most that stands beside no name."""
_PUT = re.compile("に(?:変|し|改)|って(?:変|こと|し)")
"""How a new name in quotation marks is given."""
NOTES: tuple[ThingKind, ...] = ("note",)


def is_any_list(asked: Asked, whole: Marked, named: Named, words: Words) -> bool:
    """Return whether “my list” is that of todos, and not the only note of such a name."""
    is_word = " " not in whole.text[named.start : named.end].strip()
    todos = is_word and words.cues["todo"].search(whole.text)
    return bool(todos) and references.newest(asked, NOTES).things != named.things


def new_name(
    asked: Asked, of: Sequence[ThingKind], words: Words
) -> tuple[Marked, Named, str] | None:
    """Return the new name of what was spoken of last: “change the title to …”."""
    marked, last = Marked(asked.message), references.newest(asked, of).things
    if len(last) != 1 or not marked.fit(words.cues["rename"], "c") or marked.has(words.denies):
        return None
    start, end = texts.only_quoted(marked)
    if end and _PUT.match(marked.text, end) and not words.spaced:
        # “名前もはっきりさせたい、「…」に変えて”
        return marked, Named(last, 0, 0), marked.message[start + 1 : end - 1].strip()
    marked.fit(words.put, "p")
    free = [one for one in marked.runs() if marked.message[slice(*one)].strip(" ,.")]
    piece = marked.text[slice(*free[-1])] if free else ""
    link = words.link_before.match(piece.lstrip())
    filler = "".join(marked.text[slice(*one)] for one in free[:-1])
    text = texts.text_of(marked, words, "rename", exact=True) if link else ""
    # “Call the note please Window”
    small = "|".join(one.pattern for one in (words.filler, words.courtesy))
    of_note = re.match(rf"\s*(?:(?:{small})\s+)*{words.note.pattern}\s+(?:(?:{small})\s+)*", piece)
    if of_note and last[0].kind == "note":
        text = marked.message[free[-1][0] + of_note.end() : free[-1][1]].strip()
    if not text or re.search(r"\w", words.filler.sub("", filler)):
        return None
    return marked, Named(last, 0, 0), text


def name_begun(asked: Asked, named: Named, said: str) -> str:
    """Return the new name of the note spoken of last that begins like its old one: “call this note
    Window 2026”; empty where it is none.
    """
    start = asked.message.find(said, named.end)
    between = asked.message[named.end : start]
    if start < 0 or between.strip(" ,") or references.newest(asked, NOTES).things != named.things:
        return ""
    is_whole = asked.message[named.start : named.end].lower() == named.things[0].title.lower()
    return "" if is_whole and between.strip() else asked.message[named.start : start + len(said)]


def says_else(message: str, kind: ChangeKind, words: Words) -> bool:
    """Return whether a message says that a step is done, or beside a new name wishes something
    else: “put it there, and call it …”.
    """
    text = Marked(message).text
    if kind == "step":
        return words.finished.search(text) is not None
    clauses = words.join.split(text) if kind == "rename" else []
    # A name in quotation marks may stand in a clause of its own.
    renames = (words.cues["rename"], re.compile("^[「『]"))
    others = [one for one in clauses if one and not any(of.search(one) for of in renames)]
    return len(others) < len(clauses) and any(words.put.match(one[-3:]) for one in others)


def renamed(asked: Asked, found: Route, language: Language) -> Route:
    """Return a new name as that of the note spoken of last, where it is given to “the note”, or
    “that note”.
    """
    words, target = words_of(language), Marked(found.get("target"))
    head = asked.message[: asked.message.rfind(found.get("title"))]
    is_note = words.cues["rename"].search(Marked(head).text) and words.note.search(
        Marked(head).text
    )
    last = references.newest(asked, NOTES).things
    target.fit(words.note, "p")
    target.fit(words.cues["rename"], "p")
    if not is_note or len(last) != 1 or target.left(words):
        return found
    note = re.match(rf"(?:{words.note.pattern})\s+", Marked(found.get("title")).text)
    title = {"title": found.get("title")[note.end() :] if note else found.get("title")}
    return msgspec.structs.replace(found, intent="change_note", arguments=title, things=last)


def is_new_note(marked: Marked, named: Named, words: Words) -> bool:
    """Return whether only a new note’s text names it: “a note called Pancakes: 1 l of milk”."""
    said = words.cues["note"].search(marked.text)
    return said is not None and said.start() < named.start


def tag_of_clause(asked: Asked, kind: ChangeKind, words: Words) -> tuple[Named, str] | None:
    """Return the note spoken of last with the tag of which one clause of a message speaks: “tag
    house on it, that's it then”.
    """
    last, start = references.newest(asked, NOTES).things, 0
    text = Marked(asked.message).text
    for end, after in [*(one.span() for one in words.join.finditer(text)), (len(text), 0)]:
        marked = Marked(asked.message[start:end])
        start = after
        if len(last) != 1 or not marked.fit(words.cues[kind], "c") or marked.has(words.denies):
            continue
        tag = texts.text_of(marked, words, kind)
        if tag and len(tag.split()) <= LONGEST_TAG:
            return Named(last, 0, 0), tag
    return None


def put_back(asked: Asked, found: Route, language: Language) -> dict[str, str]:
    """Return the arguments of a wish to open something again: the day alone where it is “put it
    back on the 4th” of what was not done.
    """
    is_it = not found.get("target") or dialogue_words.whole(language, "it", found.get("target"))
    day = days.new_day(asked, Marked(asked.message), language) if is_it else ""
    if not day:
        return dict(found.arguments)
    was_done = bool(asked.earlier) and asked.earlier[0].intent == "complete_todo"
    opens = {"reopen": "yes"} if was_done else {}
    return {"target": found.get("target"), "day": day, **opens}


def same_tag(asked: Asked, kind: ChangeKind) -> dict[str, str]:
    """Return the arguments of a change by “that same tag”: the one spoken of last."""
    if kind == "untag":  # else it is the only one that the note has
        return {
            "tag": asked.earlier[0].arguments.get("tag", "") if asked.earlier else "",
            "untag": "yes",
        }
    tag = next((one.arguments["tag"] for one in asked.earlier if one.arguments.get("tag")), "")
    return {"tag": tag} if tag else {}


def without_tag(asked: Asked, things: Sequence[Thing], language: Language) -> Route | None:
    """Return that the one tag of a note goes, where a message only names the note."""
    marked = Marked(asked.message)
    named = find(asked, marked, things, ("note",), language)
    if not named or not marked.mark([(named[0].start, named[0].end)], NAME):
        return None
    if not marked.fit(words_of(language).cues["untag"], "c"):
        return None
    if marked.has(words_of(language).denies) or not texts.is_covered(
        marked, words_of(language), "untag"
    ):
        return None
    return settled("change_note", language, named[0], untag="yes")


def says_same_tag(message: str, language: Language) -> bool:
    """Return whether a message speaks of a tag only as “that same tag”."""
    marked = Marked(message)
    return any(
        dialogue_words.ends_with(language, "the_same", marked.text[: one.start()])
        for one in words_of(language).cues["tag"].finditer(marked.text)
    )
