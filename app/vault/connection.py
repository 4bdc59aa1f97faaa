"""The wire between a device and the server: requests, answers of the right type, and refusals."""

from typing import Any, TypeVar

import httpx2 as httpx
import msgspec

from app.vault import answers
from app.vault.refusals import Offline, ServerRefused, Tampered

LARGEST_ANSWER = 32 << 20
SECONDS = 60.0
T = TypeVar("T")


class Connection:
    """Requests to one server, with a device's token where it has one."""

    def __init__(
        self, server: str, token: str | None = None, *, transport: httpx.BaseTransport | None = None
    ) -> None:
        self.server = server.rstrip("/")
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(
            base_url=f"{self.server}/api/v1", headers=headers, timeout=SECONDS, transport=transport
        )

    def close(self) -> None:
        """End the connection."""
        self._http.close()

    def get(self, path: str, kind: type[T], **query: Any) -> T:
        """Read something."""
        given = {name: value for name, value in query.items() if value is not None}
        return self._ask("GET", path, kind, params=given)

    def post(self, path: str, kind: type[T], body: Any) -> T:
        """Send something."""
        return self._ask("POST", path, kind, content=msgspec.json.encode(body))

    def put(self, path: str, kind: type[T], body: Any) -> T:
        """Replace something."""
        return self._ask("PUT", path, kind, content=msgspec.json.encode(body))

    def delete(self, path: str, kind: type[T], **query: Any) -> T:
        """Delete something."""
        return self._ask("DELETE", path, kind, params=query)

    def _ask(self, method: str, path: str, kind: type[T], **more: Any) -> T:
        headers = {"Content-Type": "application/json"} if "content" in more else {}
        try:
            with self._http.stream(method, path, headers=headers, **more) as response:
                body = bytearray()
                for part in response.iter_bytes():
                    body += part
                    if len(body) > LARGEST_ANSWER:
                        raise Tampered("endless answer", f"{path} answers with too many bytes.")
        except httpx.HTTPError as error:
            raise Offline(
                f"{self.server} did not answer: {error or type(error).__name__}."
            ) from None
        if not response.is_success:
            raise self._refusal(response.status_code, bytes(body))
        try:
            return msgspec.json.decode(bytes(body), type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Tampered(
                "malformed answer", f"{method} {path} did not answer as Hearth does: {error}."
            ) from None

    def _refusal(self, status: int, body: bytes) -> ServerRefused:
        try:
            told = msgspec.json.decode(body, type=answers.Refusal)
        except (msgspec.DecodeError, UnicodeDecodeError):
            told = answers.Refusal("", f"{self.server} answered {status}.")
        refused = ServerRefused(told.message, told.error, status)
        refused.results = told.results
        return refused
