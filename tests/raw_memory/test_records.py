"""Records of raw memory: what the server stores, refuses, gives back and forgets."""

import asyncio
import hashlib
from typing import Any

import pytest

from app.raw_memory import record_rows, upload_records
from app.settings import MIB
from app.vault.encoding import decode_base64url, encode_base64url
from tests.conftest import Client, MovableClock, Served
from tests.support.raw_records import RawDevice

pytestmark = pytest.mark.anyio
RECORDS = "/raw-memory/records"
OTHER_UUID = "11111111-2222-4333-8444-555555555555"


async def upload(client: Client, *records: Any, status: int = 200) -> Any:
    return await client.ok("POST", RECORDS, status=status, json={"records": list(records)})


async def refusal(client: Client, record: Any) -> tuple[str, str]:
    """Upload one record that must be refused; return its code and what is said of it."""
    body = await client.refused("POST", RECORDS, 422, "unprocessable", json={"records": [record]})
    assert (body["created"], body["duplicates"], body["rejected"]) == (0, 0, 1)
    (result,) = body["results"]
    assert result["status"] == "rejected"
    return result["error"], result["message"]


async def test_a_record_comes_back_as_it_was_sent(alice: Client, device: RawDevice) -> None:
    record = device.seal(b"private words")
    made = await upload(alice, record)
    assert (made["created"], made["duplicates"], made["rejected"]) == (1, 0, 0)
    (result,) = made["results"]
    raw = decode_base64url(record["ciphertext"])
    about = {
        "id": result["id"],
        "sizeBytes": len(raw),
        "sha256": hashlib.sha256(raw).hexdigest(),
        "receivedAt": "2026-11-21T09:30:00.000Z",
    }
    found = await alice.ok("GET", f"{RECORDS}/{record['recordId']}")
    assert found["record"] == record | about
    (listed,) = (await alice.ok("GET", RECORDS))["records"]
    hidden = ("ciphertext", "wrappedKey", "signature")
    assert listed == {key: value for key, value in (record | about).items() if key not in hidden}
    seen = (await alice.ok("GET", "/raw-memory/devices"))["devices"][0]
    assert seen["lastSeenAt"] == "2026-11-21T09:30:00.000Z"


async def test_the_same_record_again_is_a_duplicate_and_other_bytes_are_refused(
    alice: Client, device: RawDevice
) -> None:
    record = device.seal()
    first = await upload(alice, record)
    again = await upload(alice, record)
    assert again["results"][0] == {**first["results"][0], "status": "duplicate"}
    for other in (
        device.seal(b"other", record_id=record["recordId"]),
        device.seal(b"other", record_id=record["recordId"].upper()),
        record | {"sessionRef": "another"},
    ):
        assert (await refusal(alice, other))[0] == "record_immutable"
    twice = await upload(alice, one := device.seal(), one)
    assert [each["status"] for each in twice["results"]] == ["created", "duplicate"]


async def test_a_deleted_record_is_gone_and_its_id_never_free(
    alice: Client, device: RawDevice
) -> None:
    record = device.seal(b"x" * 100)
    await upload(alice, record)
    path = f"{RECORDS}/{record['recordId']}"
    assert (await alice.ok("DELETE", path))["deleted"] is True
    await alice.refused("GET", path, 404, "not_found")
    await alice.refused("DELETE", path, 404, "not_found")
    assert (await refusal(alice, record))[0] == "record_immutable"
    usage = await alice.ok("GET", "/raw-memory/usage")
    assert (usage["records"], usage["bytes"]) == (0, 0)


async def test_a_session_is_deleted_whole(alice: Client, device: RawDevice) -> None:
    mine = [device.seal(sequence=number) for number in range(7)]
    other = device.seal(session_ref="another")
    await upload(alice, *mine, other)
    gone = await alice.ok("DELETE", RECORDS, params={"sessionRef": "a session"})
    assert gone["deleted"] == 7
    left = (await alice.ok("GET", RECORDS))["records"]
    assert [each["recordId"] for each in left] == [other["recordId"]]
    await alice.refused("DELETE", RECORDS, 400, "invalid_request", field="sessionRef")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "POST"])
