"""What a message tells of todos: that several are done, or that one is not done after all.

Nothing is wished outright, so it is always asked.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from app.agent.rules.answers import targets
from app.agent.rules.changes import days
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import followup_questions, reports, resolve_reference, slots
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.question_tables import Questions
from app.agent.rules.mentions import asking, mentions, parts
from app.agent.rules.mentions.parts import Part
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import fold_text, split_words, stem
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing, Trace

UNSURE = frozenset({"ask", "todo_state", "cannot"})
LONGEST = 200
MOST = 5
"""Of so many todos it is asked at most which is meant."""
POINTS = 2
"""With more little words than these begins what tells of “that”."""
SAME = 4
"""By so many letters two forms of a word begin alike."""
PART = 4
"""So many letters has a part of a word at least that names the whole."""
_AFTER_TE = re.compile(r"(?<=[てで])(?=[\u30a0-\u30ff\u3400-\u9fff])")
"""Between a Japanese verb that goes on and the next clause."""
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff々]")


def may_tell(asked: Asked, route: Route, language: Language) -> bool:
    """Return whether a message may tell something of todos that no pattern took."""
    text = Marked(asked.message).text
    if len(text) > LONGEST or "\n" in text.strip() or re.search('[?？"“«「]', text):
        return False
    words = words_of(language)
    if words.asks.search(text):
        return False
    is_unsure = route.intent in UNSURE | {"list_todos", "tell_view"} or (
        route.is_loose and route.intent != "change_todo"
    )
    if words.done.search(asked.message.lower()) and is_unsure:
        return True
    if words.denies.search(text):
        return is_unsure or bool(route.get("reopen"))
    several = len(clauses_of(asked.message, language)) > 1
    return several and (route.intent in UNSURE or (route.is_loose and _reports(route)))


def is_settled(asked: Asked, route: Route, language: Language, asks: Step) -> bool:
    """Return whether a report may be of the list spoken of, or a pattern has read it and nothing
    else is said of what is asked about.
    """
    if asked.earlier and followup_questions.list_before(asked.earlier[0], language):
        return True
    question = asks.trace.asks if asks.trace else None
    if not _reports(route) or question is None:
        return False
    words, marked = words_of(language), Marked(asked.message)
    _mark_names(marked, question.choices)
    marked.mark(days.find(marked.message, asked, language), "d")
    marked.mark((one.span() for one in words.done.finditer(marked.message.lower())), "c")
    marked.fit(words.also["complete"], "c")
    return not re.search(r"\w", marked.left(words))


def _mark_names(marked: Marked, things: Sequence[Thing]) -> None:
    own = {word for one in things for word in split_words(one.title)}
    row = parts.split(marked.message)
    marked.mark(((one.start, one.end) for one in row if one.word in own), "n")


def _reports(route: Route) -> bool:
    return route.intent == "complete_todo"


def ask(asked: Asked, language: Language) -> Step | None:
    """Return the question whether all that a message tells of is done, or is open again; None where
    it tells of no todo.
    """
    open_ones = open_todos(asked)
    last = asked.earlier[0] if asked.earlier else Trace()
    if last.undo and len(last.about) == 1 and _tells_of_it(asked.message, language):
        found = [one for one in last.about if one in open_ones]
        return _meant(language, {"wish": "complete_todo"}, found) if found else None
    if told := _reported(asked, open_ones, language):
        told = [_shown_before(asked, one) for one in told]
        if len(told) == 1 and len(told[0]) > 1:
            words = {"words": ", ".join(one.title for one in told[0])}
            return targets.ask_which(Route("complete_todo", language, words), told[0])
        found = [one[0] for one in told if len(one) == 1]
        return _meant(language, {"wish": "complete_todo"}, found) if found else None
    denies = words_of(language).denies.search(Marked(asked.message).text) is not None
    if not (denies or questions.is_asian(asked.message)):
        return None
    todos = [one for one in asking.things(asked) if one.kind == "todo"]
    mine = [one for one in todos if one not in open_ones] if denies else open_ones
    found = []
    verb = ""
    ticked = asked.earlier[0] if asked.earlier else Trace()
    for clause in [asked.message] if denies else clauses_of(asked.message, language):
        one = _told(clause, mine, verb)
        if denies and one is None and ticked.intent == "complete_todo" and ticked.undo:
            # “The flour not yet after all.”
            again = named_once(clause, ticked.about)
            one = (again, "") if again else None
        if one is None:
            return None
        verb = one[1]
        found.append(one[0])
    wish = {"wish": "change_todo", "field": "reopen"} if denies else {"wish": "complete_todo"}
    return _meant(language, wish, found)


def _tells_of_it(message: str, language: Language) -> bool:
    """Return whether a message tells that “that” is done with which it begins."""
    words = parts.split(message)
    little = [slots.only_little(one.word, language, "helper") for one in words]
    first = next((at for at, is_little in enumerate(little) if not is_little), len(words))
    lead = message[: words[first - 1].end] if first else ""
    # “Das Gästebett” is none, but “das hab ich”.
    points = slots.has_kind(lead, language, "it") and first > POINTS
    known, rest = words_of(language), message[len(lead) :]
    is_done = known.cues["complete"].search(Marked(rest).text) or known.done.search(rest.lower())
    return bool(points and is_done and not known.denies.search(Marked(message).text))


def _shown_before(asked: Asked, things: tuple[Thing, ...]) -> tuple[Thing, ...]:
    """Return the one of several that the turn before told of, or all."""
    last = asked.earlier[0] if asked.earlier else Trace()
    mine = tuple(one for one in things if one in (*last.shown, *last.about))
    return mine if len(mine) == 1 else things


def open_todos(asked: Asked) -> list[Thing]:
    """Return the todos that are there and not done."""
    done = {
        row["id"]
        for result in asked.of("search_todos")[:1]
        for row in result.content["todos"]
        if row["completed"]
    }
    return [one for one in asking.things(asked) if one.kind == "todo" and one.id not in done]


def _meant(language: Language, wish: dict[str, str], found: Sequence[Thing]) -> Step | None:
    return asking.ask_meant(Route("mean", language, wish, tuple(dict.fromkeys(found))))


def _reported(asked: Asked, todos: Sequence[Thing], language: Language) -> list[tuple[Thing, ...]]:
    """Return what the clauses of a message name that they say is done, be it a clause later: of
    each the todo, or those of which one may be meant.
    """
    if questions.is_asian(asked.message):
        return []
    people = {
        word
        for one in asking.things(asked)
        if one.kind == "person"
        for word in split_words(one.title)
    }
    clauses = clauses_of(asked.message, language)
    named = [_named(one, todos, people, language) for one in clauses]
    found: list[tuple[Thing, ...]] = []
    for at, name in enumerate(named):
        if name is None:
            continue
        said = _says_done(clauses[at], name.things, language)
        if said is None and at + 1 < len(named) and _only_names(clauses[at], name):
            # “Espresso and flour are both ordered.”
            following = named[at + 1]
            said = _says_done(clauses[at + 1], following.things if following else (), language)
        # “They called, the dentist is on Monday now” tells of no visit.
        is_dated = said is None and days.find(clauses[at], asked, language)
        for beside in () if is_dated else (at + 1, at - 1):
            if said is None and 0 <= beside < len(clauses) and named[beside] is None:
                said = _says_done(clauses[beside], (), language)
        # “The water bill is paid, the electricity too.”
        if said or (said is None and found):
            found.append(name.things)
    return found


def _only_names(clause: str, name: Part) -> bool:
    """Return whether a clause is nothing but a name."""
    around = f"{clause[: name.start]} {clause[name.end :]}"
    return all(part.word in questions.little() for part in parts.split(around))


def _says_done(clause: str, things: Sequence[Thing], language: Language) -> bool | None:
    """Return whether a clause says beside names that something is done; None where it says neither
    that nor that it is still open.
    """
    words, marked = words_of(language), Marked(clause)
    _mark_names(marked, things)
    is_done = marked.mark((one.span() for one in words.done.finditer(clause.lower())), "c")
    return False if marked.has(words.open) else is_done or None


def _named(
    clause: str, todos: Sequence[Thing], people: Collection[str], language: Language
) -> Part | None:
    """Return where a clause names a todo by what it is about, and not only by its verb or a person;
    None where it names none, or too many.
    """
    row = parts.split(clause)
    places = mentions.named(row, todos, "todo") or _parts_of_names(row, todos)
    little = questions.little()
    verbs = [one.word for one in row if len(one.word) > reports.ROOT and one.word not in little]
    for place in places:
        said = clause[place.start : place.end]
        every = _alike(said, place.things, todos)
        mine = tuple(one for one in every if _is_about(said, one, people, language))
        by_verb = tuple(one for one in mine if any(_is_verb(verb, one, said) for verb in verbs))
        meant = by_verb or mine
        if 0 < len(meant) <= MOST:
            return place._replace(things=meant)
    return None


def _alike(said: str, best: Sequence[Thing], todos: Sequence[Thing]) -> tuple[Thing, ...]:
    """Return all todos that have as many of the words as the best: “the bow” of two."""
    rows = [{"title": one.title, "thing": one} for one in todos]
    every = tuple(row["thing"] for row in resolve_reference.fitting_rows(said, rows))
    return every if set(best) <= set(every) else tuple(best)


def names_one(said: str, things: Sequence[Thing], language: Language) -> bool:
    """Return whether words name one of some things by more than the verb of its title."""
    if questions.is_asian(said):
        return True
    mine = [one for one in things if one.kind == "todo"]
    return len(mine) < len(things) or any(_is_about(said, one, (), language) for one in mine)


def _is_about(said: str, thing: Thing, people: Collection[str], language: Language) -> bool:
    """Return whether a name holds a word of a todo's other than its verb in another form."""
    own, verb = split_words(thing.title), _verb_of(thing, language)
    others = {stem(one) for one in own if fold_text(one) != verb or len(own) == 1}
    return any(
        word in own
        or not others.isdisjoint({stem(word), *resolve_reference.same(stem(word))})
        or _has_part(word, thing.title)
        for word in split_words(said)
        if word not in people
    )


