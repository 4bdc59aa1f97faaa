"""A note to write whose parts stand one after the other where no spaces part words.

“记个笔记，叫礼物，放教学里。小鹏：贴纸”: what calls it a note, its title, its folder and
its text, parted by marks or spaces.
"""

import re
from collections.abc import Sequence

from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Thing

FEWEST = 2
"""So many of title, text and folder must be named."""
_PART = re.compile(r"[^\s,，。；;、]+")
_EDGE = " \t,，、：:；;。"


def read(whole: Marked, things: Sequence[Thing], language: Language) -> Route | None:
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
        text = whole.message[max(part.start(), cue.end()) : part.end()].strip(_EDGE)
        if start and at + 1 < len(parts):
            continue  # of the text but the last is any
        if name := _folder(text, things, words.inside, has_cue=words.cues["folder"]):
            folder, ends = name, part.start() if start else ends
        elif start:
            continue
        elif said := words.titled.match(Marked(text).text):
            title = text[said.end() :].strip(_EDGE)
            is_titled = not title
        elif is_titled:
            title, is_titled = text, False
        elif said := words.saying.match(Marked(text).text):
            start = whole.message.index(text, part.start()) + said.end()
        elif Marked(text).left(words):
            start = max(part.start(), cue.end())
    content = whole.message[start:ends].strip(_EDGE) if start else ""
    told = {"title": title, "content": content, "whole": content, "folder": folder}
    said_of = {name: value for name, value in told.items() if value}
    if len({"title", "content", "folder"} & said_of.keys()) < FEWEST or not (title or content):
        return None
    return Route("make_note", language, said_of)


def _folder(text: str, things: Sequence[Thing], inside: str, *, has_cue: re.Pattern[str]) -> str:
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
