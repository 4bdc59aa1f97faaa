"""Regular expressions in RE2's syntax, read into trees with Unicode classes."""

import re

from app.errors import Invalid
from app.workspace.search.grep.pattern_tree import (
    Char,
    Choice,
    Edge,
    Flags,
    Group,
    Node,
    Repeat,
    Sequence,
)

DEEPEST = 60
MOST_OPTIONS = 4
WORD = r"\pL\pN\pM_"
NOT_WORD = (
    r"\pZ\pS\pC\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}"
    r"\x{203F}\x{2040}\x{2054}\x{FE33}\x{FE34}\x{FE4D}-\x{FE4F}\x{FF3F}"
)
SPACE = r"\t\n\v\f\r \x{85}\pZ"
NOT_SPACE = (
    r"\x{0}-\x{8}\x{E}-\x{1F}!-\x{84}\x{86}-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF}\x{200B}-\x{2027}\x{202A}-\x{202E}"
    r"\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{10FFFF}"
)
CLASSES = {"w": WORD, "W": NOT_WORD, "d": r"\p{Nd}", "D": r"\P{Nd}", "s": SPACE, "S": NOT_SPACE}
OUTSIDE = {letter: f"[{inside}]" for letter, inside in CLASSES.items()} | {"W": f"[^{WORD}]"}
CONTROLS = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}

_QUANTIFIER = re.compile(r"(?:([*+?])|\{(\d{1,4})(,?)(\d{0,4})\})\??")
_CODE = re.compile(r"x\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})|(0[0-7]{0,2}|[1-7][0-7]{1,2})")
_PROPERTY = re.compile(r"[pP](?:\{[^}]*\}|.)", re.DOTALL)
_POSIX = re.compile(r"\[:\^?\w+:\]")
_OPENING = re.compile(r"\((?!\?)|\(\?P?<\w+>|\(\?([imsU]*-?[imsU]*)([:)])")
_NAMES = {
    r"\(\?[=!]": "look-ahead",
    r"\(\?<": "look-behind",
    r"\(\?P|\\[1-9gk]": "a back-reference",
    r"\(\?>": "an atomic group",
    r".*[*+?}]\+": "a possessive quantifier",
    r"\(\?\(": "a condition",
    r"\(\?[R&\d+-]": "recursion",
    r"\(\?#": "a comment",
    r"\(\?\|": "a branch reset",
}
"""What other engines know and RE2 leaves out, by what RE2 complains of."""


def literal(text: str, *, fold: bool) -> Choice:
    """Return the tree of a text that means itself."""
    return Choice([Sequence([_char(character, fold=fold) for character in text])])


def read(pattern: str, *, fold: bool) -> Choice:
    """Return the tree of a regular expression.

    The pattern must be one that RE2 knows. Raise Invalid where groups nest too deep, and for `\\C`,
    which matches half characters.
    """
    return _Reader(pattern, fold=fold).choice()


def refusal(reason: str) -> str:
    """Return a sentence that says what is wrong with a pattern, from what RE2 says of it."""
    kind, _, at = reason.partition(": ")
    named = [name for wanted, name in _NAMES.items() if re.match(wanted, at)]
    if kind in ("invalid perl operator", "bad repetition operator", "invalid escape sequence"):
        named += [f"the escape {at}"] if at.startswith("\\") else []
        if named:
            return (
                f"pattern holds {named[0]}, which patterns here do not have; they are RE2's, so "
                "that matching takes linear time."
            )
    return f"pattern is not a regular expression that RE2 knows: {reason}."


def _char(character: str, *, fold: bool) -> Char:
    return Char(_escaped(character, "\\.+*?()|[]{}^$"), (character,), fold)


def _escaped(character: str, special: str) -> str:
    """Return a character written so that it means itself."""
    if character in special:
        return "\\" + character
    return character if character.isascii() and character != "\0" else f"\\x{{{ord(character):X}}}"


