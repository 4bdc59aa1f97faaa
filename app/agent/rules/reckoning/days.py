"""Days that are counted, or told by their name or date.

Until or since a date, a holiday, or what stands in a todo or a note.
"""

import re
from datetime import date, datetime, timedelta

import msgspec

from app.agent.rules.answers import list_answers, note_answers
from app.agent.rules.dialogue import dialogue_words, resolve_reference
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import found_texts, questions
from app.agent.rules.passages.answer_passages import Text
from app.agent.rules.passages.sentences import Sentence, split_sentences, stem
from app.agent.rules.phrases import dates, phrases
from app.agent.rules.reckoning import numbers, words, written_dates
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Quote, Step, Thing, Trace, note_link

MOST = 200
TOLD = frozenset({"tell_day", "tell_days", "days_left"})
"""The intents of what told a day, or how far one is."""
LONGEST = 160
_APART = re.compile(r"\w\s*[,(]\s*(?:\w{2,3}\s+)?$")
_WEEKS = frozenset({"week"})


def read(asked: Asked, language: Language) -> Route | None:
    """Return what a message asks of days; None where it asks for something else."""
    if len(asked.message) > LONGEST:
        return None
    plain = words.folded(asked.message)
    table = words.table_of(language)
    if one := words.whole(language, table.age).search(plain):
        rest = f"{plain[: one.start()]} {plain[one.end() :]}"
        return Route("age", language, {}, is_loose=True) if re.search(r"\w", rest) else None
    if one := words.whole(language, table.weekday).search(plain):
        return _named_day(asked, f"{plain[: one.start()]} {plain[one.end() :]}", language)
    one = words.whole(language, table.how_many).search(plain)
    if one and (phrases.is_spaced(language) or _says_way(plain, language)):
        said = next((text for name, text in one.groupdict().items() if text), "")
        rest = f"{plain[: one.start()]} , {plain[one.end() :]}"
        return _counted(asked, plain, rest, said, language)
    if one := words.whole(language, table.date).search(plain):
        rest = f"{plain[: one.start()]} {plain[one.end() :]}"
        return _named_day(asked, rest, language) if _day_in(rest, asked, language) else None
    return _other_day(asked, plain, language)


def _other_day(asked: Asked, plain: str, language: Language) -> Route | None:
    """Return that of another day the same is asked as before: “and until Christmas?” after days
    were counted.
    """
    last = asked.earlier[0] if asked.earlier else Trace()
    if last.intent not in TOLD or (day := _day_in(plain, asked, language)) is None:
        return None
    left = _left(f"{plain[: day.start]} {plain[day.end :]}", language)
    if any(word not in questions.little() for word in left):
        return None
    if routing.route_message(asked.message, before=language).intent != "ask":
        return None  # “what's due on Friday?”
    intent = "tell_day" if last.intent == "tell_day" else "tell_days"
    unit = {"unit": last.arguments.get("unit", "day")}
    return Route(intent, language, {**unit, "day": day.day.isoformat()})


def _named_day(asked: Asked, rest: str, language: Language) -> Route | None:
    """Return that the name and date of a day are asked for, where that day is said."""
    day = _day_in(rest, asked, language)
    if day:
        rest = f"{rest[: day.start]} {rest[day.end :]}"
    if _says_more(rest, language) or (day and day.day == asked.now.date()):
        return None
    last = _day_before(asked)
    if told := day.day.isoformat() if day else last:
        return Route("tell_day", language, {"day": told})
    # “What weekday is that?” of no day that was told.
    nothing = {"words": rest, "followed": "yes"}
    return Route("ask", language, nothing) if _points(asked.message, language) else None


def _searched(named: str) -> str:
    """Return words with those that may stand for them: “fly” is a flight in a note."""
    others = (one for word in named.split() for one in questions.alternatives(stem(word)))
    return " ".join(dict.fromkeys((*named.split(), *others)))


