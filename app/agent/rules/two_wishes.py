"""Two wishes in one message, done one after the other as if each had been sent alone.

“Tag it halloween and pin it”, “eggs are in, tick them. And remind me to call the vet tomorrow”.
That there are two, and where the second begins, is told by the reader.
"""

import functools
import itertools
import math
import re
from collections.abc import Callable, Mapping

import msgspec

from app.agent.rules import look_further
from app.agent.rules.changes import reused
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import dialogue_words, references, repairs
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.note_parts import description_words
from app.agent.rules.phrases import phrases
from app.agent.rules.reader import reader
from app.agent.rules.reader.labelled import TWO
from app.agent.rules.reader.reader import Understood
from app.agent.rules.understood import wishes
from app.agent.turn import looks
from app.agent.turn.steps import Asked, Question, Step, Trace
from app.core.process.caches import keep_latest

LIKELY, SURE = 0.4, 0.9
"""So likely is it that a message wishes two things, and that each of them is one, together; and so
likely where the first may be what alone is no more than news.
"""
EDGES = " ,;、，；"
NO_WISH = frozenset({"none", "smalltalk", "yes", "no", "choose"})
"""What the parts of such a message are not."""
OF_LISTS = frozenset({*wishes.ITEMS, "add_item", "add_step"})
WRITES = frozenset({"append_note", "add_item"})
MADE = WRITES | {"add_todo"}
SAY_DONE = frozenset({"complete_todo", "tick_step", "tick_item"})
ABOUT = ("target", "person")
"""The slots of what a second wish of the same kind is about."""
FIELDS = frozenset({"day", "by", "prio"})
PAIRED: Mapping[str, frozenset[str]] = {
    "move_todo": frozenset({"target", "day"}),
    "shift_todo": frozenset({"target", "by"}),
    "prioritize": frozenset({"target", "prio"}),
    "rename": frozenset({"target", "name"}),
}
"""The changes of which a message may wish two, and the slots that stand in turn."""
NextStep = Callable[[Asked], Step]


