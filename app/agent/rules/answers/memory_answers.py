"""What the rules remember when told to, and what they tell of earlier talks when asked."""

import functools
import re
from collections.abc import Iterator
from typing import Any, get_args

from app.agent.rules.answers import list_answers
from app.agent.rules.dialogue import resolve_reference
from app.agent.rules.languages import language_data, time_units
from app.agent.rules.languages.language_tables import Answers, Earlier, Times
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import are_alike, split_words, stem
from app.agent.rules.phrases import dates
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, call_tool, note_link

HITS = 8
READ_NOTES = 3
FACTS = 6
LONGEST_FACT = 420
EVER = 'updated:"9999 days"'
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")


def remember(asked: Asked, route: Route) -> Step:
    """Write down what is to be remembered as a lasting fact."""
    if not asked.results:
        return call_tool("memory_write", kind="long_term", content=route.get("content"))
    done = asked.of("memory_write")
    if not done:
        return list_answers.tell_refusal(asked, route)
    note = done[0].content["note"]
    return Step(
        route.phrase(
            "remembered" if done[0].content["written"] else "known",
            title=note_link(note["id"], note["title"]),
        )
    )


def recall_answer(asked: Asked, route: Route) -> Step:
    """Look for what was said and noted, and tell it.

    Facts as quotes, then conversations with their days.
    """
    target, days = split_days(f"{route.get('when')} {route.get('words')}")
    if not asked.has("memory_search"):
        return call_tool("memory_search", query=_query(target, days), limit=HITS)
    hits = [hit for result in asked.of("memory_search") for hit in result.content["results"]]
    if not hits:
        return list_answers.refusal_or(asked, route, route.phrase("unremembered"))
    noted = (
        []
        if days and not target
        else [hit["noteId"] for hit in hits if hit["kind"] == "memory_note"][:READ_NOTES]
    )
    # A snippet may end before the fact that was asked for.
    if noted and not asked.has("get_note_content") and "get_note_content" in asked.tools:
        return Step(calls=tuple(("get_note_content", {"noteId": note_id}) for note_id in noted))
    parts = [*_facts(asked, target)][:FACTS]
    read = {note["id"] for note in _notes(asked)}
    talked = [
        _told(asked, route, hit)
        for hit in hits
        if hit["kind"] != "memory_note" or hit["noteId"] not in read
    ]
    if talked:
        parts.append("\n".join(talked))
    return (
        Step("\n\n".join([route.phrase("recalled"), *parts]))
        if parts
        else Step(route.phrase("unremembered"))
    )


def split_days(said: str) -> tuple[str, str]:
    """Return what is asked about and the days that are named, as the search reads them.

    `"the boiler last week"` is the boiler, `last week`.
    """
    for value, pattern in _spans():
        if found := pattern.search(said):
            return _rest(said, found), value
    if ago := _ago().search(said):
        number, word = (value for value in ago.groups() if value)
        return _rest(said, ago), f"{number} {time_units.unit_of(word)}s"
    return said.strip(), ""


@functools.cache
def _spans() -> tuple[tuple[str, re.Pattern[str]], ...]:
    tables = language_data.of_all(Times)
    spans: dict[str, str] = {
        name: language_data.either(one.earlier.get(name, "") for one in tables)
        for name in get_args(Earlier)
    }
    for place, day in enumerate(_DAYS):
        spans[day] = language_data.either(
            language_data.expand_macros(one.weekday, {"day": f"(?:{one.weekdays[place]})"})
            for one in tables
        )
    return tuple((value, re.compile(pattern, re.IGNORECASE)) for value, pattern in spans.items())


@functools.cache
def _ago() -> re.Pattern[str]:
    return re.compile(time_units.with_units(lambda one: one.ago), re.IGNORECASE)


@functools.cache
def _everything() -> re.Pattern[str]:
    words = language_data.any_of(Answers, lambda one: one.everything)
    return re.compile(rf"^(?:{words})?$", re.IGNORECASE)


def _rest(said: str, found: re.Match[str]) -> str:
    return " ".join(f"{said[: found.start()]} {said[found.end() :]}".split())


def _query(target: str, days: str) -> str:
    """Return the words that matter and the days as a search.

    Without either, for the newest that there is.
    """
    terms = "" if _everything().match(target) else resolve_reference.name_query(target)
    narrowed = f'updated:"{days}"' if " " in days else f"updated:{days}" if days else ""
    return f"{terms} {narrowed}".strip() or EVER


def _notes(asked: Asked) -> Iterator[Any]:
    for result in asked.of("get_note_content"):
        if "markdown" in result.content.get("note", {}):
            yield result.content["note"]


def _facts(asked: Asked, target: str) -> Iterator[str]:
    """Yield the lines of the notes that hold one of the words, the newest first, as quotes.

    Without words the last lines.
    """
    wanted = (
        []
        if _everything().match(target)
        else [stem(term) for term in questions.read_question(target).terms]
    )
    for note in _notes(asked):
        # Facts are added at the end, so the last is the newest.
        for line in reversed(note["markdown"].splitlines()):
            fact = _BULLET.sub("", line).strip()
            if fact and not fact.startswith("#") and (not wanted or _holds(fact, wanted)):
                yield f"> {fact[:LONGEST_FACT]}\n\n— {note_link(note['id'], note['title'])}"


def _holds(fact: str, wanted: list[str]) -> bool:
    held = {stem(word) for word in split_words(fact)}
    return any(
        any(are_alike(one, other) for other in held) or (questions.is_asian(one) and one in fact)
        for one in wanted
    )


def _told(asked: Asked, route: Route, hit: Any) -> str:
    title = note_link(hit["noteId"], hit["title"]) if "noteId" in hit else hit["title"]
    # A > would begin a quote, which is then checked against a note.
    shown = " ".join(hit["snippet"].replace(">", " ").split()).removeprefix("- ")
    day = dates.within(route.language, hit["at"][:10], asked.now)
    return f"- {day}, {title}: {shown}"
