"""A device's vault against a server that does its part."""

import asyncio
import os
import stat
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from app.raw_memory import record_rows
from app.vault import enrol, rotate_keys
from app.vault.recovery_code import BadCode
from app.vault.refusals import NoKeyHere, Offline, ServerRefused, Tampered, VaultError
from app.vault.sealed_records import LARGEST_CONTENT
from app.vault.vault import Vault
from tests.conftest import ORIGIN, MovableClock, Served
from tests.support.oauth import Browser
from tests.support.vaults import Laptop

pytestmark = pytest.mark.anyio
CANARY = b"the canary sings at noon"


async def test_what_is_put_comes_back_on_this_device_and_on_another(
    laptop: Laptop, desktop: Laptop
) -> None:
    await laptop.put(CANARY)
    await laptop.put(b" and at midnight")
    for device in (laptop, desktop):
        assert await device.get() == CANARY + b" and at midnight"
    await desktop.put(b"; so it does")
    assert await laptop.get() == CANARY + b" and at midnight; so it does"
    usage = await laptop.do(Vault.usage)
    assert (usage.records, usage.devices) == (3, 2)


@pytest.mark.parametrize("size", [0, 1, LARGEST_CONTENT + 1])
async def test_a_content_of_any_size_comes_back(laptop: Laptop, size: int) -> None:
    content = os.urandom(size)
    await laptop.put(content)
    assert await laptop.get() == content
    (records,) = (await laptop.do(Vault.list_records)).values()
    assert len(records) == (2 if size > LARGEST_CONTENT else 1)


async def test_the_server_has_no_word_of_it(served: Served, laptop: Laptop) -> None:
    await laptop.put(CANARY, session="canary-project", name="canary.jsonl")
    await served.parts.write_gathered()
    data = served.parts.store.path.parent
    held = b"".join(path.read_bytes() for path in data.rglob("*") if path.is_file())
    assert b"Laptop" in held
    assert b"canary" not in held
    identity = laptop.files.identity()
    assert identity is not None
    for secret in (identity.exchange_key, identity.signing_key, identity.device_token):
        assert secret is not None
        assert secret.encode() not in held
    for key in laptop.files.state().keys.values():
        assert key.encode() not in held


async def test_the_files_are_for_their_owner_alone(laptop: Laptop) -> None:
    def put_only(vault: Vault) -> None:
        vault.refresh()
        vault.put("work", "log", [CANARY])

    await laptop.do(put_only)
    paths = [laptop.files.folder, *laptop.files.folder.rglob("*")]
    assert len(laptop.files.waiting()) == 1
    for path in paths:
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path


async def test_what_waits_holds_no_word_either_and_is_sent_later(laptop: Laptop) -> None:
    def fail(request: httpx.Request, response: httpx.Response) -> httpx.Response:
        raise httpx.ConnectError("no way")

    def put(vault: Vault) -> None:
        vault.put("work", "log", [CANARY])
        vault.send()

    laptop.transport.spoil = fail
    for _ in range(2):
        with pytest.raises(Offline):
            await laptop.do(put)
    waiting = laptop.files.waiting()
    assert len(waiting) == 2
    assert CANARY not in waiting[0].read_bytes()
    laptop.transport.spoil = None
    assert (await laptop.do(Vault.send)).taken == 2
    assert laptop.files.waiting() == []
    assert await laptop.get() == CANARY * 2


async def test_an_answer_that_is_lost_stores_nothing_twice(laptop: Laptop) -> None:
    lost = True

    def lose(request: httpx.Request, response: httpx.Response) -> httpx.Response:
        if lost and request.method == "POST":
            raise httpx.ReadError("gone")
        return response

    laptop.transport.spoil = lose
    with pytest.raises(Offline):
        await laptop.put(CANARY)
    lost = False
    assert len(laptop.files.waiting()) == 1
    assert (await laptop.do(Vault.send)).taken == 1
    assert await laptop.get() == CANARY


async def test_what_the_server_has_no_room_for_waits(
    laptop: Laptop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_rows, "MOST_RECORDS", 1)
    await laptop.put(b"one")

    def put(vault: Vault) -> Any:
        vault.refresh()
        vault.put("work", "log", [b"two"])
        return vault.send()

    sent = await laptop.do(put)
    assert (sent.taken, len(sent.refused)) == (0, 1)
    assert "quota_exceeded" in sent.refused[0]
    assert await laptop.get() == b"one"
    monkeypatch.undo()
    assert (await laptop.do(Vault.send)).taken == 1
    assert await laptop.get() == b"onetwo"


async def test_a_device_without_the_key_stores_and_opens_nothing(
    served: Served, browser: Browser, laptop: Laptop, tmp_path: Path
) -> None:
    await laptop.put(CANARY)
    other = Laptop(served, tmp_path / "other", "Other")
    assert await other.enrol(browser.http) == "approved"
    for work in (Vault.refresh, lambda vault: vault.put("s", "n", [b"x"])):
        with pytest.raises(NoKeyHere):
            await other.do(work)
    assert (await other.do(Vault.usage)).records == 1


