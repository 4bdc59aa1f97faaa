"""The pages of the guide that ships with the program, read once and searched by their words."""

import functools
import re
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

GUIDE = Path(__file__).parents[3] / "guide"
FOR_BUILDERS = ("adding-", "architecture", "endpoints")
AROUND = 90
_PAGE = re.compile(r"([a-z-]+)\.md(#.*)?")
_WORD = re.compile(r"[^\w]+")


class Topic(NamedTuple):
    """A page of the guide: the name in its address, its title, its text."""

    name: str
    title: str
    text: str

    @property
    def is_for_builders(self) -> bool:
        """Whether it is about Hearth's inside rather than its use."""
        return self.name.startswith(FOR_BUILDERS)


class Found(NamedTuple):
    """A page that holds all the words, and what stands around the first of them."""

    topic: Topic
    snippet: str


@functools.cache
def topics() -> dict[str, Topic]:
    """Return the pages by their names, in order of their titles."""
    read = ((path.stem, path.read_text("utf-8")) for path in GUIDE.glob("*.md"))
    found = [Topic(name, text.partition("\n")[0].lstrip("# "), text) for name, text in read]
    return {topic.name: topic for topic in sorted(found, key=lambda topic: topic.title)}


@functools.cache
def page_html(name: str) -> Markup:
    """Return a page as HTML, without its title; links to other pages lead to them here."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(topics()[name].text.partition("\n")[2])
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", _slug(tokens[place + 1].content))
        for child in token.children or ():
            _lead_here(child)
    # the guide is ours, and raw HTML in it stays text
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704


def find_topics(query: str) -> list[Found]:
    """Return the pages that hold every word of a query, those with it in their title first."""
    words = query.lower().split()
    found = []
    for topic in topics().values():
        text = topic.text.lower()
        if words and all(word in text for word in words):
            at = max(0, text.index(words[0]) - AROUND // 2)
            snippet = " ".join(topic.text[at : at + 2 * AROUND].split())
            found.append(Found(topic, snippet))
    return sorted(found, key=lambda hit: not all(word in hit.topic.title.lower() for word in words))


def _lead_here(token: Token) -> None:
    if token.type == "link_open":
        page = _PAGE.fullmatch(str(token.attrs.get("href", "")).rpartition("/")[2])
        if page is not None and page[1] in topics():
            token.attrSet("href", f"/help/{page[1]}{page[2] or ''}")


def _slug(heading: str) -> str:
    return _WORD.sub("-", heading.lower()).strip("-")
