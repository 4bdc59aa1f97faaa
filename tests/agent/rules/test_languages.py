"""The languages as data: every folder holds what the schema of its files asks for."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import get_args
from zoneinfo import ZoneInfo

import pytest

from app.agent.heartbeat.look.checklist import Kind
from app.agent.priorities.lexicon import Sense
from app.agent.quickadd import language_words
from app.agent.quickadd.match_meaning import READERS
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_data import FILES
from app.agent.rules.languages.language_tables import (
    Answers,
    ChecklistWords,
    Lexicon,
    PersonaWords,
    Phrases,
    Routing,
    Table,
    ThingWords,
    Times,
)
from app.agent.rules.languages.question_tables import Kind as QuestionKind
from app.agent.rules.languages.question_tables import Questions
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.mentions import asking
from app.agent.rules.phrases import dates
from app.agent.rules.reader import labelled, reader
from app.agent.rules.routing import routing

LANGUAGES = tuple(language_data.languages())
ENGLISH = language_data.load_table("en", Routing)
INTENTS = {row.intent for row in (*ENGLISH.general, *ENGLISH.loose)} | {
    row.intent
    for part in ("calendar", "network")
    for row in getattr(language_data.load_table("en", Routing), part)
}


def test_there_are_six_languages_in_their_order() -> None:
    assert LANGUAGES == ("en", "de", "fr", "es", "zh", "ja")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_folder_holds_the_files_of_a_language_and_no_others(language: str) -> None:
    found = list((language_data.FOLDERS / language).iterdir())
    files = {path.stem for path in found if path.suffix == ".toml"}
    assert files | {"lexicon", "things", "checklist", "wording"} == set(FILES)
    others = {path.name for path in found if path.suffix != ".toml"}
    assert others == {labelled.FILE, reader.INTENTS, reader.SLOTS}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_file_fits_its_schema(language: str) -> None:
    for kind in FILES.values():
        if language_data.has_table(language, kind):
            language_data.load_table(language, kind)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_there_with_the_values_of_the_english_one(language: str) -> None:
    own, english = (language_data.load_table(code, Phrases) for code in (language, "en"))
    for said, meant in ((own.sentences, english.sentences), (own.for_others, english.for_others)):
        assert said.keys() == meant.keys()
        for name, sentence in said.items():
            if name != "help":  # it names the owner as often as its language wants
                assert holes(sentence) == holes(meant[name]), name


def holes(sentence: str) -> set[str]:
    return set(re.findall(r"\{\w+\}", sentence))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_pattern_of_routing_compiles_and_means_an_intent_that_exists(language: str) -> None:
    rules = routing.rules_of(language)
    assert {rule.intent for rule in rules} <= INTENTS
    for rule in rules:
        assert rule.pattern.groups >= 0  # which compiles it
    assert all(re.compile(one) for one in routing.others_patterns(language, ("Ann Lee",)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_pattern_of_quick_add_compiles_and_has_a_meaning(language: str) -> None:
    words = language_words.load_language(language)
    assert {rule.means for rule, _ in words.patterns} <= READERS.keys()
    assert words.lead.match("x") is None
    assert set(words.weekdays.values()) == set(range(7))
    assert set(words.months.values()) == set(range(1, 13))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_macro_is_defined_for_nothing(language: str) -> None:
    for name in ("routing", "quickadd"):
        table = language_data.load_table(language, FILES[name])
        assert isinstance(table, Routing | Dates)
        text = (language_data.FOLDERS / language / f"{name}.toml").read_text("utf-8")
        shared = (language_data.FOLDERS / "quickadd.toml").read_text("utf-8")
        used = set(re.findall(r"\{([a-z][a-z0-9_]*)\}", text + shared))
        assert table.macros.keys() <= used


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_other_pattern_compiles(language: str) -> None:
    """Their macros are words of some table, so that any text stands for them here."""
    for kind in (Times, Questions, Answers, PersonaWords, ThingWords, ChecklistWords):
        if language_data.has_table(language, kind):
            for pattern in patterns(language_data.load_table(language, kind)):
                re.compile(re.sub(r"\{[a-z_]+\}", "x", pattern))


def test_every_language_is_named_in_every_language() -> None:
    for language in LANGUAGES:
        assert set(language_data.load_table(language, PersonaWords).languages) == set(LANGUAGES)


def test_the_checklist_has_words_for_rules_that_exist() -> None:
    for words in language_data.of_all(ChecklistWords):
        assert words.kinds.keys() <= set(get_args(Kind))


def patterns(held: object) -> Iterator[str]:
    """Yield every text of a table."""
    if isinstance(held, Table):
        held = {name: getattr(held, name) for name in held.__struct_fields__}
    if isinstance(held, dict):
        for value in held.values():
            yield from patterns(value)
    elif isinstance(held, tuple):
        yield "".join(one for one in held if isinstance(one, str))
    elif isinstance(held, str):
        yield held


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_names_every_unit_part_and_stretch_of_time(language: str) -> None:
    times = language_data.load_table(language, Times)
    assert times.units.keys() >= {"hour", "day", "week", "month"}
    assert times.parts.keys() == {"morning", "afternoon", "evening"}
    english = language_data.load_table("en", Times)
    assert english.ranges.keys() - times.ranges.keys() <= {"behind", "next_weekend"}
    assert times.earlier.keys() == english.earlier.keys()
    asked = language_data.load_table(language, Questions)
    assert asked.asks.keys() == asked.answers.keys() | {"email"} == set(get_args(QuestionKind))


ASK_A_SEVENTH = """
import json, pathlib, sys
from datetime import datetime, timezone
from app.agent.rules.languages import language_data
language_data.FOLDERS = pathlib.Path(sys.argv[1])
from app.agent.quickadd import quickadd, time_ranges
from app.agent.rules.passages import questions
from app.agent.rules.phrases import phrases
from app.agent.rules.phrases import dates
from app.agent.rules.reader import labelled, reader
from app.agent.rules.routing import routing
now = datetime(2026, 11, 18, 10, tzinfo=timezone.utc)
found = routing.route_message("Herinner mij eraan om mijn moeder overmorgen te bellen")
print(json.dumps([
    found.intent, found.language, found.get("task"), phrases.phrase("nl", "no_todos"),
    str(quickadd.read_line("moeder bellen overmorgen", now=now, locale="nl").due),
    str(time_ranges.read("wat staat er overmorgen in mijn agenda", now).start.date()),
    questions.read_question("waar ligt mijn paspoort").kind,
]))
"""


def test_a_seventh_language_is_a_folder_and_no_code(tmp_path: Path) -> None:
    """Dutch from the German folder, as the guide says, with some lines gone through."""
    shutil.copytree(language_data.FOLDERS, tmp_path / "languages")
    folder = tmp_path / "languages" / "nl"
    shutil.copytree(tmp_path / "languages" / "de", folder)
    changes = {
        "language": [
            ("German", "Dutch"),
            ("order = 1", "order = 6"),
            ('common = """', 'common = """\n  mij eraan mijn het een waar ligt overmorgen om te'),
        ],
        "phrases": [('no_todos = "', 'no_todos = "Hier is niets te doen. ')],
        "routing": [
            (
                "[[general]]",
                """[[general]]
