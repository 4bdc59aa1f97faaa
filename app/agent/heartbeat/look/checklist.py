"""The checklist as tasks: what each line of HEARTBEAT.md asks for and when, if a rule knows it."""

import functools
import re
from typing import Literal, NamedTuple, get_args

import msgspec

from app.agent.heartbeat.look import checklist_times
from app.agent.heartbeat.look.checklist_times import When
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import ChecklistWords, ListUnit, NamedSpan
from app.core.markdown import blocks
from app.core.markdown.shortened import shortened
from app.core.text import fold_name

Kind = Literal[
    "replan",
    "unpin",
    "overdue",
    "due_soon",
    "top",
    "stale_pins",
    "unanswered",
    "calendar",
    "weekly_note",
    "briefing",
    "journal",
    "summary",
    "todo",
    "append",
    "remind",
]
"""What a rule does, in the order in which a line that asks for several gets them."""
MOST_TASKS = 50
LONGEST_LINE = 300
UNIT_HOURS: dict[ListUnit, int] = {"hour": 1, "day": 24, "week": 7 * 24}
NAMED_HOURS: dict[NamedSpan, int] = {"today": 0, "tomorrow": 48, "week": 7 * 24}
"""The spans that have a name; 0 is the rest of the day."""
_ITEM = re.compile(
    r"^\s*(?:[-*+]|[0-9]{1,9}[.)])\s+(?:\[(?:(?P<done>[xX])|[ ]?)\]\s+)?(?P<text>.*)$"
)
_ANY_ITEM = re.compile(r"^\s*(?:[-*+]|[0-9]{1,9}[.)])\s+\S", re.MULTILINE)
_NO_ITEM = re.compile(r"^\s*(?:#{1,6}(?:\s|$)|>|[-*_=](?:\s*[-*_=]){2,}\s*$|\|)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


class Rule(NamedTuple):
    """One thing that a line asks for.

    `hours` is the span it names, `words` what it is to say or to make, `note` where.
    """

    kind: Kind
    hours: int = 0
    words: str = ""
    note: str = ""


class Task(msgspec.Struct, frozen=True):
    """A line of the checklist: its text, the rules that know it, and when it is due.

    Without rules it needs a model.
    """

    text: str
    rules: tuple[Rule, ...] = ()
    when: When | None = None


# 30 microseconds a line, and every run of the heartbeat asks for the same text.
@functools.lru_cache(64)
def parse_tasks(text: str) -> tuple[Task, ...]:
    """Return the tasks of a checklist, in order.

    Headings, code, quotes, comments and ticked boxes are none. Never raises.
    """
    return tuple(parse_task(line) for line in _list_items(text)[:MOST_TASKS])


def parse_task(line: str) -> Task:
    """Return one line with what the rules make of it.

    What is denied, or asks for more than the rules do, is none of theirs.
    """
    line = " ".join(line.split())
    shown = shortened(line, LONGEST_LINE)
    patterns, folded = _load_patterns(), fold_name(line)
    when, rest = checklist_times.find_time(line)
    # “Do not remind me of …” holds all words of the reminder.
    if patterns.not_for_rules.search(folded):
        return Task(shown)
    # In the rest, so that the time is no part of the title.
    made = patterns.new_todo.search(rest)
    if made is not None:
        words = _unquote(made["words"])
        return (
            Task(shown, (Rule("todo", words=words),), when)
            if when is not None and words
            else Task(shown)
        )
    added = patterns.new_line.search(rest)
    if added is not None and when is not None:
        words, note = (_unquote(value) for value in added.groups() if value)
        return Task(shown, (Rule("append", words=words, note=note),), when)
    kinds = (
        []
        if patterns.an_act.search(folded)
        else [kind for kind, pattern in patterns.kinds if pattern.search(folded)]
    )
    # “Replan what is overdue” asks to move it, not to be told of it as well.
    if "replan" in kinds:
        kinds = [kind for kind in kinds if kind != "overdue"]
    if "unpin" in kinds:
        kinds = ["unpin"]
    if "weekly_note" in kinds or "briefing" in kinds:
        kinds = ["weekly_note" if "weekly_note" in kinds else "briefing"]
    if kinds:
        return Task(
            shown,
            tuple(Rule(kind, _named_hours(kind, folded)) for kind in kinds),
            when or _usual_time(kinds[0]),
        )
    words = patterns.lead.sub("", rest).strip(" :,;.-–—")
    return (
        Task(shown, (Rule("remind", words=words),), when)
        if when is not None and words
        else Task(shown)
    )


def _unquote(words: str) -> str:
    """Return words without the quotes or brackets around them."""
    return words.strip(" .,:\"“”„'»«[]")[:LONGEST_LINE]


def _list_items(text: str) -> list[str]:
    """Return the items of the lists; of a text without any list its lines."""
    items: list[str] = []
    plain: list[str] = []
    open_item = False
    text = _COMMENT.sub("", text)
    for read in blocks.read_lines(text):
        line = text[read.start : read.end].rstrip("\r")
        if (
            read.kind in ("heading", "fence", "code", "end")
            or not line.strip()
            or _NO_ITEM.match(line)
        ):
            open_item = False
            continue
        item = _ITEM.match(line)
        if item is None:
            if open_item and line[:1].isspace():
                items[-1] += " " + line.strip()
            else:
                plain.append(line.strip())
            continue
        open_item = not item["done"] and bool(item["text"].strip())
        if open_item:
            items.append(item["text"].strip())
    # Whoever writes no list at all means each line.
    return items if items else [] if _ANY_ITEM.search(text) else plain


def _usual_time(kind: Kind) -> When | None:
    """Return when a line of that kind is due that does not say so itself."""
    match kind:
        case "weekly_note":
            return When(weekdays=frozenset({1}))
        case "briefing":
            return When()
        case "journal":
            return When(minute=18 * 60)
        case _:
            return None


def _named_hours(kind: Kind, line: str) -> int:
    """Return the span that a line names, in hours, or the usual one of its kind."""
    patience = 24 if _load_patterns().patient.search(line) else 0
    usual = {
        "due_soon": 24,
        "stale_pins": 30 * 24,
        "unpin": 30 * 24,
        "unanswered": patience,
        "calendar": 2,
    }.get(kind, 0)
    if found := _load_patterns().span.search(line):
        each = next(hours for unit, hours in UNIT_HOURS.items() if found[unit])
        return min(int(found["number"]) * each, 366 * 24)
    if kind == "due_soon" and (named := _load_patterns().named_span.search(line)):
        return next(hours for span, hours in NAMED_HOURS.items() if named[span])
    return usual


class _Patterns(NamedTuple):
    kinds: tuple[tuple[Kind, re.Pattern[str]], ...]
    not_for_rules: re.Pattern[str]
    an_act: re.Pattern[str]
    new_todo: re.Pattern[str]
    new_line: re.Pattern[str]
    patient: re.Pattern[str]
    span: re.Pattern[str]
    named_span: re.Pattern[str]
    lead: re.Pattern[str]


@functools.cache
def _load_patterns() -> _Patterns:
    """Return the patterns; made when first needed, since a server that starts needs none."""

    def words(field: str) -> str:
        return language_data.any_of(ChecklistWords, lambda one: getattr(one, field))

    def kind(name: Kind) -> str:
        return language_data.any_of(ChecklistWords, lambda one: one.kinds.get(name, ""))

    return _Patterns(
        kinds=tuple((name, re.compile(kind(name))) for name in get_args(Kind)),
        not_for_rules=re.compile(rf"\b({words('not_for_rules')})\b"),
        an_act=re.compile(rf"\b({words('acts')})\b"),
        new_todo=re.compile(rf"(?:{words('new_todo')})(?P<words>.*)", re.IGNORECASE),
        new_line=re.compile(words("new_line"), re.IGNORECASE),
        patient=re.compile(rf"\b({words('patient')})\b"),
        span=re.compile(
            rf"\b(?P<number>[0-9]{{1,4}}) ?(?:{checklist_times.unit_groups(*UNIT_HOURS)})\b"
        ),
        named_span=re.compile(rf"\b(?:{_span_groups()})\b"),
        lead=re.compile(rf"^[\s:,;–—-]*(?:{words('lead')})\s+", re.IGNORECASE),
    )


def _span_groups() -> str:
    tables = language_data.of_all(ChecklistWords)
    return "|".join(
        f"(?P<{name}>{language_data.either(one.spans.get(name, '') for one in tables)})"
        for name in NAMED_HOURS
    )
