"""How a todo stands: open or done, when it is due, and of which steps it is made."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from app.agent.rules.answers import list_answers
from app.agent.rules.dialogue import dialogue_words, references, resolve_reference, view_words
from app.agent.rules.dialogue.references import Reference
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.question_tables import Questions
from app.agent.rules.passages import held_stems, questions
from app.agent.rules.passages.questions import Question
from app.agent.rules.passages.sentences import fold_text, split_sentences, split_words
from app.agent.rules.phrases import dates
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing, ThingKind, Trace, call_tool

TODOS: tuple[ThingKind, ...] = ("todo",)
MOST = 50
SHOWN = 8
ROWS = 150
"""So many todos are looked through; not as many as other looks take, since a turn makes no call
twice.
"""
FEWEST = 2
DESCRIPTION_ONLY = "description_only"
"""The argument of a question that only the description of a todo may answer, and not its state."""
_TWO = re.compile(r"(?=([\u3400-\u9fff々]{2}))")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
TELLS = frozenset({"todo_state", "list_todos", "events", "change_todo", "add_todo", "undo"})
"""After these a todo was spoken of, where it was one."""
_AMOUNT = re.compile(r"(?<![A-Za-z\d])\d")
FORM = 5
"""By so many first letters two words are forms of one."""
SEARCHED = 2
"""So many words are searched for one by one: a turn has few calls."""


def tell_state(asked: Asked, route: Route) -> Step:
    """Tell how the todos stand that are meant, be they open or done.

    The step is empty where none is.
    """
    if told := _from_description(asked, route, ()):
        return told  # of the todo that was told before
    words = dialogue_words.without_next(route.get("words") or asked.message, route.language)
    meant = tuple(one for one in route.things if one.kind == "todo")
    found = (
        Reference(meant)
        if meant
        else references.newest(asked, TODOS)
        if route.get("last")
        else references.refer(asked, words, TODOS, route.language)
    )
    if found and (meant := found.things or found.unsure):
        if not asked.has("get_todo"):
            return Step(calls=tuple(("get_todo", {"id": one.id}) for one in meant))
        rows = [result.content["todo"] for result in asked.of("get_todo")]
        return _told(asked, route, rows) if rows else list_answers.tell_refusal(asked, route)
    if not asked.has("search_todos"):
        stems = resolve_reference.word_stems(words)
        if not stems or "search_todos" not in asked.tools:
            return Step(route.phrase("no_todos"), empty=True)
        fields = {"limit": MOST, **list_answers.zone_argument(asked)}
        # Any of the words, as they may stand there in another form.
        sought = resolve_reference.search_stems(words)
        if questions.is_asian(words) or len(sought) > SEARCHED:
            # Where no spaces part words, those of a title may stand in another order.
            return call_tool("search_todos", **{**fields, "limit": ROWS})
        return Step(calls=tuple(("search_todos", {"q": stem, **fields}) for stem in sought))
    found_rows = {
        row["id"]: row for result in asked.of("search_todos") for row in result.content["todos"]
    }
    if told := _from_description(asked, route, list(found_rows.values())):
        return told
    if route.get(DESCRIPTION_ONLY):
        return Step(route.phrase("no_todos"), empty=True)
    rows = resolve_reference.fitting_rows(words, list(found_rows.values()))[:SHOWN]
    rows = rows or _by_letters(
        asked, list(found_rows.values()), is_asked=route.intent == "todo_state" and route.is_loose
    )
    written = route.get("written") or route.language
    rows = rows or _by_forms(asked, list(found_rows.values()), written)
    if not rows:
        return Step(route.phrase("no_todos"), empty=True)
    if not asked.has("get_todo") and len(rows) == 1:
        return call_tool("get_todo", id=rows[0]["id"])
    read = {result.content["todo"]["id"]: result.content["todo"] for result in asked.of("get_todo")}
    return _told(asked, route, [read.get(row["id"], row) for row in rows])


def of_told(asked: Asked, route: Route) -> Step:
    """Return what the description of the todo told just before says of what is asked; empty where
    it says nothing of that.
    """
    return _from_description(asked, route, ()) or Step(empty=True)


def _from_description(asked: Asked, route: Route, rows: Sequence[Mapping[str, Any]]) -> Step | None:
    """Return the sentence in the description of the todo that a question names which says what it
    asks for, or the step that reads that; None where there is none.
    """
    question = questions.read_question(route.said or asked.message)
    if question.kind == "when" or "get_todo" not in asked.tools:
        return None
    named = _told_before(asked, question) or _likeliest(asked, question, rows)
    if named is None:
        return None
    read = [one.content["todo"] for one in asked.of("get_todo")]
    row = next((one for one in read if one["id"] == named), None)
    if row is None:
        return None if asked.has("get_todo") else call_tool("get_todo", id=named)
    sentences = split_sentences(row.get("description") or "")
    # “which room is it in?” of “Room 14”
    more = {*question.stems} - held_stems.held_in(row["title"], {*question.stems})
    told = [one.text for one in sentences if held_stems.held_in(one.text, more)]
    if question.kind is not None:
        told = told or [one.text for one in sentences]
        told = [one for one in told if questions.holds_kind(question.kind, one)]
    if question.kind == "number":
        told = [one for one in told if _AMOUNT.search(one)]  # no “room B14”
    if not told:
        return None
    about = Thing("todo", row["id"], row["title"])
    trace = Trace(intent="todo_state", about=(about,), shown=(about,))
    return Step(f"> {told[0]}\n\n— {about.title}", trace=trace)


def _told_before(asked: Asked, question: Question) -> int | None:
    """Return the todo of which the turn before told, where a question says nothing of its own, “and
    from whom?”, or points back: “which room was it?”.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    told = last.about or last.shown
    is_short = len(question.terms) <= 1 and not questions.is_asian(asked.message)  # “which room?”
    goes_on = question.is_bare or ((question.points_back or is_short) and not question.names)
    # what was asked of a todo, “what time is the dentist exactly”, told of it as well
    is_told = last.intent in TELLS | {"ask"} and len(told) == 1 and goes_on
    return told[0].id if is_told and told[0].kind == "todo" else None


