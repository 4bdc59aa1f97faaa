"""Explaining access: what a caller would get, and why it is allowed or refused.

The answer comes from the very checks of the real call.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.account import users
from app.core.app import App
from app.core.caller import Caller
from app.core.download import Download
from app.core.json_body import decode
from app.core.line_stream import Lines
from app.core.operation import Http, Operation, operation
from app.core.schema import Record
from app.errors import AppError, Forbidden, InsufficientScope, Invalid, NotFound, Unauthorized
from app.network import view_as_callers
from app.network.dry_run import WriteUndone, dry_run_app
from app.tools.registry import registry

OUTSIDE = frozenset(
    {
        "call_tool",
        "add_integration",
        "chat",
        "briefing",
        "briefing_strategies",
        "briefing_matrix",
        "run_heartbeat",
    }
)
"""What reaches models, tools or addresses before its first write, so that a rehearsal would be
more than a look.
"""
REACHING = ("O", "X")
COMMAND = "COMMAND"
MOST_NEAR, MOST_COMPARED, LEAST_PART = 3, 80, 4
Args = Annotated[str, Meta(max_length=4_000)]


class Seen(Record):
    """The caller as whom one looks."""

    kind: str
    id: int | None
    name: str | None
    username: str
    scopes: list[str]


class Asked(Record):
    """The operation that is looked at.

    A tool without an endpoint has the method TOOL and no path.
    """

    name: str
    method: str
    path: str


class Check(Record):
    """One check of the call in their order; those after a failed one are not made."""

    check: Literal["caller", "scope", "fields", "rules"]
    passed: bool
    why: str


class Explained(Record):
    """Whether the call would be let through, with the status, code and sentence that the caller
    would get.

    `ran`: the operation's own rules were tried too, and undone. `answer` is what a read gives;
    of a write it is null.
    """

    caller: Seen | None
    operation: Asked
    allowed: bool
    status: int
    error: str | None
    message: str
    checks: list[Check]
    ran: bool
    answer: Any


@operation(
    "GET /network/explain",
    scope="os.network:read",
    http=Http(
        refuses={
            "args": "it is no JSON object, or not what the operation takes",
            "caller": "it names no kind of caller",
        }
    ),
)
async def explain(
    app: App,
    me: Caller,
    *,
    caller: Annotated[str, Meta(max_length=200)],
    operation: Annotated[str, Meta(max_length=200)],
    args: Args = "{}",
) -> Explained:
    """See what a caller of one's own would see, and why it is allowed or refused.

    Nothing of it stays.

    `caller` is me, session, key:<id>, agent:<handle>, contact:<username> or guest:<link>,
    `operation` its name, also of a tool, or its method and path, `args` its fields as a JSON
    object, those of the path included. Whoever asks must hold every scope that the caller holds.
    """
    return await _explain_call(app, me, caller, operation, _decode_args(args))


@operation("COMMAND")
async def explain_call(
    app: App, me: Caller, *, username: str, caller: str, operation: str, args: dict[str, Any]
) -> Explained:
    """See what a caller of a user's would see, and why it is allowed or refused.

    Nothing of it stays.
    """
    owner = await app.read(users.local_caller, username)
    return await _explain_call(app, owner, caller, operation, args)


async def _explain_call(
    app: App, me: Caller, caller: str, operation: str, fields: Mapping[str, Any]
) -> Explained:
    found = _find_operation(app, operation)
    asked = Asked(found.name, found.method, found.path)
    try:
        seen = await app.read(view_as_callers.caller_named, me, caller, app.hooks)
    except AppError as error:
        # A caller that may not act at all is an answer; one that does not exist is the asker's
        # mistake.
        if not isinstance(error, Unauthorized | Forbidden):
            raise
        return _explanation(None, asked, [Check("caller", False, error.message)], error)
    _require_as_much(me, seen)
    who = Seen(seen.kind, seen.credential, seen.name, seen.username, list(seen.scopes))
    checks = [Check("caller", True, "The credential holds.")]
    try:
        app.authorize(seen, found)
        checks.append(Check("scope", True, f"It holds {_scopes_text(found)}."))
        fields = _check_fields(app, found, fields)
        checks.append(Check("fields", True, "Every field fits."))
    except AppError as error:
        checks.append(
            Check(
                # A check that passed is listed already, so how far the list is tells which one
                # failed.
                "fields" if isinstance(error, Invalid) or len(checks) > 1 else "scope",
                False,
                error.message,
            )
        )
        return _explanation(who, asked, checks, error)
    if found.name in OUTSIDE or (found.tool is not None and found.tool.risk in REACHING):
        return Explained(
            who,
            asked,
            True,
            found.http.status,
            None,
            "It reaches outside, so its own rules were not tried.",
            checks,
            False,
            None,
        )
    return await _try_call(app, seen, found, fields, (who, asked, checks))


async def _try_call(
    app: App,
    caller: Caller,
    found: Operation[..., Any],
    fields: Mapping[str, Any],
    said: tuple[Seen, Asked, list[Check]],
) -> Explained:
    """Run the operation where nothing stays, and tell how it ended."""
    who, asked, checks = said
    answer = None
    try:
        answer = await _answer_as_json(
            await (app if found.effect == "read" else dry_run_app(app)).run(caller, found, fields)
        )
    except WriteUndone:
        pass
    except AppError as error:
        checks.append(Check("rules", False, error.message))
        return _explanation(who, asked, checks, error, ran=True)
    checks.append(Check("rules", True, "The operation's own rules let it through."))
    return Explained(who, asked, True, found.http.status, None, "Allowed.", checks, True, answer)


def _explanation(
    who: Seen | None, asked: Asked, checks: list[Check], error: AppError, *, ran: bool = False
) -> Explained:
    return Explained(who, asked, False, error.status, error.code, error.message, checks, ran, None)


def _find_operation(app: App, name: str) -> Operation[..., Any]:
    """Return the operation of that name, or of that method and path.

    Raise NotFound, which names those that are called nearly so.

    What the command line alone may ask is none.
    """
    wanted = " ".join(name.split())
    known = {
        spelling: found
        for found in app.catalog.operations.values()
        if found.method != COMMAND
        for spelling in (found.name, *_routes_of(found))
    }
    if wanted in known:
        return known[wanted]
    near = _nearest_names(wanted, known)
    meant = (
        f"; did you mean {' or '.join(near)}?"
        if near
        else "; `hearth routes` lists the endpoints, `GET /tools` the tools."
    )
    raise NotFound(
        f"There is no operation called {wanted[:80]}{meant}", field="operation", near=near
    )


def _check_fields(
    app: App, found: Operation[..., Any], fields: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the fields of the operation, which for what is only a tool come as that spells them.

    Raise Invalid.
    """
    if found.path:
        app.check_arguments(found, fields)
        return fields
    tool = registry.RegisteredTool(found)
    named = tool.fields(fields)
    with tool.spelled():
        app.check_arguments(found, named)
    return named


