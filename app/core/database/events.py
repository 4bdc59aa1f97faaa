"""Who hears of an event: within the transaction that made it, or after that has committed."""

import logging
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from app.core.database.tx import Tx

Listener = Callable[[dict[str, Any]], None]
ListenerWithin = Callable[[Tx, Any], None]
log = logging.getLogger(__name__)


class Events:
    """Listeners by event name; they run on the event loop, in the order in which they came."""

    def __init__(self) -> None:
        self._listeners: dict[str, list[Listener]] = defaultdict(list)
        self.within: dict[str, list[ListenerWithin]] = {}
        """Those that `Tx.tell` and `Tx.emit` call, on the writer's thread, as a part of the
        transaction.
        """

    def on(self, name: str, listener: Listener) -> None:
        """Call `listener` with the payload of every later event called `name`."""
        self._listeners[name].append(listener)

    def on_within(self, name: str, listener: ListenerWithin) -> None:
        """Call `listener` with the transaction and what is told under that name."""
        self.within.setdefault(name, []).append(listener)

    def publish(self, name: str, payload: dict[str, Any]) -> None:
        """Tell the listeners; what was committed stands, so a listener that fails is only
        logged.
        """
        for listener in self._listeners.get(name, ()):
            try:
                listener(payload)
            except Exception:
                log.exception("a listener of %s failed", name)