def _says_journey(text: str, language: Language) -> bool:
    pattern = words.table_of(language).journey
    return words.whole(language, pattern).search(text) is not None


def _points(text: str, language: Language) -> bool:
    """Return whether a text points at a day that was told before."""
    pattern = dialogue_words.tables(language)[0].that_day.get(0, "(?!)")
    return dialogue_words.find_in(pattern, dialogue_words.bare(text)) is not None


def _counted(asked: Asked, plain: str, rest: str, said: str, language: Language) -> Route | None:
    """Return that the days until or since a day are asked for, in the unit that was `said`."""
    table = words.table_of(language)
    unit = numbers.unit_of(said, language) or "day"
    since = words.whole(language, table.since).search(plain) is not None
    until = words.whole(language, table.until).search(plain) is not None
    arguments = {"unit": unit, **({"since": "yes"} if since and not until else {})}
    day = _day_in(rest, asked, language)
    if day and day.day == asked.now.date():
        # “How many days from today until …”
        rest = f"{rest[: day.start]} {rest[day.end :]}"
        day = _day_in(rest, asked, language)
    if day:
        beside = f"{rest[: day.start]} {rest[day.end :]}"
        # “Until the wedding, 20 March” says of what day that is.
        beside_name = _APART.search(rest[: day.start]) and not rest[day.end :].strip(" ?？!.")
        if _says_more(beside, language, table.leaving) and not (until and beside_name):
            return None
        when = day.day
        if since and not day.has_year and when > asked.now.date():
            when = when.replace(year=when.year - 1)
        return Route("tell_days", language, {**arguments, "day": when.isoformat()})
    left = _left(rest, language, table.leaving)
    leaving = words.whole(language, table.leaving).search(rest) is not None
    if left:
        if not (until or since):
            return None
        how = {"leaving": "yes"} if leaving or _says_journey(rest, language) else {}
        text, every = " ".join(left), " ".join(_left(rest, language))
        found = {**arguments, **how, "words": text, "text": _searched(every), "every": every}
        return Route("days_left", language, found)
    last = asked.earlier[0] if asked.earlier else Trace()
    if told := _day_before(asked):
        title = last.about[0].title if len(last.about) == 1 else ""
        return Route("tell_days", language, {**arguments, "day": told, "title": title})
    before = next((one for one in asked.earlier[:2] if one.about), Trace())
    if before.intent == "ask" and not (said or until or since or leaving):
        return None  # “for how long?” is it to bake
    if len(before.about) == 1 and before.about[0].kind in ("note", "todo"):
        text = " ".join(_left(rest, language)) or before.about[0].title
        said = words.folded(before.arguments.get("words", ""))
        leaves = leaving or words.whole(language, table.leaving).search(said)
        how = {"leaving": "yes"} if leaves else {}
        asks = {**arguments, **how, "words": text, "text": text}
        return Route("days_left", language, asks, before.about)
    text = " ".join(_left(rest, language)) if until and leaving else ""
    asks = {**arguments, "words": text, "text": text}
    return Route("days_left", language, asks) if text else None


def _says_way(plain: str, language: Language) -> bool:
    """Return whether a message says that days are counted until or since another."""
    table = words.table_of(language)
    return any(words.whole(language, one).search(plain) for one in (table.until, table.since))


def _day_before(asked: Asked) -> str:
    """Return the day that the turn before told."""
    return asked.earlier[0].day if asked.earlier else ""


def _says_more(rest: str, language: Language, *also: object) -> bool:
    return bool(_left(rest, language, *also))


def _left(rest: str, language: Language, *also: object) -> list[str]:
    """Return the words of a text that are no little ones of such questions."""
    table = words.table_of(language)
    rest = words.without(language, rest, *(one for one in also if isinstance(one, (str, tuple))))
    rest = words.without(language, rest, table.until, table.since, table.little)
    if questions.is_asian(rest):
        return re.findall(r"[a-z\d]+|[\u30a0-\u30ff]+|[\u3400-\u4dbf\u4e00-\u9fff々]+", rest)
    return [one for one in re.findall(r"[^\W_]+", rest) if len(one) > 1]


