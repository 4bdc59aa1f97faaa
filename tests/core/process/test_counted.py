"""Numbers of things and of bytes, as people read them."""

import pytest

from app.core.process.counted import size_text
from app.interfaces.languages.words import Words


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (2_949, "2.9 kB"),
        (99_960, "100 kB"),
        (999_600, "1.0 MB"),
        (6 << 20, "6.3 MB"),
        (12_345_678_901, "12.3 GB"),
    ],
)
def test_bytes_are_told_as_file_managers_tell_them(size: int, text: str) -> None:
    assert size_text(size) == text
    assert Words("de").size(size) == text.replace(".", ",")