async def test_nothing_changes_a_record(alice: Client, device: RawDevice, method: str) -> None:
    record = device.seal()
    await upload(alice, record)
    path = f"{RECORDS}/{record['recordId']}"
    response = await alice.request(method, path, json=record)
    assert response.status_code == 405
    assert response.headers["allow"] == "DELETE, GET, HEAD"
    if method != "POST":
        await alice.refused(method, RECORDS, 405, "method_not_allowed", json={})


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"recordId": "one"}, "recordId"),
        ({"recordId": None}, "recordId"),
        ({"sequence": -1}, "sequence"),
        ({"sequence": 1.5}, "sequence"),
        ({"sequence": True}, "sequence"),
        ({"sequence": 2**53}, "sequence"),
        ({"createdAt": "yesterday"}, "createdAt"),
        ({"createdAt": "2026-02-30T00:00:00.000Z"}, "createdAt"),
        ({"createdAt": "2026-11-21T09:40:00.001Z"}, "createdAt"),
        ({"alg": "A128GCM"}, "alg"),
        ({"wrap": "none"}, "wrap"),
        ({"nonce": "AAAA"}, "nonce"),
        ({"nonce": "=" * 16}, "nonce"),
        ({"ciphertext": ""}, "ciphertext"),
        ({"ciphertext": "AAAA+AAA" * 5}, "ciphertext"),
        ({"ciphertext": 7}, "ciphertext"),
        ({"wrappedKey": "A" * 52}, "wrappedKey"),
        ({"signature": "A" * 86}, "signature"),
        ({"sessionRef": "x" * 129}, "sessionRef"),
        ({"sessionRef": "a\0b"}, "sessionRef"),
        ({"accountKeyId": OTHER_UUID}, "accountKeyId"),
        ({"deviceId": "x" * 65}, "deviceId"),
    ],
)
async def test_what_is_not_a_record_is_refused_and_named(
    alice: Client, device: RawDevice, change: dict[str, Any], field: str
) -> None:
    code, message = await refusal(alice, device.seal() | change)
    assert (code, field in message) == ("invalid_request", True), message


async def test_a_record_without_its_form_is_told_by_its_place_and_what_is_wanted(
    alice: Client, device: RawDevice
) -> None:
    wrong = [1, device.seal() | {"createdAt": "yesterday"}, {"recordId": "one"}]
    body = await alice.refused("POST", RECORDS, 422, "unprocessable", json={"records": wrong})
    assert [one["message"] for one in body["results"]] == [
        "records[0] must be an object, not an integer.",
        "records[1].createdAt must be a moment in UTC such as 2026-11-21T09:30:00.000Z.",
        "records[2].deviceId is required.",
    ]


@pytest.mark.parametrize("record", [None, 7, "text", [], {}, {"recordId": 7}])
async def test_what_is_no_object_of_that_kind_is_refused(
    alice: Client, device: RawDevice, record: Any
) -> None:
    assert (await refusal(alice, record))[0] == "invalid_request"


async def test_whatever_is_signed_cannot_be_changed(alice: Client, device: RawDevice) -> None:
    record, other = device.seal(), device.seal(b"something else")
    for name in ("nonce", "ciphertext", "wrappedKey", "signature", "recordId"):
        if record[name] != other[name]:
            code, message = await refusal(alice, record | {name: other[name]})
            assert (code, message) == (
                "invalid_request",
                "signature is not the device's for this record.",
            )
    for change in ({"sequence": 1}, {"createdAt": "2026-11-20T09:30:00.000Z"}):
        assert "signature" in (await refusal(alice, record | change))[1]


async def test_only_an_active_device_of_the_user_stores(
    served: Served, alice: Client, bob: Client, device: RawDevice
) -> None:
    theirs = await RawDevice(2).add(bob)
    unknown = device.seal(device_id="dev_0000000000000000")
    foreign = device.seal(device_id=theirs.device_id)
    for record in (unknown, foreign):
        assert await refusal(alice, record) == ("forbidden", "The device is unknown or not active.")
    revoked = await alice.ok("DELETE", f"/raw-memory/devices/{device.device_id}")
    assert revoked["device"]["status"] == "revoked"
    assert revoked["rotationNeeded"] is True
    assert (await refusal(alice, device.seal()))[0] == "forbidden"


async def test_a_record_that_fails_leaves_the_others(alice: Client, device: RawDevice) -> None:
    good, bad = device.seal(), device.seal() | {"sequence": 9}
    made = await upload(alice, bad, good, {"recordId": "x"})
    assert [each["status"] for each in made["results"]] == ["rejected", "created", "rejected"]
    assert [each["recordId"] for each in made["results"]] == [
        bad["recordId"],
        good["recordId"],
        "x",
    ]


