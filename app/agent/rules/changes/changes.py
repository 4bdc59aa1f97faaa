"""What is done about a message that wishes to change something and that no pattern took."""

import functools
import re
from collections.abc import Callable

import msgspec

from app.agent.rules.changes import (
    days,
    extras,
    last_spoken,
    levels,
    marked,
    new_notes,
    plain_tasks,
    readings,
    reused,
    several,
    spoken_todos,
    texts,
)
from app.agent.rules.dialogue import dialogue_words, slots
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import ChangeKind, Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.routing import routing, wording
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Step, Trace

TOLD = frozenset({"change_todo", "delete", "pin_note", "rename", "move_note", "change_note"})
"""The changes that people tell of, having made them elsewhere."""
Act = Callable[[Asked, Route], Step]
UNSURE = frozenset({"ask", "cannot"})
WRITTEN = frozenset({"add_todo", "make_note"})
SEEMING = frozenset({"make_note", "change_todo", "list_todos"})
"""What a message may seem to be that adds a todo: “put the tarps on my list, priority 3”."""
NOTED = frozenset(
    "make_note ask cannot tell_view list_notes find_notes show_note move_note add_todo".split()
)
"""What a message may only seem to be that writes a note."""
STRUCTURE: frozenset[ChangeKind] = frozenset({"step", "tag"})
"""The changes whose words are no part of what is written down: “… as a step there”."""
_TITLED = re.compile(r"[\"“”„«「『][^\"“”„«»「」]+[\"“”»」』]\s*[:：]")
"""A title in quotation marks before a text."""


def may_change(asked: Asked, route: Route) -> bool:
    """Return whether a message has a word of a wish to change something."""
    language = _language(route)
    return language_data.has_table(language, Changes) and bool(readings.kinds_of(asked, language))


def may_name(asked: Asked, route: Route) -> bool:
    """Return whether a message has a word of a change that is read by what things there are."""
    language = _language(route)
    kinds = readings.kinds_of(asked, language) if may_change(asked, route) else ()
    return readings.needs_names(kinds, language)


def is_surer(asked: Asked, route: Route) -> bool:
    """Return whether a message says more of its change than patterns take: several todos, or a
    text after what says so.
    """
    language = _language(route)
    kinds = readings.kinds_of(asked, language)
    says = marked.words_of(language).saying.search(marked.Marked(asked.message).text)
    is_read = route.get("title") and route.get("content")
    sends = kinds == ("message",) and not marked.words_of(language).spaced
    if sends and marked.words_of(language).asks.search(marked.Marked(asked.message).text):
        return True  # “Ask Ben when he comes” asks nothing here.
    if "todos" in kinds or ("note" in kinds and says is not None and not is_read):
        return True
    if "tag" in kinds and last_spoken.says_same_tag(asked.message, language):
        return True
    if route.intent == "append_note" and "tag" in kinds:
        return True
    if route.intent == "change_note" and "tag" in kinds:
        # “Put the tag boat on the insurance” names what gets it.
        return " " in route.get("tag")
    if route.intent == "append_note" and not {"note", "move"}.isdisjoint(kinds):
        # “Put a note in there: …”, “put the varnish one in it” after a folder was made.
        return any(one.kind == "folder" for turn in asked.earlier[:1] for one in turn.about)
    if route.intent == "change_todo" and "append" in kinds:
        return texts.only_quoted(marked.Marked(asked.message))[1] > 0
    if route.intent == "make_note" and not route.get("title"):
        return _TITLED.search(asked.message) is not None
    if marked.words_of(language).cues["todo"].match(marked.Marked(route.said).text):
        return False  # “Remind me to learn the dance steps.”
    return route.intent in WRITTEN and not STRUCTURE.isdisjoint(kinds)


