"""The page at which a person signs in, without a script."""

from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.core.caller import Caller
from app.core.process.lazy_regex import regex
from app.errors import AppError, Forbidden, InsufficientScope, RateLimited, Unauthorized
from app.interfaces.credentials import Credentials, session_secret
from app.interfaces.pages.render_page import page, told_as_page
from app.interfaces.pages.sign_in import SignIn
from app.interfaces.wire.forms import form_of, value_of

SIGN_IN = "/auth/sign-in"
OWN_PAGE = regex(r"/(?![/\\])[!-\[\]-~]{0,8000}")
CODE = regex(r"[0-9A-Za-z]{4}([- ]?)[0-9A-Za-z]{4}\1[0-9A-Za-z]{4}")
USUAL = "For people with an account on this server."


class SignInPage:
    """The form, and what is sent with it."""

    def __init__(self, sign_in: SignIn, credentials: Credentials) -> None:
        self.sign_in = sign_in
        self.credentials = credentials

    def routes(self) -> list[Route]:
        """Give the routes."""
        return [Route(SIGN_IN, self.show), Route(SIGN_IN, self.hear, methods=["POST"])]

    def session(self, request: Request) -> tuple[Caller | None, bytes | None]:
        """Return who is signed in, or None, and the cookie that a renewed session goes back
        with.
        """
        headers, scheme = dict(request.scope["headers"]), request.scope.get("scheme", "http")
        secret = session_secret(headers)
        admitted = None if secret is None else self.credentials.sessions.admit(secret)
        if secret is None or admitted is None:
            return None, None
        me, renewed = admitted
        return me, self.credentials.cookie(secret, headers, scheme) if renewed else None

    async def shown(
        self, *, next_: str, why: str = USUAL, trouble: str = "", username: str = "", status: int
    ) -> Response:
        """Show the form; `next_` is the page of this server to go on to."""
        return await page(
            "sign_in", status=status, next=next_, why=why, trouble=trouble, username=username
        )

    @told_as_page
    async def show(self, request: Request) -> Response:
        """Show the form."""
        me, _ = self.session(request)
        return await self.shown(
            next_=own_page(request.query_params.get("next", "")),
            username="" if me is None else me.username,
            status=200,
        )

    @told_as_page
    async def hear(self, request: Request) -> Response:
        """Begin a session with what the form holds, and go on to the page that asked for it."""
        headers, scheme = dict(request.scope["headers"]), request.scope.get("scheme", "http")
        form = await form_of(request)
        if not self.credentials.guard.is_own_page(headers, scheme):
            raise Forbidden("Sign in at the page of this very server.")
        given = value_of(form, "secret").strip()
        next_ = own_page(value_of(form, "next"))
        field = "code" if CODE.fullmatch(given) else "key"
        try:
            secret = await self.sign_in.begin(request, {field: given})
        except (Unauthorized, InsufficientScope, RateLimited) as error:
            return await self._refused(next_, error)
        response = await page(
            "leaving",
            title="Signed in",
            words="You are signed in. If nothing happens, take the link.",
            address=next_,
            link="Go on",
        )
        response.headers["Set-Cookie"] = self.credentials.cookie(secret, headers, scheme).decode()
        return response

    async def _refused(self, next_: str, error: AppError) -> Response:
        response = await self.shown(next_=next_, trouble=error.message, status=error.status)
        response.headers.update(error.headers)
        return response


def own_page(address: str) -> str:
    """Return a page of this server to go on to: the one that is named, else the first."""
    is_own = OWN_PAGE.fullmatch(address) and "\\" not in unquote(address.partition("?")[0])
    return address if is_own else "/"