@pytest.mark.parametrize("body", [{}, {"records": []}, {"records": {}}, {"records": [1] * 101}])
async def test_a_request_is_of_one_to_a_hundred_records(resident: Client, body: Any) -> None:
    await resident.refused("POST", RECORDS, 400, "invalid_request", field="records", json=body)


async def test_a_record_has_eight_mebibytes_at_most(alice: Client, device: RawDevice) -> None:
    most = device.seal(b"\0" * (8 * MIB - 16))
    over = device.seal(b"\0" * (8 * MIB - 15))
    made = await upload(alice, most, over, device.seal())
    assert [each["status"] for each in made["results"]] == ["created", "rejected", "created"]
    assert made["results"][1]["error"] == "payload_too_large"
    found = await alice.ok("GET", f"{RECORDS}/{most['recordId']}")
    assert found["record"]["ciphertext"] == most["ciphertext"]


async def test_the_quota_ends_in_the_middle_of_a_batch(
    alice: Client, device: RawDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_rows, "MOST_RECORDS", 3)
    made = await upload(alice, *(device.seal(sequence=number) for number in range(5)))
    assert [each["status"] for each in made["results"]] == ["created"] * 3 + ["rejected"] * 2
    assert made["results"][3]["error"] == "quota_exceeded"
    (first, *_) = (await alice.ok("GET", RECORDS))["records"]
    await alice.ok("DELETE", f"{RECORDS}/{first['recordId']}")
    await upload(alice, device.seal())


async def test_a_large_record_counts_before_it_is_whole(
    served: Served, alice: Client, device: RawDevice
) -> None:
    object.__setattr__(served.parts.settings, "raw_memory_quota", 5 * MIB)
    large = [device.seal(b"\0" * (2 * MIB), sequence=number) for number in range(4)]
    answers = await asyncio.gather(
        *(alice.post(RECORDS, json={"records": [record]}) for record in large)
    )
    assert sorted(answer.status_code for answer in answers) == [200, 200, 422, 422]
    usage = await alice.ok("GET", "/raw-memory/usage")
    assert usage["bytes"] == 2 * (2 * MIB + 16)
    assert usage["quotaBytes"] == 5 * MIB


