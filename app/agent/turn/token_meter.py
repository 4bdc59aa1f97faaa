"""Counting the model calls of one turn.

Each is reserved before it is made, settled together with the next or with the turn's end.
"""

import contextlib
from collections.abc import Iterable
from typing import NamedTuple

from app.account.metering import token_reservations
from app.account.metering.token_reservations import Reservation
from app.account.metering.token_rows import Feature
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.rewriter import Draft, Rewriter, Rewriting
from app.core.schema import encode
from app.errors import AppError, BudgetExceeded, NotFound

FREE = "offline"
"""The brain that costs nothing.

Where no cap limits it, its tokens are counted at the turn's end alone.
"""
FREE_COMPLETION = 1_000
USUAL_BYTES_A_TOKEN = 4
"""Of English prose."""
LEAST_BYTES_A_TOKEN = 3
"""Of JSON, code and most other scripts; what is reserved must suffice, what is sent must fit."""
OVERHEAD_TOKENS = 10_000
"""What instructions and the descriptions of all tools take beside the messages.

A call that takes less keeps less once it is settled.
"""
FRAME_TOKENS = 16


class Tokens(NamedTuple):
    prompt: int
    completion: int


def count_tokens(texts: Iterable[str | bytes]) -> int:
    """Return the tokens that texts take at most, nearly always."""
    size = sum(
        len(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
        for text in texts
    )
    return -(-size // LEAST_BYTES_A_TOKEN)


def reserve_first_call(
    tx: Tx,
    me: Caller,
    *,
    feature: Feature,
    model: str,
    texts: Iterable[str | bytes],
    agent: str | None = None,
) -> Reservation | None:
    """Reserve a turn's first model call, in the transaction that begins the turn.

    None where nothing needs to be reserved. Raises BudgetExceeded.
    """
    if model == FREE and not token_reservations.is_capped(tx, me, feature=feature, agent=agent):
        return None
    prompt = count_tokens(texts) + (FRAME_TOKENS if model == FREE else OVERHEAD_TOKENS)
    return token_reservations.reserve(
        tx,
        me,
        feature=feature,
        model=model,
        prompt=prompt,
        completion=longest_answer(model, tx.settings.max_completion),
        agent=agent,
    )


def longest_answer(model: str, most: int) -> int:
    """Return how many tokens are reserved for the longest answer."""
    return max(1, min(most, FREE_COMPLETION) if model == FREE else most)


def reply_exceeded(left: int) -> BudgetExceeded:
    """Return the refusal of a call for which an agent's limit for each reply leaves no room."""
    return BudgetExceeded(
        f"This does not fit into the tokens that the agent may take for one reply ({left:,} are "
        "left of perReplyTokens).",
        cap=None,
        resetsAt=None,
        retryAfter=1,
    )


class Meter:
    """The model calls of one turn, one after another; `held` is what `first_call` gave.

    What is reserved for a call of which nothing was heard any more is settled in full.
    """

    def __init__(
        self,
        app: App,
        me: Caller,
        *,
        feature: Feature,
        model: str,
        held: Reservation | None,
        agent: str | None = None,
        reply_tokens: int | None = None,
    ) -> None:
        self.app = app
        self.me = me
        self.feature = feature
        self.model = model
        self.agent = agent
        self._left = reply_tokens
        self._most: int | None = None
        self._reserves = held is not None
        self._held = held
        self._begun = False
        self._taken: Tokens | None = None
        self._uncounted = Tokens(0, 0)

    @property
    def reserves(self) -> bool:
        """Whether calls of this turn are to be asked for before they are made."""
        return self._reserves or self._left is not None

    @property
    def most(self) -> int | None:
        """Return the longest answer that the present call may give, in tokens.

        None where no cap limits it.
        """
        capped = self._held is not None and self._held.capped
        limits = [self._most, self._held.completion if self._held is not None and capped else None]
        return min((one for one in limits if one is not None), default=None)

    async def before(self, prompt: int, completion: int) -> None:
        """Reserve a call.

        Raise BudgetExceeded where a cap, or what the answer may take, has no room for it.
        """
        if self._left is not None:
            if prompt >= self._left:
                raise reply_exceeded(self._left)
            completion = self._most = min(completion, self._left - prompt)
        if not self._reserves:
            return
        # The first call uses what the turn's beginning reserved, if that suffices.
        waits = self._held is not None and not self._begun
        if not (
            waits
            and self._held is not None
            and prompt <= self._held.prompt
            and completion <= self._held.completion
        ):
            self._held = await self.app.write(self._next, prompt, completion)
        self._begun, self._taken = True, None

    def after(self, prompt: int, completion: int) -> None:
        """Note what the call took in truth."""
        if self._left is not None:
            self._left = max(0, self._left - prompt - completion)
        if self._reserves:
            self._taken = Tokens(prompt, completion)
        else:
            self._uncounted = Tokens(
                self._uncounted.prompt + prompt, self._uncounted.completion + completion
            )

    def end(self, tx: Tx) -> None:
        """Count what is not yet counted; of a user who is gone nothing is.

        To be called once, in the transaction that ends the turn.
        """
        self._settle(tx)
        if any(self._uncounted):
            with contextlib.suppress(NotFound):
                token_reservations.record(
                    tx,
                    self.me,
                    feature=self.feature,
                    model=self.model,
                    agent=self.agent,
                    **self._uncounted._asdict(),
                )

    def _next(self, tx: Tx, prompt: int, completion: int) -> Reservation:
        self._settle(tx)
        return token_reservations.reserve(
            tx,
            self.me,
            feature=self.feature,
            model=self.model,
            prompt=prompt,
            completion=completion,
            agent=self.agent,
        )

    def _settle(self, tx: Tx) -> None:
        if self._held is None:
            return
        # Begun and nothing heard of: it may have cost all that was reserved.
        if self._begun:
            token_reservations.settle(
                tx, self._held, *(self._taken or (self._held.prompt, self._held.completion))
            )
        else:
            token_reservations.release(tx, self._held)


class MeteredRewriter:
    """A rewriter whose calls are reserved and settled.

    Where a cap has no room, it refuses and the rules' own words stand.
    """

    def __init__(self, app: App, me: Caller, rewriter: Rewriter) -> None:
        self._app = app
        self._me = me
        self._rewriter = rewriter

    async def rewrite(self, draft: Draft) -> Rewriting:
        """Return what the rewriter gives."""
        text, most = encode(draft), self._app.settings.max_completion
        held = await self._app.write(
            reserve_first_call, self._me, feature="briefing", model="", texts=(text,)
        )
        meter = Meter(self._app, self._me, feature="briefing", model="", held=held)
        await meter.before(count_tokens((text,)), longest_answer("", most))
        try:
            found = await self._rewriter.rewrite(draft)
            # The rewriter tells one sum; what the prompt can have been at most is taken as its
            # part.
            prompt = min(found.tokens, count_tokens((text,)) + OVERHEAD_TOKENS)
            meter.after(prompt, found.tokens - prompt)
        except AppError:
            meter.after(0, 0)
            raise
        finally:
            # As a task, so that it is counted also when whoever asked has run out of time.
            self._app.tasks.start(self._app.write(meter.end))
        return found
