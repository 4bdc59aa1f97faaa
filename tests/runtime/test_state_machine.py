"""The state tables of grants and deliveries against a model, with a clock that jumps.

Whatever two people and their devices do, in whatever order: what was accepted arrives, nothing is
given to a runtime twice after it has acknowledged it, the numbers of the messages under a grant
have no gaps, and nothing crosses a grant that has ended.
"""

import dataclasses
from datetime import datetime, timedelta
from typing import Any

import msgspec
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from app.runtime.grants import grants
from app.runtime.grants.grants import Target
from app.runtime.messages import message_rows, messages
from tests.support.runtime_world import SESSIONS, Person, World

ORDER = ("queued", "dispatched", "device_acked", "runtime_pending", "runtime_acked")
PHASES = ("device_ack", "runtime_pending", "runtime_ack", "runtime_failed")
REQUEST, ANSWER = timedelta(minutes=10), {"accept": "active", "decline": "declined"}


@dataclasses.dataclass
class ModelGrant:
    """What a grant must be, worked out without the program's tables."""

    id: str
    ttl: timedelta
    status: str
    ends: datetime
    sent: int = 0

    def at(self, now: datetime) -> str:
        over = self.status in ("pending", "active") and self.ends <= now
        return "expired" if over else self.status


@dataclasses.dataclass
class ModelMessage:
    id: str
    grant: ModelGrant
    receiver: Person
    session: int
    on_device: bool = False
    acknowledged: bool = False
    failed: bool = False
    given: int = 0
    """How often the runtime was given it after it had acknowledged it."""


