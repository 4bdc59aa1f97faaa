"""Imports and exports that are killed in the middle lose nothing, and a second try ends well."""

from pathlib import Path

from tests.support.moving_kills import tried


def test_a_second_try_ends_as_if_nobody_had_killed_the_first(tmp_path: Path) -> None:
    told = tried(tmp_path, 2)
    assert told["troubles"] == []
    assert told["cutOff"] >= 2, "the kills came too late to say anything"
