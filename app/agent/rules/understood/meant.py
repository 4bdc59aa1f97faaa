"""The things, days and levels that the slots of a message mean."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from app.agent.quickadd import quickadd
from app.agent.rules.answers import todo_changes
from app.agent.rules.changes import days, named, told
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import dialogue_words, references, resolve_reference, that_day
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.mentions import asking, mentions, parts
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import fold_text, split_words
from app.agent.rules.phrases import dates
from app.agent.rules.reader.reader import Understood
from app.agent.rules.routing import routing, wording
from app.agent.rules.understood import looked_up
from app.agent.turn.steps import Asked, Thing, ThingKind, Trace

OF_DONE = frozenset({"delete", "rename", "todo_state"})
"""The intents that may be of a todo whether it is done or not."""
HIGHEST = 10
SHORT_TIME = 3
"""So many words has a time of day that stands alone."""
SHORT_NAME = 3
"""So many letters has the short form of a name at least."""
TOP, LOW = 5, 1
_WITHIN = re.compile(r"[」”]?(?:里|裡|中的|上的|の中|から)")
"""What stands behind the name of a list of which something is told."""
_HONORIFIC = re.compile(r"(?:さん|くん|君|ちゃん|さま|様|先生|氏)$")
_EDGES = " \t\n,.;:，。；：、"


class Meant(NamedTuple):
    """The things that a message means, or those of which it may mean one."""

    things: tuple[Thing, ...] = ()
    unsure: tuple[Thing, ...] = ()


def things(asked: Asked, said: Understood, kinds: Sequence[ThingKind], language: Language) -> Meant:
    """Return what a message means: by names, by what it points at, else what was spoken of."""
    may = _may_be(asked, said, kinds)
    names, pointers = names_of(said, language), said.all_of("it")
    found: list[Thing] = []
    all_of = [one for one in (*names, *pointers) if references.says_all(one, language)]
    if all_of and said.get("olddat"):
        return Meant(tuple(_due_on(asked, said.get("olddat"), may)))
    all_named = [_likeliest(asked, _named(name, may)) for name in names]
    alone = {one[0] for one in all_named if len(one) == 1}
    is_whole = bool(alone & {*_called(names, may)})
    for which in all_named:
        # “at the Thomsens' Wednesday is no good, move the visit” says in two places which visit,
        # and “delete my gift ideas before Priya looks” names more than a whole title
        if len(which) != 1 and not alone & set(which) and not is_whole:
            return Meant((), which)
        found += which if len(which) == 1 else ()
    # “brining the turkey: take its date off” points at what it names
    last = max((one.start for one in said.spans if one.slot == "target"), default=len(said.text))
    for span in said.spans:
        if span.slot != "it" or span.start > last:
            continue
        words = said.text[span.start : span.end]
        pointed = references.refer(asked, words, kinds, language)
        if pointed is None or not pointed.things:
            spoken = references.newest(asked, kinds)
            of_all = references.choose(spoken.things or spoken.unsure, words, language)
            pointed = of_all or pointed
        if pointed and pointed.things:
            found += pointed.things
        elif not names:
            return Meant((), pointed.unsure if pointed else ())
    if not (names or pointers):
        spoken = references.newest(asked, kinds)
        newest = spoken.things
        if len(spoken.unsure) == 2 and references.both_in(said.text, language):
            newest = spoken.unsure
        is_done = asked.earlier and asked.earlier[0].intent == "complete_todo"
        found += (() if is_done and not {*newest} <= {*may} else newest) or _beside(said, may)
        found = found or _asked_of(asked, kinds)
        if said.intent == "add_item" and not found:
            found = looked_up.shopping_list(asked)  # “we need eggs”
    return Meant(tuple(dict.fromkeys(found)))


def names_of(said: Understood, language: Language) -> list[str]:
    """Return the names of what a message is about, without “the next”."""
    return [dialogue_words.without_next(one, language) for one in said.all_of("target")]


def _likeliest(asked: Asked, which: tuple[Thing, ...]) -> tuple[Thing, ...]:
    """Return the one of several whose whole name a message has, where none has that and more, else
    the one that was spoken of just before; all of them where none is.
    """
    whole = [one for one in which if _is_said(one.title, asked.message)]
    words = {one: {*split_words(one.title)} for one in which}
    if len(whole) == 1 and not any(words[whole[0]] < words[one] for one in which):
        return tuple(whole)
    last = asked.earlier[0] if asked.earlier else Trace()
    spoken_of = [one for one in which if one in last.about and not last.asks]
    return tuple(spoken_of) if len(spoken_of) == len(last.about) == 1 else which


def _is_said(title: str, message: str) -> bool:
    """Return whether a message has all words of a title, or all letters of an unspaced one."""
    if questions.is_asian(title):
        return {*title} <= {*message}
    return {*resolve_reference.word_stems(title)} <= {*resolve_reference.word_stems(message)}


def _asked_of(asked: Asked, kinds: Sequence[ThingKind]) -> list[Thing]:
    """Return the note nearest to the question before, where that names it or the turn before it
    told of it: what follows goes on with it though no passage was the answer.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    if "note" not in kinds or last.intent != "ask" or last.asks or not asked.before:
        return []
    row, told = parts.split(asked.before[-1]), references.notes_told(last)
    find = mentions.named_unspaced if questions.is_asian(asked.before[-1]) else mentions.named
    goes_on = any(references.notes_told(one) == told for one in asked.earlier[1:2])
    return [*told] if goes_on or find(row, told, "note") else []


