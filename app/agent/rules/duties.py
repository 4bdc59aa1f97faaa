"""What must be done by a day and may be there already, where no spaces part words."""

import re

from app.agent.rules.changes import days, named, told
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.near import near
from app.agent.rules.passages import questions
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step

LETTERS = 3
"""So many letters of its name name a todo."""
_NOUN = re.compile(r"[\u30a0-\u30ff]{2,}|[\u3400-\u9fff]{2,}")


def is_duty(asked: Asked, route: Route) -> bool:
    """Return whether a message only says what must be done by a day, where no spaces part words:
    what it names may be there already.
    """
    language = route.get("written") or route.language
    if route.intent != "add_todo" or route.get("tasks") or not questions.is_asian(asked.message):
        return False
    words, text = words_of(language), Marked(asked.message).text
    said = any(words.cues[kind].search(text) for kind in ("todo", "append"))
    return bool(words.must.search(text) and not said and days.find(text, asked, language))


def offer_same(asked: Asked, route: Route) -> Step | None:
    """Return the question whether the one todo that a duty names is to be due by its day, and no
    new one is meant: “会費28日までに払わなきゃ”.
    """
    if not is_duty(asked, route):
        return None
    if not near.has_looked(asked):
        return Step(calls=near.looks(asked))
    language = route.get("written") or route.language
    words, marked = words_of(language), Marked(asked.message)
    day = days.new_day(asked, marked, language)
    for one in named.find(asked, marked, told.open_todos(asked), ("todo",), language)[:1]:
        marked.mark([one[1:]], named.NAME)
        for pattern in (words.must, words.courtesy):
            marked.fit(pattern, "p")
        is_all = not _NOUN.search(marked.left(words))
        if len(one.things) == 1 and one.end - one.start >= LETTERS and is_all:
            wish = {"wish": "change_todo", "field": "day", "day": day}
            return near.ask_meant(Route("mean", language, wish, one.things))
    return None
