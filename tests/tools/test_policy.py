"""The policy: every cell of its table, and what makes a call stricter or lets it pass."""

from typing import Any

import pytest

from app.catalog import CATALOG
from app.core.caller import Caller
from app.core.operation import Taint
from app.tools.approvals import policy
from app.tools.approvals.call_origin import Origin
from app.tools.approvals.policy import Asked, decide
from app.tools.registry import registry
from tests.support.looping import through

CELLS = """
               R      W      O      X
chat           allow  allow  ask    ask
direct         allow  allow  allow  allow
messages       allow  deny   deny   deny
actions        allow  allow  ask    ask
rpc            allow  allow  deny   deny
guest          allow  allow  deny   deny
managed_agent  allow  allow  ask    deny
runtime        allow  ask    ask    deny
"""
"""What a clean call of an ordinary tool comes to."""
TAINTED = """
               R      W      O      X
chat           allow  ask    ask    ask
direct         allow  ask    ask    ask
messages       allow  deny   deny   deny
actions        allow  ask    ask    ask
rpc            allow  ask    deny   deny
guest          allow  ask    deny   deny
managed_agent  allow  ask    ask    deny
runtime        allow  ask    ask    deny
"""
"""The same with words of the web in play."""
EDITS = (
    "chat allow direct allow messages deny actions ask rpc ask guest ask "
    "managed_agent ask runtime ask"
)
"""Changing a note that is there."""
DIARY = (
    "chat ask direct ask messages allow actions allow rpc ask guest ask "
    "managed_agent ask runtime ask"
)
"""memory_write with words of the web in play."""
DRAFT = (
    "chat allow direct allow messages allow actions allow rpc allow guest allow "
    "managed_agent allow runtime allow"
)
"""message_draft with words of the web in play: an own draft."""
MARKS: list[Taint] = ["guest", "agent", "mail", "calendar", "mcp", "web"]


Cell = tuple[Any, Any, str]


def cells(table: str) -> list[Cell]:
    head, *rows = table.strip().splitlines()
    return [
        (row.split()[0], risk, verdict)
        for row in rows
        for risk, verdict in zip(head.split(), row.split()[1:], strict=True)
    ]


def labelled(table: str) -> list[tuple[str, Cell]]:
    return [(f"{column} {risk}", (column, risk, verdict)) for column, risk, verdict in cells(table)]


def pairs(line: str) -> list[tuple[Any, str]]:
    words = line.split()
    return list(zip(words[::2], words[1::2], strict=True))


@through("cell", labelled(CELLS))
def test_each_cell_of_the_table_says_what_it_should(cell: Cell) -> None:
    column, risk, verdict = cell
    found = decide(Asked(column, "some_tool", risk))
    assert found.verdict == verdict
    assert found.reason.endswith(".")


def test_the_table_has_no_other_cells() -> None:
    assert {(column, risk) for column, risk, _ in cells(CELLS)} == {
        (column, risk) for column, row in policy.TABLE.items() for risk in row
    }


@through("cell", labelled(TAINTED))
def test_words_of_others_turn_every_change_and_everything_outbound_into_a_question(
    cell: Cell,
) -> None:
    column, risk, verdict = cell
    assert decide(Asked(column, "some_tool", risk, taint=frozenset({"web"}))).verdict == verdict


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("column", policy.TABLE)
def test_every_mark_counts_but_the_words_for_which_the_grant_was_made(
    column: Any, mark: Taint
) -> None:
    verdict = decide(Asked(column, "create_note", "W", taint=frozenset({mark}))).verdict
    own = {"rpc": "agent", "guest": "guest"}.get(column) == mark
    assert verdict == (
        decide(Asked(column, "create_note", "W")).verdict
        if own
        else "deny"
        if column == "messages"
        else "ask"
    )


