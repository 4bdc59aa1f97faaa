"""The service as a command asks it: the running server, or the database where none runs.

Begin with `open_door`. What is loaded for a server that runs is little, so that a command answers
at once.
"""

import base64
import contextlib
import http.client
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import quote, urlsplit

from app.commands.ask.locate_data import data_directory
from app.commands.terminal.command_group import Misused, Refused
from app.settings import Settings

if TYPE_CHECKING:
    from app.commands.ask.open_here import Here

CONTROL = "control.json"
ANSWER_SECONDS = 300
MOST_NAMED = 5
PART = 1 << 16
Answer = dict[str, Any]
Write = Callable[[bytes], object]


class Declined(Refused):
    """What the service refused, with its own sentence and the whole answer."""

    def __init__(self, status: int, answer: Mapping[str, Any]) -> None:
        super().__init__(str(answer.get("message", f"The server answered {status}.")))
        self.status = status
        self.answer = answer


class Way(Protocol):
    """One way to ask: a user's operation, or with no username one of whoever owns the data."""

    def ask(self, username: str | None, name: str, params: Mapping[str, Any]) -> Answer:
        """Run the operation and return its record as JSON has it; raise Declined."""

    def download(self, username: str, name: str, params: Mapping[str, Any], write: Write) -> None:
        """Run the operation and write the bytes of the file that it gives."""


class Door:
    """The service during one command; `url` is where the server listens, if one runs."""

    def __init__(self, settings: Settings, way: Way, url: str | None) -> None:
        self._settings = settings
        self._way = way
        self.url = url

    def ask(self, name: str, /, **params: Any) -> Answer:
        """Run an operation of the owner of the data directory; raise Declined."""
        return self._way.ask(None, name, params)

    def ask_as(self, username: str, name: str, /, **params: Any) -> Answer:
        """Run an operation of a user who sits at this machine; raise Declined."""
        return self._way.ask(username, name, params)

    def download(self, username: str, name: str, write: Write, /, **params: Any) -> None:
        """Run an operation of a user that gives a file, and write its bytes; raise Declined."""
        self._way.download(username, name, params, write)

    def choose_user(self, given: str | None) -> str:
        """Return the user for whom a command acts: the one named, else the only one there is."""
        if wanted := given or self._settings.user:
            return wanted
        names = [str(row["username"]) for row in self.ask("list_users")["users"]]
        if not names:
            raise Refused("There are no users yet. Add one with `hearth user add NAME`.")
        if len(names) > 1:
            raise Misused(
                "There are several users. Choose one with --user or HEARTH_USER: "
                f"{', '.join(names[:MOST_NAMED])}{' …' if len(names) > MOST_NAMED else ''}."
            )
        return names[0]


@contextlib.contextmanager
def open_door(settings: Settings) -> Iterator[Door]:
    """Ask the running server while the block runs, or open the database where none runs."""
    data = data_directory(settings)
    with contextlib.ExitStack() as stack:
        if (found := connect_to_server(data)) is not None:
            stack.callback(found.connection.close)
            yield Door(settings, found, found.url)
            return
        here = _open_here(settings, data, stack)
        yield Door(settings, here, here.url if isinstance(here, Served) else None)


def _open_here(settings: Settings, data: Path, stack: contextlib.ExitStack) -> "Served | Here":
    from app.commands.ask.open_here import open_here  # the whole program
    from app.core.database.data_dir import InUse

    try:
        return stack.enter_context(open_here(settings, data))
    except InUse:
        # a server that has just begun, or runs in a container, whose numbers are not ours
        if (found := connect_to_server(data, alive=False)) is None:
            raise
        stack.callback(found.connection.close)
        return found


def connect_to_server(data: Path, *, alive: bool = True) -> "Served | None":
    """Return the server that runs over a data directory; None where none answers.

    With `alive` one that was killed is not asked: its port may be another program's now.
    """
    try:
        told = json.loads((data / CONTROL).read_bytes())
        pid, url, token = int(told["pid"]), str(told["url"]), str(told["token"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if alive and not _is_alive(pid):
        return None
    where = urlsplit(url)
    connection = http.client.HTTPConnection(
        where.hostname or "", where.port, timeout=ANSWER_SECONDS
    )
    try:
        connection.connect()
    except OSError:
        return None
    return Served(connection, url, token)


def find_server(data: Path) -> str | None:
    """Return the address of the server that runs over a data directory; None where none answers."""
    found = connect_to_server(data)
    if found is None:
        return None
    found.connection.close()
    return found.url


def _is_alive(pid: int) -> bool:
    if os.name != "posix":  # where the signal 0 would end it
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


class Served(NamedTuple):
    """The running server, by the door that it keeps for the command line."""

    connection: http.client.HTTPConnection
    url: str
    token: str

    def ask(self, username: str | None, name: str, params: Mapping[str, Any]) -> Answer:
        """Run the operation there; raise Declined."""
        with self._answer(username, name, params) as response:
            return _parse_object(response.read())

    def download(self, username: str, name: str, params: Mapping[str, Any], write: Write) -> None:
        """Run the operation there, and write the bytes of the file as they come."""
        with self._answer(username, name, params) as response:
            while part := response.read(PART):
                write(part)

    @contextlib.contextmanager
    def _answer(
        self, username: str | None, name: str, params: Mapping[str, Any]
    ) -> Iterator[http.client.HTTPResponse]:
        whose = "" if username is None else f"as/{quote(username, safe='')}/"
        headers = {
            "Authorization": f"Control {self.token}",
            "Content-Type": "application/json",
            # whatever its address is called, to this name it answers
            "Host": "localhost",
        }
        body = json.dumps(params, default=_encode_bytes)
        try:
            self.connection.request("POST", f"/control/{whose}{name}", body, headers)
            response = self.connection.getresponse()
            if response.status != http.client.OK:
                raise Declined(response.status, _parse_object(response.read()))
            yield response
        except TimeoutError:
            raise Refused(
                f"The server at {self.url} did not answer within {ANSWER_SECONDS} seconds. It may "
                "still be working on the request."
            ) from None
        except (ConnectionError, http.client.HTTPException, ValueError):
            raise Refused(
                f"The server at {self.url} has just stopped, or belongs to another data "
                "directory. Try again."
            ) from None


def _parse_object(text: bytes) -> Answer:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("not an object")  # noqa: TRY004 - it is what came over the wire that is wrong
    return found


def _encode_bytes(value: Any) -> str:
    """Return bytes as JSON has them."""
    if not isinstance(value, bytes):
        raise TypeError(f"{type(value).__name__} is no JSON")
    return base64.b64encode(value).decode("ascii")