class _Reader:
    """A pattern and how far it has been read."""

    def __init__(self, pattern: str, *, fold: bool) -> None:
        self.pattern = pattern
        self.at = 0
        self.fold = fold
        self.depth = 0
        self.quoting = False

    def ended(self) -> bool:
        return self.at >= len(self.pattern)

    def choice(self) -> Choice:
        branches = [self.sequence()]
        while self.eat("|"):
            branches.append(self.sequence())
        return Choice(branches)

    def sequence(self) -> Sequence:
        items: list[Node] = []
        while not self.ended() and (self.quoting or self.pattern[self.at] not in "|)"):
            atom = self.quoted() if self.quoting else self.atom()
            if atom is not None:
                items.append(atom)
            elif not items:
                continue
            if not self.quoting and items and (found := _QUANTIFIER.match(self.pattern, self.at)):
                items.append(self.repeated(items.pop(), found))
        return Sequence(items)

    def repeated(self, item: Node, found: re.Match[str]) -> Repeat:
        self.at = found.end()
        if found[1]:
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[found[1]]
        else:
            least = int(found[2])
            most = int(found[4]) if found[4] else None if found[3] else least
        return Repeat(item, least, most, found[0])

    def atom(self) -> Node | None:
        """Read one part; None for what is nothing by itself."""
        mark = self.pattern[self.at]
        if mark == "(":
            return self.group()
        if mark == "[":
            return self.class_()
        if mark == "\\":
            return self.escape()
        self.at += 1
        return (
            Edge(mark)
            if mark in "^$"
            else Char(mark, (), self.fold)
            if mark == "."
            else _char(mark, fold=self.fold)
        )

    def quoted(self) -> Node | None:
        if self.eat("\\E"):
            self.quoting = False
            return None
        self.at += 1
        return _char(self.pattern[self.at - 1], fold=self.fold)

    def group(self) -> Node:
        found = _OPENING.match(self.pattern, self.at)
        if found is None:
            group = self.pattern[self.at : self.at + 3]
            raise Invalid(refusal(f"invalid perl operator: {group}"), field="pattern")
        self.at = found.end()
        outer = self.fold
        if found[1] is not None:
            flags = found[1].replace("m", "").removesuffix("-")
            on, _, off = flags.partition("-")
            self.fold = (outer or "i" in on) and "i" not in off
            if found[2] == ")":
                return Flags(f"(?{flags})" if flags else "")
        opening = found[0] if found[1] is None else f"(?{flags}:"
        self.depth += 1
        if self.depth > DEEPEST:
            raise Invalid(f"pattern nests groups more than {DEEPEST} deep.", field="pattern")
        body = self.choice()
        self.at += 1
        self.depth -= 1
        self.fold = outer
        return Group(opening, body)

    def escape(self) -> Node | None:
        if self.eat("\\Q"):
            self.quoting = True
            return None
        letter = self.pattern[self.at + 1 : self.at + 2]
        if letter in OUTSIDE:
            self.at += 2
            return Char(OUTSIDE[letter], (), self.fold)
        if letter in ("A", "z", "b", "B"):
            self.at += 2
            return Edge({"A": "^", "z": "$"}.get(letter, "\\" + letter))
        source, character = self.escaped()
        return Char(source, (character,) if character else (), self.fold)

    def escaped(self) -> tuple[str, str]:
        """Read an escape that stands for one character, in a class or outside.

        Give it as written, and the character if it is a certain one.
        """
        begun = self.at
        letter = self.pattern[begun + 1 : begun + 2]
        if found := _PROPERTY.match(self.pattern, begun + 1):
            self.at = found.end()
            return self.pattern[begun : self.at], ""
        if found := _CODE.match(self.pattern, begun + 1):
            self.at = found.end()
            code = int(found[3], 8) if found[3] else int(found[1] or found[2], 16)
            return f"\\x{{{code:X}}}", chr(code)
        self.at = begun + 2
        if letter in CONTROLS:
            return "\\" + letter, CONTROLS[letter]
        if letter == "C":
            raise Invalid(refusal(r"invalid escape sequence: \C"), field="pattern")
        return "\\" + letter, letter

    def class_(self) -> Char:
        self.at += 1
        negated = self.eat("^")
        source, options, certain, first = "", [], not negated, True
        while first or not self.pattern.startswith("]", self.at):
            item, character = self.class_item()
            if (
                character
                and self.pattern.startswith("-", self.at)
                and not self.pattern.startswith("-]", self.at)
            ):
                self.at += 1
                item, character = f"{item}-{self.class_item()[0]}", ""
            source, first, certain = source + item, False, certain and character != ""
            options.append(character)
        self.at += 1
        few = certain and len(options) <= MOST_OPTIONS
        return Char(
            f"[{'^' if negated else ''}{source}]",
            tuple(dict.fromkeys(options)) if few else (),
            self.fold,
        )

    def class_item(self) -> tuple[str, str]:
        if found := _POSIX.match(self.pattern, self.at):
            self.at = found.end()
            return found[0], ""
        mark = self.pattern[self.at]
        if mark != "\\":
            self.at += 1
            return _escaped(mark, "[]^"), mark
        letter = self.pattern[self.at + 1 : self.at + 2]
        if letter in CLASSES:
            self.at += 2
            return CLASSES[letter], ""
        return self.escaped()

    def eat(self, text: str) -> bool:
        if self.pattern.startswith(text, self.at):
            self.at += len(text)
            return True
        return False
