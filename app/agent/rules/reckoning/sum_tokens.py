"""What in a text belongs to a sum: numbers, signs, words for them, shares and percentages."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Literal, NamedTuple

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language, Pieces
from app.agent.rules.languages.reckoning_tables import Reckoning, Sign
from app.agent.rules.phrases import phrases
from app.agent.rules.reckoning import numbers, words

_ARTICLES = frozenset("the a an der die das den la le les l d el los las of de".split())
_TIME = re.compile(r"(?<![\d:.,])(?:[01]?\d|2[0-3]):[0-5]\d(?![\d:])")
"""A time of day, where nothing is asked: “after work, 17:30”."""
_MARKS = {"×": "*", "·": "*", "*": "*", "÷": "/", "/": "/", ":": "/", "+": "+", "-": "-"}
_WEAK_MARKS = "/:-"
"""Signs that dates, ranges and numbers of phones have, too."""

Kind = Literal["number", "sign", "after", "share", "of", "percent", "(", ")"]


class Amount(NamedTuple):
    """A number with its unit: the unit's name, and how it is written."""

    value: Decimal
    unit: str = ""
    written: str = ""


class Token(NamedTuple):
    """What stands at start..end of a text and belongs to a sum."""

    kind: Kind
    start: int
    end: int
    sign: str = ""
    amount: Amount | None = None
    is_weak: bool = False


def tokens(text: str, language: Language) -> list[Token]:
    """Return what belongs to a sum in a folded text, in its order."""
    found: list[Token] = []
    taken = bytearray(len(text) + 1)
    for one in _marked(text, language):
        if not any(taken[one.start : one.end]):
            taken[one.start : one.end] = b"\1" * (one.end - one.start)
            found.append(one)
    found.sort(key=lambda one: one.start)
    return [one for at, one in enumerate(found) if not _is_article(found, at, text)]


def _is_article(found: list[Token], at: int, text: str) -> bool:
    """Return whether a word for one has no sign beside it: “un 10 %” is no two numbers."""
    one = found[at]
    if one.kind != "number" or text[one.start].isdecimal() or not one.amount:
        return False
    if one.amount.value != 1:
        return False
    beside = [*found[max(0, at - 1) : at], *found[at + 1 : at + 2]]
    return not any(
        other.kind in ("sign", "after")
        and not other.is_weak
        and not text[min(one.end, other.end) : max(one.start, other.start)].strip()
        for other in beside
    )


def _marked(text: str, language: Language) -> Iterable[Token]:
    """Yield every place of a text that may belong to a sum, the surest first."""
    table = words.table_of(language)
    for share, pattern in table.shares.items():
        top, _, bottom = share.partition("/")
        value = Amount(Decimal(top) / Decimal(bottom or 1), written=share)
        for one in words.whole(language, pattern).finditer(text):
            yield Token("share", one.start(), one.end(), amount=value)
    yield from _percents(text, language, table)
    if language not in phrases.alphabetic_languages():
        yield from _signs(text, language, table)
    if table.percent_before != "(?!)":
        for one in re.finditer(language_data.join_pattern(table.percent_before), text):
            at = one.start()
            read = numbers.find(one["n"], language)
            if len(read) == 1:
                yield Token("number", at, at + 1, amount=Amount(read[0].value))
                yield Token("percent", at + 1, one.end())
    for number in numbers.find(text, language):
        # Nobody writes a fraction of three digits that ends with a nought.
        if number.sure or text[number.start : number.end].rstrip()[-1] != "0":
            amount = Amount(number.value, number.unit, number.written)
            yield Token("number", number.start, number.end, amount=amount)
    yield from _signs(text, language, table)
    times = [] if re.search("[=?]", text) else [one.span() for one in _TIME.finditer(text)]
    for mark in re.finditer(r"[×·*÷/:+()-]|(?<=\d)%|(?<=\d) %|(?<=\d) ?x ?(?=\d)", text):
        if any(start < mark.start() < end for start, end in times):
            continue
        sign = mark[0].strip()
        if sign == "%":
            yield Token("percent", mark.start(), mark.end())
        elif sign in "()":
            kind: Kind = "(" if sign == "(" else ")"
            yield Token(kind, mark.start(), mark.end())
        else:
            sign = _MARKS.get(sign, "*")
            weak = mark[0] in _WEAK_MARKS
            yield Token("sign", mark.start(), mark.end(), sign=sign, is_weak=weak)


def _percents(text: str, language: Language, table: Reckoning) -> Iterable[Token]:
    """Yield the words for percentages, after a number."""
    for sign, pattern in (("", table.percent), ("tenths", table.tenths), ("kept", table.kept)):
        for one in words.whole(language, pattern).finditer(text):
            if numbers.ends_in_number(text[: one.start()], language):
                yield Token("percent", one.start(), one.end(), sign=sign)


def _signs(text: str, language: Language, table: Reckoning) -> Iterable[Token]:
    """Yield the words for signs, and those that part a share from its whole."""
    kinds: tuple[tuple[Kind, Mapping[Sign, Pieces]], ...] = (
        ("after", table.after),
        ("sign", table.signs),
        ("sign", table.weak),
    )
    for kind, listed in kinds:
        for sign, pattern in listed.items():
            for one in words.whole(language, pattern).finditer(text):
                yield Token(kind, one.start(), one.end(), sign=sign, is_weak=listed is table.weak)
    for one in words.whole(language, table.of).finditer(text):
        yield Token("of", one.start(), one.end())


def runs(listed: list[Token], text: str, language: Language) -> list[list[Token]]:
    """Return the tokens in runs with nothing between them but little words."""
    found: list[list[Token]] = []
    for one in listed:
        between = text[found[-1][-1].end : one.start] if found else ""
        if found and _joins(between, language):
            found[-1].append(one)
        else:
            found.append([one])
    trimmed = [_trimmed(run) for run in found]
    return [run for run in trimmed if any(one.kind in ("number", "share") for one in run)]


def _joins(between: str, language: Language) -> bool:
    """Return whether nothing that counts stands between two parts of a sum."""
    if re.search(r"[?？!！;；。]|[,、，]\s+\S", between):
        return False
    plain = re.sub(r"[\s,、，]+", " ", between).strip()
    if not plain:
        return True
    if language not in phrases.alphabetic_languages():
        return re.fullmatch(r"[をにからはのでと给用把再]{1,3}", plain) is not None
    return len(plain) <= 3 and plain in _ARTICLES


def _trimmed(run: list[Token]) -> list[Token]:
    """Return a run without what can only stand between numbers at its ends."""
    while run and run[-1].kind in ("sign", "of", "("):
        run = run[:-1]
    while run and run[0].kind in ("of", "after", "percent", ")"):
        run = run[1:]
    return run


def is_sum(run: list[Token]) -> bool:
    """Return whether a run has two values and something that puts them together."""
    values = [one for one in run if one.kind in ("number", "share")]
    units = {one.amount.unit for one in values if one.amount and one.amount.unit}
    spans = len(units) > 1 and units <= words.SPANS.keys()
    ties = [one for one in run if one.kind in ("sign", "after", "of", "share")]
    return len(values) > 1 and bool(ties or spans) and values[0] in (run[0], run[1], run[-1])
