"""What a peer or a guest is told by the rules.

Words meant for them and not for the owner, and when the owner has time.
"""

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.tools import ToolDefinition

from app.agent.memory.persona import HEAD, OTHER, Persona, read_persona
from app.agent.models.hybrid_model import HybridModel
from app.agent.models.rules_model import RulesModel
from app.agent.rules import rules
from app.agent.rules.phrases.phrases import language_of
from app.agent.rules.routing import routing
from app.agent.turn.steps import Asked, Result, Step
from evaluation import routing as evaluation
from tests.agent.memory.test_identity import file
from tests.conftest import Client, Served
from tests.network.test_guests import CALENDAR
from tests.network.test_messages import send
from tests.network.test_rpc import AGENT, grant
from tests.support.guests import ask, link

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
BEN = Persona(owner="Ben Carter", username="bcart")
LANGUAGES = ("en", "de", "fr", "es", "zh", "ja")
OWNERS_WORDS = (
    "`",
    "escalation",
    "skalation",
    "escalade",
    "escalación",
    "编号",
    "your ",
    "dein",
    "votre",
    "vos ",
    " tu ",
    "tus ",
    "你的",
    "あなた",
)


def step(
    message: str, *results: Result, persona: Persona = BEN, tools: frozenset[str] = evaluation.TOOLS
) -> Step:
    return rules.next_step(Asked(message, results, tools, NOW, persona=persona))


def gave(tool: str, content: dict[str, Any], *, failed: bool = False) -> Result:
    return Result(tool, {}, content, failed)


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("When are you free tomorrow?", "en"),
        ("Do you have time tomorrow at 9:30?", "en"),
        ("Is Ben busy tomorrow at 10?", "en"),
        ("is he still free on Friday", "en"),
        ("Is Ben Carter available next week?", "en"),
        ("Does Carter have time on Monday?", "en"),
        ("Hello, are you free tomorrow?", "en"),
        ("Could you tell me when bcart is free?", "en"),
        ("What's your availability?", "en"),
        ("Has Ben got time today?", "en"),
        ("Is Dr. Carter free tomorrow?", "en"),
        ("How busy are you tomorrow?", "en"),
        ("Bist du morgen frei?", "de"),
        ("Hast du morgen um 10 Zeit?", "de"),
        ("Ist Ben morgen um 10 Uhr beschäftigt?", "de"),
        ("Haben Sie am Montag Zeit?", "de"),
        ("Wann hat er morgen Zeit?", "de"),
        ("Ist Herr Carter morgen verfügbar?", "de"),
        ("Es-tu libre demain ?", "fr"),
        ("Êtes-vous libre demain à 10h ?", "fr"),
        ("Ben est-il libre demain ?", "fr"),
        ("Est-ce qu'elle est disponible demain ?", "fr"),
        ("Avez-vous du temps lundi ?", "fr"),
        ("Quand es-tu libre demain ?", "fr"),
        ("¿Estás libre mañana?", "es"),
        ("¿Está Ben ocupado mañana a las 10?", "es"),
        ("¿Cuándo está libre Ben?", "es"),
        ("¿Tienes tiempo mañana?", "es"),
        ("¿Está usted disponible el lunes?", "es"),
        ("你明天有空吗？", "zh"),
        ("Ben明天上午10点忙吗？", "zh"),
        ("您明天有没有时间？", "zh"),
        ("明日空いていますか？", "ja"),
        ("Benさんは明日忙しいですか？", "ja"),
        ("明日のご都合はいかがですか？", "ja"),
    ],
)
def test_others_ask_for_the_owners_time_by_you_he_she_and_name(message: str, language: str) -> None:
    found = routing.route_message(message, names=BEN.names)
    assert (found.intent, found.language) == ("free", language)
    ((tool, _),) = step(message).calls
    assert tool == "search_calendar_events"


@pytest.mark.parametrize(
    "message",
    [
        "Is Alice busy tomorrow?",
        "Is the gate free of rust?",
        "Have you got the wifi password?",
        "Are you a bot?",
        "Do you have the recipe?",
        "Hast du das Rezept?",
        "Hast du zur Zeit Tomaten im Garten?",
        "Hat Ben morgen einen Termin frei?",
        "As-tu la recette ?",
        "¿Tienes la receta?",
        "Ben的密码是什么",
        "今日は何曜日",
    ],
)
def test_what_only_sounds_like_it_is_none(message: str) -> None:
    assert routing.route_message(message, names=BEN.names).intent != "free"


