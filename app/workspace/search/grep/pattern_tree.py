r"""Patterns as trees, and the patterns of RE2 that are written from them.

RE2 takes `\w`, `\d`, `\s` and `\b` as ASCII. The classes are written as the Unicode ones that
people mean. For word boundaries, which cannot be written otherwise, the tree is written in a
marked form too: it matches a text in which each character stands between two ASCII marks that
say whether it is of a word, so that RE2's own `\b` is true exactly there where it should be.

A counted repeat of a Unicode class makes a program that is too large to be fast: 29,000
instructions and 204 ms for 1.2 MB with `\w{5,20}\s\d+`. So there is a widened form too, in which
classes are small and match more: 216 instructions and 2 ms, and few lines left to judge.
"""

from collections.abc import Callable

import msgspec

WORD_MARKS, OTHER_MARKS = ("0", "1"), ("\x01", "\x02")
BACKSLASH = r"\\?"
MARKED_BACKSLASH = "(?:\x01\\\\\x02)?"
WORD_BOUNDARIES = (r"\b", r"\B")


class Char(msgspec.Struct, frozen=True):
    """Exactly one character: one of `options`, or any that `source` allows when there are none.

    `fold`: in either case.

    One that is `escapable` may have a backslash before it.
    """

    source: str
    options: tuple[str, ...]
    fold: bool
    escapable: bool = False


class Edge(msgspec.Struct, frozen=True):
    """A place between characters, such as the start of a line."""

    source: str


class Group(msgspec.Struct, frozen=True):
    """A pattern in parentheses."""

    opening: str
    body: "Choice"


class Flags(msgspec.Struct, frozen=True):
    """A change of flags for the rest of its group."""

    source: str


class Repeat(msgspec.Struct, frozen=True):
    """A pattern some times over; `most` is None without a limit."""

    item: "Node"
    least: int
    most: int | None
    suffix: str


class Sequence(msgspec.Struct, frozen=True):
    """Patterns one after the other."""

    items: "list[Node]"


class Choice(msgspec.Struct, frozen=True):
    """One of several patterns."""

    branches: list[Sequence]


Node = Char | Edge | Group | Flags | Repeat | Sequence | Choice
Members = Callable[[Char], str]


def escapable(node: Choice) -> Choice:
    """Let each mark of a tree be found with the backslash by which Markdown makes it text.

    What is shown is what is looked for.
    """
    return Choice(
        [Sequence([_escapable(item) for item in branch.items]) for branch in node.branches]
    )


def written(node: Node) -> str:
    """Return a tree as an RE2 pattern with Unicode classes.

    Its word boundaries are RE2's own, right for ASCII.
    """
    return _written(node, lambda char: char.source)


def widened(node: Node, ascii_members: Members) -> str:
    """Return a small pattern that matches wherever the tree does: it takes every character beyond
    ASCII for one of each class, and looks at no words.

    On a text of ASCII it matches exactly what a tree without word boundaries does;
    `ascii_members` tells the ASCII of a class, as the inside of a class.
    """
    beyond = r"\x{80}-\x{10FFFF}"
    return _written(
        node,
        lambda char: char.source if char.options else f"(?-i:[{ascii_members(char)}{beyond}])",
        words=False,
    )


def marked(node: Node) -> str:
    """Return a tree as a pattern for texts whose characters stand between marks."""
    return _written(
        node,
        lambda char: f"(?:{MARKED_BACKSLASH if char.escapable else ''}[0\x01]{char.source}[1\x02])",
        within_marks=True,
    )


def looks_at_words(node: Node) -> bool:
    r"""Return whether a tree holds a word boundary, \b or \B."""
    if isinstance(node, Edge):
        return node.source in WORD_BOUNDARIES
    return any(looks_at_words(below) for below in _below(node))


def _below(node: Node) -> "list[Node]":
    if isinstance(node, Choice):
        return [*node.branches]
    if isinstance(node, Sequence):
        return node.items
    if isinstance(node, Group):
        return [node.body]
    return [node.item] if isinstance(node, Repeat) else []


def _escapable(node: Node) -> Node:
    if isinstance(node, Char):
        is_mark = (
            len(node.options) == 1
            and node.options[0].isascii()
            and node.options[0].isprintable()
            and not node.options[0].isalnum()
        )
        return msgspec.structs.replace(node, escapable=is_mark and node.options[0] != " ")
    if isinstance(node, Group):
        return Group(node.opening, escapable(node.body))
    if isinstance(node, Repeat):
        return msgspec.structs.replace(node, item=_escapable(node.item))
    return escapable(node) if isinstance(node, Choice) else node


def _written(node: Node, char: Members, *, words: bool = True, within_marks: bool = False) -> str:
    if isinstance(node, Char):
        return f"(?:{BACKSLASH}{char(node)})" if node.escapable and not within_marks else char(node)
    if isinstance(node, Edge):
        return node.source if words or node.source not in WORD_BOUNDARIES else "(?:)"
    if isinstance(node, Flags):
        return node.source
    parts = [
        _written(below, char, words=words, within_marks=within_marks) for below in _below(node)
    ]
    if isinstance(node, Group):
        return f"{node.opening}{parts[0]})"
    if isinstance(node, Repeat):
        return parts[0] + node.suffix
    return ("|" if isinstance(node, Choice) else "").join(parts)
