"""What is to answer: a language model, or the rules where none is configured or can be asked."""

from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from app.agent.models import model_choice
from app.agent.models.model_choice import OFFLINE
from app.agent.models.providers import ProviderMissing, Providers
from app.agent.turn.turn_result import Fallback
from app.core.app import App
from app.core.caller import Caller
from app.core.process.lazy_import import lazy_import

if TYPE_CHECKING:
    from pydantic_ai.models import Model


class Brain(msgspec.Struct, frozen=True):
    """What answers one turn, a model for pydantic-ai or, without one, the rules.

    Its name, who provides it, and whether it runs on this machine.
    """

    model: "Model | None"
    name: str
    provider: str
    local: bool
    missing: Fallback | None = None

    @property
    def fallback(self) -> Fallback | None:
        """Why the rules answered in its place; None as long as they did not."""
        # A model may only find out in the middle of its turn that it cannot answer.
        return self.missing or getattr(self.model, "fallback", None)


async def pick_brain(
    app: App, me: Caller, wanted: str | None = None, *, now: datetime | None = None
) -> Brain:
    """Return the brain for one turn.

    The model of the name that is wanted, else the user's default, else the server's, else the
    rules.

    `now` is the user's local time. A brain is for one turn only: it remembers whether the rules
    had to take over.
    """
    configured = app.quick(model_choice.choose_model, me, wanted)
    if configured is None:
        return Brain(None, OFFLINE, OFFLINE, local=True)
    local = model_choice.is_local(configured.url)
    try:
        asked = await app.part(Providers).model(configured)
    except ProviderMissing as missing:
        return Brain(
            None,
            configured.name,
            configured.provider,
            local,
            Fallback(configured.name, str(missing)),
        )
    moment = now or app.clock()
    # Loaded here: most servers run without a model, and it takes over a second.
    guarded, rules = (
        await lazy_import("app.agent.models.guarded_model"),
        await lazy_import("app.agent.models.rules_model"),
    )
    return Brain(
        guarded.GuardedModel(asked, rules.RulesModel(moment), configured, moment),
        configured.name,
        configured.provider,
        local,
    )


def brain_name(app: App, me: Caller) -> str:
    """Return the name of the brain that `pick_brain` would take by default."""
    return app.quick(model_choice.name_of, me)