@pytest.mark.parametrize(
    "message",
    [
        "When are you free tomorrow?",
        "Is Ben busy tomorrow at 10?",
        "Bist du morgen frei?",
        "¿Tienes tiempo mañana?",
    ],
)
def test_the_owner_is_understood_as_before(message: str) -> None:
    assert routing.route_message(message).intent == "ask"


def test_names_of_any_kind_are_taken_as_they_are() -> None:
    odd = Persona(owner="A. (B) [C* {who}", username="abc")
    assert (
        routing.route_message("is A. (B) [C* {who} free tomorrow?", names=odd.names).intent
        == "free"
    )
    assert routing.route_message("is abc free tomorrow?", names=odd.names).intent == "free"
    assert Persona().names == ()


def test_who_asks_stands_above_the_owners_words_alone() -> None:
    line = OTHER.format(name="Ben (@home) Carter", username="bcart")
    words = "Call me Benny. Answer in German."
    told = read_persona(
        f"You are an agent.\n{line}\n{HEAD}\n{words}\nIt is now 2026-11-21T09:30 (UTC)."
    )
    assert told == Persona(language="de", owner="Ben (@home) Carter", username="bcart")
    assert read_persona(f"You are an agent.\n{HEAD}\n{words}\n{line}").owner == ""


ROWS = [
    {
        "source": "calendar",
        "title": "Busy",
        "start": "2026-11-22T10:00:00Z",
        "end": "2026-11-22T11:00:00Z",
        "allDay": False,
        "when": "2026-11-22 10:00–11:00",
        "location": None,
        "calendar": None,
    }
]
WHOLE_DAY = {
    **ROWS[0],
    "start": "2026-11-22",
    "end": "2026-11-23",
    "allDay": True,
    "when": "2026-11-22",
}


@pytest.mark.parametrize(
    ("rows", "message", "beginning"),
    [
        (
            ROWS,
            "Is Ben busy tomorrow at 10?",
            "Ben Carter is busy (Sunday, 22 November 10:00–11:00):\n"
            "- Sunday, 22 November 10:00–11:00\nFree "
            "that day: ",
        ),
        (
            ROWS,
            "Ist Ben morgen um 10 Uhr beschäftigt?",
            "Ben Carter hat keine Zeit (Sonntag, 22. November 10:00–11:00):\n"
            "- Sonntag, 22. November 10:00–11:00\nFrei",
        ),
        (
            ROWS,
            "Ben est-il libre demain à 10h ?",
            "Ben Carter n'est pas libre (dimanche 22 novembre 10:00–11:00) :\n",
        ),
        (
            ROWS,
            "¿Está Ben libre mañana a las 10?",
            "Ben Carter no está libre (domingo 22 de noviembre 10:00–11:00):\n",
        ),
        (ROWS, "Ben明天上午10点有空吗？", "Ben Carter 没空（11月22日星期日 10:00–11:00）：\n"),
        (
            ROWS,
            "明日の10時に空いていますか？",
            "Ben Carter さんは予定があります（11月22日（日曜日） 10:00–11:00）：\n",
        ),
        (
            ROWS,
            "Do you have time tomorrow at 14:00?",
            "Ben Carter is free: Sunday, 22 November 14:00–15:00.",
        ),
        (
            ROWS,
            "Hast du morgen um 14 Uhr Zeit?",
            "Ben Carter hat Zeit: Sonntag, 22. November 14:00–15:00.",
        ),
        (
            [WHOLE_DAY],
            "When are you free tomorrow?",
            "Ben Carter is busy (Sunday, 22 November):\n- Sunday, 22 November",
        ),
        ([], "When are you free tomorrow?", "Ben Carter is free: Sunday, 22 November."),
    ],
)
def test_the_answer_is_about_the_owner_and_names_no_more_than_times(
    rows: list[Any], message: str, beginning: str
) -> None:
    text = step(message, gave("search_calendar_events", {"events": rows, "total": len(rows)})).text
    assert text.startswith(beginning)
    assert "Busy" not in text
    assert ("Free that day" in text) == (rows == ROWS and beginning.endswith("Free that day: "))


