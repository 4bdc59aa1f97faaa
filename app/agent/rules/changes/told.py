"""What a message tells of todos: that several are done, or that one is not done after all.

Nothing is wished outright, so it is always asked.
"""

import re
from collections.abc import Callable, Sequence

from app.agent.rules.changes.marked import Marked, Words, words_of
from app.agent.rules.dialogue import reports, resolve_reference
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.near import mentions, near, parts
from app.agent.rules.near.parts import Part
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import fold_text, split_words, stem
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing

UNSURE = frozenset({"ask", "todo_state", "cannot"})
LONGEST = 200
Act = Callable[[Asked, Route], Step]
PART = 4
"""So many letters has a part of a word at least that names the whole."""
_AFTER_TE = re.compile(r"(?<=[てで])(?=[\u30a0-\u30ff\u3400-\u9fff])")
"""Between a Japanese verb that goes on and the next clause."""
_LAST_VERB = re.compile(r"([\u3400-\u4dbf\u4e00-\u9fff々])[\u3040-\u30ff〜～~]*\W*$")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff々]")


def may_tell(asked: Asked, route: Route, language: Language) -> bool:
    """Return whether a message may tell something of todos that no pattern took."""
    text = Marked(asked.message).text
    if len(text) > LONGEST or "\n" in text.strip() or re.search('[?？"“«「]', text):
        return False
    words = words_of(language)
    if words.asks.search(text):
        return False
    if words.denies.search(text):
        return route.intent in UNSURE or route.is_loose or bool(route.get("reopen"))
    several = len(_clauses(asked.message, language)) > 1
    return several and (route.intent in UNSURE or (route.is_loose and _reports(route)))


def _reports(route: Route) -> bool:
    return route.intent == "complete_todo"


def may_report(asked: Asked, route: Route, language: Language) -> bool:
    """Return whether a message ends as people tell that something is done, in a script without
    spaces, and no pattern surely took it for anything else.
    """
    text, words = Marked(asked.message).text, words_of(language)
    if len(text) > LONGEST or "\n" in text.strip() or re.search("[?？「『]", text):
        return False
    if not words.reports.search(text) or words.asks.search(text) or words.denies.search(text):
        return False
    return route.intent in UNSURE or _reports(route)


def report(asked: Asked, language: Language, act: Act) -> Step | None:
    """Return the step of the one todo that a message names and tells to be done by its own verb, or
    the question whether it is, where only the name is its; None where it names none, or several.
    """
    if not near.has_looked(asked):
        return Step(calls=near.looks(asked))
    todos = _todos(asked, completed=False)
    row = parts.split(asked.message)
    sure = None
    for clause in [asked.message, *_clauses(asked.message, language)]:
        sure = sure or _surely_told(clause, todos, words_of(language))
    if sure:
        return act(asked, Route("complete_todo", language, {}, (sure,)))
    named = [one.things for one in mentions.named_unspaced(row, todos, "todo")]
    if not named or len(named[0]) > 1:
        return None
    return near.ask_meant(Route("mean", language, {"wish": "complete_todo"}, named[0]))


def ask(asked: Asked, language: Language) -> Step | None:
    """Return the question whether all that a message tells of is done, or is open again; None where
    a part of it tells of no todo, or of several.
    """
    denies = words_of(language).denies.search(Marked(asked.message).text) is not None
    mine = _todos(asked, completed=denies)
    found: list[Thing] = []
    verb = ""
    for clause in [asked.message] if denies else _clauses(asked.message, language):
        told = _told(clause, mine, verb)
        if told is None:
            return None
        verb = told[1]
        found.append(told[0])
    wish = {"wish": "change_todo", "field": "reopen"} if denies else {"wish": "complete_todo"}
    return near.ask_meant(Route("mean", language, wish, tuple(dict.fromkeys(found))))


