"""What is answered from the clock and from arithmetic alone."""

import ast
import functools
import operator
import re
from collections.abc import Callable, Mapping
from decimal import Decimal, DivisionByZero, InvalidOperation, localcontext

from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.phrases import dates
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step

LONGEST_SUM = 100
_HAN = "零一二三四五六七八九"
_MARKS: Mapping[str, str] = {"%": "/100*"}
"""What stands for a word in a sum, where it is not its own sign."""
_OPERATIONS: Mapping[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def tell_date(asked: Asked, route: Route) -> Step:
    """Return the day, with its name."""
    today = dates.day(route.language, asked.now.date(), asked.now)
    return Step(route.phrase("date_is", date=today))


def tell_time(asked: Asked, route: Route) -> Step:
    """Return the time of day in the user's zone."""
    return Step(route.phrase("time_is", time=f"{asked.now:%H:%M}"))


def calculate(asked: Asked, route: Route) -> Step:
    """Return what a sum comes to, or say that it is none."""
    sum_ = route.get("sum")
    result = value_of(sum_, route.language)
    if result is None:
        return Step(route.phrase("no_sum"))
    return Step(f"{' '.join(sum_.split())} = {result}")


_ISO_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_PRICE = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+(?= ?(?:€|eur))")
_CURRENCY = re.compile(
    r"(?<=\d) ?(?:€|\$|£|¥|(?:euros?|eur|dollars?|usd|pounds|chf)\b|円|ユーロ|欧元|元|块)"
)
_NUMBERS = {
    "{n}": r"(?P<n_>(?<![\d.,])\d+(?:[.,]\d+)?)",
    "{d}": r"(?P<d_>\d+)",
    "{p}": r"(?P<p_>\d+(?:[.,]\d+)?) ?%",
}
_PLACE = re.compile(r"\{[ndp]\}")


def find_sum(text: str, language: Language) -> str:
    """Return the sum of numbers that a message asks for among other words; else nothing.

    “18400 of which 15 percent” is written out as a sum.
    """
    if len(text) > LONGEST_SUM:
        return ""
    plain = _plain_numbers(_ISO_DAY.sub("", fold_text(text)), language)
    if formed := _formed(plain, language):
        return formed[0]
    if len(re.findall(r"\d+|百分", text)) < 2:
        return ""
    for found in re.finditer(r"[\d(][^?？!！:：、，]*[\d)%]", plain):
        if value_of(found[0], language) is not None:
            return found[0]
    return ""


def has_form(text: str, language: Language) -> bool:
    """Return whether a message says a sum in words that say nothing else: “a fifth of 300”."""
    short = len(text) <= LONGEST_SUM and any(one.isdecimal() for one in text)
    return short and _formed(_plain_numbers(fold_text(text), language), language) is not None


def _plain_numbers(plain: str, language: Language) -> str:
    """Return a folded text with its numbers in digits alone, shares as “19%”."""
    plain = _PRICE.sub(lambda found: found[0].replace(".", ""), plain)
    mark = next(dialogue_words.tables(language)).thousands
    grouped = rf"(?<![\d.,])\d{{1,3}}(?:[{re.escape(mark)}'’ ]\d{{3}})+(?!\d)"
    plain = re.sub(grouped, lambda found: re.sub(r"\D", "", found[0]), plain)
    return _with_percents(_CURRENCY.sub("", plain), language)


def _formed(plain: str, language: Language) -> tuple[str, str] | None:
    """Return the part of a text that says a sum in words of its own, and that as a sum."""
    for calculated, pattern in _forms(language):
        if found := pattern.search(plain):
            sum_ = calculated
            for name, value in found.groupdict().items():
                sum_ = sum_.replace(f"{{{name[0]}}}", value or f"{{{name[0]}}}")
            return found[0], sum_.replace(",", ".")
    return None


@functools.cache
def _forms(language: Language) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return how sums are said in words, of the language first: what is calculated, by what."""
    forms = []
    for table in dialogue_words.tables(language):
        for calculated, words in table.sum_forms.items():
            count = iter(range(100))
            pattern = _PLACE.sub(
                lambda place: _NUMBERS[place[0]].replace("_", f"{next(count)}"),  # noqa: B023
                language_data.join_pattern(words),
            )
            edge = r"(?<!\w)" if pattern.isascii() else ""
            forms.append((calculated, re.compile(rf"{edge}(?:{pattern})")))
    return tuple(forms)


def _with_percents(plain: str, language: Language) -> str:
    for table in dialogue_words.tables(language):
        plain = re.sub(
            language_data.join_pattern(table.percent),
            lambda found: f"{_digits(found['n'])}%",
            plain,
        )
    return plain


def _digits(number: str) -> str:
    """Return a number below a hundred in digits, as “十五” is 15."""
    if number[0].isascii():
        return number
    tens, ten, ones = number.rpartition("十")
    return str((_HAN.find(tens) if tens else bool(ten)) * 10 + max(_HAN.find(ones), 0))


def value_of(text: str, language: Language) -> str | None:
    """Return the value of a sum of numbers with + - × ÷, the words for them, % and brackets.

    None where it is no such sum, or divides by nothing.
    """
    if len(text) > LONGEST_SUM:
        return None
    plain = _plain_numbers(fold_text(text), language)
    if formed := _formed(plain, language):
        plain = formed[1]
    for table in dialogue_words.tables(language):
        for mark, words in table.sums.items():
            plain = re.sub(language_data.join_pattern(words), _MARKS.get(mark, mark), plain)
    # Where the share comes last, as in “80 × 15%”.
    plain = re.sub(r"(\*\s*\d+(?:[.,]\d+)?)\s*%", r"\1/100", plain)
    plain = re.sub(r"(?<=\d)[,'’ ](?=\d{3}\b)", "", plain).replace(",", ".")
    if not re.fullmatch(r"[\d.+\-*/() ]+", plain) or not re.search(r"\d\s*[-+*/]\s*[\d(]", plain):
        return None
    try:
        with localcontext(prec=2 * LONGEST_SUM):
            found = _value(ast.parse(plain.strip(), mode="eval").body, plain.strip())
    except (
        SyntaxError,
        ValueError,
        InvalidOperation,
        DivisionByZero,
        RecursionError,
        OverflowError,
    ):
        return None
    shown = f"{found:.10f}".rstrip("0").rstrip(".")
    return shown if len(shown) <= LONGEST_SUM else None


def _value(node: ast.expr, text: str) -> Decimal:
    match node:
        case ast.Constant() if isinstance(node.value, int | float):
            # As it was written: a float would not hold 0.1.
            return Decimal(ast.get_source_segment(text, node) or "")
        case ast.UnaryOp(op=ast.USub()):
            return -_value(node.operand, text)
        case ast.BinOp() if type(node.op) in _OPERATIONS:
            return _OPERATIONS[type(node.op)](_value(node.left, text), _value(node.right, text))
        case _:
            raise ValueError
