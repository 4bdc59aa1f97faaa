"""How near a message is to each wish of a language's examples.

Each example is a vector of its features, weighed by how rare they are. One row of weights for each
wish is solved for once from all of them (ridge regression: about 1 for its own examples, 0 for the
others), so that a message costs a sum over its features.
"""

import functools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from app.agent.rules.languages import language_data
from app.agent.rules.languages.example_tables import Examples, Wish
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.near import parts
from app.agent.rules.near.parts import Part

EASE = 0.3
"""How far the weights may miss the examples, so that they say less of single words."""
COMMON = 2
"""A word in so many examples is one of the language's for wishes, and no name of a thing."""


class Nearness(NamedTuple):
    """What is known of a language: the wishes, the weights and rarity of features, and the words
    of each wish's examples, and those that stand `beside` a text in them. Without a wish: a
    question to the notes.
    """

    wishes: tuple[Wish | None, ...]
    rarity: Mapping[str, float]
    rarest: float
    weights: Mapping[str, Any]
    words: tuple[frozenset[str], ...]
    beside: tuple[frozenset[str], ...]
    known: frozenset[str]
    common: frozenset[str]
    it: frozenset[str]


def scores(language: Language, row: Sequence[Part]) -> list[float]:
    """Return how near parts are to each wish: about 1 where they are one of its examples."""
    table = of(language)
    vector = _weighed(parts.features(row, only_known=True), table.rarity, table.rarest)
    total = sum(table.weights[name] * value for name, value in vector.items())
    return [] if isinstance(total, int) else [float(one) for one in total]


@functools.cache
def of(language: Language) -> Nearness:
    """Return what is known of a language's examples."""
    import numpy as np  # only when a pattern has missed: it is slow to load

    table = language_data.load_table(language, Examples)
    wishes = (None, *table.wishes)
    said = [table.questions, *(f"{one.plain}\n{one.said}" for one in table.wishes)]
    rows = [
        (number, row)
        for number, text in enumerate(said)
        for line in text.strip().splitlines()
        for row in _forms(parts.split(line))
    ]
    named = [parts.features(row) for _, row in rows]
    counts = Counter(name for names in named for name in set(names))
    rarity = {name: math.log(1 + len(rows) / count) for name, count in counts.items()}
    rarest = math.log(1 + len(rows))
    vectors = [_weighed(names, rarity, rarest) for names in named]
    wanted = np.zeros((len(rows), len(wishes)), np.float32)
    wanted[np.arange(len(rows)), [number for number, _ in rows]] = 1
    weights = _solve(vectors, wanted)
    held = Counter(word for _, row in rows for word in set(parts.vocabulary(row)))
    words = tuple(
        frozenset(word for at, row in rows if at == number for word in parts.vocabulary(row))
        for number in range(len(wishes))
    )
    return Nearness(
        wishes,
        rarity,
        rarest,
        weights,
        words,
        tuple(
            frozenset(name for at, row in rows if at == number for name in _beside_text(row))
            for number in range(len(wishes))
        ),
        frozenset(held),
        frozenset(word for word, lines in held.items() if lines >= COMMON),
        frozenset(table.it.split()),
    )


def name_of(part: Part) -> str:
    """Return a part's word, or in braces what stands in its place."""
    return f"{{{part.slot}}}" if part.slot else part.word


def _beside_text(row: Sequence[Part]) -> Iterator[str]:
    """Yield the word and the two words before a text in an example, and after one."""
    names = ["^", *map(name_of, row), "$"]
    for at, name in enumerate(names):
        if name == "{text}":
            yield f"<{names[at - 1]}"
            yield f">{names[at + 1]}"
            yield f"<{' '.join(names[max(at - 2, 0) : at])}"
            yield f">{' '.join(names[at + 1 : at + 3])}"


def _solve(vectors: Sequence[Mapping[str, float]], wanted: Any) -> dict[str, Any]:
    """Return the weights of each feature by which examples come near to what is wanted of each.

    How alike two examples are is summed over the features that they share, as hardly any two do.
    """
    import numpy as np

    places: dict[str, list[int]] = defaultdict(list)
    values: dict[str, list[float]] = defaultdict(list)
    for at, vector in enumerate(vectors):
        for name, value in vector.items():
            places[name].append(at)
            values[name].append(value)
    alike = np.zeros((len(vectors), len(vectors)), np.float32)
    for name, rows in places.items():
        if len(rows) > 1:
            some = np.array(values[name], np.float32)
            alike[np.ix_(rows, rows)] += some[:, None] * some
    np.fill_diagonal(alike, [sum(v * v for v in one.values()) + EASE for one in vectors])
    shares = np.linalg.solve(alike, wanted)
    return {
        name: np.array(values[name], np.float32) @ shares[rows] for name, rows in places.items()
    }


@functools.cache
def words_of(language: Language) -> frozenset[str]:
    """Return the words of a language's examples."""
    table = language_data.load_table(language, Examples)
    said = [table.questions, *(f"{one.plain}\n{one.said}" for one in table.wishes)]
    return frozenset(part.word for part in parts.split("\n".join(said)) if not part.slot)


def _forms(row: Sequence[Part]) -> list[Sequence[Part]]:
    """Return an example; of one that any thing may be in, that with a todo and that with a note."""
    if not any(part.slot == "thing" for part in row):
        return [row]
    return [
        [part._replace(slot=kind) if part.slot == "thing" else part for part in row]
        for kind in ("todo", "note")
    ]


def _weighed(names: Sequence[str], rarity: Mapping[str, float], rarest: float) -> dict[str, float]:
    """Return the weight of each feature, all together of length 1; what no example has counts in
    the length alone.
    """
    vector = {name: rarity.get(name, 0.0) for name in names}
    unknown = sum(name not in rarity and " " not in name and name[0] != "~" for name in vector)
    length = math.sqrt(sum(one * one for one in vector.values()) + unknown * rarest * rarest / 4)
    return {name: value / length for name, value in vector.items() if value} if length else {}
