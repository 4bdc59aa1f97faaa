"""Conversations by rules: what refers to the turns before, what is taken back, what is asked."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.agent.rules.dialogue import given_context, references, repairs
from app.agent.rules.routing import routing
from app.agent.turn.steps import Asked, Result, Thing, ThingKind, Trace
from app.agent.turn.traces import trace_of
from evaluation import dialogues
from tests.conftest import Client, MovableClock, Served
from tests.support.talks import said

TODOS: tuple[ThingKind, ...] = ("todo",)
NOTES: tuple[ThingKind, ...] = ("note",)
NOW = datetime(2026, 11, 23, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
MILK, WATER, POWER = (
    Thing("todo", number, title)
    for number, title in enumerate(("Buy milk", "Pay the water bill", "Pay the power bill"), 1)
)


def asked(message: str = "", *earlier: Trace) -> Asked:
    return Asked(message, (), frozenset(), NOW, earlier=earlier)


LEAST = {"de": 0.91, "en": 0.935, "es": 0.95, "fr": 0.93, "ja": 0.93, "zh": 0.905}
"""The share of turns that were right when this was written, a little rounded down; of the others
nearly all are rightly asked.
"""


@pytest.mark.parametrize("language", LEAST)
def test_conversations_go_as_well_as_they_did(language: str) -> None:
    # what is rightly asked counts nowhere, so no dialogue need be had again to find that out
    turns = dialogues.turns(asked_again=False, language=language)
    share = sum(turn.right for turn in turns) / len(turns)
    told = "\n".join(dialogues.misses(asked_again=False, language=language))
    # what follows a question that got no yes here is another conversation
    first_other = {turn.dialogue: turn.number for turn in reversed(turns) if not turn.right}
    begun = [one for one in turns if one.number <= first_other.get(one.dialogue, one.number)]
    assert not any(turn.wrong for turn in begun), told
    assert share >= LEAST[language], told


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("the second one", [WATER]),
        ("the last one", [POWER]),
        ("number 3", [POWER]),
        ("the milk one", [MILK]),
        ("the water bill", [WATER]),
        ("all of them", [MILK, WATER, POWER]),
        ("die zweite", [WATER]),
        ("la deuxième", [WATER]),
        ("la última", [POWER]),
        ("toutes", [MILK, WATER, POWER]),
        ("todas", [MILK, WATER, POWER]),
    ],
)
def test_words_mean_what_was_listed_last(words: str, meant: list[Thing]) -> None:
    listed = Trace(shown=(MILK, WATER, POWER))
    found = references.refer(asked(words, listed), words, TODOS, "en")
    assert found is not None
    assert list(found.things) == meant


def test_what_could_mean_several_is_unsure_and_what_means_nothing_is_none() -> None:
    listed = Trace(shown=(MILK, WATER, POWER))
    found = references.refer(asked("it", listed), "it", TODOS, "en")
    assert found == references.Reference((), (MILK, WATER, POWER))
    bills = references.refer(asked("the bill", listed), "the bill", TODOS, "en")
    assert bills == references.Reference((), (WATER, POWER))
    assert references.refer(asked("it"), "it", TODOS, "en") == references.Reference()
    assert references.refer(asked("cake", listed), "cake", TODOS, "en") is None
    assert references.refer(asked("it", listed), "it", NOTES, "en") == references.Reference()


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ("remind me to call Tom on Monday, I mean Tuesday", "remind me to call Tom Tuesday"),
        ("call Tom on Monday, no wait, on Friday at 5pm", "call Tom on Friday at 5pm"),
        ("add buy bread tomorrow, no wait, do not add anything", None),
        ("add a todo to feed the cat, wait no, forget it", None),
        ("füge Butter kaufen hinzu, ach nein, doch nicht", None),
        ("ajoute du beurre, euh non, n'ajoute rien", None),
        ("añade mantequilla, espera, no añadas nada", None),
        ("tell Ben that I said no, wait for me", "tell Ben that I said no, wait for me"),
        ("buy milk", "buy milk"),
    ],
)
def test_what_is_taken_back_is_not_meant(message: str, meant: str | None) -> None:
    repaired = repairs.repair(asked(message), message, "en")
    assert (None if repaired.takes_back else repaired.message) == meant


@pytest.mark.parametrize(
    ("message", "intent", "target"),
    [
        ('rename "Book a table" to "Book a table for 6"', "rename", "Book a table"),
        ('add the step "buy a tube to go" to Repair the bicycle', "add_step", "Repair the bicycle"),
        ("supprime la tâche Réparer le vélo", "delete", "Réparer le vélo"),
        ("supprime la tache reparer le velo", "delete", "reparer le velo"),
        ("faut-il supprimer la note ?", "ask", ""),
        ("je ne veux pas supprimer la note", "leave", ""),
        ("mes factures sont payées ?", "todo_state", ""),
        ("décale le dentiste à vendredi", "change_todo", "dentiste"),
        ("est-ce que je peux décaler le dentiste à vendredi ?", "ask", ""),
        ("mets-la dans Maison", "move_note", "la"),
        ("supprime toutes mes notes", "one_by_one", ""),
        ("borra la tarea Arreglar la bicicleta", "delete", "Arreglar la bicicleta"),
        ("aplaza la cita al miércoles", "change_todo", "cita"),
        ("aplaza la cita al miercoles", "change_todo", "cita"),
        ("¿puedo mover la cita al viernes?", "ask", ""),
        ("¿has marcado la leche?", "ask", ""),
        ("no lo borres", "leave", ""),
        ("las facturas están pagadas?", "ask", ""),
        ("muévela a Casa", "move_note", "la"),
        ("borra todas mis notas", "one_by_one", ""),
    ],
)
def test_wishes_are_known_and_questions_are_none(message: str, intent: str, target: str) -> None:
    found = routing.route_message(message)
    assert (found.intent, found.get("target")) == (intent, target)


@given(st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_no_message_breaks_the_reading_of_dialogues(message: str) -> None:
    repairs.repair(asked(message), message, "en")
    given_context.unwrap(message, "en")
    references.refer(asked(message, Trace(shown=(MILK, WATER))), message, TODOS, "de")


@pytest.mark.parametrize(
    ("prompt", "question", "context", "otherwise"),
    [
        ("Rules.\nQuestion: Who?\nAnswer:", "Who?", "", ""),
        ("Context: The sky is blue.\nUser: What colour?", "What colour?", "The sky is blue.", ""),
        ("START\nA.\nB.\nEND\nQuery: Which?", "Which?", "A.\nB.", ""),
        (
            'Say exactly "NOT FOUND" if it is not there.\nText:\nPlums are blue.\nQuestion: Who?',
            "Who?",
            "Plums are blue.",
            "NOT FOUND",
        ),
        ("Visitor: hello\nAssistant: Hi!\nVisitor: how much is it?", "how much is it?", "", ""),
    ],
)
def test_a_prompt_around_a_question_is_taken_apart(
    prompt: str, question: str, context: str, otherwise: str
) -> None:
    assert given_context.unwrap(prompt, "en") == (question, context, otherwise)


def test_what_a_model_did_can_be_referred_to_and_taken_back() -> None:
    listed = Result("search_todos", {}, {"todos": [{"id": 1, "title": "Buy milk"}]}, failed=False)
    todo = {"id": 1, "title": "Buy milk", "updatedAt": "now"}
    done = Result("complete_todo", {"id": 1}, {"todo": todo}, failed=False)
    refused = Result("create_todo", {"title": "x"}, {"message": "no"}, failed=True)
    trace = trace_of([listed, done, refused])
    assert (trace.shown, trace.about) == ((MILK,), (MILK,))
    assert trace.undo == (("edit_todo", {"id": 1, "completed": False}),)
    assert trace.marks == (("todo", 1, "now"),)


@pytest.mark.anyio
async def test_what_was_deleted_meanwhile_is_no_more_referred_to(alice: Client) -> None:
    made = await said(alice, "todo: buy milk")
    ((todo),) = (await alice.ok("GET", "/os/todos"))["result"]["todos"]
    await alice.ok("DELETE", f"/os/todos/{todo['id']}")
    answer = await said(alice, "mark it as done", made["conversationId"])
    assert "Done" not in answer["response"]
    assert (await alice.ok("GET", "/os/todos"))["result"]["todos"] == []


@pytest.mark.anyio
async def test_undo_takes_back_one_change_and_not_the_one_before_it(alice: Client) -> None:
    talk = (await said(alice, "todo: buy milk"))["conversationId"]
    await said(alice, "todo: buy bread", talk)
    assert "buy bread" in (await said(alice, "undo", talk))["response"]
    again = (await said(alice, "undo", talk))["response"]
    assert again == "There is nothing here to take back."
    todos = (await alice.ok("GET", "/os/todos"))["result"]["todos"]
    assert [todo["title"] for todo in todos] == ["buy milk"]


@pytest.mark.anyio
async def test_an_edit_that_is_undone_is_what_it_was(alice: Client) -> None:
    note = (await alice.note("List", "- eggs\n- flour\n"))["id"]
    talk = (await said(alice, "add milk to the note List"))["conversationId"]
    path = f"/os/notes/{note}"
    assert (await alice.ok("GET", path))["note"]["markdown"] == "- eggs\n- flour\n- milk\n"
    await said(alice, "undo that", talk)
    assert (await alice.ok("GET", path))["note"]["markdown"] == "- eggs\n- flour\n"


@pytest.mark.anyio
async def test_what_somebody_changed_since_is_not_taken_back(
    alice: Client, clock: MovableClock
) -> None:
    note = (await alice.note("List", "- eggs\n"))["id"]
    talk = (await said(alice, "add milk to the note List"))["conversationId"]
    path = f"/os/notes/{note}"
    await alice.ok("PATCH", path, json={"content": "- cheese\n", "contentFormat": "markdown"})
    answer = (await said(alice, "undo", talk))["response"]
    assert answer == "List was changed since, so I took nothing back."
    assert (await alice.ok("GET", path))["note"]["markdown"] == "- cheese\n"
    talk = (await said(alice, "todo: buy bread"))["conversationId"]
    await said(alice, "make it urgent", talk)
    (todo,) = (await alice.ok("GET", "/os/todos"))["result"]["todos"]
    clock.forward(minutes=1)
    await alice.ok("PATCH", f"/os/todos/{todo['id']}", json={"priority": 2})
    assert "changed since" in (await said(alice, "undo", talk))["response"]
    (todo,) = (await alice.ok("GET", "/os/todos"))["result"]["todos"]
    assert todo["priority"] == 2


@pytest.mark.anyio
async def test_the_answer_to_which_one_names_what_was_meant(alice: Client) -> None:
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Buy milk"})
    asked_back = await said(alice, "mark it as done")
    assert asked_back["response"] == "Which one do you mean?"
    answer = await said(alice, "the milk", asked_back["conversationId"])
    assert answer["response"] == "Done: Buy milk."


@pytest.mark.anyio
async def test_what_one_wrote_oneself_is_no_message_of_the_other(
    served: Served, alice: Client, bob: Client
) -> None:
    await served.command("connect_users", username="alice", contact="bob")
    await alice.ok("POST", "/agent/message", json={"to": "bob", "message": "from alice"})
    await bob.ok("POST", "/agent/message", json={"to": "alice", "message": "from bob"})
    answer = (await said(alice, "what did bob write?"))["response"]
    assert ("from bob" in answer, "from alice" in answer) == (True, False)
