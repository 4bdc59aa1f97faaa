"""What else a message may be that was taken for nothing.

A todo, as it names a day or says what must be done, or a wish after words that say nothing.
"""

import re
from collections.abc import Callable, Iterator

import msgspec

from app.agent.rules.changes import days, named, reused, texts, told
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import continued, references, slots
from app.agent.rules.dialogue.resolve_reference import word_stems
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import ChangeKind, Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.routing import wording
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, ThingKind, Trace

LONGEST = 160
UNSURE = frozenset({"ask", "cannot"})
"""What a message is taken for that is taken for nothing."""
THINGS: tuple[ThingKind, ...] = ("todo", "note")
WRITES: tuple[ChangeKind, ...] = ("todo", "todos", "note", "append")
_SENTENCE = re.compile(r"[.!…。！]+\s*\S")
_CLAUSE = re.compile(r"[,;.!…]+\s+|\s+[–—-]\s+|[。！，、]\s*")


def offer_memory(asked: Asked, route: Route) -> Step | None:
    """Return the question whether something is to be remembered that people tell of themselves and
    that has no day: “my son is called Leo”.
    """
    language = route.get("written") or route.language
    may = asking.may_wish(asked, route) and language_data.has_table(language, Changes)
    if route.intent != "ask" or not may or len(asked.message) > LONGEST or "\n" in asked.message:
        return None
    words, text = words_of(language), Marked(asked.message).text
    if not words.of_self.match(text) or words.asks.search(text) or re.search("[?？]", text):
        return None
    if texts.is_due(asked, asked.message, language):
        return None
    told = language_data.load_table(language, Changes).remember
    text = asked.message.strip(" .!。！")
    return asking.ask_meant(Route("mean", language, {"text": text, "plain": told}))


def wish_at_end(asked: Asked, route: Route, act: Callable[[Asked], Step]) -> Step | None:
    """Return the step of the last words of a message, where they are a wish and what stands before
    them is none and names nothing of the user's: “no time today. Move it to Friday”.
    """
    language = route.get("written") or route.language
    if not language_data.has_table(language, Changes):
        return None
    for lead, rest in _splits(asked.message):
        part = msgspec.structs.replace(asked, message=rest, results=())
        again = continued.continue_from(part, language) if _SENTENCE.search(asked.message) else None
        if again and again.intent == "undo":
            return reused.reuse(msgspec.structs.replace(asked, message=rest), act)
        if not _is_wish(rest, language) or _is_wish(lead, language) or "?" in lead:
            continue
        if _needs_lead(asked, rest, language):
            return None  # “See the doctor, put it on my list.”
        if (calls := asking.looks(asked)) and not asking.has_looked(asked):
            return Step(calls=calls)
        found = named.find(asked, Marked(lead), asking.things(asked), THINGS, language)
        found = [
            one for one in found if told.names_one(lead[one.start : one.end], one.things, language)
        ]
        another = references.other_in(lead, language)  # “the other one won't do, move it to …”
        if another or (not found and _tells_of_another(asked, lead, language)):
            return None
        if found and set(references.newest(asked, THINGS).things).isdisjoint(found[0].things):
            return None
        part = msgspec.structs.replace(asked, message=rest)
        return reused.reuse(part, act)
    return None


def _tells_of_another(asked: Asked, lead: str, language: Language) -> bool:
    """Return whether a clause tells that something is done that nobody spoke of: “the taxes are
    finished, tick that off”.
    """
    words, marked = words_of(language), Marked(lead)
    if not marked.mark((one.span() for one in words.done.finditer(lead.lower())), "c"):
        return False
    marked.mark(days.find(lead, asked, language), "d")
    about = {
        stem for one in references.newest(asked, THINGS).things for stem in word_stems(one.title)
    }
    rest = word_stems(marked.left(words))
    return bool(rest) and about.isdisjoint(rest)


def _splits(message: str) -> Iterator[tuple[str, str]]:
    """Yield what stands before and after each end of a clause, where both have words."""
    if len(message) > LONGEST * 2 or "\n" in message.strip() or re.search('["“«「]', message):
        return
    for found in _CLAUSE.finditer(message):
        lead, rest = message[: found.start()], message[found.end() :]
        yield lead, rest


def _needs_lead(asked: Asked, text: str, language: Language) -> bool:
    """Return whether a clause is about what stands before it: it writes down nothing else, or ticks
    something that may be an item there.
    """
    has_day = texts.is_due(asked, text, language) or not days.find(asked.message, asked, language)
    if words_of(language).cues["todo"].search(Marked(text).text) and not has_day:
        return True  # “He comes on Monday at 9, add a todo Visit.”
    words, plain = words_of(language), Marked(text).text
    if words.cues["tick"].search(plain):
        last = asked.earlier[0] if asked.earlier else Trace()
        return not any(one.kind == "todo" for one in (*last.about, *last.shown))
    for kind in WRITES:
        marked = Marked(text)
        if not marked.fit(words.cues[kind], "c"):
            continue
        for pattern in (words.also[kind], words.courtesy, words.put, words.place, words.must):
            marked.fit(pattern, "p")
        if not marked.left(words):
            return True
    return False


def _is_wish(text: str, language: Language) -> bool:
    """Return whether a clause begins with a word for a change, but for what says nothing."""
    words = words_of(language)
    plain = Marked(slots.without_lead(wording.plain_wording(text, language), language)).text
    plain = plain.lstrip(" ,.¡¿")
    while found := words.courtesy.match(plain):
        if not found.end():
            break
        plain = plain[found.end() :].lstrip(" ,")
    begun = (words.put, words.place, words.must, *words.cues.values())
    return any(one.match(plain) for one in begun)
