"""Training a language's reader with CRFsuite.

The things that a message names are known only in a user's own workspace. Here the marked names
stand for them, of some messages none, as a message is read before anything was looked up, too.
Each message is seen twice, the second time with words of other messages in half of its slots, so
that what stands around a slot counts for more than what it holds.
"""

import lzma
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pycrfsuite

from app.agent.rules.languages import language_data
from app.agent.rules.phrases import phrases
from app.agent.rules.reader import crf, features, labelled, lines, reader, written_in
from app.agent.rules.reader.labelled import Labelled, Span
from app.agent.rules.reader.lines import Line
from app.agent.turn.steps import Asked, Thing, ThingKind

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
OTHER_WORDS = 0.5
"""How often a slot of a message that is seen again holds the words of another message."""
TIMES, SECONDS = 2, 8
"""How often a message is seen, and how often one of two wishes with another second, for what it
wishes.
"""
UNKNOWN, WHOLE = 0.4, 0.5
"""How often nothing that a message names is known, and how often it is called just so."""
OTHERS: Sequence[tuple[ThingKind, str, int]] = (
    ("todo", "title", 10),
    ("note", "name", 8),
    ("folder", "folder", 3),
    ("person", "person", 2),
)
"""The other things of a workspace: their kinds, the slots whose words are their names, how many."""
OF_NOTES = frozenset(
    "append_note add_item tick_item remove_item untick_item tag untag pin unpin move_note"
    " show_note sum".split()
)
OF_ANY = frozenset({"rename", "delete", "undo", "choose", "list_notes", "same"})
NAMED: Mapping[str, ThingKind] = {"folder": "folder", "person": "person"}
ANY_KIND: Sequence[ThingKind] = ("todo", "note", "folder")
INTENTS = {"c1": 0.1, "c2": 0.1, "max_iterations": 120, "feature.minfreq": 2}
SLOTS = {**INTENTS, "feature.minfreq": 3, "feature.possible_transitions": True}
LANGUAGES = {"c1": 0.1, "c2": 0.1, "max_iterations": 60, "feature.minfreq": 3}
FOLD = 5

Words = Mapping[str, Sequence[str]]
"""The words of each slot in labelled messages."""


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
        of_intents, of_slots = (
            crf.opened(Path(name) / one) for one in (reader.INTENTS, reader.SLOTS)
        )
        chance = random.Random(5)
        held, words = said[::FOLD], words_of(kept)
        intents = slots = both = 0
        for one in held:
            line = _line(one, words, language, chance)
            weights = crf.weigh(of_intents, features.of_line(line, one.before))
            found = max(weights, key=weights.__getitem__)
            tags = of_slots.tagger.tag(features.of_pieces(line, found))
            intents += found == one.intent
            slots += tags == _tags(line, one.spans)
            both += found == one.intent and tags == _tags(line, one.spans)
    shares = (f"{part / len(held):.3f}" for part in (intents, slots, both))
    return f"{language}: {len(held)} held out; intent, slots, both: {', '.join(shares)}"


def words_of(said: Iterable[Labelled]) -> Words:
    """Return the words of each slot in some messages."""
    words = defaultdict(list)
    for one in said:
        for slot, start, end in one.spans:
            words[slot].append(one.text[start:end])
    return words


def train(said: Sequence[Labelled], language: str, folder: Path) -> None:
    """Make the two models of a reader in a folder."""
    chance = random.Random(1)
    of_intents, of_slots = (pycrfsuite.Trainer(verbose=False) for _ in range(2))
    of_intents.set_params(INTENTS)
    of_slots.set_params(SLOTS)
    words = words_of(said)
    for one in said:
        again = SECONDS if one.intent == labelled.TWO else 1
        for time in range(1 + again):
            seen = _with_other_words(one, words, chance) if time else one
            line = _line(seen, words, language, chance)
            of_intents.append([features.of_line(line, seen.before)], [seen.intent])
            if time < TIMES:  # more of the second wishes would drown the other slots
                of_slots.append(features.of_pieces(line, seen.intent), _tags(line, seen.spans))
    for trainer, name in ((of_intents, reader.INTENTS), (of_slots, reader.SLOTS)):
        _store(trainer, folder / name)


def make_languages() -> str:
    """Make the model that tells the languages of letters apart; return what it was made of."""
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params(LANGUAGES)
    known = [one for one in phrases.alphabetic_languages() if one in languages()]
    for language in known:
        for one in labelled.messages(language):
            trainer.append([written_in.features_of(one.text)], [language])
    _store(trainer, written_in.MODEL)
    return f"{', '.join(known)}: {written_in.MODEL.stat().st_size >> 10} KB"


def _store(trainer: pycrfsuite.Trainer, path: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        model = Path(place, "model")
        trainer.train(str(model))
        path.write_bytes(lzma.compress(model.read_bytes(), preset=9))


def _with_other_words(one: Labelled, words: Words, chance: random.Random) -> Labelled:
    """Return a message with words of other messages in some of its slots."""
    text, spans, last = "", [], 0
    for slot, start, end in one.spans:
        text += one.text[last:start]
        swaps = slot == labelled.THEN or (slot != "it" and chance.random() < OTHER_WORDS)
        held = chance.choice(words[slot]) if swaps else one.text[start:end]
        spans.append(Span(slot, len(text), len(text) + len(held)))
        text += held
        last = end
    return one._replace(text=text + one.text[last:], spans=tuple(spans))


def _line(one: Labelled, words: Words, language: str, chance: random.Random) -> Line:
    asked = Asked(one.text, (), frozenset(), NOW)
    if chance.random() < UNKNOWN:
        return lines.line(asked, (), language)
    return lines.read(asked, list(_workspace(one, words, chance)), language)


def _workspace(one: Labelled, words: Words, chance: random.Random) -> Iterator[Thing]:
    """Yield what a message names, under names that may be longer, among things of others."""
    for slot, start, end in one.spans:
        held = one.text[start:end]
        if known := NAMED.get(slot):
            yield Thing(known, 0, held)
        elif slot == "target":
            any_kind = chance.choice(ANY_KIND) if one.intent in OF_ANY else "todo"
            kind: ThingKind = "note" if one.intent in OF_NOTES else any_kind
            yield Thing(kind, 0, held if chance.random() < WHOLE else _longer(held, words, chance))
    for kind, slot, count in OTHERS:
        for _ in range(count if words[slot] else 0):
            yield Thing(kind, 0, chance.choice(words[slot]))


def _longer(name: str, words: Words, chance: random.Random) -> str:
    """Return a name with a part of another before or after it."""
    other = chance.choice(words["title"])
    gap = " " if " " in other else ""
    cut = other.split(" ")[0] if gap else other[:2]
    return f"{cut}{gap}{name}" if chance.random() < WHOLE else f"{name}{gap}{cut}"


def _tags(line: Line, spans: Sequence[Span]) -> list[str]:
    """Return for each piece whether it begins a slot, goes on with it, or is outside of all."""
    tags = []
    last: Span | None = None
    for at, _ in line.places:
        span = next((one for one in spans if one.start <= at < one.end), None)
        tags.append(f"{'I' if span == last else 'B'}-{span.slot}" if span else reader.OUTSIDE)
        last = span
    return tags
