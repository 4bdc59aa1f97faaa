"""Choose the tests that a change needs, for `python3 scripts/test.py --quick`."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from environment import ROOT

ALWAYS = ("tests/test_architecture.py", "tests/test_contract.py", "tests/test_docs.py")
IMPORT = re.compile(r"^[ \t]*(?:from ([\w.]+) )?import (\([^)]*\)|[^\n#]*)", re.MULTILINE)
MOST_FILES = 12
MOST_USERS = 40  # what more files import than that says little of who needs a change behind it
SHOWN = 5
SLOW = {"subprocess", "multiprocessing", "hypothesis", "tests.support.serving"}
"""What tests import that start processes or try many cases: they come last."""


def files() -> list[str]:
    """Return the test files for what differs from the last commit.

    Where nothing differs, those for the last commit. Changed tests come first, then those that
    import what changed or are called like it, then the others of the folder that mirrors it, then
    those that import what imports it; at most so many that it stays under a minute.
    """
    changed = _changed()
    ranked = [{path for path in changed if _is_test(path)}, set(), set(), set()]
    for path in changed:
        module = _module(path)
        users = _users({module})
        ranked[1] |= {*_tests(users), *_namesakes(path)}
        ranked[2] |= {*_mirror(path)}
        ranked[3] |= {*_tests(_users({one for one in users if len(_users({one})) <= MOST_USERS}))}
    wanted = dict.fromkeys(path for rank in ranked for path in sorted(rank, key=_order))
    chosen = [path for path in wanted if path not in ALWAYS]
    if left := chosen[MOST_FILES:]:
        more = f" and {len(left) - SHOWN} more" if len(left) > SHOWN else ""
        print(f"Left out, since --quick stays short: {', '.join(left[:SHOWN])}{more}.", flush=True)
    return [*ALWAYS, *chosen[:MOST_FILES]]


def _changed() -> list[str]:
    def names(*command: str) -> list[str]:
        done = subprocess.run(
            ["git", *command], cwd=ROOT, capture_output=True, text=True, check=False
        )
        return done.stdout.splitlines()

    # Untracked files too: a new test is what should run first.
    now = names("diff", "--name-only", "HEAD") + names("ls-files", "-o", "--exclude-standard")
    return now or names("diff", "--name-only", "HEAD~1", "HEAD")


def _is_test(path: str) -> bool:
    name = Path(path).name
    return path.startswith("tests/") and name.startswith("test_") and (ROOT / path).exists()


def _module(path: str) -> str:
    """Return what a file is called when it is imported; scripts import each other by their stem."""
    name = path.removesuffix(".py").removesuffix("/__init__").removeprefix("scripts/")
    return name.replace("/", ".")


@cache
def _imports() -> dict[str, set[str]]:
    """Return what each module of the program, its tests and its scripts imports."""
    found: dict[str, set[str]] = {}
    for folder in ("app", "scripts", "tests"):
        for file in (ROOT / folder).rglob("*.py"):
            path = file.relative_to(ROOT).as_posix()
            found[path] = set(_imported(file.read_text("utf-8")))
    return found


def _imported(source: str) -> Iterable[str]:
    # by a pattern, since parsing every file takes two seconds
    for module, names in IMPORT.findall(source):
        found = re.findall(r"([\w.]+)(?: as \w+)?", names)
        yield from (f"{module}.{name}" for name in found) if module else found
        if module:
            yield module


def _users(modules: set[str]) -> set[str]:
    """Return the modules that import one of these, and the modules themselves."""
    return modules | {_module(path) for path, names in _imports().items() if modules & names}


def _tests(modules: set[str]) -> set[str]:
    return {path for path in _imports() if _is_test(path) and _module(path) in modules}


def _namesakes(path: str) -> set[str]:
    """Return the tests of the same package that are called like a file: test_todos.py or
    test_todos_due.py for todos.py.
    """
    file = Path(path)
    if file.suffix != ".py" or len(file.parts) < 3:
        return set()
    return {
        one
        for one in _imports()
        if _is_test(one)
        and one.startswith(f"tests/{file.parts[1]}/")
        and f"{Path(one).stem}_".startswith(f"test_{file.stem}_")
    }


def _mirror(path: str) -> list[str]:
    """Return the tests in the folder of tests that mirrors the nearest folder of a file."""
    parts = Path(path).parts[:-1]
    if path.endswith(".md"):
        return ["tests/test_examples.py"] if path != "CHANGELOG.md" else []
    if not parts or parts[0] not in ("app", "scripts"):
        return []
    if parts[0] == "scripts":
        parts = ("", *parts)
    while len(parts) > 1:
        folder = ROOT.joinpath("tests", *parts[1:])
        if found := [one.relative_to(ROOT).as_posix() for one in folder.glob("test_*.py")]:
            return found
        parts = parts[:-1]
    return []


def _order(path: str) -> tuple[bool, str]:
    return bool(SLOW & _imports().get(path, set())), path
