"""Two wishes in one message, done one after the other as if each had been sent alone.

“The milk is in, and put butter on the groceries”, “tag it halloween and pin it”. That there are
two, and where the second begins, is told by the reader.
"""

import functools
import math
import re
from collections.abc import Callable

import msgspec

from app.agent.rules import look_further
from app.agent.rules.changes import reused
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.mentions import asking
from app.agent.rules.phrases import phrases
from app.agent.rules.reader import reader, wishes
from app.agent.rules.reader.reader import Understood
from app.agent.turn import looks
from app.agent.turn.steps import Asked, Step, Trace

LIKELY, SURE = 0.4, 0.9
"""So likely is it that a message wishes two things, and that each of them is one, together; and so
likely where the first may be what alone is no more than news.
"""
EDGES = " ,;、，；"
NO_WISH = frozenset({"none", "smalltalk", "yes", "no", "choose"})
"""What the parts of such a message are not."""
OF_LISTS = frozenset({*wishes.ITEMS, "add_item", "add_step"})
ABOUT = ("target", "it", "person")
"""The slots of what a second wish of the same kind is about."""
FIELDS = frozenset({"day", "by", "prio"})
NextStep = Callable[[Asked], Step]


def do(asked: Asked, language: Language, otherwise: NextStep) -> Step:
    """Return the step of the first wish of a message, then that of the second; what comes of the
    whole message `otherwise` where it wishes one thing.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    if last.then:
        return _one_by_one(asked, asked.message, last.then, language, otherwise)
    parts = None if last.asks else _parts(asked, language)
    return _one_by_one(asked, *parts, language, otherwise) if parts else otherwise(asked)


def _one_by_one(
    asked: Asked, lead: str, rest: str, language: Language, otherwise: NextStep
) -> Step:
    # what a part says alone may not tell its language
    earlier = asked.earlier or (Trace(language=language),)
    alone = msgspec.structs.replace(asked, message=lead, earlier=earlier)
    first = look_further.replay(msgspec.structs.replace(alone, is_last=False), otherwise)
    trace = first.step.trace or Trace()
    if first.step.calls:
        return otherwise(alone) if asked.is_last else first.step
    if trace.asks:
        text = f"{phrases.phrase(language, 'then', rest=rest)}\n{first.step.text}"
        return msgspec.structs.replace(
            first.step, text=text, trace=msgspec.structs.replace(trace, then=rest)
        )
    if lead == asked.message and not _is_answered(asked, trace, language):
        return first.step
    if first.step.empty and trace.intent != "none" and not _stands_alone(asked, rest, language):
        return reused.reuse(asked, otherwise)  # “it” of the second would be anything
    after = msgspec.structs.replace(
        first.rest, message=rest, before=(*asked.before, lead), earlier=(trace, *asked.earlier)
    )
    second = do(after, language, otherwise)
    if second.calls and len(asked.results) + len(second.calls) > looks.MOST_LOOKS:
        second = do(msgspec.structs.replace(after, is_last=True), language, otherwise)
    return second if second.calls else _joined(first.step, second)


def _is_answered(asked: Asked, trace: Trace, language: Language) -> bool:
    """Return whether a message has answered the question with which the first wish ended."""
    asks = asked.earlier[0].asks
    if asks is None or asks.lacks == "yes":
        said = (dialogue_words.whole(language, one, asked.message) for one in ("yes", "no"))
        return any(said)
    return trace.intent == asks.intent


def _parts(asked: Asked, language: Language) -> tuple[str, str] | None:
    """Return the two wishes of a message; None where it does not surely have two."""
    if len(asked.message) > asking.LONGEST or not reader.knows(language):
        return None
    sure, at = reader.second_wish(asked, language)
    if sure < LIKELY or not at or _depends(language).search(plain_letters(asked.message).lower()):
        return None
    lead, rest = asked.message[:at].strip(EDGES), asked.message[at:]
    # the join of two clauses begins with the space before it
    if join := words_of(language).join.match(Marked(f" {rest}").text):
        rest = rest[join.end() - 1 :]
    rest = rest.strip(EDGES)
    first, second = (_understood(asked, one, language) for one in (lead, rest))
    if second is None or (first is None and sure < SURE):
        return None
    if first and (_goes_on(first, second) or sure * math.sqrt(first.sure * second.sure) < LIKELY):
        return None
    return lead, rest


@functools.cache
def _depends(language: Language) -> re.Pattern[str]:
    words = plain_letters(language_data.load_table(language, Changes).depends)
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)" if words_of(language).spaced else words)


def _understood(asked: Asked, text: str, language: Language) -> Understood | None:
    """Return what a part of a message wishes; None where nothing, or by its verb alone."""
    likely = reader.read(msgspec.structs.replace(asked, message=text), (), language).likely
    if not likely or likely[0].intent in NO_WISH:
        return None
    is_bare = likely[0].intent in wishes.KINDS and not likely[0].spans and not asked.earlier
    return None if is_bare else likely[0]


def _stands_alone(asked: Asked, text: str, language: Language) -> bool:
    """Return whether a wish says itself what it is of."""
    second = _understood(asked, text, language)
    return bool(second and (second.intent not in wishes.KINDS or second.all_of("target")))


def _goes_on(first: Understood, second: Understood) -> bool:
    """Return whether what follows is of the first wish: more of the same, or only its day."""
    kinds = {first.intent, second.intent}
    is_alike = first.intent == second.intent or kinds <= OF_LISTS
    if is_alike and kinds <= set(wishes.WRITES) and not any(map(second.all_of, ABOUT)):
        return True
    said = sum(one.end - one.start for one in second.spans if one.slot in FIELDS)
    return said >= len(second.text.rstrip(" .!?。！？"))


def _joined(first: Step, second: Step) -> Step:
    """Return the answer to both, which takes both back."""
    left, other = first.trace or Trace(), second.trace or Trace()
    # The second has changed what the first has marked.
    again = {(thing.kind, thing.id) for thing in other.about}
    trace = msgspec.structs.replace(
        other,
        about=tuple(dict.fromkeys((*other.about, *left.about))),
        undo=(*other.undo, *left.undo),
        marks=(*(mark for mark in left.marks if mark[:2] not in again), *other.marks),
    )
    told = [first, second] if left.intent != "none" else [second]
    return msgspec.structs.replace(
        second,
        text="\n".join(one.text for one in told),
        trace=trace,
        quotes=first.quotes + second.quotes,
    )
