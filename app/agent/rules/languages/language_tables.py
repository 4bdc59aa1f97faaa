"""The tables that a language's folder holds, a class for each file.

Their fields are the schema of the files: an unknown or missing one is an error that names it.
"""

from typing import Literal

import msgspec

Language = str
"""The code of a language, which is its folder's name."""
Pieces = str | tuple[str, ...]
"""A regular expression, in pieces where it is long; `{name}` in it stands for a macro."""


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a file holds."""


class About(Table, frozen=True):
    """`language.toml`: its name, its place among languages that fit a text alike, and how it is
    known: by its script, or where it has an alphabet by its `common` words and by `signs`, which
    also tell Japanese without kana from Chinese.

    After one of the `abbreviations` a full stop ends no sentence.
    """

    name: str
    order: int
    script: Literal["alphabet", "han", "kana"]
    common: str = ""
    signs: str = "(?!)"
    sign_weight: int = 0
    abbreviations: str = ""


class DateForms(Table, frozen=True):
    """How a day is written, in this year and in another, and a day with its time; `first` is the
    first day of a month.
    """

    day: str
    day_of_year: str
    moment: str
    months: tuple[str, ...]
    first: str = "1"


class Phrases(Table, frozen=True):
    """`phrases.toml`: the fixed sentences by name, and how days are written: without, as the wire
    has them.
    """

    sentences: dict[str, str]
    for_others: dict[str, str]
    dates: DateForms | None = None


class IntentPattern(Table, frozen=True):
    """A pattern that means an intent; its groups are the intent's arguments."""

    intent: str
    pattern: Pieces


class AskedByOthers(Table, frozen=True):
    """How others ask for the owner's time: `{name}` is one of the owner's names, `{who}` may be
    one of the `pronouns` too; one of the `titles` may stand before a name.
    """

    pronouns: str
    patterns: tuple[Pieces, ...]
    titles: str = ""


class Routing(Table, frozen=True):
    """`routing.toml`: what means which intent, tried in order.

    One of the `hints` stands in every message that a pattern of `network` can fit; without hints
    those patterns are always tried. `polite` may come before what is asked and `polite_end` after
    it; `article`, `before_name` and `after_name` may stand around the name of a note, and
    `joined_name` ends a word that is a name and that. `loose` patterns are tried when no other
    fits: what they mean is answered from the notes where it comes to nothing.
    """

    general: tuple[IntentPattern, ...]
    calendar: tuple[IntentPattern, ...]
    network: tuple[IntentPattern, ...]
    others: AskedByOthers
    hints: tuple[str, ...] = ()
    polite: Pieces = ""
    polite_end: Pieces = ""
    article: Pieces = ""
    before_name: Pieces = ""
    after_name: Pieces = ""
    joined_name: Pieces = ""
    loose: tuple[IntentPattern, ...] = ()
    macros: dict[str, Pieces] = {}


Unit = Literal["hour", "day", "week", "month", "year"]
Part = Literal["morning", "afternoon", "evening"]
MonthPart = Literal["start", "middle", "end"]
RangeName = Literal[
    "after_tomorrow",
    "ahead",
    "behind",
    "next_weekend",
    "weekend",
    "next_week",
    "last_week",
    "week",
    "next_month",
    "month",
    "before_yesterday",
    "yesterday",
    "today",
    "tomorrow",
]
"""What a stretch of time may be, in the order in which they are tried."""
Earlier = Literal[
    "yesterday",
    "today",
    "last week",
    "this week",
    "last month",
    "this month",
    "last year",
    "this year",
    "30 days",
]
"""Days that have been, as the search of notes reads them, in the order in which they are tried."""


class Deadlines(Table, frozen=True):
    """How a deadline is named in passing, in small letters without accents.

    One of the `hints` begins a word of every text that names one without a digit; `overdue_after`
    and `overdue_before` stand beside a number of days that are over.
    """

    months: dict[int, tuple[str, ...]] = {}
    amounts: dict[int, tuple[str, ...]] = {}
    hints: Pieces = ""
    ordinal: Pieces = ""
    of: Pieces = ""
    today: Pieces = ""
    tomorrow: Pieces = ""
    after_tomorrow: Pieces = ""
    yesterday: Pieces = ""
    since: Pieces = ""
    past_after: Pieces = ""
    ahead: Pieces = ""
    ahead_hours: Pieces = ""
    hours: Pieces = ""
    overdue_after: Pieces = ""
    overdue_before: Pieces = ""
    weekend: Pieces = ""
    this_week: Pieces = ""
    next_week: Pieces = ""
    this_month: Pieces = ""
    next_month: Pieces = ""
    next_year: Pieces = ""
    in_month: Pieces = ""
    noon: Pieces = ""
    midnight: Pieces = ""
    o_clock: Pieces = ""
    at: Pieces = ""


