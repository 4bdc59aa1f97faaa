"""One's data: coming in, going out, how it is kept safe, and the room it takes."""

from typing import Any

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from app.core.caller import OPERATOR
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.operator import is_alone, require_alone, running_work
from app.interfaces.home.settings.section import address_of, show_section
from app.interfaces.pages.pages import json_response
from app.interfaces.pages.visit import Visit

DATA = address_of("data")
PARTS = ("note", "snapshot", "attachment", "trashed", "vector", "raw_record")


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(DATA, show),
        Route(DATA + "/backup", back_up, methods=["POST"]),
        Route(DATA + "/import", take_in, methods=["POST"]),
        Route(DATA + "/import/{id}", job),
        Route(DATA + "/import/{id}/cancel", cancel, methods=["POST"]),
        Route(DATA + "/export", export, methods=["POST"]),
        Route(DATA + "/export/{id}", job),
        Route(DATA + "/export/{id}/cancel", cancel, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show how the data stands; to the script of the page, how far a backup is."""
    values = {
        # before the state, which else would lack a backup that ends between the two
        "works": [*await running_work(visit, "backup"), *await running_work(visit, "proof")],
        "state": await person.call("status"),
        "alone": await is_alone(visit),
    }
    if visit.query_params.get("piece") == "1":
        return await person.piece("settings/backup_state", **values)
    changed_at = values["state"].last_synced_at
    await visit.parts.call(OPERATOR, "refresh_storage", {"changedAt": changed_at})
    values["state"] = await person.call("status")
    return await show_section(person, "data", shares=_shares(values["state"].storage), **values)


@for_person
async def back_up(visit: Visit, person: Person) -> Response:
    """Begin a backup."""
    await require_alone(visit, person, "settings.operator_backup")
    await visit.parts.call(OPERATOR, "begin_backup", {})
    return see(DATA)


@for_person
async def take_in(visit: Visit, person: Person) -> Response:
    """Begin an import of the file that is the body; the script of the page sends it."""
    query = visit.query_params
    name = await visit.file_of(visit.parts.settings.max_import_body)
    begun = await person.call(
        "start_import",
        content=name.encode(),
        contentType=visit.headers.get("content-type", ""),
        name=query.get("name", "import")[:255],
        dryRun=query.get("dry") == "1",
    )
    return json_response({"address": f"{DATA}/import/{begun.job.id}"})


@for_person
async def export(visit: Visit, person: Person) -> Response:
    """Begin an export."""
    begun = await person.call("export_workspace")
    return see(f"{DATA}/export/{begun.job.id}")


@for_person
async def job(visit: Visit, person: Person) -> Response:
    """Show how far an import or export is, and what came of it."""
    kind = "import" if "/import/" in visit.url.path else "export"
    found = (await person.call(f"{kind}_job", id=visit.number_in_path())).job
    values: dict[str, Any] = {
        "job": found,
        "report": msgspec.json.decode(found.report) if found.report else None,
    }
    if visit.query_params.get("piece") == "1":
        return await person.piece("settings/job_state", **values)
    return await show_section(person, "job", **values)


@for_person
async def cancel(visit: Visit, person: Person) -> Response:
    """Stop an import or export; what was taken in stays."""
    kind = "import" if "/import/" in visit.url.path else "export"
    await person.call(f"cancel_{kind}", id=visit.number_in_path())
    return see(DATA, did="job_cancelled")


def _shares(storage: Any) -> list[tuple[str, int, float]]:
    """Return what takes room: its name, its bytes, and its part of the whole in hundredths."""
    if storage is None:
        return []
    found = [(part, int(getattr(storage.held, f"{part}_bytes"))) for part in PARTS]
    whole = sum(size for _, size in found) or 1
    return [(part, size, round(100 * size / whole, 2)) for part, size in found if size]
