"""Todos that a message says outright, as “Fridays: take out the bins”.

Also those with a title in quotation marks, and several in one line with days of their own.
"""

import re
from collections.abc import Sequence

from app.agent.quickadd import quickadd
from app.agent.quickadd.quickadd import QuickAdd
from app.agent.rules.changes import days, texts, told
from app.agent.rules.changes.marked import Marked, Words, words_of
from app.agent.rules.dialogue import closed_classes, dialogue_words, resolve_reference, slots
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import ChangeKind
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.routing import wording
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Thing, Trace

LONGEST = 300
FEWEST = 2
"""So many words has a todo at least that is said by a day and nothing else."""
_END = re.compile(r"[,.;!?…]+\s+|\s[–—-]\s")
_SENTENCE = re.compile(r"(?<!\d)[.!?…]+\s+")
_CLAUSE = re.compile(r"[^\s,;!~，；、。！…]+")
"""What stands between the marks of a line without spaces."""


def stated(asked: Asked, kind: ChangeKind, language: Language) -> Route | None:
    """Return a todo to add, or each of several."""
    words = words_of(language)
    head, text = texts.after_colon(Marked(asked.message))
    # “Tomorrow three tasks: …” is the day of each.
    of_all = days.find(head.message, asked, language) if text and kind == "todos" else []
    head.mark(of_all, "d")
    if not (text and head.fit(words.cues[kind], "c") and texts.is_covered(head, words, kind)):
        of_all = []
        head, text = Marked(asked.message), ""
        if not head.fit(words.cues[kind], "c"):
            return None
    if head.has(words.denies) or wording.says_no_duty(asked.message, language):
        return None
    text = text or texts.text_of(head, words, kind, exact=True)
    if kind == "todo":
        return _with_day(asked, text, language)
    if not text:
        return None
    gap = " " if words.spaced else ""
    day = gap.join(head.message[start:end].strip(" ,，、") for start, end in of_all)
    rows = [
        f"{one}{gap}{day}" if day else one
        for one in texts.split_todos(head, text.rstrip(" .。!！"), language)
        if words.spaced or not _only_wishes(one, words, language)
    ]
    return Route("add_todo", language, {"tasks": "\n".join(rows)})


def _with_day(asked: Asked, text: str, language: Language) -> Route | None:
    """Return a todo to add; where only another clause has its day, the question whether both are
    meant: “put the visit on my todos, he's coming on Monday at 9”.
    """
    words, own = words_of(language), text
    for clause in () if text else told.clauses_of(asked.message, language):
        part = Marked(clause)
        if part.fit(words.cues["todo"], "c") and not part.has(words.denies):
            own = own or texts.text_of(part, words, "todo")
    places = days.find(asked.message.replace(own, " , ", 1), asked, language) if own else []
    if not words.spaced or not places or _read(asked, own, language).due is not None:
        return Route("add_todo", language, {"task": text}) if text else None
    rest = asked.message.replace(own, " , ", 1)
    day = " ".join(rest[start:end].strip(" ,") for start, end in places)
    return Route("mean", language, {"text": f"{own} {day}"})


def _when(asked: Asked, beside: Marked, language: Language) -> str:
    """Return the days, times and levels that the free words beside a title are, where they are
    nothing else.
    """
    words, text = words_of(language), beside.message
    marked = Marked(text)
    marked.marks[:] = beside.marks
    found = days.find(text, asked, language)
    is_dated = marked.mark(found, "d")
    for one in (marked, beside):
        one.fit(words.also["todo"], "p")
    if is_dated and not re.search(r"\w", marked.left(words)):
        return " ".join(text[start:end].strip(" ,") for start, end in found)
    # How often, and how important, is read with the days.
    free = " ".join(text[start:end].strip(" ,;.!:，、；。！") for start, end in beside.runs())
    read = _read(asked, f"x {free}", language)
    left = Marked(read.title.removeprefix("x")).left(words)
    is_read = (read.due or read.priority) and not re.search(r"\w", left)
    return " ".join(one.text for one in read.spans) if is_read else ""


def several(asked: Asked, route: Route) -> Route:
    """Return a todo to add as several where each part of it has a title and a day of its own:
    “post the parcel tomorrow and go to the hairdresser on Friday”.
    """
    task, language = route.get("task"), route.get("written") or route.language
    if route.intent != "add_todo" or not task or len(task) > LONGEST or route.get("target"):
        return route
    parts = split(asked, task, language)
    if not parts:
        return route
    # “Her birthday is on Sunday, I must order the cake on Saturday.”
    duties = [texts.without_duty(asked, one, language) for one in parts]
    later = [duty for duty, one in zip(duties, parts, strict=True) if duty != one]
    meant = later if later and duties[0] == parts[0] else duties
    if len(meant) == 1:
        return Route("add_todo", route.language, {**route.arguments, "task": meant[0]})
    return Route("add_todo", route.language, {**route.arguments, "tasks": "\n".join(meant)})


