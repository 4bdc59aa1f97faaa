"""Words of a note that a message says are wrong: “it is BX-4471, not BX-4417”."""

import re

from app.agent.rules.answers import item_changes
from app.agent.rules.answers.item_changes import Held
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import questions
from app.agent.rules.reader import meant
from app.agent.rules.reader.reader import Understood
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Question, Step, Trace


def ask(asked: Asked, said: Understood, language: Language) -> Step | None:
    """Return the question whether words that stand once in a note are to be replaced by others."""
    old, new = (_whole_words(said, one) for one in ("old", "text"))
    notes = meant.things(asked, said, ("note",), language).things
    if not (old and new) or len(notes) != 1:
        return None
    held = item_changes.read(asked, notes[0])
    if not isinstance(held, Held):
        return held
    text = str(held.record["markdown"])
    whole = re.escape(old) if questions.is_asian(old) else rf"(?<!\w){re.escape(old)}(?!\w)"
    found = [*re.finditer(whole, text, re.IGNORECASE)]
    if len(found) != 1:
        return None
    if found[0][0] == old.capitalize():
        new = new[:1].upper() + new[1:]  # “meyer” for “Meyer”
    start, end = text.rfind("\n", 0, found[0].start()) + 1, text.find("\n", found[0].end())
    line = text[start : end if end >= 0 else None]
    at = found[0].start() - start
    arguments = {"old": line, "from": found[0][0], "to": new}
    arguments["new"] = line[:at] + new + line[at + len(found[0][0]) :]
    if text.count(line) != 1:
        return None
    wish = Route("replace_text", language, arguments, notes)
    asks = Question(wish.intent, arguments, lacks="yes", choices=notes)
    told = wish.phrase("replace_whether", old=found[0][0], new=new, title=held.link)
    return Step(told, trace=Trace(intent=wish.intent, language=language, about=notes, asks=asks))


def _whole_words(said: Understood, slot: str) -> str:
    """Return the words of a slot with all that stands beside them without a space: “BX-4471”."""
    found = next((one for one in said.spans if one.slot == slot), None)
    if found is None or questions.is_asian(said.text):
        return meant.trimmed(said.get(slot))
    before = re.search(r"\S*$", said.text[: found.start])
    after = re.match(r"\S*", said.text[found.end :])
    start, end = (before[0] if before else ""), (after[0] if after else "")
    return meant.trimmed(f"{start}{said.get(slot)}{end}".rstrip("!?"))
