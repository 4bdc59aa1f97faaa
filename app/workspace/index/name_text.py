"""Names as quick open compares them.

Folded, cut into words and index tokens, matched against what somebody types, and near misses of
a word.
"""

import functools
import itertools
import re
import unicodedata
from collections.abc import Sequence

FORMAT = 1
"""Grows whenever the tokens of a name become others, so that an index of the older ones is made
anew.
"""

LONGEST_RUN = 6
LONGEST_WORD = 40
LONGEST_WHOLE = 48
MOST_WORDS = 48
MOST_INITIALS = 8
SEPARATOR = "·"
# What a fit is worth. Each step is larger than all bonuses below it together, so that no pin and no
# recent change puts a worse fit before a better one.
EXACT, BEGINNING, WORDS, INITIALS, NEAR, PER_EDIT = 0.95, 0.85, 0.7, 0.55, 0.5, 0.1
WHOLE_WORDS, NEAR_WHOLE_WORDS = 0.1, 0.05

# Thai, Lao, Myanmar, Khmer, kana, bopomofo, Han ideographs, Hangul syllables.
_UNSPACED = (
    "\u0e01-\u0e5b\u0e81-\u0edf\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3105-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_MARKS = "\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff"
_SYMBOLS = "\u2190-\u2bff\U0001f000-\U0001faff"
_ASCII_WORD = re.compile("[a-z0-9]+")
_ACCENT = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f]")


Span = tuple[int, int]


def fold_name(name: str) -> str:
    """Return a name without case and accents.

    `positions` tells which character each of these came from.
    """
    return name.lower() if name.isascii() else "".join(map(_base_letter, name))


def folded_positions(name: str) -> list[int]:
    """Return, for each character of the folded name and for its end, the place in the name."""
    found = [at for at, character in enumerate(name) for _ in _base_letter(character)]
    return [*found, len(name)]


def split_words(plain: str) -> list[str]:
    """Return the words of a folded name without their places."""
    found = _ASCII_WORD.findall(plain) if plain.isascii() else _word_pattern().findall(plain)
    return [word[:LONGEST_WORD] for word in found[:MOST_WORDS]]


def name_tokens(of: Sequence[str]) -> list[str]:
    """Return what of a name's words is indexed.

    The words; of a run without spaces all that begins at any of its characters.
    """
    found: dict[str, None] = {}
    for word in of:
        if is_unspaced(word):
            found.update((word[at : at + LONGEST_RUN], None) for at in range(len(word)))
        else:
            found[word] = None
    return list(found)


def asked_tokens(of: Sequence[str]) -> list[str]:
    """Return the tokens of which each must begin some token of a name that holds these words."""
    found: dict[str, None] = {}
    for word in of:
        step = LONGEST_RUN if is_unspaced(word) else LONGEST_WORD
        found.update((word[at : at + step], None) for at in range(0, len(word), step))
    return list(found)


def whole_name_token(plain: str, of: Sequence[str]) -> str:
    """Return the one token that stands for a folded name as a whole; other names may share it."""
    if of:
        return SEPARATOR.join(of)[:LONGEST_WHOLE]
    return "x" + plain.encode().hex()[:LONGEST_WHOLE]


def word_initials(of: Sequence[str]) -> str:
    """Return the first letters of a name's words; empty for fewer than two words."""
    return "".join(word[0] for word in of[:MOST_INITIALS]) if len(of) > 1 else ""


def is_unspaced(word: str) -> bool:
    """Return whether a word is a run of a script that is written without spaces."""
    return not word.isascii() and _unspaced_pattern().match(word) is not None


def fit_score(asked: Sequence[str], own: Sequence[str]) -> float | None:
    """Return how well a name of these words fits the words that were typed, above 0 and below 1.

    None when it does not.
    """
    last = len(asked) - 1
    if own[:last] == asked[:last] and len(own) > last and own[last].startswith(asked[last]):
        return EXACT if own == asked else BEGINNING
    whole_words = 0
    for word in asked:
        if word in own:
            whole_words += 1
        elif not any(name.startswith(word) for name in own) and not (
            is_unspaced(word) and any(word in name for name in own)
        ):
            return (
                INITIALS
                if len(asked) == 1 and len(word) > 1 and word_initials(own).startswith(word)
                else None
            )
    return WORDS + WHOLE_WORDS * whole_words / len(asked)


