"""Put the parts together: the only place where they meet."""

import contextlib
import functools
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from app.account.metering import token_reservations
from app.account.oauth.clients import NamedClients
from app.agent.heartbeat.clock import DueHeartbeats
from app.agent.heartbeat.records import run_rows, tiers
from app.agent.memory import episode_sources, episodes, message_memory, recall
from app.agent.models import model_choice
from app.agent.models.model_tests import ModelTests
from app.agent.models.providers import Providers
from app.agent.turn import turn_rows
from app.catalog import CATALOG
from app.core import idempotency
from app.core.app import App
from app.core.caller import OPERATOR
from app.core.database import clock_steps, integrity
from app.core.database.backup_status import BackupState
from app.core.database.data_dir import DATABASE
from app.core.database.events import Events
from app.core.database.sqlite_setup import Sealed
from app.core.database.store import Store
from app.core.database.tx import Clock, Tx, utc_now
from app.core.embedder import Embedder
from app.core.hooks import Hooks
from app.core.limits import Rates
from app.core.process.lazy_import import lazy_import
from app.core.process.power_source import on_battery
from app.core.secret_files import KeptSecrets, Seal
from app.embedding.choose_embedder import embedder_for, former_for
from app.errors import StorageFull
from app.interfaces import control
from app.interfaces.credentials import Credentials
from app.interfaces.guard import Guard
from app.interfaces.home import routes as home
from app.interfaces.http import Api
from app.interfaces.logs.access_log import AccessLog
from app.interfaces.oauth import metadata
from app.interfaces.oauth.consent_pages import ConsentPages
from app.interfaces.oauth.token_endpoints import TokenEndpoints
from app.interfaces.pages import (
    device_code_page,
    enrolment_page,
    guest_endpoint,
    installing,
    link_pages,
    mcp_callback,
    pages,
    sign_in,
    sign_in_page,
    static_files,
)
from app.interfaces.schedule import Schedule
from app.managed_agents import agent_callers, agent_gate, agent_messages
from app.managed_agents.agent_turns import RunningTurns
from app.managed_agents.wake_agents import DueWakes
from app.network.contacts import contact_requests
from app.network.grants import grant_rows, share_rows
from app.network.messages import waiting_rows
from app.portability.transfer_jobs import Transfers
from app.runtime.approvals import tool_approvals
from app.runtime.delegations import collaborations
from app.runtime.devices.gathered_beats import GatheredBeats
from app.runtime.messages import message_rows
from app.runtime.realtime.listeners import Listeners
from app.settings import Settings
from app.tools.approvals import escalation_rows
from app.tools.mcp import removal
from app.tools.mcp.connections import McpConnections
from app.tools.mcp.logins import McpLogins
from app.webhooks import outbox
from app.webhooks.sender import WebhookSender
from app.workspace.index import link_rows, name_index, trigram_index, word_index
from app.workspace.search.vectors.vector_maker import VectorMaker
from app.workspace.todos.remind import Reminders

TASKS_SECONDS = 5.0


class Application(Starlette):
    """Starlette for the lifespan, with the door in front of it for every request."""

    front: Api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self.front if scope["type"] == "http" else super().__call__)(scope, receive, send)


def create_app(
    settings: Settings,
    data: Path,
    *,
    clock: Clock = utc_now,
    control_token: str | None = None,
    embedder: Embedder | None = None,
    sealed: Sealed = "",
) -> Starlette:
    """Return the ASGI application that serves the migrated database in `data`.

    Its lifespan opens and closes it.

    `control_token` opens the door for the command line; without it there is none.
    `app.state.parts` is the running `App`. `sealed`: it is opened such that nothing can be
    written, and nothing runs in the background.
    """
    parts = build_parts(settings, data, clock=clock, embedder=embedder, sealed=sealed)
    credentials = Credentials(parts, Guard(settings))
    log = AccessLog(
        data / "access.log" if settings.access_log else None, most=settings.access_log_size
    )
    schedule = Schedule(parts)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        with contextlib.closing(log):
            async with opened(parts, TASKS_SECONDS):
                if not sealed:
                    # what a full disk has no room for is mended by the next start
                    with contextlib.suppress(StorageFull):
                        await _mend(parts)
                    parts.part(Transfers).clean(parts)
                    schedule.start()
                    parts.part(VectorMaker).start()
                    parts.part(WebhookSender).start()
                try:
                    yield
                finally:
                    # nothing new begins
                    schedule.stop()
                    await parts.part(VectorMaker).stop()
                    await parts.part(WebhookSender).stop()

    app = Application(lifespan=lifespan)
    app.front = Api(
        parts, pages=_page_routes(parts, control_token), credentials=credentials, log=log
    )
    app.state.parts = parts
    return app


@contextlib.asynccontextmanager
async def opened(parts: App, seconds: float) -> AsyncIterator[App]:
    """Open the store while the block runs; then wait so long for what it has begun, and close
    what that uses.

    Each step of the end is taken also where the one before it failed or was cancelled.
    """
    async with contextlib.AsyncExitStack() as ending:
        # the last is the first to end
        ending.push_async_callback(parts.store.close)
        ending.push_async_callback(parts.embedder.close)
        ending.push_async_callback(parts.part(McpConnections).close)
        ending.callback(parts.part(McpLogins).close)
        ending.push_async_callback(parts.part(Providers).close)
        ending.push_async_callback(parts.write_gathered)
        ending.push_async_callback(parts.tasks.close, seconds)
        await parts.store.open()
        yield parts


