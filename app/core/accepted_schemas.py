"""JSON Schemas of what callers may send.

Msgspec's, with what the rules of the fields let through, and null where it stands for a field
left out.
"""

from collections.abc import Iterable, Iterator
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec

from app.core.schema import Rule, schemas

Schema = dict[str, Any]
NULL = {"type": "null"}
TYPES = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
}


def request_schemas(
    requests: list[type[msgspec.Struct]], prefix: str
) -> tuple[list[Schema], dict[str, Schema]]:
    """Return the schemas of requests by their fields, and those of every other record in them by
    its
    name.

    The fields of a request itself are not made nullable, since those of a query cannot be null;
    see `nullable`.
    """
    each, named = schemas(requests, prefix)
    # msgspec only refers to each by its name; here the schemas themselves are wanted
    each = [named.pop(schema["$ref"].removeprefix(prefix)) for schema in each]
    inner = {record.__name__: record for request in requests for record in iterate_records(request)}
    shared: dict[str, Schema] = {}
    for schema, request in zip(each, requests, strict=True):
        _describe(schema, request, shared, prefix)
    for name, schema in named.items():
        if name in inner:
            _describe(schema, inner[name], shared, prefix)
            required = schema.get("required", ())
            schema["properties"] = {
                field: of if field in required else nullable(of)
                for field, of in schema["properties"].items()
            }
    return each, {**named, **shared}


def nullable(schema: Schema) -> Schema:
    """Return the schema of an optional field of a body: null is the same as leaving it out."""
    if "anyOf" in schema:
        options = [option for option in schema["anyOf"] if option != NULL]
        rest = {key: value for key, value in schema.items() if key != "anyOf"}
        return (
            nullable({**options[0], **rest})
            if len(options) == 1
            else {**rest, "anyOf": [*options, NULL]}
        )
    if "$ref" in schema:
        return {
            **{key: value for key, value in schema.items() if key != "$ref"},
            "anyOf": [{"$ref": schema["$ref"]}, NULL],
        }
    if "enum" in schema:
        return {**schema, "enum": [*schema["enum"], None]}
    return (
        {**schema, "type": [schema["type"], "null"]}
        if isinstance(schema.get("type"), str)
        else schema
    )


def _describe(
    schema: Schema, record: type[msgspec.Struct], shared: dict[str, Schema], prefix: str
) -> None:
    """Add to a record's schema what the rules of its fields say."""
    hints = get_type_hints(record, include_extras=True)
    for field in msgspec.structs.fields(record):
        name = field.encode_name
        schema["properties"][name] = _apply_rule(
            schema["properties"][name], hints[field.name], shared, prefix
        )


def _apply_rule(schema: Schema, hint: Any, shared: dict[str, Schema], prefix: str) -> Schema:
    if get_origin(hint) is Annotated:
        base, *extras = get_args(hint)
        schema = _apply_rule(schema, base, shared, prefix)
        for rule in (extra for extra in extras if isinstance(extra, Rule)):
            if rule.shared is None:
                schema = {**schema, **rule.accepts}
            else:
                # a long one, such as that of all time zones, stands once and is referred to
                shared[rule.shared] = {"type": "string", **rule.accepts}
                schema = {
                    **{key: value for key, value in schema.items() if key != "type"},
                    "$ref": prefix + rule.shared,
                }
        return schema
    if get_origin(hint) in (Union, UnionType):
        if "anyOf" in schema:
            return {
                **schema,
                "anyOf": [
                    _apply_rule(part, _option(part, hint), shared, prefix)
                    for part in schema["anyOf"]
                ],
            }
        return _apply_rule(schema, _option(schema, hint), shared, prefix)
    if get_origin(hint) is list and "items" in schema:
        return {**schema, "items": _apply_rule(schema["items"], get_args(hint)[0], shared, prefix)}
    return schema


# by its JSON type, which is enough: msgspec takes no union with two options of one type
def _option(schema: Schema, union: Any) -> Any:
    """Return the type of a union that this schema describes."""
    return next(
        (
            option
            for option in get_args(union)
            if TYPES.get(_without_metadata(option)) == schema.get("type", "")
        ),
        None,
    )


def _without_metadata(hint: Any) -> Any:
    while get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    return get_origin(hint) or hint


def iterate_records(hint: Any) -> Iterator[type[msgspec.Struct]]:
    """Yield a record and all that stand in its fields."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        yield hint
        parts: Iterable[Any] = get_type_hints(hint, include_extras=True).values()
    else:
        parts = get_args(hint)
    for part in parts:
        yield from iterate_records(part)
