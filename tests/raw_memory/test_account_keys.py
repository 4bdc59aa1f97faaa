"""Account keys: generations, wraps, recovery, and earlier keys that must come along."""

import asyncio
from typing import Any

import pytest

from app.vault.encoding import encode_base64url
from tests.conftest import Client
from tests.support.raw_records import KEY_ID, RawDevice, wrapped_key

pytestmark = pytest.mark.anyio
KEYS = "/raw-memory/keys"
SECOND, THIRD = (f"{number * 8}-0000-4000-8000-000000000000" for number in ("2", "3"))
RECOVERY = {
    "kdf": {"name": "HKDF-SHA256", "salt": encode_base64url(b"s" * 32)},
    "wrappedKey": wrapped_key(),
}


def previous(*ids: str) -> list[dict[str, str]]:
    return [{"accountKeyId": each, "wrappedKey": wrapped_key()} for each in ids]


async def test_before_the_first_key_there_is_nothing(alice: Client) -> None:
    found = await alice.ok("GET", KEYS)
    del found["success"]
    assert found == {
        "accountKeyId": None,
        "generation": 0,
        "recovery": None,
        "wraps": [],
        "previousKeys": [],
    }


async def test_a_key_is_put_and_read(alice: Client) -> None:
    device = await RawDevice().add(alice)
    body = device.keys(recovery=RECOVERY)
    put = await alice.ok("PUT", KEYS, json=body)
    found = await alice.ok("GET", KEYS)
    assert (put["recovery"]["status"], found["recovery"]["status"]) == ("created", "existing")
    assert put | {"recovery": None} == found | {"recovery": None}
    assert (found["accountKeyId"], found["generation"]) == (KEY_ID, 1)
    (wrap,) = found["wraps"]
    assert wrap == body["wraps"][0] | {"createdAt": "2026-11-21T09:30:00.000Z"}
    assert found["recovery"]["wrappedKey"] == RECOVERY["wrappedKey"]
    (listed,) = (await alice.ok("GET", "/raw-memory/devices"))["devices"]
    assert listed["hasKey"] is True


async def test_recovery_stays_when_left_out_and_goes_with_null(
    alice: Client, device: RawDevice
) -> None:
    await alice.ok("PUT", KEYS, json=device.keys(1, recovery=RECOVERY))
    kept = await alice.ok("PUT", KEYS, json=device.keys(2))
    assert kept["recovery"]["status"] == "existing"
    gone = await alice.ok("PUT", KEYS, json=device.keys(3, recovery=None))
    assert gone["recovery"] is None


@pytest.mark.parametrize("generation", [0, 2, 10**9])
async def test_only_whoever_knows_the_present_generation_changes_it(
    alice: Client, device: RawDevice, generation: int
) -> None:
    body = await alice.refused(
        "PUT", KEYS, 409, "generation_conflict", json=device.keys(generation)
    )
    assert body["generation"] == 1


async def test_of_two_changes_at_once_one_wins(alice: Client, device: RawDevice) -> None:
    bodies = [device.keys(1, recovery=RECOVERY), device.keys(1, recovery=None)]
    answers = await asyncio.gather(*(alice.put(KEYS, json=body) for body in bodies))
    assert sorted(answer.status_code for answer in answers) == [200, 409]


async def test_every_earlier_key_comes_along_with_a_new_one(
    alice: Client, device: RawDevice
) -> None:
    device.key_id = SECOND
    await alice.refused(
        "PUT", KEYS, 400, "invalid_request", field="previousKeys", json=device.keys(1)
    )
    body = device.keys(1, previousKeys=previous(KEY_ID))
    assert (await alice.ok("PUT", KEYS, json=body))["previousKeys"] == previous(KEY_ID)
    device.key_id = THIRD
    for wrong in (
        previous(KEY_ID),
        previous(SECOND),
        previous(KEY_ID, SECOND, SECOND),
        previous(KEY_ID, SECOND, "44444444-0000-4000-8000-000000000000"),
        [],
    ):
        await alice.refused(
            "PUT",
            KEYS,
            400,
            "invalid_request",
            field="previousKeys",
            json=device.keys(2, previousKeys=wrong),
        )
    done = await alice.ok("PUT", KEYS, json=device.keys(2, previousKeys=previous(SECOND, KEY_ID)))
    assert [each["accountKeyId"] for each in done["previousKeys"]] == [SECOND, KEY_ID]
    device.key_id = KEY_ID
    back = device.keys(3, previousKeys=previous(SECOND, THIRD))
    await alice.refused("PUT", KEYS, 400, "invalid_request", field="accountKeyId", json=back)


