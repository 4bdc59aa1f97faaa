"""A request for a page or an endpoint beside the API, as its handler sees it.

A handler is `async def (visit: Visit) -> Response`, or it returns the `Lines` of an operation. The
door in front has looked where the request comes from, tells every failure in the one shape of
refusal, adds the headers of every answer and writes the access log.
"""

import asyncio
from typing import Any

from starlette.requests import Request

from app.core.app import App
from app.core.caller import Caller
from app.core.json_body import decode
from app.core.temp_files import Upload
from app.errors import AppError, Forbidden, NotFound, Unauthorized
from app.interfaces.credentials import Credentials, key_of, session_secret
from app.interfaces.exchange import Exchange
from app.interfaces.guard import UNSAFE
from app.interfaces.languages.accepted import accepted_language, wanted_language
from app.interfaces.languages.words import Words, words_of
from app.interfaces.wire.request_bodies import body_parts

SAME = (b"none", b"same-origin")
# in a frame of another site a page would be shown with the rights of whoever looks
FRAMES = (b"iframe", b"frame", b"embed")
MOST_DIGITS = 15


class Visit(Request):
    """A request, who sends it, and the App, whose `call` is the one way to every operation."""

    def __init__(
        self, exchange: Exchange, parts: App, credentials: Credentials, texts: dict[str, str]
    ) -> None:
        exchange.scope["path_params"] = texts
        super().__init__(exchange.scope, exchange.receive)
        self.exchange = exchange
        self.parts = parts
        self.credentials = credentials
        self.filled: list[tuple[str, str]] = []  # the fields of its form, once that was read
        self.said_in: Words | None = None  # the words of its answer, once they are known

    @property
    def sent(self) -> dict[bytes, bytes]:
        """The headers as they were sent, by their names in small letters."""
        return self.exchange.headers

    @property
    def scheme(self) -> str:
        """`http` or `https`, as the server was asked."""
        return str(self.scope.get("scheme", "http"))

    @property
    def origin(self) -> str:
        """Scheme, host and port of this server, as the client named them."""
        return self.credentials.guard.origin(self.sent, self.scheme)

    def number_in_path(self, name: str = "id") -> int:
        """Return the number in the path; raise NotFound for what is none."""
        number = as_number(str(self.path_params[name]))
        if number is None:
            raise NotFound("There is nothing at this path.")
        return number

    def number_asked(self, name: str, otherwise: int = 0) -> int:
        """Return the number in the query; `otherwise` for what is none."""
        number = as_number(self.query_params.get(name, ""))
        return otherwise if number is None else number

    async def body_of(self, most: int) -> bytes:
        """Read the body, of at most so many bytes."""
        self.exchange.require_small(most)
        return await self.exchange.read_body(most)

    async def file_of(self, most: int) -> str:
        """Read the body, of at most so many bytes, into a file of the spool, and return its name,
        as operations that take large files want it.
        """
        self.exchange.require_small(most)
        upload = await asyncio.to_thread(Upload, self.parts.store.path.parent)
        try:
            async for part in body_parts(self.exchange.receive, most):
                await asyncio.to_thread(upload.add, part)
            await asyncio.to_thread(upload.close)
        except BaseException:
            await asyncio.to_thread(upload.remove)
            raise
        return upload.name

    async def fields(self, most: int) -> dict[str, Any]:
        """Read the JSON object in the body, of at most so many bytes."""
        return decode(await self.body_of(most))

    def signed_in(self) -> Caller:
        """Return the caller of the session that comes with the request, with all their rights.

        A renewed session's cookie goes back with the answer. Raise Unauthorized where there is no
        session, Forbidden for a change that no page of this server asks for, and RateLimited.
        """
        return self.credentials.admit_session(self.exchange)

    def session_caller(self) -> Caller | None:
        """Give who is signed in, or None; a renewed session's cookie goes back with the answer."""
        secret = session_secret(self.sent)
        admitted = None if secret is None else self.credentials.sessions.admit(secret)
        if secret is None or admitted is None:
            return None
        self.exchange.caller, renewed = admitted
        if renewed:
            self.keep_session(secret)
        return admitted[0]

    def keep_session(self, secret: str) -> None:
        """Let the browser keep a session from this answer on; an empty secret takes it away."""
        self.exchange.cookie = self.credentials.cookie(secret, self.sent, self.scheme)

    def visitor(self) -> int | None:
        """Return the row of the user whose key or session comes with the request; None for a
        stranger.

        Raise Unauthorized for a key that does not hold, or RateLimited where too many such came
        from its address. A session counts only where a page of this very server asks, never
        where the page of another does.
        """
        if (key := key_of(self.sent)) is not None:
            caller = self.credentials.ring.find_caller(key)
            if caller is None:
                self.credentials.failed(self.scope)
                raise self.unauthorized(sent=True)
            self.credentials.ring.note_use(caller)
        else:
            secret = session_secret(self.sent)
            admitted = (
                self.credentials.sessions.admit(secret)
                if secret is not None and self._is_of_own_page()
                else None
            )
            caller = None if admitted is None else admitted[0]
        self.exchange.caller = caller
        return None if caller is None else caller.user

    async def words(self) -> Words:
        """Return the words of the answer: in the language of whoever is signed in, else in the one
        that the browser asks for.
        """
        if self.said_in is None:
            self.said_in = words_of(await self._locale())
        return self.said_in

    async def _locale(self) -> str:
        if (caller := self.exchange.caller or self._caller_of_session()) is not None:
            try:
                found = await self.parts.call(caller, "read_settings", {})
                return str(found.settings.locale)
            except AppError:
                pass  # a page that says what failed is shown all the same
        return accepted_language(self._languages())

    def wanted_language(self) -> str | None:
        """Return the language of the pages that the browser asks for; None where it names none."""
        return wanted_language(self._languages())

    def _languages(self) -> str:
        return self.sent.get(b"accept-language", b"").decode("latin-1")

    def _caller_of_session(self) -> Caller | None:
        """Return who is signed in, to speak their language and for nothing else."""
        secret = session_secret(self.sent)
        if secret is None or self.sent.get(b"sec-fetch-dest", b"") in FRAMES:
            return None
        admitted = self.credentials.sessions.admit(secret)
        return None if admitted is None else admitted[0]

    def guessed(self) -> None:
        """Count a link or code that nobody knows against the address that it came from.

        Raise RateLimited where too many did.
        """
        self.credentials.guessed(self.scope)

    def guessed_page(self) -> None:
        """Do the same for the page of a link, unless a browser asks for it on behalf of another
        site, which can show as many as it likes.
        """
        if self.sent.get(b"sec-fetch-site", b"none") in SAME:
            self.guessed()

    def unauthorized(self, message: str = "", *, sent: bool = False) -> Unauthorized:
        """Return the refusal of whoever must sign in first; `sent`: with a credential that does not
        hold.
        """
        refusal = self.credentials.unauthorized(self.sent, self.scheme, sent=sent)
        return Unauthorized(message or refusal.message).challenged(refusal.challenge)

    def _is_of_own_page(self) -> bool:
        """Return whether a page of this server asks, or a person who opened the address."""
        if self.method not in UNSAFE:
            return (
                self.sent.get(b"sec-fetch-site", b"none") in SAME
                and self.sent.get(b"sec-fetch-dest", b"") not in FRAMES
            )
        try:
            self.credentials.require_own_page(self.method, self.sent, self.scheme)
        except Forbidden:
            return False
        return True


def as_number(text: str) -> int | None:
    """Return the number that a text is, as small as an id; None for any other text."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS
    return int(text) if is_number else None
