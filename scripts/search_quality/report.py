"""The results of an evaluation, as Markdown tables or for JSON."""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from search_quality.asked import Asked
from search_quality.judged import Collection
from search_quality.measures import ndcg, recall

SHOWN = 5


@dataclass(frozen=True)
class Score:
    """How well one query, or on the mean so many queries, were answered."""

    queries: int
    ndcg: float
    recall: float


@dataclass(frozen=True)
class Result:
    """What came of one collection in one mode, counting so many places."""

    collection: Collection
    mode: str
    places: int
    asked: Asked

    @cached_property
    def scores(self) -> dict[str, Score]:
        """The score of each query."""
        return {
            key: self._score(found, self.collection.grades[key])
            for key, found in self.asked.found.items()
        }

    def _score(self, found: Sequence[str], grades: dict[str, int]) -> Score:
        return Score(1, ndcg(found, grades, k=self.places), recall(found, grades, k=self.places))

    @cached_property
    def mean(self) -> Score:
        """The mean score of all queries."""
        return mean(self.scores.values())

    def by_trait(self) -> dict[str, Score]:
        """Return the mean score of the queries of each kind and of each language."""
        groups: dict[str, list[Score]] = defaultdict(list)
        for query in self.collection.queries:
            for name, value in query.traits.items():
                groups[f"{name} {value}"].append(self.scores[query.key])
        return {trait: mean(groups[trait]) for trait in sorted(groups)}


def mean(scores: Iterable[Score]) -> Score:
    """Return the mean in which every score counts the same."""
    every = list(scores)
    return Score(
        sum(one.queries for one in every),
        statistics.fmean(one.ndcg for one in every),
        statistics.fmean(one.recall for one in every),
    )


def report(results: Sequence[Result], *, worst: int = 0) -> str:
    """Write the results as Markdown tables; `worst` queries of each result are named."""
    places = f"nDCG@{results[0].places}", f"recall@{results[0].places}"
    traits = [
        [*_name(result), trait, *_figures(score)]
        for result in results
        for trait, score in result.by_trait().items()
    ]
    parts = [
        _table(
            ["collection", "mode", "documents", "queries", *places, "p50 ms"],
            [*map(_row, results), *_means(results)],
        ),
        _table(["collection", "mode", "queries of", "queries", *places], traits) if traits else "",
        "\n".join(line for result in results for line in _worst(result, worst)),
        "\n".join(
            f"- {result.collection.name}, {result.mode}: {remark}"
            for result in results
            for remark in result.asked.remarks
        ),
    ]
    return "\n\n".join(part for part in parts if part)


def _row(result: Result) -> list[str]:
    return [
        *_name(result),
        str(len(result.collection.documents)),
        *_figures(result.mean),
        f"{result.asked.p50:.1f}",
    ]


def _means(results: Sequence[Result]) -> list[list[str]]:
    """Return a row for each mode with the mean over the collections, in which a small one counts
    as much as a large one.
    """
    modes = dict.fromkeys(result.mode for result in results)
    if len(modes) == len(results):
        return []
    return [
        [
            "mean",
            mode,
            "",
            *_figures(mean(result.mean for result in results if result.mode == mode)),
            "",
        ]
        for mode in modes
    ]


def _name(result: Result) -> list[str]:
    return [result.collection.name, result.mode]


def _figures(score: Score) -> list[str]:
    return [str(score.queries), f"{score.ndcg:.3f}", f"{score.recall:.3f}"]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *rows])


def _worst(result: Result, count: int) -> list[str]:
    """Name the queries that were answered worst, what should have been found, and what was."""
    queries = sorted(result.collection.queries, key=lambda query: result.scores[query.key].ndcg)[
        :count
    ]
    return [
        f"- {result.mode}, {result.scores[query.key].ndcg:.2f}, `{query.text[:100]}`: "
        f"wanted {_listed(_relevant(result, query.key))}; "
        f"found {_listed(result.asked.found[query.key])}"
        for query in queries
    ]


def _relevant(result: Result, key: str) -> list[str]:
    return [document for document, grade in result.collection.grades[key].items() if grade > 0]


def _listed(documents: Sequence[str]) -> str:
    return ", ".join(documents[:SHOWN]) or "nothing"


def plain(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Return the results as JSON can hold them, with the answer to every query."""
    return [
        {
            "collection": result.collection.name,
            "mode": result.mode,
            "places": result.places,
            "documents": len(result.collection.documents),
            **_plain(result.mean),
            "p50Milliseconds": result.asked.p50,
            "traits": {trait: _plain(score) for trait, score in result.by_trait().items()},
            "answers": {
                key: {**_plain(score), "found": result.asked.found[key]}
                for key, score in result.scores.items()
            },
            "remarks": result.asked.remarks,
        }
        for result in results
    ]


def _plain(score: Score) -> dict[str, float]:
    return {"queries": score.queries, "ndcg": score.ndcg, "recall": score.recall}
