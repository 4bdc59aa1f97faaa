"""The forward pass as an ONNX graph, made in memory from a file of weights.

The weights are int8 as in the file but of 7 bits, for on processors without VNNI onnxruntime adds
two products in 16 bits, which would overflow with 8; it makes the other side of each product int8
too. The messages are encoded here: it takes a few fields, and the package that could is 18 MB.
"""

import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from app.embedding.model_file import HEADS, WIDTH

if TYPE_CHECKING:
    from app.embedding.model_file import ModelFile

IR_VERSION, OPSET, ONES_OPSET = 10, 20, 1
FLOAT, INT8 = 1, 3
EPSILON = 1e-12


def make_graph(file: "ModelFile") -> bytes:
    """Return a model that takes `rows`, 1 x pieces x 384, and gives `states` of the same form."""
    return _Graph(file).encode()


class _Graph:
    """The nodes and constants so far, each encoded."""

    def __init__(self, file: "ModelFile") -> None:
        self._file = file
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def encode(self) -> bytes:
        states = self._node(
            "LayerNormalization",
            ["rows", *self._norm("begin")],
            "begun",
            domain="",
            axis=-1,
            epsilon=EPSILON,
        )
        for layer in range(self._file.layers):
            states = self._layer(states, str(layer))
        self._node("Identity", [states], "states", domain="")
        graph = [
            *(_bytes(1, node) for node in self._nodes),
            _bytes(2, b"bert"),
            *(_bytes(5, constant) for constant in self._constants),
            _bytes(11, _value("rows", [1, "pieces", WIDTH])),
            _bytes(12, _value("states", [1, "pieces", WIDTH])),
        ]
        opsets = [("", OPSET), ("com.microsoft", ONES_OPSET)]
        return b"".join(
            [
                _number(1, IR_VERSION),
                _bytes(7, b"".join(graph)),
                *(_bytes(8, _bytes(1, name.encode()) + _number(2, at)) for name, at in opsets),
            ]
        )

    def _layer(self, states: str, name: str) -> str:
        looks = self._product(states, f"{name}.look")
        parts = [f"{name}.{part}" for part in ("queries", "keys", "values")]
        self._node("Split", [looks], *parts, domain="", axis=-1, num_outputs=3)
        mixed = self._node("MultiHeadAttention", parts, f"{name}.mixed", num_heads=HEADS)
        states = self._add_and_norm(states, self._product(mixed, f"{name}.seen"), f"{name}.middle")
        wide = self._node("Gelu", [self._product(states, f"{name}.wide")], f"{name}.bent")
        return self._add_and_norm(states, self._product(wide, f"{name}.narrow"), f"{name}.end")

    def _product(self, states: str, name: str) -> str:
        import numpy as np

        rows, scales = self._file.rows(f"{name}.weight")
        # half of each, and to the even one where it is between two, as they would all grow else
        halves = (rows >> 1) + (rows & (rows >> 1) & 1)
        columns = np.ascontiguousarray(halves.T)
        size = columns.shape[1]
        inputs = [
            states,
            self._constant(f"{name}.weight", INT8, columns.shape, columns.tobytes()),
            self._floats(f"{name}.scales", 2 * scales.ravel()),
            self._constant(f"{name}.noughts", INT8, [size], bytes(size)),
            self._floats(f"{name}.bias", self._file.floats(f"{name}.bias")),
        ]
        return self._node("DynamicQuantizeMatMul", inputs, f"{name}.out")

    def _add_and_norm(self, states: str, added: str, name: str) -> str:
        inputs = [added, states, *self._norm(name)]
        return self._node("SkipLayerNormalization", inputs, f"{name}.out", epsilon=EPSILON)

    def _norm(self, name: str) -> list[str]:
        return [
            self._floats(f"{name}.{part}", self._file.floats(f"{name}.{part}"))
            for part in ("gain", "bias")
        ]

    def _floats(self, name: str, array: Any) -> str:
        return self._constant(name, FLOAT, array.shape, array.astype("<f4").tobytes())

    def _constant(self, name: str, kind: int, shape: Iterable[int], content: bytes) -> str:
        sizes = b"".join(_number(1, size) for size in shape)
        self._constants.append(
            sizes + _number(2, kind) + _bytes(8, name.encode()) + _bytes(9, content)
        )
        return name

    def _node(
        self,
        kind: str,
        inputs: Sequence[str],
        *outputs: str,
        domain: str = "com.microsoft",
        **options: float,
    ) -> str:
        self._nodes.append(
            b"".join(
                [
                    *(_bytes(1, name.encode()) for name in inputs),
                    *(_bytes(2, name.encode()) for name in outputs),
                    _bytes(4, kind.encode()),
                    *(_bytes(5, _option(name, value)) for name, value in options.items()),
                    _bytes(7, domain.encode()),
                ]
            )
        )
        return outputs[0]


def _option(name: str, value: float) -> bytes:
    kind = 1 if isinstance(value, float) else 2
    content = _key(2, 5) + struct.pack("<f", value) if kind == 1 else _number(3, int(value))
    return _bytes(1, name.encode()) + content + _number(20, kind)


def _value(name: str, shape: Sequence[int | str]) -> bytes:
    sizes = b"".join(
        _bytes(1, _number(1, size) if isinstance(size, int) else _bytes(2, size.encode()))
        for size in shape
    )
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, _number(1, FLOAT) + _bytes(2, sizes)))


def _key(field: int, kind: int) -> bytes:
    return _varint(field << 3 | kind)


def _number(field: int, value: int) -> bytes:
    return _key(field, 0) + _varint(value & (1 << 64) - 1)


def _bytes(field: int, content: bytes) -> bytes:
    return _key(field, 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)