def may_be_other(asked: Asked, names: Sequence[str], id_: Any) -> bool:
    """Return whether names are less than half of the title of a note, while another note was spoken
    of just before: “add to the recipe” names no “Recipe for winter stout” after another recipe.
    """
    spoken_of = asked.earlier[0].about if asked.earlier else ()
    notes = [one for one in asking.things(asked) if one.kind == "note" and one.id == id_]
    if len(spoken_of) != 1 or spoken_of[0].kind != "note" or not notes or notes[0] in spoken_of:
        return False
    held = {*resolve_reference.word_stems(notes[0].title)}
    return all(2 * len(held & {*resolve_reference.word_stems(one)}) < len(held) for one in names)


def _due_on(asked: Asked, words: str, may: Sequence[Thing]) -> list[Thing]:
    """Return the todos that are due on a day: “push everything from today to tomorrow”."""
    found = dialogue_words.find_days(dialogue_words.bare(words), asked.now)
    if found is None:
        return []
    dues = {
        row["id"]: todo_changes.due_moment(row, asked.now)
        for result in asked.of("search_todos")[:1]
        for row in result.content["todos"]
    }
    days = found[0]
    return [
        one
        for one in may
        if one.kind == "todo" and (due := dues.get(one.id)) and days.start <= due < days.end
    ]


def _may_be(asked: Asked, said: Understood, kinds: Sequence[ThingKind]) -> list[Thing]:
    """Return the things of some kinds; only what is done is opened again, and no other changed."""
    is_open = {one.id for one in told.open_todos(asked)}
    reopens = said.intent == "reopen_todo"
    return [
        one
        for one in asking.things(asked)
        if one.kind in kinds
        and (one.kind != "todo" or said.intent in OF_DONE or (one.id not in is_open) == reopens)
    ]


def _named(name: str, may: Sequence[Thing]) -> tuple[Thing, ...]:
    rows = [{"title": one.title, "thing": one} for one in may]
    for find in (
        resolve_reference.fitting_rows,
        resolve_reference.short_rows,
        resolve_reference.near_rows,
        resolve_reference.compound_rows,
        resolve_reference.mistyped_rows,
    ):
        if found := find(name, rows):
            return tuple(one["thing"] for one in found)
    in_part = mentions.named_unspaced if questions.is_asian(name) else mentions.named
    return next((one.things for one in in_part(parts.split(name), may, "todo")), ())


def named_whole(asked: Asked, names: Sequence[str], kind: ThingKind) -> tuple[Thing, ...]:
    """Return the one thing that is called as the one name says; nothing where none is."""
    fits = _called(names, [one for one in asking.things(asked) if one.kind == kind])
    return fits if len(names) == len(fits) == 1 else ()