intent = "add_todo"
pattern = '^herinner mij eraan om (?P<task>.+)'

[[general]]""",
            )
        ],
        "quickadd": [('"ubermorgen", ', '"overmorgen", ')],
        "times": [("after_tomorrow = '", "after_tomorrow = '\\bovermorgen\\b|")],
        "questions": [("where = '", "where = '\\bwaar\\b|")],
        "answers": [],
    }
    for name, changed in changes.items():
        text = (folder / f"{name}.toml").read_text("utf-8")
        for old, new in changed:
            assert old in text, (name, old)
            text = text.replace(old, new, 1)
        (folder / f"{name}.toml").write_text(text, "utf-8")
    asked = subprocess.run(
        [sys.executable, "-c", ASK_A_SEVENTH, str(folder.parent)],
        capture_output=True,
        text=True,
        check=True,
        cwd=language_data.FOLDERS.parents[3],
    )
    intent, language, task, nothing, due, day, kind = json.loads(asked.stdout)
    assert (intent, language) == ("add_todo", "nl")
    assert task == "mijn moeder overmorgen te bellen"
    assert nothing.startswith("Hier is niets te doen.")
    assert (due, day, kind) == ("2026-11-20", "2026-11-20", "where")


def test_a_lexicon_has_words_for_every_sense() -> None:
    for language in LANGUAGES:
        if language_data.has_table(language, Lexicon):
            senses = language_data.load_table(language, Lexicon).senses
            assert senses.keys() == {sense.value for sense in Sense}


def test_an_unknown_field_is_refused_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "xx").mkdir()
    (tmp_path / "xx" / "lexicon.toml").write_text("joins = true\n[senses]\n", "utf-8")
    monkeypatch.setattr(language_data, "FOLDERS", tmp_path)
    with pytest.raises(ValueError, match="joins"):
        language_data.load_table("xx", Lexicon)


@pytest.mark.parametrize(
    ("language", "day", "year", "moment"),
    [
        ("en", "Tuesday, 1 December", "Friday, 1 January 2027", "Tuesday, 1 December, 15:00"),
        (
            "de",
            "Dienstag, 1. Dezember",
            "Freitag, 1. Januar 2027",
            "Dienstag, 1. Dezember, 15:00 Uhr",
        ),
        ("fr", "mardi 1er décembre", "vendredi 1er janvier 2027", "mardi 1er décembre à 15:00"),
        (
            "es",
            "martes 1 de diciembre",
            "viernes 1 de enero de 2027",
            "martes 1 de diciembre a las 15:00",
        ),
        ("zh", "12月1日星期二", "2027年1月1日星期五", "12月1日星期二 15:00"),
        ("ja", "12月1日（火曜日）", "2027年1月1日（金曜日）", "12月1日（火曜日） 15:00"),
    ],
)
def test_days_are_written_as_people_do(language: str, day: str, year: str, moment: str) -> None:
    now = datetime(2026, 11, 23, 9, tzinfo=ZoneInfo("Europe/Berlin"))
    assert dates.stored(language, "2026-12-01", now) == day
    assert dates.stored(language, "2027-01-01", now) == year
    assert dates.stored(language, "2026-12-01T14:00:00Z", now) == moment
    assert dates.within(language, "2026-12-01 15:00–16:00", now) == f"{day} 15:00–16:00"


@pytest.mark.parametrize(
    ("language", "plain"),
    [
        ("en", "delete “Soup”"),
        ("de", "lösche „Soup“"),
        ("fr", "supprime « Soup »"),
        ("es", "borra «Soup»"),
        ("zh", "删除“Soup”"),
        ("ja", "「Soup」を削除して"),
    ],
)
def test_a_title_stands_between_the_marks_of_the_language(language: str, plain: str) -> None:
    assert asking.plain_words(language, "delete", thing="Soup") == plain
