"""Caps: how many tokens or devices may be used in a day or month.

A cap is of an account, a device, a credential, an agent or the heartbeat.
"""

from typing import Annotated

from msgspec import Meta

from app.account import cap_rows, users
from app.account.cap_rows import Cap, Metric, Subject
from app.account.metering import active_devices, token_reservations, token_rows
from app.account.metering.token_rows import Count
from app.account.periods import Period, resets_at, span_of
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.fit_types import copy_fields
from app.core.operation import Http, operation
from app.core.schema import LARGEST_ID, Id, Line, Record
from app.errors import Invalid, NotFound, QuotaExceeded

# every model call looks at those of its user
MOST_CAPS = 200
Limit = Annotated[int, Meta(ge=0, le=LARGEST_ID)]
Percent = Annotated[int, Meta(ge=1, le=100)]
SubjectId = Annotated[
    str,
    Meta(description="the id of a device, credential or agent; without it the cap is of each"),
    Line(1, 160),
]


class CapView(Record):
    """A cap with what it has left.

    Of a cap of each, those numbers are of the one that has taken most.
    """

    id: int
    subject: Subject
    subject_id: str | None
    metric: Metric
    period: Period
    limit: int
    used: int
    reserved: int
    remaining: int
    resets_at: str
    warn_percent: int


class CapList(Record):
    caps: list[CapView]


class CapAnswer(Record):
    cap: CapView


class CapDeleted(Record):
    pass


@operation("GET /metering/caps", category="metering", scope="metering:read")
async def list_caps(app: App, me: Caller) -> CapList:
    """List the account's caps, oldest first, with what each has left."""
    await app.write_gathered()
    return await app.read(_list_caps, me.user)


@operation(
    "POST /metering/caps",
    category="metering",
    scope="metering:manage",
    http=Http(
        status=201,
        refuses={
            "subject": "devices are limited for another subject than the account",
            "period": "devices are limited for another period than a month",
            "subjectId": "the subject is the account or the heartbeat, of which there is one",
        },
    ),
)
async def create_cap(
    app: App,
    me: Caller,
    *,
    subject: Subject,
    metric: Metric,
    period: Period,
    limit: Limit,
    subject_id: SubjectId | None = None,
    warn_percent: Percent = cap_rows.WARN_PERCENT,
) -> CapAnswer:
    """Limit the tokens or the active devices of a subject in a day or month.

    A day is one of the user's time zone, a month one of UTC.
    """
    await app.write_gathered()
    return await app.write(
        _create_cap, me.user, subject, subject_id, metric, period, limit, warn_percent
    )


@operation("PATCH /metering/caps/{id}", category="metering", scope="metering:manage")
async def change_cap(
    app: App, me: Caller, *, id: Id, limit: Limit | None = None, warn_percent: Percent | None = None
) -> CapAnswer:
    """Change a cap's limit or the percentage at which it warns.

    A limit below what is used lets nothing more through.
    """
    await app.write_gathered()
    return await app.write(_change_cap, me.user, id, limit, warn_percent)


@operation("DELETE /metering/caps/{id}", category="metering", scope="metering:manage")
def delete_cap(tx: Tx, me: Caller, *, id: Id) -> CapDeleted:
    """Take a cap away."""
    cap_rows.require_cap(tx, me.user, id)
    cap_rows.delete(tx, me.user, id)
    return CapDeleted()


@operation("COMMAND", category="metering", effect="read")
async def user_caps(app: App, me: Caller, *, username: str) -> CapList:
    """List a user's caps, oldest first."""
    await app.write_gathered()
    return await app.read(lambda tx: _list_caps(tx, users.require_user(tx, username)["id"]))


@operation("COMMAND", category="metering")
def set_cap(
    tx: Tx,
    me: Caller,
    *,
    username: str,
    subject: Subject,
    metric: Metric,
    period: Period,
    limit: Limit,
    subject_id: SubjectId | None = None,
    warn_percent: Percent | None = None,
) -> CapAnswer:
    """Set a user's cap, be it a new one or the one that there is for the same subject, metric
    and period.
    """
    user = users.require_user(tx, username)["id"]
    key = (subject, _stored_id(tx, user, subject, subject_id), metric, period)
    there = next(
        (
            cap
            for cap in cap_rows.list_caps(tx, user)
            if (cap.subject, cap.subject_id, cap.metric, cap.period) == key
        ),
        None,
    )
    if there is None:
        return _create_cap(
            tx,
            user,
            subject,
            subject_id,
            metric,
            period,
            limit,
            warn_percent or cap_rows.WARN_PERCENT,
        )
    return _change_cap(tx, user, there.id, limit, warn_percent)


