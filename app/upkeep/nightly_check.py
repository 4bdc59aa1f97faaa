"""The full check of the database, at night or when there was none for long."""

from app.core.app import App
from app.core.caller import Caller
from app.core.database import integrity
from app.core.operation import HOUR, operation
from app.core.schema import Record


@operation("COMMAND", every=HOUR)
async def check_database_when_due(app: App, me: Caller) -> Record:
    """Check the whole database at night, or when that has not been done for long."""
    if integrity.is_due(app.store.health.check, app.clock()):
        await app.store.examine("full")
    return Record()