async def test_a_denied_device_gets_nothing(
    served: Served, browser: Browser, tmp_path: Path
) -> None:
    other = Laptop(served, tmp_path / "other", "Other")
    assert await other.enrol(browser.http, "deny") == "denied"
    with pytest.raises(VaultError, match="not enrolled"):
        other.vault()


async def test_an_enrolled_device_is_not_enrolled_over(laptop: Laptop) -> None:
    with pytest.raises(VaultError, match="enrolled at"):
        await asyncio.to_thread(
            enrol.begin_enrolment, laptop.files, laptop.connect, ORIGIN, "Again"
        )


async def test_the_recovery_code_opens_all_when_every_device_is_lost(
    served: Served, browser: Browser, laptop: Laptop, tmp_path: Path
) -> None:
    await laptop.put(b"before; ")
    first = laptop.code
    laptop.code = (await laptop.do(rotate_keys.rotate))[0]
    await laptop.put(b"after")
    other = Laptop(served, tmp_path / "other", "Other")
    assert await other.enrol(browser.http) == "approved"
    with pytest.raises(BadCode):
        await other.do(lambda vault: rotate_keys.recover(vault, laptop.code[:-1] + "?"))
    with pytest.raises(VaultError, match="an earlier code"):
        await other.do(lambda vault: rotate_keys.recover(vault, first))
    await other.do(lambda vault: rotate_keys.recover(vault, laptop.code.lower()))
    assert await other.get() == b"before; after"
    await other.put(b"; and more")
    assert await laptop.get() == b"before; after; and more"


async def test_a_new_key_goes_to_confirmed_devices_alone(
    served: Served, browser: Browser, laptop: Laptop, desktop: Laptop, tmp_path: Path
) -> None:
    await laptop.put(b"one")
    assert await desktop.get() == b"one"
    third = Laptop(served, tmp_path / "third", "Third")
    assert await third.enrol(browser.http) == "approved"
    await desktop.admit(third)
    assert await third.get() == b"one"
    await laptop.do(Vault.refresh)
    assert [each.split(" ")[0] for each in await laptop.do(rotate_keys.left_out)] == ["Third"]
    _, receivers = await laptop.do(rotate_keys.rotate)
    assert receivers == ["Laptop", "Desktop"]
    await laptop.put(b"two")
    assert await desktop.get() == b"onetwo"
    with pytest.raises(NoKeyHere):
        await third.do(Vault.refresh)
    await laptop.admit(third)
    assert await third.get() == b"onetwo"


async def test_a_revoked_device_neither_reads_nor_stores(laptop: Laptop, desktop: Laptop) -> None:
    await desktop.put(b"mine")
    identity = desktop.files.identity()
    assert identity is not None
    await laptop.do(lambda vault: rotate_keys.revoke(vault, identity.device_id))
    for work in (Vault.refresh, Vault.list_records, Vault.usage):
        with pytest.raises(ServerRefused) as refused:
            await desktop.do(work)
        assert refused.value.code == "unauthorized"
    await laptop.do(rotate_keys.rotate)
    assert await laptop.get() == b"mine"
    with pytest.raises(VaultError, match="no live device"):
        await laptop.do(lambda vault: rotate_keys.revoke(vault, identity.device_id))


async def test_what_is_deleted_here_is_missed_nowhere(laptop: Laptop, desktop: Laptop) -> None:
    for content in (b"one", b"two", b"three"):
        await laptop.put(content)
    assert await desktop.get() == b"onetwothree"
    (records,) = (await laptop.do(Vault.list_records)).values()

    def delete(vault: Vault) -> None:
        vault.refresh()
        vault.delete(records[1].record_id)

    await laptop.do(delete)
    assert await laptop.get() == b"onethree"
    with pytest.raises(Tampered) as missed:
        await desktop.do(Vault.list_records)
    assert missed.value.what == "withheld records"
    assert "1 of session work" in str(missed.value)
    await desktop.do(lambda vault: vault.list_records(accept=True))
    assert await desktop.get() == b"onethree"

    def delete_session(vault: Vault) -> int:
        vault.refresh()
        return vault.delete_session("work")

    assert await laptop.do(delete_session) == 2
    assert await laptop.do(Vault.list_records) == {}
    with pytest.raises(VaultError, match="no session"):
        await laptop.get()


async def test_two_commands_at_once_give_no_number_twice(laptop: Laptop) -> None:
    await asyncio.gather(*(laptop.put(b"x", session=f"s{number % 2}") for number in range(8)))
    found = await laptop.do(Vault.list_records)
    assert sorted([each.sequence for each in records] for records in found.values()) == [
        [0, 1, 2, 3],
        [0, 1, 2, 3],
    ]


async def test_a_clock_that_is_ahead_is_told_and_the_record_waits(
    served: Served, laptop: Laptop, clock: MovableClock
) -> None:
    class Ahead:
        def __call__(self) -> Any:
            moved = MovableClock()
            moved.forward(hours=1)
            return moved()

    def put(vault: Vault) -> Any:
        vault.refresh()
        vault._clock = Ahead()
        vault.put("work", "log", [CANARY])
        return vault.send()

    sent = await laptop.do(put)
    assert "clock of the device" in sent.refused[0]
    clock.forward(hours=1)
    assert (await laptop.do(Vault.send)).taken == 1