def clauses_of(message: str, language: Language) -> list[str]:
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
        return told_unspaced(clause, todos, before)
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
    words = [one for one in row if one.word not in questions.little()]
    found = [
        part._replace(things=tuple(one for one in todos if _has_part(part.word, one.title)))
        for part in words
    ]
    return [one for one in found if one.things]


def named_once(clause: str, todos: Sequence[Thing]) -> Thing | None:
    """Return the one of these todos that a clause names; None where it names none or several."""
    places = mentions.named(parts.split(clause), todos, "todo")
    named = {thing for one in places for thing in one.things}
    return named.pop() if len(named) == 1 else None


def by_verb(asked: Asked, todos: Sequence[Thing], language: Language) -> tuple[Thing, ...]:
    """Return the one todo whose verb a message tells to be done that names nothing: “just
    transferred it, tick that off”.
    """
    text = asked.message.lower()
    said = {word for one in words_of(language).done.finditer(text) for word in split_words(one[0])}
    # “Angerufen” is of “anrufen”.
    forms = {fold_text(form) for one in said for form in (one, one.replace("ge", "", 1))}
    found = tuple(one for one in todos if any(_begins_alike(_verb_of(one, language), forms)))
    return found if len(found) == 1 else ()


def _verb_of(thing: Thing, language: Language) -> str:
    """Return the verb of a todo: in German it stands at the end."""
    own = split_words(thing.title) or [""]
    ends = language_data.load_table(language, Questions).capital_nouns
    return fold_text(own[-1] if ends else own[0])


