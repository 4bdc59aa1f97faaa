"""What every match of a pattern must hold.

Runs of three characters to ask the trigram index for, and plain texts to ask LIKE for.

Nothing here may ever be too strict: where it is not certain that all who match hold something,
it is not asked for. Case is the hard part. RE2, FTS5 and LIKE each fold it their own way, so
without regard to case only those letters count of which all three are known to think alike.
"""

import itertools
import unicodedata

import msgspec

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

GRAM = 3
MOST_GRAMS = 6
COMMON = "zqxjkvbpygfwmucldrhsnioate "  # from rare to common; what is not here is rarer still
MOST_ALTERNATIVES = 12
MOST_TERMS = 120
MOST_LIKES = 3
MOST_PARTS = 240
PAIRED = (
    (0xC0, 0xDE),
    (0xE0, 0xFE),
    (0x100, 0x12F),
    (0x139, 0x148),
    (0x14A, 0x177),
    (0x410, 0x44F),
    (0x401, 0x40F),
    (0x451, 0x45F),
)
"""Letters that have one other case and no third form, in every table of Unicode since long ago
(see `_pair`).
"""
UNPAIRED = frozenset("µ×ßå÷ÿÅ")
OLD_FORMS = {
    "в": "\u1c80",
    "д": "\u1c81",
    "о": "\u1c82",
    "с": "\u1c83",
    "т": "\u1c84\u1c85",
    "ъ": "\u1c86",
}
"""Third forms that Unicode got when FTS5 had its table already."""


class Literals(msgspec.Struct, frozen=True):
    """`match`: the FTS5 query that finds every note which could match, or None when there is
    none; `likes`: texts that each of them holds.
    """

    match: str | None
    likes: tuple[str, ...]


class _Place(msgspec.Struct, frozen=True):
    """A character of every match.

    What the index calls it, and what LIKE does ("" where LIKE cannot be asked).

    Before one that is `escapable` a backslash may stand.
    """

    grams: tuple[str, ...]
    like: str
    escapable: bool = False


class _Fork(msgspec.Struct, frozen=True):
    """One of several runs of parts."""

    branches: "list[_Parts]"


_Parts = list["_Place | _Fork | None"]
"""What stands side by side; None where anything may stand."""


def required(tree: Node) -> Literals:
    """Return what every match of a pattern must hold."""
    parts = _parts(tree)
    match = _query(parts)
    if match is not None and match.count('"') > 2 * MOST_TERMS:
        match = None
    return Literals(match, _likes(parts))


def _parts(node: Node) -> _Parts:
    if isinstance(node, Char):
        return [_place(node)]
    if isinstance(node, Edge | Flags):
        return []
    if isinstance(node, Group):
        return _parts(node.body)
    if isinstance(node, Repeat):
        return _repeated(node)
    if isinstance(node, Sequence):
        return _bounded([part for item in node.items for part in _parts(item)])
    return _parts(node.branches[0]) if len(node.branches) == 1 else _fork(node)


def _repeated(node: Repeat) -> _Parts:
    if node.least == 0:
        return [None]
    once = _parts(node.item)
    copies = once * min(node.least, GRAM)
    return _bounded(copies if node.most == node.least <= GRAM else [*copies, None, *copies])


def _fork(node: Choice) -> _Parts:
    branches = [_parts(branch) for branch in node.branches]
    if all(
        len(branch) == 1 and isinstance(branch[0], _Place) and not branch[0].escapable
        for branch in branches
    ):
        grams = [
            gram for branch in branches if isinstance(branch[0], _Place) for gram in branch[0].grams
        ]
        return [_Place(tuple(dict.fromkeys(grams)), "")]
    return [_Fork(branches)]