def _called(names: Sequence[str], may: Sequence[Thing]) -> tuple[Thing, ...]:
    """Return the things whose title is one of these names as it stands."""
    said = {fold_text(trimmed(one)).strip() for one in names}
    return tuple(one for one in may if fold_text(one.title).strip() in said)


def _beside(said: Understood, may: Sequence[Thing]) -> tuple[Thing, ...]:
    """Return the one thing that a message names beside its slots: “no mere haircut, rename it”."""
    find = mentions.named_unspaced if questions.is_asian(said.text) else mentions.named
    apart = {
        part.things
        for part in find(parts.split(said.text), may, "todo")
        if not any(one.start < part.end and part.start < one.end for one in said.spans)
    }
    only = apart.pop() if len(apart) == 1 else ()
    return only if len(only) == 1 else ()


def person(asked: Asked, name: str) -> str:
    """Return the one contact whom a name means; who was spoken of last without a name."""
    people = dict.fromkeys(one for one in asking.things(asked) if one.kind == "person")
    said = set(fold_text(name).split())
    if not said:
        return references.last_person(asked)

    bare = _HONORIFIC.sub("", name) or name

    def fits(title: str) -> bool:
        unspaced = questions.is_asian(name) and (bare in title or title in name)
        words = fold_text(title).split()
        short = (one for one in said if len(one) >= SHORT_NAME)  # “Ludo” of Ludovic
        return (
            unspaced
            or bool(said & set(words))
            or any(word.startswith(one) for one in short for word in words[:1])
        )

    fitting = [one.title for one in people if fits(one.title)]
    whole = [one for one in fitting if said >= set(fold_text(one).split())]
    found = whole if len(whole) == 1 else fitting
    return found[0] if len(found) == 1 else ""


def folder(asked: Asked, name: str) -> str:
    """Return the folder that a name means; empty where none is called so."""
    rows = [{"name": one.title} for one in asking.things(asked) if one.kind == "folder"]
    found = resolve_reference.find_folder(trimmed(name), rows) if name else None
    return str(found["name"]) if found else ""


def folder_of(asked: Asked, said: Understood, names: Sequence[str], language: Language) -> str:
    """Return the folder into which a note is moved, by its name, else where it is only “there”:
    “and pop the seed order in there”.
    """
    found = folder(asked, names[-1]) if names else ""
    is_there = not names or references.points_there(names[-1], language)
    return found or (folder_there(asked, said, language) if is_there else "")


def folder_there(asked: Asked, said: Understood, language: Language) -> str:
    """Return the folder that was spoken of last, where words beside the other slots say “there”:
    “dentro crea la nota …”; empty where they do not.
    """
    beside = said.text
    for one in said.spans:
        if one.slot != "folder":
            beside = beside.replace(said.text[one.start : one.end], " ", 1)
    found = named.folder_there(asked, Marked(beside), language)
    return found.title if found else ""


def day(asked: Asked, said: Sequence[str], language: Language) -> str:
    """Return words for days as quick add reads them; empty where it does not.

    Of several that are not one day together the last: “can't do Wednesday, Monday instead”.
    """
    pointing = (msgspec.structs.replace(asked, message=one) for one in said)
    texts = [_bare(that_day.with_day(one, language).message) for one in pointing]
    several = reversed(texts) if len(texts) > 1 else ()
    found = (_day_in(asked, one, language) for one in (" ".join(texts), *several) if one)
    return next(filter(None, found), "")


def _bare(text: str) -> str:
    """Return a text without marks around it, but the stop at the end of a date: “den 8.12.”."""
    kept = text.strip(_EDGES)
    return f"{kept}." if re.search(r"\d\.\d{1,2}$", kept) and f"{kept}." in text else kept


def _day_in(asked: Asked, text: str, language: Language) -> str:
    words = text.split()
    for at in range(len(words)):
        if _is_day(asked, end := " ".join(words[at:]), language):
            return end
        if _is_day(asked, numbered := _on_day(end, language), language):
            return numbered
    at_time: str = language_data.load_table(language, Dates).at_time.replace("{time}", text)
    if at_time and len(words) <= SHORT_TIME and _is_day(asked, at_time, language):
        return at_time  # “noon” alone
    places = days.find(text, asked, language)
    part = " ".join(text[start:end].strip(_EDGES) for start, end in places)
    return part if part and _is_day(asked, part, language) else ""


