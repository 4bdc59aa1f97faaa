"""What the rules remember when told to, and what they tell of earlier talks when asked."""

import functools
import re
from collections.abc import Iterator
from typing import Any

from app.agent.rules.answers import list_answers, resolve_reference
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import alike, stem, words
from app.agent.rules.phrases.phrases import say
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, link
from app.core.process.lazy_regex import regex

HITS = 8
READ_NOTES = 3
FACTS = 6
LONGEST_FACT = 420
EVER = 'updated:"9999 days"'
_WEEKDAYS = (
    "monday|montag|lundi|lunes|(?:星期|周)一|月曜日?",
    "tuesday|dienstag|mardi|martes|(?:星期|周)二|火曜日?",
    "wednesday|mittwoch|mercredi|miércoles|(?:星期|周)三|水曜日?",
    "thursday|donnerstag|jeudi|jueves|(?:星期|周)四|木曜日?",
    "friday|freitag|vendredi|viernes|(?:星期|周)五|金曜日?",
    "saturday|samstag|samedi|sábado|(?:星期|周)六|土曜日?",
    "sunday|sonntag|dimanche|domingo|(?:星期|周)[日天]|日曜日?",
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SPANS: tuple[tuple[str, str], ...] = (
    ("yesterday", r"\byesterday\b|\bgestern\b|\bhier\b|\bayer\b|昨天|昨日|きのう"),
    (
        "today",
        r"\b(?:earlier )?today\b|\bthis "
        r"(?:morning|afternoon|evening)\b|\bheute\b|\baujourd'hui\b|\bce "
        r"matin\b|\bhoy\b|\besta mañana\b|今天|今日",
    ),
    (
        "last week",
        r"\b(?:last|past) week\b|\b(?:in der )?(?:letzten?|vergangenen?|vorigen?) "
        r"woche\b|\b(?:la )?semaine (?:dernière|passée)\b"
        r"|\b(?:la )?semana pasada\b|上(?:个?星期|周)|先週",
    ),
    (
        "this week",
        r"\bthis week\b|\b(?:in )?dieser? woche\b|\bcette semaine\b|\besta "
        r"semana\b|这(?:个?星期|周)|本周|今週",
    ),
    (
        "last month",
        r"\b(?:last|past) month\b|\b(?:im )?(?:letzten|vergangenen|vorigen) "
        r"monat\b|\b(?:le )?mois (?:dernier|passé)\b"
        r"|\b(?:el )?mes pasado\b|上个?月|先月",
    ),
    (
        "this month",
        r"\bthis month\b|\b(?:in )?diesen?m? monat\b|\bce mois(?:-ci)?\b|\beste mes\b"
        r"|这个月|本月|今月",
    ),
    (
        "last year",
        r"\blast year\b|\b(?:im )?(?:letzten|vergangenen) jahr\b|\bl'année "
        r"dernière\b|\bl'an dernier\b|\b(?:el )?año pasado\b|去年",
    ),
    ("this year", r"\bthis year\b|\b(?:in )?diese[ms] jahr\b|\bcette année\b|\beste año\b|今年"),
    (
        "30 days",
        r"\b(?:recently|lately)\b|\b(?:neulich|kürzlich|zuletzt|in letzter "
        r"zeit)\b|\brécemment\b|\brecientemente\b|\búltimamente\b|最近",
    ),
)
_AGO = regex(
    r"\b(?P<number>\d{1,3}) (?P<unit>day|week|month)s? ago\b|\bvor "
    r"(?P<number2>\d{1,3}) (?P<unit2>tag|woche|monat)(?:en?)?\b"
    r"|\bil y a (?P<number3>\d{1,3}) (?P<unit3>jour|semaine|mois)s?\b|\bhace "
    r"(?P<number4>\d{1,3}) (?P<unit4>día|semana|mes)(?:es|s)?\b",
    re.IGNORECASE,
)
_UNITS = {
    "day": "days",
    "tag": "days",
    "jour": "days",
    "día": "days",
    "week": "weeks",
    "woche": "weeks",
    "semain": "weeks",
    "semana": "weeks",
}
_ONESELF = regex(
    r"^(?:me|myself|us|mich|uns|moi|nous|mí|nosotros|anything|everything|alles?|tout|todo|我|我们|私|什么)?$",
    re.IGNORECASE,
)
_BULLET = regex(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")


def remember(asked: Asked, route: Route) -> Step:
    """Write down what is to be remembered as a lasting fact."""
    if not asked.results:
        return Step(
            calls=(("memory_write", {"kind": "long_term", "content": route.get("content")}),)
        )
    done = asked.of("memory_write")
    if not done:
        return list_answers.refused(asked, route)
    note = done[0].content["note"]
    return Step(
        say(
            route.language,
            "remembered" if done[0].content["written"] else "known",
            title=link(note["id"], note["title"]),
        )
    )


def recall(asked: Asked, route: Route) -> Step:
    """Look for what was said and noted, and tell it.

    Facts as quotes, then conversations with their days.
    """
    target, days = parted(f"{route.get('when')} {route.get('words')}")
    if not asked.has("memory_search"):
        return Step(calls=(("memory_search", {"query": _query(target, days), "limit": HITS}),))
    hits = [hit for result in asked.of("memory_search") for hit in result.content["results"]]
    if not hits:
        return (
            list_answers.refused(asked, route)
            if asked.refusal
            else Step(say(route.language, "unremembered"))
        )
    noted = (
        []
        if days and not target
        else [hit["noteId"] for hit in hits if hit["kind"] == "memory_note"][:READ_NOTES]
    )
    if noted and not asked.has("get_note_content") and "get_note_content" in asked.tools:
        return Step(calls=tuple(("get_note_content", {"noteId": note_id}) for note_id in noted))
    parts = [*_facts(asked, target)][:FACTS]
    read = {note["id"] for note in _notes(asked)}
    talked = [
        _told(hit) for hit in hits if hit["kind"] != "memory_note" or hit["noteId"] not in read
    ]
    if talked:
        parts.append("\n".join(talked))
    return (
        Step("\n\n".join([say(route.language, "recalled"), *parts]))
        if parts
        else Step(say(route.language, "unremembered"))
    )


def parted(said: str) -> tuple[str, str]:
    """Give what is asked about and the days that are named, as the search reads them.

    `"the boiler last week"` is the boiler, `last week`.
    """
    for value, pattern in _spans():
        if found := pattern.search(said):
            return _rest(said, found), value
    if ago := _AGO.search(said):
        number, unit = (value for value in ago.groups() if value)
        return _rest(said, ago), f"{number} {_UNITS.get(unit.lower(), 'months')}"
    return said.strip(), ""


@functools.cache
def _spans() -> tuple[tuple[str, re.Pattern[str]], ...]:
    weekdays = (
        (
            day,
            rf"\b(?:on |last |am |letzten |le |el )?(?:{names})\b(?: dernier| passé| pasado)?"
            if "|" in names
            else names,
        )
        for day, names in zip(_DAYS, _WEEKDAYS, strict=True)
    )
    return tuple(
        (value, re.compile(pattern, re.IGNORECASE)) for value, pattern in (*_SPANS, *weekdays)
    )


def _rest(said: str, found: re.Match[str]) -> str:
    return " ".join(f"{said[: found.start()]} {said[found.end() :]}".split())


def _query(target: str, days: str) -> str:
    """Give the words that matter and the days as a search.

    Without either, for the newest that there is.
    """
    terms = "" if _ONESELF.match(target) else resolve_reference.query(target)
    narrowed = f'updated:"{days}"' if " " in days else f"updated:{days}" if days else ""
    return f"{terms} {narrowed}".strip() or EVER


def _notes(asked: Asked) -> Iterator[Any]:
    for result in asked.of("get_note_content"):
        if "markdown" in result.content.get("note", {}):
            yield result.content["note"]


def _facts(asked: Asked, target: str) -> Iterator[str]:
    """Give the lines of the notes that hold one of the words, the newest first, as quotes.

    Without words the last lines.
    """
    wanted = [] if _ONESELF.match(target) else [stem(term) for term in questions.read(target).terms]
    for note in _notes(asked):
        for line in reversed(note["markdown"].splitlines()):
            fact = _BULLET.sub("", line).strip()
            if fact and not fact.startswith("#") and (not wanted or _holds(fact, wanted)):
                yield f"> {fact[:LONGEST_FACT]}\n\n— {link(note['id'], note['title'])}"


def _holds(fact: str, wanted: list[str]) -> bool:
    held = {stem(word) for word in words(fact)}
    return any(
        any(alike(one, other) for other in held) or (questions.is_asian(one) and one in fact)
        for one in wanted
    )


def _told(hit: Any) -> str:
    title = link(hit["noteId"], hit["title"]) if "noteId" in hit else hit["title"]
    shown = " ".join(hit["snippet"].replace(">", " ").split()).removeprefix("- ")
    return f"- {hit['at'][:10]}, {title}: {shown}"
