"""What is done about a message that wishes to change something and that no pattern took."""

from collections.abc import Callable

import msgspec

from app.agent.rules import look_further
from app.agent.rules.changes import readings
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.near import near
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step

Act = Callable[[Asked, Route], Step]


def change(asked: Asked, route: Route, act: Act) -> tuple[Step | None, Asked]:
    """Return the step of the change that a message wishes, and what is asked with the results that
    it left; None where it wishes none, or nothing is there that it could be of.
    """
    language = route.get("written") or route.language
    if not language_data.has_table(language, Changes) or asked.persona.owner:
        return None, asked
    kinds = readings.kinds_of(asked, language)
    if not kinds:
        return None, asked
    rest, looked = asked, asked
    if readings.needs_names(kinds):
        calls = near.looks(asked)
        if len(asked.results) < len(calls):
            return Step(calls=calls), asked
        looked = msgspec.structs.replace(asked, results=asked.results[: len(calls)])
        rest = msgspec.structs.replace(asked, results=asked.results[len(calls) :])
    for wish in readings.read(looked, kinds, near.things(looked), language):
        wish = msgspec.structs.replace(wish, language=route.language)
        told = look_further.replay(rest, lambda part, wish=wish: act(part, wish))
        if not told.step.empty or told.step.calls:
            return told.step, told.rest
        rest = told.rest
    return None, rest
