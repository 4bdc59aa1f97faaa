r"""Regular expressions in RE2's syntax as tokens, and the patterns of RE2 written from them.

RE2 takes `\w`, `\d`, `\s` and `\b` as ASCII. The classes are written as the Unicode ones that
people mean. For word boundaries, which cannot be written otherwise, there is a marked form too: it
matches a text in which each character stands between two ASCII marks that say whether it is of a
word, so that RE2's own `\b` is true exactly there where it should be.

A counted repeat of a Unicode class makes a program that is too large to be fast: 29,000
instructions and 204 ms for 1.2 MB with `\w{5,20}\s\d+`. So there is a widened form too, in which
classes are small and match more: 216 instructions and 2 ms, and few lines left to judge.
"""

import re
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from app.errors import Invalid

# Groups are read by functions that call themselves: far below Python's own limit.
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
BOUNDARIES = (r"\b", r"\B")
WORD_MARKS, OTHER_MARKS = ("0", "1"), ("\x01", "\x02")
BACKSLASH, MARKED_BACKSLASH = r"\\?", "(?:\x01\\\\\x02)?"
BEYOND_ASCII = r"\x{80}-\x{10FFFF}"

_ESCAPE = (
    r"\\(?:(?P<property>[pP](?:\{[^}]*\}|.))|x(?:\{(?P<long>[0-9A-Fa-f]{1,6})\}"
    r"|(?P<hex>[0-9A-Fa-f]{2}))|(?P<octal>0[0-7]{0,2}|[1-7][0-7]{1,2})|(?P<letter>.))"
)
_TOKEN = re.compile(
    r"\\Q(?P<quoted>.*?)(?:\\E|\Z)|(?P<open>\((?!\?)|\(\?P?<\w+>)"
    r"|\(\?(?P<flags>[imsU]*-?[imsU]*)(?P<flags_end>[:)])|(?P<unknown>\(\?.?)"
    r"|(?P<close>\))|(?P<or>\|)|(?P<edge>[$^]|\\[AzbB])|(?P<any>\.)|(?P<class>\[)"
    r"|(?:(?P<sign>[*+?])|\{(?P<least>\d{1,4})(?P<comma>,?)(?P<most>\d{0,4})\})\??"
    rf"|{_ESCAPE}|(?P<plain>.)",
    re.DOTALL,
)
_CLASS_ITEM = re.compile(rf"(?P<posix>\[:\^?\w+:\])|{_ESCAPE}|(?P<plain>.)", re.DOTALL)
_FOREIGN = {
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


class Token(msgspec.Struct, frozen=True):
    """A part of a pattern, as RE2 is given it.

    A `char` stands for one character: one of `options`, or any that `source` allows when there
    are none; with `fold` in either case. One that is `escapable` may have a backslash before it.
    A `repeat` says how often what stands before it comes, without a limit where `most` is None.
    """

    kind: Literal["char", "edge", "flags", "open", "close", "or", "repeat"]
    source: str
    options: tuple[str, ...] = ()
    fold: bool = False
    least: int = 0
    most: int | None = None

    @property
    def escapable(self) -> bool:
        """Whether Markdown may write it with a backslash; what is shown is what is looked for."""
        mark = self.options[0] if len(self.options) == 1 else ""
        return (
            mark.isascii() and mark.isprintable() and not mark.isalnum() and mark not in ("", " ")
        )


def literal_tree(text: str, *, fold: bool) -> list[Token]:
    """Return the tokens of a text that means itself."""
    return [
        Token("char", _escape_character(mark, r"\.+*?()|[]{}^$"), (mark,), fold) for mark in text
    ]


def parse_regex(pattern: str, *, fold: bool) -> list[Token]:
    r"""Return the tokens of a regular expression that RE2 knows.

    Raise Invalid where groups nest too deep, and for `\C`, which matches half characters.
    """
    tokens: list[Token] = []
    folds = [fold]
    at = 0
    while at < len(pattern) and (found := _TOKEN.match(pattern, at)):
        at = found.end()
        if found["class"]:
            token, at = _class(pattern, at, fold=folds[-1])
            tokens.append(token)
        elif found["quoted"] is not None:
            tokens += literal_tree(found["quoted"], fold=folds[-1])
        else:
            tokens += _token(found, folds)
    return tokens


def explain_refusal(reason: str) -> str:
    """Return a sentence that says what is wrong with a pattern, from what RE2 says of it."""
    kind, _, at = reason.partition(": ")
    named = [name for wanted, name in _FOREIGN.items() if re.match(wanted, at)]
    if kind in ("invalid perl operator", "bad repetition operator", "invalid escape sequence"):
        named += [f"the escape {at}"] if at.startswith("\\") else []
        if named:
            return (
                f"pattern holds {named[0]}, which patterns here do not have; they are RE2's, so "
                "that matching takes linear time."
            )
    return f"pattern is not a regular expression that RE2 knows: {reason}."


def written(tokens: Sequence[Token]) -> str:
    """Return an RE2 pattern with Unicode classes; its word boundaries are right for ASCII."""
    return _joined(tokens, lambda char: char.source)


def widened(tokens: Sequence[Token], ascii_members: Callable[[Token], str]) -> str:
    """Return a small pattern that matches wherever the tokens do: it takes every character beyond
    ASCII for one of each class, and looks at no words.

    On a text of ASCII it matches exactly what tokens without word boundaries do;
    `ascii_members` tells the ASCII of a class, as the inside of a class.
    """

    def char(token: Token) -> str:
        members = "" if token.options else ascii_members(token)
        return token.source if token.options else f"(?-i:[{members}{BEYOND_ASCII}])"

    anywhere = Token("edge", "(?:)")
    return _joined([anywhere if one.source in BOUNDARIES else one for one in tokens], char)


def marked(tokens: Sequence[Token]) -> str:
    """Return a pattern for texts whose characters stand between marks."""
    return _joined(tokens, lambda char: f"(?:[0\x01]{char.source}[1\x02])", MARKED_BACKSLASH)


def looks_at_words(tokens: Sequence[Token]) -> bool:
    r"""Return whether a pattern holds a word boundary, \b or \B."""
    return any(token.source in BOUNDARIES for token in tokens)


def _joined(
    tokens: Sequence[Token], char: Callable[[Token], str], backslash: str = BACKSLASH
) -> str:
    parts = (
        (one.source, "") if one.kind != "char" else (char(one), backslash * one.escapable)
        for one in tokens
    )
    return "".join(f"(?:{before}{source})" if before else source for source, before in parts)


def _escape_character(character: str, special: str) -> str:
    """Return a character written so that it means itself."""
    if character in special:
        return "\\" + character
    return character if character.isascii() and character != "\0" else f"\\x{{{ord(character):X}}}"


def _token(found: re.Match[str], folds: list[bool]) -> list[Token]:
    """Return what a match of `_TOKEN` means; `folds`: whether case counts, for each open group."""
    source = found[0]
    if found["open"] or found["flags"] is not None:
        return _opening(found, folds)
    if found["close"]:
        folds.pop()
        return [Token("close", source)]
    if found["or"]:
        return [Token("or", source)]
    if found["edge"]:  # lines are looked at one by one
        return [Token("edge", {r"\A": "^", r"\z": "$"}.get(source, source))]
    if found["sign"] or found["least"]:
        least, most = _bounds(found)
        return [Token("repeat", source, least=least, most=most)]
    if found["unknown"]:
        raise Invalid(explain_refusal(f"invalid perl operator: {source}"), field="pattern")
    if found["letter"] and found["letter"] in OUTSIDE:
        return [Token("char", OUTSIDE[found["letter"]], fold=folds[-1])]
    if found["any"]:
        return [Token("char", source, fold=folds[-1])]
    source, character = _character(found, r"\.+*?()|[]{}^$")
    return [Token("char", source, (character,) if character else (), folds[-1])]


def _opening(found: re.Match[str], folds: list[bool]) -> list[Token]:
    """Return the beginning of a group, or a change of flags for the rest of one."""
    flags = (found["flags"] or "").replace("m", "").removesuffix("-")
    on, _, off = flags.partition("-")
    fold = (folds[-1] or "i" in on) and "i" not in off
    if found["flags_end"] == ")":
        folds[-1] = fold
        return [Token("flags", f"(?{flags})")] if flags else []
    folds.append(fold)
    if len(folds) > DEEPEST + 1:
        raise Invalid(f"pattern nests groups more than {DEEPEST} deep.", field="pattern")
    return [Token("open", found["open"] or f"(?{flags}:")]


def _bounds(found: re.Match[str]) -> tuple[int, int | None]:
    """Return how often a quantifier takes what it follows, at least and at most."""
    if found["sign"]:
        return int(found["sign"] == "+"), 1 if found["sign"] == "?" else None
    least = int(found["least"])
    return least, int(found["most"]) if found["most"] else None if found["comma"] else least


def _character(found: re.Match[str], special: str) -> tuple[str, str]:
    """Return a character or an escape for RE2, and the character if it is a certain one."""
    if found["plain"]:
        return _escape_character(found["plain"], special), found["plain"]
    if code := found["long"] or found["hex"] or found["octal"]:
        number = int(code, 8 if found["octal"] else 16)
        return f"\\x{{{number:X}}}", chr(number)
    if found["letter"] == "C":
        raise Invalid(explain_refusal(r"invalid escape sequence: \C"), field="pattern")
    letter = found["letter"] or ""
    return found[0], CONTROLS.get(letter, letter)


def _class(pattern: str, at: int, *, fold: bool) -> tuple[Token, int]:
    """Return the class that begins at a place, and where it ends."""
    negated = pattern.startswith("^", at)
    at += negated
    source, certain = "", not negated
    options: list[str] = []
    while not (options and pattern[at] == "]"):
        item, character, at = _class_item(pattern, at)
        if character and pattern[at] == "-" and pattern[at + 1] != "]":
            last, _, at = _class_item(pattern, at + 1)
            item, character = f"{item}-{last}", ""
        source, certain = source + item, certain and character != ""
        options.append(character)
    # Of a large class each letter would double the trigrams to ask for: then any may stand there.
    few = certain and len(options) <= MOST_OPTIONS
    known = tuple(dict.fromkeys(options)) if few else ()
    return Token("char", f"[{'^' * negated}{source}]", known, fold), at + 1


def _class_item(pattern: str, at: int) -> tuple[str, str, int]:
    found = _CLASS_ITEM.match(pattern, at)
    if found is None:  # RE2 has taken it for whole
        raise Invalid("pattern ends within a class.", field="pattern")
    if found["posix"]:
        return found[0], "", found.end()
    if found["letter"] and found["letter"] in CLASSES:
        return CLASSES[found["letter"]], "", found.end()
    return *_character(found, "[]^"), found.end()
