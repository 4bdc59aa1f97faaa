"""Who the agent is and whom it serves.

The owner's notes below Memory/Self/ in what a brain is told, and what the rules follow of them.
"""

from typing import Any

import pytest

from app.agent.memory import identity
from app.agent.memory.identity import CUT, FILES, cut_lines, owner_words
from app.agent.memory.persona import CALLED, HEAD, NOBODY, Persona, read_persona
from app.core.caller import Caller, Kind
from tests.conftest import Client, Served


async def said(client: Client, message: str) -> str:
    return str(
        (await client.ok("POST", "/chat", json={"message": message, "stream": False}))["response"]
    )


async def file(client: Client, title: str, content: str) -> Any:
    return await client.note(title, content, folderId=await client.folder("Memory/Self"))


def caller(kind: Kind = "key", *scopes: str) -> Caller:
    return Caller(user=1, user_id="", username="alice", kind=kind, scopes=scopes or ("*",))


@pytest.mark.anyio
async def test_the_notes_are_told_in_their_order_under_headings(
    served: Served, alice: Client
) -> None:
    assert owner_words(served.parts, caller()) == ""
    await file(alice, "USER.md", "Call me Ines.")
    await file(alice, "COO.md", "You are calm.\n")
    await file(alice, "HEARTBEAT.md", "Look at the mail.")
    await alice.note("POLICY.md", "Elsewhere.")
    assert (
        owner_words(served.parts, caller())
        == f"{HEAD}\n\n## Who you are (COO.md)\nYou are calm.\n\n## Whom you serve "
        "(USER.md)\nCall me Ines."
    )


@pytest.mark.anyio
async def test_a_change_is_told_at_once_and_a_trashed_note_no_more(
    served: Served, alice: Client
) -> None:
    note = await file(alice, "USER.md", "Call me Ines.")
    assert "Ines" in owner_words(served.parts, caller())
    await alice.ok(
        "PATCH",
        f"/os/notes/{note['id']}",
        json={"content": "Call me Ada.", "contentFormat": "markdown"},
    )
    assert "Ada" in owner_words(served.parts, caller())
    assert "Ines" not in owner_words(served.parts, caller())
    await alice.ok("DELETE", f"/os/notes/{note['id']}")
    assert owner_words(served.parts, caller()) == ""


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("who", "is_told"),
    [
        (caller(), True),
        (caller("session"), True),
        (caller("oauth", "os.notes:read"), True),
        (caller("heartbeat"), True),
        (caller("key", "agent.chat:run"), False),
        (caller("guest"), False),
        (caller("managed_agent"), False),
    ],
)
async def test_only_who_may_read_the_notes_and_speaks_for_their_owner_is_told(
    served: Served, alice: Client, who: Caller, is_told: bool
) -> None:
    await file(alice, "USER.md", "Call me Ines.")
    assert bool(owner_words(served.parts, who)) == is_told


@pytest.mark.anyio
async def test_the_notes_of_another_are_never_told(
    served: Served, alice: Client, bob: Client
) -> None:
    await served.command("connect_users", username="alice", contact="bob")
    await file(bob, "USER.md", "Call me Bob.")
    top = next(
        row["id"]
        for row in (await bob.ok("GET", "/os/folders"))["folders"]
        if row["name"] == "Memory"
    )
    await bob.ok("POST", f"/os/folders/{top}/share", json={"username": "alice", "role": "admin"})
    assert owner_words(served.parts, caller()) == ""


@pytest.mark.anyio
@pytest.mark.parametrize("characters", [300, 1_000, 6_000])
async def test_long_notes_are_cut_at_lines_and_stay_within_the_limit(
    served: Served, alice: Client, characters: int
) -> None:
    for number, one in enumerate(FILES):
        await file(alice, one.title, "\n".join(f"line {number} {line}" for line in range(5_000)))
    words = owner_words(served.parts, caller(), characters=characters)
    assert len(words) <= characters
    assert {
        line
        for line in words.splitlines()[1:]
        if line and line[0] != "#" and not line.startswith("line ")
    } <= {CUT}
    if characters == 6_000:
        assert len(words) > 5_500
        assert "line 0 0" in words
        assert words.endswith("line 3 4999")


