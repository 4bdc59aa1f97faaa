"""The text of a wish: what a note, todo, step or message is to hold, without words around it."""

import functools
import re
from collections.abc import Sequence

from app.agent.quickadd import quickadd
from app.agent.rules.changes.marked import Marked, Words, words_of
from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import ChangeKind, Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.turn.steps import Asked

_PIECE = re.compile(r"[,;](?:\s|(?=[\u3400-\u9fff]))|[，；]|\s[–-]\s")
_QUOTED = re.compile(r"[\"“”„«»「『‘]\s*([^\"“”„«»「」『』]+?)\s*[\"”“»«」』’]")
_QUOTED_FIRST = re.compile(r"[「『]([^「」『』]+)[」』](?:で|って|という)?[\s、，。]*")
_COLON = re.compile(r"\s*[:：]\s*(?!\d\d\b|//)(?=\S)")
PARTICLE = re.compile(r"[\u3040-\u309f]")
"""What is left of an ending, and no text."""
_EDGE = " \t\n,，、；;。.!！:："


def after_colon(marked: Marked) -> tuple[Marked, str]:
    """Return what stands before a colon, and as it was written what follows it; all and nothing
    where there is none.
    """
    found = _COLON.search(marked.text)
    if found is None or not marked.text[: found.start()].strip():
        return marked, ""
    return Marked(marked.message[: found.start()]), marked.message[found.end() :].strip()


def only_quoted(marked: Marked) -> tuple[int, int]:
    """Return from where to where the one text in quotation marks stands; nowhere else."""
    found = list(_QUOTED.finditer(marked.message))
    return found[0].span() if len(found) == 1 else (0, 0)


def all_quoted(marked: Marked) -> tuple[int, int]:
    """Return from where to where the texts in quotation marks stand."""
    found = list(_QUOTED.finditer(marked.message))
    return (found[0].start(), found[-1].end()) if found else (0, 0)


def text_of(marked: Marked, words: Words, kind: ChangeKind, *, exact: bool = False) -> str:
    """Return the one piece of a message that is free of marks; empty where there are several.

    Without words of the wish at its edges; where it is not to be `exact`, without little words
    there, too.
    """
    quotes = [
        found
        for found in _QUOTED.finditer(marked.message)
        if set(marked.marks[found.start(1) : found.end(1)]) == {" "}
    ]
    if quotes:
        within = {at for one in quotes for at in range(*one.span())}
        free = "".join(
            letter if mark == " " and at not in within else "|"
            for at, (letter, mark) in enumerate(zip(marked.message, marked.marks, strict=True))
        )
        if all(_is_empty(piece, words, kind) for piece in free.split("|")):
            return ", ".join(one[1] for one in quotes)
        if kind == "step" and not words.spaced:
            return ""
    found = [
        piece
        for start, end in marked.runs()
        if (piece := _trimmed(marked.message[start:end], words, kind, exact=exact))
    ]
    return found[0] if len(found) == 1 else ""


def is_task(asked: Asked, content: str, language: Language) -> bool:
    """Return whether a text to write down is something to do: it says what must be done, or that it
    is a todo, or has a day and states nothing.
    """
    words = words_of(language)
    # “Note that on Fridays I must …”, “Jot this down as a task: …”
    if without_duty(asked, content, language) != content:
        return True
    if words.cues["todo"].match(Marked(content).text):
        return True
    return not words.note.search(Marked(asked.message).text) and is_dated(asked, content, language)


def is_covered(marked: Marked, words: Words, kind: ChangeKind) -> bool:
    """Return whether all of a message belongs to its wish."""
    for pattern in (words.courtesy, words.put, words.also[kind]):
        marked.fit(pattern, "p")
    return not re.search(r"\w", marked.left(words))


def _is_empty(piece: str, words: Words, kind: ChangeKind) -> bool:
    return not _trimmed(piece, words, kind, exact=False)


def _trimmed(piece: str, words: Words, kind: ChangeKind, *, exact: bool) -> str:
    """Return a piece without what belongs to the wish at its edges; empty where that is all."""
    rest = Marked(piece)
    for pattern in (words.courtesy, words.put, words.also[kind]):
        rest.fit(pattern, "p")
    if not re.search(r"\w", rest.left(words)):
        return ""
    beside = [words.courtesy, words.also[kind]]
    beside += [] if exact else [words.put, words.filler]
    text = piece
    while True:
        before = text
        text = text.strip(_EDGE)
        plain = Marked(text).text
        if found := words.link_before.match(plain):
            text = text[found.end() :]
            continue
        if found := words.link_after.search(plain):
            text = text[: found.start()]
            continue
        if not exact and (found := words.edge.search(plain)):
            text = text[: found.start()] + text[found.end() :]
            continue
        text = without_edge(text, beside, words)
        if text == before:
            return "" if PARTICLE.fullmatch(text) else text


