"""Sums as people say them, with numbers of their own or going on from one that was told."""

import functools
import itertools
import re
from collections.abc import Sequence

from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.reckoning_tables import Keyword
from app.agent.rules.phrases import phrases
from app.agent.rules.reckoning import numbers, sum_tokens, sum_value, words
from app.agent.rules.reckoning.sum_tokens import Amount, Token
from app.agent.rules.reckoning.sum_value import Reckoned, plain_number

LONGEST = 200
NAMED = 2
"""So many words may say what a number is of, where a sign stands before it."""
FEW = 5
"""So many words may stand between a number and the price of each."""
_CLAUSE = re.compile(r"[,;:!?…]+\s+|\.\s+")
_CHANGES: tuple[Keyword, ...] = ("off", "onto")


def reckon(text: str, language: Language, base: Amount | None = None) -> Reckoned | None:
    """Return what a text that asks for a sum comes to; None where it asks for none surely.

    With a `base` it goes on from that: “and times three?”
    """
    if len(text) > LONGEST:
        return None
    plain = words.folded(text)
    hidden = _hide(plain)
    if base is None:
        found = _whole_sum(plain, hidden, language) or _by_words(plain, hidden, language, None)
        found = found or _at_price(plain, hidden, language) or _of_clause(text, language)
        return found or _left_over(plain, hidden, language)
    return (
        _going_on(plain, hidden, language, base)
        or _by_words(plain, hidden, language, base)
        or _one_by_one(plain, hidden, language, base)
    )


def _of_clause(text: str, language: Language) -> Reckoned | None:
    """Return the sum of the one clause of a text that has numbers, “quick one, 14 x 38”, or of the
    last, which says again those of all others: “if he's here 4 hours, 35 times 4?”
    """
    clauses = _CLAUSE.split(text)
    counting = [one for one in clauses if any(map(str.isdecimal, one))]
    if not counting or len(clauses) < 2:
        return None
    said = [{one.value for one in numbers.find(words.folded(part), language)} for part in counting]
    return reckon(counting[-1], language) if all(one <= said[-1] for one in said) else None


def _hide(plain: str) -> str:
    """Return a text with blanks for days and the like; a whole sum such as “24/12” is none."""
    if re.fullmatch(r"[\d\s.,()+*/×÷:%-]+=?\s*[?？]?", plain) and not re.search(
        r"\d{4}-\d\d-\d\d|^0\d|\d\.\d\d?\.", plain
    ):
        return plain
    return words.hide_codes(plain)


def _whole_sum(plain: str, hidden: str, language: Language) -> Reckoned | None:
    """Return the one sum of a text, where nothing stands beside it but words that ask for it."""
    tokens = sum_tokens.tokens(hidden, language)
    runs = [run for run in sum_tokens.runs(tokens, hidden, language) if sum_tokens.is_sum(run)]
    if len(runs) != 1:
        return None
    run = runs[0]
    while run[0].kind == "sign" and run[0].sign != "-":
        run = run[1:]  # “rechne mal 17 mal 23”
    run = run[:-1] if run[-1].kind == "of" else run
    if any(one.kind == "number" for one in tokens if one not in run):
        return None
    rest = f"{plain[: run[0].start]} , {plain[run[-1].end :]}"
    left = words.left_words(language, _without_asking(rest, language))
    asks = words.says(language, "asks", rest) is not None
    weak = any(one.is_weak for one in run) or not any(one.kind != "number" for one in run)
    long = sum(one.kind == "sign" for one in run) > 1 and len(left) <= NAMED
    if left and not long and (weak or not asks):
        return None
    if weak and not (asks or long) and re.search(r"[^\W\d_\u3040-\u309f]", rest):
        return None
    ties = [one for one in run if one.kind not in ("number", "percent")]
    if not asks and all(one.is_weak and one.sign == "+" for one in ties):
        return None  # “2 and 3” may be of a list
    kinds = {one.kind for one in run}
    if {"percent", "of"} <= kinds and any(words.says(language, one, rest) for one in _CHANGES):
        return None  # “5000 の 2割引き” is what is left
    return sum_value.worked_out(run, language)