def says_verb(
    said: str,
    things: Sequence[Thing],
    language: Language,
    of: Callable[[Iterable[bool]], bool] = all,
) -> bool:
    """Return whether words only say what is done, be it in another way, `of` these things: “pick
    the kids up” is not of “Buy milk”.
    """
    words = {stem(one) for one in split_words(said)}
    verbs = [stem(_verb_of(one, language)) for one in things]
    alike = [{verb, *resolve_reference.same(verb)} for verb in verbs]
    return bool(words) and of(len(forms) > 1 and words <= forms for forms in alike)


def _begins_alike(verb: str, forms: Collection[str]) -> Iterator[bool]:
    root = verb[: max(SAME - 1, len(verb) // 2)]
    for one in forms:
        yield len(root) < len(verb) and one.startswith(root)


def is_all_named(duty: str, title: str) -> bool:
    """Return whether a title has all the words of what must be done, in whatever form."""
    held = resolve_reference.word_stems(title)
    stems = resolve_reference.word_stems(duty)
    return bool(stems) and all(any(one[:SAME] == other[:SAME] for other in held) for one in stems)


def named_in_part(message: str, todos: Sequence[Thing], language: Language) -> tuple[Thing, ...]:
    """Return the todos of whose name a message has only part of a word, the first that it names
    so: “the strings” of “Bassstrings”.
    """
    spaced = words_of(language).spaced
    found = _parts_of_names(parts.split(message), todos) if spaced else []
    return found[0].things if found else ()


def _has_part(word: str, title: str) -> bool:
    """Return whether a word of a title begins or ends with a word, be it without its own ending."""
    forms = {word, word.removesuffix("n"), word.removesuffix("s"), word.removesuffix("en")}
    return any(
        len(form) >= PART and (one.startswith(form) or one.endswith(form))
        for form in forms
        for one in split_words(title)
    )


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


def told_unspaced(clause: str, todos: Sequence[Thing], before: str) -> tuple[Thing, str] | None:
    """Return the same of a clause in a script without spaces, whose verb is of Chinese letters."""
    row = parts.split(clause)
    for place in mentions.named_unspaced(row, todos, "todo"):
        named = clause[place.start : place.end]
        rest = f"{clause[: place.start]} {clause[place.end :]}"
        verbs = [*_HAN.findall(rest), *([before] if before and not _HAN.findall(rest) else [])]
        fitting = [one for one in todos if named in one.title]
        of_verb = {
            verb: [one for one in fitting if reports.has_verb(one.title.replace(named, ""), verb)]
            for verb in verbs
        }
        if sure := next(((one[0], verb) for verb, one in of_verb.items() if len(one) == 1), None):
            return sure
    letters = {one: set(_HAN.findall(one.title)) for one in todos}
    whole = [one for one, has in letters.items() if has and has <= set(clause)]
    return (whole[0], "") if len(whole) == 1 else None
