"""Idempotency keys: the first answer again, and the effect once."""

import asyncio
import dataclasses
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.core import idempotency
from app.core.app import App
from app.core.caller import OPERATOR, Caller
from app.core.database.backup_status import BackupState
from app.core.database.data_dir import DATABASE
from app.core.database.events import Events
from app.core.database.store import open_store
from app.core.database.tx import Tx
from app.core.idempotency import Replay
from app.core.limits import Rates
from app.core.operation import Catalog, Http, operation
from app.core.schema import Record
from app.core.secret_files import Seal
from app.errors import (
    AppError,
    Conflict,
    GrantRevoked,
    IdempotencyConflict,
    IdempotencyInProgress,
    Invalid,
    NotFound,
    RateLimited,
    Unprocessable,
)
from app.settings import Settings
from tests.conftest import Client, MovableClock, Served
from tests.support.agents import restarted

pytestmark = pytest.mark.anyio

SECONDS = 300
REFUSALS: dict[str, AppError] = {
    "missing": NotFound("gone"),
    "conflict": Conflict("no"),
    "slow down": RateLimited("wait", retryAfter=1),
    "broken": AppError("broken"),
}


class Counted(Record):
    count: int


@operation(
    "POST /toy/plain", scope="os.notes:write", http=Http(invalid_status=422, idempotent=SECONDS)
)
def plain(tx: Tx, me: Caller, *, word: str) -> Counted:
    """Count up in one transaction, or refuse."""
    count = count_up(tx)
    return Counted(judged(word, count))


@operation(
    "POST /toy/waiting", scope="os.notes:write", http=Http(invalid_status=422, idempotent=SECONDS)
)
async def waiting(app: App, me: Caller, *, word: str) -> Counted:
    """Count up between waits, or refuse."""
    if word == "wait":
        await GATE.wait()
    count = await app.write(count_up)
    return Counted(judged(word, count))


@operation("POST /toy/forgetful", scope="os.notes:write")
def forgetful(tx: Tx, me: Caller, *, word: str) -> Counted:
    """Count up and remember nothing."""
    return Counted(count_up(tx))


GATE = asyncio.Event()
CATALOG = Catalog([sys.modules[__name__]])
BOTH = pytest.mark.parametrize("name", ["plain", "waiting"])


def count_up(tx: Tx) -> int:
    tx.run("UPDATE counts SET n = n + 1")
    return int(tx.value("SELECT n FROM counts"))


def judged(word: str, count: int) -> int:
    if word in REFUSALS:
        raise REFUSALS[word]
    if word == "bad":
        raise Invalid("word is bad.", field="word")
    if word == "crash":
        raise RuntimeError("a mistake")
    return count


def counted(app: App) -> int:
    return int(app.store.quick(lambda tx: tx.value("SELECT n FROM counts")))


def person(number: int) -> Caller:
    return Caller(
        user=number,
        user_id=f"uuid {number}",
        username=f"user{number}",
        kind="key",
        credential=number,
    )


ALICE, BOB = person(1), person(2)


async def started(data: Path, clock: MovableClock) -> AsyncIterator[App]:
    settings = Settings(durability="normal")
    async with open_store(data / DATABASE, settings=settings, clock=clock) as store:
        yield App(
            settings=settings,
            catalog=CATALOG,
            store=store,
            clock=clock,
            events=Events(),
            rates=Rates(settings),
            safekeeping=BackupState(data),
            seal=Seal(data),
        )


