"""Tokens and their caps: reserved before a model call, settled by what the call used."""

from collections.abc import Iterator
from datetime import timedelta

import msgspec

from app.account import cap_rows, users
from app.account.cap_rows import Cap
from app.account.metering import token_rows
from app.account.metering.token_rows import Count, CountedBy, Feature, Use
from app.account.periods import Period, Span, resets_at, seconds_until, span_of
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import HOUR, operation
from app.core.schema import Record
from app.errors import BudgetExceeded

MOST_TOKENS = 1 << 32
LONGEST_CALL = timedelta(hours=1)
UNITS: dict[Period, str] = {"day": "a day", "month": "a month"}


class Reservation(msgspec.Struct, frozen=True):
    """What was reserved for one model call; `capped` says whether a cap limits it."""

    id: int
    prompt: int
    completion: int
    capped: bool = False


def reserve(
    tx: Tx,
    me: Caller,
    *,
    feature: Feature,
    prompt: int,
    completion: int,
    model: str = "",
    agent: str | None = None,
) -> Reservation:
    """Reserve the most tokens that a model call may take, in every cap that applies or in none.

    Raises BudgetExceeded, with nothing changed, where a cap has no room for it.
    """
    use, zone = _token_use(tx, me, feature, agent)
    caps = list(_applying_caps(tx, use))
    refused = [
        cap
        for cap, by, id_ in caps
        if sum(token_rows.count(tx, me.user, by, id_, cap.period, use.span)) + prompt + completion
        > cap.most
    ]
    if refused:
        raise budget_exceeded(tx, refused, zone)
    return Reservation(
        token_rows.insert_open(tx, use, model=model, prompt=prompt, completion=completion),
        prompt,
        completion,
        bool(caps),
    )


def settle(tx: Tx, reservation: Reservation, prompt: int, completion: int) -> None:
    """Count what the call took in truth and release the rest; settling again changes nothing."""
    row = token_rows.find_open(tx, reservation.id)
    if row is not None:
        prompt, completion = _limit_tokens(prompt), _limit_tokens(completion)
        _warn_of_caps(tx, token_rows.settle(tx, row, prompt=prompt, completion=completion))


def release(tx: Tx, reservation: Reservation) -> None:
    """Release what was reserved for a call that was never made."""
    row = token_rows.find_open(tx, reservation.id)
    if row is not None:
        token_rows.remove(tx, row)


def record(
    tx: Tx,
    me: Caller,
    *,
    feature: Feature,
    prompt: int,
    completion: int,
    model: str = "",
    agent: str | None = None,
) -> None:
    """Count a call for which nothing was reserved."""
    use, _ = _token_use(tx, me, feature, agent)
    token_rows.insert_settled(
        tx, use, model=model, prompt=_limit_tokens(prompt), completion=_limit_tokens(completion)
    )
    _warn_of_caps(tx, use)


def is_capped(tx: Tx, me: Caller, *, feature: Feature, agent: str | None = None) -> bool:
    """Return whether any cap limits the tokens of such a call."""
    use, _ = _token_use(tx, me, feature, agent)
    return any(True for _ in _applying_caps(tx, use))


def spent_until(tx: Tx, me: Caller, *, feature: Feature) -> str | None:
    """Return when a cap that is used up, so that no such call fits, begins anew.

    Of several the last. None where there is room.
    """
    use, zone = _token_use(tx, me, feature, None)
    full = [
        cap
        for cap, by, id_ in _applying_caps(tx, use)
        if sum(token_rows.count(tx, me.user, by, id_, cap.period, use.span)) >= cap.most
    ]
    return max((stamp(resets_at(cap.period, tx.moment, zone)) for cap in full), default=None)


def any_abandoned(tx: Tx) -> bool:
    """Return whether calls were left open when a server was stopped."""
    return token_rows.any_open(tx)


