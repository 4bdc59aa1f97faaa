"""What is not asked for is not done: half sentences, questions, what is not done yet."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from app.agent.rules import message_route
from app.agent.rules.dialogue import references
from app.agent.turn.steps import Asked, Thing, Trace
from tests.conftest import Client
from tests.support.talks import Talk

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))


def asked(message: str, *earlier: Trace) -> Asked:
    return Asked(message, (), frozenset(), NOW, earlier=earlier)


@pytest.mark.parametrize(
    ("message", "intent", "arguments"),
    [
        ("Notieren Sie bitte: Brot ist da", "make_note", {"content": "Brot ist da"}),
        ("Miete überweisen, bitte als Aufgabe", "add_todo", {"task": "Miete überweisen"}),
        ("make a note called Plan with: a", "make_note", {"title": "Plan", "content": "a"}),
        ("can i put bread in it", "ask", None),
        ("can i see my todos", "list_todos", {}),
        ("apunta una tarea, limpiar el horno", "add_todo", {"task": "limpiar el horno"}),
        ("faut arroser les tomates tous les combien", "ask", None),
        ("faut arroser les tomates", "add_todo", {"task": "arroser les tomates"}),
        ("佐藤さんと電話、という予定をタスクに入れて", "add_todo", {"task": "佐藤さんと電話"}),
        ("新建笔记叫论文，内容是缺图", "make_note", {"title": "论文", "content": "缺图"}),
        ("新建笔记：买菜", "make_note", {"content": "买菜"}),
        ("每个月1号交房租，建个任务", "add_todo", {"task": "交房租 每个月1号"}),
        ("remove all my todos", "one_by_one", {}),
        ("lösche alle meine Aufgaben", "one_by_one", {}),
        ("supprime toutes mes tâches", "one_by_one", {}),
        ("borra todas mis tareas", "one_by_one", {}),
        ("删除我所有的待办", "one_by_one", {}),
        ("タスクを全部削除して", "one_by_one", {}),
        ("was kommt morgen auf mich zu", "list_todos", None),
        ("lösche alle", "one_by_one", {}),
        ("lösche Allergietest", "delete", {"target": "Allergietest"}),
    ],
)
def test_a_slot_takes_no_more_than_is_its_own(
    message: str, intent: str, arguments: dict[str, str] | None
) -> None:
    route = message_route.understand(asked(message))
    assert route.intent == intent
    assert arguments is None or route.arguments == arguments


@pytest.mark.parametrize(
    "message",
    ["et les tomates on les repique quand", "et fais-en deux : huile", "et où sont les œufs"],
)
def test_a_question_after_a_todo_adds_none(message: str) -> None:
    made = Trace(
        intent="add_todo", language="fr", about=(Thing("todo", 1, "x"),), undo=(("delete", {}),)
    )
    assert message_route.understand(asked(message, made)).intent != "add_todo"
    assert message_route.understand(asked("et des œufs aussi", made)).intent == "add_todo"


@pytest.mark.parametrize(
    ("message", "folder"),
    [
        ("and in the folder Home?", "Home"),
        ("und im Ordner Haus?", "Haus"),
        ("et dans le dossier Maison ?", "Maison"),
        ("¿y en la carpeta Casa?", "Casa"),
        ("那“家”文件夹里的呢？", "家"),
        ("じゃあ家フォルダーは？", "家"),
    ],
)
def test_a_list_of_notes_is_asked_again_of_another_folder(message: str, folder: str) -> None:
    route = message_route.understand(asked(message, Trace(intent="list_notes")))
    assert (route.intent, route.arguments) == ("list_notes", {"folder": folder})


def test_a_number_is_of_no_list_that_a_lost_turn_came_after() -> None:
    notes = Thing("note", 1, "Compost"), Thing("note", 2, "Tomatoes")
    listed = Trace(intent="list_notes", shown=notes)
    lost, thanks = Trace(intent="ask"), Trace(intent="thanks")

    def second(*earlier: Trace) -> references.Reference | None:
        return references.refer(asked("", *earlier), "the second one", ("note",), "en")

    assert second(thanks, listed) == references.Reference(notes[1:])
    assert second(lost, listed) == references.Reference((), notes)


@pytest.mark.parametrize(
    ("message", "intent", "arguments"),
    [
        ("eliminé el pasaporte", "ask", None),
        ("cambié la cena al viernes", "ask", None),
        ("elimine el pasaporte", "delete", {"target": "pasaporte"}),
        ("adelanta la cena dos horas", "change_todo", {"earlier": "yes", "by": "dos horas"}),
        ("agrega también regar las plantas", "add_todo", {"task": "regar las plantas"}),
        ("新建笔记 门锁，内容写 4471", "make_note", {"title": "门锁", "content": "4471"}),
        ("では「車検」を3月5日の期限でタスクに追加して", "add_todo", {"task": "車検 3月5日"}),
        ("家賃はそのままで、ガス代だけ明日に変更して", "change_todo", {"day": "明日"}),
        ("そこに「鍵」というメモを作って", "make_note", {"title": "鍵", "folder": "そこ"}),
        ("傘のやつは「青い傘を探す」って名前にして", "rename", {"title": "青い傘を探す"}),
    ],
)
def test_a_report_is_no_wish_and_words_around_a_name_are_not_in_it(
    message: str, intent: str, arguments: dict[str, str] | None
) -> None:
    route = message_route.understand(asked(message))
    assert route.intent == intent
    assert arguments is None or arguments.items() <= route.arguments.items()


def test_what_is_added_to_a_note_or_asked_of_it_goes_on_with_it() -> None:
    note = Thing("note", 1, "x")

    def after(intent: str, language: str, message: str) -> tuple[str, tuple[Thing, ...]]:
        done = Trace(intent=intent, language=language, about=(note,), undo=(("delete", {}),))
        route = message_route.understand(asked(message, done))
        return route.intent, route.things

    assert after("make_note", "es", "añade también un mapa para Eva") == ("append_note", (note,))
    assert after("append_note", "ja", "このメモいらない、消して") == ("delete", (note,))
    assert after("append_note", "ja", "いらない、消して")[0] == "undo"
    person = Trace(intent="unread", language="zh", about=(Thing("person", 2, "王芳"),))
    assert message_route.understand(asked("给她报的总价多少来着", person)).intent != "message"
    assert message_route.understand(asked("给她回周三发", person)).intent == "message"


@pytest.mark.anyio
async def test_questions_are_answered_by_what_they_are_about(alice: Client) -> None:
    for title in ("Pack for Lisbon", "Buy milk"):
        await alice.ok("POST", "/os/todos", status=201, json={"title": title})
    note = {"title": "Lisbon trip", "content": "Flight TP533 leaves on 3 December at 06:40."}
    await alice.ok("POST", "/os/notes", status=201, json=note)
    shopping = {"title": "Shopping list", "content": "- [ ] flour\n- [ ] eggs"}
    await alice.ok("POST", "/os/notes", status=201, json=shopping)

    async def say(message: str) -> str:
        body = {"message": message, "stream": False}
        return str((await alice.ok("POST", "/chat", json=body))["response"])

    assert "06:40" in await say("when do I fly to Lisbon?")
    assert await say("milk not bought yet") == "“Buy milk” is still open."
    assert "select several" in await say("delete all my todos")
    assert "flour" in await say("did we buy flour?")


@pytest.mark.parametrize(
    "message",
    [
        "move the bread to monday and the rent to thursday",
        "décale le pain à lundi et le loyer à jeudi",
        "mueve el pan al lunes y el alquiler al jueves",
    ],
)
def test_two_todos_with_a_day_each_are_moved_one_by_one(message: str) -> None:
    assert message_route.understand(asked(message)).intent == "one_at_a_time"
    assert (
        message_route.understand(asked("move the bread from monday to friday")).get("day")
        == "friday"
    )


@pytest.mark.anyio
async def test_a_wish_is_read_by_its_slots_before_it_is_a_title(alice: Client) -> None:
    for title in ("Pack the tent", "Brot holen", "Fotos an Tom schicken"):
        await alice.ok("POST", "/os/todos", status=201, json={"title": title})
    say = Talk(alice).say

    async def todos() -> list[str]:
        rows = (await alice.ok("GET", "/os/todos"))["result"]["todos"]
        return [row["title"] for row in rows]

    assert "Saved as [Hats](" in await say('new note "Hats": felt, straw')
    assert "Hats" in await say("häng den Tag sommer an die Notiz Hats")
    (note,) = (await alice.ok("GET", "/os/notes"))["notes"]
    assert note["tags"] == ["sommer"]

    assert "Which one" in await say("remind me of that on friday")
    assert "Added: the plumber" in await say("the plumber")

    await say("show my todos")
    assert "Which one" in await say("add pegs as a step there")
    assert "pegs as a step there" not in await todos()

    await say("brot hab ich geholt und die fotos an tom sind auch raus")
    assert {"Brot holen", "Fotos an Tom schicken"} <= set(await todos())

    await say("demain j'ai deux choses à faire : vélo, courses")
    made = await say("oui")
    assert made.count("Ajouté") == 2, made


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("title", "message"),
    [
        ("Feed the sourdough", "please don't delete the sourdough"),
        ("Sauerteig füttern", "lösch den sauerteig nicht"),
        ("Sauerteig füttern", "den sauerteig bloß nicht löschen, der bleibt!"),
        ("Nourrir le levain", "surtout n'efface pas le levain"),
        ("Alimentar la masa madre", "no borres la masa madre"),
        ("给酵母喂食", "酵母那个别删"),
        ("パン種に餌をやる", "パン種は消さないで"),
    ],
)
async def test_what_is_not_to_be_deleted_stays(alice: Client, title: str, message: str) -> None:
    await alice.ok("POST", "/os/todos", status=201, json={"title": title})
    await Talk(alice).say(message)
    rows = (await alice.ok("GET", "/os/todos"))["result"]["todos"]
    assert [row["title"] for row in rows] == [title]


@pytest.mark.anyio
async def test_what_is_needed_no_more_is_deleted_all_the_same(alice: Client) -> None:
    for title in ("Sauerteig füttern", "Milch holen"):
        await alice.ok("POST", "/os/todos", status=201, json={"title": title})
    await Talk(alice).say("ich brauch das mit dem sauerteig nicht mehr, lösch den sauerteig")
    rows = (await alice.ok("GET", "/os/todos"))["result"]["todos"]
    assert [row["title"] for row in rows] == ["Milch holen"]