class Times(Table, frozen=True):
    """`times.toml`: how days, times and stretches of time are named in a message.

    `weekdays` from Monday; `{day}` is one of them, `{unit}` one of the `units` but a year,
    `{long_unit}` neither an hour. The groups of `ahead`, `behind` and `ago` are a number and its
    unit. `clock` are words for times of day; `particle` is left out after a time. A message that
    `past` fits asks for what has been, one that `wrote` fits for what was written. By `month_parts`
    the end of a `{month}` is named; a short name of one stands behind a word of `in_month`. Words
    of `been` tell what has been, those of `to_come` what is not yet.
    """

    weekdays: tuple[str, str, str, str, str, str, str]
    weekday: Pieces
    units: dict[Unit, Pieces]
    parts: dict[Part, Pieces]
    ranges: dict[RangeName, Pieces]
    earlier: dict[Earlier, Pieces]
    between: Pieces = ""
    clock: Pieces = ""
    ago: Pieces = ""
    past: Pieces = ""
    wrote: Pieces = ""
    in_month: Pieces = "(?!)"
    month_parts: dict[MonthPart, Pieces] = {}
    been: Pieces = "(?!)"
    to_come: Pieces = "(?!)"
    particle: Pieces = ""
    deadlines: Deadlines = Deadlines()


class Files(Table, frozen=True):
    """How the files that came with a message are named, and what points at them."""

    named: Pieces
    pointed_at: Pieces


class Link(Table, frozen=True):
    """What is said of a link to the agent: `one` of a unit, for ever, all notes, a folder.

    A name follows `folder` up to one of `after_folder`, or is the group of `folder_name`; a label
    follows `called` up to one of `after_called`.
    """

    forever: Pieces
    all_notes: Pieces
    one: Pieces = ""
    folder: Pieces = ""
    after_folder: Pieces = ""
    folder_name: Pieces = ""
    called: Pieces = ""
    after_called: Pieces = ""


class Answers(Table, frozen=True):
    """`answers.toml`: what a message says beside its intent.

    `inside` are the words of a folder to make, its `name` and the `{folder}` that it is made in;
    `title_begin` and `title_end` are words of a request that belong to no title; may be missing.
    """

    next_event: Pieces
    everything: Pieces
    files: Files
    link: Link
    reminder: Pieces = "(?!)"
    inside: Pieces = "(?!)"
    title_begin: Pieces = "(?!)"
    title_end: Pieces = "(?!)"


class Lexicon(Table, frozen=True):
    """`lexicon.toml`: what tells of each sense; `joins_words` where words are found inside
    others.
    """

    senses: dict[str, str]
    joins_words: bool = False


class PersonaWords(Table, frozen=True):
    """`persona.toml`: how an owner says what to call them and the agent, and how to answer.

    `{name}` is a name, `{han_name}` one that no space parts from what follows, `{language}` what
    any language is called. `you_are` counts only where `your_name` finds nothing; `courtesy` may
    stand before any of them. `languages` are the names of languages in this one, by code.
    """

    call_me: Pieces
    your_name: Pieces
    answer_in: Pieces
    brief: Pieces
    languages: dict[Language, str]
    my_name: Pieces = ""
    you_are: Pieces = ""
    courtesy: Pieces = ""


class MailWords(Table, frozen=True):
    """What tells of an e-mail's sender: how its address begins, its category, its text."""

    seller: Pieces = ""
    machine: Pieces = ""
    selling_kind: Pieces = ""
    price_cut: Pieces = ""


class ThingWords(Table, frozen=True):
    """`things.toml`: how lists of things speak, in small letters without accents.

    A row such as “no new e-mails” is `there_is`, `none` and one of the `things`; “you have 3 tasks”
    is `you_have` and then `things` or `pressing`. `late` is a heading, `high` and `low` are words
    for a priority.
    """

    things: Pieces
    none: Pieces
    there_is: Pieces
    you_have: Pieces
    late: Pieces
    high: Pieces
    low: Pieces
    all_done: Pieces = ""
    pressing: Pieces = ""
    mail: MailWords = MailWords()
    sources: dict[Literal["email", "note", "todo", "calendar"], Pieces] = {}
    urgency: dict[Literal["critical", "high", "medium", "low"], str] = {}
    tools: dict[str, Pieces] = {}


ListUnit = Literal["minute", "hour", "day", "week"]
NamedSpan = Literal["today", "tomorrow", "week"]


class ChecklistTimes(Table, frozen=True):
    """When a line of the checklist is due; `weekdays` from Monday.

    `each` stands before days, `interval` before a number of hours; the number of a day follows
    `monthly` and `on_day`.
    """

    weekdays: tuple[str, str, str, str, str, str, str]
    workdays: Pieces
    weekend: Pieces
    and_: Pieces = msgspec.field(name="and")
    each: Pieces
    interval: Pieces
    daily: Pieces
    monthly: Pieces
    on_day: Pieces
    at: Pieces
    ordinal: Pieces = ""
    o_clock: Pieces = ""


class ChecklistWords(Table, frozen=True):
    """`checklist.toml`: what a line of the heartbeat's checklist asks for, in small letters.

    `kinds` are the rules that know it, unless it has one of `not_for_rules`, or one of the `acts`.
    The task follows `new_todo`; the groups of `new_line` are what is added, and to which note.
    `lead` stands before what is only to be said; `patient` is what may wait for a day.
    """

    kinds: dict[str, Pieces]
    times: ChecklistTimes
    units: dict[ListUnit, Pieces]
    spans: dict[NamedSpan, Pieces]
    not_for_rules: Pieces
    acts: Pieces
    new_todo: Pieces
    lead: Pieces
    new_line: Pieces = ""
    patient: Pieces = ""