def _surely_told(clause: str, todos: Sequence[Thing], words: Words) -> Thing | None:
    """Return the todo that a clause tells to be done: its last verb is that todo's, or says no more
    than that.
    """
    last = _LAST_VERB.search(clause)
    found = _told_unspaced(clause, todos, "")
    if not found or not last or not words.reports.search(Marked(clause).text):
        return None
    is_own = last[1] == found[1] or (not found[1] and last[1] in found[0].title)
    is_done = words.cues["complete"].search(Marked(last[0]).text) is not None
    return found[0] if is_own or is_done else None


def _todos(asked: Asked, *, completed: bool) -> list[Thing]:
    """Return the todos that there are, open or done."""
    done = {
        row["id"]: row["completed"]
        for result in asked.of("search_todos")[:1]
        for row in result.content["todos"]
    }
    todos = [one for one in near.things(asked) if one.kind == "todo"]
    return [one for one in todos if bool(done.get(one.id)) == completed]


def _clauses(message: str, language: Language) -> list[str]:
    """Return the parts of a message, each of which may tell of a todo."""
    pieces, start = [], 0
    text = Marked(message).text
    ends = [*words_of(language).join.finditer(text), *_AFTER_TE.finditer(text)]
    for found in sorted(ends, key=lambda one: one.start()):
        pieces.append(message[start : found.start()])
        start = found.end()
    pieces.append(message[start:])
    return [one for one in pieces if re.search(r"\w", one)]


def _told(clause: str, todos: Sequence[Thing], before: str) -> tuple[Thing, str] | None:
    """Return the one todo that a clause tells of, and the verb by which it does; the verb of the
    clause `before` where it has none: “the water bill is paid, the electricity, too”.
    """
    if questions.is_asian(clause):
        return _told_unspaced(clause, todos, before)
    row = parts.split(clause)
    places = mentions.named(row, todos, "todo") or _parts_of_names(row, todos)
    little = questions.little()
    verbs = [one.word for one in row if one.word not in little and len(one.word) > 1]
    for place in places:
        named = clause[place.start : place.end]
        for verb in [*verbs, *([before] if before else [])]:
            fitting = [one for one in place.things if _is_verb(verb, one, named)]
            if len(fitting) == 1:
                return fitting[0], verb
    return None


def _parts_of_names(row: Sequence[Part], todos: Sequence[Thing]) -> list[Part]:
    """Return what only is part of a word of names: “Wasser” of “Wasserrechnung”."""
    found = []
    for part in row:
        things = tuple(
            one for one in todos if len(part.word) >= PART and part.word in fold_text(one.title)
        )
        found += [part._replace(things=things)] if things else []
    return found


def _is_verb(verb: str, thing: Thing, named: str) -> bool:
    """Return whether a word is the verb of a todo in another form, beside what names it."""
    if verb in split_words(thing.title):
        return False
    forms = {stem(fold_text(verb)), *resolve_reference.same(stem(fold_text(verb)))}
    said = " ".join(one for one in split_words(named) if stem(one) not in forms)
    if not said:
        return False
    rest = [one for one in split_words(thing.title) if one not in split_words(said)]
    return bool(rest) and any(reports.tells_of(form, thing.title, said) for form in forms)


def _told_unspaced(clause: str, todos: Sequence[Thing], before: str) -> tuple[Thing, str] | None:
    """Return the same of a clause in a script without spaces, whose verb is of Chinese letters."""
    row = parts.split(clause)
    for place in mentions.named_unspaced(row, todos, "todo"):
        named = clause[place.start : place.end]
        rest = f"{clause[: place.start]} {clause[place.end :]}"
        verbs = [*_HAN.findall(rest), *([before] if before and not _HAN.findall(rest) else [])]
        fitting = [one for one in todos if named in one.title]
        of_verb = {
            verb: [one for one in fitting if verb in one.title.replace(named, "")] for verb in verbs
        }
        if sure := next(((one[0], verb) for verb, one in of_verb.items() if len(one) == 1), None):
            return sure
    letters = {one: set(_HAN.findall(one.title)) for one in todos}
    whole = [one for one, has in letters.items() if has and has <= set(clause)]
    return (whole[0], "") if len(whole) == 1 else None
