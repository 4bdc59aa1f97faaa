"""What is understood of messages about others, in six languages.

Whom one knows, whom to write to and what, and what only looks like it.
"""

from typing import Any

import pytest

from app.agent.rules import rules
from app.agent.rules.routing import routing
from app.agent.turn import looks
from app.agent.turn.steps import Asked, Result
from evaluation import routing as evaluation


@pytest.mark.parametrize(
    ("message", "who", "text"),
    [
        ("message Bob that I'm late", "Bob", "I'm late"),
        ("Tell Bob I'm late", "Bob", "I'm late"),
        ("text Bob: yes", "Bob", "yes"),
        ("let Bob know that we moved the meeting", "Bob", "we moved the meeting"),
        ("can you tell Bob that lunch is at 1?", "Bob", "lunch is at 1?"),
        ("send a message to Bob Miller: hi there, you", "Bob Miller", "hi there, you"),
        ("send Bob a message saying that I come", "Bob", "I come"),
        ("write to @bob_m that all is well", "@bob_m", "all is well"),
        ("reply to Bob that it works", "Bob", "it works"),
        ("send “on my way” to Bob", "Bob", "on my way"),
        ("message Bob: first line\nsecond line", "Bob", "first line\nsecond line"),
        ("send a message to Bob", "Bob", ""),
        ("message Bob", "Bob", ""),
        ("please tell Bob that I can't come", "Bob", "I can't come"),
        ("Sag Bob, dass ich nicht komme", "Bob", "ich nicht komme"),
        ("Schreib Bob: bis gleich", "Bob", "bis gleich"),
        ("Schick Bob eine Nachricht: hallo", "Bob", "hallo"),
        ("Teile Bob mit, dass es regnet", "Bob", "es regnet"),
        ("Gib Bob Bescheid, dass es regnet", "Bob", "es regnet"),
        ("Schicke bitte eine Nachricht an Bob: ja", "Bob", "ja"),
        ("Dis à Bob que je suis en retard", "Bob", "je suis en retard"),
        ("Envoie un message à Bob : j'arrive", "Bob", "j'arrive"),
        ("Préviens Bob qu'il pleut", "Bob", "il pleut"),
        ("Dile a Bob que llego tarde", "Bob", "llego tarde"),
        ("Envía un mensaje a Bob: hola", "Bob", "hola"),
        ("Mándale a Bob un mensaje: voy", "Bob", "voy"),
        ("告诉小王：我晚到", "小王", "我晚到"),
        ("告诉Bob我晚到", "Bob", "我晚到"),
        ("给小王发消息说我晚到", "小王", "我晚到"),
        ("田中さんに遅れると伝えて", "田中", "遅れる"),
        ("Bobに「遅れます」と伝えてください", "Bob", "遅れます"),
    ],
)
def test_a_message_to_someone_names_whom_and_what(message: str, who: str, text: str) -> None:
    found = routing.route_message(message)
    assert (found.intent, found.get("who"), found.get("text")) == ("message", who, text)


@pytest.mark.parametrize(
    ("message", "who", "text"),
    [
        ("ask Bob's agent when he is free", "Bob", "when he is free"),
        ("ask bob_coo: hi", "bob", "hi"),
        ("what does Bob's agent know about tomatoes?", "Bob", "about tomatoes?"),
        ("Frag Bobs Agenten, wann er Zeit hat", "Bob", "wann er Zeit hat"),
        ("Frage den Agenten von Bob: wann?", "Bob", "wann?"),
        ("Demande à l'agent de Bob quand il est libre", "Bob", "quand il est libre"),
        ("Pregunta al agente de Bob cuándo está libre", "Bob", "cuándo está libre"),
        ("问一下小王的代理什么时候有空", "小王", "什么时候有空"),
        ("田中さんのエージェントにいつ空いているか聞いて", "田中", "いつ空いているか"),
    ],
)
def test_a_question_to_anothers_agent_names_whose_and_what(
    message: str, who: str, text: str
) -> None:
    found = routing.route_message(message)
    assert (found.intent, found.get("who"), found.get("text")) == ("ask_agent", who, text)


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("who is in my network?", "en"),
        ("list my contacts", "en"),
        ("who do I know?", "en"),
        ("show me my connections", "en"),
        ("do I have any contact requests?", "en"),
        ("which groups am I in?", "en"),
        ("Wer ist in meinem Netzwerk?", "de"),
        ("Zeig mir meine Kontakte", "de"),
        ("neue Kontaktanfragen?", "de"),
        ("Qui est dans mon réseau ?", "fr"),
        ("montre-moi mes contacts", "fr"),
        ("¿Quién está en mi red?", "es"),
        ("muéstrame mis contactos", "es"),
        ("谁在我的网络里？", "zh"),
        ("显示我的联系人", "zh"),
        ("私のネットワークには誰がいますか", "ja"),
        ("連絡先の一覧", "ja"),
    ],
)
def test_a_question_for_the_network_is_one(message: str, language: str) -> None:
    found = routing.route_message(message)
    assert (found.intent, found.language) == ("network", language)