def _day_in(rest: str, asked: Asked, language: Language) -> written_dates.Found | None:
    """Return the one day that a folded text says, by its date, its name or a holiday."""
    today = asked.now.date()
    listed = [one for one in written_dates.find(rest, today) if not one.is_month]
    if listed:
        return listed[0] if len(listed) == 1 else None
    if found := written_dates.holiday(rest, language, today):
        return found
    for one in numbers.find(rest, language):
        if one.unit in ("day", "week") and rest[one.end : one.end + 1] in ("後", "后"):
            length = timedelta(days=int(one.value) * (7 if one.unit == "week" else 1))
            return written_dates.Found(today + length, False, one.start, one.end + 1)
    start = re.match(r"\W*(?:\w{1,3}\s+(?=\w+ \w))?", rest)
    at = start.end() if start else 0  # “is next Friday”
    for begin in dict.fromkeys((0, at)):
        named = dialogue_words.find_days(rest[begin:], asked.now)
        if named and named[0].end - named[0].start <= timedelta(days=1, hours=1):
            day = named[0].start.date()
            return written_dates.Found(day, False, begin + named[1], begin + named[2])
    return None


def tell_day(asked: Asked, route: Route) -> Step:
    """Tell a day with its name."""
    day = date.fromisoformat(route.get("day"))
    return Step(dates.day(route.language, day, asked.now), trace=Trace(day=day.isoformat()))


def tell_days(asked: Asked, route: Route) -> Step:
    """Tell how many days there are until a day, or since it."""
    day = date.fromisoformat(route.get("day"))
    last = asked.earlier[0] if asked.earlier else Trace()
    about = last.about if route.get("title") else ()
    text = _count(asked, route, day, route.get("title"))
    return Step(text, trace=Trace(about=about, day=day.isoformat()))


def _count(asked: Asked, route: Route, day: date, title: str) -> str:
    """Return how far a day is, and what it is the day of."""
    count = (day - asked.now.date()).days
    shown = dates.day(route.language, day, asked.now)
    phrase = "days_left" if count >= 0 else "days_since"
    text = route.phrase(phrase, count=abs(count), day=shown, title=title)
    if not title:
        text = text.rstrip(" :：")
    if route.get("unit") in _WEEKS:
        weeks, rest = divmod(abs(count), 7)
        text += f"\n{route.phrase('in_weeks', count=abs(count), weeks=weeks, days=rest)}"
    return text


def tell_days_left(asked: Asked, route: Route) -> Step:
    """Tell how many days are left until the day of a todo, or of what a note says.

    The step is empty where neither surely names one day.
    """
    if not asked.has("search_todos"):
        fields = {"completed": False, "limit": MOST, **list_answers.zone_argument(asked)}
        read = [("get_note_content", {"noteId": one.id}) for one in route.things[:1]]
        calls = (("search_todos", fields), *(read if route.things[:1] else ()))
        notes = [one for one in route.things if one.kind == "note"]
        return Step(calls=calls if notes else calls[:1])
    every = route.get("every") or route.get("words")
    if step := _of_todo(asked, route, every):
        return step
    searched = tuple(one for one in asked.results if one.tool != "search_todos")
    asks = msgspec.structs.replace(asked, results=searched)
    if any(one.kind == "note" for one in route.things):
        found = Step(route.phrase("nothing", owner=asked.persona.owner))
    else:
        found = note_answers.answer_question(asks, msgspec.structs.replace(route, intent="ask"))
    if found.calls:
        return found
    if dated := _of_notes(asks, route, every):
        return dated
    if every != route.get("words"):
        # “Till we go to Tenerife” may be told without its verb, where that is told once.
        loosely = _of_todo(asked, route, route.get("words")), _of_notes(asks, route)
        told = [one for one in loosely if one is not None]
        if len(told) == 1:
            return told[0]
    return msgspec.structs.replace(found, empty=True)


