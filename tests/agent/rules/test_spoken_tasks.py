"""Todos that a message as a whole asks for, or says must be done: title, day and how sure it is."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from app.agent.quickadd import quickadd
from app.agent.rules.languages import language_data
from app.agent.rules.languages.task_tables import Tasks
from app.agent.rules.routing import spoken_tasks
from app.agent.rules.routing.spoken_tasks import SpokenTask

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
FRIDAY = "2026-11-27"


def read(message: str, language: str) -> SpokenTask | None:
    return spoken_tasks.read(message, NOW, language)


def due(task: SpokenTask, language: str) -> str | None:
    locale = None if language == "en" else language
    return quickadd.read_line(f"{task.title} {task.when}", now=NOW, locale=locale).due_date


@pytest.mark.parametrize(
    ("language", "message", "title", "kind"),
    [
        ("en", "On Friday I absolutely have to finish the slides.", "finish the slides", "duty"),
        ("en", "would you mind reminding me to charge the camera", "charge the camera", "asked"),
        ("en", "wash the car on Friday, put that on my todos", "wash the car", "asked"),
        ("en", "Please note down that I have to buy a doormat", "buy a doormat", "noted"),
        ("en", "the shed is locked again, I have to call Ina on Friday", "call Ina", "duty"),
        ("de", "Spätestens am Freitag muss ich den Bericht abgeben", "den Bericht abgeben", "duty"),
        (
            "de",
            "Hilf mir dran zu denken, die Turnbeutel einzupacken",
            "die Turnbeutel einpacken",
            "asked",
        ),
        (
            "de",
            "Die Garage gehört ausgemistet, schreib das auf meine Todos",
            "Die Garage ausmisten",
            "asked",
        ),
        (
            "de",
            "Ich möchte daran erinnert werden, Tabletten abzuholen",
            "Tabletten abholen",
            "asked",
        ),
        ("fr", "il faut que j'envoie le bon de garantie", "envoyer le bon de garantie", "duty"),
        (
            "fr",
            "J'aimerais que tu m'ajoutes un todo : changer les pneus",
            "changer les pneus",
            "asked",
        ),
        ("fr", "d'ici vendredi je dois virer le loyer", "virer le loyer", "duty"),
        ("es", "¿Me puedes recordar que llame a mi madre?", "llamar a mi madre", "asked"),
        ("es", "El viernes hay que mandar las invitaciones", "mandar las invitaciones", "duty"),
        (
            "es",
            "Tengo pendiente escanear los recibos, añádelo a mis tareas",
            "escanear los recibos",
            "asked",
        ),
        ("zh", "千万要提醒我续健身卡", "续健身卡", "asked"),
        ("zh", "物业费还没交呢，提醒我交物业费", "交物业费", "asked"),
        ("zh", "我打算周五上午十一点去跑步", "去跑步", "duty"),
        (
            "ja",
            "スーツをクリーニングに出さなあかんねん、金曜までに",
            "スーツをクリーニングに出す",
            "duty",
        ),
        ("ja", "叔父にお礼状を出すのを覚えておいて", "叔父にお礼状を出す", "asked"),
    ],
)
def test_a_title_is_what_the_frames_leave(
    language: str, message: str, title: str, kind: str
) -> None:
    task = read(message, language)
    assert task is not None
    assert (task.title, task.kind) == (title, kind)


@pytest.mark.parametrize(
    ("language", "messages"),
    [
        ("en", ["{} I need to ring Ina", "remind me {} to ring Ina", "gotta ring Ina {}"]),
        (
            "de",
            [
                "{} muss ich Ina anrufen",
                "ich muss {} Ina anrufen",
                "Ina anrufen nicht vergessen, {}",
            ],
        ),
        (
            "fr",
            ["{} je dois appeler Ina", "rappelle-moi {} d'appeler Ina", "il faut appeler Ina {}"],
        ),
        (
            "es",
            ["{} tengo que llamar a Ina", "recuérdame {} llamar a Ina", "hay que llamar a Ina {}"],
        ),
        ("zh", ["{}我得给艾娜打电话", "提醒我{}给艾娜打电话", "{}要给艾娜打电话，记个待办"]),
        ("ja", ["{}までにイナに電話しなきゃ", "イナに電話しないといけない、{}まで"]),
    ],
)
def test_a_day_may_stand_anywhere(language: str, messages: list[str]) -> None:
    days = {"en": "on Friday", "de": "am Freitag", "fr": "vendredi", "es": "el viernes"}
    day = days.get(language, "周五" if language == "zh" else "金曜")
    tasks = [read(one.format(day), language) for one in messages]
    assert all(tasks), [one for one, task in zip(messages, tasks, strict=True) if not task]
    assert len({task.title for task in tasks if task}) == 1
    assert {due(task, language) for task in tasks if task} == {FRIDAY}


@pytest.mark.parametrize(
    ("language", "message", "title"),
    [
        ("en", "todo: send grandma a thank you", "send grandma a thank you"),
        ("en", "add a todo: like Anna's photo", "like Anna's photo"),
        ("es", "tarea: dar las gracias", "dar las gracias"),
        ("de", "Aufgabe: noch mal anrufen", "noch mal anrufen"),
        ("zh", "待办：把药吃了", "把药吃了"),
    ],
)
def test_what_follows_a_colon_stands_as_it_is(language: str, message: str, title: str) -> None:
    task = read(message, language)
    assert task == SpokenTask(title, "", "asked")


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "Do I have to call Ina on Friday?"),
        ("en", "I have to say that was good"),
        ("en", "Ben has to call Ina on Friday"),
        ("en", "it was a good day"),
        ("de", "Muss ich am Freitag ins Büro?"),
        ("de", "Heute muss ich zum Glück mal nicht ins Büro."),
        ("de", "Gestern musste ich zwei Stunden warten"),
        ("de", "Die Nachbarn müssen bis Samstag ihre Hecke schneiden."),
        ("fr", "j'ai appelé le dentiste ce matin"),
        ("fr", "faut le retourner tous les combien"),
        ("es", "A mi jefe le toca ir a Bilbao mañana a las nueve"),
        ("es", "hay que decir que estaba rico"),
        ("zh", "今天开了一上午的会，累死了"),
        ("ja", "三時なら昼ごはんはゆっくり食べられるな"),
    ],
)
def test_what_tells_or_asks_is_no_task(language: str, message: str) -> None:
    assert read(message, language) is None


def test_a_text_of_many_lines_and_a_day_that_cannot_be_are_left_to_others() -> None:
    assert read("remind me\nto call Ina", "en") is None
    assert read("remind me to call Ina on 31 April", "en") is None
    assert read("remind me to call Ina " + "now " * 100, "en") is None


@pytest.mark.parametrize(
    ("language", "again"),
    [
        ("ja", "のを"),
        ("ja", "用の"),
        ("ja", "わ、"),
        ("zh", "呗，"),
        ("de", "noch, "),
        ("en", "so "),
    ],
)
def test_words_that_come_again_and_again_are_read_at_once(language: str, again: str) -> None:
    # Each way to part them would be tried if their pattern gave back what it took.
    text = (again * 300)[: spoken_tasks.LONGEST - 1]
    assert read(text, language) is None


def test_every_language_has_frames_for_each_of_the_ways() -> None:
    for language in language_data.languages():
        table = language_data.load_table(language, Tasks)
        assert all((table.asks, table.notes, table.duties, table.events)), language
        for pattern in (*table.asks, *table.notes, *table.duties, *table.events):
            compiled = spoken_tasks._frame(pattern, language)
            assert compiled.groups, (language, pattern)