def fit_score_with_typos(
    asked: Sequence[str], near: Sequence[dict[str, int]], own: Sequence[str]
) -> float | None:
    """Return the same where some words are near misses.

    `near` gives for each the words it may stand for, with the number of edits.
    """
    edits_made = whole_words = 0
    for word, alternatives in zip(asked, near, strict=True):
        if word in own:
            whole_words += 1
        elif fit_score([word], own) is None:
            hit = min((alternatives[name] for name in own if name in alternatives), default=None)
            if hit is None:
                return None
            edits_made += hit
    return (
        max(0.05, NEAR - PER_EDIT * edits_made + NEAR_WHOLE_WORDS * whole_words / len(asked))
        if edits_made
        else None
    )


def matched_spans(asked: Sequence[str], near: Sequence[dict[str, int]], plain: str) -> list[Span]:
    """Return the places in a folded name that were typed, in order; those that touch are one."""
    own = [(found[0][:LONGEST_WORD], found.start()) for found in _word_pattern().finditer(plain)]
    found = [
        place
        for word, alternatives in zip(asked, near or [{}] * len(asked), strict=True)
        if (place := _word_span(word, alternatives, own))
    ]
    if not found:
        found = [(start, start + 1) for _, start in own[: len(asked[0])]]
    joined: list[Span] = []
    for start, end in sorted(found):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _word_span(
    word: str, alternatives: dict[str, int], own: Sequence[tuple[str, int]]
) -> Span | None:
    """Return where a typed word is a word of the name, or else begins one, or else is a near miss
    of one.
    """
    for name, start in own:
        if name == word:
            return start, start + len(word)
    for name, start in own:
        at = name.find(word) if is_unspaced(word) else 0 if name.startswith(word) else -1
        if at >= 0:
            return start + at, start + at + len(word)
    near = [
        (alternatives[name], start, start + len(name))
        for name, start in own
        if name in alternatives
    ]
    return min(near)[1:] if near else None


def allowed_edits(word: str) -> int:
    """Return how many edits a typed word may be away from the word that is meant.

    One from 4 letters on, two from 8; none with a digit in it.
    """
    if not word.isalpha() or is_unspaced(word):
        return 0
    return 0 if len(word) < 4 else 1 if len(word) < 8 else 2


def edit_distance(typed: str, meant: str, most: int, *, beginning: bool = False) -> int | None:
    """Return the least number of edits from one word to another; None for more than `most`.

    An edit adds, drops or changes a letter, or swaps two that stand side by side. With
    `beginning` the best beginning of `meant` counts.
    """
    if beginning:
        meant = meant[: len(typed) + most]
    elif abs(len(typed) - len(meant)) > most:
        return None
    # Three rows of the usual table: a swap looks back two letters.
    older: list[int] = []
    before, row = older, list(range(len(meant) + 1))
    for at, letter in enumerate(typed):
        older, before, row = before, row, [at + 1]
        for to, other in enumerate(meant):
            cost = before[to] if letter == other else 1 + min(before[to], before[to + 1], row[to])
            if at and to and letter == meant[to - 1] and typed[at - 1] == other:
                cost = min(cost, older[to - 1] + 1)
            row.append(cost)
        if min(row) > most:
            return None
    best = min(row) if beginning else row[-1]
    return best if best <= most else None


def exact_pieces(typed: str, most: int) -> list[tuple[str, int]]:
    """Return pieces of a word, with their places, of which every word at most so many edits away
    holds one, moved by no more than so many letters.

    Of `most + 1` pieces so many edits cannot touch all, unless one swaps the letters beside a
    cut; so the pieces of the swapped words are given too.
    """
    cuts = [len(typed) * part // (most + 1) for part in range(most + 2)]
    swapped = [
        typed[: cut - 1] + typed[cut] + typed[cut - 1] + typed[cut + 1 :] for cut in cuts[1:-1]
    ]
    return list(
        dict.fromkeys(
            (word[start:end], start)
            for word in (typed, *swapped)
            for start, end in itertools.pairwise(cuts)
        )
    )


def letter_bits(word: str) -> int:
    """Return which letters a word holds, as bits.

    One for each of a to z, and for the others one of 10 by their code.
    """
    bits = 0
    for letter in word:
        place = ord(letter) - 97
        bits |= 1 << (place if 0 <= place < 26 else 26 + ord(letter) % 10)
    return bits


@functools.lru_cache(maxsize=8192)
def _base_letter(character: str) -> str:
    return unicodedata.normalize(
        "NFC", _ACCENT.sub("", unicodedata.normalize("NFKD", character)).casefold()
    )


@functools.cache
def _word_pattern() -> re.Pattern[str]:
    return re.compile(rf"[{_UNSPACED}]+|(?:[^\W_{_UNSPACED}]|[{_MARKS}])+|[{_SYMBOLS}]")


@functools.cache
def _unspaced_pattern() -> re.Pattern[str]:
    return re.compile(rf"[{_UNSPACED}]")
