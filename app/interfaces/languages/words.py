"""The words of the pages, in each language that has a folder here.

A sentence is found by `part.name`: the table `name` or key in the file `part.toml`. One that
counts has two forms, `one` and `other`, and holds `{n}`.
"""

import functools
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.core.process.counted import size_text

LANGUAGES = Path(__file__).parent
DEFAULT = "en"


class Words:
    """The words of one language; what it lacks is said in English."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._found = {**_sentences(DEFAULT), **_sentences(language)}
        self._of_scripts: dict[str, dict[str, Any]] = {}
        for name, sentence in self._found.items():
            part, kind, *_ = name.split(".")
            if kind == "js":
                self._of_scripts.setdefault(part, {})[name] = sentence

    def __call__(self, name: str, /, **values: object) -> str:
        """Return a sentence with its values in place; raise KeyError for one that is not there."""
        sentence = self._found[name]
        if isinstance(sentence, Mapping):
            sentence = sentence["one" if values["n"] == 1 else "other"]
        # Not str.format: what people wrote may hold braces.
        for key, value in values.items():
            sentence = sentence.replace("{" + key + "}", str(value))
        return str(sentence)

    def number(self, number: int) -> str:
        """Return a whole number with its thousands apart."""
        return f"{number:,}".replace(",", self("dates.thousands"))

    def size(self, size: float | None) -> str:
        """Return a number of bytes."""
        return size_text(size or 0).replace(".", self("dates.decimal"))

    def has(self, name: str) -> bool:
        """Return whether there is such a sentence."""
        return name in self._found

    def of_parts(self, *parts: str) -> list[tuple[str, Any]]:
        """Return the sentences of these parts, such as `said.`, with their names."""
        return [(name, each) for name, each in self._found.items() if name.startswith(parts)]

    def of_scripts(self, *parts: str) -> dict[str, Any]:
        """Return what the scripts of these parts, or of all, say: each `part.js.name`, by that."""
        found: dict[str, Any] = {}
        for part in parts or self._of_scripts:
            found |= self._of_scripts.get(part, {})
        return found


@functools.cache
def languages() -> tuple[str, ...]:
    """Return the languages there are, by their codes."""
    return tuple(
        sorted(folder.name for folder in LANGUAGES.iterdir() if any(folder.glob("*.toml")))
    )


@functools.cache
def words_of(locale: str) -> Words:
    """Return the words for a locale such as `de-AT`: of its language where there is one."""
    language = locale.replace("_", "-").partition("-")[0].lower()
    return Words(language if language in languages() else DEFAULT)


@functools.cache
def _sentences(language: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path in sorted((LANGUAGES / language).glob("*.toml")):
        _gather(found, path.stem, tomllib.loads(path.read_text("utf-8")))
    return found


def _gather(found: dict[str, Any], before: str, table: Mapping[str, Any]) -> None:
    for name, value in table.items():
        full = f"{before}.{name}"
        if isinstance(value, Mapping) and value.keys() != {"one", "other"}:
            _gather(found, full, value)
        else:
            found[full] = value
