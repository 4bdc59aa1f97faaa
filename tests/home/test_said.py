"""What operations say in English, told in German where the person's home is German."""

import re
from typing import Any

import msgspec
import pytest

from app.agent.heartbeat import run_sentences
from app.agent.heartbeat.act import act
from app.agent.heartbeat.records import run_rows
from app.agent.models import guarded_model, probe, trials
from app.agent.models.guarded_stream import Stuck
from app.agent.models.model_rows import Configured, Found
from app.interfaces.languages.said import said
from app.interfaces.languages.words import words_of
from app.tools.approvals import policy
from app.webhooks import event_types
from tests.conftest import Client

GERMAN = words_of("de")


def told(text: str) -> str:
    """Give a sentence in German; fail where it stays what it was."""
    found = said(GERMAN, text)
    assert found != text, text
    return found


def test_sentences_are_put_together_of_what_they_hold() -> None:
    assert told("You have 2 overdue todos, 1 todo due today and 3 events today.") == (
        "Du hast 2 überfällige Aufgaben, 1 Aufgabe für heute und 3 Termine heute."
    )
    assert told("Overdue 3 days, top priority, consequential.") == (
        "3 Tage überfällig, höchste Priorität, folgenreich."
    )
    assert told("“Plan and 2 todos due today” is due tomorrow at 09:00.") == (
        "„Plan and 2 todos due today“ ist fällig: morgen um 09:00."
    )
    assert told("5 done or told, 1 failed.") == "5 getan oder gesagt, 1 misslungen."
    assert said(GERMAN, "Buy milk and bread.") == "Buy milk and bread."
    assert told("Late and less important: “Answer Priya”, “Ben's roller”.") == (
        "Zu spät und weniger wichtig: „Answer Priya“, „Ben's roller“."
    )
    assert told("ben's agent has waited for an answer since today: “Hi”").startswith(
        "Der Agent von ben wartet"
    )
    assert said(words_of("en"), "Nothing new.") == "Nothing new."


def test_what_rules_can_say_is_known_whole() -> None:
    for sentence in [*run_rows.SKIPPED.values(), run_rows.INTERRUPTED, act.REASON, act.TAINTED]:
        told(sentence)
    for event in event_types.EVENTS.values():
        told(event.description)
    for one, several in run_sentences.NOUNS.values():
        told(f"1 {one}")
        told(f"2 {several}.")
    for words in run_sentences.WORDS.values():
        told(f"3 {words}.")
    for column, row in policy.TABLE.items():
        for risk, verdict in row.items():
            asked = policy.Asked(column, "x", risk)
            for decision in policy._decisions_of_rules(asked):
                if verdict == "ask":
                    told(decision.reason)


def test_what_a_test_of_a_model_says_is_known_whole() -> None:
    for trial in (*trials.CALLING, *trials.WRITING):
        assert trial.failure not in told(f"The model is not trusted with tools: {trial.failure}.")
    local = Configured("m", "ollama", "http://localhost:11434/v1", "qwen3:4b")
    tried = probe.Tried(False, False, "", "its server refuses them", "", None, 9.0, 8.0)
    for known in (
        Found("ollama", None, None, False, None, False),
        Found("ollama", 2048, None, True, None, None),
        Found("x", 2048, None, True, None, None),
    ):
        for warning in probe._find_warnings(local, known, tried, offered=False):
            for sentence in re.split(r"(?<=[.!?]) (?=[A-Z])", warning):
                told(sentence)
    for provider in ("ollama", "llamacpp", "lmstudio"):
        how = probe._how_to_start(msgspec.structs.replace(local, provider=provider))
        assert "Start" not in told(f"localhost cannot be reached (ConnectError). {how}")
    for names in ([], ["a", "b"]):
        other = msgspec.structs.replace(local, provider="openai" if names else "ollama", url="x")
        missing = f"localhost has no model qwen. {probe._how_to_fetch(other, names)}"
        assert "qwen. " in (in_german := told(missing))
        assert "Download" not in in_german
        assert "Available" not in in_german
    for failure in (TimeoutError(), Stuck(""), ValueError()):
        told(guarded_model.explain_error(failure, local))


@pytest.mark.anyio
async def test_a_briefing_and_a_heartbeat_leave_nothing_in_english(alice: Client) -> None:
    todos: dict[str, dict[str, Any]] = {
        "Rechnung bezahlen": {"dueDate": "2026-11-18", "priority": 5},
        "Vertrag lesen": {"dueDate": "2026-11-21", "priority": 4},
        "Eva anrufen": {"dueDate": "2026-11-22T08:00:00Z"},
        "Fotos ordnen": {"dueDate": "2026-11-19", "priority": 1},
    }
    for title, more in todos.items():
        await alice.ok("POST", "/os/todos", status=201, json={"title": title, **more})
    await alice.note("Gartenplan", "- [ ] Hecke\n- [ ] Zaun", contentFormat="markdown")
    briefing = await alice.ok("POST", "/briefing", json={})
    await alice.ok("POST", "/heartbeat/run", json={})
    run = (await alice.ok("GET", "/heartbeat/runs"))["runs"][0]
    found: dict[str, Any] = await alice.ok("GET", f"/heartbeat/runs/{run['id']}")
    texts = [found["run"]["summary"], *(each["title"] for each in found["actions"])]
    for one in briefing["suggestions"]:
        texts += [one["title"], one["description"]]
    summary = re.sub(r"<[^>]*>", "", briefing["statusQuoSummary"]).strip()
    for text in [*texts, summary]:
        told(text)
