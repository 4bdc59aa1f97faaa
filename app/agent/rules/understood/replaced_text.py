"""Words of a note that a message says are wrong: “it is BX-4471, not BX-4417”."""

import functools
import re

from app.agent.rules.answers import item_changes
from app.agent.rules.answers.item_changes import Held
from app.agent.rules.dialogue import dialogue_words, references
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.listed import corrected_facts
from app.agent.rules.passages import note_lines, questions
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.reader.reader import Understood
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import meant, surely
from app.agent.turn.steps import Asked, Call, Question, Step, Thing, Trace

NEAR = 2
"""So many of the notes that are nearest to a question are looked at."""
MOST = 20
"""So many lines with the words are looked for."""


def ask(asked: Asked, said: Understood, language: Language) -> Step | None:
    """Return the question whether words that stand once in a note are to be replaced by others."""
    old, new = _whole_words(said, "old"), _whole_words(said, "text", at=_new_at(asked, said))
    if not old and len(texts := said.all_of("text")) > 1:
        # “it's Léa for Madame Rémy”, who was asked about before
        old = next((meant.trimmed(one) for one in texts if meant.trimmed(one) not in new), "")
        old = old if old and _is_known(asked, old) else ""
    if not old and (both := not_but(language).fullmatch(new)):
        new, old = both["new"], both["old"]
    new = _without_unit(new, old)
    if new and not old:
        return ask_number(asked, said, language)
    if re.search(r"\d", new) and not re.search(r"\d", old):
        # “change the pepper to 35 euros” means its price
        return ask_number(asked, said, language)
    if dialogue_words.is_day(old, asked, language) != dialogue_words.is_day(new, asked, language):
        return None  # “Friday is me now” is no other day
    notes = _notes(asked, said, old, language) if old and new else ()
    if isinstance(notes, Step) or len(notes) != 1:
        return notes if isinstance(notes, Step) else None
    if note_lines.content(new) and not note_lines.left_of_title(new, notes[0].title):
        return None  # “in the tools to hire, replace …” has the name of the note
    held = item_changes.read(asked, notes[0])
    if not isinstance(held, Held):
        return held
    text = str(held.record["markdown"])
    found = [*note_lines.places(old).finditer(text)]
    if len(found) != 1:
        return None
    if found[0][0] != old and found[0][0] == old.capitalize():
        new = new[:1].upper() + new[1:]  # “meyer” for “Meyer”
    start, end = text.rfind("\n", 0, found[0].start()) + 1, text.find("\n", found[0].end())
    line = text[start : end if end >= 0 else None]
    at, to = found[0].start() - start, found[0].end() - start
    at, to = _beside_name(asked, text, line, at) or (at, to)
    arguments = {"old": line, "from": line[at:to], "to": new}
    arguments["new"] = line[:at] + new + line[to:]
    if text.count(line) != 1:
        return None
    return question(Route("replace_text", language, arguments, notes), held.link)


def _new_at(asked: Asked, said: Understood) -> int:
    """Return which of several texts is the new one: the last, as the first may only tell why,
    unless it was asked about before: “it's Léa for Madame Rémy” after “who plays Madame Rémy?”.
    """
    is_new = [not _is_known(asked, one) for one in said.all_of("text")]
    return max((at for at, new in enumerate(is_new) if new), default=-1)


def _is_known(asked: Asked, text: str) -> bool:
    """Return whether the message before had all words of a text."""
    before = note_lines.content(asked.before[-1]) if asked.before else set()
    return note_lines.content(text) <= before


@functools.cache
def not_but(language: Language) -> re.Pattern[str]:
    """Return how a new value is told with the one that it is not: “13/7, not 14/7”."""
    negation = surely.negates(language).pattern
    value = r"\S*\d\S*(?:\s[^\W\d]{1,9})?"
    return re.compile(rf"(?P<new>{value}?)[,;]?\s+(?:\w{{1,3}}\s)?(?:{negation})\s(?P<old>{value})")


