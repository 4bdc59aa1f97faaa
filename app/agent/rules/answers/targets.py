"""The todos and notes that a change is meant for: by the turns before, or by their names.

A change needs one that fits by whole words; of several it is asked which, of none it is said.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from app.agent.rules.answers import list_answers
from app.agent.rules.dialogue import dialogue_words, references, reports, resolve_reference
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import fold_text, split_words, stem
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Question, Step, Thing, ThingKind, Trace, call_tool

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
CANDIDATES = 20
ALL = 0
SEARCHED = 8
"""So many searches for single words are made at once."""


def find_things(
    asked: Asked,
    route: Route,
    kinds: Sequence[ThingKind],
    *,
    words: str,
    completed: bool | None = False,
    did: str = "",
) -> Step | tuple[Thing, ...]:
    """Return the things that are meant, or the step that looks for them or asks.

    `completed` is which todos are looked through; None all of them. `did` is the verb of a report
    that something is done, which must be that of the todo too.
    """
    meant = tuple(one for one in route.things if one.kind in kinds)
    if meant:
        return meant
    words, number = dialogue_words.without_number(words, route.language)
    found = (
        references.refer(asked, words, kinds, route.language)
        if words
        else references.newest(asked, kinds)
    )
    if found is not None:
        told = _told_of(found.things or found.unsure, did, words)
        if told and (found.things or len(told) == 1):
            return told
        if told or not did:
            return ask_meant(route, _likest(asked, told)) if told else ask_what(route)
    if calls := _searches(asked, words, kinds, completed):
        return Step(calls=calls)
    wide = _is_wide(asked)
    fitting = _told_of(_fitting(asked, words, kinds, strictly=wide), did, words)
    if not fitting and did and questions.is_asian(did):
        # A single letter is no word before its verb stands beside it: “书还了”.
        fitting = _fitting(asked, words + did, kinds, strictly=wide)
    if len(fitting) > 1 and number in (len(fitting), ALL):
        return fitting
    if len(fitting) > 1:
        return ask_meant(route, _likest(asked, fitting))
    if not fitting and (calls := _wider_searches(asked, words, kinds, completed)):
        return Step(calls=calls)
    if fitting := fitting or _each(asked, words, kinds, route.language, did):
        return fitting
    called = dialogue_words.without_list_word(words, route.language)
    lists = _fitting(asked, called, ("note",), strictly=True) if "note" in kinds else ()
    if len(lists) == 1:
        return lists
    if calls := _list_searches(asked, words, called, kinds):
        return Step(calls=calls)
    if near := _near(asked, words, kinds):
        return ask_whether(route, words, near)
    if "todo" in kinds and (step := _alike(asked, route, words, completed)):
        return step
    if did and (last := _told_of(references.newest(asked, kinds).things, did, "")):
        return ask_whether(route, words, last)
    none = list_answers.refusal_or(asked, route, route.phrase("none_fits", words=words))
    return msgspec.structs.replace(none, empty=True)


def _likest(asked: Asked, things: tuple[Thing, ...]) -> tuple[Thing, ...]:
    """Return the one of several whose name has most Chinese letters of a message, else all."""
    said = set(_HAN.findall(asked.message))
    held = [len(said & set(one.title)) for one in things]
    return (things[held.index(max(held))],) if held.count(max(held, default=0)) == 1 else things


def ask_which(route: Route, things: Sequence[Thing]) -> Step:
    """Return the question which of several is meant, with their numbers."""
    shown = tuple(things[: resolve_reference.SHOWN])
    lines = [f"{number}. {one.title}" for number, one in enumerate(shown, 1)]
    question = Question(route.intent, dict(route.arguments), choices=shown)
    return Step("\n".join([route.phrase("which"), *lines]), trace=Trace(shown=shown, asks=question))


def ask_whether(route: Route, words: str, near: Sequence[Thing]) -> Step:
    """Say that nothing fits, and ask whether the nearest is meant."""
    asks = ask_meant(route, near)
    none = route.phrase("none_fits", words=words)
    return msgspec.structs.replace(asks, text=f"{none} {asks.text}")


def ask_meant(route: Route, things: Sequence[Thing]) -> Step:
    """Return the question whether one thing is meant, or which of several."""
    if len(things) > 1:
        return ask_which(route, things)
    question = Question(route.intent, dict(route.arguments), choices=tuple(things))
    text = route.phrase("did_you_mean", title=things[0].title)
    return Step(text, trace=Trace(shown=tuple(things), asks=question))


def called_so(route: Route, things: tuple[Thing, ...]) -> Step:
    """Return that things have the name already that they are to be given."""
    titles = ", ".join(one.title for one in things)
    return Step(route.phrase("called_so", title=titles), trace=Trace(about=things))


def ask_what(route: Route) -> Step:
    """Return the question what is meant, where nothing was talked about."""
    question = Question(route.intent, dict(route.arguments), lacks="thing")
    return Step(route.phrase("which_one"), trace=Trace(asks=question))


def _searches(
    asked: Asked, words: str, kinds: Sequence[ThingKind], completed: bool | None
) -> tuple[tuple[str, dict[str, Any]], ...]:
    """Return the searches for those words that were not made yet."""
    calls: list[tuple[str, dict[str, Any]]] = []
    if "todo" in kinds and not asked.has("search_todos") and "search_todos" in asked.tools:
        query = " ".join(resolve_reference.word_stems(words)) or words
        state = {} if completed is None else {"completed": completed}
        fields = {"q": query[:1000], **state, "limit": CANDIDATES}
        calls.append(("search_todos", {**fields, **list_answers.zone_argument(asked)}))
    if "note" in kinds and not asked.has("search_notes") and "search_notes" in asked.tools:
        query = resolve_reference.name_query(words)
        calls.append(("search_notes", {"query": query, "limit": CANDIDATES}))
    return tuple(calls)


def _wider_searches(
    asked: Asked, words: str, kinds: Sequence[ThingKind], completed: bool | None
) -> tuple[Call, ...]:
    """Return the searches for each word by itself, in all its forms, that were not made yet."""
    if "todo" not in kinds or "search_todos" not in asked.tools:
        return ()
    done = {result.arguments.get("q") for result in asked.of("search_todos")}
    stems = [one for one in resolve_reference.search_stems(words) if one not in done]
    if _is_wide(asked):
        return ()
    state = {} if completed is None else {"completed": completed}
    if questions.is_asian(words):
        # Where no spaces part words, those of a title may stand in another order.
        fields = {**state, "limit": list_answers.MOST, **list_answers.zone_argument(asked)}
        return () if None in done else (("search_todos", fields),)
    fields = {**state, "limit": CANDIDATES, **list_answers.zone_argument(asked)}
    return tuple(("search_todos", {"q": one, **fields}) for one in stems[:SEARCHED])


def _list_searches(
    asked: Asked, words: str, called: str, kinds: Sequence[ThingKind]
) -> tuple[Call, ...]:
    """Return the search for the name of a list that a word for a list is joined to, where it was
    not made yet: “Einkaufszettel” is the note “Einkauf”.
    """
    is_joined = called != fold_text(words).strip() and " " not in words
    done = {result.arguments.get("query") for result in asked.of("search_notes")}
    if "note" not in kinds or "search_notes" not in asked.tools or not is_joined or called in done:
        return ()
    return (("search_notes", {"query": called, "limit": CANDIDATES}),)


def _told_of(things: Sequence[Thing], did: str, words: str) -> tuple[Thing, ...]:
    """Return the things of which a report with that verb may be."""
    forms = (did, *resolve_reference.same(stem(fold_text(did))))
    return tuple(
        one
        for one in things
        if not did or any(reports.tells_of(form, one.title, words) for form in forms)
    )


def _is_wide(asked: Asked) -> bool:
    """Return whether words were searched for one by one, which finds what only begins alike."""
    return len(asked.of("search_todos")) > 1


def _fitting(
    asked: Asked, words: str, kinds: Sequence[ThingKind], *, strictly: bool
) -> tuple[Thing, ...]:
    rows = _rows(asked, kinds)
    return _things(resolve_reference.fitting_rows(words, rows, strictly=strictly))


def _each(
    asked: Asked, words: str, kinds: Sequence[ThingKind], language: Language, did: str
) -> tuple[Thing, ...]:
    """Return what each of several names means; nothing where one of them means none or several."""
    names = dialogue_words.split_list(words, language)
    every = [_fitting(asked, name, kinds, strictly=True) for name in names]
    found = [_told_of(one, did, name) for one, name in zip(every, names, strict=True)]
    if len(names) < 2 or any(len(one) != 1 for one in found):
        return ()
    return tuple(dict.fromkeys(one[0] for one in found))


def _near(asked: Asked, words: str, kinds: Sequence[ThingKind]) -> tuple[Thing, ...]:
    return _things(resolve_reference.near_rows(words, _rows(asked, kinds)))


def _alike(asked: Asked, route: Route, words: str, completed: bool | None) -> Step | None:
    """Return the question whether the todo is meant of whose name one letter is wrong, or of which
    a report has the beginning of a word and the verb, or the search for it; None where there is
    none.
    """
    terms = [one for one in questions.read_question(words).terms if one.isalpha()]
    is_long = any(len(one) >= resolve_reference.MISTYPED for one in terms)
    is_part = route.intent == "complete_todo" and len(terms) == 1
    if not (is_long or is_part) or questions.is_asian(words):
        return None
    if "search_todos" not in asked.tools:
        return None
    state = {} if completed is None else {"completed": completed}
    fields = {**state, "limit": list_answers.MOST, **list_answers.zone_argument(asked)}
    if not any("q" not in one.arguments for one in asked.of("search_todos")):
        return call_tool("search_todos", **fields)
    rows = _rows(asked, ("todo",))
    found = _things(resolve_reference.mistyped_rows(words, rows))
    if is_part and not found:
        begun = [one for one in rows if resolve_reference.begins_compound(words, one["title"])]
        verbs = [one for one in split_words(asked.message) if one not in terms]
        found = tuple(
            one
            for one in _things(begun)
            if any(reports.tells_of(verb, one.title, words) for verb in verbs)
        )
    return ask_whether(route, words, found) if found else None


def is_place(asked: Asked, thing: Thing, language: Language) -> bool:
    """Return whether a message names a thing only as that which something is taken out of: “the
    eggs are bought, remove them from the shopping list”.
    """
    title, text = fold_text(thing.title), fold_text(asked.message)
    said = [title]
    if title not in text and questions.is_asian(title):
        said = [title[at:end] for at in range(len(title)) for end in range(at + 2, len(title) + 1)]
    elif title not in text:
        said = [title.split()[0], title.split()[-1]]
    names = "|".join(re.escape(one) for one in sorted(said, key=len, reverse=True) if one in text)
    name = f"(?:{names})"
    return bool(names) and any(
        re.search(language_data.join_pattern(table.out_of).replace("{name}", name), text)
        for table in dialogue_words.tables(language)
    )


def _rows(asked: Asked, kinds: Sequence[ThingKind]) -> list[Mapping[str, Any]]:
    """Return what the searches gave, each once."""
    rows: dict[tuple[str, int], Mapping[str, Any]] = {}
    for kind, tool, field in (
        ("todo", "search_todos", "todos"),
        ("note", "search_notes", "results"),
    ):
        if kind in kinds:
            rows |= {
                (kind, row["id"]): {**row, "kind": kind}
                for result in asked.of(tool)
                for row in result.content[field]
            }
    return list(rows.values())


def _things(rows: Iterable[Mapping[str, Any]]) -> tuple[Thing, ...]:
    return tuple(Thing(row["kind"], row["id"], row["title"]) for row in rows)