class Delegating(RuleBasedStateMachine):
    """Alice asks for grants, Bob answers; both send; devices read, inject and acknowledge."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.grants: list[ModelGrant] = []
        self.messages: dict[str, ModelMessage] = {}
        self.highest: dict[str, int] = {}
        self.number = 0
        # the first session stays free, so that there is something to ask for
        self.busy: set[tuple[str, int]] = set()

    def teardown(self) -> None:
        self.everything_arrives()
        self.world.close()

    # Time.

    @rule(seconds=st.sampled_from([1, 1, 20, 31, 31, 59, 290, 601, 1_799]))
    def time_passes(self, seconds: int) -> None:
        self.world.forward(seconds)

    @rule(seconds=st.sampled_from([5, 40, 700]))
    def the_clock_is_set_back(self, seconds: int) -> None:
        self.world.forward(-seconds)

    @rule()
    def the_server_tends(self) -> None:
        self.world.tend()
        self.note_what_ended()

    @rule()
    def endpoints_are_heard_of(self) -> None:
        self.world.heartbeat()

    # Grants.

    @rule(session=st.integers(0, SESSIONS - 1), ttl=st.sampled_from([1, 5, 30]))
    def alice_asks(self, session: int, ttl: int) -> None:
        world = self.world
        world.heartbeat()
        made = world.run(
            grants.request_grant,
            world.alice.me,
            target=Target("person_default_runtime", world.bob.me.user_id),
            reply_endpoint_id=world.alice.endpoint,
            reply_session_handle=world.alice.sessions[session],
            requested_ttl_minutes=ttl,
        )
        known = self.grant(made.comm_session_id)
        if known is None:
            minutes = timedelta(minutes=ttl)
            self.grants.append(
                ModelGrant(made.comm_session_id, minutes, "pending", world.now + REQUEST)
            )
        else:
            assert known.at(world.now) == "pending"

    @initialize(ttl=st.sampled_from([1, 5, 30]))
    def a_grant_is_active(self, ttl: int) -> None:
        self.alice_asks(0, ttl)
        self.answer(self.grants[0], "accept", by_bob=True)
        self.messages_under(self.grants[0])

    @precondition(lambda self: self.grants)
    @rule(data=st.data(), event=st.sampled_from(["accept", "accept", "decline"]), bob=st.booleans())
    def a_request_is_answered(self, data: Any, event: str, bob: bool) -> None:
        self.answer(self.pick(data), event, by_bob=bob)

    @precondition(lambda self: not any(one.at(self.world.now) == "active" for one in self.grants))
    @rule(ttl=st.sampled_from([5, 30]))
    def the_next_grant_is_active(self, ttl: int) -> None:
        self.alice_asks(0, ttl)
        newest = self.grants[-1]
        if newest.at(self.world.now) == "pending":
            self.answer(newest, "accept", by_bob=True)
            self.messages_under(newest)

    def messages_under(self, grant: ModelGrant) -> None:
        for by_bob in (False, True):
            self.send(grant, by_bob=by_bob, repeated=False)

    def answer(self, grant: ModelGrant, event: str, *, by_bob: bool) -> None:
        world = self.world
        world.heartbeat()
        operation = grants.accept_grant if event == "accept" else grants.decline_grant
        person = world.bob if by_bob else world.alice
        before = grant.at(world.now)
        other = [one for one in self.grants if one.at(world.now) == "active"]
        code = world.refusal(operation, person.me, id=grant.id)
        if not by_bob:
            assert code == "wrong_participant"
        elif before == "expired":
            assert code == "request_expired"
        elif before != "pending":
            assert code == "request_not_pending"
        elif event == "accept" and other:
            assert code == "runtime_session_already_granted"
        else:
            assert code is None
            grant.status = ANSWER[event]
            if event == "accept":
                grant.ends = world.now + grant.ttl
        if code is None and event == "accept":
            # one whose time was over has made room, and is written down as over
            for one in self.grants:
                if one is not grant and one.status == "active":
                    one.status = "expired"

    @precondition(lambda self: self.grants)
    @rule(data=st.data(), by_bob=st.booleans())
    def a_grant_is_revoked(self, data: Any, by_bob: bool) -> None:
        grant = self.pick(data)
        person = self.world.bob if by_bob else self.world.alice
        before = grant.at(self.world.now)
        code = self.world.refusal(grants.revoke_runtime_grant, person.me, id=grant.id)
        wanted = {"pending": "not_active", "declined": "declined", "expired": "expired"}
        if before in wanted:
            assert code == f"communication_session_{wanted[before]}"
        else:
            assert code is None
            grant.status = "revoked"

    # Messages.

    @precondition(lambda self: self.grants)
    @rule(data=st.data(), by_bob=st.booleans(), repeated=st.booleans(), often=st.integers(1, 3))
    def messages_are_sent(self, data: Any, by_bob: bool, repeated: bool, often: int) -> None:
        grant = self.pick(data)
        for _ in range(often):
            self.send(grant, by_bob=by_bob, repeated=repeated)

    def send(self, grant: ModelGrant, *, by_bob: bool, repeated: bool) -> None:
        world = self.world
        sender, receiver = (world.bob, world.alice) if by_bob else (world.alice, world.bob)
        self.number += 1
        fields = {
            "communication_session_id": grant.id,
            "client_message_id": f"m{self.number}",
            "kind": "text",
            "payload": {"text": str(self.number)},
        }
        status = grant.at(world.now)
        if status != "active":
            said = "not_active" if status == "pending" else status
            code = world.refusal(messages.send_runtime_message, sender.me, **fields)
            assert code == f"communication_session_{said}"
            return
        sent = world.run(messages.send_runtime_message, sender.me, **fields)
        grant.sent += 1
        message = world.run(message_rows.require, sent.message_id)
        assert message.sequence == grant.sent
        number = receiver.sessions.index(message.session)
        self.messages[sent.message_id] = ModelMessage(sent.message_id, grant, receiver, number)
        if repeated:
            again = world.run(messages.send_runtime_message, sender.me, **fields)
            assert (again.message_id, again.duplicate) == (sent.message_id, True)

    @rule(bob=st.booleans(), number=st.integers(0, SESSIONS - 1), busy=st.booleans())
    def a_session_changes(self, bob: bool, number: int, busy: bool) -> None:
        person = self.world.bob if bob else self.world.alice
        self.world.state(person, number, state="busy" if busy else "idle")
        key = (person.me.username, number)
        self.busy = self.busy | {key} if busy else self.busy - {key}

    @rule(bob=st.booleans(), from_start=st.booleans(), resends=st.booleans())
    def a_stream_is_read(self, bob: bool, from_start: bool, resends: bool) -> None:
        person = self.world.bob if bob else self.world.alice
        if resends:
            self.world.resend(person)
        if from_start:
            # a bridge that has lost its cursor begins anew
            person.cursor = 0
        self.read(person)

    @precondition(lambda self: self.messages)
    @rule(
        data=st.data(),
        phase=st.sampled_from(PHASES),
        retryable=st.booleans(),
        attempt=st.integers(0, 3),
    )
    def a_device_acknowledges(self, data: Any, phase: str, retryable: bool, attempt: int) -> None:
        for person in (self.world.alice, self.world.bob):
            self.read(person)
        # by their order, so that a failure is found again
        there = [one for one in self.messages.values() if one.on_device]
        if there:
            message = there[data.draw(st.integers(0, len(there) - 1))]
            self.acknowledge(message, phase, retryable=retryable, attempt=f"a{attempt}")

    # What happens in these rules.

    def grant(self, id_: str) -> ModelGrant | None:
        return next((one for one in self.grants if one.id == id_), None)

    def pick(self, data: Any) -> ModelGrant:
        # the last ones are the likeliest to be alive
        found: ModelGrant = data.draw(st.sampled_from(self.grants[-3:]))
        return found

    def note_what_ended(self) -> None:
        for grant in self.grants:
            grant.status = grant.at(self.world.now)

    def read(self, person: Person) -> None:
        for event in self.world.stream(person):
            if event.type != "message.dispatch":
                continue
            envelope = msgspec.json.decode(event.data)["envelope"]
            message = self.messages[envelope["id"]]
            assert message.receiver is person
            assert message.grant.at(self.world.now) == "active", "it crossed an ended grant"
            assert not message.acknowledged, "it was sent again after runtime_ack"
            assert not message.failed
            message.on_device = True

    def may_have(self, message: ModelMessage) -> bool:
        receiver = message.receiver
        return bool(
            self.world.run(
                messages.validate_injection,
                receiver.me,
                message_id=message.id,
                communication_session_id=message.grant.id,
                endpoint_id=receiver.endpoint,
                session_handle=receiver.sessions[message.session],
            ).valid
        )

    def acknowledge(
        self, message: ModelMessage, phase: str, *, retryable: bool, attempt: str
    ) -> None:
        if phase == "runtime_ack" and self.may_have(message):
            message.given += 1
        before = self.world.run(message_rows.require, message.id).status
        said = self.world.run(
            messages.acknowledge_message,
            message.receiver.me,
            id=message.id,
            phase=phase,
            attempt_id=attempt,
            retryable=retryable,
        )
        # an acknowledgement of what has ended writes its end down
        if message.grant.at(self.world.now) == "expired":
            message.grant.status = "expired"
        if before not in ORDER:
            assert said.recorded == "audit_only"
        if said.recorded == "state" and phase == "runtime_ack":
            assert not message.acknowledged
            message.acknowledged = True
        if said.recorded == "state" and phase == "runtime_failed":
            assert not retryable or not message.acknowledged
            message.failed = not retryable

    def everything_arrives(self) -> None:
        """What was accepted under a grant that lasts reaches its runtime, once all calms down."""
        world = self.world
        for person in (world.alice, world.bob):
            for number in range(SESSIONS):
                world.state(person, number, state="idle")
        for _ in range(3):
            world.forward(31)
            world.tend()
            for person in (world.alice, world.bob):
                world.resend(person)
                self.read(person)
                for message in self.messages.values():
                    self.deliver(message, person)
        for message in self.messages.values():
            if message.grant.at(world.now) == "active" and not message.failed:
                assert message.acknowledged, "an accepted message did not arrive"

    def deliver(self, message: ModelMessage, person: Person) -> None:
        if message.receiver is person and message.on_device and self.may_have(message):
            for phase in ("device_ack", "runtime_ack"):
                self.acknowledge(message, phase, retryable=False, attempt=f"last {self.world.now}")

    @invariant()
    def grants_are_as_the_model_says(self) -> None:
        shown = {
            row.comm_session_id: row.status
            for row in self.world.run(grants.list_runtime_grants, self.world.alice.me)
        }
        assert shown == {one.id: one.at(self.world.now) for one in self.grants}

    @invariant()
    def numbers_have_no_gaps(self) -> None:
        rows = self.world.connection.execute(
            "SELECT grant_id, count(*), min(sequence), max(sequence) FROM runtime_messages "
            "GROUP BY grant_id"
        )
        for id_, count, least, most in rows:
            grant = self.grant(id_)
            assert grant is not None
            assert (count, least, most) == (grant.sent, 1, grant.sent)

    @invariant()
    def what_was_taken_is_never_given_again(self) -> None:
        for message in self.messages.values():
            assert message.given <= 1
            if message.acknowledged or message.grant.at(self.world.now) != "active":
                assert not self.may_have(message)


TestDelegating = Delegating.TestCase
TestDelegating.settings = settings(
    max_examples=100, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