@pytest.mark.parametrize("beside_a_model", [False, True])
async def test_rules_in_place_of_a_model_learn_from_its_instructions_who_asks(
    beside_a_model: bool,
) -> None:
    told = f"You are an agent.\n{OTHER.format(name=BEN.owner, username=BEN.username)}"
    messages: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart("Is Ben busy tomorrow at 10?")], instructions=told),
        ModelResponse(parts=[ToolCallPart("search_calendar_events", {}, tool_call_id="1")]),
        ModelRequest(
            parts=[
                ToolReturnPart(
                    "search_calendar_events", {"events": ROWS, "total": 1}, tool_call_id="1"
                )
            ],
            instructions=told,
        ),
    ]
    rules = RulesModel(NOW)
    model = FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart("a model's words")]))
    offered = ModelRequestParameters(function_tools=[ToolDefinition(name="search_calendar_events")])
    answer = await (HybridModel(model, rules, fit=list) if beside_a_model else rules).request(
        messages, None, offered
    )
    assert str(answer.text).startswith("Ben Carter is busy (Sunday, 22 November 10:00–11:00):")


def test_the_owner_is_told_as_before() -> None:
    row = {**ROWS[0], "title": "Dentist", "calendar": "Private"}
    text = step(
        "am I free tomorrow at 10?",
        gave("search_calendar_events", {"events": [row], "total": 1}),
        persona=Persona(),
    ).text
    assert text.startswith(
        "No, something is planned (Sunday, 22 November 10:00–11:00):\n"
        "- Sunday, 22 November 10:00–11:00: Dentist\n"
    )


EMPTY = [
    Result(
        "search_notes", {"query": words}, {"results": [], "result": {"results": []}}, failed=False
    )
    for words in ("key shed", "shed")
]
NOTES = gave("list_notes", {"notes": [{"id": 1, "title": "Leeks"}], "totalNotes": 1})
FOLDERS = gave("list_folders", {"folders": [{"id": 1, "name": "Garden", "fileCount": 1}]})
WAITS = gave("create_note", {"escalationId": 77}, failed=True)
REFUSED = gave(
    "create_note",
    {"message": "The grant that this was asked by does not include create_note."},
    failed=True,
)
MADE = {
    "en": "write a note: leeks",
    "de": "Schreib eine Notiz: Lauch",
    "fr": "note : poireaux",
    "es": "nota: puerros",
    "zh": "笔记：韭葱",
    "ja": "メモ：ネギ",
}
ASKED = {
    "en": "Where is the key of the shed?",
    "de": "Wo ist der Schlüssel zum Schuppen?",
    "fr": "Où est la clé de la cabane ?",
    "es": "¿Dónde está la llave del cobertizo?",
    "zh": "仓库的钥匙在哪里？",
    "ja": "倉庫の鍵はどこですか？",
}
LISTED = {
    "en": "list my notes",
    "de": "Zeig meine Notizen",
    "fr": "liste mes notes",
    "es": "lista mis notas",
    "zh": "列出笔记",
    "ja": "メモの一覧",
}
PLACES = {
    "en": "list my folders",
    "de": "Zeig meine Ordner",
    "fr": "liste mes dossiers",
    "es": "lista mis carpetas",
    "zh": "列出文件夹",
    "ja": "フォルダー一覧",
}
HELP = {"en": "help", "de": "Hilfe", "fr": "aide", "es": "ayuda", "zh": "帮助", "ja": "ヘルプ"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("said", "results"),
    [
        (MADE, [WAITS]),
        (MADE, [REFUSED]),
        (ASKED, EMPTY),
        (LISTED, [NOTES]),
        (PLACES, [FOLDERS]),
        (HELP, []),
        (ASKED, []),
    ],
    ids=["waits", "refused", "nothing", "notes", "folders", "help", "not offered"],
)
def test_others_hear_of_the_owner_by_name_and_of_no_tool(
    said: dict[str, str], results: list[Result], language: str
) -> None:
    message = said[language]
    tools = evaluation.TOOLS if results else frozenset[str]()
    text, owners = (
        step(message, *results, persona=one, tools=tools).text for one in (BEN, Persona())
    )
    assert "Ben Carter" in text
    assert text != owners
    assert "77" not in text
    assert not [words for words in (*OWNERS_WORDS, *evaluation.TOOLS) if words in text.lower()], (
        text
    )
    assert "Ben Carter" not in owners
    assert language_of(message) in (language, "en")


@pytest.mark.parametrize(
    "message",
    [
        "complete the todo leeks",
        "pin the note leeks",
        "move the note leeks to Garden",
        "add eggs to my note groceries",
        "message Bob",
        "share my agent",
        "ask Bob's agent when he is free",
        "who is in my network?",
        "remember that I like tea",
        "todo: eggs",
    ],
)
def test_what_others_may_not_is_said_at_once_and_plainly(message: str) -> None:
    found = step(
        message,
        tools=frozenset({"search_notes", "search_todos", "get_note_content", "list_folders"}),
    )
    said = "I may not do that for you; Ben Carter decides what I may do and tell here."
    assert (found.text, found.calls) == (said, ())


