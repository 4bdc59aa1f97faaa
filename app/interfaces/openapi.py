"""The catalogue as an OpenAPI 3.1 document."""

import functools
from collections.abc import Mapping
from typing import Any

from app.account.oauth.policy import GRANTABLE, OAUTH
from app.core.accepted_schemas import nullable, request_schemas
from app.core.app import App
from app.core.caller import IMPLIED, Actor, Caller
from app.core.line_stream import EVENTS, MEDIA_TYPE
from app.core.operation import Catalog, Http, ListedRoute, Operation, operation
from app.core.schema import Record, schemas
from app.interfaces.languages.words import DEFAULT, words_of
from app.interfaces.oauth.rights import GROUPS

PREFIX = "#/components/schemas/"
IDEMPOTENCY_KEY = {
    "type": "string",
    "minLength": 1,
    "maxLength": 255,
    "pattern": "^[!-~]([ -~]*[!-~])?$",
}
FORM: Mapping[str, str] = {
    "Content-Type": "it is that of a form; the body must be the bytes of the file"
}
"""What every operation that takes a file refuses."""
NO_CONTENT = 204
BINARY = {"type": "string", "format": "binary"}
REFUSALS = {
    "400": "A field is wrong, or the body is not a JSON object",
    "401": "No valid credential",
    "403": "The credential lacks the scope, or the role is missing",
    "404": "No such thing",
    "409": "The present state refuses this",
    "413": "The body is too large",
    "422": "Unprocessable",
    "429": "Too many requests",
    "500": "Internal error",
    "503": "Unavailable",
    "507": "The disk is full",
}


class Refusal(Record):
    """The one shape of every refusal; some carry further fields."""

    success: bool
    error: str
    message: str


KEYS: tuple[dict[str, list[str]], ...] = ({"bearer": []}, {"apiKey": []})
SHARED = (Refusal, Actor)
"""What every refusal refers to, and what the schemas of stored JSON refer to by name."""


@operation("GET /openapi.json", public=True, http=Http(bare=True))
async def openapi(app: App, me: Caller | None) -> dict[str, Any]:
    """Give the API's OpenAPI 3.1 document."""
    return openapi_document(app.catalog, app.settings.origin)


@functools.cache
def openapi_document(catalog: Catalog, origin: str) -> dict[str, Any]:
    """Return the OpenAPI document of the catalogue; `origin` is where people sign in."""
    served = list(catalog.listed())
    operations = list({one.operation.name: one.operation for one in served}.values())
    names = [found.name for found in operations]
    each, named = schemas([*SHARED, *(found.answer for found in operations)], PREFIX)
    answers = dict(zip(names, each[len(SHARED) :], strict=True))
    sent, inner = request_schemas([found.fields.record for found in operations], PREFIX)
    own = {name for name, schema in inner.items() if named.get(name, schema) != schema}
    requests = {
        name: _rename_references(schema, own) for name, schema in zip(names, sent, strict=True)
    }
    named |= {
        _sent_name(name, own): _rename_references(schema, own) for name, schema in inner.items()
    }
    paths: dict[str, Any] = {}
    for one in served:
        paths.setdefault(one.path, {})[one.method.lower()] = _path_entry(
            one, requests[one.operation.name], answers[one.operation.name]
        )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Workspace and Agent Service API",
            "version": "1.0.0",
            "description": "Served by Hearth.",
        },
        "servers": [{"url": "/api/v1"}],
        "security": [*KEYS, {"oauth2": []}],
        "paths": paths,
        "components": {
            "schemas": named,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
                "oauth2": {"type": "oauth2", "flows": {"authorizationCode": _code_flow(origin)}},
            },
        },
    }


def _code_flow(origin: str) -> dict[str, Any]:
    """Return how an application comes to a token, and what it may ask for, in words."""
    english = words_of(DEFAULT)
    words = {right.scope: english(right.words) for group in GROUPS for right in group.rights}
    return {
        "authorizationUrl": f"{origin}{OAUTH}/authorize",
        "tokenUrl": f"{origin}{OAUTH}/token",
        "refreshUrl": f"{origin}{OAUTH}/token",
        "scopes": {scope: words[scope] for scope in GRANTABLE},
    }


def _sufficient(scopes: tuple[str, ...]) -> list[str]:
    """Return each scope that an application may have, and that alone suffices."""
    wider = [wide for wide, implied in IMPLIED.items() if not set(implied).isdisjoint(scopes)]
    return [scope for scope in dict.fromkeys((*scopes, *wider)) if scope in GRANTABLE]


def _sent_name(name: str, own: set[str]) -> str:
    """Return the name of a record as it is sent; one that is answered in another form has two."""
    return f"{name}Sent" if name in own else name


