"""Show a page of the home: for whoever is signed in, in their language, with the rail beside it.

A handler is `async def (visit: Visit, person: Person) -> Response` behind `for_person`. It asks
operations by `person.call`, and shows a template by `person.show`. After a change it sends the
browser on by `see`, so that loading the page again changes nothing twice.
"""

import functools
import hmac
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from starlette.responses import Response

from app.core import random_tokens
from app.core.caller import Caller
from app.errors import AppError, Unauthorized
from app.interfaces.home.changes import mark_of
from app.interfaces.home.dates import Dates
from app.interfaces.languages.said import said
from app.interfaces.languages.words import Words, words_of
from app.interfaces.pages.forms import FORM, form_of
from app.interfaces.pages.render_page import failure, page
from app.interfaces.pages.sign_in_page import SIGN_IN, own_page
from app.interfaces.pages.visit import Visit

POLICY = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        "connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        "trusted-types hearth"
    )
}
"""Only our own scripts run; `hearth` is the one policy by which they may insert HTML, which this
server made (static/dom.js)."""
LARGEST_KEPT = 1 << 20
"""Bytes of a form that is shown again to whoever was signed out meanwhile."""
SHORT = 40
UNTYPED = ("back", "once", "was")
"""Fields that pages fill in, of whatever length."""
SECRETS = ("secret",)
"""What is never shown again."""
LONGEST_TOLD = 500
TOLD = ("did", "what", "undo")
_SECRET = random_tokens.new_bytes(32)


class Person(NamedTuple):
    """Whoever is signed in, as a handler needs them."""

    visit: Visit
    caller: Caller
    name: str
    words: Words
    dates: Dates
    mark: str

    async def call(self, operation: str, /, **fields: Any) -> Any:
        """Ask an operation, with the rights of this person, and return its record; what it refuses
        is told in their language.
        """
        try:
            return await self.visit.parts.call(self.caller, operation, fields)
        except AppError as error:
            error.message = said(self.words, error.message)
            raise

    async def show(
        self, name: str, /, *, place: str = "", status: int = 200, **values: Any
    ) -> Response:
        """Return a page with the rail beside it; `place` is where on the rail it stands."""
        return await page(
            self.visit,
            f"home/{name}",
            status=status,
            headers=POLICY,
            place=place,
            rail=await self._rail(),
            **self._common(),
            **values,
        )

    async def piece(self, name: str, /, **values: Any) -> Response:
        """Return a part of a page, which a script puts in its place."""
        return await page(self.visit, f"home/{name}", headers=POLICY, **self._common(), **values)

    def _common(self) -> dict[str, Any]:
        told = _told(self.visit.query_params)
        did = told.get("did", "")
        return {
            "number": self.words.number,
            "dates": self.dates,
            "person": self,
            "did": did if self.words.has(f"did.{did}") else "",
            "did_what": told.get("what", "")[:LONGEST_TOLD],
            "undo": told.get("undo", ""),
        }

    async def _rail(self) -> dict[str, int]:
        """Return the counts that stand on the rail."""
        today = self.dates.today.isoformat()
        late = await self.call("search_todos", completed=False, dueTo=today, limit=1)
        open_ = await self.call("search_todos", completed=False, limit=1)
        waiting = await self.call("list_escalations", status="pending", limit=1)
        notes = await self.call("list_all_notes", limit=1)
        requests = await self.call("list_requests")
        unread = await self.call("count_unread")
        return {
            "today": late.total + waiting.pending_count,
            "notes": notes.total_notes,
            "todos": open_.total,
            "agent": unread.own,
            "people": unread.others + len(requests.incoming),
        }


Handler = Callable[[Visit, Person], Awaitable[Response]]