@pytest.mark.parametrize(
    ("message", "who"),
    [
        ("is Bob in my contacts?", "Bob"),
        ("find contact Ines", "Ines"),
        ("am I connected to Bob Miller?", "Bob Miller"),
        ("what can Bob see?", "Bob"),
        ("Ist Bob in meinem Netzwerk?", "Bob"),
        ("Suche den Kontakt Ines", "Ines"),
        ("est-ce que Bob est dans mes contacts ?", "Bob"),
        ("¿Está Bob en mis contactos?", "Bob"),
        ("小王在我的联系人里吗？", "小王"),
        ("田中さんは連絡先にいますか", "田中"),
    ],
)
def test_a_question_for_one_contact_names_them(message: str, who: str) -> None:
    found = routing.route_message(message)
    assert (found.intent, found.get("who")) == ("contact", who)


@pytest.mark.parametrize(
    ("message", "intent"),
    [
        ("don't message Bob that I'm late", "leave"),
        ("please do not tell Bob", "leave"),
        ("never share my agent", "leave"),
        ("Sag Bob nicht, dass ich komme", "leave"),
        ("Schick Bob keine Nachricht", "leave"),
        ("n'écris pas à Bob", "leave"),
        ("No le digas a Bob que llego", "leave"),
        ("不要告诉小王我晚到", "leave"),
        ("田中さんに伝えないでください", "leave"),
        ("can you send messages?", "help"),
        ("how do I message someone?", "help"),
        ("How can I share my agent?", "help"),
        ("Kannst du Nachrichten schicken?", "help"),
        ("Comment envoyer un message ?", "help"),
        ("¿Cómo envío un mensaje?", "help"),
        ("怎么发消息", "help"),
        ("メッセージの送り方", "help"),
        ("tell me that again", "ask"),
        ("let me know that", "ask"),
        ("tell me about Bob", "show_note"),
        ("who do I know in Berlin?", "ask"),
        ("Did I tell Bob that I moved?", "ask"),
        ("tell the team that we won", "ask"),
        ("告诉我密码", "ask"),
        ("What did Bob's agent say?", "ask"),
        ("who is in the garden club?", "ask"),
        ("what is the network password?", "ask"),
        ("todo: message Bob that x", "add_todo"),
        ("remind me to tell Bob that we moved", "add_todo"),
        ("note: tell Bob that", "make_note"),
        ("remember that Bob likes tea", "remember"),
        ("write a note to Bob: hi", "make_note"),
        ("write down: tell Bob", "make_note"),
        ("write me a poem about Bob", "cannot"),
        ("send an email to Ravi about the slides", "cannot"),
        ("text messages from Bob", "cannot"),
        ("Schreib mir ein Gedicht", "cannot"),
        ("message in a bottle", "cannot"),
    ],
)
def test_what_only_looks_like_a_message_is_none(message: str, intent: str) -> None:
    assert routing.route_message(message).intent == intent


FOLDERS = Result(
    "list_folders", {}, {"folders": [{"id": 7, "name": "Garden", "fileCount": 1}]}, failed=False
)


@pytest.mark.parametrize(
    ("message", "fields"),
    [
        ("share my agent with all my notes", {"scope": "all"}),
        (
            "share my agent with the folder Garden for a week",
            {"scope": "folders", "folderIds": [7], "expiresIn": "7d"},
        ),
        (
            "create a link to my agent with the folder “Garden” for 3 days, called Neighbours",
            {"scope": "folders", "folderIds": [7], "expiresIn": "24h", "label": "Neighbours"},
        ),
        (
            "Teile meinen Agenten mit dem Ordner Garden für einen Monat",
            {"scope": "folders", "folderIds": [7], "expiresIn": "30d"},
        ),
        (
            "partage mon agent avec toutes mes notes pour 2 heures",
            {"scope": "all", "expiresIn": "1h"},
        ),
        (
            "comparte mi agente con todas mis notas para siempre",
            {"scope": "all", "expiresIn": "never"},
        ),
        ("分享我的代理，所有笔记", {"scope": "all"}),
        ("エージェントを共有 フォルダーGarden", {"scope": "folders", "folderIds": [7]}),
    ],
)
def test_a_link_goes_as_far_as_was_said(message: str, fields: dict[str, Any]) -> None:
    step = rules.next_step(Asked(message, (FOLDERS,), evaluation.TOOLS, evaluation.NOW))
    assert step.calls == (("share_agent", fields),)


@pytest.mark.parametrize(
    "message",
    [
        "share my agent",
        "share my agent with Bob",
        "Teile meinen Agenten",
        "partage mon agent",
        "comparte mi agente",
    ],
)
def test_a_link_is_not_made_before_it_was_said_how_far(message: str) -> None:
    step = rules.next_step(Asked(message, (), evaluation.TOOLS, evaluation.NOW))
    assert all(tool.startswith(looks.LOOKS) for tool, _ in step.calls)
    assert step.text or step.calls


def test_a_folder_that_is_not_there_is_not_shared() -> None:
    step = rules.next_step(
        Asked("share my agent with the folder Cellar", (FOLDERS,), evaluation.TOOLS, evaluation.NOW)
    )
    assert "share_agent" not in {tool for tool, _ in step.calls}


def test_without_the_tool_nothing_is_promised() -> None:
    step = rules.next_step(
        Asked(
            "share my agent with all my notes",
            (),
            evaluation.TOOLS - {"share_agent"},
            evaluation.NOW,
        )
    )
    assert (step.calls, "share_agent" in step.text) == ((), True)
