"""What is said of the todos that were just told is done: ticked, moved, one of their steps."""

import pytest

from tests.agent.rules.test_at_once import add, note, text_of, todos
from tests.conftest import Client
from tests.support.talks import Talk

SHOW = {"en": "show my todos", "de": "zeig meine Aufgaben", "fr": "montre mes tâches"}
OTHER = {"de": "Steuer abgeben", "fr": "Tailler la haie", "es": "Vacunar a Tofu", "ja": "歯医者"}
SHOW |= {"es": "muestra mis tareas", "ja": "タスクを見せて"}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("language", "title", "done"),
    [
        ("fr", "Payer la facture", "c'est payé"),
        ("fr", "Payer la facture", "la facture est réglée"),
        ("de", "Winterreifen wechseln lassen", "die reifen sind längst drauf, kannste abhaken"),
        ("ja", "図書館の本を返す", "本は土曜に返したよ"),
        ("es", "Lavar los uniformes", "los uniformes ya están"),
    ],
)
async def test_the_one_just_told_that_is_done_is_ticked(
    alice: Client, language: str, title: str, done: str
) -> None:
    await add(alice, title, OTHER[language])
    say = Talk(alice).say
    assert title in await say(SHOW[language])
    await say(done)
    assert (await todos(alice))[title]["completed"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    "said", ["sylvie a payé le loyer", "je vais payer ce soir", "j'ai pas encore payé", "payé ?"]
)
async def test_what_may_be_of_another_is_not_ticked(alice: Client, said: str) -> None:
    await add(alice, "Payer la facture")
    say = Talk(alice).say
    await say(SHOW["fr"])
    await say(said)
    assert not (await todos(alice))["Payer la facture"]["completed"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("ils viennent d'appeler, c'est décalé à 11h", "2026-12-03T11:00"),
        ("reporte d'une semaine, j'ai pas fini le dernier", "2026-12-10"),
        ("ah mince j'ai un truc à 10h", "2026-12-03T10:15"),
    ],
)
async def test_the_one_just_told_is_moved(alice: Client, said: str, due: str) -> None:
    await add(alice, "Ophtalmo", dueDate="2026-12-03T10:15:00Z")
    await add(alice, "Kiné", "Dentiste")
    say = Talk(alice).say
    await say("l'ophtalmo c'est à quelle heure ?")
    await say(said)
    assert str((await todos(alice))["Ophtalmo"]["dueDate"]).startswith(due)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "steps", "asks", "said", "ticked"),
    [
        (
            "Dossier APA",
            ("RIB", "photos"),
            "il me faut quoi pour le dossier APA ?",
            "le RIB je l'ai, coche le",
            "RIB",
        ),
        (
            "Entregar el trabajo",
            ("Tablas", "Portada"),
            "qué me falta del trabajo?",
            "las tablas ya están",
            "Tablas",
        ),
        (
            "レポートを仕上げる",
            ("グラフを差し替える", "部長に送る"),
            "レポートってあと何すればいいんだっけ",
            "グラフは差し替え済み",
            "グラフを差し替える",
        ),
        (
            "Entregar el trabajo",
            ("Tablas", "Portada"),
            "qué me falta del trabajo?",
            "las tablas no están",
            "",
        ),
    ],
)
async def test_a_step_of_the_one_just_told_is_ticked(
    alice: Client, title: str, steps: tuple[str, ...], asks: str, said: str, ticked: str
) -> None:
    await add(alice, title, steps=[{"title": one} for one in steps])
    say = Talk(alice).say
    assert steps[0] in await say(asks)
    await say(said)
    with_steps = await alice.ok("GET", "/os/todos", params={"includeSteps": True})
    held = next(one["steps"] for one in with_steps["result"]["todos"] if one["title"] == title)
    assert [one["title"] for one in held if one["completed"]] == ([ticked] if ticked else [])


@pytest.mark.anyio
async def test_a_reading_is_written_where_that_is_asked_politely_behind_it(alice: Client) -> None:
    where = await note(alice, "Suivi tension papa", "- 16/11 : 14,2 / 8,1\n- 18/11 : 13,8 / 7,9\n")
    await Talk(alice).say("tension de papa ce matin 13,9 / 8,0 tu peux noter dans le suivi ?")
    assert "13,9 / 8,0\n" in f"{await text_of(alice, where)}\n"
    before = await text_of(alice, where)
    await Talk(alice).say("tension de papa ce matin c'était 14,9 / 8,0 ?")
    assert await text_of(alice, where) == before


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("mach mir da n todo draus, freitag 17:30 jonte abholen", "jonte abholen"),
        ("y ponme para mañana mirar trenes a pamplona", "mirar trenes a pamplona"),
        ("mets-moi pour demain appeler la mutuelle", "appeler la mutuelle"),
    ],
)
async def test_a_todo_is_made_after_whatever_asks_for_one(
    alice: Client, said: str, title: str
) -> None:
    await Talk(alice).say(said)
    assert (await todos(alice))[title]["dueDate"]
