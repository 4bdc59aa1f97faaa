"""What is said of a request's body that is no JSON object."""

import pytest

from app.core.json_body import HALF, decode
from app.errors import Malformed


@pytest.mark.parametrize(
    ("body", "half"),
    [
        (rb'{"title":"\ud800"}', r"\ud800"),
        (rb'{"title":"\uDC00","content":""}', r"\uDC00"),
        (rb'{"title":"\ud83d\ude00 \ud83d\ud83d"}', r"\ud83d"),
        (rb'{"title":"\\\ud800"}', r"\ud800"),
    ],
)
def test_half_of_a_surrogate_pair_is_named(body: bytes, half: str) -> None:
    with pytest.raises(Malformed) as told:
        decode(body)
    assert told.value.message == HALF.format(half)


@pytest.mark.parametrize("body", [rb'{"a":"\ud83d\ude00 \\ud800"', rb'{"a":"\ud83d\ude00" x}'])
def test_what_is_wrong_elsewhere_is_said(body: bytes) -> None:
    with pytest.raises(Malformed, match="is not valid JSON"):
        decode(body)


def test_pairs_and_what_only_looks_like_half_of_one_are_text() -> None:
    assert decode(rb'{"a":"\ud83d\ude00 \\ud800"}') == {"a": "\U0001f600 \\ud800"}
