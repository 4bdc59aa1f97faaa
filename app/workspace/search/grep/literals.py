"""What every match of a pattern must hold.

Runs of three characters to ask the trigram index for, and plain texts to ask LIKE for.

Nothing here may ever be too strict: where it is not certain that all who match hold something,
it is not asked for. Case is the hard part. RE2, FTS5 and LIKE each fold it their own way, so
without regard to case only those letters count of which all three are known to think alike.
"""

import itertools
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence

import msgspec

from app.workspace.search.grep.regex_patterns import Token

GRAM = 3
MOST_GRAMS = 6
COMMON = "zqxjkvbpygfwmucldrhsnioate "  # from rare to common; what is not here is rarer still
MOST_ALTERNATIVES = 12
MOST_TERMS = 120
MOST_LIKES = 3
MOST_PARTS = 240
PAIRED = "À-ÄÆ-ÖØ-Þà-äæ-öø-þĀ-įĹ-ňŊ-ŷА-яЁ-Џё-џ"
"""Letters that have one other case and no third form, in every table of Unicode since long ago."""
_PAIRED = re.compile(f"[{PAIRED}]")
OLD_FORMS = dict(zip("вдосъ", "\u1c80\u1c81\u1c82\u1c83\u1c86", strict=True)) | {
    "т": "\u1c84\u1c85"
}
"""Third forms that Unicode got when FTS5 had its table already."""


class Literals(msgspec.Struct, frozen=True):
    """`match`: the FTS5 query that finds every note which could match, or None when there is
    none; `likes`: texts that each of them holds.
    """

    match: str | None
    likes: tuple[str, ...]


class _Character(msgspec.Struct, frozen=True):
    """A character of every match: what the index calls it, and what LIKE does ("" where LIKE
    cannot be asked). Before one that is `escapable` a backslash may stand.
    """

    grams: tuple[str, ...]
    like: str
    escapable: bool = False


class _Choice(msgspec.Struct, frozen=True):
    """One of several runs of parts."""

    branches: "list[_Parts]"


_Parts = list["_Character | _Choice | None"]
"""What stands side by side; None where anything may stand."""


def required_literals(tokens: Sequence[Token]) -> Literals:
    """Return what every match of a pattern must hold."""
    parts = _choice(iter(tokens))
    match = _fts_query(parts)
    # Each term costs a walk along its list; more of them take longer than reading the notes.
    if match is not None and match.count('"') > 2 * MOST_TERMS:
        match = None
    return Literals(match, _like_patterns(parts))


def _choice(tokens: Iterator[Token]) -> _Parts:
    """Return the parts of a pattern, or of a group up to its end."""
    branches: list[list[_Parts]] = [[]]
    for token in tokens:
        if token.kind == "close":
            break
        if token.kind == "or":
            branches.append([])
        elif token.kind == "repeat":
            branches[-1][-1:] = [_repeat_parts(token, once) for once in branches[-1][-1:]]
        elif token.kind == "open":
            branches[-1].append(_choice(tokens))
        else:
            branches[-1].append([_place_of(token)] if token.kind == "char" else [])
    joined = [_shorten_parts(list(itertools.chain(*items))) for items in branches]
    return joined[0] if len(joined) == 1 else _choice_parts(joined)


def _repeat_parts(token: Token, once: _Parts) -> _Parts:
    if token.least == 0:
        return [None]
    # After as many copies as a trigram is long more of them tell nothing new.
    copies = once * min(token.least, GRAM)
    return _shorten_parts(copies if token.most == token.least <= GRAM else [*copies, None, *copies])


def _choice_parts(branches: list[_Parts]) -> _Parts:
    singles = [branch[0] for branch in branches if len(branch) == 1]
    places = [one for one in singles if isinstance(one, _Character) and not one.escapable]
    if len(places) == len(branches):
        return [_Character(tuple(dict.fromkeys(gram for one in places for gram in one.grams)), "")]
    return [_Choice(branches)]


def _shorten_parts(parts: _Parts) -> _Parts:
    """Leave out the middle of what is very long: a part less is only asked for less."""
    half = MOST_PARTS // 2
    return parts if len(parts) <= MOST_PARTS else [*parts[:half], None, *parts[-half:]]