def _going_on(plain: str, hidden: str, language: Language, base: Amount) -> Reckoned | None:
    """Return the sum of what came before with what a text adds to it: “times three”, “half of
    that”.
    """
    tokens = sum_tokens.tokens(hidden, language)
    if [one.sign for one in tokens[:1] if one.is_weak] == ["+"] and _has_percent(tokens[1:]):
        tokens = tokens[1:]  # “and 10 % of that”
    of = next((one for one in tokens if one.kind == "of"), None)
    while tokens and tokens[0].kind == "of":
        tokens = tokens[1:]  # “of that the half”
    runs = sum_tokens.runs(tokens, hidden, language)
    if len(runs) != 1:
        return None
    run = runs[0]
    if run[0].kind == "sign" and tokens[0].is_weak and tokens[0] is not run[0]:
        tokens = tokens[1:]  # “and if I take off 250”
    tokens = [one for one in tokens if one in run or not one.is_weak]
    if len(tokens) != len(run) + (tokens[-1].kind == "of"):
        return None
    ahead, behind = (
        words.left_words(language, _without_asking(one, language))
        for one in (plain[: run[0].start], plain[run[-1].end :])
    )
    begins = run[0].kind == "sign" and not run[0].is_weak
    # “Take off the 250 of the deposit” says what is taken off.
    if ahead or len(behind) > begins * NAMED:
        return None
    if len(run) > 1 and run[0].sign == "+" and run[0].is_weak and run[1].kind != "number":
        run = run[1:]  # “and times three”
    before = Token("number", run[0].start, run[0].start, amount=base)
    if run[0].kind == "sign" and not (run[0].is_weak and run[0].sign == "+"):
        return sum_value.worked_out([before, *run], language)
    if len(run) == 1 and run[0].kind == "share":
        of = Token("of", run[0].end, run[0].end)
        return sum_value.worked_out([run[0], of, before], language)
    if [one.kind for one in run] == ["number", "percent"] and of is not None:
        return sum_value.worked_out([*run, of, before], language)
    if [one.kind for one in run] == ["number", "after"]:
        return sum_value.worked_out([before, *run], language)
    return None


def _has_percent(tokens: Sequence[Token]) -> bool:
    """Return whether a percentage comes first, but for “of”."""
    return [one.kind for one in tokens if one.kind != "of"][:2] == ["number", "percent"]


def _one_by_one(plain: str, hidden: str, language: Language, base: Amount) -> Reckoned | None:
    """Return the sum of what came before with numbers of which a text says what each is for, behind
    the sign of all: “minus 45 for the teapot and 30 for the ticket”.
    """
    run, sign = [Token("number", 0, 0, amount=base)], ""
    listed = [one for one in sum_tokens.tokens(hidden, language) if one.kind != "of"]
    for one in listed:
        if one.kind == "sign" and not one.is_weak:
            sign = one.sign
        elif one.kind == "number" and sign and one.amount and one.amount.unit in ("", base.unit):
            run += [Token("sign", one.start, one.start, sign=sign), one]
        elif one.kind != "sign":
            return None
    is_one = sign in ("*", "/") and len(run) == 3
    asks = words.says(language, "asks", plain) or plain.rstrip().endswith("?")
    if not asks or not (is_one or sign in ("+", "-")) or len(run) < 3:
        return None
    return sum_value.worked_out(run, language)


def _by_words(plain: str, hidden: str, language: Language, base: Amount | None) -> Reckoned | None:
    """Return the sum that a word tells of two numbers: “80 with 15 % off”, “640 split by four”."""
    tokens = [one for one in sum_tokens.tokens(hidden, language) if one.kind != "sign"]
    percents = [one for one in tokens if one.kind == "percent"]
    found = [one for one in tokens if one.kind == "number" and one not in _before(tokens, percents)]
    heads = [one for one in found if one.amount and one.amount.unit == "person"]
    says_split = words.says(language, "split", plain) is not None
    if not heads and len(found) == 2:
        # “10 euros each, we are nine”
        bare = [one for one in found if one.amount and not one.amount.unit]
        heads = bare if len(bare) == 1 else bare[1:] if says_split else []
    rest = plain
    for one in sorted(tokens, key=lambda one: -one.start):
        rest = f"{rest[: one.start]} , {rest[one.end :]}"
    asked = _without_asking(rest, language)
    off, onto = (words.says(language, one, plain) for one in ("off", "onto"))
    split, each = (words.says(language, one, plain) for one in ("split", "each"))
    if words.left_words(language, _without(asked, language, "off", "onto", "split", "each", "for")):
        return None
    whole = [one.amount for one in found if one not in heads and one.amount]
    if base is not None and not whole:
        whole = [base]
    if len(whole) != 1:
        return None
    shares = _before(tokens, percents)
    if len(percents) == 1 and len(shares) == 1 and percents[0].sign == "kept":
        sign = Token("sign", 0, 0, sign="*")
        run = [Token("number", 0, 0, amount=whole[0]), sign, shares[0], percents[0]]
        return sum_value.worked_out(run, language)
    if len(percents) == 1 and len(shares) == 1 and not heads and bool(off) != bool(onto):
        share = shares[0]
        sign = Token("sign", 0, 0, sign="-" if off else "+")
        run = [Token("number", 0, 0, amount=whole[0]), sign, share, percents[0]]
        return sum_value.worked_out(run, language)
    if len(heads) == 1 and (split or each) and not percents and heads[0].amount:
        # “12 euros each for nine people”
        is_of_one = each and not split and _is_beside(each, found, heads)
        run = [
            Token("number", 0, 0, amount=whole[0]),
            Token("sign", 0, 0, sign="*" if is_of_one else "/"),
            Token("number", 0, 0, amount=Amount(heads[0].amount.value)),
        ]
        return sum_value.worked_out(run, language)
    return None


