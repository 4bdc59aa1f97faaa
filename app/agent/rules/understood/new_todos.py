"""The todos that a message wishes to be made, as lines that quick add reads."""

import re
from collections.abc import Sequence

from app.agent.quickadd import quickadd
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.reader.labelled import Span
from app.agent.rules.reader.reader import Understood
from app.agent.rules.routing import spoken_tasks
from app.agent.rules.understood import meant
from app.agent.turn.steps import Asked, Call

BETWEEN = 6
"""So many words of a day stand at most within one title: “the passport on Friday at 9 fetch”."""
_MARK = re.compile(r"[,;.!?:，、；。！？：\n]")
_JOIN = re.compile(r"[,;.!?，、；。！？\n]|\s(?:and|und|et|y|e)\s")


def lines(asked: Asked, said: Understood, language: Language) -> list[str]:
    """Return each todo of a message, its title before its days."""
    message = asked.message
    all_days = [one for one in said.spans if one.slot == "day"]
    titles = [
        one
        for one in said.spans
        if one.slot == "title" and not only_asks(message[one.start : one.end], language)
    ]
    if whole := _is_no_day(asked, titles, all_days, language):
        return [meant.trimmed(whole)]
    texts = [
        spoken_tasks.usual_title(meant.trimmed(message[one.start : one.end]), language)
        for one in titles
    ]
    if _is_one(message, titles, all_days):
        gap = "" if questions.is_asian(message) else " "
        titles, texts = titles[:1], [gap.join(texts)]
    owners = [_owner(message, titles, one) for one in all_days] if titles else []
    held = [
        [message[one.start : one.end] for one, of in zip(all_days, owners, strict=True) if of == at]
        for at in range(len(titles))
    ]
    if len(set(owners)) == 1:
        # “A and on Friday B”: the day counts from B on, but where it begins or ends for all.
        first = owners[0] if all_days[0].start < titles[owners[0]].start else 0
        held = [held[owners[0]] if at >= first else [] for at in range(len(titles))]
    rows = zip(texts, held, strict=True)
    return [_line(asked, text, mine, language) for text, mine in rows if text]


def are_made(asked: Asked, calls: Sequence[Call], said: Understood, language: Language) -> bool:
    """Return whether the todos that are made are those of a message, by their titles and days,
    whichever of its words are taken for a day.
    """
    made = [fields for tool, fields in calls if tool == "create_todo"]
    read = [
        quickadd.read_line(one, now=asked.now, locale=language)
        for one in lines(asked, said, language)
    ]
    return (
        len(made) == len(calls) == len(read)
        and said.intent == "add_todo"
        and all(
            fold_text(one.title) == fold_text(fields["title"])
            and (one.due is not None) == bool(fields.get("dueDate"))
            for one, fields in zip(read, made, strict=True)
        )
    )


def only_asks(text: str, language: Language) -> bool:
    """Return whether a text says nothing, or only that something is to be written down."""
    words, marked = words_of(language), Marked(text)
    kinds = (words.cues["todo"], words.cues["todos"], words.also["todo"])
    for pattern in (*kinds, words.courtesy, words.place):
        marked.fit(pattern, "c")
    return not re.search(r"\w", marked.left(words))


def _is_no_day(
    asked: Asked, titles: Sequence[Span], all_days: Sequence[Span], language: Language
) -> str:
    """Return the title in the midst of which stands what is no day there, as quick add reads it:
    买两节5号电池; empty where there is none.
    """
    if len(titles) != 2 or len(all_days) != 1:
        return ""
    day, touches = all_days[0], (titles[0].end, titles[1].start)
    read = quickadd.read_line(asked.message, now=asked.now, locale=language)
    if touches != (day.start, day.end) or read.due or read.recurrence:
        return ""
    return asked.message[titles[0].start : titles[1].end]


def _is_one(message: str, titles: Sequence[Span], all_days: Sequence[Span]) -> bool:
    """Return whether two titles are one in which a day stands."""
    if len(titles) != 2:
        return False
    start, end = titles[0].end, titles[1].start
    within = [one for one in all_days if start <= one.start < end]
    between = message[start:end]
    is_parted = _MARK.search(between) or _JOIN.search(between)
    return len(within) == 1 and not is_parted and len(between.split()) <= BETWEEN


def _owner(message: str, titles: Sequence[Span], day: Span) -> int:
    """Return which title a day belongs to: that of its clause, else the one that it follows, else
    the first.
    """
    for at, one in enumerate(titles):
        first, last = sorted((one, day), key=lambda span: span.start)
        if not _JOIN.search(message[first.end : last.start]):
            return at
    return max((at for at, one in enumerate(titles) if one.end <= day.start), default=0)


def _line(asked: Asked, title: str, said: Sequence[str], language: Language) -> str:
    """Return a title with those of its days that quick add reads beside it, and the time in it."""
    alone = quickadd.read_line(title, now=asked.now, locale=language)
    bare = alone.title if {one.kind for one in alone.spans} == {"time"} else title
    line = " ".join((title, *said))
    read = quickadd.read_line(line, now=asked.now, locale=language)
    begin = fold_text(bare).strip()
    more = fold_text(read.title).strip().removeprefix(f"{begin} ")
    if read.due and more != fold_text(read.title).strip() and questions.read_question(more).terms:
        return line  # “at Mario's tomorrow” says more than a day
    for text in filter(None, (meant.day(asked, said, language), *said)):
        line = f"{title} {text}"
        read = quickadd.read_line(line, now=asked.now, locale=language)
        is_whole = fold_text(read.title).strip() == fold_text(bare).strip()
        if is_whole and (read.due or read.recurrence):
            return line
    return title