def _without_unit(new: str, old: str) -> str:
    """Return a new value without its unit, where the old one is told without: “52 km, not 48”."""
    found = note_lines.amounts(new)
    is_bare = old.isdecimal() and len(found) == 1 and not found[0].start
    return found[0].text if is_bare and found[0].unit else new


def _beside_name(asked: Asked, text: str, line: str, at: int) -> tuple[int, int] | None:
    """Return where the other cell of a row of two stands, if the words are of the first, which a
    message names whole: “it's Lea now for Mrs Gray” of “Mrs Gray | Nadia”.
    """
    row = next((one for one in note_lines.read(text) if one.text == line), None)
    start = line.find(row.label) if row and row.columns and row.label else -1
    if row is None or not start <= at < start + len(row.label):
        return None
    is_named = fold_text(row.label) in fold_text(asked.message)
    return note_lines.beside_name(row, start, start + len(row.label)) if is_named else None


def question(wish: Route, link: str) -> Step:
    """Return the question whether words of a note are to be replaced as a wish says."""
    asks = Question(wish.intent, dict(wish.arguments), lacks="yes", choices=wish.things)
    told = wish.phrase("replace_whether", old=wish.get("from"), new=wish.get("to"), title=link)
    trace = Trace(intent=wish.intent, language=wish.language, about=wish.things, asks=asks)
    return Step(told, trace=trace)


def ask_number(asked: Asked, said: Understood, language: Language) -> Step | None:
    """Return the question whether the number of a message is to replace the one that it can mean:
    “footstools are £95 now, change it in the price list”, “put that up to 65”.
    """
    named = meant.things(asked, said, ("note",), language).things
    wish = Route("replace_text", language, {})
    for one in named if len(named) == 1 else _told_near(asked, said):
        step = corrected_facts.ask_number(asked, wish, one, is_near=not named)
        if step.calls or step.text:
            return step
    return None


def _told_near(asked: Asked, said: Understood) -> list[Thing]:
    """Return the notes that were told as nearest to a question, of which a message goes on."""
    last = asked.earlier[0] if asked.earlier else Trace()
    goes_on = last.intent == "ask" and not last.asks and not said.all_of("target")
    return [*references.notes_told(last, NEAR)] if goes_on else []


def _notes(
    asked: Asked, said: Understood, old: str, language: Language
) -> tuple[Thing, ...] | Step:
    """Return the note that is named or spoken of, else those that have the words in a line that a
    message tells more of, or the step that looks for them.
    """
    named = meant.things(asked, said, ("note",), language)
    if len(named.things) == 1:
        return named.things
    call: Call = ("grep_notes", {"pattern": old, "mode": "literal", "limit": MOST})
    if call[0] not in asked.tools:
        return ()
    made = [one for one in asked.results if (one.tool, one.arguments) == call]
    if not made:
        return Step(calls=(call,))
    among = {one.id for one in named.unsure}
    found = {
        Thing("note", row["noteId"], row["title"]): [
            one["text"] for one in row["matches"] if note_lines.places(old).search(one["text"])
        ]
        for row in ([] if made[0].failed else made[0].content.get("results", []))
        if not among or row["noteId"] in among
    }
    have = [one for one, lines in found.items() if lines]
    told = [
        one
        for one in have
        if any(corrected_facts.shares(said.text, line, "") for line in (*found[one], one.title))
    ]
    return tuple(have if len(have) == 1 else told)


def _whole_words(said: Understood, slot: str, at: int = 0) -> str:
    """Return the words of a slot with all that stands beside them without a space: “BX-4471”."""
    listed = [one for one in said.spans if one.slot == slot]
    if not listed:
        return ""
    found = listed[at]
    words = said.text[found.start : found.end]
    if questions.is_asian(said.text):
        return meant.trimmed(words)
    before = re.search(r"\S*$", said.text[: found.start])
    after = re.match(r"\S*", said.text[found.end :])
    start, end = (before[0] if before else ""), (after[0] if after else "")
    return meant.trimmed(f"{start}{words}{end}".rstrip("!?"))
