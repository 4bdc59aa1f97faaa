"""What the tokens of a sum come to."""

from decimal import Decimal, DivisionByZero, InvalidOperation, localcontext
from typing import NamedTuple

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.question_tables import Questions
from app.agent.rules.phrases import phrases
from app.agent.rules.reckoning import words
from app.agent.rules.reckoning.sum_tokens import Amount, Token

MOST_DIGITS = 100
SHORT = 3
"""Of so many letters a unit is an abbreviation: “kg”, “km”."""
_PRECISION = 2 * MOST_DIGITS
_SHOWN = {"+": "+", "-": "-", "*": "×", "/": "÷"}


class Reckoned(NamedTuple):
    """A sum with its numbers, such as “18400 - 19 %”, and what it comes to."""

    shown: str
    result: Amount


class _Part(NamedTuple):
    """What stands between two signs, as a value or a share of one."""

    amount: Amount
    shown: str
    is_percent: bool = False
    is_share: bool = False


class _NoSum(Exception):
    """Raised where a text is no sum."""


def worked_out(run: list[Token], language: Language) -> Reckoned | None:
    """Return what the tokens of a sum come to; None where they are none."""
    try:
        with localcontext(prec=_PRECISION):
            part = _Parser(_with_signs(run), language).parse()
    except (_NoSum, InvalidOperation, DivisionByZero, OverflowError):
        return None
    if part.is_percent or part.is_share or part.amount.value.adjusted() > MOST_DIGITS:
        return None
    shown = plain_number(part.amount.value, language)
    if len(shown) > MOST_DIGITS:
        return None
    return Reckoned(part.shown, part.amount)


def _with_signs(run: list[Token]) -> list[Token]:
    """Return a run with signs that stand behind their number before it."""
    found: list[Token] = []
    for one in run:
        if one.kind != "after":
            found.append(one)
            continue
        at = len(found) - 1
        while at > 0 and found[at].kind in ("percent",):
            at -= 1
        if at < 0 or found[at].kind != "number":
            raise _NoSum
        found.insert(at, one._replace(kind="sign"))
    return found