def split(asked: Asked, text: str, language: Language) -> list[str]:
    """Return the todos of a line where each part of it has a title and a day of its own."""
    text = text.rstrip(" .!。！")
    rows = [dialogue_words.split_list(text, language)]
    if not words_of(language).spaced:
        # “With” joins names, too: the marks alone part them as surely.
        rows.insert(0, _with_days(asked, _CLAUSE.findall(text), language))
    for parts in rows:
        found = [dated(asked, one, language) for one in parts]
        if len(found) > 1 and all(_has_both(asked, one, language) for one in found):
            return found
    return []


def _with_days(asked: Asked, parts: Sequence[str], language: Language) -> list[str]:
    """Return parts of a line without words that only join them, each that has no more than a time
    with the day of the one before.
    """
    found: list[str] = []
    day = ""
    for part in parts:
        text = without_join(part, language)
        spans = [one for one in _read(asked, text, language).spans if one.kind == "date"]
        timed = _read(asked, f"{day}{text}", language).spans if day and not spans else ()
        is_timed = any(one.kind == "time" for one in timed)
        found.append(f"{day}{text}" if is_timed else text)
        day = spans[0].text if spans else day
    return found


def without_join(text: str, language: Language) -> str:
    """Return a text without the words for “and” and “too” that it begins with."""
    also = closed_classes.class_of(language, "also").match(Marked(text).text)
    return text[also.end() :].lstrip() if also and also.end() < len(text) else text


def tidied(asked: Asked, task: str, language: Language) -> str:
    """Return a task without its last clauses that only wish it written down, or say nothing; where
    no spaces part words without any, and of what stands before “remind me” the days are kept.
    """
    words, dates = words_of(language), language_data.load_table(language, Dates)
    if words.spaced:
        while (ends := list(_END.finditer(task))) and _only_wishes(
            task[ends[-1].end() :], words, language
        ):
            task = task[: ends[-1].start()]
        return task
    if slots.only_days(task, asked, language, besides=()):
        return task
    if quoted := _only_dated(asked, task, language):
        return quoted
    clauses = _CLAUSE.findall(task)
    kept = [one for one in clauses if not _only_wishes(one, words, language)]
    if sum("recurrence" in _kinds(asked, one, language) for one in kept) > 1:
        # “… every Tuesday, make it weekly”
        kept = [one for one in kept if _has_title(asked, one, words, language)]
    # How important it is stands at its end.
    kept.sort(key=lambda one: words.cues["priority"].search(Marked(one).text) is not None)
    for at, one in enumerate(kept):
        lead, said, rest = one.partition(dates.request) if dates.request else (one, "", "")
        if said and re.search(r"\w", rest):
            before = [*kept[:at], lead]
            told = [
                clause[start:end]
                for clause in before
                for start, end in days.find(clause, asked, language)
            ]
            same = dialogue_words.tables(language)[0].that_day
            told += [
                found[0]
                for one in same.values()
                if (found := dialogue_words.find_in(one, lead)) is not None
            ]
            rest = words.also["todo"].sub("", rest[:2]) + rest[2:]
            kept = ["".join([*told, rest]), *kept[at + 1 :]]
            break
    return task if not kept or kept == clauses else "，".join(kept)


def _only_dated(asked: Asked, task: str, language: Language) -> str:
    """Return the title in quotation marks of a task with its day, where it says nothing else."""
    start, end = texts.only_quoted(Marked(task))
    title, words = task[start + 1 : end - 1].strip(), words_of(language)
    rest = words.link_before.sub("", task[end:])
    when = _when(asked, Marked(f"{task[:start]} {rest}"), language) if title else ""
    is_all = not Marked(f"{task[:start]} {rest}").left(words)
    return f"{title} {when}" if when else title if is_all else ""


def _only_wishes(clause: str, words: Words, language: Language) -> bool:
    """Return whether a clause says nothing but that something is to be written down."""
    marked = Marked(clause)
    for pattern in (words.courtesy, words.cues["todo"], words.cues["note"], words.cues["append"]):
        marked.fit(pattern, "p")
    marked.fit(words.also["todo"], "p")
    left = texts.without_vague(marked.left(words), language)
    return not re.search(r"\w", left) or slots.only_little(
        clause, language, "helper", "thanks", "add", "also"
    )


