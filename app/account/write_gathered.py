"""Writing what requests leave in memory: uses of keys, sessions that go on, active devices."""

from app.core.app import App
from app.core.caller import Caller
from app.core.operation import MINUTE, operation
from app.core.schema import Record


@operation("COMMAND", every=MINUTE)
async def write_gathered(app: App, me: Caller) -> Record:
    """Write when keys, sessions and devices were last used."""
    await app.write_gathered()
    return Record()