def writes_note(asked: Asked, route: Route, act: Act) -> Step | None:
    """Return the step of a note whose folder, title or text a message names in whatever order; None
    where it names less than two of these, or a pattern has read as many.
    """
    language = _language(route)
    if route.intent not in NOTED or not language_data.has_table(language, Changes):
        return None
    words, text = marked.words_of(language), marked.Marked(asked.message).text
    placed = marked.any_place(words.inside)
    says = (words.cues["folder"], words.titled, words.saying, placed)
    if not new_notes.makes_list(text, language):
        has_parts = any(one.search(text) for one in says)
        has_parts = has_parts or new_notes.says_parts(text, language)
        if not words.cues["note"].search(text) or not has_parts:
            return None
        by_folder = language_data.load_table(language, Changes).verb_first
        by_folder = by_folder and words.cues["folder"].search(text) is not None
        if not by_folder and not slots.names_note([asked.message], language):
            return None
    is_else = bool(words.cues["folder"].search(text) or new_notes.is_listed(text, language))
    is_first = language_data.load_table(language, Changes).verb_first
    is_else = is_else or (is_first and words.put.search(text) is not None)
    is_read = route.get("title") and route.get("content") and not is_else
    if is_read and not words.saying.search(marked.Marked(route.get("title")).text):
        return None
    if missing := tuple(one for one in asking.looks(asked) if one not in _known(asked)):
        return Step(calls=missing)
    found = readings.read(asked, ["note"], asking.things(asked), language)
    if not found or found[0].intent != "make_note":
        return None
    if len({"title", "content", "folder"} & found[0].arguments.keys()) < 2:
        return None
    meant = msgspec.structs.replace(found[0], language=route.language)
    step = reused.reuse(asked, functools.partial(_act, act, meant))
    return step if step.calls else traced(meant, step)


def _known(asked: Asked) -> list[Call]:
    return [(one.tool, dict(one.arguments)) for one in asked.results]


def goes_onto(asked: Asked, route: Route) -> bool:
    """Return whether a text may go onto a list: “… to the groceries”, “on the list: …”."""
    if not language_data.has_table(language := _language(route), Changes):
        return False
    words, text = marked.words_of(language), marked.Marked(asked.message).text
    head = text.partition(":")[0].rstrip(" .!")
    cue = None if words.cues["todo"].search(head) else words.cues["append"].search(head)
    onto = words.onto.replace("{name}", r"[\w ]{3,40}")
    begins = cue and marked.any_place(words.onto).match(head, cue.end() + 1)
    return bool(cue and words.spaced and (begins or re.search(rf"(?<!\w)(?:{onto})$", head)))


def only_tells(asked: Asked, route: Route) -> bool:
    """Return whether a message tells that something was done where a pattern took it for a wish:
    the Spanish “cambié” and “cambie”.
    """
    language = _language(route)
    if route.intent not in TOLD or not language_data.has_table(language, Changes):
        return False
    return marked.words_of(language).tells.search(asked.message.lower()) is not None


def tidied(asked: Asked, found: Route) -> Route:
    """Return a change that a pattern found without a target that is only the day of what was spoken
    of, “the due date”, and the other way round where a message says that something be earlier,
    or no longer important.
    """
    language = _language(found)
    tag, has_words = found.get("tag"), language_data.has_table(language, Changes)
    is_filler = tag and has_words and not marked.Marked(tag).left(marked.words_of(language))
    if tag and (is_filler or last_spoken.says_same_tag(asked.message, language)):
        return msgspec.structs.replace(found, arguments={**found.arguments, "tag": ""})
    if found.get("who") and has_words and not marked.words_of(language).spaced:
        # “I can't make it. Tell Ben …”
        who = re.split(r"[。！!…、，\s]+", found.get("who"))[-1]
        return msgspec.structs.replace(found, arguments={**found.arguments, "who": who})
    if found.intent == "rename" and not found.things and has_words:
        return last_spoken.renamed(asked, found, language)
    folder = marked.Marked(found.get("target"))
    if (
        found.intent == "delete"
        and has_words
        and folder.fit(marked.words_of(language).cues["folder"], "c")
    ):
        named = {"folder": folder.left(marked.words_of(language))}
        return msgspec.structs.replace(found, intent="delete_folder", arguments=named)
    if found.intent == "make_folder" and has_words:
        name = new_notes.called(found.get("folder"), language)
        return msgspec.structs.replace(found, arguments={**found.arguments, "folder": name})
    if found.intent != "change_todo" or not language_data.has_table(language, Changes):
        return found
    words, arguments = marked.words_of(language), dict(found.arguments)
    if found.get("reopen") and not found.get("day"):
        arguments = last_spoken.put_back(asked, found, language)
    if found.get("by") and words.earlier.search(marked.Marked(asked.message).text):
        arguments["earlier"] = "yes"
    if levels.is_denied(marked.Marked(asked.message), found.get("priority"), language):
        target = marked.Marked(found.get("target"))
        target.fit(words.denies, "p")
        arguments |= {"priority": levels.LOW, "target": target.left(words)}
    if found.get("target") and (found.get("by") or found.get("day")):
        target = marked.Marked(found.get("target"))
        target.fit(words.also["reschedule"], "p")
        several = any(
            dialogue_words.whole(language, name, found.get("target"))
            for name in ("both", "every", "other")
        )
        keeps = several or target.left(words)
        arguments["target"] = found.get("target") if keeps else ""
        dated = [] if words.spaced else days.find(found.get("target"), asked, language)
        if keeps and target.mark(dated, "d") and not several:
            arguments["target"] = target.left(words)  # the day that it was on stands before it
    return msgspec.structs.replace(found, arguments=arguments)


