"""Checks of a listing of records, and of their order, against what this device has seen."""

from collections import defaultdict

from app.vault.answers import ListedRecord
from app.vault.device_files import KnownSession, State
from app.vault.refusals import Tampered
from app.vault.sealed_records import OpenRecord

Sessions = dict[str, list[ListedRecord]]
"""The records of each session, by its reference, in their order."""
NAMED = 5
MOST_MISSING = 100_000
"""As many as a user can have; a number beyond them is made up."""


def learn_listing(
    found: list[ListedRecord], state: State, waiting: dict[str, set[int]], *, accept: bool = False
) -> Sessions:
    """Return the listed records by session, and take in what is new.

    `waiting` are the numbers of this device's records that are not sent yet. Raise Tampered for a
    record that is doubled or comes back, and for one that is missing; with `accept` those may be
    missing from now on.
    """
    sessions: Sessions = defaultdict(list)
    for record in found:
        sessions[record.session_ref].append(record)
    for reference, records in sessions.items():
        records.sort(key=lambda record: record.sequence)
        _check_session(records, state.sessions.get(reference), reference)
    if len({record.record_id.lower() for record in found}) < len(found):
        raise Tampered("replayed record", "the server lists a record twice.")
    missing = _missing(sessions, state, waiting)
    if missing and not accept:
        raise Tampered("withheld records", _told_missing(missing, state))
    for reference, records in sessions.items():
        known = state.sessions.setdefault(reference, KnownSession(records[0].device_id))
        _count_to(known, records[-1].sequence + 1)
        known.accepted = sorted({*known.accepted} - {record.sequence for record in records})
    for reference, numbers in missing.items():
        known = state.sessions[reference]
        known.accepted = sorted({*known.accepted, *numbers})
    return dict(sessions)


def check_opened(opened: OpenRecord, known: KnownSession) -> None:
    """Raise Tampered for a record that was deleted, or that is not the one that had its number."""
    number, name = opened.record.sequence, opened.head.session
    if number in known.gone:
        raise Tampered("replayed record", f"record {number} of session {name} was deleted before.")
    if number == known.count - 1 and known.last not in (None, opened.digest):
        raise Tampered("replayed record", f"record {number} of session {name} is another one now.")


def check_order(opened: OpenRecord, before: OpenRecord | None) -> None:
    """Raise Tampered unless a record names the one before it in its session.

    Where records between the two were deleted, nothing can be said.
    """
    number = opened.record.sequence
    follows = number == 0 if before is None else number == before.record.sequence + 1
    wanted = None if before is None else before.digest
    if follows and opened.head.previous != wanted:
        raise Tampered(
            "reordered records",
            f"record {number} of session {opened.head.session} does not follow the one before it.",
        )


def _check_session(records: list[ListedRecord], known: KnownSession | None, reference: str) -> None:
    numbers = [record.sequence for record in records]
    if len(set(numbers)) < len(numbers):
        raise Tampered("replayed record", f"session {reference} has two records of one number.")
    device = records[0].device_id if known is None else known.device_id
    if any(record.device_id != device for record in records):
        raise Tampered("moved record", f"session {reference} has records of another device.")
    if known is not None and (back := set(numbers) & set(known.gone)):
        raise Tampered(
            "replayed record", f"record {min(back)} of session {reference} was deleted before."
        )


def _missing(
    sessions: Sessions, state: State, waiting: dict[str, set[int]]
) -> dict[str, list[int]]:
    """Return the numbers of each session that must be there and are not."""
    missing = {}
    for reference in {*sessions, *state.sessions}:
        records = sessions.get(reference, [])
        known = state.sessions.get(reference)
        count = max(records[-1].sequence + 1 if records else 0, 0 if known is None else known.count)
        there = {record.sequence for record in records}
        there |= waiting.get(reference, set())
        there |= set(() if known is None else (*known.gone, *known.accepted))
        if count > len(there) + MOST_MISSING:
            raise Tampered(
                "withheld records", f"nearly all of {count} records of {reference} are missing."
            )
        if absent := [number for number in range(count) if number not in there]:
            missing[reference] = absent
    return missing


def _told_missing(missing: dict[str, list[int]], state: State) -> str:
    places = []
    for reference, numbers in list(missing.items())[:NAMED]:
        known = state.sessions.get(reference)
        name = known.name if known is not None and known.name is not None else reference
        shown = ", ".join(map(str, numbers[:NAMED])) + (", …" if len(numbers) > NAMED else "")
        places.append(f"{shown} of session {name}")
    return (
        f"records are missing: {'; '.join(places)}. If you deleted them on another device, or it "
        "has yet to send them, run `hearth vault list --accept-missing`."
    )


def _count_to(known: KnownSession, count: int) -> None:
    if count > known.count:
        known.count, known.last = count, None
