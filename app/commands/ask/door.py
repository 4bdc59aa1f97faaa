"""The service as a command asks it: the running server, or the database where none runs.

Begin with `open_door`. What is loaded for a server that runs is little, so that a command answers
at once.
"""

import base64
import contextlib
import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, urlsplit

from app.commands.ask.locate_data import data_directory
from app.commands.terminal.command_group import Misused, Refused
from app.commands.terminal.process_state import is_alive
from app.settings import Settings

CONTROL = "control.json"
ANSWER_SECONDS = 30
LONG_SECONDS = 300
PATIENCE_SECONDS = 3.0
PAUSE_SECONDS = 0.05
MOST_NAMED = 5
PART = 1 << 16
Answer = Any
"""What an operation answers, as JSON has it: nearly always an object."""
Write = Callable[[bytes], object]
Hear = Callable[[Answer], object]
LOOK_SECONDS = 0.3
WORKS = "list_running_work"


class Declined(Refused):
    """What the service refused, with its own sentence and the whole answer."""

    def __init__(self, status: int, answer: Mapping[str, Any]) -> None:
        super().__init__(str(answer.get("message", f"The server answered {status}.")))
        self.status = status
        self.answer = answer


class Way(Protocol):
    """One way to ask: a user's operation, or with no username one of whoever owns the data.

    `url` is where the server listens, if it is one.
    """

    url: str | None

    def ask(self, username: str | None, name: str, params: Mapping[str, Any]) -> Answer:
        """Run the operation and return its answer as JSON has it; raise Declined."""

    def download(self, username: str, name: str, params: Mapping[str, Any], write: Write) -> None:
        """Run the operation and write the bytes of the file that it gives."""

    def watch(self, hear: Hear) -> contextlib.AbstractContextManager[None]:
        """Let `hear` be told how far the newest long work is while the block asks."""


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

    def watch(self, hear: Hear) -> contextlib.AbstractContextManager[None]:
        """Let `hear` be told how far the newest long work is while the block asks."""
        return self._way.watch(hear)

    def choose_user(self, given: str | None) -> str:
        """Return the user for whom a command acts: the one named, else the only one there is."""
        if wanted := given or self._settings.user:
            return wanted
        names = [str(row["username"]) for row in self.ask("list_users")["users"]]
        if not names:
            raise Refused("There are no users yet. Add one with `hearth user add NAME`.")
        if len(names) > 1:
            shown = f"{' or '.join(names[:MOST_NAMED])}{' …' if len(names) > MOST_NAMED else ''}"
            raise Misused(
                f"There are several users. Choose one with --user {shown}, or set HEARTH_USER."
            )
        return names[0]


@contextlib.contextmanager
def open_door(
    settings: Settings, *, seconds: int = LONG_SECONDS, anew: bool = False
) -> Iterator[Door]:
    """Ask the running server while the block runs, or open the database where none runs.

    A server may take so many seconds for each answer. With `anew` the database is made where
    there is none.
    """
    data = data_directory(settings)
    with contextlib.ExitStack() as stack:
        if (served := connect_to_server(data, seconds=seconds)) is None:
            way = _open_here(settings, data, stack, seconds=seconds, anew=anew)
        else:
            way = stack.enter_context(served)
        yield Door(settings, way, way.url)


def _open_here(
    settings: Settings, data: Path, stack: contextlib.ExitStack, *, seconds: int, anew: bool
) -> Way:
    from app.commands.ask.open_here import open_here  # the whole program
    from app.core.database.data_dir import InUse

    owner: str | None = None
    until = 0.0
    while True:
        try:
            return stack.enter_context(open_here(settings, data, anew=anew))
        except InUse as busy:
            # a server that has just begun, or runs in a container, whose numbers are not ours
            served = connect_to_server(data, seconds=seconds, owner=busy.pid)
            if served is not None:
                return stack.enter_context(served)
            now = time.monotonic()
            # one that starts or ends, or other commands at work, each for a moment
            if busy.pid != owner:
                owner, until = busy.pid, now + PATIENCE_SECONDS
            elif now > until:
                raise Refused(
                    f"{busy} It does not answer commands. Try again in a moment, or stop it first."
                ) from None
        time.sleep(PAUSE_SECONDS)


