"""Scores of notes that others share, reckoned from each note's own text.

The index of their owner weighs words by how many of that owner's notes hold them, and most of
those notes are not shared.
"""

from collections.abc import Sequence

from app.core.database.tx import Tx
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.index.spellings import Pattern
from app.workspace.index.word_index import WEIGHTS
from app.workspace.search.ranking.query_language import Query
from app.workspace.search.ranking.snippets import MOST_SPOTS, count_hits, query_patterns

RARITY = 4.0
"""What bm25 makes of a word that stands in one of fifty notes."""
USUAL_SIZE = 1_000
SATURATION, BY_LENGTH = 1.2, 0.75


def shared_scores(tx: Tx, query: Query, ids: list[int]) -> dict[int, float]:
    """Return bm25 for notes as if each word of the query were as rare as any other, and every
    note's length compared with a usual one.
    """
    rows = tx.all(
        f"SELECT id, title, content, size FROM notes WHERE id IN ({IN_LIST})", ids=id_list(ids)
    )
    wanted = query_patterns(query)
    rarities = [RARITY] * len(wanted)
    return {
        note_id: bm25(count_matches(wanted, title, content), size, rarities)
        for note_id, title, content, size in rows
    }


def count_matches(
    wanted: Sequence[Pattern], title: str, content: str, most: int = MOST_SPOTS
) -> list[float]:
    """Return how often each pattern stands in a text, at most so many times.

    In its title it counts more.
    """
    return [
        count_hits(content, pattern, most) + WEIGHTS["title"] * count_hits(title, pattern, most)
        for pattern in wanted
    ]


def bm25(times: Sequence[float], size: int, rarities: Sequence[float]) -> float:
    """Return bm25 for a text in which each pattern stands so many times, and whose length is
    compared with a usual one.
    """
    norm = SATURATION * (1 - BY_LENGTH + BY_LENGTH * size / USUAL_SIZE)
    return sum(
        rarity * (SATURATION + 1) * number / (number + norm)
        for number, rarity in zip(times, rarities, strict=True)
    )
