"""The one task that sends what is due, and sleeps while nothing is."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Iterable
from datetime import datetime

from app.core import random_tokens
from app.core.app import App
from app.core.database.tx import stamp
from app.core.process.background_tasks import shielded
from app.core.secret_files import SealBroken
from app.core.web import http_fetch, service_addresses
from app.core.web.addresses import FetchFailed
from app.errors import Unavailable
from app.webhooks import attempts, delivery_rows, retries
from app.webhooks.attempts import Result
from app.webhooks.delivery_rows import Attempt, ToSend
from app.webhooks.signatures import signed_headers

SECONDS = 15.0
"""So long a receiver may take, from its name to its answer."""
MOST_QUICK, MOST_SLOW, MOST_BY_HAND = 64, 32, 16
"""Attempts under way: to receivers that answer well, to others, and those asked for by hand."""
WIDEST = 8
"""Attempts under way to one receiver that answers well."""
MOST_UNNOTED = 4 * WIDEST
"""The receiver goes on while the disk notes what it has taken, but a crash sends all that again."""
SLOW_MS = 2_000
LONGEST_SLEEP = 60.0
"""A machine that was suspended finds out at the latest then that something is due."""
TROUBLE_SECONDS, LAST_SECONDS = 60.0, 1.0
UNSEALED = (
    "The webhook's secret cannot be read: the file sealing-key of the data directory is gone. "
    "Rotate the secret."
)
REDIRECTED = "The receiver redirects, and redirects are not followed."
log = logging.getLogger(__name__)


class Pace:
    """How a webhook is sent to.

    One at first and twice as many after each quick success; one that fails or dawdles is sent to
    one by one, among its like, so that receivers that hang delay each other alone.
    """

    def __init__(self) -> None:
        self.width = 1
        self.is_slow = False
        self.asking = 0
        """Attempts to which the receiver has not answered."""
        self.tasks: dict[int, asyncio.Task[None]] = {}
        """Those and the ones that are not noted yet, by their delivery."""

    @property
    def room(self) -> int:
        """How many more attempts may begin."""
        return min(self.width - self.asking, MOST_UNNOTED - len(self.tasks))

    def adapt(self, *, is_good: bool) -> None:
        """Go on wider after a quick success, and narrow after anything else."""
        self.width = min(2 * self.width, WIDEST) if is_good else 1
        self.is_slow = not is_good


class WebhookSender:
    """Sends what is due. What it knows in memory is a hint: the truth lies in the table."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._due: dict[int, str] = {}
        self._paces: dict[int, Pace] = {}
        self._under_way = {False: 0, True: 0}
        """Attempts by whether they are among the slow."""
        self._by_hand = asyncio.Semaphore(MOST_BY_HAND)
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        app.events.on(delivery_rows.DUE, lambda event: self.note_due(event["webhooks"]))

    def start(self) -> None:
        """Begin to send, with what was left when the server last ended."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Begin no more attempts, and leave those under way a moment to be noted.

        What is cut off is made again after the next start.
        """
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        if running := [task for pace in self._paces.values() for task in pace.tasks.values()]:
            _, late = await asyncio.wait(running, timeout=LAST_SECONDS)
            for task in late:
                task.cancel()

    def note_due(self, webhooks: Iterable[int]) -> None:
        """Look at some webhooks now: there may be something to send."""
        for webhook in webhooks:
            # the empty text comes before every moment
            self._due[webhook] = ""
        self._wake.set()

    async def send_by_hand(self, webhook: int, delivery: int) -> None:
        """Make one attempt now, also for a webhook that is paused, and wait for its end."""
        async with self._by_hand:
            running = self._pace(webhook).tasks.get(delivery)
            await shielded(running or self._begin(webhook, delivery, by_hand=True))

    async def _run(self) -> None:
        for webhook, due in self._app.quick(delivery_rows.first_dues).items():
            self._due.setdefault(webhook, due)
        while True:
            self._wake.clear()
            try:
                seconds = self._begin_due()
            except Exception:
                log.exception("looking for webhook deliveries failed")
                await asyncio.sleep(TROUBLE_SECONDS)
                continue
            # not wait_for, which in Python 3.11 can swallow being cancelled while it is woken
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._wake.wait()

    def _begin_due(self) -> float | None:
        """Begin what is due and there is room for; return after how long something else will be."""
        now = self._app.clock()
        moment = stamp(now)
        for webhook in [webhook for webhook, due in self._due.items() if due <= moment]:
            self._begin_due_for(webhook, moment)
        later = min((due for due in self._due.values() if due > moment), default=None)
        if later is None:
            return None
        return min((datetime.fromisoformat(later) - now).total_seconds(), LONGEST_SLEEP)

    def _begin_due_for(self, webhook: int, moment: str) -> None:
        pace = self._pace(webhook)
        free = (MOST_SLOW if pace.is_slow else MOST_QUICK) - self._under_way[pace.is_slow]
        room = min(pace.room, free)
        if room <= 0:
            # looked at again when an attempt ends
            return
        found = self._app.quick(delivery_rows.next_pending, webhook, len(pace.tasks) + room + 1)
        waiting = [one for one in found if one.id not in pace.tasks]
        due = [one.id for one in waiting[:room] if one.due <= moment]
        for delivery in due:
            self._begin(webhook, delivery)
        # taken out and put back, so that it is the last in turn
        del self._due[webhook]
        if len(due) < len(waiting):
            self._due[webhook] = waiting[len(due)].due
        elif not pace.tasks:
            del self._paces[webhook]

    def _pace(self, webhook: int) -> Pace:
        return self._paces.setdefault(webhook, Pace())

    def _begin(self, webhook: int, delivery: int, *, by_hand: bool = False) -> asyncio.Task[None]:
        pace = self._pace(webhook)
        pace.asking += 1
        self._under_way[pace.is_slow] += 1
        task = self._app.tasks.start(
            self._attempt(webhook, delivery, pace, among=pace.is_slow, by_hand=by_hand)
        )
        pace.tasks[delivery] = task
        return task

    async def _attempt(
        self, webhook: int, delivery: int, pace: Pace, *, among: bool, by_hand: bool
    ) -> None:
        try:
            try:
                made = await self._ask(delivery, pace, by_hand=by_hand)
            finally:
                pace.asking -= 1
                self._under_way[among] -= 1
                self.note_due([webhook])
            if made is not None:
                chance = random_tokens.new_chance()
                await self._app.write(attempts.record_attempt, *made, chance)
        except Exception:
            log.exception("the webhook delivery %d could not be made or noted", delivery)
            # It is due still, and would be tried again at once.
            await asyncio.sleep(TROUBLE_SECONDS)
        finally:
            pace.tasks.pop(delivery, None)
            self.note_due([webhook])

    async def _ask(
        self, delivery: int, pace: Pace, *, by_hand: bool
    ) -> tuple[ToSend, Result] | None:
        """Make an attempt; return None for what is not to be sent any more."""
        found = self._app.quick(delivery_rows.to_send, delivery, by_hand=by_hand)
        if found is None:
            return None
        result = await self._post(found)
        pace.adapt(is_good=result.is_taken and result.attempt.duration_ms < SLOW_MS)
        return found, result

    async def _post(self, found: ToSend) -> Result:
        now, began = self._app.clock(), time.monotonic()

        def attempt(status: int | None, error: str | None) -> Attempt:
            return Attempt(stamp(now), status, error, round((time.monotonic() - began) * 1_000))

        try:
            secrets = self._opened(found)
        except Unavailable as error:
            return Result(attempt(None, error.message))
        if not secrets:
            return Result(attempt(None, UNSEALED))
        try:
            answered = await http_fetch.post(
                found.url,
                service_addresses.policy_for(self._app.settings, found.url),
                body=found.body,
                seconds=SECONDS,
                headers={
                    "Content-Type": "application/json",
                    **signed_headers(
                        secrets,
                        event_id=found.event_id,
                        seconds=int(now.timestamp()),
                        body=found.body,
                    ),
                },
            )
        except FetchFailed as error:
            return Result(attempt(None, str(error)))
        return Result(
            attempt(answered.status, REDIRECTED if 300 <= answered.status < 400 else None),
            retries.asked_wait(answered.status, answered.headers, self._app.clock()),
        )

    def _opened(self, found: ToSend) -> list[str]:
        seal, opened = self._app.seal, []
        for sealed in found.secrets:
            with contextlib.suppress(SealBroken):
                opened.append(seal.open(sealed, purpose(found.user)))
        return opened


def purpose(user: int) -> str:
    """Return what the secrets of a user's webhooks are sealed for."""
    return f"webhook {user}"
