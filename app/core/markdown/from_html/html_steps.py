"""Inline elements to the steps of a run.

Blocks among them, as in the cell of a table, become lines.
"""

import re
from collections.abc import Iterator, Sequence

from app.core.markdown.from_html import html_losses
from app.core.markdown.from_html.html_lists import BOX
from app.core.markdown.from_html.html_runs import BREAK, MARKS, Run, link_run
from app.core.markdown.from_html.html_tree import Node

_NUMBER = re.compile(r"\d{1,8}")


def runs_of(items: Sequence[Node]) -> Iterator[Run]:
    """Yield the inline steps of some elements and text."""
    rest: list[Node | Run] = list(items[::-1])
    while rest:
        item = rest.pop()
        if isinstance(item, Run):
            yield item
        elif not item.tag:
            yield Run("text", item.words)
        elif item.tag == "br":
            yield BREAK
        elif item.tag == "code":
            yield from _code_runs(item)
        elif item.tag == "pre":
            yield from _code_lines(item)
        elif item.tag == "img":
            yield from _image_runs(item)
        else:
            yield from _element_runs(item, rest)


def _element_runs(node: Node, rest: list[Node | Run]) -> Iterator[Run]:
    start = Run("open", node.tag) if node.tag in MARKS else None
    if node.tag == "a":
        start = link_run(node.attributes.get("href"), node.attributes.get("title", ""))
        if start is None and "href" in node.attributes:
            html_losses.note_loss("links to addresses that are not allowed")
    if start:
        yield start
        rest.append(Run("close", node.tag))
    elif node.is_block():
        yield BREAK
        rest.append(BREAK)
        if node.tag == "hr":
            html_losses.note_loss("rules in cells")
    if node.tag in ("ul", "ol"):
        rest.extend(list(_list_contents(node))[::-1])
    else:
        rest.extend(node.children[::-1])


def _list_contents(node: Node) -> Iterator[Node | Run]:
    """Yield what is in a list, each item after its bullet or number."""
    start = node.attributes.get("start", "1")
    number = int(start) if _NUMBER.fullmatch(start) else 1
    for child in node.children:
        if child.tag == "li":
            yield BREAK
            yield Run("text", f"{number}. " if node.tag == "ol" else "• ")
            if BOX in child.attributes:
                yield Run("text", f"[{child.attributes[BOX]}] ")
            yield Node("span", children=child.children)
            number += 1
        else:
            yield child


def _code_runs(node: Node) -> Iterator[Run]:
    text = "".join(
        "\0" if inner.tag == "br" else inner.words.replace("\n", " ") for inner in node.walk()
    )
    for number, line in enumerate(text.split("\0")):
        if number:
            yield BREAK
        if line:
            yield Run("code", line)


def _code_lines(node: Node) -> Iterator[Run]:
    for line in node.text().split("\n"):
        yield BREAK
        if line.strip():
            yield Run("code", line)
    yield BREAK


def _image_runs(node: Node) -> Iterator[Run]:
    start = link_run(node.attributes.get("src"), node.attributes.get("title", ""))
    alt = Run("text", node.attributes.get("alt", ""))
    if start is None:
        html_losses.note_loss("pictures")
    yield from (Run("text", "!"), start, alt, Run("close", "a")) if start else (alt,)
