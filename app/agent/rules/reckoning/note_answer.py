"""The answer to a question, reckoned or quoted.

A sum with the amounts of a note where one is asked for and sure, else what the notes say.
"""

from collections.abc import Sequence

import msgspec

from app.agent.rules.answers import note_answers
from app.agent.rules.dialogue import references
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import found_texts, last_lines, told_passages
from app.agent.rules.passages.answer_passages import Text
from app.agent.rules.phrases import phrases
from app.agent.rules.reckoning import (
    dated_lines,
    list_sums,
    note_sums,
    reckoning,
    sum_value,
    words,
    written_dates,
)
from app.agent.rules.reckoning.list_sums import Request
from app.agent.rules.reckoning.note_amounts import Fact
from app.agent.rules.reckoning.sum_wishes import Solved
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Quote, Step, Thing, Trace, note_link

MOST_TOLD = 600
"""So many characters of a note that is nearest are what follows can reckon with."""

FEW = 5
MOST_READ = 5
"""So many notes with the words or units of a sum are read for its lines."""


def answer_question(asked: Asked, route: Route) -> Step:
    """Return the sum that a question asks for, with the passages that its numbers stand in; else
    the passages that answer it.
    """
    step = note_answers.answer_question(asked, route)
    if step.calls or not asked.results or route.get("context") or _is_of_line(asked, route, step):
        return _remembering(asked, step)
    found = _solved(asked, route) or _listed(asked, route, found_texts.texts(asked))
    found = found or (_of_day(asked, route) if step.empty else None)
    return found or _remembering(asked, step)


def _is_of_line(asked: Asked, route: Route, step: Step) -> bool:
    """Return whether an answer is the line that was just told, or the newest of a log: no sum is
    asked for then.
    """
    day = step.trace.day if step.trace else ""
    last = asked.earlier[0].day if asked.earlier else ""
    message = route.get("text") or asked.message
    return bool(day) and (day == last or last_lines.asks_last(message))


def _languages(asked: Asked, route: Route) -> tuple[Language, ...]:
    """Return the languages that a message may be in: of few words it is hard to tell."""
    message = route.get("text") or asked.message
    few = len(message.split()) <= FEW and route.language in phrases.alphabetic_languages()
    return tuple(dict.fromkeys((route.language, *(phrases.alphabetic_languages() if few else ()))))


def _solved(asked: Asked, route: Route) -> Step | None:
    """Return the sum that a message asks for with amounts that it names; None where it is none."""
    last = asked.earlier[0] if asked.earlier else Trace()
    message = route.get("text") or asked.message
    said = [one for one in _languages(asked, route) if note_sums.may_ask(message, one)]
    if route.get("reckoned") and route.language not in said:
        said = [route.language, *said]
    for language in said:
        solved = note_sums.solve(
            message,
            language,
            found_texts.texts(asked),
            before=_before(last),
            told=[one.told for one in asked.earlier[:2]],
            asked_before=[
                one.arguments.get("words") or one.arguments.get("said", "")
                for one in asked.earlier[:2]
            ],
        )
        if solved:
            return _shown(route, solved)
    return None


def _before(last: Trace) -> list[int]:
    return [one.id for one in last.about if one.kind == "note"]


def _listed(
    asked: Asked, route: Route, notes: Sequence[Text], before: Sequence[int] = ()
) -> Step | None:
    """Return what the lines of a note come to that a message means, or which tells the most; None
    where it asks for no such thing, or does not surely say of which lines.
    """
    message = route.get("text") or asked.message
    told = (one.id for one in references.notes_told(asked.earlier[0])) if asked.earlier else ()
    for language in _languages(asked, route):
        request = list_sums.read(message, language, asked)
        found = request and list_sums.solve(request, notes, asked, [*before, *told])
        if isinstance(found, Solved):
            return _shown(route, found)
        if found is not None:
            return _remembering(asked, _line(found))
    return None


def _of_day(asked: Asked, route: Route) -> Step | None:
    """Return what a log tells of the day that is asked of, as the nearest to what no note has the
    words of.
    """
    message = route.get("text") or asked.message
    found = dated_lines.find(asked, message, route.language)
    if found is None or isinstance(found, Step):
        return found
    note = found.note
    text = f"- {note_link(note.note_id, note.title)}: {found.sentence.text}"
    trace = Trace(intent="ask", shown=(Thing("note", note.note_id, note.title),))
    return Step(f"{route.phrase('unanswered')}\n{text}", trace=trace)


def _line(fact: Fact) -> Step:
    note, one = fact.note, fact.sentence
    quote = Quote(note.note_id, note.title, one.text, one.start, one.end)
    about = (Thing("note", note.note_id, note.title),)
    text = told_passages.quoted(one.text, note.note_id, note.title)
    return Step(text, quotes=(quote,), trace=Trace(intent="ask", about=about))


def add_up(asked: Asked, route: Route) -> Step:
    """Return what the lines of a note come to that a message surely asks to be added up: of the
    note that is named, else of that spoken of just before or of those with its words and units.

    `named` are texts of the message, of each of which a word must be of the lines, `before` asked
    for the sum that it goes on from. The step is empty where no note, or more than one, has such
    lines.
    """
    message, language = route.get("words") or asked.message, route.language
    request = list_sums.read(message, language, asked, is_sum=True)
    if request is None:
        return Step(empty=True)
    request = list_sums.needing(request, route.get("named").split("\n"))
    if before := route.get("before") and list_sums.read(
        route.get("before"), language, asked, is_sum=True
    ):
        request = list_sums.asks_again(request, before)
    told = [one.id for turn in asked.earlier[:2] for one in references.notes_told(turn)]
    ids = [one.id for one in route.things] or told
    if found := _added(asked, route, request, ids):
        return found
    if route.things or not request.names:
        return Step(empty=True)
    near = [int(one) for one in route.get("near").split()]
    if found := _added(asked, route, request, near[:MOST_READ]):
        return found
    calls = list_sums.calls_to_find(request)
    if missing := tuple(one for one in calls if one[0] in asked.tools and not _made(asked, one)):
        return Step(calls=missing)
    others = [hit["id"] for hit in found_texts.hits(asked) if hit["id"] not in told]
    return _added(asked, route, request, others[:MOST_READ]) or Step(empty=True)


def _added(asked: Asked, route: Route, request: Request, ids: Sequence[int]) -> Step | None:
    """Return the calls that read notes, then what their lines come to."""
    calls: list[Call] = [("get_note_content", {"noteId": one}) for one in ids]
    if missing := tuple(one for one in calls if not _made(asked, one)):
        return Step(calls=missing)
    read = (one for one in asked.of("get_note_content") if one.arguments["noteId"] in ids)
    texts = [text for one in read if (text := found_texts.read_note(one))]
    known = [one.id for one in route.things] or (ids if not request.names else ())
    found = list_sums.solve(request, texts, asked, known)
    if isinstance(found, Solved):
        return _shown(route, found)
    return _remembering(asked, _line(found)) if found is not None else None


def _made(asked: Asked, call: Call) -> bool:
    return any((one.tool, one.arguments) == call for one in asked.results)


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
    told = "\n\n".join(told_passages.quoted(one.text, note.note_id, note.title) for one in quotes)
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