class _Parser:
    """Reads the tokens of a sum, products before sums."""

    def __init__(self, tokens: list[Token], language: Language) -> None:
        self._tokens = tokens
        self._language = language
        self._at = 0

    def parse(self) -> _Part:
        """Return the value of all tokens; _NoSum where they are no sum."""
        found = self._sum()
        if self._at < len(self._tokens):
            raise _NoSum
        return found

    def _next(self) -> Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _sum(self) -> _Part:
        found = self._product()
        while (one := self._next()) and one.kind == "sign" and one.sign in "+-":
            self._at += 1
            found = self._added(found, self._product(), one.sign)
        return found

    def _added(self, left: _Part, right: _Part, sign: str) -> _Part:
        shown = f"{left.shown} {_SHOWN[sign]} {right.shown}"
        if left.is_percent or left.is_share or right.is_share:
            raise _NoSum
        if right.is_percent:
            share = left.amount.value * right.amount.value
            value = left.amount.value + (share if sign == "+" else -share)
            return _Part(left.amount._replace(value=value), shown)
        one, other = _same_units(left.amount, right.amount)
        value = one.value + other.value if sign == "+" else one.value - other.value
        unit = one if one.unit else other
        return _Part(Amount(value, unit.unit, unit.written), shown)

    def _product(self) -> _Part:
        found = self._value()
        while one := self._next():
            if one.kind == "sign" and one.sign in "*/":
                self._at += 1
                found = self._multiplied(found, self._value(), one.sign)
            elif one.kind == "of":
                self._at += 1
                if self._next() is None:
                    return found
                other = self._value()
                if not (_is_part(found) or _is_part(other)):
                    raise _NoSum
                found = self._multiplied(*((found, other) if _is_part(found) else (other, found)))
            elif one.kind in ("number", "share") and _is_part(found) and found.is_share:
                found = self._multiplied(found, self._value())
            elif one.kind == "share":
                found = self._multiplied(self._value(), found)
            elif one.kind == "number" and self._is_span(found, one):
                other = self._value()
                found = self._added(found, other, "+")
            else:
                break
        return found

    def _is_span(self, found: _Part, one: Token) -> bool:
        units = (found.amount.unit, one.amount.unit if one.amount else "")
        return all(unit in words.SPANS for unit in units)

    def _multiplied(self, left: _Part, right: _Part, sign: str = "*") -> _Part:
        shown = f"{left.shown} {_SHOWN[sign]} {right.shown}"
        if _is_part(left) and _is_part(right) and left.is_percent == right.is_percent:
            raise _NoSum
        if sign == "/":
            value = left.amount.value / right.amount.value
            alike = left.amount.unit == right.amount.unit
            unit = Amount(value) if alike or _clash(left, right) else left.amount
        else:
            value = left.amount.value * right.amount.value
            if left.amount.unit and right.amount.unit:
                money = [one.amount for one in (left, right) if one.amount.unit in words.MONEY]
                if len(money) != 1:
                    raise _NoSum
                unit = money[0]
            else:
                unit = left.amount if left.amount.unit else right.amount
        return _Part(Amount(value, unit.unit, unit.written), shown)

    def _value(self) -> _Part:
        one = self._next()
        if one is None:
            raise _NoSum
        self._at += 1
        if one.kind == "(":
            found = self._sum()
            closing = self._next()
            if closing is None or closing.kind != ")":
                raise _NoSum
            self._at += 1
            return found._replace(shown=f"({found.shown})")
        if one.kind == "sign" and one.sign == "-":
            found = self._value()
            amount = found.amount._replace(value=-found.amount.value)
            return found._replace(amount=amount, shown=f"-{found.shown}")
        if one.amount is None:
            raise _NoSum
        if one.kind == "share":
            return _Part(one.amount._replace(written=""), one.amount.written, is_share=True)
        shown = written_amount(one.amount, self._language)
        after = self._next()
        if after and after.kind == "percent":
            self._at += 1
            value = one.amount.value
            if after.sign and value < 10:
                value *= 10  # tenths
            text = f"{plain_number(value, self._language)} %"
            return _Part(Amount(value / 100), text, is_percent=True)
        return _Part(one.amount, shown)


def _is_part(one: _Part) -> bool:
    return one.is_percent or one.is_share


def _clash(left: _Part, right: _Part) -> bool:
    """Return whether a quotient has a unit of which we have no name, such as km an hour."""
    unit = right.amount.unit
    return bool(unit) and unit not in ("person", "piece", "month", "day", "night", "week", "year")


def _same_units(one: Amount, other: Amount) -> tuple[Amount, Amount]:
    """Return two amounts in the unit of the smaller, where both are stretches of time."""
    if one.unit == other.unit or not (one.unit and other.unit):
        return one, other
    if not {one.unit, other.unit} <= words.SPANS.keys():
        raise _NoSum
    least = min((one, other), key=lambda amount: words.SPANS[amount.unit])

    def put(amount: Amount) -> Amount:
        times = Decimal(words.SPANS[amount.unit]) / words.SPANS[least.unit]
        return Amount(amount.value * times, least.unit, least.written)

    return put(one), put(other)


def plain_number(value: Decimal, language: Language) -> str:
    """Return a number as people of a language write it, without marks between thousands."""
    shown = f"{value:.10f}".rstrip("0").rstrip(".")
    return ("0" if shown in ("", "-0") else shown).replace(".", words.table_of(language).decimal)


def written_amount(amount: Amount, language: Language) -> str:
    """Return a number with its unit, the sign of money where it was written."""
    shown = plain_number(amount.value, language)
    if not amount.written:
        return shown
    is_word = bool(amount.unit) and len(amount.written) > SHORT
    if is_word and language_data.load_table(language, Questions).capital_nouns:
        amount = amount._replace(written=amount.written.capitalize())
    gap = "" if language not in phrases.alphabetic_languages() else " "
    return f"{shown}{gap}{amount.written}"
