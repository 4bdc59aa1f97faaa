"""Clauses that only tell why, how somebody feels or what is so, beside a wish."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from app.agent.rules.changes import asides, texts
from app.agent.rules.message_route import understand
from app.agent.turn.steps import Asked, Thing, Trace

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
CHANGED = Trace(
    intent="change_todo", about=(Thing("todo", 1, "Foo"),), undo=(("edit_todo", {"id": 1}),)
)


def left(message: str, language: str, *, after: Trace | None = None) -> str:
    """Return what is left of a message, after another turn where there was one."""
    earlier = (after,) if after else ()
    asked = Asked(message, (), frozenset({"search_todos"}), NOW, earlier=earlier)
    return asides.without(asked, language, understand).message


@pytest.mark.parametrize(
    ("language", "message", "wish"),
    [
        ("en", "delete the bicycle todo, it was stolen", "delete the bicycle todo"),
        ("en", "trip's off, delete pack for lisbon", "delete pack for lisbon"),
        ("en", "tedious. move the dentist to friday", "move the dentist to friday"),
        ("en", "pin the rota or i'll lose it", "pin the rota"),
        ("en", "what's on tomorrow? my head is killing me", "what's on tomorrow?"),
        ("de", "lösch das Fahrrad, das ist verkauft", "lösch das Fahrrad"),
        ("de", "lösch das Rad, die haben angerufen und abgesagt", "lösch das Rad"),
        ("de", "pinn die Liste an sonst vergess ich sie", "pinn die Liste an"),
        ("es", "el viaje se cancela, borra la nota Lisboa", "borra la nota Lisboa"),
        ("es", "mueve el dentista al lunes, no puedo con mi alma", "mueve el dentista al lunes"),
        ("fr", "supprime le vélo, on ne l'a plus", "supprime le vélo"),
        ("fr", "épingle la note sinon je la perds", "épingle la note"),
    ],
)
def test_a_clause_that_says_why_is_left_out(language: str, message: str, wish: str) -> None:
    assert left(message, language) == wish


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "delete milk, flour and eggs"),
        ("en", "move the bicycle to Friday, the passport is due on Monday"),
        ("en", "don't delete the bicycle, just move it to Sunday"),
        ("en", "pin the rota, i've paid the rent"),
        ("en", "tell Ben I'm late, he's waiting"),
        ("en", "note that the plumber comes, he has a key"),
        ("en", "the concert is off, delete it"),
        ("en", "no, it was the other one"),
        ("en", "boring, tiring"),
        ("de", "Fahrrad nicht löschen, nur auf Sonntag schieben"),
        ("de", "pinn das an, das Rad kann weg"),
        ("es", "borra la nota que me dijo Ana"),
        ("fr", "décale le dentiste, sinon supprime-le"),
    ],
)
def test_what_names_days_things_or_wishes_is_no_reason(language: str, message: str) -> None:
    assert left(message, language) == message


@pytest.mark.parametrize(
    ("language", "message", "wish"),
    [
        ("en", "push that to tomorrow, same time. shes out", "push that to tomorrow, same time"),
        ("en", "thursday i'm away, make it friday", "make it friday"),
        ("en", "scrap it, he goes by train", "scrap it"),
        ("de", "donnerstag bin ich weg, mach freitag draus", "mach freitag draus"),
        ("fr", "oups non il m'en reste, annule", "annule"),
        ("es", "deshaz eso que me he equivocado", "deshaz eso"),
    ],
)
def test_a_wish_of_the_turn_before_is_one_too(language: str, message: str, wish: str) -> None:
    assert left(message, language, after=CHANGED) == wish


def test_a_day_that_only_the_reason_has_is_kept() -> None:
    assert left("push that, he's back on friday", "en", after=CHANGED).endswith("on friday")


@pytest.mark.parametrize(
    ("language", "task", "title"),
    [
        ("en", "sort the shed at some point", "sort the shed"),
        ("en", "at some point", "at some point"),
        ("en", "play someday my prince will come", "play someday my prince will come"),
        ("de", "irgendwann mal den Keller streichen", "den Keller streichen"),
        ("fr", "vider le grenier un de ces quatre", "vider le grenier"),
        ("es", "vaciar el sótano algún día", "vaciar el sótano"),
    ],
)
def test_a_title_has_no_words_for_any_time(language: str, task: str, title: str) -> None:
    assert texts.without_vague(task, language) == title
