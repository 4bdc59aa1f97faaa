"""The budget of stage B without a model: what its work is worth in tokens is reserved before it and settled after it, as a model's would be."""

from app.account import metering
from app.account.metering import Reservation
from app.agent.heartbeat.engine import NAME
from app.core.caller import Caller
from app.core.tx import Tx


def reserve(tx: Tx, me: Caller, prompt: int, completion: int) -> Reservation:
    """Reserve tokens in every cap that applies; raise BudgetExceeded."""
    return metering.reserve(tx, me, feature="heartbeat", prompt=prompt, completion=completion, model=NAME)


def settle(tx: Tx, held: Reservation) -> None:
    """Settle what was reserved, which is what it took."""
    metering.settle(tx, held, held.prompt, held.completion)
