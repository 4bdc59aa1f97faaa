"""The checklist as tasks: what each line of HEARTBEAT.md asks for and when, if a rule knows it."""

import functools
import re
from typing import Literal, NamedTuple

import msgspec

from app.agent.heartbeat.look import checklist_times
from app.agent.heartbeat.look.checklist_times import When
from app.core.markdown import blocks
from app.core.text import fold_name

Kind = Literal[
    "overdue",
    "due_soon",
    "top",
    "replan",
    "stale_pins",
    "unpin",
    "unanswered",
    "calendar",
    "weekly_note",
    "briefing",
    "journal",
    "todo",
    "append",
    "remind",
    "summary",
]
MOST_TASKS = 50
LONGEST_LINE = 300


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
    shown = line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"
    patterns, folded = _load_patterns(), fold_name(line)
    when, rest = checklist_times.find_time(line)
    if patterns.not_for_rules.search(folded):
        return Task(shown)
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
        return Task(
            shown,
            (Rule("append", words=_unquote(added["words"]), note=_unquote(added["note"])),),
            when,
        )
    kinds = (
        []
        if patterns.an_act.search(folded)
        else [kind for kind, pattern in patterns.kinds if pattern.search(folded)]
    )
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
    patterns = _load_patterns()
    items: list[str] = []
    plain: list[str] = []
    open_item = False
    text = patterns.comment.sub("", text)
    for read in blocks.read_lines(text):
        line = text[read.start : read.end].rstrip("\r")
        if (
            read.kind in ("heading", "fence", "code", "end")
            or not line.strip()
            or patterns.no_item.match(line)
        ):
            open_item = False
            continue
        item = patterns.item.match(line)
        if item is None:
            if open_item and line[:1].isspace():
                items[-1] += " " + line.strip()
            else:
                plain.append(line.strip())
            continue
        open_item = not item["done"] and bool(item["text"].strip())
        if open_item:
            items.append(item["text"].strip())
    return items if items else [] if patterns.any_item.search(text) else plain


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
    found = _load_patterns().span.search(line)
    if found is not None:
        unit = 1 if found["unit"][0] in "hs" else 24 if found["unit"][0] in "dt" else 7 * 24
        return min(int(found["number"]) * unit, 366 * 24)
    if kind == "due_soon":
        named = _load_patterns().named_span.search(line)
        return usual if named is None else _NAMED_SPANS[named[1][:4]]
    return usual


_NAMED_SPANS = {"toda": 0, "heut": 0, "tomo": 48, "morg": 48, "week": 7 * 24, "woch": 7 * 24}
"""Hours; 0 is the rest of the day."""


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
    item: re.Pattern[str]
    any_item: re.Pattern[str]
    no_item: re.Pattern[str]
    comment: re.Pattern[str]


_KINDS: tuple[tuple[Kind, str], ...] = (
    (
        "replan",
        r"\b(re-?plan|reschedule|postpone|move)\w*\b.*\b(overdue|past "
        r"due)\b|\büberfällige\w*\b.*\b(neu planen|verschieben|umplanen)\b",
    ),
    ("unpin", r"\bunpin\b.*\b(notes?|pins?)\b"),
    ("overdue", r"\b(overdue|past due)\b|\büberfällig"),
    (
        "due_soon",
        r"\bdue (soon|today|tomorrow|within|in|over|this "
        r"week|next)\b|\bdeadlines?\b|\b(bald|heute|morgen) fällig\b|\bfristen\b",
    ),
    (
        "top",
        r"\b(top|highest)[- ]priority\b|\bpriority 5\b|\burgent "
        r"(todos?|tasks?)\b|\bhöchste\w* priorität\b|\bdringende\w* aufgaben\b",
    ),
    (
        "stale_pins",
        r"\b(stale|old|untouched|outdated|forgotten|veraltete?\w*|alte)\b.{0,40}\b(pin\w*|angeheftet\w*)\b|"
        r"\b(pin|pins|pinned|angeheftete?)\b.{0,60}\b(stale|untouched|old|outdated|unchanged|not "
        r"changed|nicht geändert|veraltet)\b",
    ),
    (
        "unanswered",
        r"\b(unanswered|unread|inbox|e-?mails?|mails?|messages?|requests?|nachrichten|anfragen|posteingang|unbeantwortet\w*)\b",
    ),
    ("calendar", r"\b(calendar|events?|appointments?|meetings?|kalender|termine?)\b"),
    ("weekly_note", r"\bweekly (note|review|log|report)\b|\bwochen(notiz|rückblick|bericht)\b"),
    ("briefing", r"\bbriefing\b|\btagesüberblick\b"),
    ("journal", r"\b(journal|diary|tagebuch)\b"),
    ("summary", r"\bsummar(y|ise|ize|ies)\b|\bzusammenfass"),
)


@functools.cache
def _load_patterns() -> _Patterns:
    """Return the patterns; made when first needed, since a server that starts needs none."""
    return _Patterns(
        kinds=tuple((kind, re.compile(pattern)) for kind, pattern in _KINDS),
        not_for_rules=re.compile(
            r"\b(do not|don't|don’t|never|ignore|except|without|unless|no "
            r"longer|stop|nicht|kein\w*|nie|ausser|außer|"
            r"delete|remove|erase|purge|forward|"
            r"publish|archive|answer (?:all|every|them|it)|reply to|respond "
            r"to|draft|translate|send (?!me\b)\w+|lösche\w*|entferne\w*|sende\w*|"
            r"schick\w* (?!mir\b)|beantworte\w*)\b"
        ),
        an_act=re.compile(
            r"\b(complete|finish|close|pay|buy|order|share|invite|tick|mark|erledige\w*|bezahle?\w*|teile\w*)\b"
        ),
        new_todo=re.compile(
            r"\b(?:add|create|make|erstelle|lege)\b (?:a |an |me a |eine? )?(?:new |neue "
            r")?(?:todo|to-do|task|aufgabe)\b(?: an)?[:,]?"
            r"\s*(?:to\s+)?(?P<words>.*)",
            re.IGNORECASE,
        ),
        new_line=re.compile(
            r"\b(?:append|add|write)\b\s+(?P<words>\S.*?)\s+(?:to|into|in)\s+(?:the |my "
            r")?note\b[:,]?\s*(?P<note>\S.*)",
            re.IGNORECASE,
        ),
        patient=re.compile(r"\b(unanswered|unbeantwortet\w*)\b"),
        span=re.compile(
            r"\b(?P<number>[0-9]{1,4}) "
            r"?(?P<unit>h\b|hours?\b|d\b|days?\b|weeks?\b|stunden?\b|tage?n?\b|wochen?\b)"
        ),
        named_span=re.compile(r"\b(today|tomorrow|week|heute|morgen|woche)\b"),
        lead=re.compile(
            r"^[\s:,;–—-]*(?:please |bitte )?(?:remind me (?:to|of|about|that)|remember "
            r"to|tell me to|erinnere? mich (?:an|daran,?))\s+",
            re.I,
        ),
        item=re.compile(
            r"^\s*(?:[-*+]|[0-9]{1,9}[.)])\s+(?:\[(?:(?P<done>[xX])|[ ]?)\]\s+)?(?P<text>.*)$"
        ),
        any_item=re.compile(r"^\s*(?:[-*+]|[0-9]{1,9}[.)])\s+\S", re.MULTILINE),
        no_item=re.compile(r"^\s*(?:#{1,6}(?:\s|$)|>|[-*_=](?:\s*[-*_=]){2,}\s*$|\|)"),
        comment=re.compile(r"<!--.*?-->", re.DOTALL),
    )