def for_person(answer: Handler) -> Callable[[Visit], Awaitable[Response]]:
    """Let a handler be asked by whoever is signed in, and tell its failures as a page.

    A stranger is shown the way in. What a form held when its session had ended is shown again,
    to be sent once more: nothing that was typed is lost.
    """

    @functools.wraps(answer)
    async def asked(visit: Visit) -> Response:
        try:
            caller = visit.signed_in()
        except Unauthorized:
            return await _signed_out(visit)
        except AppError as error:
            return await failure(visit, error)
        person = await _person(visit, caller)
        try:
            return await answer(visit, person)
        except AppError as error:
            response = await person.show(
                "error",
                status=error.status,
                error=error,
                back=_back(visit),
                address=_here(visit),
                typed=_typed(visit.filled, error),
            )
            response.headers.update(error.headers)
            return response

    return asked


def for_script(answer: Handler) -> Callable[[Visit], Awaitable[Response]]:
    """Let a handler be asked by a script of a page; its failures are told as those of the API."""

    @functools.wraps(answer)
    async def asked(visit: Visit) -> Response:
        return await answer(visit, await _person(visit, visit.signed_in()))

    return asked


def see(address: str, *, did: str = "", what: str = "", undo: str = "") -> Response:
    """Return the answer that sends a browser on, with what was done, to be told at the top there.

    `did` names a sentence of the part `did`, `what` is the thing that it names, `undo` the address
    of the form that takes it back.
    """
    told = {name: value for name, value in (("did", did), ("what", what), ("undo", undo)) if value}
    if told:
        told["mark"] = _mark(told)
        page, mark, place = address.partition("#")
        address = f"{page}{'&' if '?' in page else '?'}{urlencode(told)}{mark}{place}"
    return Response(status_code=303, headers={"Location": address})


async def _person(visit: Visit, caller: Caller) -> Person:
    mark = mark_of(visit.parts, caller)
    found = (await visit.parts.call(caller, "read_settings", {})).settings
    visit.said_in = words = words_of(found.locale)
    dates = Dates(words, found.timezone, visit.parts.clock())
    return Person(visit, caller, found.name or caller.username, words, dates, mark)


async def _signed_out(visit: Visit) -> Response:
    if visit.method in ("GET", "HEAD"):
        return see(f"{SIGN_IN}?next={quote(_here(visit), safe='')}")
    is_form = visit.sent.get(b"content-type", b"").startswith(FORM)
    fields = await form_of(visit, LARGEST_KEPT) if is_form else []
    return await page(visit, "home/resend", status=401, fields=fields, address=_here(visit))


def _told(query: Mapping[str, str]) -> dict[str, str]:
    """Return what was done, as `see` told it; nothing of an address that somebody made up, who
    could have the page say anything, and the button of undo send a form anywhere.
    """
    told = {name: query[name] for name in TOLD if query.get(name)}
    return told if random_tokens.equal_secrets(query.get("mark", ""), _mark(told)) else {}


def _mark(told: Mapping[str, str]) -> str:
    """Return what shows that this server told these things."""
    return hmac.digest(_SECRET, repr(sorted(told.items())).encode(), "sha256").hex()[:32]


def _here(visit: Visit) -> str:
    return visit.url.path + (f"?{visit.url.query}" if visit.url.query else "")


def _typed(filled: list[tuple[str, str]], error: AppError) -> list[tuple[str, str, bool]]:
    """Return the fields of a form that could not be done, and which of them are shown, to be
    changed and sent again: what is at fault, and every longer text. None where nobody typed.
    """
    fault = error.details.get("field")
    fields = [
        (name, value, name not in UNTYPED and (name == fault or len(value) > SHORT))
        for name, value in filled
        if name not in SECRETS
    ]
    return fields if any(is_shown for _, _, is_shown in fields) else []


def _back(visit: Visit) -> str:
    """Return the page of this server that a person came from, else the first."""
    before, own = visit.headers.get("referer", ""), visit.origin
    return own_page(before.removeprefix(own)) if before.startswith(own + "/") else "/"
