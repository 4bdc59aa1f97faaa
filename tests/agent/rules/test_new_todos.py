"""Todos that a message adds: what is stored, what is told of it and what is asked back."""

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from app.agent.rules.answers import new_todos
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.routing.routing import Route
from tests.conftest import Client
from tests.support.talks import Talk, said


async def todos(client: Client) -> list[Any]:
    return cast(list[Any], (await client.ok("GET", "/os/todos"))["result"]["todos"])


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("remind me tomorrow to call mum", "call mum"),
        ("Tomorrow, remind me to call mum", "call mum"),
        ("remind me on Friday at 5 to leave", "leave"),
        ("Remind me to call mum tomorrow", "call mum"),
        ("erinnere mich morgen daran, die Blumen zu gießen", "die Blumen gießen"),
        ("denk dran, morgen den Müll rauszubringen", "den Müll rausbringen"),
        ("rappelle-moi demain d'appeler maman", "appeler maman"),
        ("recuérdame mañana llamar a mamá", "llamar a mamá"),
        ("Erinnere mich am Freitag um 9 an den Zahnarzt", "Zahnarzt"),
        ("Rappelle-moi vendredi du rendez-vous", "rendez-vous"),
        ("Recuérdame el viernes lo de la cita", "cita"),
        ("Remind me on Friday about the dentist", "dentist"),
        ("明天提醒我给妈妈打电话", "给妈妈打电话"),
        ("明日母に電話するのを忘れないで", "母に電話する"),
    ],
)
async def test_a_reminder_is_named_by_its_task(alice: Client, message: str, title: str) -> None:
    answer = await said(alice, message)
    (todo,) = await todos(alice)
    assert todo["title"] == title, answer["response"]
    assert todo["dueDate"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "named", "answer", "title", "due", "rule"),
    [
        ("add todo pay rent on 30 February", "30 February", "28 February", "pay rent", "02-28", ""),
        ("remind me on 31 April to pay rent", "31 April", "1 May", "pay rent", "05-01", ""),
        ("Aufgabe: Miete am 31. April zahlen", "31. April", "30. April", "Miete zahlen", "", ""),
        (
            "remind me to drink water every 2 hours",
            "every 2 hours",
            "every day at 9",
            "drink water",
            "T09:00",
            "FREQ=DAILY",
        ),
    ],
)
async def test_a_day_that_cannot_be_is_asked_back_and_the_answer_completes_the_todo(
    alice: Client, message: str, named: str, answer: str, title: str, due: str, rule: str
) -> None:
    asked = await said(alice, message)
    assert named in asked["response"]
    assert await todos(alice) == []
    await said(alice, answer, asked["conversationId"])
    (todo,) = await todos(alice)
    assert todo["title"] == title
    assert due in todo["dueDate"]
    assert (todo["recurrence"] or {}).get("rule", "") == rule


@pytest.mark.anyio
async def test_no_answer_to_what_was_asked_back_adds_nothing(alice: Client) -> None:
    asked = await said(alice, "add todo pay rent on 30 February")
    await said(alice, "never mind", asked["conversationId"])
    assert await todos(alice) == []


