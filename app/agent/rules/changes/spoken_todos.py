"""Todos that a message as a whole asks for or says must be done, and what is there already of them.

What is asked for is added. What only must be done is asked about where an open todo is called the
same: “I have to call the dentist tomorrow” may be its new day.
"""

import re
from collections.abc import Callable

import msgspec

from app.agent.rules.changes import days, extras, marked, readings, reused, texts, told
from app.agent.rules.dialogue import closed_classes
from app.agent.rules.dialogue.resolve_reference import word_stems
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.passages import questions
from app.agent.rules.routing import spoken_tasks
from app.agent.rules.routing.routing import Route
from app.agent.rules.routing.spoken_tasks import SpokenTask
from app.agent.turn.steps import Asked, Step

Act = Callable[[Asked, Route], Step]
UNTAKEN = frozenset(
    "ask cannot add_todo list_todos events free todo_state show_note remember".split()
)
"""What a message may seem to be that says what must be done."""
ASKED = UNTAKEN | {"make_note", "change_todo", "append_note", "tell_view", "leave"}
"""What it may seem to be where it asks for a todo outright."""
_LITTLE = re.compile(r"[\u3040-\u309f\W]+")
"""What in a name without spaces tells nothing apart."""


def understand(asked: Asked, found: Route, said: str) -> Route | None:
    """Return the todo that a message as a whole asks for, or says must be done, where it was taken
    for nothing surer; `said` is the message without what it takes back.
    """
    language = found.get("written") or found.language
    if not language_data.has_table(language, Changes) or found.things:
        return None
    if found.get("steps") or found.get("tasks"):
        return None
    if found.get("target") and found.intent != "change_todo":
        return None
    message, more = extras.take(said, language)
    task = spoken_tasks.read(message, asked.now, language)
    if task is None or (task.kind == "plain" and (not task.when or _goes_on(asked, language))):
        return None
    unsure = found.is_loose or found.intent in UNTAKEN
    if not unsure and (task.kind in ("duty", "plain") or found.intent not in ASKED):
        return None
    if task.kind == "plain" and found.intent == "cannot":
        return None  # “book a table for two” may be meant for the agent
    title = texts.without_vague(task.title, language)
    if "todos" in readings.kinds_of(asked, language):
        return None  # “both”
    if days.find(title, asked, language):
        return None  # another day is that of something else
    if not more and found.intent == "add_todo" and found.get("priority"):
        more = {"priority": found.get("priority")}
    task = msgspec.structs.replace(task, title=title)
    said_todo = {"task": f"{title} {task.when}".strip(), **more}
    return Route("add_todo", found.language, said_todo, spoken=task)


def add(asked: Asked, route: Route, task: SpokenTask, act: Act) -> Step:
    """Add a todo that was understood so, or ask whether the one called the same is meant."""
    if made := asked.of("create_todo"):
        return act(msgspec.structs.replace(asked, results=tuple(made)), route)
    if task.kind in ("duty", "plain") and task.when:
        if not asking.has_looked(asked):
            return Step(calls=asking.looks(asked))
        same = [one for one in told.open_todos(asked) if _is_same(task.title, one.title)]
        if len(same) == 1:
            day = {"wish": "change_todo", "field": "day", "day": task.when}
            if step := asking.ask_meant(Route("mean", route.language, day, tuple(same))):
                return step
    return reused.reuse(asked, lambda part: act(part, route))


def _is_same(title: str, other: str) -> bool:
    """Return whether two titles have the same words that matter, in whatever form."""
    if questions.is_asian(title):
        return bool(core := _LITTLE.sub("", title)) and core == _LITTLE.sub("", other)
    return bool(stems := set(word_stems(title))) and stems == set(word_stems(other))


def _goes_on(asked: Asked, language: Language) -> bool:
    """Return whether a message may go on with what the turn before was about: “and the tyres on
    Monday”.
    """
    also = closed_classes.class_of(language, "also").match(marked.Marked(asked.message).text)
    return bool(asked.earlier and (asked.earlier[0].about or also))
