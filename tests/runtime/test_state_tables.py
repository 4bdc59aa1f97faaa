"""The state tables of grants and deliveries, every edge of them."""

from typing import Any, get_args

import pytest

from app.errors import AppError
from app.runtime.grants import grant_states
from app.runtime.messages import delivery_states as states
from tests.support.looping import through

EARLY, LATE = "2026-11-22T12:00:00.000Z", "2026-11-22T12:00:00.001Z"
ON_THE_WAY = ("queued", "dispatched", "device_acked", "runtime_pending", "runtime_acked")
NOT_TAKEN = ON_THE_WAY[:4]
GRANT_EDGES = [
    # from, event, side → the state or the code of the refusal
    ("pending", "accept", "recipient", "active"),
    ("pending", "decline", "recipient", "declined"),
    ("pending", "accept", "requester", "wrong_participant"),
    ("pending", "decline", "requester", "wrong_participant"),
    ("pending", "revoke", "recipient", "communication_session_not_active"),
    ("pending", "revoke", "requester", "communication_session_not_active"),
    *(
        (state, event, "recipient", "request_not_pending")
        for state in ("active", "declined", "revoked")
        for event in ("accept", "decline")
    ),
    ("expired", "accept", "recipient", "request_expired"),
    ("expired", "decline", "recipient", "request_expired"),
    *(
        (state, event, "requester", "wrong_participant")
        for state in ("active", "declined", "revoked", "expired")
        for event in ("accept", "decline")
    ),
    *(
        (state, "revoke", side, wanted)
        for side in ("requester", "recipient")
        for state, wanted in (
            ("active", "revoked"),
            ("revoked", "revoked"),
            ("declined", "communication_session_declined"),
            ("expired", "communication_session_expired"),
        )
    ),
]
ACK_EDGES = {
    "device_ack": {"queued": "device_acked", "dispatched": "device_acked"},
    "runtime_pending": dict.fromkeys(NOT_TAKEN, "runtime_pending"),
    "runtime_ack": dict.fromkeys(NOT_TAKEN, "runtime_acked"),
    "runtime_failed": dict.fromkeys(ON_THE_WAY, "failed"),
}
"""Every change that an acknowledgement makes; all else is only written down."""


def test_the_table_of_grants_is_whole() -> None:
    edges = {(state, event, side) for state, event, side, _ in GRANT_EDGES}
    assert len(edges) == len(GRANT_EDGES) == 5 * 3 * 2


@through("edge", [(" ".join(edge), edge) for edge in GRANT_EDGES])
def test_each_event_leads_to_its_state_or_its_refusal(edge: Any) -> None:
    state, event, side, wanted = edge
    try:
        assert grant_states.after(state, event, side) == wanted
    except AppError as error:
        assert error.code == wanted  # noqa: PT017 - either is right, as the table says


def test_time_ends_what_is_open_and_nothing_else() -> None:
    for state in get_args(grant_states.Status):
        wanted = "expired" if state in ("pending", "active") else state
        assert grant_states.status_at(state, LATE, EARLY) == state
        assert grant_states.status_at(state, EARLY, EARLY) == wanted
        assert grant_states.status_at(state, EARLY, LATE) == wanted


@pytest.mark.parametrize("state", get_args(grant_states.Status))
def test_nothing_is_sent_but_by_an_active_grant(state: Any) -> None:
    if state == "active":
        grant_states.require_active(state)
        return
    with pytest.raises(AppError) as refused:
        grant_states.require_active(state)
    said = "not_active" if state == "pending" else state
    assert refused.value.code == f"communication_session_{said}"


def test_each_phase_leads_forwards_and_nothing_changes_after_the_end() -> None:
    for phase, edges in ACK_EDGES.items():
        for state in get_args(states.Status):
            found = states.after_ack(state, phase)  # type: ignore[arg-type]
            assert found == edges.get(state), (phase, state)


def test_a_failure_that_may_be_tried_again_goes_back_unless_the_runtime_has_it() -> None:
    for state in get_args(states.Status):
        found = states.after_ack(state, "runtime_failed", retryable=True)
        assert found == ("queued" if state in NOT_TAKEN else None)
        assert states.is_undelivered(state) is (state in NOT_TAKEN)


def test_a_runtime_may_say_at_once_how_it_ended() -> None:
    assert states.after_ack("device_acked", "runtime_ack", result_code="handled") == "handled"
    assert states.after_ack("device_acked", "runtime_failed", result_code="rejected") == "rejected"
    assert states.after_ack("device_acked", "device_ack", result_code="handled") is None


def test_answers_sending_and_the_end_of_a_grant() -> None:
    for state in get_args(states.Status):
        assert states.after_sent(state) == ("dispatched" if state == "queued" else state)
        assert states.after_reply(state) == ("replied" if state == "runtime_acked" else state)
        assert states.is_terminal(state) is (state not in ON_THE_WAY)
        for end in get_args(states.End):
            wanted = end if state in NOT_TAKEN else "handled" if state == "runtime_acked" else state
            assert states.after_end(state, end) == wanted
