"""Wishes that no pattern takes: near to how people say them, answered or asked about."""

from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec
import pytest

from app.agent.rules import message_route
from app.agent.rules.languages import language_data
from app.agent.rules.languages.example_tables import Examples
from app.agent.rules.near import mentions, near, nearness, parts, readings
from app.agent.turn.steps import Asked, Thing, Trace
from tests.conftest import Client
from tests.support.talks import Talk

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
DONE = Trace(intent="complete_todo", about=(Thing("todo", 1, "x"),), undo=(("edit_todo", {}),))
SAMPLES = {
    "en": ("Friday", "two days", "Ben"),
    "de": ("Freitag", "zwei Tage", "Ben"),
    "fr": ("vendredi", "deux jours", "Ben"),
    "es": ("viernes", "dos días", "Ben"),
    "zh": ("周五", "两天", "王芳"),
    "ja": ("金曜", "二日", "佐藤"),
}
THINGS = {
    "en": ("Pay the water bill", "Tomatoes"),
    "de": ("Wasserrechnung bezahlen", "Tomaten"),
    "fr": ("Payer la facture d'eau", "Tomates"),
    "es": ("Pagar la factura del agua", "Tomates"),
    "zh": ("交水费", "番茄"),
    "ja": ("水道代を払う", "トマト"),
}


def asked(message: str, *earlier: Trace) -> Asked:
    return Asked(message, (), frozenset(), NOW, earlier=earlier)


def nearest(message: str, language: str, *earlier: Trace) -> readings.Reading:
    todo, note = THINGS[language]
    things = (Thing("todo", 1, todo), Thing("note", 2, note))
    return readings.readings(asked(message, *earlier), things, language)[0]


@pytest.mark.parametrize("language", SAMPLES)
def test_the_patterns_know_the_plain_words_of_every_wish(language: str) -> None:
    day, by, person = SAMPLES[language]
    values = {"todo": "Q1", "note": "Q1", "thing": "Q1", "folder": "Q3", "number": "4"}
    values |= {"person": person, "day": day, "by": by, "text": "Q2"}
    table = language_data.load_table(language, Examples)
    for wish in table.wishes:
        plain = readings.fill(wish.plain, values)
        assert message_route.understand(asked(plain, DONE), language).intent != "ask", plain
    slots = {
        part.slot for wish in table.wishes for part in parts.split(f"{wish.plain} {wish.said}")
    }
    assert slots <= {"", *values}


@pytest.mark.parametrize(
    ("language", "message", "plain"),
    [
        ("en", "the water bill has been dealt with", "mark “Pay the water bill” as done"),
        ("en", "keep the tomatoes at the top", "pin “Tomatoes”"),
        ("en", "what is there that can't wait", "important todos"),
        (
            "de",
            "die wasserrechnung ist vom tisch",
            "markiere “Wasserrechnung bezahlen” als erledigt",
        ),
        ("fr", "la facture d'eau c'est réglé", "marque “Payer la facture d'eau” comme terminé"),
        ("es", "lo de la factura del agua ya está", "marca “Pagar la factura del agua” como hecha"),
        ("zh", "水费搞定了", "把“交水费”标记为完成"),
        ("ja", "水道代は片付いた", "“水道代を払う”を完了にして"),
    ],
)
def test_what_is_said_otherwise_is_known(language: str, message: str, plain: str) -> None:
    assert nearest(message, language).plain == plain


@pytest.mark.parametrize(
    ("language", "message", "plain"),
    [
        ("en", "shove the water bill over to wednesday", "move “Pay the water bill” to wednesday"),
        ("en", "could you see to it that the water bill is on friday then", None),
        ("en", "stick ring the plumber on my list for monday", "todo: ring the plumber monday"),
        ("en", "for the water bill: prio 4", "set the priority of “Pay the water bill” to 4"),
        ("de", "die wasserrechnung mach ich lieber mittwoch", "auf mittwoch"),
        ("de", "erinner mich dran die dachrinne zu säubern", "Aufgabe: die dachrinne zu säubern"),
        ("fr", "la facture d'eau je la fais plutôt mercredi", "à mercredi"),
        ("es", "pasa lo de la factura del agua a viernes", "al viernes"),
        ("zh", "水费挪到周四吧", "把“交水费”改到周四"),
        ("ja", "水道代は木曜にずらして", "“水道代を払う”を木曜に移して"),
    ],
)
def test_days_and_texts_are_found_where_they_begin_and_end(
    language: str, message: str, plain: str | None
) -> None:
    assert (plain or "Pay the water bill") in nearest(message, language).plain


def test_a_common_word_names_the_only_thing_that_has_it() -> None:
    call, other = Thing("todo", 1, "Call the plumber"), Thing("todo", 2, "Feed the cat")
    (first, *_) = readings.readings(asked("push the call to friday"), (call, other), "en")
    assert first.things == (call,)
    both = (call, Thing("todo", 2, "Call the bank"))
    assert all(not one.things for one in readings.readings(asked("push the call"), both, "en"))


def test_nothing_older_is_meant_where_another_thing_is_named() -> None:
    milk, bike = Thing("todo", 1, "Buy milk"), Thing("todo", 2, "Repair the bicycle")
    before = msgspec.structs.replace(DONE, about=(milk,))
    found = readings.readings(
        asked("the bicycle, that is done as well", before), (milk, bike), "en"
    )
    assert found[0].things == (bike,)


def test_who_was_spoken_of_is_who_is_told() -> None:
    spoken = Trace(intent="from_person", about=(Thing("person", 0, "ben"),))
    (first, *_) = readings.readings(asked("reply that it comes on monday", spoken), (), "en")
    assert first.plain == "tell ben that it comes on monday"


