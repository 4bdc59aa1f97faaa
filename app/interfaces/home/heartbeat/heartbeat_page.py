"""The heartbeat: on and off, when and how far it may go, what it looks after, and its runs."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.core.caller import OPERATOR
from app.interfaces.home.heartbeat.timeline import kind_of, timeline_of
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.operator import is_alone, require_alone
from app.interfaces.pages.forms import form_of, number_of, numbers_of, value_of
from app.interfaces.pages.visit import Visit

HEARTBEAT = "/heartbeat"
MOST_RUNS = 50
WEEK = range(1, 8)
OFTEN = (5, 15, 30, 60, 120, 240, 480, 1440)


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(HEARTBEAT, show),
        Route(HEARTBEAT + "/schedule", schedule, methods=["POST"]),
        Route(HEARTBEAT + "/instructions", instructions, methods=["POST"]),
        Route(HEARTBEAT + "/run", run, methods=["POST"]),
        Route(HEARTBEAT + "/stop", stop, methods=["POST"]),
        Route(HEARTBEAT + "/start", start, methods=["POST"]),
        Route(HEARTBEAT + "/runs/{id}", one_run),
        Route(HEARTBEAT + "/runs/{id}/undo", undo, methods=["POST"]),
        Route(HEARTBEAT + "/actions/{id}", execute, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show how the heartbeat stands, what it looks after and what it did."""
    runs = (await person.call("list_heartbeat_runs", limit=MOST_RUNS)).runs
    caps = (await person.call("list_caps")).caps
    return await person.show(
        "heartbeat/heartbeat",
        place="heartbeat",
        status_=(await person.call("read_heartbeat_status")).status,
        schedule=(await person.call("read_heartbeat_schedule")).schedule,
        instructions=await person.call("read_heartbeat_instructions"),
        runs=runs,
        newest=next((run for run in runs if run.items), None),
        kind_of=kind_of,
        timeline=timeline_of(runs, person.words, person.dates),
        budget=next((cap for cap in caps if cap.subject == "heartbeat"), None),
        stopped=await visit.parts.call(OPERATOR, "agents_state", {}),
        may_stop=await is_alone(visit),
        week=WEEK,
        often=OFTEN,
    )


@for_person
async def schedule(visit: Visit, person: Person) -> Response:
    """Change whether, when and how far it may go, all at once."""
    form = await form_of(visit)
    hours = {name: value_of(form, name) for name in ("start", "end")}
    await person.call(
        "change_heartbeat_schedule",
        enabled=value_of(form, "enabled") == "1",
        everyMinutes=number_of(form, "everyMinutes"),
        activeHours=hours if all(hours.values()) else None,
        weekdays=numbers_of(form, "weekday"),
    )
    await person.call("choose_heartbeat_policy", tier=value_of(form, "tier"))
    return see(HEARTBEAT, did="heartbeat_saved")


@for_person
async def instructions(visit: Visit, person: Person) -> Response:
    """Change what it looks after, line by line."""
    form = await form_of(visit)
    await person.call("replace_heartbeat_instructions", content=value_of(form, "content"))
    return see(f"{HEARTBEAT}#looks-after", did="heartbeat_saved")


@for_person
async def run(visit: Visit, person: Person) -> Response:
    """Run it now, once; a rehearsal changes nothing."""
    form = await form_of(visit)
    done = await person.call("run_heartbeat", dryRun=value_of(form, "dry") == "1")
    return see(f"{HEARTBEAT}/runs/{done.run_id}")


@for_person
async def one_run(visit: Visit, person: Person) -> Response:
    """Show a run: what it did, what each line came to, and why it ran."""
    found = await person.call("read_heartbeat_run", id=visit.number_in_path())
    return await person.show(
        "heartbeat/run",
        place="heartbeat",
        run=found.run,
        actions=found.actions,
        receipt=found.receipt,
        can_undo=found.run.undone_at is None
        and any(each.status == "executed" and each.mode == "action" for each in found.actions),
        kind_of=kind_of,
    )


@for_person
async def undo(visit: Visit, person: Person) -> Response:
    """Take back what a run did, where nobody has changed it since."""
    done = await person.call("undo_heartbeat_run", id=visit.number_in_path())
    did = "run_undone_partly" if done.conflicts else "run_undone"
    return see(f"{HEARTBEAT}/runs/{visit.number_in_path()}", did=did, what=str(len(done.undone)))


@for_person
async def execute(visit: Visit, person: Person) -> Response:
    """Do what a run has proposed."""
    done = await person.call("execute_heartbeat_action", id=visit.number_in_path())
    return see(f"{HEARTBEAT}/runs/{done.action.run_id}", did="action_done", what=done.action.title)


@for_person
async def stop(visit: Visit, person: Person) -> Response:
    """Stop every agent of this server at once."""
    return await _switch(visit, person, "stop_agents")


@for_person
async def start(visit: Visit, person: Person) -> Response:
    """Let the agents go on."""
    return await _switch(visit, person, "start_agents")


async def _switch(visit: Visit, person: Person, operation: str) -> Response:
    await require_alone(visit, person, "heartbeat.shared_server")
    fields: dict[str, Any] = {"reason": f"by {person.caller.username}"}
    await visit.parts.call(OPERATOR, operation, fields if operation == "stop_agents" else {})
    return see(HEARTBEAT)
