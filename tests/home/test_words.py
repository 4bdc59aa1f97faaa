"""The words of the pages: in every language, and none that nothing says."""

import re
from typing import Any

import pytest

from app.interfaces.languages import words
from app.interfaces.pages.static_files import STATIC
from app.interfaces.pages.templating import TEMPLATES

PLACES = re.compile(r"\{(\w+)\}")
USED = re.compile(r"""\bt\(["']([\w.]+)["'][,)]""")
SPOKEN = re.compile(r"""\bsay\("([\w.]+)"[,)]|\bnotice\(visit, "([\w.]+)\"""")
SAID = re.compile(r"""\bsay(?:With)?\(["'`]([\w.]+)["'`][,)]""")


def shape(sentence: object) -> Any:
    """Give which values a sentence holds."""
    if isinstance(sentence, dict):
        return {form: shape(each) for form, each in sentence.items()}
    return sorted(set(PLACES.findall(str(sentence))))


@pytest.mark.parametrize("language", words.languages())
def test_every_language_says_the_same_things(language: str) -> None:
    english, other = words._sentences("en"), words._sentences(language)
    assert sorted(other) == sorted(english)
    for name, sentence in english.items():
        if name.startswith("refused."):
            assert set(shape(other[name])) <= set(shape(sentence)), name
        elif not isinstance(sentence, dict):
            assert shape(other[name]) == shape(sentence), name
        assert str(other[name]).strip(), name


def test_what_pages_and_scripts_say_is_there() -> None:
    english = words.words_of("en")
    for folder in TEMPLATES:
        for path in folder.rglob("*.html"):
            for name in USED.findall(path.read_text("utf-8")):
                assert english.has(name), f"{path.name}: {name}"
    for path in STATIC.parent.parent.rglob("*.py"):
        for name, title in SPOKEN.findall(path.read_text("utf-8")):
            assert english.has(name or f"{title}.title"), f"{path.name}: {name or title}"
    for path in STATIC.glob("*.js"):
        for name in SAID.findall(path.read_text("utf-8")):
            assert english.has(name), f"{path.name}: {name}"
            assert name.split(".")[1] == "js", f"{path.name}: {name} is not sent to scripts"


def test_a_locale_finds_its_language_and_a_strange_one_english() -> None:
    assert words.words_of("de-AT")("shell.today") == "Heute"
    assert words.words_of("xx")("shell.today") == "Today"


def test_one_that_counts_has_two_forms() -> None:
    found = words.Words("en")
    found._found = {"x.many": {"one": "{n} note of {who}", "other": "{n} notes of {who}"}}
    assert found("x.many", n=1, who="{n}") == "1 note of {n}"
    assert found("x.many", n=2, who="Ann") == "2 notes of Ann"