def _routes_of(found: Operation[..., Any]) -> list[str]:
    """Return an operation's routes; a tool has none."""
    return [f"{found.method} {found.path}", *found.also] if found.path else []


def _nearest_names(wanted: str, names: Iterable[str]) -> list[str]:
    """Return the names nearest to one that there is not, the nearest first."""
    import difflib

    folded = {spelling.casefold(): spelling for spelling in names}
    key = wanted.casefold()[:MOST_COMPARED]
    # difflib misses a short part of a long name, such as "note" in "get_note_content".
    holding = [spelling for spelling in folded if len(key) >= LEAST_PART and key in spelling]
    close = difflib.get_close_matches(key, folded, n=MOST_NEAR, cutoff=0.6)
    return [folded[spelling] for spelling in dict.fromkeys([*close, *holding])][:MOST_NEAR]


def _decode_args(args: str) -> dict[str, Any]:
    try:
        # The same limits on depth and size as for the body of a request.
        return decode(args.encode("utf-8", "surrogateescape"))
    except Invalid as error:
        raise Invalid(error.message.replace("The request body", "args"), field="args") from None


def _require_as_much(me: Caller, seen: Caller) -> None:
    """Raise InsufficientScope unless whoever asks holds all that the caller holds.

    Nobody sees more by another's eyes than by their own.
    """
    if lacking := sorted(seen.rights - me.rights):
        raise InsufficientScope(
            f"To look as this caller, a credential needs all of its scopes; "
            f"{lacking[0]} is missing.",
            scope=lacking[0],
        )


def _scopes_text(found: Operation[..., Any]) -> str:
    return " or ".join(found.scopes) or "a credential, which is all that this asks for"


async def _answer_as_json(result: Any) -> Any:
    """Return an answer as JSON; of a file its name and size, of a stream nothing."""
    if isinstance(result, Download):
        # Nobody will read the parts; an open generator would keep its file or transaction.
        await result.parts.aclose()
        return {"name": result.name, "mediaType": result.media_type, "size": result.size}
    if isinstance(result, Lines):
        return None
    return msgspec.Raw(msgspec.json.encode(result))