def asks_instead(route: Route) -> bool:
    """Return whether what is to be remembered is a question: “remind me what time it is”."""
    task, language = route.get("task"), _language(route)
    if route.intent != "add_todo" or not language_data.has_table(language, Changes):
        return False
    words, text = marked.words_of(language), marked.Marked(task).text
    # “… again, what was the number”
    begun = any(words.asks.match(one) for one in (text, text.partition(", ")[2]))
    ends = task.rstrip().endswith(("?", "？")) and words.asks.search(text)
    return bool(ends or (begun and words.spaced))


def is_else(asked: Asked, route: Route, read: Route) -> bool:
    """Return whether a message is no such wish that writes: it begins as a question does, or tells
    somebody something, or wishes something earlier and not later.
    """
    language = _language(route)
    if not language_data.has_table(language, Changes):
        return False
    words, text = marked.words_of(language), marked.Marked(asked.message).text
    if read.get("by") and not read.get("earlier") and words.earlier.search(text):
        return True
    if read.intent != "message" and words.cues["message"].match(text):
        return True
    return words.asks.search(text) is not None and not words.courtesy.match(text)


def as_todo(asked: Asked, found: Route, said: str) -> Route:
    """Return what a message asks for as todos to add, where it says so more surely than what was
    found; `said` is the message without what it takes back.
    """
    language = _language(found)
    if found.intent == "add_todo" and not {"task", "tasks", "target"} & set(found.arguments):
        return found  # “a new task for Friday”
    if (spoken := spoken_todos.understand(asked, found, said)) is not None:
        return spoken
    if not language_data.has_table(language, Changes):
        return found
    if _is_task(asked, found):
        task = {"task": found.get("content")}
        found = msgspec.structs.replace(found, intent="add_todo", arguments=task)
    elif (
        found.is_loose
        or found.intent in UNSURE
        or ":" in found.get("task")
        or (found.intent in SEEMING and not found.get("reopen"))
    ):
        found = _said_todo(asked, found, language) or found
    if found.intent in WRITTEN and _names_nothing(found, language):
        # “Add it as a task with its time” says nothing of what it is.
        asks = {"words": asked.message}
        return msgspec.structs.replace(found, intent="ask", arguments=asks)
    return _plain_todo(asked, found)


def _said_todo(asked: Asked, found: Route, language: Language) -> Route | None:
    """Return the todo that a message says after its day, or by words that may mean a note."""
    unsure = found.intent not in SEEMING or found.is_loose
    if unsure:
        return _day_first(asked, found)
    if not marked.words_of(language).spaced:
        return None
    cue = marked.words_of(language).cues["todo"].match(marked.Marked(asked.message).text)
    return next(iter(readings.read(asked, ["todo"], (), language)), None) if cue else None


def _names_nothing(route: Route, language: Language) -> bool:
    """Return whether what is to be written down is only a word for what was spoken of."""
    said = route.get("task") or (route.get("content") if not route.get("title") else "")
    words, text = marked.words_of(language), marked.Marked(said)
    also = text.fit(words.also["todo"], "p")
    rest = text.left(words).strip()
    if not said or not words.spaced or (not also and route.intent == "make_note"):
        return False
    return not rest or slots.only_little(rest, language, "it", "add", "helper", "note")


