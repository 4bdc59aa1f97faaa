"""The vault of a device: storing, listing, reading and deleting records, each answer checked."""

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

from app.core.database.tx import stamp, utc_now
from app.core.random_tokens import new_uuid
from app.vault import answers
from app.vault.check_keys import account_keys, learn_devices, learn_keys
from app.vault.check_records import Sessions, check_opened, check_order, learn_listing
from app.vault.connection import Connection
from app.vault.device_files import DeviceFiles, Identity, KnownSession, State
from app.vault.encoding import decode_base64url
from app.vault.envelope import SealedRecord
from app.vault.refusals import NoKeyHere, ServerRefused, Tampered, VaultError
from app.vault.sealed_records import (
    LARGEST_CONTENT,
    Head,
    OpenRecord,
    SealingDevice,
    digest_of,
    open_record,
    seal_record,
)

PAGE = 200
MOST_IN_REQUEST = 100
BYTES_IN_REQUEST = 40 << 20
NOT_ENROLLED = "This device is not enrolled. Run `hearth vault enrol SERVER` first."


class Sent:
    """How sending went: how many records the server took, and why it refused others."""

    def __init__(self) -> None:
        self.taken = 0
        self.refused: list[str] = []


class Vault:
    """An enrolled device. Whoever uses it holds the lock of its files."""

    def __init__(
        self,
        files: DeviceFiles,
        connect: Callable[[str, str | None], Connection] = Connection,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        identity = files.identity()
        if identity is None or identity.device_id is None:
            raise VaultError(NOT_ENROLLED)
        self.files = files
        self.identity: Identity = identity
        self.state: State = files.state()
        self.connection = connect(identity.server, identity.device_token)
        self.first_key = False
        self.any_key = False
        self._clock = clock

    def close(self) -> None:
        """End the connection."""
        self.connection.close()

    def refresh_devices(self) -> list[answers.Device]:
        """Ask for the devices, check them, keep what is new, and return them."""
        if self.identity.user_id is None:  # asked once: the user's id is part of every record
            found = self.connection.get("/identity", answers.Identity)
            self.identity.user_id = found.profile.user_id
            self.files.keep_identity(self.identity)
        devices = self.connection.get("/raw-memory/devices", answers.Devices).devices
        learn_devices(devices, self.identity, self.state)
        self.save()
        return devices

    def refresh(self) -> answers.Keys:
        """Ask for the devices and the account key, check them, and keep what is new."""
        self.refresh_devices()
        keys = self.connection.get("/raw-memory/keys", answers.Keys)
        self.any_key = keys.account_key_id is not None
        self.first_key = learn_keys(keys, self.identity, self.state)
        self.save()
        return keys

    def save(self) -> None:
        """Keep what was seen."""
        self.files.keep_state(self.state)

    def put(self, session: str, name: str, parts: Iterable[bytes]) -> int:
        """Seal a content into records of a session and keep them to be sent; return how many."""
        if self.state.current is None:
            raise NoKeyHere("There is no account key yet. Run `hearth vault enrol` to its end.")
        reference, known = self._own_session(session)
        at = 0
        for at, (content, more) in enumerate(_cut(parts), 1):
            head = Head(
                session=session,
                session_ref=reference,
                name=name,
                previous=known.last,
                part=at,
                more=more,
            )
            record = seal_record(
                self._sealing(),
                head,
                content,
                sequence=known.count,
                created_at=stamp(self._clock()),
            )
            # the number is taken before the record may leave, so that no other can have it
            self.files.keep_waiting(record)
            known.count, known.last = known.count + 1, digest_of(record)
            self.save()
        return at

    def send(self) -> Sent:
        """Send the records that wait; those that the server refuses go on waiting."""
        sent, paths = Sent(), self.files.waiting()
        while paths:
            batch = _batch(paths)
            self._send_batch([(path, self.files.read_waiting(path)) for path in batch], sent)
            paths = paths[len(batch) :]
        return sent

    def list_records(self, *, accept: bool = False) -> Sessions:
        """Return every record by its session; raise Tampered where one is missing or doubled."""
        found: list[answers.ListedRecord] = []
        after = 0
        while True:
            page = self.connection.get(
                "/raw-memory/records", answers.RecordPage, after=after, limit=PAGE
            )
            for record in page.records:
                if record.id <= after:
                    raise Tampered("reordered records", "the list of records goes back.")
                after = record.id
            found += page.records
            if page.next_after is None:
                break
            if not page.records or page.next_after != after:
                raise Tampered("reordered records", "the list of records does not go on.")
        waiting = self.files.waiting_numbers()
        sessions = learn_listing(found, self.state, waiting, accept=accept)
        self._learn_names(sessions)
        self.save()
        return sessions

    def read(self, record_id: str) -> OpenRecord:
        """Return a record, opened and checked."""
        answer = self.connection.get(f"/raw-memory/records/{record_id}", answers.WholeRecord)
        if answer.record.record_id.lower() != record_id.lower():
            raise Tampered("swapped record", f"the server gave another record than {record_id}.")
        opened = self._open(answer.record)
        known = self.state.sessions.get(opened.record.session_ref)
        if known is not None:
            check_opened(opened, known)
        return opened

    def read_session(self, name: str) -> Iterable[OpenRecord]:
        """Yield the records of a session, opened and checked, in order; of each device in turn."""
        sessions = self.list_records()
        references = [ref for ref in sessions if self.state.sessions[ref].name == name]
        if not references:
            raise VaultError(f"There is no session {name}.")
        references.sort(key=lambda ref: sessions[ref][0].created_at)
        for reference in references:
            yield from self._read_in_order(reference, sessions[reference])

    def delete(self, record_id: str) -> None:
        """Delete a record for good."""
        opened = self.read(record_id)
        self.connection.delete(f"/raw-memory/records/{record_id}", answers.Answer)
        known = self.state.sessions.setdefault(
            opened.record.session_ref, KnownSession(opened.record.device_id, opened.head.session)
        )
        number = opened.record.sequence
        known.count = max(known.count, number + 1)
        known.gone = sorted({*known.gone, number})
        self.save()

    def delete_session(self, name: str) -> int:
        """Delete every record of a session for good; return how many."""
        sessions = self.list_records()
        references = [ref for ref in sessions if self.state.sessions[ref].name == name]
        if not references:
            raise VaultError(f"There is no session {name}.")
        for reference in references:
            self.connection.delete("/raw-memory/records", answers.Answer, sessionRef=reference)
            known = self.state.sessions[reference]
            known.gone = sorted({*known.gone, *(each.sequence for each in sessions[reference])})
            self.save()
        return sum(len(sessions[reference]) for reference in references)

    def usage(self) -> answers.Usage:
        """Return how much room the records take, as the server says."""
        return self.connection.get("/raw-memory/usage", answers.Usage)

    def _own_session(self, name: str) -> tuple[str, KnownSession]:
        """Return this device's session of that name; a new one where its end is not known."""
        for reference, known in self.state.sessions.items():
            is_own = known.device_id == self.identity.device_id and known.name == name
            if is_own and (known.last is not None or not known.count):
                return reference, known
        reference = new_uuid()
        known = KnownSession(self.identity.device_id or "", name)
        self.state.sessions[reference] = known
        return reference, known

    def _sealing(self) -> SealingDevice:
        identity, current = self.identity, self.state.current or ""
        return SealingDevice(
            identity.user_id or "",
            identity.device_id or "",
            decode_base64url(identity.signing_key),
            current,
            decode_base64url(self.state.keys[current]),
        )

    def _send_batch(self, batch: list[tuple[Path, SealedRecord]], sent: Sent) -> None:
        by_id = {record.record_id: path for path, record in batch}
        body = {"records": [record for _, record in batch]}
        try:
            results = self.connection.post(
                "/raw-memory/records", answers.UploadResults, body
            ).results
        except ServerRefused as refused:
            if refused.results is None:
                raise
            results = refused.results
        if [result.record_id for result in results] != list(by_id):
            raise Tampered("malformed answer", "the server answers for other records than sent.")
        for result in results:
            if result.status == "rejected":
                sent.refused.append(f"{result.record_id}: {result.message} ({result.error})")
            else:
                by_id[result.record_id or ""].unlink(missing_ok=True)
                sent.taken += 1

    def _open(self, record: SealedRecord) -> OpenRecord:
        device = self.state.devices.get(record.device_id)
        if device is None:
            raise Tampered(
                "unknown device", f"record {record.record_id} is of a device that is not listed."
            )
        opened = open_record(
            record,
            self.identity.user_id or "",
            decode_base64url(device.signing_key),
            account_keys(self.state),
        )
        known = self.state.sessions.get(record.session_ref)
        if known is not None and known.device_id != record.device_id:
            raise Tampered("moved record", f"record {record.record_id} is of another device.")
        if known is not None and known.name not in (None, opened.head.session):
            raise Tampered("moved record", f"record {record.record_id} is of another session.")
        return opened

    def _read_listed(self, listed: answers.ListedRecord) -> OpenRecord:
        opened = self.read(listed.record_id)
        if opened.record.sequence != listed.sequence:
            raise Tampered("swapped record", f"record {listed.record_id} has another number.")
        return opened

    def _read_in_order(
        self, reference: str, listed: list[answers.ListedRecord]
    ) -> Iterable[OpenRecord]:
        known = self.state.sessions[reference]
        before: OpenRecord | None = None
        for each in listed:
            opened = self._read_listed(each)
            check_order(opened, before)
            if opened.record.sequence == known.count - 1:
                known.last = opened.digest
            yield opened
            # of its content nobody needs any more
            before = OpenRecord(opened.record, opened.head, b"", opened.digest)
        self.save()

    def _learn_names(self, sessions: Sessions) -> None:
        """Read one record of each session whose name is not known yet."""
        for reference, records in sessions.items():
            known = self.state.sessions[reference]
            if known.name is None:
                smallest = min(records, key=lambda record: record.size_bytes)
                known.name = self._read_listed(smallest).head.session


def _cut(parts: Iterable[bytes]) -> Iterable[tuple[bytes, bool]]:
    """Yield a content in pieces that each are one record, and whether another one follows.

    Of an empty content a single empty piece.
    """
    waiting = bytearray()
    for part in parts:
        waiting += part
        while len(waiting) > LARGEST_CONTENT:
            yield bytes(waiting[:LARGEST_CONTENT]), True
            del waiting[:LARGEST_CONTENT]
    yield bytes(waiting), False


def _batch(paths: list[Path]) -> list[Path]:
    """Return the first files that may go in one request."""
    size = 0
    batch: list[Path] = []
    for path in paths[:MOST_IN_REQUEST]:
        size += path.stat().st_size
        if batch and size > BYTES_IN_REQUEST:
            break
        batch.append(path)
    return batch
