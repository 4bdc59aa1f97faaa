"""Sentences that say nothing beside a wish where no spaces part words: “… 寒かった”."""

import functools
import re
from collections.abc import Callable, Sequence

import msgspec

from app.agent.rules.changes import days, readings
from app.agent.rules.changes.marked import Marked, Words, words_of
from app.agent.rules.dialogue import slots
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import ChangeKind, Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked

Understand = Callable[[Asked, Language], Route]
MOST = 4
"""So many sentences has a message at most of which one is the wish."""
SAYS_NOTHING = frozenset({"ask", "cannot", "thanks", "greet", "nothing_asked", "bye", "help"})
"""What a sentence seems to be that wishes nothing by itself."""
KEEPS_ALL = frozenset(
    "make_note remember message ask_agent append_note add_step share add_event leave".split()
)
"""The wishes that what stands beside them may be the text of."""
OF_NOTHING = frozenset("undo list_todos list_notes list_folders day unread".split())
"""The wishes that name nothing."""
WITH_TEXT: tuple[ChangeKind, ...] = ("note", "message")
NAMES = ("target", "words", "task", "tasks", "who", "folder", "text", "when", "sum")
_WISHED = re.compile(r"[てで](?:ね|よ|くれる|ください)?$|お願い$|っけ$|かな$|ですか$")
"""How a wish or question ends: what follows a comma after it is only added."""
_PIECE = re.compile(
    r"(?:[「『\"“][^「」『』\"“”]*[」』\"”]|[^\s。！!？?…])+?"
    r"(?P<end>[。！!？?…]+|(?<=[たよねわす])[〜～~ー]+(?!\s|$)|(?:[〜～~ー]+|w+|笑|草)?(?:\s+|$))"
)


def without(asked: Asked, language: Language, understand: Understand) -> str:
    """Return the one sentence of a message that wishes, tells or asks something, where all others
    say nothing; else the message.
    """
    message = asked.message.strip()
    if len(message) > readings.LONGEST or not language_data.has_table(language, Changes):
        return asked.message
    words = words_of(language)
    # In Chinese a space may part the texts of a wish, too.
    is_first = language_data.load_table(language, Changes).verb_first
    if words.spaced or is_first or "\n" in message:
        return asked.message
    pieces = [found[0].strip() for found in _PIECE.finditer(message)]
    pieces = _with_reasons(pieces, words)
    if not 1 < len(pieces) <= MOST or sum(map(len, pieces)) < len(re.sub(r"\s", "", message)) - 2:
        return asked.message
    quiet = [_is_chatter(one, words, language) for one in pieces]
    if all(quiet):
        return asked.message
    routes = [
        None if is_quiet else understand(_part(asked, one), language)
        for one, is_quiet in zip(pieces, quiet, strict=True)
    ]
    telling = [at for at, one in enumerate(routes) if one and _tells(asked, pieces[at], one, words)]
    if len(telling) != 1:
        return asked.message
    [main] = telling
    route = routes[main]
    if route is None or _may_have_text(route, message, words):
        return asked.message
    is_whole = route.intent in OF_NOTHING or (
        any(Marked(route.get(name)).left(words) for name in NAMES) and not route.things
    )
    for at, one in enumerate(pieces):
        if at == main or (quiet[at] and (is_whole or not _of_something(one, words))):
            continue
        if not is_whole or not _is_beside(asked, one, words, language, before=at < main):
            asks = at > main and is_whole and words.asks.search(Marked(pieces[main]).text)
            more = slots.only_days(one, asked, language) or slots.has_kind(one, language, "also")
            if not asks or more:
                return asked.message  # “When was it, I always forget” says no day by that
    return pieces[main]


def has_topic(asked: Asked, reason: str, wish: str, language: Language) -> bool:
    """Return whether a reason says first what the wish after it is about, which says it of nothing
    itself: “猫砂は重いから土曜にする”.
    """
    topic = _topic(language)
    found = None if topic.search(wish) else topic.match(reason)
    return found is not None and not days.find(found[0], asked, language)


