"""The budget of stage B without a model.

What its work is worth in tokens is reserved before it and settled after it, as a model's would
be.
"""

from app.account.metering import token_reservations
from app.account.metering.token_reservations import Reservation
from app.agent.heartbeat.decide.decide_by_rules import NAME
from app.core.caller import Caller
from app.core.database.tx import Tx


def reserve(tx: Tx, me: Caller, prompt: int, completion: int) -> Reservation:
    """Reserve tokens in every cap that applies; raise BudgetExceeded."""
    return token_reservations.reserve(
        tx, me, feature="heartbeat", prompt=prompt, completion=completion, model=NAME
    )


def settle(tx: Tx, held: Reservation) -> None:
    """Settle what was reserved, which is what it took."""
    token_reservations.settle(tx, held, held.prompt, held.completion)
