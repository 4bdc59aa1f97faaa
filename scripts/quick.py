"""Choose the tests that a change needs, for `python3 scripts/test.py --quick`."""

from __future__ import annotations

import subprocess
from pathlib import Path

from environment import ROOT

ALWAYS = ("tests/test_architecture.py", "tests/test_contract.py", "tests/test_docs.py")
MOST_FILES = 12


def files() -> list[str]:
    """Return the test files for what differs from the last commit.

    Where nothing differs, those for the last commit. Changed tests come first, then the tests of
    the folders that mirror the changed ones, at most so many that it stays under a minute.
    """
    changed = _changed()
    wanted = [path for path in changed if _is_test(path)]
    for path in changed:
        wanted += sorted(_mirror(path))
    chosen = [path for path in dict.fromkeys(wanted) if path not in ALWAYS]
    if left := chosen[MOST_FILES:]:
        print(f"Left out, since --quick stays short: {', '.join(left)}", flush=True)
    return [*ALWAYS, *chosen[:MOST_FILES]]


def _changed() -> list[str]:
    def names(*command: str) -> list[str]:
        done = subprocess.run(
            ["git", *command], cwd=ROOT, capture_output=True, text=True, check=False
        )
        return done.stdout.splitlines()

    now = names("diff", "--name-only", "HEAD") + names("ls-files", "-o", "--exclude-standard")
    return now or names("diff", "--name-only", "HEAD~1", "HEAD")


def _is_test(path: str) -> bool:
    name = Path(path).name
    return path.startswith("tests/") and name.startswith("test_") and (ROOT / path).exists()


def _mirror(path: str) -> list[str]:
    """Return the tests in the folder of tests that mirrors the nearest folder of a module."""
    parts = Path(path).parts[:-1]
    if not parts or parts[0] != "app" or not path.endswith(".py"):
        return ["tests/test_examples.py"] if path.endswith(".md") and path != "CHANGELOG.md" else []
    while len(parts) > 1:
        folder = ROOT.joinpath("tests", *parts[1:])
        if found := [one.relative_to(ROOT).as_posix() for one in folder.glob("test_*.py")]:
            return found
        parts = parts[:-1]
    return []
