"""Models of CRFsuite, linear-chain conditional random fields (Okazaki 2007), as they are stored."""

import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple


class Model(NamedTuple):
    """A tagger of CRFsuite, and the bytes in which it goes on reading."""

    tagger: Any
    held: bytes


def opened(path: Path) -> Model:
    """Return a model as it is stored."""
    import pycrfsuite  # only when a message is to be read

    held = lzma.decompress(path.read_bytes())
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(held)
    return Model(tagger, held)


def weigh(model: Model, features: Sequence[str]) -> dict[str, float]:
    """Return how likely each label is, from 0 to 1, of what has these features."""
    model.tagger.set([features])
    return {one: float(model.tagger.marginal(one, 0)) for one in model.tagger.labels()}
