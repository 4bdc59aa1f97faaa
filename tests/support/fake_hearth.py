"""A server as a bridge sees it, in memory, which can be gone, refuse, and lose what it answers."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2 as httpx

ME, PEER = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
NAMES = {"@ann": PEER, "@bob": ME, PEER: PEER, ME: ME}
HANDLES = {PEER: "ann", ME: "bob"}
LATER = "2099-01-01T00:00:00.000Z"
ENDPOINT, SESSION, GRANT = "ep_1", "rs_1", "comm_1"
ENDED = ("runtime_acked", "failed", "revoked")


class Lost(BaseException):
    """What the bridge asked was the last thing that it did: it is killed there."""


class FakeHearth(httpx.AsyncBaseTransport):
    """Answers what a bridge asks; `asked` is all of it in order."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.status: dict[str, str] = {}
        self.replies: dict[str, Any] = {}
        self.approval: dict[str, Any] = {"status": "pending", "decision": None, "scope": None}
        self.valid: dict[str, Any] = {"valid": True}
        self.refusals: dict[str, tuple[int, str]] = {}
        self.delegation: dict[str, Any] = {}
        self.code: list[dict[str, Any]] = []
        self.grants: list[dict[str, Any]] = []
        self.escalations: list[dict[str, Any]] = []
        self.token = "token-1"
        self.unreachable = 0
        self.is_gone = False
        self.is_lost = False
        self.before: Callable[[int], None] = lambda number: None
        self.after: Callable[[int], None] = lambda number: None

    def tell(self, type_: str, **data: Any) -> None:
        """Put an event into the stream."""
        cursor = str(len(self.events) + 1)
        self.events.append(
            {"cursor": cursor, "type": type_, "endpointId": ENDPOINT, "createdAt": "", "data": data}
        )

    def send(self, id_: str, text: str = "hello", **more: Any) -> None:
        """Dispatch a message to the bridge."""
        self.status.setdefault(id_, "dispatched")
        envelope = {
            "id": id_,
            "clientMessageId": f"c-{id_}",
            "communicationSessionId": GRANT,
            "senderPrincipalId": PEER,
            "senderDeviceId": "far",
            "target": {
                "kind": "",
                "principalId": ME,
                "endpointId": ENDPOINT,
                "sessionHandle": SESSION,
            },
            "kind": "text",
            "payload": {"text": text},
            "sequence": 1,
            "createdAt": "",
            "expiresAt": LATER,
        }
        self.tell("message.dispatch", envelope=envelope | more, deliveryId=f"del_{id_}")

    def said(self, path: str) -> list[Any]:
        """Give the bodies of what was asked at a path."""
        return [body for _, asked, body in self.asked if re.fullmatch(path, asked)]

    def phases(self, id_: str) -> list[str]:
        """Give the phases that were told of a message."""
        return [body["phase"] for body in self.said(f"local-agent/messages/{id_}/ack")]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.is_lost:
            raise Lost
        if self.is_gone:
            raise httpx.ConnectError("nobody listens")
        path = request.url.path.removeprefix("/api/v1/")
        body = json.loads(content) if (content := await request.aread()) else None
        if path == "local-realtime/stream":
            return httpx.Response(200, stream=_Stream(self, int(request.url.params["cursor"])))
        self.asked.append((request.method, path, body))
        number = len(self.asked)
        self.before(number)
        status, answer = self._answer(request, path, body)
        self.after(number)
        return httpx.Response(status, json=answer) if answer is not None else httpx.Response(status)

    def _answer(self, request: httpx.Request, path: str, body: Any) -> tuple[int, Any]:
        for pattern, (status, code) in self.refusals.items():
            if re.fullmatch(pattern, path):
                return status, {"success": False, "error": code, "message": f"It is {code}."}
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if "device-code" not in path and token not in (self.token, "key"):
            return 401, {"success": False, "error": "unauthorized", "message": "Not known."}
        match (request.method, path.split("/")):
            case ("POST", ["local-agent", "device-code", "start"]):
                url = "http://hearth/local-agent/device-code?code=ABCD"
                return 200, {"userCode": "ABCD", "pollToken": "poll", "approvalUrl": url}
            case ("POST", ["local-agent", "device-code", "poll"]):
                return 200, self.code.pop(0)
            case ("POST", ["local-agent", "endpoints"]):
                self.token += "+"
                endpoint = {"endpointId": ENDPOINT, "deviceId": body["deviceId"]}
                return 200, {"endpoint": endpoint, "deviceToken": self.token}
            case ("GET", ["local-agent", "endpoints"]):
                row = {"endpointId": ENDPOINT, "deviceId": "laptop-1", "presence": "online"}
                return 200, {"endpoints": [row]}
            case ("GET", ["local-agent", "whoami"]):
                return 200, {"principalId": ME, "userId": ME, "username": "bob"}
            case ("GET", ["local-agent", "resolve-person"]):
                return self._person(request.url.params["q"])
            case ("POST", ["local-agent", "sessions"]):
                return 200, {**body, "sessionHandle": SESSION}
            case ("POST", ["local-agent", "injections", "validate"]):
                return 200, self.valid
            case (_, ["local-agent", "tool-approvals", *_]):
                return 200, {"approvalId": "apr_1", **self.approval}
            case ("POST", ["local-agent", "messages", id_, "ack"]):
                return 200, self._ack(id_, body)
            case ("GET", ["local-agent", "messages", id_]):
                return 200, {"delivery": {"status": self.status[id_]}, "attempts": []}
            case ("POST", ["local-agent", "messages"]):
                self.replies.setdefault(body["clientMessageId"], body)
                return 200, {"messageId": "msg_r", "status": "queued"}
            case ("POST", ["local-agent", "delegations"]) if self.unreachable:
                self.unreachable -= 1
                return 409, {"error": "no_default_route", "message": "Nobody is there."}
            case ("POST", ["local-agent", "delegations"]):
                return 201, self.delegation
            case ("GET", ["local-agent", "grants"]):
                return 200, self.grants
            case ("POST", ["local-agent", "grants", id_, "accept"]):
                return 200, {"commSessionId": id_, "grantExpiresAt": LATER}
            case ("POST", ["local-agent", "trusted-tool-policies"]):
                return 201, {**body, "policyId": "ttp_1"}
            case ("GET", ["escalations"]):
                return 200, {"escalations": self.escalations, "total": len(self.escalations)}
            case ("POST", ["escalations", _, "decision"]):
                return 200, {"escalation": {}}
        return 204, None

    def _person(self, query: str) -> tuple[int, Any]:
        if query not in NAMES:
            return 404, {"success": False, "error": "not_found", "message": f"No {query} here."}
        return 200, {"principalId": NAMES[query], "handle": HANDLES[NAMES[query]]}

    def _ack(self, id_: str, body: Any) -> Any:
        if self.status[id_] in ENDED:
            return {"recorded": "audit_only"}
        moved = {"runtime_ack": "runtime_acked", "runtime_failed": "failed"}
        self.status[id_] = moved.get(body["phase"], self.status[id_])
        return {"recorded": "state"}


class _Stream(httpx.AsyncByteStream):
    def __init__(self, server: FakeHearth, cursor: int) -> None:
        self._server = server
        self._cursor = cursor

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b": ping\n\n"
        while not self._server.is_gone:
            for event in self._server.events[self._cursor :]:
                self._cursor += 1
                data = json.dumps(event)
                yield f"id: {event['cursor']}\r\nevent: x\r\ndata: {data}\r\n\r\n".encode()
            await asyncio.sleep(0.005)