def test_a_faint_likeness_makes_nothing_new() -> None:
    wish = next(
        one for one in language_data.load_table("en", Examples).wishes if "todo:" in one.plain
    )
    water = (Thing("todo", 1, "Pay the water bill"),)
    faint = readings.Reading(0.3, wish, "todo: x", "todo: x", (), "x")
    sure, known = faint._replace(sure=0.5), faint._replace(things=water)
    assert near.likely(asked("x"), [faint]) is None
    assert near.likely(asked("x"), [sure]) == sure
    assert near.likely(asked("x"), [faint, known._replace(sure=0.25)]) == known._replace(sure=0.25)


@pytest.mark.parametrize("language", SAMPLES)
def test_every_wish_has_examples_and_is_the_nearest_to_its_own(language: str) -> None:
    table = language_data.load_table(language, Examples)
    known = nearness.of(language)
    right = total = 0
    for number, wish in enumerate(table.wishes, 1):
        lines = wish.said.strip().splitlines()
        assert len(lines) >= 6, wish.plain
        assert len(lines) == len(set(lines)), wish.plain
        for line in lines:
            row = parts.mark_known(parts.split(line), known.known, known.common)
            row = [one._replace(slot="todo") if one.slot == "thing" else one for one in row]
            scores = nearness.scores(language, row)
            right += scores.index(max(scores)) == number
            total += 1
    assert right / total > 0.9


@pytest.mark.anyio
async def test_what_a_pattern_found_nothing_for_is_asked_about(alice: Client) -> None:
    """“Move … to Thursday, same time” names no folder, and a todo that is there."""
    fields = {"title": "Dentist appointment", "dueDate": "2026-11-24"}
    await alice.ok("POST", "/os/todos", status=201, json=fields)

    async def said(message: str) -> str:
        answer = await alice.ok("POST", "/chat", json={"message": message, "stream": False})
        return str(answer["response"])

    question = "Do you mean: move “Dentist appointment” to Thursday?"
    assert await said("move the dentist appointment to Thursday, same time") == question
    nothing = "There is no folder called “Cellar”, so I changed nothing."
    assert await said("delete the folder Cellar") == nothing


def test_what_was_spoken_of_is_pointed_at() -> None:
    water = Thing("todo", 1, "Pay the water bill")
    listed = Trace(shown=(Thing("todo", 3, "Buy milk"), water))
    found = nearest("the second one has been dealt with", "en", listed)
    assert (found.plain, found.things) == ("mark “Pay the water bill” as done", (water,))
    assert mentions.spoken_of(asked("", listed), ("todo",)) == ()


@pytest.mark.parametrize(
    "message", ["", "?", "…", "zzz qqq", "\ud83d\ude00", ":", "a: b", "「」", "“"]
)
def test_nothing_breaks_the_reading(message: str) -> None:
    for language in SAMPLES:
        readings.readings(asked(message), (Thing("note", 1, "?"),), language)
        near.language_of(message, language)


def test_a_text_alone_is_no_wish() -> None:
    assert not [one for one in readings.readings(asked("tiles"), (), "en") if one.text]
    assert nearness.scores("en", []) == []


@pytest.mark.anyio
async def test_what_writes_is_asked_about_and_done_with_a_yes(alice: Client) -> None:
    fields = {"title": "Pay the water bill"}
    todo = (await alice.ok("POST", "/os/todos", status=201, json=fields))["result"]
    path = f"/os/todos/{todo['todo']['id']}"
    say = Talk(alice).say

    async def is_done() -> bool:
        return bool((await alice.ok("GET", path))["todo"]["completed"])

    wish = "we are through with the water bill"
    question = "Do you mean: mark “Pay the water bill” as done?"
    assert await say(wish) == question
    assert not await is_done()
    assert await say("no") == "All right, I leave that alone."
    assert not await is_done()
    assert await say(wish) == question
    await say("what time is it")
    await say("yes")
    assert not await is_done()
    assert await say(wish) == question
    assert await say("ja") == "Done: Pay the water bill."
    assert await is_done()


@pytest.mark.anyio
async def test_a_name_makes_no_other_wish_of_it(alice: Client) -> None:
    """“remove the tag … from” is no deletion, whatever stands for the tag."""
    fields = {"title": "Compost", "content": "x", "tags": ["garden"]}
    await alice.ok("POST", "/os/notes", status=201, json=fields)
    said = "the compost note has the wrong tag, garden should come off"
    answer = await alice.ok("POST", "/chat", json={"message": said, "stream": False})
    again = {"conversationId": answer["conversationId"], "message": "yes", "stream": False}
    await alice.ok("POST", "/chat", json=again)
    notes = (await alice.ok("GET", "/os/notes"))["notes"]
    assert [note["title"] for note in notes] == ["Compost"]


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("ブラント先生への連絡、給食のやつ", "ブラント先生に給食のことを書く"),
        ("毛糸のメモを見せて", "マフラーの毛糸"),
        ("お菓子を買う", None),
    ],
)
def test_letters_of_a_name_tell_things_apart(message: str, named: str | None) -> None:
    titles = ("ブラント先生に給食のことを書く", "ブラント先生に返事を出す", "猫砂を買う")
    titles += ("買い物メモ", "マフラーの毛糸")
    things = [Thing("todo", number, title) for number, title in enumerate(titles)]
    found = mentions.named_unspaced(parts.split(message), things, "todo")
    assert [one.title for part in found[:1] for one in part.things] == ([named] if named else [])
