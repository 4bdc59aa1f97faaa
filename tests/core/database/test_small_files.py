"""Small files that are replaced as a whole."""

from pathlib import Path

import pytest

from app.core.database import small_files


def test_a_file_that_somebody_has_open_for_a_moment_is_replaced_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy, replace = [1, 2], Path.replace

    def refuse(self: Path, target: Path) -> Path:
        if busy:
            busy.pop()
            raise PermissionError(13, "in use by another process")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refuse)
    monkeypatch.setattr(small_files, "BUSY_TRIES", 3)
    monkeypatch.setattr(small_files, "BUSY_SECONDS", 0.0)
    small_files.replace_file(tmp_path / "x", b"new")
    assert (tmp_path / "x").read_bytes() == b"new"
    busy += [1] * 9
    with pytest.raises(PermissionError):
        small_files.replace_file(tmp_path / "x", b"newer")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert (tmp_path / "x").read_bytes() == b"new"