@pytest.mark.parametrize("tool", sorted(policy.EDITS))
@pytest.mark.parametrize(("column", "verdict"), pairs(EDITS))
def test_a_note_that_is_there_is_changed_freely_only_by_its_owner(
    column: Any, verdict: str, tool: str
) -> None:
    assert decide(Asked(column, tool, "W")).verdict == verdict


@pytest.mark.parametrize(
    ("tool", "line"), [("memory_write", DIARY), ("message_draft", DRAFT), ("reminder", DRAFT)]
)
def test_own_drafts_pass_whatever_is_in_play(tool: str, line: str) -> None:
    assert [
        (column, decide(Asked(column, tool, "W", taint=frozenset({"web"}))).verdict)
        for column, _ in pairs(line)
    ] == pairs(line)


@through("cell", labelled(CELLS))
def test_a_tool_that_asks_each_time_is_never_just_allowed(cell: Cell) -> None:
    column, risk, verdict = cell
    found = decide(Asked(column, "some_tool", risk, approval=True)).verdict
    assert found == ("deny" if column == "messages" or verdict == "deny" else "ask")


@through("cell", labelled(TAINTED))
def test_what_was_allowed_for_longer_lifts_a_question_but_no_denial_and_nothing_final(
    cell: Cell,
) -> None:
    column, risk, verdict = cell
    found = decide(
        Asked(column, "some_tool", risk, taint=frozenset({"web"}), precedent=True)
    ).verdict
    assert found == ("allow" if verdict == "ask" and risk != "X" else verdict)


@pytest.mark.parametrize("column", policy.TABLE)
def test_what_is_no_tool_is_denied(column: Any) -> None:
    assert decide(Asked(column, "some_tool", None, precedent=True)).verdict == "deny"


def test_a_heartbeat_without_a_tier_has_the_narrower_one() -> None:
    assert Origin("heartbeat").column == Origin("heartbeat", tier="MESSAGES").column == "messages"
    assert Origin("heartbeat", tier="ACTIONS").column == "actions"
    assert Origin("mcp").column == "direct"


def test_every_tool_says_what_it_can_do() -> None:
    tools = registry.native_tools(CATALOG)
    assert [
        name
        for name, tool in tools.items()
        if tool.declared.risk is None and (tool.operation.waits or tool.operation.effect == "write")
    ] == []
    assert {
        name
        for name, tool in tools.items()
        if tool.operation.risk_class == "R" and tool.operation.effect == "write"
    } == set()
    assert set(tools) >= policy.EDITS


def test_what_says_nothing_of_itself_is_taken_for_the_worst() -> None:
    assert CATALOG.operations["decide_escalation"].risk_class == "X"
    assert CATALOG.operations["change_note"].risk_class == "X"
    assert CATALOG.operations["list_keys"].risk_class == "R"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Origin("chat", conversation_id=1), Origin("heartbeat", run_id=1)),
        (Origin("guest", share_token="a"), Origin("guest", share_token="b")),
        (Origin("rpc", peer="u1"), Origin("rpc", peer="u2")),
        (Origin("managed_agent", agent_id=1), Origin("managed_agent", agent_id=2)),
        (
            Origin("runtime", communication_session_id="c1"),
            Origin("runtime", communication_session_id="c2"),
        ),
    ],
)
def test_those_who_are_not_the_same_are_told_apart(one: Origin, other: Origin) -> None:
    me = Caller(user=1, user_id="u", username="u", kind="key", credential=1)
    assert one.key(me) != other.key(me)


def test_a_credential_that_calls_by_itself_is_told_apart_from_another() -> None:
    one, other = (
        Caller(user=1, user_id="u", username="u", kind="key", credential=number)
        for number in (1, 2)
    )
    assert Origin("mcp").key(one) != Origin("mcp").key(other)
    assert Origin("chat", conversation_id=1).session(one) == Origin(
        "chat", conversation_id=1
    ).session(other)
    assert Origin("chat", conversation_id=1).session(one) != Origin(
        "chat", conversation_id=2
    ).session(one)