@pytest.fixture
async def toy(
    data: Path, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[App]:
    monkeypatch.setattr(
        sys.modules[__name__], "GATE", asyncio.Event()
    )  # an event belongs to the loop that first waits for it
    async for app in started(data, clock):
        await app.write(set_up)
        yield app


def set_up(tx: Tx) -> None:
    tx.run("CREATE TABLE counts (n INTEGER)")
    tx.run("INSERT INTO counts VALUES (0)")
    for caller in (ALICE, BOB):
        tx.run(
            "INSERT INTO users (id, uuid, username, name, created_at) "
            "VALUES (:id, :name, :name, :name, '')",
            id=caller.user,
            name=caller.username,
        )


async def ask(
    app: App, name: str, word: str = "hello", *, once: str | None = "key", caller: Caller = ALICE
) -> Any:
    return await app.call(caller, name, {"word": word}, once=once)


@BOTH
async def test_the_same_request_gets_the_first_answer_again_and_has_its_effect_once(
    toy: App, name: str
) -> None:
    assert await ask(toy, name) == Counted(1)
    for _ in range(3):
        assert await ask(toy, name) == Replay(200, b'{"count":1}')
    assert counted(toy) == 1


@BOTH
async def test_without_a_key_every_request_counts(toy: App, name: str) -> None:
    assert [(await ask(toy, name, once=None)).count for _ in range(3)] == [1, 2, 3]


@pytest.mark.parametrize("key", [None, "key"])
async def test_a_grant_that_ends_after_the_first_look_holds_with_a_key_and_without(
    toy: App, key: str | None
) -> None:
    looks = iter([True])

    def renew(_: Tx) -> Caller | None:
        return caller if next(looks, False) else None

    caller = dataclasses.replace(ALICE, kind="peer", renew=renew)
    with pytest.raises(GrantRevoked):
        await ask(toy, "plain", once=key, caller=caller)
    assert counted(toy) == 0


async def test_an_operation_that_does_not_remember_takes_no_notice_of_a_key(toy: App) -> None:
    assert [(await ask(toy, "forgetful")).count for _ in range(3)] == [1, 2, 3]


@BOTH
async def test_the_same_key_with_another_request_is_a_conflict(toy: App, name: str) -> None:
    await ask(toy, name)
    with pytest.raises(IdempotencyConflict):
        await ask(toy, name, "other")
    assert await ask(toy, name) == Replay(200, b'{"count":1}')
    assert counted(toy) == 1


@BOTH
async def test_a_key_belongs_to_one_user_and_one_operation(toy: App, name: str) -> None:
    other = "plain" if name == "waiting" else "waiting"
    assert [await ask(toy, name), await ask(toy, name, caller=BOB), await ask(toy, other)] == [
        Counted(1),
        Counted(2),
        Counted(3),
    ]
    assert await ask(toy, name, caller=BOB) == Replay(200, b'{"count":2}')


@BOTH
async def test_another_key_of_the_same_user_is_the_same_user(toy: App, name: str) -> None:
    await ask(toy, name)
    second = Caller(
        user=ALICE.user, user_id=ALICE.user_id, username=ALICE.username, kind="key", credential=99
    )
    assert await ask(toy, name, caller=second) == Replay(200, b'{"count":1}')


@BOTH
@pytest.mark.parametrize(
    ("word", "error", "status", "code"),
    [
        ("missing", NotFound, 404, b"not_found"),
        ("conflict", Conflict, 409, b"conflict"),
        ("bad", Unprocessable, 422, b"unprocessable"),
    ],
)
async def test_a_refusal_that_would_come_again_is_kept(
    toy: App, name: str, word: str, error: type[AppError], status: int, code: bytes
) -> None:
    with pytest.raises(error):
        await ask(toy, name, word)
    before = counted(toy)
    replay = await ask(toy, name, word)
    assert replay.status == status
    assert b'"error":"%s"' % code in replay.body
    assert counted(toy) == before


@BOTH
@pytest.mark.parametrize(
    ("word", "error"), [("slow down", RateLimited), ("broken", AppError), ("crash", RuntimeError)]
)
async def test_a_refusal_that_passes_frees_the_key(
    toy: App, name: str, word: str, error: type[Exception]
) -> None:
    for _ in range(2):
        with pytest.raises(error):
            await ask(toy, name, word)
    assert isinstance(await ask(toy, name), Counted)


@BOTH
async def test_the_refusal_of_bad_fields_is_kept_and_has_no_effect(toy: App, name: str) -> None:
    with pytest.raises(Unprocessable):
        await toy.call(ALICE, name, {"word": 5}, once="key")
    replay = await toy.call(ALICE, name, {"word": 5}, once="key")
    assert (replay.status, b'"field":"word"' in replay.body) == (422, True)
    for given in ({"word": 6}, {"word": 5, "other": 1}, {"word": "hello"}):
        with pytest.raises(IdempotencyConflict):
            await toy.call(ALICE, name, given, once="key")
    assert counted(toy) == 0
    assert await ask(toy, name, once="new") == Counted(1)
    with pytest.raises(IdempotencyConflict):
        await toy.call(ALICE, name, {"word": 5}, once="new")


@BOTH
async def test_a_reply_is_forgotten_after_its_time(
    toy: App, clock: MovableClock, name: str
) -> None:
    await ask(toy, name)
    clock.forward(seconds=SECONDS - 1)
    assert await ask(toy, name) == Replay(200, b'{"count":1}')
    clock.forward(seconds=1)
    assert await ask(toy, name, "other") == Counted(2)


async def test_the_sweep_deletes_what_is_over_and_nothing_else(
    toy: App, clock: MovableClock
) -> None:
    await ask(toy, "plain", once="old")
    clock.forward(seconds=SECONDS)
    await ask(toy, "plain", once="new")
    await toy.write(idempotency.sweep_idempotent_replies, OPERATOR)
    kept = "SELECT count(*) FROM idempotent_replies"
    assert await toy.read(lambda tx: tx.value(kept)) == 1
    assert await ask(toy, "plain", once="new") == Replay(200, b'{"count":2}')


@BOTH
async def test_many_retries_at_once_have_the_effect_once(toy: App, name: str) -> None:
    results = await asyncio.gather(*(ask(toy, name) for _ in range(20)), return_exceptions=True)
    assert results.count(Counted(1)) == 1
    others = [result for result in results if result != Counted(1)]
    assert {type(result) for result in others} == {
        Replay if name == "plain" else IdempotencyInProgress
    }
    assert counted(toy) == 1


async def test_while_the_first_request_runs_the_next_is_told_to_wait(toy: App) -> None:
    first = asyncio.create_task(ask(toy, "waiting", "wait"))
    await asyncio.sleep(0)
    with pytest.raises(IdempotencyInProgress) as refused:
        await ask(toy, "waiting", "wait")
    assert refused.value.details == {"retryAfter": 1}
    GATE.set()
    assert await first == Counted(1)
    assert await ask(toy, "waiting", "wait") == Replay(200, b'{"count":1}')


async def test_a_request_that_was_stopped_frees_its_key(toy: App) -> None:
    first = asyncio.create_task(ask(toy, "waiting", "wait"))
    await asyncio.sleep(0)
    with pytest.raises(IdempotencyInProgress):
        await ask(toy, "waiting", "wait")
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    GATE.set()
    assert await ask(toy, "waiting", "wait") == Counted(1)


@BOTH
@pytest.mark.parametrize("word", ["hello", "crash", "missing"])
async def test_a_request_that_is_stopped_at_any_moment_leaves_no_key_claimed(
    toy: App, name: str, word: str
) -> None:
    for turns in range(40):
        key = str(turns)
        first = asyncio.create_task(ask(toy, name, word, once=key))
        for _ in range(turns):
            await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await asyncio.sleep(0)
        await toy.write(lambda tx: None)
        claimed = toy.store.quick(
            lambda tx: tx.value("SELECT count(*) FROM idempotent_replies WHERE status IS NULL")
        )
        assert claimed == 0, turns


@BOTH
async def test_a_refusal_that_comes_late_does_not_replace_the_answer_of_another(
    toy: App, name: str
) -> None:
    """Two requests under one key at once.

    One is answered, the other's refusal is stored after it.
    """
    await ask(toy, name)
    request = idempotency._Request(
        ALICE.user, name, "key", idempotency.request_fingerprint({"word": "hello"}), SECONDS
    )
    await toy.write(idempotency._store_refusal, request, NotFound("too late"))
    assert await ask(toy, name) == Replay(200, b'{"count":1}')


@BOTH
async def test_a_reply_outlives_the_process_whose_answer_got_lost(
    toy: App, data: Path, clock: MovableClock, name: str
) -> None:
    await ask(toy, name)
    await toy.store.close()
    async for app in started(data, clock):
        assert await ask(app, name) == Replay(200, b'{"count":1}')
        assert counted(app) == 1


@BOTH
@pytest.mark.parametrize("key", ["", "x" * 256, "tab\there", "line\n", "é", "\x7f"])
async def test_a_key_that_is_not_printable_ascii_of_fitting_length_is_refused(
    toy: App, name: str, key: str
) -> None:
    with pytest.raises(Invalid) as refused:
        await ask(toy, name, once=key)
    assert refused.value.details == {"field": "Idempotency-Key"}
    assert counted(toy) == 0


@BOTH
@pytest.mark.parametrize("key", ["x", " ", "x" * 255, '"quoted"', "~!@#$%^&*()"])
async def test_any_printable_ascii_is_a_key(toy: App, name: str, key: str) -> None:
    assert await ask(toy, name, once=key) == Counted(1)
    assert isinstance(await ask(toy, name, once=key), Replay)


NOTE = {"title": "Once", "content": "only"}


async def test_a_note_is_created_once_however_often_the_request_is_sent(alice: Client) -> None:
    sent = [
        await alice.post("/os/notes", json=NOTE, headers={"Idempotency-Key": "k"}) for _ in range(3)
    ]
    assert [answer.status_code for answer in sent] == [201] * 3
    assert [answer.headers.get("idempotency-replayed") for answer in sent] == [None, "true", "true"]
    assert sent[0].content == sent[1].content == sent[2].content
    assert (await alice.ok("GET", "/os/notes"))["totalNotes"] == 1


async def test_a_key_whose_request_a_stop_cut_off_is_free_after_the_next_start(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    done = await alice.post("/os/notes", json=NOTE, headers={"Idempotency-Key": "done"})
    claim = "UPDATE idempotent_replies SET status = NULL, body = NULL WHERE key = 'cut off'"
    headers = {"Idempotency-Key": "cut off"}
    await alice.ok("POST", "/os/notes", status=201, json=NOTE, headers=headers)
    await served.parts.write(lambda tx: tx.run(claim))
    await alice.refused(
        "POST", "/os/notes", 409, "idempotency_in_progress", json=NOTE, headers=headers
    )
    async with restarted(served, tmp_path) as later, later.resident("alice", alice.key) as again:
        await again.ok("POST", "/os/notes", status=201, json=NOTE, headers=headers)
        known = await again.post("/os/notes", json=NOTE, headers={"Idempotency-Key": "done"})
        assert known.content == done.content


async def test_the_same_key_with_another_note_is_refused(alice: Client) -> None:
    headers = {"Idempotency-Key": "k"}
    await alice.ok("POST", "/os/notes", status=201, json=NOTE, headers=headers)
    await alice.refused(
        "POST",
        "/os/notes",
        409,
        "idempotency_conflict",
        json={**NOTE, "content": "other"},
        headers=headers,
    )
    assert (await alice.ok("GET", "/os/notes"))["totalNotes"] == 1


async def test_field_order_and_spacing_make_no_other_request(alice: Client) -> None:
    headers = {"Idempotency-Key": "k", "Content-Type": "application/json"}
    bodies = [b'{"title":"Once","content":"only"}', b'{ "content" : "only", "title" : " Once " }']
    sent = [await alice.post("/os/notes", content=body, headers=headers) for body in bodies]
    assert [answer.status_code for answer in sent] == [201, 201]
    assert sent[0].content == sent[1].content


async def test_a_refused_note_is_refused_again_in_the_same_words(alice: Client) -> None:
    sent = [
        await alice.post(
            "/os/notes", json={**NOTE, "folderId": 404}, headers={"Idempotency-Key": "k"}
        )
        for _ in range(2)
    ]
    assert sent[0].status_code == sent[1].status_code == 404
    assert sent[0].content == sent[1].content
    assert sent[1].headers["idempotency-replayed"] == "true"


async def test_another_users_key_is_another_key(alice: Client, bob: Client, served: Served) -> None:
    for client in (alice, bob):
        body = await client.ok(
            "POST", "/os/notes", status=201, json=NOTE, headers={"Idempotency-Key": "k"}
        )
        assert (await client.get(f"/os/notes/{body['result']['note']['id']}")).status_code == 200


async def test_a_bad_idempotency_key_is_named(alice: Client) -> None:
    await alice.refused(
        "POST",
        "/os/notes",
        400,
        "invalid_request",
        field="Idempotency-Key",
        json=NOTE,
        headers={"Idempotency-Key": "x" * 256},
    )
