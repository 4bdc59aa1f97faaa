"""What `scripts/test.py --quick` chooses."""

import pytest

import quick


@pytest.mark.parametrize(
    ("changed", "chosen", "other"),
    [
        ("app/workspace/trash/trash.py", "tests/workspace/trash/", "tests/workspace/todos/"),
        ("tests/core/test_text.py", "tests/core/test_text.py", "tests/core/test_limits.py"),
        ("app/guide/search.md", "tests/test_examples.py", "tests/core/"),
        ("scripts/quick.py", "tests/scripts/test_quick.py", "tests/workspace/"),
        ("app/workspace/todos/recurrence.py", "tests/agent/quickadd/", "tests/embedding/"),
        ("tests/support/terminal.py", "tests/commands/test_chat_command.py", "tests/core/"),
        ("app/core/app.py", "tests/core/test_idempotency.py", "tests/wire/"),
    ],
)
def test_a_change_brings_the_tests_that_mirror_it_or_import_it(
    changed: str, chosen: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "_changed", lambda: [changed])
    files = quick.files()
    assert [path for path in files if path.startswith(chosen)] != []
    assert [path for path in files if path.startswith(other)] == []
    assert files[: len(quick.ALWAYS)] == list(quick.ALWAYS)


def test_what_is_nearest_to_a_change_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = ["app/upkeep/backups/encryption.py", "tests/upkeep/test_backup_files.py"]
    monkeypatch.setattr(quick, "_changed", lambda: changed)
    chosen = quick.files()[len(quick.ALWAYS) :]
    order = (
        "backup_files",
        "backups",
        "damage",
    )  # it changed, imports what changed, lies beside it
    places = [chosen.index(f"tests/upkeep/test_{name}.py") for name in order]
    assert places == sorted(places)
    assert places[0] == 0


def test_a_great_change_is_cut_and_says_what_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    everything = [f"app/{name}/x.py" for name in ("core", "agent/rules", "network", "upkeep")]
    monkeypatch.setattr(quick, "_changed", lambda: everything)
    monkeypatch.setattr(quick, "MOST_FILES", 1)
    assert len(quick.files()) == len(quick.ALWAYS) + 1
    assert "Left out" in capsys.readouterr().out