@pytest.mark.anyio
async def test_what_one_note_leaves_the_others_may_take(served: Served, alice: Client) -> None:
    await file(alice, "COO.md", "Short.")
    await file(alice, "POLICY.md", "A rule.\n" * 5_000)
    assert len(owner_words(served.parts, caller())) > identity.CHARACTERS - 50


@pytest.mark.parametrize(
    ("text", "most", "kept", "left"),
    [
        ("a\nb\nc", 20, "beginning", "a\nb\nc"),
        ("", 10, "beginning", ""),
        ("first\nsecond\nthird", 12, "beginning", f"first\n{CUT}"),
        ("first\nsecond\nthird", 12, "end", f"{CUT}\nthird"),
        ("x" * 50, 12, "beginning", f"{'x' * 8}\n{CUT}"),
        ("x" * 50, 3, "end", ""),
    ],
)
def test_a_text_is_cut_at_a_line(text: str, most: int, kept: Any, left: str) -> None:
    assert cut_lines(text, most, kept) == left


@pytest.mark.parametrize(
    ("words", "stated"),
    [
        ("Call me Ines.", Persona(person="Ines")),
        ("- 2026-11-21: Call me Ines Vogel from now on", Persona(person="Ines Vogel")),
        ('My name is Ines. Call me "the boss".', Persona(person="the boss")),
        ("Bitte nenn mich Jörg, danke", Persona(person="Jörg")),
        ("Appelle-moi Zoé", Persona(person="Zoé")),
        ("Llámame Ana", Persona(person="Ana")),
        ("请叫我小明。", Persona(person="小明")),
        ("イネスと呼んでください", Persona(person="イネス")),
        ("Your name is Aria. Answer in German.", Persona(agent="Aria", language="de")),
        ("You are Aria, and careful", Persona(agent="Aria")),
        ("Réponds toujours en français.\nSois bref.", Persona(language="fr", brief=True)),
        ("Responde en español", Persona(language="es")),
        ("用中文回答", Persona(language="zh")),
        ("日本語で答えて", Persona(language="ja")),
        ("Please always answer in English. Be brief.", Persona(language="en", brief=True)),
        ("Don't call me Ines", NOBODY),
        ("Call me later.", NOBODY),
        ("Never be brief", NOBODY),
        ("You are a careful agent", NOBODY),
        ("I call German friends", NOBODY),
        ("", NOBODY),
    ],
)
def test_what_is_simply_stated_is_followed(words: str, stated: Persona) -> None:
    assert (
        read_persona(
            f"You are an agent.\n{HEAD}\n\n## Whom you serve (USER.md)\n{words}\nIt is now "
            "2026-11-21T09:30 (UTC)."
        )
        == stated
    )
    assert read_persona(words)._replace(agent="") == NOBODY


def test_the_settings_name_the_agent_where_its_owners_words_do_not() -> None:
    named = CALLED.format(name="Ada")
    assert read_persona(f"You are an agent.\n{named}") == Persona(agent="Ada")
    assert read_persona(f"You are an agent.\n{named}\n{HEAD}\nYour name is Aria.").agent == "Aria"


@pytest.mark.anyio
async def test_the_rules_use_names_language_and_brevity(alice: Client) -> None:
    assert await said(alice, "hello") == "Hello! What can I do for you?"
    await alice.ok("PATCH", "/account/settings", json={"agentName": "Ada"})
    assert (await said(alice, "who are you?")).startswith("I am Ada. ")
    await file(alice, "USER.md", "Nenn mich Ines. Antworte immer auf Deutsch.")
    assert await said(alice, "hello") == "Hallo Ines! Was kann ich für dich tun?"
    assert (await said(alice, "remind me to water the ferns tomorrow")).startswith(
        "Hinzugefügt: water the ferns, fällig Sonntag, 22. November"
    )