@pytest.mark.parametrize(
    ("language", "rule", "text"),
    [
        ("en", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "every 2 weeks (Monday)"),
        ("en", "FREQ=MONTHLY;BYMONTHDAY=1,15", "every month on day 1 on day 15"),
        ("en", "FREQ=MONTHLY;BYMONTHDAY=-1", "every month on the last day"),
        ("en", "FREQ=MONTHLY;BYDAY=2MO", "every month on the second Monday"),
        ("en", "FREQ=DAILY;UNTIL=20261231", "every day, until Thursday, 31 December"),
        ("en", "FREQ=DAILY;COUNT=5", "every day, 5 times"),
        ("en", "FREQ=YEARLY;BYWEEKNO=3", "FREQ=YEARLY;BYWEEKNO=3"),
        ("de", "FREQ=MONTHLY;BYDAY=-1FR", "jeden Monat am letzten Freitag"),
        ("fr", "FREQ=MONTHLY;BYMONTHDAY=5", "tous les mois le 5"),
        ("es", "FREQ=MONTHLY;BYDAY=1TH", "cada mes el primer jueves"),
        ("zh", "FREQ=MONTHLY;BYDAY=2MO", "每月第二个星期一"),
        ("ja", "FREQ=WEEKLY;UNTIL=20261231", "毎週、12月31日（木曜日）まで"),
    ],
)
def test_how_often_a_todo_comes_is_told_in_words(language: Language, rule: str, text: str) -> None:
    now = datetime(2026, 11, 21, 9, tzinfo=UTC)
    assert new_todos.recurrence_text(Route("add_todo", language, {}), rule, now) == text


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "made"),
    [
        ("Friday: take out the bins", ["take out the bins"]),
        ("jeden Freitag: Müll rausbringen", ["Müll rausbringen"]),
        ('kannst du "Müll rausbringen" eintragen, jeden Montag', ["Müll rausbringen"]),
        ("schreib auf: morgen Leim holen und am Freitag Holz sägen", ["Leim holen", "Holz sägen"]),
        (
            "à ajouter : poster le colis demain, et ranger la cave vendredi",
            ["poster le colis", "ranger la cave"],
        ),
        ('note "apéro chez Julie" mercredi à 19h', ["apéro chez Julie"]),
        ("vendredi : le dentiste a dit non", []),
        ("Freitag: der Zahnarzt hat abgesagt", []),
    ],
)
async def test_what_is_said_outright_is_a_todo(
    alice: Client, message: str, made: list[str]
) -> None:
    await said(alice, message)
    assert sorted(one["title"] for one in await todos(alice)) == sorted(made)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "message", "yes"),
    [
        ("Call the dentist", "I have to call the dentist on 24 December", "yes"),
        ("Zahnarzt anrufen", "Am 24. Dezember muss ich den Zahnarzt anrufen", "ja"),
    ],
)
async def test_what_must_be_done_and_is_there_already_is_asked_about_as_its_new_day(
    alice: Client, title: str, message: str, yes: str
) -> None:
    await alice.ok("POST", "/os/todos", status=201, json={"title": title})
    answer = await said(alice, message)
    (todo,) = await todos(alice)
    assert title in answer["response"]
    assert not todo["dueDate"]
    await alice.ok(
        "POST",
        "/chat",
        json={"message": yes, "conversationId": answer["conversationId"], "stream": False},
    )
    (todo,) = await todos(alice)
    assert todo["dueDate"].endswith("-12-24")


@pytest.mark.anyio
async def test_a_title_in_quotation_marks_of_a_todo_that_is_there_makes_no_second(
    alice: Client,
) -> None:
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Acheter du lait"})
    await said(alice, 'mets "Acheter du lait" demain')
    assert [one["title"] for one in await todos(alice)] == ["Acheter du lait"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("stick sharpen the saw on my list for thursday at 9, prio 4", "sharpen the saw"),
        ("ah et jeudi je dois passer au marché à 9h, note ça", "passer au marché"),
        ("el jueves a las 9 viene la modista, apúntalo", "viene la modista"),
        ("jeden donnerstag um 9 kisten stapeln, kannst du das eintragen?", "kisten stapeln"),
    ],
)
async def test_what_the_last_clause_says_to_note_keeps_its_day_and_its_time(
    alice: Client, message: str, title: str
) -> None:
    answer = await said(alice, message)
    (todo,) = await todos(alice)
    assert todo["title"] == title, answer["response"]
    due = datetime.fromisoformat(todo["dueDate"])
    assert (due.weekday(), due.minute) == (3, 0), todo["dueDate"]


@pytest.mark.anyio
async def test_a_day_before_a_title_with_a_time_is_kept(alice: Client) -> None:
    talk = Talk(alice)
    assert "thursday" in await talk.say("thursday the glazier comes at 4, jot that down")
    await talk.say("yes")
    (todo,) = (await alice.ok("GET", "/os/todos"))["result"]["todos"]
    assert todo["title"] == "glazier comes"
    assert todo["dueDate"].endswith(":00:00.000Z")
