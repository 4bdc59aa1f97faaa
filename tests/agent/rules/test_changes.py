"""Wishes to change something, in words and orders that no pattern has."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from app.agent.quickadd import quickadd
from app.agent.rules.changes import readings
from app.agent.rules.changes.reused import reuse
from app.agent.turn.steps import Asked, Result, Step, Thing

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
NAMES = {
    "en": ("Renew passport", "Send drawings to Clara", "Shopping list", "Boiler", "Home"),
    "de": (
        "Reisepass verlängern",
        "Zeichnungen an Clara schicken",
        "Einkaufsliste",
        "Heizkessel",
        "Haus",
    ),
    "fr": (
        "Renouveler le passeport",
        "Envoyer les plans à Clara",
        "Liste de courses",
        "Chaudière",
        "Maison",
    ),
    "es": (
        "Renovar el pasaporte",
        "Enviar los planos a Clara",
        "Lista de la compra",
        "Caldera",
        "Casa",
    ),
    "zh": ("换护照", "把图纸发给李强", "购物清单", "锅炉", "家"),
    "ja": ("パスポートを更新する", "田中さんに図面を送る", "買い物リスト", "ボイラー", "家"),
}
PEOPLE = {"zh": "王芳", "ja": "佐藤"}


def things(language: str) -> list[Thing]:
    first, second, shopping, boiler, folder = NAMES[language]
    return [
        Thing("todo", 1, first),
        Thing("todo", 2, second),
        Thing("note", 3, shopping),
        Thing("note", 4, boiler),
        Thing("folder", 5, folder),
        Thing("person", 6, PEOPLE.get(language, "Ben")),
    ]


def read(language: str, message: str) -> list[tuple[str, dict[str, str], list[int]]]:
    asked = Asked(message, (), frozenset(), NOW)
    kinds = readings.kinds_of(asked, language)
    return [
        (one.intent, one.arguments, [thing.id for thing in one.things])
        for one in readings.read(asked, kinds, things(language), language)
    ]


@pytest.mark.parametrize(
    ("language", "message", "intent", "said"),
    [
        ("en", "take the passport up to high priority", "change_todo", {"priority": "high"}),
        ("en", "passport has to go to next Friday", "change_todo", {"target": "passport"}),
        (
            "en",
            "put down two todos: ring the bank, water the basil",
            "add_todo",
            {"tasks": "ring the bank\nwater the basil"},
        ),
        ("en", "let ben know that the quote is ready", "message", {"text": "the quote is ready"}),
        (
            "en",
            "on the shopping list put rice and lentils",
            "append_note",
            {"text": "rice and lentils"},
        ),
        (
            "en",
            "drawings: give them the steps measure sink, print plan",
            "add_step",
            {"step": "measure sink, print plan"},
        ),
        (
            "en",
            "the boiler note is to be called Heating from now on",
            "rename",
            {"title": "Heating"},
        ),
        ("en", "stick the boiler note in Home", "move_note", {"folder": "Home"}),
        (
            "de",
            "könntest du den reisepass bitte auf nächsten freitag legen",
            "change_todo",
            {"target": "reisepass", "day": "nächsten freitag"},
        ),
        ("de", "der reisepass ist durch, hak ihn ab", "complete_todo", {"words": "reisepass"}),
        (
            "de",
            "leg drei aufgaben an: bank anrufen, basilikum gießen und müll rausbringen",
            "add_todo",
            {"tasks": "bank anrufen\nbasilikum gießen\nmüll rausbringen"},
        ),
        (
            "de",
            "richte ben bitte aus, dass das angebot fertig ist",
            "message",
            {"text": "das angebot fertig ist"},
        ),
        (
            "de",
            "im ordner haus einen unterordner rezepte anlegen",
            "make_folder",
            {"folder": "rezepte", "inside": "Haus"},
        ),
        (
            "de",
            "bitte eine notiz mit dem titel Garage und dem text birnen liegen oben",
            "make_note",
            {"title": "Garage", "content": "birnen liegen oben"},
        ),
        (
            "fr",
            "tu pourrais décaler le passeport à vendredi",
            "change_todo",
            {"target": "passeport", "day": "vendredi"},
        ),
        (
            "fr",
            "les plans, ajoute-leur l'étape mesurer l'évier",
            "add_step",
            {"step": "mesurer l'évier"},
        ),
        (
            "fr",
            "la note Chaudière s'appellera désormais Chauffage",
            "rename",
            {"title": "Chauffage"},
        ),
        ("fr", "préviens Ben que le devis est prêt", "message", {"text": "le devis est prêt"}),
        (
            "es",
            "súbele la prioridad al pasaporte, alta",
            "change_todo",
            {"target": "pasaporte", "priority": "alta"},
        ),
        ("es", "los planos mejor el lunes", "change_todo", {"target": "planos"}),
        (
            "es",
            "en la lista de la compra mete arroz y lentejas",
            "append_note",
            {"text": "arroz y lentejas"},
        ),
        (
            "es",
            "dentro de Casa crea una carpeta Recetas",
            "make_folder",
            {"folder": "Recetas", "inside": "Casa"},
        ),
        ("zh", "麻烦把护照挪到下周五", "change_todo", {"target": "护照"}),
        (
            "zh",
            "帮我记三个待办：给银行打电话、浇花、倒垃圾",
            "add_todo",
            {"tasks": "给银行打电话\n浇花\n倒垃圾"},
        ),
        ("zh", "在家里建一个文件夹菜谱", "make_folder", {"folder": "菜谱", "inside": "家"}),
        ("zh", "购物清单里加上大米和扁豆", "append_note", {"text": "大米和扁豆"}),
        (
            "ja",
            "パスポートを来週の金曜にずらしてもらえますか",
            "change_todo",
            {"target": "パスポート"},
        ),
        ("ja", "買い物リストに米とレンズ豆を足して", "append_note", {"text": "米とレンズ豆"}),
        ("ja", "ボイラーのメモの名前を暖房に変えて", "rename", {"title": "暖房"}),
        ("ja", "佐藤さんに見積もりができたと伝えて", "message", {"text": "見積もりができた"}),
    ],
)
def test_a_change_is_read_from_its_words_in_any_order(
    language: str, message: str, intent: str, said: dict[str, str]
) -> None:
    found, arguments, _ = read(language, message)[0]
    assert found == intent
    assert said.items() <= arguments.items()


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "do not delete the passport"),
        ("en", "is the passport done?"),
        ("en", "what did I finish yesterday"),
        ("en", "open the boiler note"),
        ("de", "reisepass nicht löschen"),
        ("de", "ist der reisepass erledigt?"),
        ("fr", "ne supprime pas le passeport"),
        ("fr", "ouvre la note Chaudière"),
        ("es", "no borres el pasaporte"),
        ("es", "qué queda esta semana"),
        ("zh", "别删护照"),
        ("zh", "打开锅炉的笔记"),
        ("ja", "パスポートは消さないで"),
        ("ja", "パスポートは終わった？"),
        ("de", "kannst du mir eine aufgabe anlegen für ... ach vergiss es"),
        ("es", "ponme una tarea para... bah, déjalo"),
    ],
)
def test_what_denies_or_asks_is_no_change(language: str, message: str) -> None:
    assert read(language, message) == []


def test_a_name_that_several_have_is_left_open() -> None:
    asked = Asked("tag the clara note with work", (), frozenset(), NOW)
    clara = [Thing("note", 1, "Clara kitchen"), Thing("note", 2, "Clara bath")]
    (route,) = readings.read(asked, readings.kinds_of(asked, "en"), clara, "en")
    assert route.things == ()
    assert route.get("target") == "Clara kitchen, Clara bath"


def test_what_was_looked_up_is_not_looked_up_again() -> None:
    call = ("list_folders", {"limit": 1})
    given = Result(*call, content={"folders": []}, failed=False)
    asked = Asked("x", (given,), frozenset(), NOW)

    def act(part: Asked) -> Step:
        return Step("done") if part.has("list_folders") else Step(calls=(call, ("list_notes", {})))

    assert reuse(asked, act).calls == (("list_notes", {}),)
    both = (given, Result("list_notes", {}, {"notes": []}, failed=False))
    assert reuse(Asked("x", both, frozenset(), NOW), act).text == "done"


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("es", "dentista el martes que viene no, el siguiente"),
        ("de", "zahnarzt nächsten dienstag nein, den danach"),
        ("fr", "dentiste mardi prochain non, le suivant"),
        ("zh", "看牙医不是下周二，是再下周二"),
        ("ja", "歯医者 来週の火曜じゃなくて、その次"),
    ],
)
def test_a_day_that_is_taken_back_for_the_one_after_it_is_left_out(locale: str, text: str) -> None:
    assert quickadd.read_line(text, now=NOW, locale=locale).due is None


def test_a_chinese_hour_after_a_weekday_is_that_of_the_day() -> None:
    read = quickadd.read_line("跟老陈喝茶，周三三点", now=NOW, locale="zh")
    assert (read.title, read.due) == ("跟老陈喝茶", datetime(2026, 11, 25, 15, tzinfo=NOW.tzinfo))


def test_a_todo_list_of_several_has_no_todo_of_its_number() -> None:
    route, *_ = read("ja", "窓を拭く、父に手紙、の2つタスクに入れて")
    assert route[1] == {"tasks": "窓を拭く\n父に手紙"}


def test_a_spanish_report_is_no_change() -> None:
    assert read("es", "ya compré pan y llamé a Eva") == []
    assert read("es", "fijé la nota Caldera") == []
    made = read("es", "crea una nota que se llame Ideas en la carpeta Casa y pon: bufanda")[0]
    assert made[1] == {"content": "bufanda", "whole": "bufanda", "title": "Ideas", "folder": "Casa"}
