"""The answer to a question, reckoned or quoted.

A sum with the amounts of a note where one is asked for and sure, else what the notes say.
"""

import msgspec

from app.agent.rules.answers import note_answers
from app.agent.rules.passages import found_texts
from app.agent.rules.phrases import phrases
from app.agent.rules.reckoning import note_sums, reckoning, sum_value, words, written_dates
from app.agent.rules.reckoning.sum_wishes import Solved
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Quote, Step, Thing, Trace

MOST_TOLD = 600
"""So many characters of a note that is nearest are what follows can reckon with."""

FEW = 5


def answer_question(asked: Asked, route: Route) -> Step:
    """Return the sum that a question asks for, with the passages that its numbers stand in; else
    the passages that answer it.
    """
    if route.things and route.get("reckoned") and (added := _add_up(asked, route)):
        return added
    step = note_answers.answer_question(asked, route)
    if step.calls or not asked.results or route.get("context"):
        return _remembering(asked, step)
    last = asked.earlier[0] if asked.earlier else Trace()
    message = route.get("text") or asked.message
    # Of few words it is hard to tell the language.
    few = len(message.split()) <= FEW and route.language in phrases.alphabetic_languages()
    languages = dict.fromkeys((route.language, *(phrases.alphabetic_languages() if few else ())))
    said = [one for one in languages if note_sums.may_ask(message, one)]
    if route.get("reckoned") and route.language not in said:
        said = [route.language, *said]
    solved = None
    for language in said:
        solved = solved or note_sums.solve(
            message,
            language,
            found_texts.texts(asked),
            before=[one.id for one in last.about if one.kind == "note"],
            told=[one.told for one in asked.earlier[:2]],
            asked_before=[
                one.arguments.get("words") or one.arguments.get("said", "")
                for one in asked.earlier[:2]
            ],
        )
    return _shown(route, solved) if solved else _remembering(asked, step)


def _add_up(asked: Asked, route: Route) -> Step | None:
    """Return the call that reads the note that is to be added up, then what all its amounts come
    to; None where its lines are no list of amounts.
    """
    call: Call = ("get_note_content", {"noteId": route.things[0].id})
    read = [one for one in asked.of(call[0]) if one.arguments == call[1]]
    if not read:
        return Step(calls=(call,)) if call[0] in asked.tools else None
    text = found_texts.read_note(read[0])
    solved = note_sums.add_up(text, route.language) if text else None
    return _shown(route, solved) if solved else None


def _remembering(asked: Asked, step: Step) -> Step:
    """Return a step that leaves what it quotes, so that what follows can reckon with it; where it
    answers nothing, what it shows of the one note that is nearest.
    """
    if not step.trace:
        return step
    told = "\n".join(one.text for one in step.quotes)
    about = step.trace.about
    if step.empty and len(step.trace.shown) == 1:
        about, told = step.trace.shown, step.text[:MOST_TOLD]
    if not any(one.isdecimal() for one in told):
        return step
    plain = written_dates.first_of_stretches(words.folded(told))
    days = {one.day for one in written_dates.find(plain, asked.now.date()) if not one.is_month}
    day = days.pop().isoformat() if len(days) == 1 else ""
    trace = msgspec.structs.replace(step.trace, told=told, day=day, about=about)
    return msgspec.structs.replace(step, trace=trace)


def _shown(route: Route, solved: Solved) -> Step:
    found = solved.reckoned
    note = solved.facts[0].note
    sentences = dict.fromkeys(one.sentence for one in solved.facts)
    quotes = tuple(
        Quote(note.note_id, note.title, one.text, one.start, one.end) for one in sentences
    )
    # Sentences that do not follow each other are no one passage.
    told = "\n\n".join(note_answers.quoted(one.text, note.note_id, note.title) for one in quotes)
    return Step(
        f"{reckoning.shown(found, route.language)}\n\n{told}",
        quotes=quotes,
        trace=Trace(
            intent="sum",
            about=(Thing("note", note.note_id, note.title),),
            told="\n".join(
                (
                    sum_value.written_amount(found.result, route.language),
                    *(one.text for one in quotes),
                )
            ),
        ),
    )
