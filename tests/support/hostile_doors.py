"""Texts as everything that whoever wants in may write: applications, devices, addresses, forms."""

import collections
import uuid
from typing import Any
from urllib.parse import quote, urlencode

from app.account.oauth import clients
from app.account.oauth.clients import CLI_PAGE, ClientRefused, Metadata
from app.account.oauth.policy import OAUTH
from app.core.caller import OPERATOR
from app.errors import AppError
from tests.conftest import ORIGIN, Client, Served
from tests.support.hostile_home import KEY, line_of
from tests.support.oauth import (
    CONSENT,
    OWN_PAGE,
    SCOPES,
    VERIFIER,
    answer_in,
    challenge_of,
    going_to,
    hidden,
    ticked,
)

LISTENS = "http://127.0.0.1:33418/"
"""Where an application hears its answer."""
LET_IN = "/settings/keys"
"""What lists those that were let in."""


class HostileDoors:
    """What asks to be let in: an application, a device and an address of each text.

    `to_strangers` are the addresses that anybody may open, `to_users` those of whoever is signed
    in; `asking` those at which an application asks, `sent_away` those at which it asks for what it
    cannot have.
    """

    def __init__(self, served: Served) -> None:
        self.served = served
        self.to_strangers: list[str] = []
        self.to_users: list[str] = []
        self.asking: list[str] = []
        self.sent_away: list[str] = []
        self.taken: collections.Counter[str] = collections.Counter()
        self.refused: collections.Counter[str] = collections.Counter()

    async def ask(self, texts: list[str]) -> None:
        """Let each text ask in every way."""
        for text in texts:
            await self._apply(text)
            await self._bring_devices(text)
            said = quote(text[:500], safe="", errors="replace")
            self.to_strangers += [
                f"/auth/sign-in?next={said}",
                f"/auth/sign-in?next=/{said}",
                f"/auth/consent?request={said}",
                f"{CLI_PAGE}?code={said}&state={said}",
                f"/local-agent/device-code?code={said}",
                f"/raw-memory/enrol?id={said}",
                f"/{said}",
            ]

    async def answered(self, client: Client, address: str, decision: str) -> str:
        """Answer an application, and return the page that says so; one with a yes gets tokens."""
        page = await client.get(ORIGIN + address, follow_redirects=True)
        sent = {**hidden(page.text), "decision": decision, "scope": ticked(page.text)}
        answer = await client.post(CONSENT, data=sent, headers=OWN_PAGE)
        assert answer.status_code == 200, answer.text
        assert LISTENS in answer.text
        if decision == "approve":
            heard = answer_in(going_to(answer.text))
            asked = answer_in(address)
            fields = {
                "grant_type": "authorization_code",
                "code": heard["code"],
                "redirect_uri": asked["redirect_uri"],
                "code_verifier": VERIFIER,
                "client_id": asked["client_id"],
            }
            tokens = await client.post(f"{ORIGIN}{OAUTH}/token", data=fields)
            assert tokens.status_code == 200, tokens.text
        return answer.text

    async def resent(self, stranger: Client, text: str) -> str:
        """Return the page that keeps a form of whoever was signed out meanwhile."""
        fields = {"title": text, line_of(text, 60): text, "content": text * 3}
        said = quote(text[:200], safe="", errors="replace")
        sent = urlencode(fields, errors="replace")
        kind = {**OWN_PAGE, "Content-Type": "application/x-www-form-urlencoded"}
        address = f"{ORIGIN}/todos/add?{said}"
        return (await stranger.post(address, content=sent, headers=kind)).text

    async def _apply(self, text: str) -> None:
        """Let an application ask to be let in; then with what cannot be asked for."""
        there = LISTENS + quote(text[:300], safe="!$&'()*+,;=:@/", errors="replace")
        metadata = Metadata(
            [there], client_name=line_of(text, 100), token_endpoint_auth_method="none"
        )
        try:
            made = await self.served.parts.write(clients.register, metadata, "open")
        except ClientRefused:
            self.refused["application"] += 1
            return
        self.taken["application"] += 1
        asks = {
            "response_type": "code",
            "client_id": made["client_id"],
            "redirect_uri": there,
            "scope": SCOPES,
            "state": text[:500],
            "code_challenge": challenge_of(VERIFIER),
            "code_challenge_method": "S256",
        }
        self.asking.append(_authorize(asks))
        self.sent_away += [_authorize(asks | {name: text[:500]}) for name in asks]

    async def _bring_devices(self, text: str) -> None:
        line = line_of(text, 100)
        enrolment = await self._does("begin_enrolment", name=line, publicKey=KEY, signingKey=KEY)
        if enrolment:
            self.to_users.append(f"/raw-memory/enrol?id={enrolment.enrolment_id}")
        device = await self._does(
            "start_device_code",
            deviceId=str(uuid.uuid4()),
            runtime="codex",
            bridgeVersion=line,
            adapterVersion=line,
            capabilities=[line[:60]],
            label=line,
        )
        if device:
            self.to_users.append(f"/local-agent/device-code?code={device.user_code}")

    async def _does(self, operation: str, /, **fields: Any) -> Any:
        try:
            made = await self.served.parts.call(OPERATOR, operation, fields)
        except AppError:
            self.refused[operation] += 1
            return None
        self.taken[operation] += 1
        return made


def _authorize(asks: dict[str, str]) -> str:
    return f"{OAUTH}/authorize?{urlencode(asks, errors='replace')}"