def _likeliest(asked: Asked, question: Question, rows: Sequence[Mapping[str, Any]]) -> int | None:
    """Return the one todo whose title has most words of a question, and more than half of them."""
    if questions.is_asian(asked.message):
        return next((one["id"] for one in _by_letters(asked, list(rows), is_asked=True)), None)
    said = {*question.stems}
    held = [(len(held_stems.held_in(row["title"], said)), row) for row in rows]
    most = max((count for count, _ in held), default=0)
    best = [row for count, row in held if count == most]
    return best[0]["id"] if len(best) == 1 and 2 * most > len(said) else None


def _by_letters(
    asked: Asked, rows: list[Mapping[str, Any]], *, is_asked: bool
) -> list[Mapping[str, Any]]:
    """Return the one todo whose title shares most letters with a question when something is, or
    that `is_asked` of a todo, where no spaces part words: two at least.
    """
    is_told = asked.earlier and references.notes_told(asked.earlier[0])
    message = asked.message
    is_when = questions.read_question(message).kind == "when"
    if is_told or not questions.is_asian(message) or not (is_when or is_asked):
        return []
    text = questions.without_filler(message)
    said = set(_HAN.findall(text))
    # “今日” and “発送” say nothing of “誕生日プレゼントを送る”.
    mine = [row for row in rows if any(one[1] in text for one in _TWO.finditer(row["title"]))]
    held = [(len(said & set(row["title"])), row) for row in mine]
    most = max((count for count, _ in held), default=0)
    best = [row for count, row in held if count == most >= FEWEST]
    return best if len(best) == 1 else []


def _by_forms(
    asked: Asked, rows: list[Mapping[str, Any]], language: Language
) -> list[Mapping[str, Any]]:
    """Return the one todo with a day whose title has each word that a question for its time says,
    in whatever form: “wann werden die Winterreifen gewechselt?”, “when is the appointment to
    change them?”.
    """
    message = dialogue_words.bare(asked.message)
    if questions.is_asian(message) or questions.read_question(message).kind != "when":
        return []
    said = [fold_text(one) for one in view_words.sort_words(message, language).rest]
    begins = language_data.load_table(language, Questions).begins.split()
    said = [one for one in said if len(one) >= FORM and one not in questions.little()]
    said = [one for one in said if one not in begins]
    fitting = [
        row
        for row in rows
        if row.get("dueDate")
        and said
        and all(any(_are_forms(one, title) for title in split_words(row["title"])) for one in said)
    ]
    return fitting if len(fitting) == 1 else []


def _are_forms(said: str, word: str) -> bool:
    """Return whether two words share their first letters, be it after a “ge”."""
    return len(word) >= FORM and (word[:FORM] in said[: FORM + 2] or said[:FORM] == word[:FORM])


def _told(asked: Asked, route: Route, rows: list[Mapping[str, Any]]) -> Step:
    lines = [_line(asked, route, row) for row in rows]
    trace = Trace(shown=list_answers.things("todo", rows))
    return Step("\n".join(lines), trace=trace)


def _line(asked: Asked, route: Route, row: Mapping[str, Any]) -> str:
    if row["completed"]:
        done = row.get("completedAt")
        moment = done and datetime.fromisoformat(done).astimezone(asked.now.tzinfo)
        day = dates.day(route.language, moment.date(), asked.now) if moment else ""
        return route.phrase("is_done", title=row["title"], day=day)
    due = list_answers.due_text(route.language, row, asked.now)
    due += list_answers.steps_text(route, row)
    if route.get("level"):  # “what priority has the invoice?”
        level = row.get("priority")
        due += route.phrase("of_level", number=level) if level else route.phrase("of_no_level")
    return route.phrase("is_open", title=row["title"], due=due)