def duty(asked: Asked, language: Language) -> str:
    """Return what must be done by a day, or what begins with one: “tomorrow at 9 to the baths”."""
    words, text = words_of(language), Marked(asked.message).text
    if not (words.spaced and (found := days.find(asked.message, asked, language))):
        return ""
    if said := begun(asked.message, words.must, language):
        # “I have to push it to Friday” is a change of what is there.
        texts_said = Marked(said).text, Marked(said).text.partition(" ")[2]
        return "" if any(map(words.cues["reschedule"].match, texts_said)) else said
    start, end = found[0]
    lead, first = asked.message[:start], _SENTENCE.split(asked.message[start:], maxsplit=1)[0]
    timed = any(one.kind == "time" for one in _read(asked, first, language).spans)
    moves = words.shifts.search(text[end : start + len(first)])
    last = asked.earlier[0] if asked.earlier else Trace()
    title = _read(asked, first.partition(",")[0], language).title
    if last.undo and len(last.about) == 1 and len(resolve_reference.word_stems(title)) < FEWEST:
        return ""  # “tomorrow after work, 17:30” of what was just opened again
    return first if timed and not moves and slots.only_little(lead, language, "helper") else ""


def begun(message: str, pattern: re.Pattern[str], language: Language) -> str:
    """Return what follows a pattern that a clause begins with, beside words that say nothing."""
    text = Marked(message).text
    ends = [0, *(one.end() for one in words_of(language).join.finditer(text))]
    for found in pattern.finditer(text):
        start = max(one for one in ends if one <= found.start())
        if slots.only_little(message[start : found.start()], language, "helper"):
            return message[found.end() :].strip(" ,:")
    return ""


def is_new(asked: Asked, things: Sequence[Thing], language: Language) -> bool:
    """Return whether a message says of something else than these things that it must be done."""
    title = _read(asked, duty(asked, language), language).title
    return bool(title) and not all(told.is_all_named(title, one.title) for one in things)


def without_place(asked: Asked, text: str, language: Language) -> str:
    """Return a task without what says that it goes to one's todos, at its end or before its day:
    “the tarps on my list for Friday”.
    """
    for found in words_of(language).also["todo"].finditer(Marked(text).text):
        head, rest = text[: found.start()].rstrip(), text[found.end() :]
        if " " in found[0] and head and _read(asked, f"x {rest}", language).title.strip() == "x":
            return f"{head}{rest}"
    return text


def dated(asked: Asked, task: str, language: Language) -> str:
    """Return a task with its days and times at its end where they are only read there: those at its
    beginning, or of a day and a time the one that is not read.
    """
    read = _read(asked, task, language)
    if len(task) > LONGEST or read.no_such_day:
        return task
    moved = _read(asked, last := days.to_end(task, asked, language), language)
    # “Tomorrow afternoon at four fetch the kids” has its hour in words.
    if moved.due is not None and (read.due is None or len(moved.title) < len(read.title)):
        return last
    kinds = {one.kind for one in read.spans}
    if read.due is None or kinds >= {"date", "time"} or "recurrence" in kinds:
        return task
    places = days.find(read.title, asked, language) if words_of(language).spaced else []
    said = [read.title[start:end].strip(" ,") for start, end in places]
    for one in (one for one in said if one in task):
        whole = f"{task.replace(one, ' ', 1)} {one}"
        again = _read(asked, whole, language)
        more = {one.kind for one in again.spans}
        if {"date", "time"} <= more and again.due is not None and one not in again.title:
            return " ".join(whole.split())
    return task


def _has_both(asked: Asked, part: str, language: Language) -> bool:
    read = _read(asked, part, language)
    named = _has_title(asked, part, words_of(language), language) and read.title != part.strip()
    return read.due is not None and named


def _has_title(asked: Asked, part: str, words: Words, language: Language) -> bool:
    """Return whether a part of a line says more than a day: not “make it weekly”."""
    title = Marked(_read(asked, part, language).title)
    if not words.spaced:
        title.fit(words.put, "p")
    return re.search(r"\w", title.left(words)) is not None


def _kinds(asked: Asked, part: str, language: Language) -> set[str]:
    return {one.kind for one in _read(asked, part, language).spans}


def _read(asked: Asked, text: str, language: Language) -> QuickAdd:
    return quickadd.read_line(text, now=asked.now, locale=language)
