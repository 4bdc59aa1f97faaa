"""What a text says in short: its sentences that hold most of its frequent words, in their order."""

from collections import Counter
from collections.abc import Sequence

from app.agent.rules.passages import plain_text, tables
from app.agent.rules.passages.questions import little
from app.agent.rules.passages.sentences import Sentence, split_sentences, split_words, stem

CHOSEN = 5
READ = 600
SHORTEST = 20
FIRST = 1.25


def extract(text: str, *, most: int = CHOSEN) -> list[Sentence]:
    """Return at most so many sentences that tell most of a text, in its order.

    Pictures and the names of the columns of a table tell nothing. Its work grows with the length
    of the text alone.
    """
    columns = tables.find(text)
    every = [
        one
        for one in split_sentences(text)[:READ]
        if plain_text.plain(one.text) and not tables.is_header(columns, one.start)
    ]
    if len(every) <= most:
        return every
    stems = [
        frozenset(stem(word) for word in split_words(one.text) if word not in little())
        for one in every
    ]
    counts = Counter(one for held in stems for one in held)
    return [every[number] for number in sorted(_choose_sentences(every, stems, counts, most))]


def _choose_sentences(
    every: Sequence[Sentence], stems: Sequence[frozenset[str]], counts: Counter[str], most: int
) -> list[int]:
    """Choose greedily; what a chosen sentence has said counts little for the next."""
    weight = {one: float(count) for one, count in counts.items()}
    chosen: list[int] = []
    for _ in range(most):
        scores = [
            (
                -1.0
                if number in chosen
                else _score(held, weight, len(every[number].text), first=number == 0),
                -number,
            )
            for number, held in enumerate(stems)
        ]
        score, place = max(scores)
        if score <= 0:
            break
        chosen.append(-place)
        for one in stems[-place]:
            # So that five sentences do not say the same.
            weight[one] *= 0.2
    return chosen


def _score(held: frozenset[str], weight: dict[str, float], length: int, *, first: bool) -> float:
    # The 4 keeps a sentence of one frequent word from winning.
    worth = sum(weight[one] for one in held) / (len(held) + 4)
    return worth * (FIRST if first else 1.0) * (0.5 if length < SHORTEST else 1.0)