def _at_price(plain: str, hidden: str, language: Language) -> Reckoned | None:
    """Return what so many of something come to at a price: “60 cups at 14 euros, how much?”, “17
    kilos plus 9, at 14 euros a kilo”.
    """
    tokens = sum_tokens.tokens(hidden, language)
    found = [one for one in tokens if one.kind == "number" and one.amount]
    other: tuple[Keyword, ...] = ("remaining", "difference", "off", "split")
    asks = words.says(language, "asks", plain) or plain.rstrip().endswith("?")
    if not 1 < len(found) <= FEW or "%" in plain or not asks:
        return None
    if any(words.says(language, one, plain) for one in other):
        return None
    money = [one for one in found if one.amount and one.amount.unit in words.MONEY]
    price = money[0] if len(money) == 1 else found[-1]
    counts = [one for one in found if one is not price]
    if len(money) > 1 or not _is_price(price, counts, plain, language):
        return None
    outside = plain
    for one in (counts[-1], price):
        outside = f"{outside[: one.start]} , {outside[one.end :]}"
    left = words.left_words(language, _without(outside, language, "asks", "each", "for"))
    signs = [one for one in tokens if one.kind == "sign" and not one.is_weak]
    if len(left) > FEW or len(signs) != len(counts) - 1 or any(one.sign in "*/" for one in signs):
        return None
    run = sorted([*counts, *signs], key=lambda one: one.start)
    if len(run) > 1:
        run = [Token("(", 0, 0), *run, Token(")", 0, 0)]
    return sum_value.worked_out([price, Token("sign", 0, 0, sign="*"), *run], language)


def _is_price(price: Token, counts: list[Token], plain: str, language: Language) -> bool:
    """Return whether a number is the price of each of so many: “at 14 euros”, “14 euros a kilo”."""
    amounts = [one.amount for one in (price, *counts) if one.amount]
    units = {one.unit for one in amounts[1:]} - {""}
    is_money = amounts[0].unit in words.MONEY
    if len(units) > 1 or units & words.MONEY or not (is_money or not amounts[0].unit):
        return False
    if not phrases.is_spaced(language):
        return is_money and bool(units)
    behind = plain[price.end :]
    for unit, pattern in (*words.table_of(language).per.items(), ("", "(?!)")):
        if (
            is_money
            and units <= {unit, "piece"}
            and words.whole(language, pattern).match(behind.lstrip())
        ):
            return True
    each = words.says(language, "each", behind.lstrip())
    if is_money and each and each.start() == 0:
        return True
    before = plain[max(one.end for one in counts) : price.start].split() if price.start else []
    at = words.says(language, "at", before[-1]) if before else None
    named = len(before) > 1 or bool(units)
    return bool(at) and named and len(before) <= FEW and not units - {"piece", "person", "kg", "l"}


def _left_over(plain: str, hidden: str, language: Language) -> Reckoned | None:
    """Return what is left of the first of the amounts that a text tells: “it was 1400 and they gave
    me 350, how much is still to be paid?”
    """
    tokens = [one for one in sum_tokens.tokens(hidden, language) if not one.is_weak]
    found = [one for one in tokens if one.kind == "number" and one.amount]
    units = {one.amount.unit for one in found if one.amount} - {""}
    if len(found) < 2 or any(one.kind not in ("number", "of") for one in tokens):
        return None
    if len(units) > 1 or not (units <= words.MONEY) or not words.says(language, "remaining", plain):
        return None
    if len(found) == 2 and found[0].amount and found[1].amount:
        # “I give 200 of the 860”
        found.sort(key=lambda one: -one.amount.value if one.amount else 0)
    run = found[:1]
    for one in found[1:]:
        run += [Token("sign", one.start, one.start, sign="-"), one]
    left = sum_value.worked_out(run, language)
    return left if left and left.result.value > 0 else None


def _is_beside(each: re.Match[str], found: list[Token], heads: list[Token]) -> bool:
    """Return whether “each” stands right beside an amount."""
    return any(
        0 <= each.start() - one.end <= 1 or 0 <= one.start - each.end() <= 1
        for one in found
        if one not in heads
    )


def _before(tokens: list[Token], percents: list[Token]) -> list[Token]:
    """Return the numbers of percentages."""
    pairs = itertools.pairwise(tokens)
    return [one for one, after in pairs if after in percents and one.kind == "number"]


def _without_asking(text: str, language: Language) -> str:
    return _without(text, language, "asks")


def _without(text: str, language: Language, *keywords: Keyword) -> str:
    table = words.table_of(language).words
    listed = [table.get(one, "(?!)") for one in keywords]
    return words.without(language, text, *listed)


@functools.lru_cache(maxsize=256)
def value_of(text: str, language: Language) -> str | None:
    """Return the value of a whole sum, as it is written; None where it is none."""
    found = reckon(text, language)
    return plain_number(found.result.value, language) if found else None
