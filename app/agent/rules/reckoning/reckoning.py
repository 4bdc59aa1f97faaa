"""Whether a message asks for a sum or for a number of days, and the answer to a sum."""

from decimal import Decimal

import msgspec

from app.agent.rules.dialogue import references
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.phrases import phrases
from app.agent.rules.reckoning import (
    dated_lines,
    days,
    list_sums,
    note_sums,
    numbers,
    sum_value,
    sum_wishes,
    sums,
    words,
)
from app.agent.rules.reckoning.sum_tokens import Amount
from app.agent.rules.reckoning.sum_value import Reckoned
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Trace

UNSURE = frozenset({"ask", "cannot", "todo_state", "tell_view", "show_note", "leave"})
"""What a message that asks for a sum or days may seem to be."""
_HOUR = 60
_CENT = Decimal("0.01")


def go_on(asked: Asked, language: Language) -> Route | None:
    """Return what a message asks of the number or the day that the turn before told."""
    found = _days(asked, language)
    # Nothing but the words of such a question and a day.
    if found is not None and (found.get("day") or found.things or found.intent == "ask"):
        return found
    if not asked.earlier or asked.earlier[0].asks is not None:
        return None
    if sums.reckon(asked.message, language):
        return Route("sum", language, {"sum": asked.message})
    if (base := _told(asked.earlier[0])) and sums.reckon(asked.message, language, base):
        return Route("sum", language, {"sum": asked.message})
    if again := _with_number(asked.message, language, asked.earlier[0]):
        return again
    if of_day := dated_lines.again(asked, language):
        return Route("ask", language, {"words": of_day, "text": of_day})
    told = asked.earlier[0].told
    said = [
        one.arguments.get("words") or one.arguments.get("said", "") for one in asked.earlier[:2]
    ]
    asks_all = note_sums.asks_total(asked.message, language)
    asks_all = asks_all or list_sums.asks_of_told(asked.message, language, asked)
    if asks_all and references.notes_told(asked.earlier[0]):
        return Route("ask", language, {"words": asked.message, "reckoned": "yes"})
    if asked.earlier[0].about and note_sums.goes_on(asked.message, language, told, said):
        searched = f"{said[0]} {asked.message}".strip()
        arguments = {"words": searched, "reckoned": "yes", "followed": "yes"}
        return Route("ask", language, arguments)
    return None


def _with_number(message: str, language: Language, last: Trace) -> Route | None:
    """Return the sum that was told last with the one other number that a message says: “and 24?”"""
    said = last.arguments.get("text") or last.arguments.get("said", "")
    new, old = (numbers.find(words.folded(one), language) for one in (message, said))
    if last.intent != "sum" or not last.about or len(new) != 1 or len(old) != 1:
        return None
    wanted = sum_wishes.read(message, language)
    if wanted.names or sum_wishes.has_sign(wanted) or new[0].unit not in ("", old[0].unit):
        return None
    number, plain = words.folded(message)[slice(*new[0][3:5])], words.folded(said)
    again = f"{plain[: old[0].start]}{number}{plain[old[0].end :]}"
    return Route("ask", language, {"words": again, "text": again, "reckoned": "yes"})


def read(asked: Asked, found: Route) -> Route | None:
    """Return that a message asks for a sum or for days, where what was `found` for it is unsure."""
    if found.intent not in UNSURE and not found.is_loose:
        return None
    for language in _languages(found.language):
        if sums.reckon(asked.message, language):
            return Route("sum", language, {"sum": asked.message})
    narrow = asked.persona.owner or asked.attached or asked.attached_before
    return None if narrow else _days(asked, found.language)


def _days(asked: Asked, language: Language) -> Route | None:
    """Return what a message asks of days, in the first language that says so."""
    routes = (days.read(asked, one) for one in _languages(language))
    return next((route for route in routes if route is not None), None)


def _languages(language: Language) -> tuple[Language, ...]:
    """Return the languages that a sum may be said in: of few words it is hard to tell."""
    alphabetic = phrases.alphabetic_languages()
    return tuple(dict.fromkeys((language, *alphabetic))) if language in alphabetic else (language,)


def calculate(asked: Asked, route: Route) -> Step:
    """Return what a sum comes to, with its numbers, or say that it is none."""
    text = route.get("sum")
    base = _told(asked.earlier[0]) if asked.earlier else None
    found = sums.reckon(text, route.language)
    if found is None and base is not None:
        found = sums.reckon(text, route.language, base)
    if found is None:
        return Step(route.phrase("no_sum"))
    trace = Trace(told=sum_value.written_amount(found.result, route.language))
    if asked.earlier:
        # What was spoken of stays so: “and where is that?”
        trace = msgspec.structs.replace(trace, about=asked.earlier[0].about)
    return Step(shown(found, route.language), trace=trace)


def shown(found: Reckoned, language: Language) -> str:
    """Return a sum with its result, minutes in hours too."""
    value = found.result.value
    cents = value.quantize(_CENT)
    is_cut = found.result.unit in words.MONEY and cents != value
    result = found.result._replace(value=cents) if is_cut else found.result
    sign = "≈" if is_cut else "="
    text = f"{found.shown} {sign} {sum_value.written_amount(result, language)}"
    if found.result.unit == "minute" and value >= _HOUR and value == value.to_integral_value():
        hours, minutes = divmod(int(value), _HOUR)
        text += f" = {hours}:{minutes:02} h"
    return text


def _told(last: Trace) -> Amount | None:
    """Return the amount that a turn told as the result of a sum."""
    if last.intent != "sum" or not last.told:
        return None
    found = numbers.find(words.folded(last.told.partition("\n")[0]), last.language)
    if len(found) != 1:
        return None
    one = found[0]
    sign = Decimal(-1 if last.told.startswith("-") else 1)
    return Amount(one.value * sign, one.unit, one.written)
