"""A line of a note that begins with what it lists, and what a message adds to it.

As “add Mabel to the girls” does.
"""

import re

from app.agent.rules.changes import named
from app.agent.rules.changes.marked import Marked, Words
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.passages import questions
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Thing

_LABELLED = re.compile(r"(?m)^(?P<label>[^\W\d_][^:：\n]{1,29})[:：]\s*(?P<listed>\S.*?)[ \t]*$")
_END = ".。"


def mark(marked: Marked, text: str, words: Words) -> str:
    """Mark where a message says that something goes to one line of a note; return that line, or
    nothing where it names none, or several.
    """
    marked.fit(words.courtesy, "p")
    found: list[tuple[str, tuple[int, int]]] = []
    for line in _LABELLED.finditer(text):
        name = re.escape(plain_letters(line["label"]).lower())
        shape = words.onto.replace("{name}", name)
        edges = (r"(?<!\w)", r"(?!\w)") if words.spaced else ("", "")
        fit = re.search(f"{edges[0]}(?:{shape}){edges[1]}", marked.text)
        if fit and fit.start() and not (words.spaced and _says_more(marked, fit.end())):
            found.append((line[0].rstrip(), fit.span()))
    if len(found) != 1 or text.count(found[0][0]) != 1:
        return ""
    return found[0][0] if marked.mark([found[0][1]], named.NAME) else ""


def _says_more(marked: Marked, start: int) -> bool:
    rest = zip(marked.message[start:], marked.marks[start:], strict=True)
    return any(one.isalnum() and kind == " " for one, kind in rest)


def add(wish: Route, thing: Thing, line: str, item: str) -> Route:
    """Return the change that writes one more at the end of a line."""
    end = line[-1] if line[-1] in _END else ""
    mark = "、" if "、" in line or questions.is_asian(line) else ", "
    to = line.removesuffix(end) + mark + item + end
    said = {"old": line, "new": to, "from": line, "to": to}
    return Route("replace_text", wish.language, said, (thing,))