def _page_routes(parts: App, control_token: str | None) -> list[Route]:
    """Return what is served beside the API."""
    named = NamedClients(parts.settings)
    return [
        *_fixed_routes(),
        *ConsentPages(parts.clock, named).routes(),
        *TokenEndpoints(named).routes(),
        *(control.routes(control_token) if control_token else []),
    ]


# a test's own server takes a seventh less with what a process has made already
@functools.cache
def _fixed_routes() -> tuple[Route, ...]:
    """Return the routes that are the same for every server of this process."""
    return (
        *pages.routes(),
        *home.routes(),
        *static_files.routes(),
        *installing.routes(),
        *metadata.routes(),
        *sign_in.routes(),
        *sign_in_page.routes(),
        *device_code_page.routes(),
        *enrolment_page.routes(),
        *guest_endpoint.routes(),
        *mcp_callback.routes(),
        *link_pages.routes(),
    )


async def _mend(parts: App) -> None:
    """Bring to an end what the run before left in the middle, when it did not end in order."""
    # each looks first, so that an ordinary start writes nothing
    if parts.glance(word_index.is_outdated):
        await parts.write(word_index.clear)
    if parts.glance(idempotency.any_claimed):
        await parts.write(idempotency.free_claimed)
    if parts.quick(turn_rows.any_running):
        await parts.write(turn_rows.interrupt_all)
    if parts.quick(waiting_rows.any_claimed):
        await parts.write(waiting_rows.recover_after_stop)
    if parts.quick(escalation_rows.any_continuing):
        await parts.write(escalation_rows.close_continuing, OPERATOR)
    if parts.quick(token_reservations.any_abandoned):
        await parts.write(token_reservations.settle_all)
    if parts.quick(run_rows.any_running):
        await parts.write((await lazy_import("app.agent.heartbeat.run_once")).close_interrupted)


def build_parts(
    settings: Settings,
    data: Path,
    *,
    clock: Clock = utc_now,
    embedder: Embedder | None = None,
    sealed: Sealed = "",
) -> App:
    """Return the App over the database in `data`, its store not yet open."""
    model_choice.check_settings(settings)
    events = Events()
    events.on_within(escalation_rows.SETTLED, _settled)
    collaborations.listen(events)
    outbox.listen(events)
    store = Store(data / DATABASE, settings=settings, clock=clock, events=events, sealed=sealed)
    store.health.newest = functools.cache(
        lambda: _newest_backup(data)
    )  # it reads whole files, and every refused write names it
    store.health.check = integrity.last_check(store.path)
    store.watch.save = lambda connection: _rescued(connection, settings, data, clock)
    store.idle_work += [
        word_index.do_idle_work,
        name_index.do_idle_work,
        link_rows.do_idle_work,
        trigram_index.do_idle_work if settings.grep_index else trigram_index.clear_some,
        clock_steps.ClockWatch(clock).tend,
        message_memory.do_idle_work,
        episodes.do_idle_work,
        episode_sources.do_idle_work,
    ]
    app = App(
        settings=settings,
        catalog=CATALOG,
        store=store,
        clock=clock,
        events=events,
        rates=Rates(settings),
        safekeeping=BackupState(data),
        seal=Seal(data),
        embedder=embedder or embedder_for(settings, data),
        hooks=_hooks(),
    )
    app.parts += [
        VectorMaker(
            app,
            others=[recall.EPISODES],
            former=lambda name: former_for(settings, data, name),
            on_battery=on_battery,
        ),
        Providers(settings, KeptSecrets(data)),
        Transfers(),
        ModelTests(),
        McpConnections(),
        McpLogins(),
        RunningTurns(app),
        DueHeartbeats(app),
        DueWakes(app),
        GatheredBeats(app),
        Listeners(app),
        Reminders(app),
        WebhookSender(app),
    ]
    events.on("users.changed", lambda _: removal.leave_those_of_removed_users(app))
    app.gathered += [app.part(GatheredBeats).flush, app.part(Listeners).flush]
    return app


def _hooks() -> Hooks:
    """Return what upper layers do for lower ones."""
    return Hooks(
        callers={
            "peer": grant_rows.caller_behind,
            "guest": share_rows.caller_behind,
            "runtime": tool_approvals.caller_behind,
            "managed_agent": agent_callers.caller_behind,
        },
        rights={"heartbeat": tiers.current_scopes},
        requests=contact_requests.waiting_for,
        credentials={"managed_agent": agent_callers.key_caller},
        gates={"managed_agent": agent_gate.pass_gate},
        ask_managed_agent=agent_messages.ask,
        agent_seen=agent_callers.seen_as,
        is_delivering=message_rows.is_delivering,
    )


def _settled(tx: Tx, found: escalation_rows.Settled) -> None:
    """Tell the heartbeat how an escalation of its own has ended."""
    if found.origin.kind == "heartbeat":
        from app.agent.heartbeat.act import act

        act.settle_action(tx, found)


def _rescued(connection: sqlite3.Connection, settings: Settings, data: Path, clock: Clock) -> Path:
    from app.upkeep.backups.rescue_backup import save_rescue_backup  # only when the file was lost

    return save_rescue_backup(connection, data, clock(), settings.backup_passphrase)


def _newest_backup(data: Path) -> Path | None:
    from app.upkeep.backups.backup_files import newest_good  # only when the database is damaged

    return newest_good(data)
