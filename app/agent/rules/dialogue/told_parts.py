"""What a question goes on with of the part of a note that was told: its row, section or column.

“And Dani?” after the shoe size of Hugo, “so who hasn't now?” after who has not paid.
"""

from collections.abc import Sequence

import msgspec

from app.agent.rules.dialogue import references
from app.agent.rules.passages import named_rows, named_sections, questions, valued_rows
from app.agent.rules.passages.answer_passages import Ranked, Text
from app.agent.rules.passages.questions import Question
from app.agent.rules.passages.valued_rows import Wanted
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Trace

BEFORE = 3
"""So many messages ago may it have been asked what a question of few words goes on from."""


def text_asked(asked: Asked, route: Route) -> str:
    """Return the question, in plain words: courtesy is nothing to look for."""
    return route.get("text") or route.said or asked.message


def of_section(asked: Asked, route: Route, notes: list[Text]) -> list[Ranked]:
    """Return what the section tells that a question names, or that was just told."""
    followed = bool(route.get("followed"))
    text = route.get("words") if followed else text_asked(asked, route)
    told = asked.earlier[0].section if asked.earlier else ""
    last = references.quoted_just_before(asked) if told else ()
    points = followed or questions.read_question(text).points_back
    field = asked.earlier[0].field if told else ""
    again = named_sections.again(text, notes, last, field)
    return again or named_sections.told_by(text, notes, last, told, points=points)


def of_row(asked: Asked, route: Route, notes: list[Text], last: Sequence[int]) -> list[Ranked]:
    """Return the row of the table told just before that a question goes on with."""
    told = asked.earlier[0].section if asked.earlier else ""
    text = route.get("words") if route.get("followed") else text_asked(asked, route)
    return named_rows.row_again(text, notes, last, told) if told else []


def with_field(asked: Asked, route: Route, step: Step, told: list[Ranked]) -> Step:
    """Return an answer with which column of a row it is of, or which line of a section: what goes
    on with another name is of that still.
    """
    text = route.get("words") if route.get("followed") else text_asked(asked, route)
    field = named_sections.field_of(told) or named_rows.field_of(told, text)
    trace, last = step.trace or Trace(), asked.earlier[0] if asked.earlier else Trace()
    goes_on = named_rows.names_only(text, trace.section)
    if not field and goes_on and last.about == trace.about:
        field = last.field
    return msgspec.structs.replace(step, trace=msgspec.structs.replace(trace, field=field))


def rows_wanted(asked: Asked, route: Route, question: Question) -> Wanted | None:
    """Return what a question says that may be for rows of a table; what says no more than “so who
    hasn't now?” goes on from the last question for some.
    """
    wanted = valued_rows.read(text_asked(asked, route), question)
    if wanted and route.get("followed"):
        alone = valued_rows.read(route.get("words"), questions.read_question(route.get("words")))
        wanted = alone if alone and valued_rows.says_only_state(alone) else wanted
    last = asked.earlier[0] if asked.earlier else Trace()
    if wanted is None or wanted.pays or not last.about or last.about[0].kind != "note":
        return wanted
    if not valued_rows.says_only_state(wanted):
        return wanted
    for before in asked.before[: -BEFORE - 1 : -1]:
        read = valued_rows.read(before, questions.read_question(before))
        if read and read.pays:
            return wanted._replace(pays=True)
    return wanted