async def test_records_keep_their_earlier_key(alice: Client, device: RawDevice) -> None:
    old = device.seal()
    device.key_id = SECOND
    await alice.ok("PUT", KEYS, json=device.keys(1, previousKeys=previous(KEY_ID)))
    made = await alice.ok(
        "POST", "/raw-memory/records", json={"records": [old, device.seal(sequence=1)]}
    )
    assert made["created"] == 2


async def test_a_wrap_is_for_a_live_device_of_the_user(
    alice: Client, bob: Client, device: RawDevice
) -> None:
    theirs, second = await RawDevice(2).add(bob), await RawDevice(3).add(alice)
    await alice.ok("DELETE", f"/raw-memory/devices/{second.device_id}")
    for wraps in (
        [theirs.wrap()],
        [second.wrap()],
        [device.wrap(), device.wrap()],
        [{**device.wrap(), "deviceId": ""}],
    ):
        at = len(wraps) - 1
        await alice.refused(
            "PUT",
            KEYS,
            400,
            "invalid_request",
            field=f"wraps[{at}].deviceId",
            json={**device.keys(1), "wraps": wraps},
        )
    assert (await alice.ok("GET", KEYS))["generation"] == 1


async def test_a_revoked_device_loses_its_wrap(alice: Client, device: RawDevice) -> None:
    gone = await alice.ok("DELETE", f"/raw-memory/devices/{device.device_id}")
    assert (gone["device"]["hasKey"], gone["device"]["status"]) == (False, "revoked")
    found = await alice.ok("GET", KEYS)
    assert (found["wraps"], found["generation"]) == ([], 1)
    again = await alice.ok("DELETE", f"/raw-memory/devices/{device.device_id}")
    assert again == gone


@pytest.mark.parametrize(
    "change",
    [
        {"accountKeyId": "one"},
        {"accountKeyId": None},
        {"ifGeneration": -1},
        {"ifGeneration": "1"},
        {"wraps": None},
        {"wraps": [{"deviceId": "x", "enc": "AA", "ciphertext": "AA"}]},
        {"recovery": {"kdf": {"name": "none", "salt": "x"}, "wrappedKey": wrapped_key()}},
        {"recovery": {"kdf": {"name": "HKDF-SHA256", "salt": "AAAA"}, "wrappedKey": wrapped_key()}},
        {"recovery": {**RECOVERY, "wrappedKey": "AAAA"}},
        {"recovery": {}},
        {"previousKeys": [{"accountKeyId": SECOND}]},
        {"previousKeys": previous(SECOND)},
    ],
)
async def test_what_are_no_keys_is_refused(
    alice: Client, device: RawDevice, change: dict[str, Any]
) -> None:
    await alice.refused("PUT", KEYS, 400, "invalid_request", json=device.keys(1) | change)
    assert (await alice.ok("GET", KEYS))["generation"] == 1


async def test_a_user_has_twenty_live_devices(alice: Client) -> None:
    devices = [await RawDevice(number).add(alice) for number in range(1, 21)]
    await alice.refused(
        "POST", "/raw-memory/devices", 409, "quota_exceeded", json=RawDevice().public
    )
    await alice.ok("DELETE", f"/raw-memory/devices/{devices[0].device_id}")
    await RawDevice(30).add(alice)
    usage = await alice.ok("GET", "/raw-memory/usage")
    assert (usage["devices"], usage["quotaDevices"]) == (20, 20)


@pytest.mark.parametrize(
    "change", [{"name": ""}, {"name": "x" * 101}, {"publicKey": "AA"}, {"signingKey": "é" * 43}]
)
async def test_what_is_no_device_is_refused(resident: Client, change: dict[str, str]) -> None:
    (field,) = change
    body = RawDevice().public | change
    for path in ("/raw-memory/devices", "/raw-memory/enrolments"):
        await resident.refused("POST", path, 400, "invalid_request", field=field, json=body)
