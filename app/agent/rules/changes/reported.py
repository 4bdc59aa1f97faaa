"""What a message in a script without spaces tells to be done, of the one todo that it names."""

import re
from collections.abc import Callable, Sequence

from app.agent.rules.answers import targets
from app.agent.rules.changes import told
from app.agent.rules.changes.marked import Marked, Words, words_of
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking, mentions, parts
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing

Act = Callable[[Asked, Route], Step]
MAY_BE = told.UNSURE | {"complete_todo"}
"""What a report is taken for."""
_LAST_VERB = re.compile(r"([\u3400-\u4dbf\u4e00-\u9fff々])[\u3040-\u30ff〜～~]*\W*$")


def may_report(asked: Asked, route: Route, language: Language) -> bool:
    """Return whether a message ends as people tell that something is done, in a script without
    spaces, and no pattern surely took it for anything else.
    """
    text, words = Marked(asked.message).text, words_of(language)
    if len(text) > told.LONGEST or "\n" in text.strip() or re.search("[?？「『]", text):
        return False
    if not words.reports.search(text) or words.asks.search(text) or words.denies.search(text):
        return False
    return route.intent in MAY_BE


def report(asked: Asked, language: Language, act: Act) -> Step | None:
    """Return the step of the one todo that a message names and tells to be done by its own verb, or
    the question whether it is, where only the name is its; None where it names none, or several.
    """
    if not asking.has_looked(asked):
        return Step(calls=asking.looks(asked))
    todos = told.open_todos(asked)
    row = parts.split(asked.message)
    sure = None
    for clause in [asked.message, *told.clauses_of(asked.message, language)]:
        sure = sure or _surely_told(clause, todos, words_of(language))
    if sure:
        return act(asked, Route("complete_todo", language, {}, (sure,)))
    named = [one.things for one in mentions.named_unspaced(row, todos, "todo")]
    if not named or len(named[0]) > told.MOST:
        return None
    if len(named[0]) > 1:
        return targets.ask_which(Route("complete_todo", language, {}), named[0])
    return asking.ask_meant(Route("mean", language, {"wish": "complete_todo"}, named[0]))


def _surely_told(clause: str, todos: Sequence[Thing], words: Words) -> Thing | None:
    """Return the todo that a clause tells to be done: its last verb is that todo's, or says no more
    than that.
    """
    last = _LAST_VERB.search(clause)
    found = told.told_unspaced(clause, todos, "")
    if not found or not last or not words.reports.search(Marked(clause).text):
        return None
    is_own = last[1] == found[1] or (not found[1] and last[1] in found[0].title)
    is_done = words.cues["complete"].search(Marked(last[0]).text) is not None
    return found[0] if is_own or is_done else None