def _rename_references(schema: Any, own: set[str]) -> Any:
    if isinstance(schema, list):
        return [_rename_references(part, own) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: PREFIX + _sent_name(part.removeprefix(PREFIX), own)
        if key == "$ref"
        else _rename_references(part, own)
        for key, part in schema.items()
    }


def _path_entry(
    listed: ListedRoute, request: dict[str, Any], answer: dict[str, Any]
) -> dict[str, Any]:
    found = listed.operation
    properties: dict[str, Any] = request.get("properties", {})
    required = set(request.get("required", ()))
    in_path = [
        _parameter(name, "path", properties[name], required=True) for name in found.path_names
    ]
    others = {name: schema for name, schema in properties.items() if name not in found.path_names}
    entry: dict[str, Any] = {
        "operationId": listed.name,
        "summary": found.summary,
        "description": found.description,
        "tags": [listed.category],
        "parameters": in_path,
        "responses": _responses(found, answer),
    }
    if found.http.takes_file:
        entry["requestBody"] = {
            "required": True,
            "content": {"*/*": {"schema": BINARY | {"minLength": 1}}},
        }
        others = {
            name: schema
            for name, schema in others.items()
            if name not in ("content", "contentType")
        }
    if found.in_query or found.http.takes_file:
        entry["parameters"] += [
            _parameter(name, "query", schema, required=name in required)
            for name, schema in others.items()
        ]
    elif others:
        others = {
            name: schema if name in required else nullable(schema)
            for name, schema in others.items()
        }
        body = {
            "type": "object",
            "properties": others,
            "required": sorted(required - set(found.path_names)),
        }
        entry["requestBody"] = {
            "required": bool(body["required"]),
            "content": {"application/json": {"schema": body}},
        }
    if found.public:
        entry["security"] = []
    elif found.scopes:
        entry["security"] = [*KEYS, *({"oauth2": [scope]} for scope in _sufficient(found.scopes))]
    if found.scopes:
        entry["x-scopes"] = list(found.scopes)
    if found.http.idempotent:
        entry["parameters"].append(
            _parameter("Idempotency-Key", "header", IDEMPOTENCY_KEY, required=False)
        )
    return entry


def _parameter(name: str, place: str, schema: dict[str, Any], *, required: bool) -> dict[str, Any]:
    if place == "query":
        schema = _without_null(schema)
    return {"name": name, "in": place, "required": required, "schema": schema}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a query parameter: null cannot be written in a query."""
    options = [option for option in schema.get("anyOf", ()) if option != {"type": "null"}]
    rest = {
        key: value
        for key, value in schema.items()
        if key != "anyOf" and not (key == "default" and value is None)
    }
    return (
        {**options[0], **rest}
        if len(options) == 1
        else rest | ({"anyOf": options} if options else {})
    )


def _responses(found: Operation[..., Any], answer: dict[str, Any]) -> dict[str, Any]:
    refusal = {"$ref": PREFIX + "Refusal"}
    body = answer if found.http.bare else _envelope_schema(found, answer)
    if found.http.refusal is not None:
        body = {"anyOf": [body, refusal]}
    codes = set(REFUSALS) - ({"401", "403"} if found.public else set())
    told = REFUSALS | {str(found.http.invalid_status): _refusal_text(found)}
    listed = {
        code: {"description": told[code], "content": {"application/json": {"schema": refusal}}}
        for code in sorted(codes)
    }
    content = {"application/json": {"schema": body}}
    if found.streams:
        content[MEDIA_TYPE.partition(";")[0]] = {
            "schema": {
                "type": "string",
                "description": "one JSON object a line, the last a completion",
            }
        }
    if found.downloads:
        content = {"*/*": {"schema": BINARY}}
    if found.tells_events:
        content = {EVENTS: {"schema": {"type": "string"}}}
    success: dict[str, Any] = {"description": "Success"}
    if found.http.status != NO_CONTENT:
        success["content"] = content
    return {str(found.http.status): success, **listed}


def _refusal_text(found: Operation[..., Any]) -> str:
    """Return what a request is refused for beyond what its schema says."""
    refuses = {**(FORM if found.http.takes_file else {}), **found.http.refuses}
    cases = [f"`{field}`: {when}" for field, when in refuses.items()]
    return "\n".join(
        [
            REFUSALS[str(found.http.invalid_status)] + (". Beyond the schema:" if cases else ""),
            *(f"- {case}" for case in cases),
        ]
    )


def _envelope_schema(found: Operation[..., Any], answer: dict[str, Any]) -> dict[str, Any]:
    success = {
        "type": "object",
        "properties": {"success": {"const": True}},
        "required": ["success"],
    }
    inner = (
        {"type": "object", "properties": {found.http.wrap: answer}, "required": [found.http.wrap]}
        if found.http.wrap
        else answer
    )
    return {"allOf": [success, inner]}
