"""The page at which a person lets a device in: what asks, and what it will be allowed."""

from collections.abc import Sequence
from urllib.parse import quote

from starlette.responses import Response
from starlette.routing import Route

from app.core import random_tokens
from app.core.caller import OPERATOR, Caller
from app.errors import Conflict, Invalid, NotFound, Unauthorized
from app.interfaces.languages.words import Words
from app.interfaces.pages import sign_in_page
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.render_page import notice, page, told_as_page
from app.interfaces.pages.sign_in_page import SIGN_IN
from app.interfaces.pages.visit import Visit

PAGE = "/local-agent/device-code"
RUNTIMES = {"claude-code": "Claude Code", "codex": "Codex"}
RUN = "bridge-instance:"
"""What names this run of the program, and tells a person nothing."""
CAPABILITIES = ("listSessions", "startSession", "liveInject", "midTurnSteer", "replyEvents")
ALLOWED = ("look", "hand_on", "take_in", "guests")


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
        return await _sign_in(visit, code)
    return await _shown(visit, me, code)


@told_as_page
async def hear(visit: Visit) -> Response:
    """Take the answer that the form holds."""
    form = await form_of(visit)
    code, decision = value_of(form, "code").strip(), value_of(form, "decision")
    try:
        me = visit.signed_in()
    except Unauthorized:
        return await _sign_in(visit, code)
    if decision not in ("approve", "deny"):
        raise Invalid("decision must be approve or deny.", field="decision")
    if decision == "approve" and value_of(form, "same") != "yes":
        return await _shown(visit, me, code, trouble="unsure")
    fields = {"userCode": code, "decision": decision}
    try:
        await visit.parts.call(me, "decide_device_code", fields)
    except (NotFound, Conflict):
        return await _shown(visit, me, code)
    if decision == "deny":
        return await notice(visit, "pages.device_code.denied")
    say = await visit.words()
    return await notice(visit, "pages.device_code.let_in", say("pages.device_code.end_it"))


async def _shown(visit: Visit, me: Caller, code: str, *, trouble: str = "") -> Response:
    """Show the request with a code as it stands now; the form for a code where there is none."""
    say = await visit.words()
    if not code:
        return await page(visit, "device_code_form", username=me.username, trouble="")
    try:
        asked = await visit.parts.call(OPERATOR, "read_device_code", {"userCode": code})
    except (NotFound, Invalid):
        visit.guessed_page()
        trouble = say("pages.device_code.no_code")
        return await page(
            visit, "device_code_form", status=404, username=me.username, trouble=trouble
        )
    if asked.status != "pending":
        return await _over(visit, asked.status)
    return await page(
        visit,
        "device_code",
        status=400 if trouble else 200,
        code_shown=random_tokens.group_code(code),
        asked=asked,
        runtime=RUNTIMES[asked.runtime],
        can=_in_words(say, asked.capabilities),
        other=[
            one for one in asked.capabilities if not (one in CAPABILITIES or one.startswith(RUN))
        ],
        allowed=[say(f"pages.device_code.allowed.{each}") for each in ALLOWED],
        username=me.username,
        switch=f"{SIGN_IN}?next={quote(_address(code), safe='')}",
        trouble=say(f"pages.device_code.{trouble}") if trouble else "",
    )


def _in_words(say: Words, capabilities: Sequence[str]) -> str:
    return ", ".join(
        say(f"pages.device_code.can.{name}") for name in CAPABILITIES if name in capabilities
    )


async def _over(visit: Visit, status: str) -> Response:
    if status == "expired":
        return await notice(visit, "pages.device_code.expired", status=410)
    return await notice(visit, "pages.device_code.answered", status=409)


async def _sign_in(visit: Visit, code: str) -> Response:
    say = await visit.words()
    why = say("pages.device_code.why")
    return await sign_in_page.shown(visit, next_=_address(code), why=why, status=401)


def _address(code: str) -> str:
    return f"{PAGE}?code={quote(code[:64], safe='')}" if code else PAGE