@functools.cache
def _topic(language: Language) -> re.Pattern[str]:
    return re.compile(language_data.join_pattern(language_data.load_table(language, Changes).topic))


def without_clauses(message: str, language: Language) -> str:
    """Return a message without the clauses that only say how somebody feels, or why, where the verb
    stands before its object; as it is where it may be written down or sent.
    """
    words = words_of(language)
    first = language_data.load_table(language, Changes).verb_first
    if not first or len(message) > readings.LONGEST or re.search('[\n"“«「:：]', message.strip()):
        return message
    if any(words.cues[kind].search(Marked(message).text) for kind in (*WITH_TEXT, "append")):
        return message
    kept, start = "", 0
    ends = [one.span() for one in words.join.finditer(Marked(message).text)]
    ends += [(one.end(), one.end()) for one in re.finditer("[?？]", message)]
    for end, after in (*sorted(ends), (len(message), len(message))):
        if not words.chatter.search(Marked(message[start:end]).text):
            kept += message[start:after]
        start = after
    return kept.strip(" ,，。、…") if re.search(r"\w", kept) else message


def _part(asked: Asked, text: str) -> Asked:
    return msgspec.structs.replace(asked, message=text, results=())


def _may_have_text(route: Route, text: str, words: Words) -> bool:
    """Return whether a sentence may say that others are to be written down or sent."""
    plain = Marked(text).text
    if route.intent in KEEPS_ALL and not (route.intent == "append_note" and route.get("text")):
        return True
    return any(words.cues[kind].search(plain) for kind in WITH_TEXT)


def _with_reasons(pieces: Sequence[str], words: Words) -> list[str]:
    """Return sentences with those parted of which a clause is only a reason or an exclamation:
    “…、混んでて”, “忙しいから…”.
    """
    found = []
    for piece in pieces:
        ends = [at for at, letter in enumerate(piece) if letter == "、"]
        parted = [(piece[:at], piece[at + 1 :]) for at in [*ends[-1:], *ends[:1]]]
        joins = words.join.finditer(Marked(piece).text)
        parted += [(piece[: one.end()], piece[one.end() :]) for one in joins]
        quiet = next(
            (
                [head, tail]
                for head, tail in parted
                if tail
                and (
                    _WISHED.search(head)
                    or any(words.chatter.search(Marked(one).text) for one in (head, tail))
                )
            ),
            [piece],
        )
        found += quiet
    return found


def _is_chatter(text: str, words: Words, language: Language) -> bool:
    """Return whether a sentence only says how somebody feels, or nothing at all."""
    marked = Marked(text)
    if re.search("[?？]", text) or words.asks.search(marked.text):
        return False
    return words.chatter.search(marked.text) is not None or slots.only_little(
        text, language, "thanks"
    )


def _of_something(text: str, words: Words) -> bool:
    """Return whether a sentence may say of what somebody feels so: “the cleaning is a pain”."""
    found = words.chatter.search(Marked(text).text)
    return found is not None and any(found.groups())


def _tells(asked: Asked, text: str, route: Route, words: Words) -> bool:
    """Return whether a sentence wishes, tells or asks something."""
    if route.intent not in SAYS_NOTHING or re.search("[?？]", text):
        return True
    return bool(words.asks.search(Marked(text).text)) or bool(
        readings.kinds_of(_part(asked, text), route.get("written") or route.language)
    )


def _is_beside(asked: Asked, text: str, words: Words, language: Language, *, before: bool) -> bool:
    """Return whether a sentence that wishes nothing names nothing either, as far as its words
    tell: it has no day, and before a wish it states something.
    """
    if days.find(text, asked, language) or slots.has_kind(text, language, "also"):
        return False
    return not before or words.states.search(Marked(text).text) is not None