def _bounded(parts: _Parts) -> _Parts:
    """Leave out the middle of what is very long: a part less is only asked for less."""
    return (
        parts
        if len(parts) <= MOST_PARTS
        else [*parts[: MOST_PARTS // 2], None, *parts[-MOST_PARTS // 2 :]]
    )


def _place(char: Char) -> _Place | None:
    if not char.options:
        return None
    named = [_name(option, fold=char.fold) for option in char.options]
    if not all(named):
        return None
    forms = [
        form for name in named for form in name + (OLD_FORMS.get(name, "") if char.fold else "")
    ]
    like = (
        char.options[0]
        if len(char.options) == 1 and _is_like(char.options[0], fold=char.fold)
        else ""
    )
    return _Place(tuple(dict.fromkeys(forms)), like, char.escapable)


def _name(character: str, *, fold: bool) -> str:
    """Return the character by which the index may be asked for this one; "" when another form of
    it could match that the index takes for another.
    """
    if character == "\0":
        return ""
    if not fold or (not character.isalpha() and character.isascii()):
        return character
    if character.isascii():
        return (
            character.lower()
        )  # also for the Kelvin sign and the long s, which FTS5 takes for k and s
    return _pair(character) or (character if _is_without_case(character) else "")


def _pair(character: str) -> str:
    """Return the small letter of one that has exactly two forms, else ""."""
    return character.lower() if _within(PAIRED, character) and character not in UNPAIRED else ""


def _is_like(character: str, *, fold: bool) -> bool:
    if character == "\0":
        return False
    if not fold or _is_without_case(character):
        return True
    return character.isascii() and character not in "kKsS"


def _is_without_case(character: str) -> bool:
    return unicodedata.category(character) == "Lo"


def _within(ranges: tuple[tuple[int, int], ...], character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in ranges)


def _query(parts: _Parts) -> str | None:
    """Return the FTS5 query for parts that stand side by side."""
    terms: list[str] = []
    for run in _runs(parts):
        terms += _grams(run)
    for at, part in enumerate(parts):
        if isinstance(part, _Fork) and (
            either := _either(part, _before(parts, at), _after(parts, at))
        ):
            terms.append(either)
    return " AND ".join(dict.fromkeys(terms)) or None


def _either(fork: _Fork, before: _Parts, after: _Parts) -> str | None:
    queries = [_query([*before, *branch, *after]) for branch in fork.branches]
    known = [query for query in queries if query is not None]
    if len(known) < len(queries) or sum(query.count('"') for query in known) > 2 * MOST_TERMS:
        return None
    return "(" + " OR ".join(f"({query})" for query in dict.fromkeys(known)) + ")"


def _before(parts: _Parts, at: int) -> _Parts:
    """Return the characters that stand directly before a part, as many as can share a trigram with
    it.
    """
    found = itertools.takewhile(
        lambda part: isinstance(part, _Place), reversed(parts[max(0, at - GRAM + 1) : at])
    )
    return list(found)[::-1]


def _after(parts: _Parts, at: int) -> _Parts:
    return list(
        itertools.takewhile(lambda part: isinstance(part, _Place), parts[at + 1 : at + GRAM])
    )


def _runs(parts: _Parts) -> list[list[_Place]]:
    runs: list[list[_Place]] = [[]]
    for part in parts:
        if isinstance(part, _Place):
            runs[-1].append(part)
        else:
            runs.append([])
    return runs


def _grams(run: list[_Place]) -> list[str]:
    """Return some trigrams of a run, each as a query.

    Those that seem rarest, since each costs a walk along a list of the notes that hold it.
    """
    starts = [
        at
        for at in range(len(run) - GRAM + 1)
        if _alternatives(run[at : at + GRAM]) <= MOST_ALTERNATIVES
    ]
    chosen = sorted(
        starts, key=lambda at: sum(_commonness(place) for place in run[at : at + GRAM])
    )[:MOST_GRAMS]
    return [_gram(run[at : at + GRAM]) for at in sorted(chosen)]


def _commonness(place: _Place) -> int:
    """Return roughly how common a character is in texts, on a scale of its own."""
    return max(COMMON.find(gram.lower()) for gram in place.grams)


def _alternatives(places: list[_Place]) -> int:
    count = 1
    for number, place in enumerate(places):
        count *= len(place.grams) * (2 if number and place.escapable else 1)
    return count


def _gram(places: list[_Place]) -> str:
    texts = [
        "".join(each)[:GRAM]
        for each in itertools.product(
            *(_forms(place, first=number == 0) for number, place in enumerate(places))
        )
    ]
    terms = ['"' + text.replace('"', '""') + '"' for text in dict.fromkeys(texts)]
    return terms[0] if len(terms) == 1 else f"({' OR '.join(terms)})"


def _forms(place: _Place, *, first: bool) -> tuple[str, ...]:
    """Return how a place may be written, from its own character on where it is the first."""
    return (
        place.grams
        if first or not place.escapable
        else (*place.grams, *("\\" + form for form in place.grams))
    )


def _likes(parts: _Parts) -> tuple[str, ...]:
    texts: list[str] = [""]
    for part in parts:
        if isinstance(part, _Place) and part.like:
            texts += [""] if part.escapable else []
            texts[-1] += part.like
        else:
            texts.append("")
    longest = sorted(dict.fromkeys(text for text in texts if text), key=len, reverse=True)
    return tuple(longest[:MOST_LIKES])