async def test_a_device_revoked_while_its_record_comes_in_stores_nothing(
    served: Served, alice: Client, device: RawDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = device.seal(b"\0" * (3 * MIB))
    put_part, parts = record_rows.put_part, []

    def revoke_in_between(tx: Any, number: int, part: int, content: bytes) -> None:
        put_part(tx, number, part, content)
        parts.append(part)
        if part == 1:
            from app.raw_memory import device_rows

            device_rows.revoke(tx, 1, device.device_id)

    monkeypatch.setattr(upload_records.rows, "put_part", revoke_in_between)
    assert await refusal(alice, record) == (
        "forbidden",
        "The device was revoked while the record came in.",
    )
    assert len(parts) == 4
    left = await served.parts.read(
        lambda tx: (
            tx.value("SELECT count(*) FROM raw_records"),
            tx.value("SELECT count(*) FROM raw_record_parts"),
        )
    )
    assert left == (0, 0)


async def test_what_an_upload_left_that_was_cut_off_makes_way_and_goes(
    served: Served, alice: Client, device: RawDevice, clock: MovableClock
) -> None:
    record, other = device.seal(b"\0" * (2 * MIB)), device.seal()

    def cut_off(tx: Any) -> None:
        for each in (record, other):
            columns = {
                "record_id": each["recordId"],
                "device_id": each["deviceId"],
                "session_ref": each["sessionRef"],
                "sequence": 0,
                "created_at": each["createdAt"],
                "nonce": b"",
                "account_key_id": each["accountKeyId"],
                "wrapped_key": b"",
                "signature": b"",
                "size": 1,
                "sha256": "",
            }
            number = record_rows.add(tx, 1, columns, state="arriving")
            record_rows.put_part(tx, number, 0, b"\0")

    await served.parts.write(cut_off)
    assert (await alice.ok("GET", RECORDS))["records"] == []
    await alice.refused("GET", f"{RECORDS}/{record['recordId']}", 404, "not_found")
    assert (await upload(alice, record))["created"] == 1
    clock.forward(hours=2)
    assert (await served.command("purge_stale_records")).purged == 1
    assert (await alice.ok("GET", "/raw-memory/usage"))["records"] == 1


async def test_lists_go_on_after_the_last_that_was_seen(alice: Client, device: RawDevice) -> None:
    second = await RawDevice(2).add(alice)
    await upload(
        alice,
        *(device.seal(sequence=number) for number in range(3)),
        *(second.seal(sequence=number, session_ref="b") for number in range(2)),
    )
    first = await alice.ok("GET", RECORDS, params={"limit": 2})
    assert len(first["records"]) == 2
    rest = await alice.ok("GET", RECORDS, params={"after": first["nextAfter"], "limit": 1000})
    assert (len(rest["records"]), rest["nextAfter"]) == (3, None)
    of_session = await alice.ok("GET", RECORDS, params={"sessionRef": "b"})
    of_device = await alice.ok("GET", RECORDS, params={"deviceId": second.device_id})
    assert of_session["records"] == of_device["records"]
    assert len(of_session["records"]) == 2
    await alice.refused("GET", RECORDS, 400, "invalid_request", field="limit", params={"limit": 0})
    await alice.refused("GET", RECORDS, 400, "invalid_request", params={"after": -1})


async def test_a_transaction_empties_few_bytes(
    served: Served, alice: Client, device: RawDevice
) -> None:
    await upload(alice, *(device.seal(b"\0" * (3 * MIB), sequence=number) for number in range(3)))
    await upload(alice, *(device.seal(sequence=number, session_ref="b") for number in range(9)))

    def some(session: str) -> int:
        return len(
            served.parts.glance(lambda tx: record_rows.some_of_session(tx, 1, session, 1 << 40))
        )

    assert (some("a session"), some("b")) == (2, 9)
    gone = await alice.ok("DELETE", RECORDS, params={"sessionRef": "a session"})
    assert gone["deleted"] == 3


async def test_another_user_sees_and_deletes_nothing(
    alice: Client, bob: Client, device: RawDevice
) -> None:
    record = device.seal()
    await upload(alice, record)
    path = f"{RECORDS}/{record['recordId']}"
    assert (await bob.ok("GET", RECORDS))["records"] == []
    await bob.refused("GET", path, 404, "not_found")
    await bob.refused("DELETE", path, 404, "not_found")
    gone = await bob.ok("DELETE", RECORDS, params={"sessionRef": "a session"})
    assert gone["deleted"] == 0
    await bob.refused("DELETE", f"/raw-memory/devices/{device.device_id}", 404, "not_found")
    assert (await alice.ok("GET", path))["record"]["recordId"] == record["recordId"]


async def test_no_word_of_a_record_is_found_anywhere_else(
    served: Served, alice: Client, device: RawDevice
) -> None:
    await upload(alice, device.seal(b"canary", session_ref="canary-session"))
    found = await alice.ok("POST", "/os/memory/search", json={"query": "canary-session"})
    assert "canary" not in str(found.get("results", found))
    tools = {each.name for each in served.parts.catalog.operations.values() if each.tool}
    assert not tools & {"list_records", "read_record", "upload_records", "get_account_keys"}


async def test_a_user_goes_with_all_records(
    served: Served, alice: Client, device: RawDevice
) -> None:
    await upload(alice, *(device.seal(sequence=number) for number in range(6)))
    await served.command("delete_user", username="alice")
    assert await served.parts.read(lambda tx: tx.value("SELECT count(*) FROM raw_records")) == 0


async def test_a_body_may_have_so_many_bytes(
    served: Served, alice: Client, device: RawDevice
) -> None:
    object.__setattr__(served.parts.settings, "max_raw_memory_body", 4096)
    body = await alice.refused(
        "POST", RECORDS, 413, "payload_too_large", json={"records": [device.seal(b"\0" * 4096)]}
    )
    assert body["limitBytes"] == 4096


async def test_a_spelling_that_is_not_the_only_one_is_refused(
    alice: Client, device: RawDevice
) -> None:
    record = device.seal()
    nonce = record["nonce"]
    assert decode_base64url(nonce)
    padded = encode_base64url(decode_base64url(nonce)) + "=="
    assert (await refusal(alice, record | {"nonce": padded}))[0] == "invalid_request"
