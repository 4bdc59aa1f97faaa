"""Lists as editors write them.

Tasks in many shapes, and Quill's flat lists, made into lists with tasks as an attribute.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.core.markdown.from_html.html_tree import Node

BOX = "box"
"""The attribute of an item that is a task: "x" where it is done, else a space."""
_LISTS = frozenset(["ul", "ol"])
_INDENT = re.compile(r"(?:^|\s)ql-indent-([1-8])(?:\s|$)")
_TRUE = frozenset(["", "true", "checked", "1"])


@dataclass
class _Level:
    """A list of items that are all of a kind and equally far in."""

    indent: int
    kind: str
    node: Node


def plain_list(node: Node) -> list[Node]:
    """Return an element as it is, its tasks found.

    A flat list of many kinds and depths as lists within lists.
    """
    if node.tag not in _LISTS:
        return [node]
    items = [child for child in node.children if child.tag == "li"]
    for item in items:
        _find_box(item, node)
    flat = any(
        "data-list" in item.attributes or _INDENT.search(item.attributes.get("class", ""))
        for item in items
    )
    alone = all(child.tag == "li" or child.is_blank() for child in node.children)
    return list(_nest_flat_list(node, items)) if flat and alone else [node]


def _find_box(item: Node, around: Node) -> None:
    """Tell from an item's attributes, its list's or a checkbox at its beginning whether it is a
    task, and take the checkbox away.
    """
    state = item.attributes.get(
        "data-checked", item.attributes.get("aria-checked", around.attributes.get("data-checked"))
    )
    if item.attributes.get("data-list") in ("checked", "unchecked"):
        state = str(item.attributes["data-list"] == "checked").lower()
    found = _leading_checkbox(item)
    if found:
        parent, box = found
        parent.children = [child for child in parent.children if child is not box]
        state = ("true" if "checked" in box.attributes else "false") if state is None else state
    if state is not None:
        item.attributes[BOX] = "x" if state.lower() in _TRUE else " "


def _leading_checkbox(item: Node) -> tuple[Node, Node] | None:
    """Return the checkbox that an item begins with, and what holds it."""
    rest = [(item, child) for child in reversed(item.children)]
    while rest:
        parent, node = rest.pop()
        if node.tag == "input":
            return parent, node
        if node.tag in (*_LISTS, "table", "pre", "img", "br", "hr") or (
            not node.tag and not node.is_blank()
        ):
            return None
        rest += [(node, child) for child in reversed(node.children)]
    return None


def _nest_flat_list(node: Node, items: list[Node]) -> Iterator[Node]:
    """Yield the lists that a flat one stands for."""
    levels: list[_Level] = []
    for item in items:
        found = _INDENT.search(item.attributes.get("class", ""))
        indent = int(found[1]) if found else 0
        kind = {"ordered": "ol", "bullet": "ul", "checked": "ul", "unchecked": "ul"}.get(
            item.attributes.get("data-list", ""), node.tag
        )
        while levels and (
            levels[-1].indent > indent or (levels[-1].indent == indent and levels[-1].kind != kind)
        ):
            if len(levels) == 1:
                yield levels[0].node
            levels.pop()
        if not levels or levels[-1].indent < indent:
            made = Node(kind, start=item.start, end=item.end)
            if levels:
                levels[-1].node.children[-1].children.append(made)
            levels.append(_Level(indent, kind, made))
        levels[-1].node.children.append(item)
        for level in levels:
            level.node.end = item.end
    if levels:
        yield levels[0].node