def _place_of(char: Token) -> _Character | None:
    named = [_index_character(option, fold=char.fold) for option in char.options]
    if not named or not all(named):
        return None
    forms = [form for name in named for form in name + OLD_FORMS.get(name, "") * char.fold]
    is_like = len(named) == 1 and _is_asked_by_like(char.options[0], fold=char.fold)
    like = char.options[0] if is_like else ""
    return _Character(tuple(dict.fromkeys(forms)), like, char.escapable)


def _index_character(character: str, *, fold: bool) -> str:
    """Return the character by which the index may be asked for this one; "" when another form of
    it could match that the index takes for another.
    """
    if character == "\0":
        return ""
    if not fold:
        return character
    if character.isascii() or _PAIRED.match(character):
        return character.lower()  # FTS5 takes the Kelvin sign and the long s for k and s too
    return character if _is_without_case(character) else ""


def _is_asked_by_like(character: str, *, fold: bool) -> bool:
    if character == "\0":
        return False
    if not fold or _is_without_case(character):
        return True
    # LIKE folds ASCII alone; RE2 also takes the Kelvin sign for k and the long s for s.
    return character.isascii() and character not in "kKsS"


def _is_without_case(character: str) -> bool:
    return unicodedata.category(character) == "Lo"


def _fts_query(parts: _Parts) -> str | None:
    """Return the FTS5 query for parts that stand side by side."""
    terms: list[str] = []
    for characters, run in itertools.groupby(parts, lambda part: isinstance(part, _Character)):
        if characters:
            terms += _choose_trigrams([part for part in run if isinstance(part, _Character)])
    for at, part in enumerate(parts):
        if isinstance(part, _Choice) and (
            either := _choice_query(part, _beside(parts[:at][::-1])[::-1], _beside(parts[at + 1 :]))
        ):
            terms.append(either)
    return " AND ".join(dict.fromkeys(terms)) or None


def _choice_query(fork: _Choice, before: _Parts, after: _Parts) -> str | None:
    queries = [_fts_query([*before, *branch, *after]) for branch in fork.branches]
    known = [query for query in queries if query is not None]
    if len(known) < len(queries) or sum(query.count('"') for query in known) > 2 * MOST_TERMS:
        return None
    return "(" + " OR ".join(f"({query})" for query in dict.fromkeys(known)) + ")"


def _beside(parts: _Parts) -> _Parts:
    """Return the first characters, as many as can share a trigram with what stands beside them."""
    return list(itertools.takewhile(lambda part: isinstance(part, _Character), parts[: GRAM - 1]))


def _choose_trigrams(run: list[_Character]) -> list[str]:
    """Return some trigrams of a run, each as a query.

    Those that seem rarest, since each costs a walk along a list of the notes that hold it.
    """
    places = [run[at : at + GRAM] for at in range(len(run) - GRAM + 1)]
    few = [at for at, three in enumerate(places) if _count_alternatives(three) <= MOST_ALTERNATIVES]
    chosen = sorted(few, key=lambda at: sum(map(_commonness, places[at])))[:MOST_GRAMS]
    return [_trigram_query(places[at]) for at in sorted(chosen)]


def _commonness(place: _Character) -> int:
    """Return roughly how common a character is in texts, on a scale of its own."""
    return max(COMMON.find(gram.lower()) for gram in place.grams)


def _count_alternatives(places: list[_Character]) -> int:
    counts = (
        len(place.grams) * (2 if at and place.escapable else 1) for at, place in enumerate(places)
    )
    return math.prod(counts)


def _trigram_query(places: list[_Character]) -> str:
    """Return the query for three characters, each but the first with a backslash or without."""
    forms = [
        (
            *place.grams,
            *(("\\" + form for form in place.grams) if number and place.escapable else ()),
        )
        for number, place in enumerate(places)
    ]
    texts = ["".join(each)[:GRAM] for each in itertools.product(*forms)]
    terms = ['"' + text.replace('"', '""') + '"' for text in dict.fromkeys(texts)]
    return terms[0] if len(terms) == 1 else f"({' OR '.join(terms)})"


def _like_patterns(parts: _Parts) -> tuple[str, ...]:
    texts: list[str] = [""]
    for part in parts:
        if isinstance(part, _Character) and part.like:
            texts += [""] * part.escapable
            texts[-1] += part.like
        else:
            texts.append("")
    longest = sorted(dict.fromkeys(text for text in texts if text), key=len, reverse=True)
    return tuple(longest[:MOST_LIKES])
