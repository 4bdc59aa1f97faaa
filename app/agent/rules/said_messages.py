"""What messages of others say of a question.

However it is put, “what did she say about …” or “who asked for the salad”; and of one that the
notes do not answer.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from app.agent.rules.answers import message_answers
from app.agent.rules.dialogue import dialogue_words, references, slots
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.view_tables import Views
from app.agent.rules.passages import questions
from app.agent.rules.passages.questions import Question
from app.agent.rules.passages.sentences import are_alike, split_words, stem
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Trace

LOOK: Mapping[str, int] = {"limit": 20, "messageLimit": 20}
"""By these arguments this look is told from that of a list of messages."""
MOST = 3
HALF, MOSTLY = 0.5, 0.6
"""The share of a question's words that a message has which answers it: where somebody is asked
for, or where it only may be meant.
"""
FEWEST = 2
_PART = re.compile(r"[^\W_]{2,}")
"""A part of a name that may stand alone."""
_THREE = re.compile(r"[\u3400-\u9fff]{3}")
_KANA = re.compile(r"[\u3040-\u30ff]")
_RUN = re.compile(r"[\u30a0-\u30ff]{2,}|[\u3400-\u9fff]+")
TAIL = 5
"""So many letters has the second part of a compound that a question names alone."""
READS = frozenset("ask tell_view from_person waiting todo_state events unread cannot".split())
"""What a question after a message may be taken for."""


class Heard(NamedTuple):
    """A message, who wrote it, and the share of the words of a question that it has."""

    message: Mapping[str, Any]
    contact: Mapping[str, Any]
    share: float


Conversations = Sequence[Mapping[str, Any]] | None
"""The conversations with messages of others, once looked up."""


def apart(asked: Asked) -> tuple[Asked, Conversations]:
    """Return what is asked without the look at messages, and their conversations, if looked."""
    rest = tuple(one for one in asked.results if one.arguments != LOOK)
    if len(rest) == len(asked.results):
        return asked, None
    found = next(one for one in asked.results if one.arguments == LOOK)
    heard = () if found.failed else found.content["conversations"]
    return msgspec.structs.replace(asked, results=rest), heard


def tell_first(asked: Asked, route: Route, heard: Conversations) -> Step | None:
    """Return what messages say of a question that asks for what somebody said; None where it asks
    for nothing of the kind, or they do not say it.
    """
    language = route.get("written") or route.language
    said = _tells(asked.message, language) if _asks(asked, route, language) else None
    # “When does the train get in?” right after what somebody wrote
    last = asked.earlier[0] if asked.earlier else Trace()
    goes_on = said is None and last.intent == "from_person" and _asks(asked, route, language)
    if (said is None and not goes_on) or message_answers.TOOL not in asked.tools:
        return None
    if heard is None:
        return Step(calls=((message_answers.TOOL, dict(LOOK)),))
    question = _question(asked.message, said or "")
    told = {stem(word) for word in split_words(said or "")}
    if goes_on:
        writers = [one.title for one in last.about if one.kind == "person"]
        found = _found(question, heard, writers, told) if writers else []
        return _told(route, [one for one in found if one.share >= HALF])
    people = list(_people(asked, language, heard))
    if not people and question.own and question.kind != "who":
        return None  # “what did I want to …”
    found = _found(question, heard, people, told)
    is_sure = question.kind == "who" or questions.is_asian(asked.message)
    least = 0.0 if people else HALF if is_sure else 1.0
    return _told(route, [one for one in found if one.share > 0 and one.share >= least])


def tell_instead(asked: Asked, route: Route, step: Step, heard: Conversations) -> Step:
    """Return a step; where it answers nothing, what messages say of the question."""
    language = route.get("written") or route.language
    said = _tells(asked.message, language)
    answers = step.quotes or not (step.empty or said) or route.intent not in READS
    if step.calls or answers or not _asks(asked, route, language):
        return step
    question = _question(asked.message)
    if not question.terms or message_answers.TOOL not in asked.tools:
        return step
    if heard is None:
        return Step(calls=((message_answers.TOOL, dict(LOOK)),))
    people = list(_people(asked, language, heard, pronouns=said is not None))
    last = asked.earlier[0] if asked.earlier else Trace()
    if not people and last.intent == "from_person":
        people = [one.title for one in last.about if one.kind == "person"]
    if said and not people and not step.empty:
        return step
    found = _found(question, heard, people, set(map(stem, split_words(said or ""))))
    if said and people:
        # “When is she coming, she wrote me”: in words other than those of the question
        newest = sorted(found, key=lambda one: str(one.message["createdAt"]), reverse=True)
        return _told(route, [one._replace(share=1.0) for one in newest[:MOST]]) or step
    names_who = people or question.kind == "who"
    kept = [
        one
        for one in found
        if (one.share >= HALF if names_who else one.share >= MOSTLY)
        and (names_who or one.share * len(question.stems) >= FEWEST or _is_kind(question, one))
    ]
    told = _told(route, kept)
    if told and step.trace and step.trace.shown:
        # What the nearest notes say may be the answer, too.
        return msgspec.structs.replace(step, text=f"{step.text}\n\n{told.text}")
    return told or step


def _is_kind(question: Question, one: Heard) -> bool:
    """Return whether a message holds the price or the like that a question is for, where no spaces
    part words and two letters are as much as a word.
    """
    asian = all(map(questions.is_asian, question.stems))
    return (
        asian and question.kind == "price" and questions.holds_kind("price", one.message["content"])
    )


def _asks(asked: Asked, route: Route, language: Language) -> bool:
    """Return whether a message is a question that reads something."""
    if route.intent not in READS and not route.is_loose:
        return False
    if slots.requests(asked.message, language):
        return False
    if "?" in asked.message or questions.read_question(asked.message).kind:
        return True
    return slots.has_kind(asked.message, language, "asks")


def _tells(message: str, language: Language) -> str | None:
    """Return the words of a message for telling or asking somebody; None where it has none."""
    if not language_data.has_table(language, Views):
        return None
    pattern = language_data.join_pattern(language_data.load_table(language, Views).tells)
    if not questions.is_asian(message):
        pattern = rf"(?<![^\W_])(?:{pattern})(?![^\W_])"
    found = re.findall(pattern, dialogue_words.bare(message)) if pattern else []
    return " ".join(found) if found else None


def _people(
    asked: Asked, language: Language, heard: Sequence[Mapping[str, Any]], *, pronouns: bool = True
) -> Iterator[str]:
    """Yield the usernames of the contacts whom a message names, or of whom it means by “she”."""
    words, unspaced = set(split_words(asked.message)), questions.is_asian(asked.message)
    named = [
        one["contact"]["username"]
        for one in heard
        if one["contact"]
        and (
            any(name in asked.message for name in _parts_of(one["contact"].get("name") or ""))
            if unspaced
            else words.intersection(_names(one["contact"]))
        )
    ]
    yield from named
    if not named and pronouns and references.person_in(asked.message, language):
        last = {*split_words(references.last_person(asked))}
        contacts = (one["contact"] for one in heard if one["contact"])
        yield from (one["username"] for one in contacts if last and last <= _names(one))


def _parts_of(name: str) -> list[str]:
    """Return the parts of a name that may stand alone; of three Chinese letters the last two."""
    parts = _PART.findall(name)
    return [*parts, *(one[1:] for one in parts if _THREE.fullmatch(one))]


def _names(contact: Mapping[str, Any]) -> set[str]:
    return {*split_words(contact["username"]), *split_words(contact.get("name") or "")}


def _found(
    question: Question, heard: Sequence[Mapping[str, Any]], people: Sequence[str], told: set[str]
) -> list[Heard]:
    """Return the messages of contacts, of these people where any are named, those first that have
    most of a question's words.
    """
    found = []
    for conversation in heard:
        contact = conversation["contact"]
        named = {contact["username"], contact.get("name")} if contact else set()
        if contact is None or (people and named.isdisjoint(people)):
            continue
        names = {stem(one) for one in _names(contact)} if people else set()
        names |= set(_parts_of(contact.get("name") or "")) if people else set()
        letters = {one for name in names if questions.is_asian(name) for one in name}
        wanted = [one for one in question.stems if one not in names | told]
        wanted = [one for one in wanted if letters.isdisjoint(one)]
        for message in message_answers.written_by_contact(conversation):
            words = {stem(word) for word in split_words(message["content"])}
            held = sum(
                one in message["content"]
                if questions.is_asian(one)
                else any(_is_of(one, word) for word in words)
                for one in wanted
            )
            found.append(Heard(message, contact, held / len(wanted) if wanted else 1.0))
    return sorted(found, key=lambda one: (-one.share, str(one.message["createdAt"])))


def _question(message: str, said: str = "") -> Question:
    """Return a question; where no spaces part words, its stems are the runs of Chinese letters and
    of loan words beside those that tell, in Chinese each two letters.
    """
    question = questions.read_question(message)
    if not questions.is_asian(message):
        return question
    text = questions.without_filler(message.replace(said, " ") if said else message)
    runs = _RUN.findall(text) if _KANA.search(message) else questions.read_question(text).terms
    return question._replace(stems=tuple(dict.fromkeys(runs)))


def _is_of(wanted: str, word: str) -> bool:
    """Return whether a word of a message is one that is asked for, or a compound of it."""
    for one in questions.alternatives(wanted):
        tail, whole = sorted((one, word), key=len)
        if are_alike(one, word) or (len(tail) >= TAIL and whole.endswith(tail)):
            return True
    return False


def _told(route: Route, found: Sequence[Heard]) -> Step | None:
    """Return the messages that have as many of a question's words as the best."""
    best = [one for one in found if one.share >= found[0].share][:MOST]
    if not best:
        return None
    whos = {one.contact["username"]: one.contact for one in best}
    about = tuple(map(message_answers.person, whos.values()))
    lines = [message_answers.line(one.message) for one in best]
    if len(whos) == 1:
        who = best[0].contact.get("name") or best[0].contact["username"]
        lines = [route.phrase("from_them", who=who), *lines]
    trace = Trace(intent="from_person", about=about if len(about) == 1 else ())
    return Step("\n".join(lines), trace=trace)