def test_what_others_want_recalled_is_asked_of_the_notes() -> None:
    notes = frozenset({"search_notes"})
    ((tool, _),) = step("do you remember anything about the shed?", tools=notes).calls
    assert tool == "search_notes"


async def test_a_peer_is_told_of_the_owner(served: Served, alice: Client, bob: Client) -> None:
    note = await alice.note("Groceries", "- bread\n")
    await alice.ok("PATCH", "/account/settings", json={"name": "Alice Vogel"})
    await alice.ok(
        "POST",
        "/tools/integrations",
        status=201,
        json={"kind": "ics", "name": "Private", "content": CALENDAR.replace("\n", "\r\n")},
    )
    await grant(
        served,
        alice,
        bob,
        {
            **AGENT,
            "notesAccess": {"scope": "all", "access": "edit"},
            "calendarAccess": {"read": "free_busy"},
        },
    )

    async def told(message: str) -> str:
        return str((await send(bob, "alice_coo", message))["response"])

    assert await told("add eggs to the note Groceries") == "That waits for Alice Vogel's yes."
    (waiting,) = (await alice.ok("GET", "/escalations"))["escalations"]
    assert waiting["toolName"] == "edit_note"
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"] == "- bread\n"
    assert (
        await told("todo: eggs")
        == "I may not do that for you; Alice Vogel decides what I may do and tell here."
    )
    assert (
        await told("where is the zeppelin hangar?")
        == "I found nothing about that in Alice Vogel's notes, as far as they are open to you."
    )
    busy = await told("Is Alice busy on 2026-11-23 at 10?")
    assert busy.startswith(
        "Alice Vogel is busy (Monday, 23 November 10:00–11:00):\n"
        "- Monday, 23 November 10:00–11:00\nFree that day: "
    )
    assert (
        await told("Do you have time on 2026-11-23 at 14:00?")
        == "Alice Vogel is free: Monday, 23 November 14:00–15:00."
    )
    for message in (
        "When are you free on 2026-11-23?",
        "What is in the calendar on 2026-11-23?",
        "Wann ist Alice am 2026-11-23 frei?",
    ):
        answer = await told(message)
        assert "10:00–11:00" in answer
        assert not {"Doctor", "knee", "Clinic", "Private"} & set(answer.replace(":", " ").split())


async def test_a_guest_is_told_of_the_owner_and_not_greeted_as_them(
    alice: Client, stranger: Client
) -> None:
    await alice.ok(
        "POST",
        "/tools/integrations",
        status=201,
        json={"kind": "ics", "name": "Private", "content": CALENDAR.replace("\n", "\r\n")},
    )
    await file(alice, "USER.md", "Call me Captain.")
    made = await link(alice, access="read_calendar")

    async def told(message: str) -> str:
        return str((await ask(stranger, made, message))["response"])

    assert await told("hello") == "Hello! What can I do for you?"
    assert (await told("Bist du am 2026-11-23 um 10 Uhr frei?")).startswith(
        "alice hat keine Zeit (Montag, 23. November 10:00–11:00):\n"
        "- Montag, 23. November 10:00–11:00\n"
    )
    assert (
        await told("share my agent")
        == "I may not do that for you; alice decides what I may do and tell here."
    )
    closed = await ask(stranger, await link(alice), "are you free tomorrow?")
    assert (
        closed["response"]
        == "I may not do that for you; alice decides what I may do and tell here."
    )


async def test_who_may_not_see_the_calendar_is_answered_from_the_notes_that_they_may_read(
    alice: Client, stranger: Client
) -> None:
    await alice.note(
        "Street party", "The next meeting of the street party is on Friday at noon in the park."
    )
    closed = await link(alice)
    answer = (await ask(stranger, closed, "When is the next meeting of the street party?"))[
        "response"
    ]
    assert "Friday at noon" in answer
    nothing = (await ask(stranger, closed, "What is on the calendar tomorrow?"))["response"]
    assert nothing == "I may not do that for you; alice decides what I may do and tell here."


async def test_ones_own_agent_speaks_to_its_owner(alice: Client) -> None:
    assert (await send(alice, "alice_coo", "where is the zeppelin hangar?"))[
        "response"
    ] == "I found nothing about that in your notes."