def without_edge(text: str, beside: Sequence[re.Pattern[str]], words: Words) -> str:
    """Return a text without what the first of some patterns fits at its beginning or its end."""
    plain = Marked(text).text
    for pattern in beside:
        # One letter of a script without spaces may be of the text: “みりん”.
        least = 1 if words.spaced or pattern is not words.filler else 2
        spans = [one.span() for one in pattern.finditer(plain) if len(one[0]) >= least]
        if spans and spans[0][0] == 0:
            return text[spans[0][1] :]
        if spans and spans[-1][1] == len(plain):
            if text[-1] >= "\u3400" and len(plain) - spans[-1][0] == 1:
                continue  # the last letter of “替补”
            if len(plain) - spans[-1][0] == 1 and text[-1].isupper():
                continue  # “the violin A”
            return text[: spans[-1][0]]
    return text


def without_saying(text: str, words: Words) -> str:
    """Return a text in a script without spaces without what says at its end that it is to be
    written down: “…って書いて”.
    """
    for said in list(words.cues["append"].finditer(Marked(text).text))[-1:]:
        linked = words.link_after.search(Marked(text[: said.start()]).text)
        if linked and linked.start() and not Marked(text[said.end() :]).left(words):
            return text[: linked.start()]
    return text


def without_duty(asked: Asked, text: str, language: Language) -> str:
    """Return a text without what says that it must be done, be it after a day: “on Fridays I must
    see the optician”.
    """
    read = quickadd.read_line(text, now=asked.now, locale=language)
    for title in (text, read.title):
        found = words_of(language).must.match(Marked(title).text)
        if found and found.end() and re.search(r"\w", title[found.end() :]):
            duty, rest = title[: found.end()], title[found.end() :]
            if duty in text:
                return text.replace(duty, " ", 1).strip()
            return " ".join([rest.strip(), *(span.text for span in read.spans)])
    return text


def without_vague(text: str, language: Language) -> str:
    """Return a text without what says at its edges that it has no day: “at some point”."""
    found = _vague(language).search(Marked(text).text)
    rest = text[: found.start()] + text[found.end() :] if found else text
    return rest.strip() if re.search(r"\w", rest) else text


@functools.cache
def _vague(language: Language) -> re.Pattern[str]:
    table = language_data.load_table(language, Changes)
    said = plain_letters(language_data.join_pattern(table.vague)) or "(?!)"
    return re.compile(rf"^(?:(?:{said})(?!\w)[\s,]*)+|(?:[\s,]*(?<!\w)(?:{said}))+[\s.!]*$")


def is_dated(asked: Asked, text: str, language: Language) -> bool:
    """Return whether a text has a day and states nothing: “call Tom on Friday”."""
    states = words_of(language).states.search(Marked(text).text)
    return bool(text) and not states and is_due(asked, text, language)


def is_due(asked: Asked, text: str, language: Language) -> bool:
    """Return whether a text has a day."""
    return quickadd.read_line(text, now=asked.now, locale=language).due is not None


def content_of(marked: Marked, words: Words) -> tuple[Marked, str]:
    """Return what stands before the words or the colon that a text follows, and that text."""
    if found := words.saying.search(marked.text):
        text = marked.message[found.end() :].lstrip(" :：,，").strip()
        if text:
            quoted = re.fullmatch(r"[\"“”„«「『](.+)[\"”“»」』][。.]?", text)
            return Marked(marked.message[: found.start()]), quoted[1] if quoted else text
    head, mark, text = marked.message.partition("。")
    if not words.spaced and mark and text.strip() and not _COLON.search(head):
        return Marked(head), text.strip()
    return after_colon(marked)


def title_and_text(said: str) -> tuple[str, str]:
    """Return the title with which what is said of a note begins, in quotation marks or up to a
    comma, and the text after it.
    """
    found = _QUOTED_FIRST.match(said) or re.match(r"([^、，。]+)[、，。]?", said)
    return (found[1].strip(), said[found.end() :].strip()) if found else (said, "")


def split_todos(head: Marked, text: str, language: Language) -> list[str]:
    """Return the todos of a line: by its commas where those make as many as are said."""
    bare = words_of(language).link_after.sub
    several = [bare("", one) for one in dialogue_words.split_list(text, language)]
    clauses = [one.strip() for one in re.split("[,;，；、]", text) if one.strip()]
    numbers = language_data.load_table(language, Dates).numbers.get(len(clauses), ())
    said = (str(len(clauses)), *numbers)
    stated = len(clauses) > 1 and any(one in head.text for one in said)
    return clauses if stated else several