def settle_all(tx: Tx) -> int:
    """Settle in full what a server left open that is no more, and give the number of calls."""
    # sorts behind every moment
    return _settle_in_full(tx, before="~")


@operation("COMMAND", every=HOUR)
def settle_forgotten_calls(tx: Tx, me: Caller) -> Record:
    """Settle in full the calls that were left open for longer than any call takes."""
    _settle_in_full(tx, before=stamp(tx.moment - LONGEST_CALL))
    return Record()


def budget_exceeded(tx: Tx, caps: list[Cap], zone: str) -> BudgetExceeded:
    """Return the refusal by the one of these caps that frees itself last."""
    cap = max(caps, key=lambda cap: resets_at(cap.period, tx.moment, zone))
    later = resets_at(cap.period, tx.moment, zone)
    return BudgetExceeded(
        f"This does not fit into the cap of {cap.most:,} {cap.metric} "
        f"{UNITS[cap.period]} for {_cap_name(cap)}.",
        cap=cap.id,
        resetsAt=stamp(later),
        retryAfter=seconds_until(later, tx.moment),
    )


def counting_subject(cap: Cap) -> CountedBy:
    """Return under what the tokens of a cap are counted."""
    return "feature" if cap.subject == "heartbeat" else cap.subject


def counting_id(cap: Cap) -> str | None:
    """Return the one id under which they are counted; None where the cap is of each."""
    if cap.subject == "account":
        return ""
    return "heartbeat" if cap.subject == "heartbeat" else cap.subject_id or None


def zone_of(tx: Tx, user: int) -> str:
    """Return the zone by which a user's days are counted."""
    return users.settings_of(tx, user).timezone


def _token_use(tx: Tx, me: Caller, feature: Feature, agent: str | None) -> tuple[Use, str]:
    zone = zone_of(tx, me.user)
    return Use(
        me.user, feature, me.credential_id, me.device_id, agent, *span_of(tx.moment, zone)
    ), zone


def _applying_caps(tx: Tx, use: Use) -> Iterator[tuple[Cap, CountedBy, str]]:
    """Yield the caps that limit such a call, with the subject whose count each of them looks at."""
    subjects = dict(use.subjects)
    for cap in cap_rows.list_token_caps(
        tx, use.user, credential=use.credential, device=use.device, agent=use.agent
    ):
        by, wanted = counting_subject(cap), counting_id(cap)
        if by in subjects and wanted in (None, subjects[by]):
            yield cap, by, subjects[by]


def _warn_of_caps(tx: Tx, use: Use) -> None:
    for cap, by, id_ in _applying_caps(tx, use):
        counted = token_rows.count(tx, use.user, by, id_, cap.period, use.span)
        warn_of_cap(tx, use.user, cap, counted, id_, use.span)


def warn_of_cap(tx: Tx, user: int, cap: Cap, counted: Count, subject_id: str, span: Span) -> None:
    """Tell of a cap that is used up to its warning, once in its period."""
    if counted.used and counted.used * 100 >= cap.most * cap.warn_percent:
        period = span.day if cap.period == "day" else span.month
        if cap_rows.warn_once(tx, cap, subject_id, period):
            tx.emit("budget.warning", user=user, capId=cap.id, used=counted.used, limit=cap.most)


def _limit_tokens(tokens: int) -> int:
    """Return a number of tokens that a provider said as one that a call can take."""
    return min(max(tokens, 0), MOST_TOKENS)


def _settle_in_full(tx: Tx, *, before: str) -> int:
    rows = token_rows.all_open(tx, before=before)
    for row in rows:
        _warn_of_caps(
            tx, token_rows.settle(tx, row, prompt=row["prompt"], completion=row["completion"])
        )
    return len(rows)


def _cap_name(cap: Cap) -> str:
    if cap.subject in ("account", "heartbeat"):
        return f"the {cap.subject}"
    return f"the {cap.subject} {cap.subject_id}" if cap.subject_id else f"each {cap.subject}"
