"""How good a ranking is: nDCG and recall of its first k places.

nDCG as Järvelin and Kekäläinen define it (Cumulated gain-based evaluation of IR techniques, ACM
TOIS 20(4), 2002), in the form that trec_eval and BEIR compute: the gain is the grade itself (not
2^grade - 1), divided by log2(1 + place), and the sum is divided by that of the best ranking.
"""

import math
from collections.abc import Iterable, Mapping, Sequence


def ndcg(found: Sequence[str], grades: Mapping[str, int], *, k: int) -> float:
    """Return the normalised discounted cumulated gain of the first k documents found: 1 when none
    could be better, 0 when none is relevant.

    What was not judged, or was given a grade below zero, gains nothing.
    """
    best = _gain(sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:k])
    return _gain(max(0, grades.get(document, 0)) for document in found[:k]) / best if best else 0.0


def recall(found: Sequence[str], grades: Mapping[str, int], *, k: int) -> float:
    """Return the share of all relevant documents, those graded above zero, that stand among the
    first k found.
    """
    relevant = {document for document, grade in grades.items() if grade > 0}
    return len(relevant.intersection(found[:k])) / len(relevant) if relevant else 0.0


def _gain(grades: Iterable[int]) -> float:
    return sum(grade / math.log2(place + 1) for place, grade in enumerate(grades, 1))
