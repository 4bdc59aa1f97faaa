"""A server that lies to a vault: what it swaps, cuts, repeats, withholds or takes back is named."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from app.vault import primitives, rotate_keys
from app.vault.encoding import decode_base64url, encode_base64url
from app.vault.refusals import Tampered, VaultError
from app.vault.vault import Vault
from tests.conftest import Served
from tests.support.oauth import Browser
from tests.support.vaults import Laptop, spoiling

pytestmark = pytest.mark.anyio
EVIL = b"e" * 32
EVIL_ID = "eeeeeeee-0000-4000-8000-000000000000"
Change = Callable[[Any], Any]


def sealed_to(laptop: Laptop, key: bytes) -> dict[str, str]:
    """A wrap of some key for a device, which anybody can make who knows its public key."""
    identity = laptop.files.identity()
    assert identity is not None
    public = primitives.public_keys_of(
        decode_base64url(identity.exchange_key), decode_base64url(identity.signing_key)
    )[0]
    enc, sealed = primitives.seal_to(public, key)
    return {
        "deviceId": identity.device_id or "",
        "enc": encode_base64url(enc),
        "ciphertext": encode_base64url(sealed),
        "createdAt": "2026-11-21T09:30:00.000Z",
    }


async def refused(laptop: Laptop, work: Callable[[Vault], Any]) -> str:
    """Do something that must be refused; return what it is called, with nothing believed of it."""
    before = laptop.files.state()
    with pytest.raises(Tampered) as told:
        await laptop.do(work)
    after = laptop.files.state()
    assert (after.keys, after.current, after.generation) == (
        before.keys,
        before.current,
        before.generation,
    )
    laptop.transport.spoil = None
    return told.value.what


def read_all(vault: Vault) -> bytes:
    vault.refresh()
    return b"".join(each.content for each in vault.read_session("work"))


async def test_another_key_sealed_to_this_device_is_refused(laptop: Laptop) -> None:
    wrap = sealed_to(laptop, EVIL)
    for changed in (
        wrap,
        {**wrap, "ciphertext": wrap["ciphertext"][:-2] + "AA"},
        {**wrap, "enc": "AA"},
        {**wrap, "ciphertext": ""},
    ):
        laptop.transport.spoil = spoiling("/keys", lambda keys, to=changed: {**keys, "wraps": [to]})
        assert await refused(laptop, Vault.refresh) == "swapped wrap"
    both = spoiling("/keys", lambda keys: {**keys, "wraps": [*keys["wraps"], *keys["wraps"]]})
    laptop.transport.spoil = both
    assert await refused(laptop, Vault.refresh) == "swapped wrap"


async def test_a_new_key_that_does_not_know_the_old_one_is_refused(laptop: Laptop) -> None:
    wrap = sealed_to(laptop, EVIL)
    old = laptop.files.state().current
    guess = encode_base64url(primitives.wrap_key(EVIL, b"g" * 32))
    for previous in (
        [],
        [{"accountKeyId": old, "wrappedKey": guess}],
        [{"accountKeyId": old, "wrappedKey": "A" * 54}],
        [{"accountKeyId": old, "wrappedKey": "AAAA"}],
    ):
        laptop.transport.spoil = spoiling(
            "/keys",
            lambda keys, earlier=previous: {
                **keys,
                "accountKeyId": EVIL_ID,
                "generation": 2,
                "wraps": [wrap],
                "previousKeys": earlier,
            },
        )
        assert await refused(laptop, Vault.refresh) == "swapped account key"


async def test_keys_are_not_rolled_back(laptop: Laptop) -> None:
    seen: list[Any] = []
    laptop.transport.spoil = spoiling("/keys", lambda keys: seen.append(copy.deepcopy(keys)))
    await laptop.do(Vault.refresh)
    laptop.transport.spoil = None
    await laptop.do(rotate_keys.rotate)
    await laptop.put(b"under the new key")
    first = seen[0]
    assert first["generation"] == 1
    for older in (
        first,
        {**first, "generation": 2},
        {**first, "generation": 3},
        {"accountKeyId": None, "generation": 0, "recovery": None, "wraps": [], "previousKeys": []},
    ):
        laptop.transport.spoil = spoiling("/keys", lambda _, to=older: to)
        assert await refused(laptop, Vault.refresh) == "rolled-back keys"
    laptop.transport.spoil = spoiling(
        "/keys", lambda keys: {**keys, "generation": 9, "accountKeyId": None}
    )
    assert await refused(laptop, Vault.refresh) == "withheld keys"
    assert await laptop.get() == b"under the new key"


async def test_devices_stay_who_they_were(laptop: Laptop, desktop: Laptop) -> None:
    await laptop.do(Vault.refresh)
    key = encode_base64url(b"\x09" * 32)

    def swap(field: str, at: int) -> Change:
        def change(body: Any) -> None:
            body["devices"][at][field] = key

        return change

    for field in ("publicKey", "signingKey"):
        for at in (0, 1):
            laptop.transport.spoil = spoiling("/devices", swap(field, at))
            assert await refused(laptop, Vault.refresh) == "swapped key"
    laptop.transport.spoil = spoiling(
        "/devices", lambda body: {**body, "devices": body["devices"][:1]}
    )
    assert await refused(laptop, Vault.refresh) == "withheld device"
    laptop.transport.spoil = spoiling(
        "/devices", lambda body: {**body, "devices": body["devices"] * 2}
    )
    assert await refused(laptop, Vault.refresh) == "doubled device"
    identity = desktop.files.identity()
    assert identity is not None
    await laptop.do(lambda vault: rotate_keys.revoke(vault, identity.device_id))

    def revive(body: Any) -> None:
        body["devices"][1]["status"] = "active"

    laptop.transport.spoil = spoiling("/devices", revive)
    assert await refused(laptop, Vault.refresh) == "rolled-back device"


async def test_a_device_of_the_servers_own_is_given_nothing(
    served: Served, browser: Browser, laptop: Laptop, tmp_path: Path
) -> None:
    other = Laptop(served, tmp_path / "other", "Other")
    await other.enrol(browser.http)
    evil = Laptop(served, tmp_path / "evil", "Evil")
    await evil.enrol(browser.http)
    mine = evil.files.identity()
    assert mine is not None
    public = primitives.public_keys_of(
        decode_base64url(mine.exchange_key), decode_base64url(mine.signing_key)
    )

    def swap(body: Any) -> None:
        body["devices"][1] |= {
            "publicKey": encode_base64url(public[0]),
            "signingKey": encode_base64url(public[1]),
        }

    laptop.transport.spoil = spoiling("/devices", swap)
    with pytest.raises(VaultError, match="fingerprints differ"):
        await laptop.admit(other)
    assert "PUT /api/v1/raw-memory/keys" not in laptop.transport.asked[-2:]


async def test_a_first_key_of_the_servers_own_shows_another_fingerprint(
    served: Served, browser: Browser, laptop: Laptop, tmp_path: Path
) -> None:
    other = Laptop(served, tmp_path / "other", "Other")
    await other.enrol(browser.http)
    wrap = sealed_to(other, EVIL)
    other.transport.spoil = spoiling(
        "/keys", lambda keys: {**keys, "wraps": [wrap], "previousKeys": []}
    )

    def look(vault: Vault) -> Any:
        vault.refresh()
        return vault.first_key, rotate_keys.fingerprint_of_key(vault)

    first, fingerprint = await other.do(look)
    assert first is True
    assert fingerprint != await laptop.do(rotate_keys.fingerprint_of_key)


async def test_a_swapped_recovery_key_is_not_taken(
    served: Served, browser: Browser, laptop: Laptop, tmp_path: Path
) -> None:
    other = Laptop(served, tmp_path / "other", "Other")
    await other.enrol(browser.http)

    def swap(keys: Any) -> None:
        keys["recovery"]["wrappedKey"] = encode_base64url(primitives.wrap_key(EVIL, EVIL))

    other.transport.spoil = spoiling("/keys", swap)
    with pytest.raises(VaultError, match="does not open"):
        await other.do(lambda vault: rotate_keys.recover(vault, laptop.code))
    assert other.files.state().keys == {}


def flipped(text: str, at: int) -> str:
    raw = bytearray(decode_base64url(text))
    raw[at % len(raw)] ^= 1
    return encode_base64url(bytes(raw))


def shortened(text: str) -> str:
    return encode_base64url(decode_base64url(text)[:-1])


CHANGED_RECORDS: dict[str, tuple[Change, str]] = {
    "a bit": (lambda r: r | {"ciphertext": flipped(r["ciphertext"], 5)}, "altered record"),
    "the tag": (lambda r: r | {"ciphertext": flipped(r["ciphertext"], -1)}, "altered record"),
    "cut": (lambda r: r | {"ciphertext": shortened(r["ciphertext"])}, "altered record"),
    "empty": (lambda r: r | {"ciphertext": ""}, "altered record"),
    "the nonce": (lambda r: r | {"nonce": flipped(r["nonce"], 0)}, "altered record"),
    "the key": (lambda r: r | {"wrappedKey": flipped(r["wrappedKey"], 0)}, "altered record"),
    "the signature": (lambda r: r | {"signature": flipped(r["signature"], 0)}, "altered record"),
    "the number": (lambda r: r | {"sequence": 7}, "altered record"),
    "the time": (lambda r: r | {"createdAt": "2026-11-20T00:00:00.000Z"}, "altered record"),
    "the account key": (lambda r: r | {"accountKeyId": EVIL_ID}, "altered record"),
    "the device": (lambda r: r | {"deviceId": "dev_none"}, "unknown device"),
    "the session": (lambda r: r | {"sessionRef": "another"}, "moved record"),
    "the algorithm": (lambda r: r | {"alg": "none"}, "malformed record"),
    "no base64": (lambda r: r | {"nonce": "!"}, "malformed record"),
    "the id": (lambda r: r | {"recordId": EVIL_ID}, "swapped record"),
}


async def test_a_changed_record_is_refused(laptop: Laptop) -> None:
    await laptop.put(b"words")
    (record,) = next(iter((await laptop.do(Vault.list_records)).values()))
    for name, (change, what) in CHANGED_RECORDS.items():
        laptop.transport.spoil = spoiling(
            record.record_id, lambda body, how=change: {"record": how(body["record"])}
        )
        assert await refused(laptop, read_all) == what, name
    assert await laptop.get() == b"words"


async def test_a_record_of_another_or_an_earlier_one_is_refused(
    laptop: Laptop, desktop: Laptop
) -> None:
    await laptop.put(b"one")
    await laptop.put(b"two")
    await laptop.put(b"other", session="other")
    found = await laptop.do(Vault.list_records)
    work = next(records for records in found.values() if len(records) == 2)
    bodies: dict[str, Any] = {}
    laptop.transport.spoil = spoiling("", lambda body: keep(body, bodies))
    await laptop.get()
    await laptop.get("other")
    for record_id in bodies:
        if record_id != work[1].record_id:
            laptop.transport.spoil = spoiling(
                work[1].record_id, lambda _, to=bodies[record_id]: {"record": to}
            )
            assert await refused(laptop, read_all) == "swapped record"
    # the right id on the wrong record is what its device never signed
    laptop.transport.spoil = spoiling(
        work[1].record_id,
        lambda _: {"record": bodies[work[0].record_id] | {"recordId": work[1].record_id}},
    )
    assert await refused(laptop, read_all) == "altered record"


def keep(body: Any, bodies: dict[str, Any]) -> None:
    if "record" in body:
        bodies[body["record"]["recordId"]] = body["record"]


def listing(change: Callable[[list[Any]], Any]) -> Any:
    """Change the list of records."""
    return spoiling("/records", lambda body: {**body, "records": change(body["records"])})


def with_field(records: list[Any], at: int, **fields: Any) -> list[Any]:
    records[at] |= fields
    return records


LISTINGS: dict[str, tuple[Callable[[list[Any]], Any], str]] = {
    "none of them": (lambda records: [], "withheld records"),
    "all but the first": (lambda records: records[1:], "withheld records"),
    "all but one": (lambda records: [records[0], records[2]], "withheld records"),
    "all but the newest": (lambda records: records[:2], "withheld records"),
    "one twice": (lambda records: [*records, records[2] | {"id": 99}], "replayed record"),
    "one under two numbers": (
        lambda records: [*records, records[2] | {"id": 99, "sequence": 3}],
        "replayed record",
    ),
    "backwards": (lambda records: records[::-1], "reordered records"),
    "of another device": (
        lambda records: with_field(records, 1, deviceId="dev_none"),
        "moved record",
    ),
    "in another session": (
        lambda records: with_field(records, 1, sessionRef="x"),
        "withheld records",
    ),
    "two swapped": (
        lambda records: with_field(with_field(records, 0, sequence=1), 1, sequence=0),
        "swapped record",
    ),
    "a huge number": (lambda records: with_field(records, 2, sequence=2**52), "withheld records"),
}


async def test_a_list_that_is_not_whole_is_refused(laptop: Laptop) -> None:
    for content in (b"one", b"two", b"three"):
        await laptop.put(content)
    for name, (change, what) in LISTINGS.items():
        laptop.transport.spoil = listing(change)
        assert await refused(laptop, read_all) == what, name
    assert await laptop.get() == b"onetwothree"


async def test_what_one_device_has_seen_is_not_withheld_from_it_later(
    laptop: Laptop, desktop: Laptop
) -> None:
    await laptop.put(b"one")
    await laptop.put(b"two")
    assert await desktop.get() == b"onetwo"
    desktop.transport.spoil = listing(lambda records: records[:1])
    assert await refused(desktop, read_all) == "withheld records"


async def test_a_record_that_was_said_to_be_stored_is_missed(laptop: Laptop) -> None:
    def pretend(request: httpx.Request) -> httpx.Response | None:
        if request.method != "POST":
            return None
        ids = [each["recordId"] for each in json.loads(request.content)["records"]]
        return httpx.Response(
            200, json={"results": [{"recordId": each, "status": "created"} for each in ids]}
        )

    laptop.transport.instead = pretend
    await laptop.put(b"one")
    laptop.transport.instead = None
    assert laptop.files.waiting() == []
    assert await refused(laptop, Vault.list_records) == "withheld records"


async def test_an_answer_for_other_records_than_were_sent_is_refused(laptop: Laptop) -> None:
    other = {"results": [{"recordId": EVIL_ID, "status": "created"}]}
    laptop.transport.spoil = spoiling("/records", lambda _: other, method="POST")
    with pytest.raises(Tampered):
        await laptop.put(b"one")
    assert len(laptop.files.waiting()) == 1


async def test_a_deleted_record_does_not_come_back(laptop: Laptop) -> None:
    for content in (b"one", b"two"):
        await laptop.put(content)
    kept: list[Any] = []
    laptop.transport.spoil = spoiling(
        "/records", lambda body: kept.extend(copy.deepcopy(body["records"]))
    )
    await laptop.get()
    laptop.transport.spoil = None

    def delete(vault: Vault) -> None:
        vault.refresh()
        vault.delete(kept[0]["recordId"])

    await laptop.do(delete)
    laptop.transport.spoil = listing(lambda records: kept)
    assert await refused(laptop, read_all) == "replayed record"


async def test_a_list_ends(laptop: Laptop) -> None:
    await laptop.put(b"one")
    laptop.transport.spoil = spoiling("/records", lambda body: {**body, "nextAfter": 1})
    assert await refused(laptop, read_all) == "reordered records"
    laptop.transport.spoil = spoiling("/records", lambda body: {"records": [], "nextAfter": 5})
    assert await refused(laptop, read_all) == "reordered records"


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b"{}", b'{"devices": 7}', b"\xff\xfe", b'{"devices": [{}]}']
)
async def test_what_is_no_answer_is_refused(laptop: Laptop, body: bytes) -> None:
    laptop.transport.spoil = lambda request, _: httpx.Response(200, content=body)
    assert await refused(laptop, Vault.refresh) == "malformed answer"


async def test_an_endless_answer_is_refused(
    laptop: Laptop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.vault.connection.LARGEST_ANSWER", 1000)
    laptop.transport.spoil = lambda request, _: httpx.Response(200, content=b" " * 2000)
    assert await refused(laptop, Vault.refresh) == "endless answer"


@pytest.mark.parametrize("status", [302, 401, 404, 500, 503])
async def test_a_refusal_in_any_form_is_told(laptop: Laptop, status: int) -> None:
    laptop.transport.spoil = lambda request, _: httpx.Response(
        status, content=b"<html>", headers={"location": "https://evil.example/"}
    )
    asked = len(laptop.transport.asked)
    with pytest.raises(VaultError, match=str(status)):
        await laptop.do(Vault.refresh)
    assert len(laptop.transport.asked) == asked + 1
