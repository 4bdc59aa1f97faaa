"""Training a language's reader with CRFsuite.

The things that a message names are known only in a user's own workspace. Here the marked names
stand for them, of some messages none, as a message is read before anything was looked up, too.
"""

import lzma
import random
import tempfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pycrfsuite

from app.agent.rules.languages import language_data
from app.agent.rules.reader import features, labelled, lines, reader
from app.agent.rules.reader.labelled import Labelled, Span
from app.agent.rules.reader.lines import Line
from app.agent.turn.steps import Asked

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
TIMES = 2
"""So often is each message seen, with other names that are known."""
UNKNOWN, BY_CHANCE = 0.25, 0.08
"""How often no name of a message is known, and how often a new text is like one that is."""
OF_NOTES = frozenset(
    "append_note add_item tick_item remove_item untick_item tag untag pin unpin move_note"
    " show_note".split()
)
OF_ANY = frozenset({"rename", "delete", "undo", "choose", "list_notes"})
NEW = frozenset({"title", "text", "name", "word", "item", "step"})
INTENTS = {"c1": 0.05, "c2": 0.02, "max_iterations": 120, "feature.minfreq": 2}
SLOTS = {**INTENTS, "feature.minfreq": 3, "feature.possible_transitions": True}
FOLD = 5


def languages() -> Iterator[str]:
    """Yield the languages that have labelled messages."""
    for language in language_data.languages():
        if (language_data.FOLDERS / language / labelled.FILE).is_file():
            yield language


def make(language: str) -> str:
    """Make the models of a language; return what they were made of."""
    said = list(labelled.messages(language))
    folder = language_data.FOLDERS / language
    train(said, language, folder)
    sizes = [(folder / name).stat().st_size >> 10 for name in (reader.INTENTS, reader.SLOTS)]
    return f"{language}: {len(said)} messages, {sizes[0]} + {sizes[1]} KB"


def measure(language: str) -> str:
    """Return how often a reader is right on each fifth message, made without these."""
    said = list(labelled.messages(language))
    with tempfile.TemporaryDirectory() as name:
        kept = [one for at, one in enumerate(said) if at % FOLD]
        train(kept, language, Path(name))
        models = [reader.opened(Path(name) / one) for one in (reader.INTENTS, reader.SLOTS)]
        of_intents, of_slots = (one.tagger for one in models)
        chance = random.Random(5)
        held = said[::FOLD]
        intents = slots = both = 0
        for one in held:
            line = _line(one, language, chance)
            of_intents.set([features.of_line(line, one.before)])
            found = max(of_intents.labels(), key=lambda label: of_intents.marginal(label, 0))
            tags = of_slots.tag(features.of_pieces(line, found))
            intents += found == one.intent
            slots += tags == _tags(line, one.spans)
            both += found == one.intent and tags == _tags(line, one.spans)
    shares = (f"{part / len(held):.3f}" for part in (intents, slots, both))
    return f"{language}: {len(held)} held out; intent, slots, both: {', '.join(shares)}"


def train(said: Sequence[Labelled], language: str, folder: Path) -> None:
    """Make the two models of a reader in a folder."""
    chance = random.Random(1)
    of_intents, of_slots = (pycrfsuite.Trainer(verbose=False) for _ in range(2))
    of_intents.set_params(INTENTS)
    of_slots.set_params(SLOTS)
    for one in said:
        for _ in range(TIMES):
            line = _line(one, language, chance)
            of_intents.append([features.of_line(line, one.before)], [one.intent])
            of_slots.append(features.of_pieces(line, one.intent), _tags(line, one.spans))
    for trainer, name in ((of_intents, reader.INTENTS), (of_slots, reader.SLOTS)):
        with tempfile.TemporaryDirectory() as place:
            model = Path(place, "model")
            trainer.train(str(model))
            (folder / name).write_bytes(lzma.compress(model.read_bytes(), preset=9))


def _line(one: Labelled, language: str, chance: random.Random) -> Line:
    asked = Asked(one.text, (), frozenset(), NOW)
    return lines.line(asked, list(_names(one, chance)), language)


def _names(one: Labelled, chance: random.Random) -> Iterator[tuple[int, int, str]]:
    """Yield what of a message names things that are there."""
    if chance.random() < UNKNOWN:
        return
    for slot, start, end in one.spans:
        if slot in ("folder", "person"):
            yield start, end, slot
        elif slot == "target":
            any_kind = chance.choice(("todo", "note")) if one.intent in OF_ANY else "todo"
            yield start, end, "note" if one.intent in OF_NOTES else any_kind
        elif slot in NEW and chance.random() < BY_CHANCE:
            yield start, end, chance.choice(("todo", "note", "person"))


def _tags(line: Line, spans: Sequence[Span]) -> list[str]:
    """Return for each piece whether it begins a slot, goes on with it, or is outside of all."""
    tags = []
    last: Span | None = None
    for at, _ in line.places:
        span = next((one for one in spans if one.start <= at < one.end), None)
        tags.append(f"{'I' if span == last else 'B'}-{span.slot}" if span else reader.OUTSIDE)
        last = span
    return tags