@operation("COMMAND", category="metering")
def remove_cap(tx: Tx, me: Caller, *, username: str, id: Id) -> CapDeleted:
    """Take a user's cap away."""
    user = users.require_user(tx, username)["id"]
    cap_rows.require_cap(tx, user, id)
    cap_rows.delete(tx, user, id)
    return CapDeleted()


def _list_caps(tx: Tx, user: int) -> CapList:
    zone = token_reservations.zone_of(tx, user)
    return CapList([_cap_view(tx, user, cap, zone) for cap in cap_rows.list_caps(tx, user)])


def _create_cap(
    tx: Tx,
    user: int,
    subject: Subject,
    subject_id: str | None,
    metric: Metric,
    period: Period,
    limit: int,
    warn_percent: int,
) -> CapAnswer:
    if metric == "devices" and (subject, period) != ("account", "month"):
        raise Invalid(
            "Devices can be limited for the account and a month alone.",
            field="subject" if subject != "account" else "period",
        )
    stored = _stored_id(tx, user, subject, subject_id)
    if len(cap_rows.list_caps(tx, user)) >= MOST_CAPS:
        raise QuotaExceeded(
            f"A user has at most {MOST_CAPS} caps; delete one first.", limit=MOST_CAPS
        )
    id_ = cap_rows.insert(
        tx,
        user,
        subject=subject,
        subject_id=stored,
        metric=metric,
        period=period,
        most=limit,
        warn_percent=warn_percent,
    )
    return _cap_answer(tx, user, id_)


def _change_cap(
    tx: Tx, user: int, id_: int, limit: int | None, warn_percent: int | None
) -> CapAnswer:
    cap_rows.require_cap(tx, user, id_)
    cap_rows.update(tx, user, id_, most=limit, warn_percent=warn_percent)
    return _cap_answer(tx, user, id_)


def _cap_answer(tx: Tx, user: int, id_: int) -> CapAnswer:
    cap = cap_rows.require_cap(tx, user, id_)
    return CapAnswer(_cap_view(tx, user, cap, token_reservations.zone_of(tx, user)))


def _stored_id(tx: Tx, user: int, subject: Subject, given: str | None) -> str:
    """Return a subject's id as its tokens are counted.

    Of a credential its kind and number, where a number alone is a key's.
    """
    if given is None:
        return ""
    if subject in ("account", "heartbeat"):
        raise Invalid(
            f"There is one {subject} only, so subjectId must be left out.", field="subjectId"
        )
    if subject != "credential":
        return given
    kind, _, number = given.rpartition(":") if ":" in given else ("key", "", given)
    table = {"key": "keys", "managed_agent": "keys", "oauth": "oauth_grants"}.get(kind)
    # as many digits as an id can have, since SQLite takes no larger number than 64 bits
    found = (
        table is not None
        and number.isascii()
        and number.isdigit()
        and len(number) < len(str(LARGEST_ID))
        and tx.value(
            f"SELECT 1 FROM {table} WHERE id = :id AND user_id = :user", id=int(number), user=user
        )
    )
    if not found:
        raise NotFound(
            "There is no such credential: subjectId is the id of a key, or oauth: and the "
            "id of a grant.",
            field="subjectId",
        )
    return f"{kind}:{int(number)}"


def _cap_view(tx: Tx, user: int, cap: Cap, zone: str) -> CapView:
    taken = _count_used(tx, user, cap, zone)
    return copy_fields(
        CapView,
        cap,
        subject_id=_shown_id(cap),
        limit=cap.most,
        used=taken.used,
        reserved=taken.reserved,
        remaining=max(0, cap.most - taken.used - taken.reserved),
        resets_at=stamp(resets_at(cap.period, tx.moment, zone)),
    )


def _shown_id(cap: Cap) -> str | None:
    return (
        cap.subject_id.removeprefix("key:") if cap.subject == "credential" else cap.subject_id
    ) or None


def _count_used(tx: Tx, user: int, cap: Cap, zone: str) -> Count:
    span = span_of(tx.moment, zone)
    if cap.metric == "devices":
        return Count(active_devices.count_active(tx, user, span.month), 0)
    by, id_ = token_reservations.counting_subject(cap), token_reservations.counting_id(cap)
    return (
        token_rows.largest_count(tx, user, by, cap.period, span)
        if id_ is None
        else token_rows.count(tx, user, by, id_, cap.period, span)
    )