def _on_day(text: str, language: Language) -> str:
    """Return the number of a day as quick add reads it, with the time behind it: “on 17th”, “el 4”
    for “al 4”, “am 10. um 9” for “auf den 10. um 9”; empty for any other text.
    """
    table = language_data.load_table(language, Dates)
    before = language_data.join_pattern(table.to_day)
    day = rf"(?:(?:{before}) (\d{{1,2}})|(?:(?:{before}) )?(\d{{1,2}}(?:\.|[a-z]{{2}})))"
    found = re.fullmatch(rf"{day}((?:,? .+)?)", plain_letters(text).lower())
    if not found or not table.on_day:
        return ""
    numbered = table.on_day.replace("{day}", found[1] or found[2])
    return f"{numbered}{found[3]}"


def _is_day(asked: Asked, text: str, language: Language) -> bool:
    read = quickadd.read_line(f"x {text}", now=asked.now, locale=language)
    return read.title.strip(" .,!?") in ("x", "X") and bool(read.due or read.recurrence)


def shown_day(asked: Asked, words: str, language: Language) -> str:
    """Return words for a day as answers write it; those for a time or a rule alone as they are."""
    read = quickadd.read_line(f"x {words}", now=asked.now, locale=language)
    if read.due is None or {one.kind for one in read.spans} not in ({"date"}, {"date", "time"}):
        return words
    if isinstance(read.due, datetime):
        return dates.moment(language, read.due, asked.now)
    return dates.day(language, read.due, asked.now)


def is_rule(asked: Asked, words: str, language: Language) -> bool:
    """Return whether words say how often something comes again."""
    return quickadd.read_line(f"x {words}", now=asked.now, locale=language).recurrence is not None


def keeps_time(words: str, language: Language) -> bool:
    """Return whether words say that the time of day stays as it is."""
    return dialogue_words.whole(language, "same_time", words) is not None


def is_same_day(asked: Asked, one: str, other: str, language: Language) -> bool:
    """Return whether two texts say the same day or time, in whatever words."""
    due, also = (
        quickadd.read_line(f"x {text}", now=asked.now, locale=language).due for text in (one, other)
    )
    return due is not None and due == also


def is_within(said: Understood) -> bool:
    """Return whether what is named is where something stands, and not the thing: 读书单里."""
    ends = [one.end for one in said.spans if one.slot == "target"]
    return any(_WITHIN.match(said.text, end) for end in ends)


def said_level(said: Understood, language: Language) -> int | None:
    """Return the priority that a message names, the last number where it says it in several ways:
    “a little higher, make it 4”.
    """
    words = said.all_of("prio")
    numbers = [one for one in words if re.search(r"\d", one)]
    return level(next(iter((*numbers[-1:], *words)), ""), language)


def level(words: str, language: Language) -> int | None:
    """Return the priority, 0 to 10, that words name; None where they name none."""
    if not words:
        return None
    if (named := dialogue_words.priority_of(words, language)) is not None:
        return named
    if digits := re.search(r"\d+", words):
        number = int(digits[0])
        found = TOP + 1 - number if re.match(r"p[1-5]\b", words.lower()) else number
        return found if found <= HIGHEST else None
    filters, folded = dialogue_words.tables(language)[0].filters, dialogue_words.bare(words)
    denied = words_of(language).denies.search(Marked(words).text)  # “not so urgent”
    if denied or dialogue_words.find_in(filters["low"], folded):
        return LOW
    return TOP if dialogue_words.find_in(filters["top"], folded) else None


def name_of(said: Understood) -> str:
    """Return the new name that a message tells, without what ends it by the way: “… then”."""
    return routing.without_courtesy(trimmed(said.get("name")))


def trimmed(text: str) -> str:
    """Return a text without marks around it."""
    return wording.unquoted(text.strip(_EDGES)).strip(_EDGES)


def is_person(asked: Asked, name: str) -> bool:
    """Return whether a name is no more than that of a contact."""
    words = set(split_words(name))
    people = (one for one in asking.things(asked) if one.kind == "person")
    return any(words <= set(split_words(one.title)) for one in people)