def do(asked: Asked, language: Language, otherwise: NextStep) -> Step:
    """Return the step of the first wish of a message, then that of the second; what comes of the
    whole message `otherwise` where it wishes one thing.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    if last.then and last.asks:
        return _after_answer(asked, last.asks, last.then, language, otherwise)
    parts = None if last.asks else _parts(msgspec.structs.replace(asked, results=()), language)
    if parts is None:
        return otherwise(asked)
    lead, rest = parts
    # what a part says alone may not tell its language
    earlier = asked.earlier or (Trace(language=language),)
    alone = msgspec.structs.replace(asked, message=lead, earlier=earlier)
    first = _replayed(alone, otherwise)
    trace = first.step.trace or Trace()
    if first.step.calls:
        return otherwise(alone) if asked.is_last else first.step
    if trace.asks:
        return _waiting(first.step, rest, language)
    if first.step.empty and trace.intent != "none" and not _stands_alone(asked, rest, language):
        return reused.reuse(asked, otherwise)  # “it” of the second would be anything
    return _then(asked, lead, rest, first, language, otherwise)


def _after_answer(
    asked: Asked, question: Question, rest: str, language: Language, otherwise: NextStep
) -> Step:
    """Return the step of the answer to what the first wish asked, then that of the second wish;
    anything else than an answer ends what waits.
    """
    first = _replayed(asked, otherwise)
    trace = first.step.trace or Trace()
    if first.step.calls:
        return otherwise(asked) if asked.is_last else first.step
    if trace.asks:
        is_same = trace.asks.intent == question.intent
        is_same = is_same and {*trace.asks.choices} <= {*question.choices}
        return _waiting(first.step, rest, language) if is_same else first.step
    if question.lacks == "yes":
        said = (dialogue_words.whole(language, one, asked.message) for one in ("yes", "no"))
        answers = any(said)
    else:
        answers = trace.intent == question.intent
    return _then(asked, asked.message, rest, first, language, otherwise) if answers else first.step


def _replayed(asked: Asked, otherwise: NextStep) -> look_further.Tried:
    return look_further.replay(msgspec.structs.replace(asked, is_last=False), otherwise)


def _waiting(step: Step, rest: str, language: Language) -> Step:
    """Return the question of a first wish, for whose answer the second waits."""
    text = f"{phrases.phrase(language, 'then', rest=rest)}\n{step.text}"
    trace = msgspec.structs.replace(step.trace or Trace(), then=rest)
    return msgspec.structs.replace(step, text=text, trace=trace)


def _then(
    asked: Asked,
    lead: str,
    rest: str,
    first: look_further.Tried,
    language: Language,
    otherwise: NextStep,
) -> Step:
    """Return the step of the second wish, once the first has its answer."""
    used = asked.results[: len(asked.results) - len(first.rest.results)]
    if any(one.failed for one in used) and not _stands_alone(asked, rest, language):
        return first.step  # the folder that was refused is not there for what goes into it
    after = msgspec.structs.replace(
        first.rest,
        message=rest,
        before=(*asked.before, lead),
        earlier=(first.step.trace or Trace(), *asked.earlier),
        is_last=asked.is_last,
    )
    if all(one.tool.startswith(looks.LOOKS) for one in used):
        # the same is not looked up twice in a row
        after = msgspec.structs.replace(after, results=asked.results)
        second = reused.reuse(after, lambda part: do(part, language, otherwise))
    else:
        second = do(after, language, otherwise)
    if looks.only_looks(second) and len(asked.results) + len(second.calls) > looks.MOST_LOOKS:
        second = do(msgspec.structs.replace(after, is_last=True), language, otherwise)
    return second if second.calls else _joined(first.step, second)


@keep_latest  # each step of a turn begins from the message anew
def _parts(asked: Asked, language: Language) -> tuple[str, str] | None:
    """Return the two wishes of a message; None where it does not surely have two."""
    if len(asked.message) > asking.LONGEST or not reader.knows(language):
        return None
    sure, at = reader.second_wish(asked, language)
    if sure < LIKELY:
        sure, at = _second_pair(asked, language)
    said = asked.message.lower().replace("’", "'")
    # a wish may depend on what is asked
    if sure < LIKELY or not at or _is_text(asked.message, at) or _depends(language).search(said):
        return None
    if _is_row(asked, at, language):
        return None
    lead, rest = asked.message[:at].strip(EDGES), asked.message[at:]
    # the join of two clauses begins with the space before it
    join = words_of(language).join.match(Marked(f" {rest}").text)
    # nor does one begin after “on the 3.” of a date
    if words_of(language).spaced and not join and re.search(r"\w\s*$|\d\.\s*$", asked.message[:at]):
        return None  # a second wish begins a clause
    if repairs.corrects(rest, language):
        return None
    if join:
        rest = rest[join.end() - 1 :]
    rest = rest.strip(EDGES)
    first = _understood(asked, lead, language)
    second = _understood(asked, rest, language, after=first)
    if second is None or (first is None and sure < SURE):
        return None
    if first and first.intent in WRITES and not (first.all_of("text") or first.all_of("item")):
        return None  # what is to be written follows
    if re.search(r"[?？]\s*\S", lead):
        return None  # “is it paid? Then tick it off and …”
    is_apart = re.search(r"[,;.!，、；。！]\s*$", asked.message[:at])
    if first and first.intent == "rename" and not is_apart:
        return None  # “rename it to Shop and garage”
    if first and first.intent == "message" and not is_apart and not _asks(second, rest, language):
        return None  # “tell her I'm late and the boiler man's coming on Friday”
    if description_words.writes_all(asked.message, language) and not _points(second):
        return None
    is_wish = first and first.intent in wishes.WRITES and first.sure >= SURE
    if not is_wish and description_words.writes_all(asked.message, language, before=True):
        return None  # “he needs the card, put that in the description”
    if lead.endswith(("?", "？")) and (second.intent == TWO or _points(second)):
        return None
    if first and (_goes_on(first, second) or sure * math.sqrt(first.sure * second.sure) < LIKELY):
        return None
    return lead, rest


def _asks(said: Understood, text: str, language: Language) -> bool:
    """Return whether a second wish has a word that asks for it, and is no more of a message."""
    cues, marked = words_of(language).cues, Marked(text).text
    of_made = (cues["todo"], cues["append"])
    return any(one.search(marked) for one in (of_made if said.intent in MADE else cues.values()))


def _second_pair(asked: Asked, language: Language) -> tuple[float, int]:
    """Return how likely a message changes one thing so and another so, and where the second begins:
    “hive stand next monday, and the hood on friday”; 0 where it does not.
    """
    best = next(iter(reader.read(asked, (), language).likely), None)
    if best is None or best.intent not in PAIRED:
        return 0.0, 0
    spans = [one for one in best.spans if one.slot in PAIRED[best.intent]]
    is_pair = [one.slot == "target" for one in spans] in ([True, False] * 2, [False, True] * 2)
    if not is_pair:
        return 0.0, 0
    between = Marked(asked.message).text[spans[1].end : spans[2].start]
    joins = list(words_of(language).join.finditer(between))
    return (best.sure, spans[1].end + joins[-1].start()) if joins else (0.0, 0)


def _is_row(asked: Asked, at: int, language: Language) -> bool:
    """Return whether a second wish would begin between two things of one row that a message most
    likely is a single wish of: “put butter and eggs on the list”.
    """
    likely = (one for one in reader.read(asked, (), language).likely if one.intent != TWO)
    best = next(likely, None)
    if best is None or best.intent not in OF_LISTS:
        return False
    return any(
        one.slot == other.slot in ("item", "step")
        and one.end <= at <= other.start
        and len(best.text[one.end : other.start].split()) <= 1
        and not re.search(r"[,;.!，；。！]", best.text[one.end : other.start])
        for one, other in itertools.pairwise(best.spans)
    )


def _is_text(message: str, at: int) -> bool:
    """Return whether what stands from a place on may be part of a text: of what is quoted, or
    follows a colon.
    """
    lead = message[:at]
    opened = sum(map(lead.count, "“„«「『")) - sum(map(lead.count, "”»」』"))
    is_open = opened != 0 or lead.count('"') % 2 == 1 or "‘" in lead or "`" in lead
    return is_open or re.search("[:：\n]", lead) is not None or "\n" in message


@functools.cache
def _depends(language: Language) -> re.Pattern[str]:
    return language_data.whole_words(language_data.load_table(language, Changes).depends, language)


def _understood(
    asked: Asked, text: str, language: Language, after: Understood | None = None
) -> Understood | None:
    """Return what a part of a message wishes; None where nothing, or by its verb alone unless what
    it comes `after` names something.
    """
    likely = reader.read(msgspec.structs.replace(asked, message=text), (), language).likely
    # what was parted is hardly two again
    best = next((one for one in likely if one.intent != TWO or one.sure >= SURE), None)
    if best is None or best.intent in NO_WISH:
        return None
    names_none = not asked.earlier and not (after and after.all_of("target"))
    is_bare = best.intent in wishes.KINDS and not best.spans and names_none
    return None if is_bare else best


def _stands_alone(asked: Asked, text: str, language: Language) -> bool:
    """Return whether a wish says itself what it is of, and where."""
    second = _understood(asked, text, language)
    if second is None or second.all_of("it"):
        return False
    folder = second.get("folder")
    is_there = folder and references.points_there(folder, language)
    return not is_there and bool(second.intent not in wishes.KINDS or second.all_of("target"))


def _points(said: Understood) -> bool:
    return said.intent in wishes.WRITES and bool(said.all_of("it"))


def _goes_on(first: Understood, second: Understood) -> bool:
    """Return whether what follows is of the first wish: more of the same, or only its day."""
    kinds = {first.intent, second.intent}
    is_alike = first.intent == second.intent or kinds <= OF_LISTS or kinds <= SAY_DONE
    has_more = {one.slot for one in second.spans} > {"it"}  # “… is done, tick it” says it twice
    # “mend the stand on Friday, and order fondant on Thursday” may move what is there
    each_day = all(one.all_of("title") and one.all_of("day") for one in (first, second))
    is_of_other = any(map(second.all_of, ABOUT)) or has_more or each_day
    if is_alike and kinds <= set(wishes.WRITES) and not is_of_other:
        return True
    said = sum(one.end - one.start for one in second.spans if one.slot in FIELDS)
    return said >= len(second.text.rstrip(" .!?。！？"))


def _joined(first: Step, second: Step) -> Step:
    """Return the answer to both, which takes both back."""
    left, other = first.trace or Trace(), second.trace or Trace()
    # The second has changed what the first has marked; of two edits of a note the last is undone.
    again = {mark[:2] for mark in other.marks}
    undo = (*other.undo, *(call for call in left.undo if call not in other.undo))
    trace = msgspec.structs.replace(
        other,
        about=tuple(dict.fromkeys((*other.about, *left.about))),
        undo=undo,
        marks=(*(mark for mark in left.marks if mark[:2] not in again), *other.marks),
    )
    told = [first, second] if left.intent != "none" else [second]
    return msgspec.structs.replace(
        second,
        text="\n".join(one.text for one in told),
        trace=trace,
        quotes=first.quotes + second.quotes,
    )
