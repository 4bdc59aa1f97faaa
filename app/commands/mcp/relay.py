"""Passing on what an agent says to a server, and what the server answers.

A server that ends in between is replaced by the next one: the handshake is said again to it.
"""

import contextlib
import http.client
import json
import queue
import threading
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from app.commands.terminal.command_group import Refused
from app.core.database import data_dir

CONNECT_SECONDS = 30
PIECE = 1 << 16
SAID_AGAIN = frozenset({"initialize", "notifications/initialized", "resources/subscribe"})
ENDED = "Hearth ended before it had answered; ask again."


class Line(NamedTuple):
    """The two ends of the wire to the agent."""

    hearing: BinaryIO
    saying: BinaryIO


class Relay:
    """Between one agent and whichever server there is."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._heard: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._again: list[bytes] = []
        self._asked: dict[str, bytes] = {}
        self._unwanted: set[str] = set()
        self._lock = threading.Lock()
        self.is_open = True
        threading.Thread(target=self._hear, name="hearing", daemon=True).start()

    def pass_on(self, door: data_dir.Announcement, username: str, key: int | None) -> None:
        """Pass on until the agent leaves or the server ends; raise Refused where it lets nobody
        in.
        """
        connection = _connected(door, username, key)
        if connection is None:
            return
        with contextlib.closing(connection):
            self._say_again(connection)
            leaving = threading.Event()
            telling = threading.Thread(
                target=self._tell, args=(connection, leaving), name="telling", daemon=True
            )
            telling.start()
            try:
                self._listen(connection)
            finally:
                leaving.set()
                self._heard.put(b"")
                telling.join()
        self._give_up()

    def _hear(self) -> None:
        """Read the agent's lines, for whichever server is there."""
        rest = b""
        while piece := self._line.hearing.read(PIECE):
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                if line.strip():
                    self._heard.put(line + b"\n")
        self._heard.put(None)

    def _tell(self, connection: http.client.HTTPConnection, leaving: threading.Event) -> None:
        """Send the lines as they come, until the agent leaves or the connection does."""
        while (line := self._heard.get()) is not None:
            if leaving.is_set():
                if line:
                    self._heard.put(line)
                return
            if not line:
                continue
            self._note(line)
            with contextlib.suppress(OSError):
                _send(connection, line)
        self.is_open = False
        with contextlib.suppress(OSError):
            connection.send(b"0\r\n\r\n")

    def _listen(self, connection: http.client.HTTPConnection) -> None:
        """Write what the server says to the agent."""
        try:
            response = connection.getresponse()
            if response.status != http.HTTPStatus.OK:
                raise Refused(_why(response))
            rest = b""
            while piece := response.read1(PIECE):
                *whole, rest = (rest + piece).split(b"\n")
                for line in whole:
                    if self._is_wanted(line):
                        self._line.saying.write(line + b"\n")
        except BrokenPipeError:
            self.is_open = False
        except (OSError, http.client.HTTPException, ValueError):
            pass

    def _note(self, line: bytes) -> None:
        """Keep what a later server must hear too, and what waits for an answer."""
        message = _message(line)
        with self._lock:
            if message.get("method") in SAID_AGAIN:
                self._again.append(line)
            if "id" in message and "method" in message:
                self._asked[json.dumps(message["id"])] = line

    def _is_wanted(self, line: bytes) -> bool:
        """Return whether the agent waits for this line, which a repeated handshake's is not."""
        message = _message(line)
        if "id" not in message or "method" in message:
            return True
        number = json.dumps(message["id"])
        with self._lock:
            self._asked.pop(number, None)
            if number in self._unwanted:
                self._unwanted.discard(number)
                return False
        return True

    def _say_again(self, connection: http.client.HTTPConnection) -> None:
        for line in self._again:
            number = _message(line).get("id")
            if number is not None:
                self._unwanted.add(json.dumps(number))
            with contextlib.suppress(OSError):
                _send(connection, line)

    def _give_up(self) -> None:
        """Tell the agent which of its requests nobody will answer."""
        with self._lock:
            lost, self._asked = list(self._asked.values()), {}
            self._unwanted.clear()
        for line in lost if self.is_open else ():
            error = {"code": -32603, "message": ENDED}
            told = {"jsonrpc": "2.0", "id": _message(line).get("id"), "error": error}
            with contextlib.suppress(OSError):
                self._line.saying.write(json.dumps(told).encode() + b"\n")


def _connected(
    door: data_dir.Announcement, username: str, key: int | None
) -> http.client.HTTPConnection | None:
    """Return a connection whose request's body stays open; None where nobody listens any more."""
    where = urlsplit(door.url)
    connection = http.client.HTTPConnection(
        where.hostname or "", where.port, timeout=CONNECT_SECONDS
    )
    asked = "" if key is None else "?" + urlencode({"key": key})
    try:
        connection.connect()
        connection.sock.settimeout(None)
        connection.putrequest(
            "POST", f"/control/mcp/{quote(username, safe='')}{asked}", skip_host=True
        )
        for name, value in (
            ("Host", "localhost"),  # a name to which the server always answers
            ("Authorization", f"Control {door.token}"),
            ("Content-Type", "application/octet-stream"),
            ("Transfer-Encoding", "chunked"),
        ):
            connection.putheader(name, value)
        connection.endheaders()
    except OSError:
        connection.close()
        return None
    return connection


def _send(connection: http.client.HTTPConnection, line: bytes) -> None:
    connection.send(b"%x\r\n%s\r\n" % (len(line), line))


def _message(line: bytes) -> dict[str, Any]:
    """Return the message of a line, or nothing of one that is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _why(response: http.client.HTTPResponse) -> str:
    message = _message(response.read()).get("message")
    return str(message or f"The server answered {response.status}.")