def connect_to_server(
    data: Path, *, seconds: int = ANSWER_SECONDS, owner: str | None = None
) -> "Served | None":
    """Return the server that runs over a data directory; None where none answers.

    One that was killed is not asked, since its port may be another program's now: its process
    must be alive, or the `owner` of the data directory.
    """
    try:
        told = json.loads((data / CONTROL).read_bytes())
        pid, url, token = str(int(told["pid"])), str(told["url"]), str(told["token"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not (is_alive(int(pid)) if owner is None else pid == owner):
        return None
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=seconds)
    try:
        connection.connect()
    except OSError:
        return None
    return Served(connection, url, token, seconds)


def find_server(data: Path) -> str | None:
    """Return the address of the server that runs over a data directory; None where none answers."""
    found = connect_to_server(data)
    if found is None:
        return None
    with found:
        return found.url


def find_process(data: Path) -> int | None:
    """Return the process of the server that answers over a data directory; None where none does."""
    if find_server(data) is None:
        return None
    try:
        return int(json.loads((data / CONTROL).read_bytes())["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


class Served(contextlib.AbstractContextManager["Served"]):
    """The running server, by the door that it keeps for the command line.

    It may take so many seconds for an answer, and as many between the parts of one.
    """

    def __init__(
        self, connection: http.client.HTTPConnection, url: str, token: str, seconds: int
    ) -> None:
        self.url: str | None = url
        self._connection = connection
        self._token = token
        self._seconds = seconds

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def ask(self, username: str | None, name: str, params: Mapping[str, Any]) -> Answer:
        """Run the operation there; raise Declined."""
        with self._failures():
            return json.loads(self._request(username, name, params).read())

    def lines(
        self, username: str | None, name: str, params: Mapping[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """Run the operation there, and yield what it streams as it comes, or its one record."""
        with self._failures():
            # one a line; the record of an operation that does not stream is such a line too
            yield from map(parse_object, self._request(username, name, params))

    def download(self, username: str, name: str, params: Mapping[str, Any], write: Write) -> None:
        """Run the operation there, and write the bytes of the file as they come."""
        with self._failures():
            response = self._request(username, name, params)
        while True:
            with self._failures():
                part = response.read(PART)
            if not part:
                return
            write(part)

    @contextlib.contextmanager
    def watch(self, hear: Hear) -> Iterator[None]:
        """Ask by a connection of its own, again and again, how far the newest long work is."""
        ended = threading.Event()

        def look() -> None:
            where = self._connection
            own = http.client.HTTPConnection(where.host, where.port, timeout=ANSWER_SECONDS)
            with Served(own, self.url or "", self._token, ANSWER_SECONDS) as beside:
                while not ended.wait(LOOK_SECONDS):
                    for work in beside.ask(None, WORKS, {})["works"][-1:]:
                        hear(work)

        def look_until_refused() -> None:
            with contextlib.suppress(Refused, OSError):  # whoever asks hears what is wrong
                look()

        looking = threading.Thread(target=look_until_refused, daemon=True)
        looking.start()
        try:
            yield
        finally:
            ended.set()
            looking.join(ANSWER_SECONDS)

    def _request(
        self, username: str | None, name: str, params: Mapping[str, Any]
    ) -> http.client.HTTPResponse:
        whose = "" if username is None else f"as/{quote(username, safe='')}/"
        headers = {
            "Authorization": f"Control {self._token}",
            "Content-Type": "application/json",
            # whatever its address is called, to this name it answers
            "Host": "localhost",
        }
        body = encode_params(params)
        self._connection.request("POST", f"/control/{whose}{name}", body, headers)
        response = self._connection.getresponse()
        if response.status != http.client.OK:
            raise Declined(response.status, parse_object(response.read()))
        return response

    @contextlib.contextmanager
    def _failures(self) -> Iterator[None]:
        """Tell in a sentence what fails on the way while the block runs."""
        try:
            yield
        except TimeoutError:
            raise Refused(
                f"The server at {self.url} did not answer within {self._seconds} seconds. It may "
                "still be working on the request."
            ) from None
        except (ConnectionError, http.client.HTTPException):
            raise Refused(
                f"The server at {self.url} has just stopped, or belongs to another data "
                "directory. Try again."
            ) from None
        except ValueError:
            raise Refused(
                f"The answer from {self.url} cannot be read; another program may listen there. "
                "The request may have been carried out."
            ) from None


def encode_params(params: Mapping[str, Any]) -> bytes:
    """Return the fields of a request as JSON; raise Misused for an argument that is no text."""
    try:
        return json.dumps(params, default=_encode_bytes, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise Misused("The input holds bytes that are not UTF-8 text.") from None


def parse_object(text: bytes) -> dict[str, Any]:
    """Return the JSON object that came over the wire; raise ValueError for anything else."""
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("not an object")  # noqa: TRY004 - it is what came over the wire that is wrong
    return found


def _encode_bytes(value: Any) -> str:
    """Return bytes as JSON has them."""
    if not isinstance(value, bytes):
        raise TypeError(f"{type(value).__name__} is no JSON")
    return base64.b64encode(value).decode("ascii")
