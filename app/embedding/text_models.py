"""Texts to vectors by one model, and by several together.

With two models a passage's vector is both of theirs side by side, so that its product with a
query's is a mean of two cosines. For a query in English both count the same: together they find
better than either. For others the English model is left out, which is blind to them: with it
recall@10 across languages fell from 0.95 to 0.58 (tests/collection/languages).
"""

import importlib.util
import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from app.embedding.bert import Bert, Floats, ScratchBuffers
from app.embedding.known_models import KNOWN, KnownModel
from app.embedding.model_file import WIDTH, MappedModel, ModelFile
from app.embedding.unigram import Unigram
from app.embedding.wordpiece import WordPiece

PIECES_OF_ENGLISH = 1.35
"""In how many pieces the English model cuts an English word at most, on the mean: others take it
1.4 to 3.
"""


class ForwardPass(Protocol):
    """From the numbers of pieces to a vector of length one, a row for each text."""

    def embed(self, texts: Sequence[Sequence[int]], scratch: ScratchBuffers) -> Floats:
        """Return the vectors."""


class TextModel:
    """A loaded model with its vocabulary."""

    def __init__(self, file: ModelFile, known: KnownModel) -> None:
        self.known = known
        self.pieces = (
            Unigram(file.vocabulary, file.floats("scores").tolist())
            if "scores" in file
            else WordPiece(file.vocabulary)
        )
        self._most = file.floats("places").size // WIDTH
        self._languages = (
            file.floats("languages").reshape(-1, WIDTH) if "languages" in file else None
        )
        self._forward = _load_forward_pass(file)

    def embed(self, texts: Sequence[str], scratch: ScratchBuffers) -> Floats:
        """Return the vectors of texts, prefixes included, in their order.

        The work goes from short to long, so that what is together is alike.
        """
        numbers = [self.pieces.numbers(text, most=self._most) for text in texts]
        order = sorted(range(len(texts)), key=lambda place: len(numbers[place]))
        vectors = np.empty((len(texts), WIDTH), np.float32)
        vectors[order] = self._forward.embed([numbers[place] for place in order], scratch)
        if self._languages is None:
            return vectors
        from app.embedding.language_directions import without_language  # of one model alone

        return without_language(vectors, self._languages)


class Engine:
    """The loaded models of some files."""

    def __init__(self, files: Sequence[MappedModel]) -> None:
        self._models = [_load(file) for file in files]

    def passages(self, texts: Sequence[str], scratch: ScratchBuffers) -> Floats:
        """Return the vectors of passages."""
        return np.concatenate(
            [
                model.embed([model.known.passage_prefix + text for text in texts], scratch)
                for model in self._models
            ],
            axis=1,
        )

    def queries(self, texts: Sequence[str], scratch: ScratchBuffers) -> Floats:
        """Return the vectors of queries, whose products with passages of length one are means of
        cosines.
        """
        return np.stack([self._query(text, scratch) for text in texts])

    def _query(self, text: str, scratch: ScratchBuffers) -> Floats:
        asked = [model for model in self._models if _reads(model, text)] or self._models
        share = np.float32(math.sqrt(len(self._models)) / len(asked))
        return np.concatenate(
            [
                share * model.embed([model.known.query_prefix + text], scratch)[0]
                if model in asked
                else np.zeros(WIDTH, np.float32)
                for model in self._models
            ]
        )


def _reads(model: TextModel, text: str) -> bool:
    """Return whether a model knows the language of a text."""
    if isinstance(model.pieces, Unigram):
        return True
    letters = "".join(filter(str.isalpha, text))
    return letters.isascii() and model.pieces.pieces_a_word(text) <= PIECES_OF_ENGLISH


def _load(mapped: MappedModel) -> TextModel:
    with mapped.read() as file:
        return TextModel(file, next(known for known in KNOWN if known.file == mapped.path.name))


def _load_forward_pass(file: ModelFile) -> ForwardPass:
    if importlib.util.find_spec("onnxruntime") is None:
        return Bert(file)
    from app.embedding.onnx_bert import OnnxBert

    return OnnxBert(file)
