"""The page at which a person lets a device in: what asks, and what it will be allowed."""

from collections.abc import Sequence
from urllib.parse import quote

from starlette.responses import Response
from starlette.routing import Route

from app.core import random_tokens
from app.core.caller import OPERATOR, Caller
from app.errors import Conflict, Invalid, NotFound, Unauthorized
from app.interfaces.pages import sign_in_page
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.render_page import notice, page, told_as_page
from app.interfaces.pages.sign_in_page import SIGN_IN
from app.interfaces.pages.visit import Visit

PAGE = "/local-agent/device-code"
WHY = "A device asks to work for you. Sign in to see which one, and to answer."
NO_CODE = "No device shows this code. Look at it again; it holds for ten minutes."
UNSURE = "Tick that the code is the one that your own device shows, or don’t allow it."
RUNTIMES = {"claude-code": "Claude Code", "codex": "Codex"}
RUN = "bridge-instance:"
"""What names this run of the program, and tells a person nothing."""
CAPABILITIES = {
    "listSessions": "lists its sessions",
    "startSession": "starts new sessions",
    "liveInject": "takes messages while it is at work",
    "midTurnSteer": "lets messages change what it is doing",
    "replyEvents": "answers messages",
}
ALLOWED = (
    "see who you are here, and find other people by name",
    "hand work to your contacts’ agents, and write to them, in your name",
    "take in work and messages that your contacts send you",
    "answer guests of the share links that you let a device answer",
)


def routes() -> list[Route]:
    """Give the routes."""
    return [Route(PAGE, show), Route(PAGE, hear, methods=["POST"])]


@told_as_page
async def show(visit: Visit) -> Response:
    """Show what asks by the code in the address; without one, ask for the code."""
    code = visit.query_params.get("code", "").strip()
    try:
        me = visit.signed_in()
    except Unauthorized:
        return await _sign_in(code)
    return await _shown(visit, me, code)


@told_as_page
async def hear(visit: Visit) -> Response:
    """Take the answer that the form holds."""
    form = await form_of(visit)
    code, decision = value_of(form, "code").strip(), value_of(form, "decision")
    try:
        me = visit.signed_in()
    except Unauthorized:
        return await _sign_in(code)
    if decision not in ("approve", "deny"):
        raise Invalid("decision must be approve or deny.", field="decision")
    if decision == "approve" and value_of(form, "same") != "yes":
        return await _shown(visit, me, code, trouble=UNSURE)
    fields = {"userCode": code, "decision": decision}
    try:
        await visit.parts.call(me, "decide_device_code", fields)
    except (NotFound, Conflict):
        return await _shown(visit, me, code)
    if decision == "deny":
        return await notice("Not allowed", "The device got nothing, and hears that you said no.")
    return await notice(
        "Allowed",
        "Go back to the device: it goes on by itself within a few seconds.",
        "You can end this at any time with hearth device remove.",
    )


async def _shown(visit: Visit, me: Caller, code: str, *, trouble: str = "") -> Response:
    """Show the request with a code as it stands now; the form for a code where there is none."""
    if not code:
        return await page("device_code_form", username=me.username, trouble="")
    try:
        asked = await visit.parts.call(OPERATOR, "read_device_code", {"userCode": code})
    except (NotFound, Invalid):
        visit.guessed_page()
        return await page("device_code_form", status=404, username=me.username, trouble=NO_CODE)
    if asked.status != "pending":
        return await _over(asked.status)
    return await page(
        "device_code",
        status=400 if trouble else 200,
        code=random_tokens.group_code(code),
        asked=asked,
        runtime=RUNTIMES[asked.runtime],
        can=_in_words(asked.capabilities),
        other=[
            one for one in asked.capabilities if not (one in CAPABILITIES or one.startswith(RUN))
        ],
        allowed=ALLOWED,
        username=me.username,
        switch=f"{SIGN_IN}?next={quote(_address(code), safe='')}",
        trouble=trouble,
    )


def _in_words(capabilities: Sequence[str]) -> str:
    return ", ".join(words for name, words in CAPABILITIES.items() if name in capabilities)


async def _over(status: str) -> Response:
    if status == "expired":
        return await notice(
            "This code has expired",
            "A code holds for ten minutes. Start again at the device.",
            status=410,
        )
    return await notice(
        "This code was answered already",
        "Each code is answered once. Start again at the device for a new one.",
        status=409,
    )


async def _sign_in(code: str) -> Response:
    return await sign_in_page.shown(next_=_address(code), why=WHY, status=401)


def _address(code: str) -> str:
    return f"{PAGE}?code={quote(code[:64], safe='')}" if code else PAGE