def _of_todo(asked: Asked, route: Route, named: str) -> Step | None:
    rows = [row for one in asked.of("search_todos") for row in one.content["todos"]]
    dated = [row for row in rows if row["dueDate"]]
    ids = [one.id for one in route.things if one.kind == "todo"]
    if route.things:
        fitting = [row for row in dated if row["id"] in ids]
    else:
        fitting = resolve_reference.fitting_rows(named, dated)
    if len(fitting) != 1:
        return None
    due = fitting[0]["dueDate"]
    day = date.fromisoformat(due[:10])
    if len(due) > len("2026-01-01"):
        day = datetime.fromisoformat(due).astimezone(asked.now.tzinfo).date()
    trace = Trace(about=list_answers.things("todo", fitting), day=day.isoformat())
    return Step(_count(asked, route, day, fitting[0]["title"]), trace=trace)


def _of_notes(asked: Asked, route: Route, named: str = "") -> Step | None:
    """Tell the one day that the notes tell of what is asked about, with the sentence of it."""
    since = bool(route.get("since"))
    today = asked.now.date()
    stems = () if route.things else tuple(resolve_reference.word_stems(named or route.get("words")))
    held: list[tuple[bool, date, Quote]] = []
    for note in found_texts.texts(asked):
        if route.things and note.note_id != route.things[0].id:
            continue
        for sentence in split_sentences(note.content):
            plain = written_dates.first_of_stretches(words.folded(sentence.text))
            if not _is_said(stems, sentence, note):
                continue
            own = bool(stems) and _holds_all(stems, words.folded(sentence.text))
            for one in written_dates.find(plain, today):
                if one.is_month or (one.day >= today) == since:
                    continue
                quote = Quote(note.note_id, note.title, sentence.text, sentence.start, sentence.end)
                held.append((own, one.day, quote))
    if any(own for own, _, _ in held):
        held = [one for one in held if one[0]]
    notes = {quote.note_id for _, _, quote in held}
    days = {day for _, day, _ in held}
    # “I leave” on the first of the days of a journey.
    if not held or len(notes) > 1 or (len(days) > 1 and not route.get("leaving")):
        return None
    _, day, quote = min(held, key=lambda one: one[1])
    text = _count(asked, route, day, quote.text)
    trace = Trace(about=(Thing("note", quote.note_id, quote.title),), day=day.isoformat())
    link = f"— {note_link(quote.note_id, quote.title)}"
    return Step(f"{text}\n\n{link}", quotes=(quote,), trace=trace)


def _is_said(stems: tuple[str, ...], sentence: Sentence, note: Text) -> bool:
    if questions.is_open(sentence.text):
        return False
    return _holds_all(stems, words.folded(f"{sentence.text} {sentence.heading} {note.title}"))


def _holds_all(stems: tuple[str, ...], text: str) -> bool:
    return all(any(other in text for other in questions.alternatives(stem)) for stem in stems)


def tell_age(asked: Asked, route: Route) -> Step:
    """Tell how old something is by the day that a note says it was born or begun; else what the
    notes say.
    """
    step = note_answers.answer_question(asked, msgspec.structs.replace(route, intent="ask"))
    if step.calls or not step.quotes:
        return step
    today = asked.now.date()
    born = words.whole(route.language, words.table_of(route.language).born)
    told = {
        one
        for quote in step.quotes
        if born.search(words.folded(quote.text))
        for one in written_dates.find(words.folded(quote.text), today)
        if one.has_year and one.day <= today
    }
    if len(told) != 1:
        return step
    since = told.pop().day
    years = today.year - since.year - ((today.month, today.day) < (since.month, since.day))
    shown = dates.day(route.language, since, asked.now)
    line = route.phrase("age", years=years, day=shown)
    return msgspec.structs.replace(step, text=f"{line}\n\n{step.text}")