def _plain_todo(asked: Asked, route: Route) -> Route:
    """Return a todo to add as several where it is, without what says that it must be done, and
    with its day where that is read.
    """
    said, language = route.get("task"), _language(route)
    more: dict[str, str] = {}
    if route.intent == "add_todo" and said and not route.get("tasks"):
        said, more = extras.take(plain_tasks.tidied(asked, said, language), language)
        route = msgspec.structs.replace(route, arguments={**route.arguments, "task": said, **more})
    several = plain_tasks.several(asked, route)
    if route.intent != "add_todo" or not said or several != route:
        return several
    if marked.words_of(language).spaced:
        said = plain_tasks.without_place(asked, said, language)
    task = plain_tasks.dated(asked, plain_tasks.without_join(said, language), language)
    task = texts.without_duty(asked, texts.without_vague(task, language), language)
    task = texts.without_vague(task, language)
    return msgspec.structs.replace(route, arguments={**route.arguments, "task": task})


def _day_first(asked: Asked, found: Route) -> Route | None:
    """Return the todo of a wish that stands after its day: “tonight at seven remind me to cook”."""
    language = _language(found)
    text = wording.plain_wording(asked.message, language)
    words, plain = marked.words_of(language), marked.Marked(text).text
    if not any(one.search(plain) for one in (words.cues["todo"], words.must)):
        return None
    last = days.to_end(text, asked, language)
    read = routing.route_message(last, before=language) if last != text else found
    task = read.get("task")
    is_todo = read.intent == "add_todo" and not read.is_loose and task
    return read if is_todo and texts.is_dated(asked, task, language) else None


def _is_task(asked: Asked, route: Route) -> bool:
    """Return whether what is to be written down is something to do."""
    if route.intent != "make_note" or route.get("folder") or route.get("title"):
        return False
    return texts.is_task(asked, route.get("content"), _language(route))


def moves_several(asked: Asked, route: Route) -> bool:
    """Return whether a message moves several todos to days of their own, which is asked for one
    by one.
    """
    language = _language(route)
    moves = route.intent in ("change_todo", "move_note") and not (route.get("title"))
    return (
        moves
        and "reschedule" in readings.kinds_of(asked, language)
        and several.moves_several(asked.message, asked, language)
    )


def moves_another(asked: Asked, route: Route) -> bool:
    """Return whether a clause of what is to be written down moves something to a day, where no
    spaces part words: “the tickets put off to Friday, and I must buy thread”.
    """
    words = marked.words_of(_language(route))
    if route.intent != "add_todo" or words.spaced:
        return False
    *before, _ = words.join.split(marked.Marked(asked.message).text)
    return any(
        one
        and words.moves.search(one)
        and not words.reports.search(one)
        and days.find(one, asked, _language(route))
        for one in before
    )


def change(
    asked: Asked, route: Route, act: Act, *, but: str = "", only: bool = False
) -> Step | None:
    """Return the step of the change that a message wishes, `but` that of an intent; None where it
    wishes none, or nothing is there that it could be of.
    """
    language = _language(route)
    kinds = [kind for kind in readings.kinds_of(asked, language) if readings.INTENTS[kind] != but]
    if marked.words_of(language).cues["message"].match(marked.Marked(asked.message).text):
        # “Tell him I'll send it on Friday” moves nothing.
        kinds = [kind for kind in kinds if kind not in readings.PLAIN]
    if "append" in kinds and goes_onto(asked, route):
        kinds = ["append", *(kind for kind in kinds if kind != "append" and not only)]
    if readings.needs_names(kinds, language):
        known = _known(asked)
        if missing := tuple(call for call in asking.looks(asked) if call not in known):
            return Step(calls=missing)
    for wish in readings.read(asked, kinds, asking.things(asked), language):
        meant = _plain_todo(asked, msgspec.structs.replace(wish, language=route.language))
        step = reused.reuse(asked, functools.partial(_act, act, meant))
        if step.calls or not step.empty:
            return step if step.calls else traced(meant, step)
    return None


def traced(wish: Route, step: Step) -> Step:
    """Return an answer that leaves how its wish was understood."""
    left = step.trace or Trace()
    trace = msgspec.structs.replace(
        left,
        intent=left.intent or wish.intent,
        language=wish.language,
        arguments=left.arguments or wish.arguments,
    )
    return msgspec.structs.replace(step, trace=trace)


def _language(route: Route) -> Language:
    return route.get("written") or route.language


def _act(act: Act, wish: Route, asked: Asked) -> Step:
    return act(asked, wish)