@pytest.mark.anyio
async def test_whoever_wants_it_brief_gets_one_quote(alice: Client) -> None:
    for place in ("north", "south"):
        await alice.note(f"The {place} tower", f"The {place} tower was painted by Otto.")
    assert (await said(alice, "Who painted the tower?")).count("— [") == 2
    await file(alice, "COO.md", "Be brief.")
    assert (await said(alice, "Who painted the tower?")).count("— [") == 1


@pytest.mark.anyio
async def test_a_turn_leaves_its_instructions_out_of_what_the_next_is_told(
    served: Served, alice: Client
) -> None:
    await file(alice, "USER.md", "Call me Ines. " * 50)
    await said(alice, "hello")
    assert b"Call me Ines" not in served.parts.glance(
        lambda tx: tx.value("SELECT history FROM turns")
    )


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("fact", "question", "told"),
    [
        (
            "Remember that my sister's birthday is on 4 May.",
            "What do you remember about my sister?",
            "my sister's birthday is on 4 May",
        ),
        (
            "Merk dir, dass Ines keine Nüsse verträgt",
            "Was weißt du noch über Ines?",
            "Ines keine Nüsse verträgt",
        ),
        (
            "Retiens que Zoé est allergique aux noix",
            "Te souviens-tu de Zoé ?",
            "Zoé est allergique aux noix",
        ),
        ("Recuerda que Ana no come nueces", "¿Qué recuerdas de Ana?", "Ana no come nueces"),
        ("记住小明不吃核桃", "你还记得小明的事吗？", "小明不吃核桃"),
        ("門の番号は4471だと覚えておいて", "門について何を覚えていますか？", "門の番号は4471"),
    ],
)
async def test_what_is_to_be_remembered_is_told_again_with_its_source(
    alice: Client, fact: str, question: str, told: str
) -> None:
    assert "MEMORY.md" in await said(alice, fact)
    body = await alice.ok("POST", "/chat", json={"message": question, "stream": False})
    assert told in body["response"]
    assert body["citations"][0]["title"] == "MEMORY.md"
    assert body["toolsUsed"] == ["memory_search", "get_note_content"]
    again = await said(alice, fact)
    assert again != await said(alice, "hello")
    assert (await alice.ok("GET", f"/os/notes/{body['citations'][0]['noteId']}"))["note"][
        "markdown"
    ].count(told) == 1


@pytest.mark.anyio
async def test_what_was_talked_about_is_told_with_its_day(
    served: Served, alice: Client, clock: Any
) -> None:
    assert (
        await said(alice, "What did we talk about yesterday?") == "I remember nothing about that."
    )
    clock.forward(days=30)
    await said(alice, "The boiler hums again")
    clock.forward(days=1)
    answer = await said(alice, "What did we talk about yesterday?")
    assert "- Monday, 21 December, The boiler hums again: The boiler hums again" in answer
    assert "What did we talk about" not in answer
    assert "boiler hums" in await said(alice, "did we talk about the boiler?")
    assert (
        await said(alice, "have we talked about Lisbon last year?")
        == "I remember nothing about that."
    )


@pytest.mark.anyio
async def test_without_the_scope_nothing_is_remembered_or_told(
    served: Served, alice: Client
) -> None:
    await said(alice, "Remember that the code is 4471.")
    async with served.client(
        await served.key("alice", ["agent.chat:run", "os.notes:read"])
    ) as limited:
        assert "memory_search" in await said(limited, "what do you remember about the code?")
        assert "memory_write" in await said(limited, "remember that the code is 9999")
        assert "4471" not in await said(limited, "what do you remember about the code?")
    assert len((await alice.ok("GET", "/os/notes", params={"recursive": True}))["notes"]) == 1
