"""What `operations.json` holds: each operation's command with its arguments, options and columns.

It is read by `command_index`; scripts/docs.py writes it.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UnsetType

from app.commands.operations import examples, names
from app.commands.operations.command_index import Field, OperationCommand, row_of
from app.commands.operations.field_help import FIELD_HELP, MORE, spoken
from app.core.accepted_schemas import request_schemas
from app.core.operation import Catalog, Operation

Entry = dict[str, Any]
ZONE = "userTimezone"
HIDDEN = (ZONE, "stream", "clientMessageId")
FIXED: Mapping[str, Mapping[str, Any]] = {"change_note": {"contentFormat": "markdown"}}
"""Fields that a command always sends so."""
DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "list_notes": {"recursive": True},
    "pin_note": {"pinned": True},
    "search_todos": {"completed": False},
}
"""Fields that a command sends so unless it is told otherwise."""
OPTIONAL = {"create_note": ("title", "content"), "upload_attachment": ("content",)}
"""Required fields that the command can find elsewhere: on standard input, or in the text itself."""
FILTERS = {"search_todos": "completed"}
"""A default that chooses among what there is, which --all takes away."""
FIRST = {
    "find_by_name": ("q",),
    "create_note": ("title",),
    "create_folder": ("path",),
    "upload_attachment": ("content",),
}
"""Optional fields that are nevertheless given without an option's name."""
PIPED = ("content", "message")
"""Texts that may come on standard input."""
MOST_ARGUMENTS = 3
COLUMNS = 6
COMMON = ("list", "show", "add", "edit", "move", "copy", "delete", "remove")
MOST_CHOICES = 20
FOLDER_FIELDS = ("folderId", "folderName")
KINDS = {"parentId": "folder"}
TELLING = (
    "id handle kind title name label username toolName event type status state readWrite dueDate "
    "priority completed path folderId tags role url query snippet summary seq isPinned notesCount "
    "totalNotes size scopes tier timeDuration at generatedAt startedAt sharedAt deletedAt "
    "expiresAt updatedAt createdAt"
).split()
"""What a table shows of a record, the first that there are."""


def describe(catalog: Catalog) -> Entry:
    """Return the commands by noun and verb, in the order of the catalogue."""
    found = [(names.command_of(one), one) for one in catalog.operations.values()]
    served = [(command, one) for command, one in found if command is not None]
    sent, named = request_schemas([one.fields.record for _, one in served], "#/")
    nouns: Entry = {}
    for (command, one), schema in zip(served, sent, strict=True):
        noun, _, verb = command.partition(" ")
        if verb in nouns.setdefault(noun, {}):
            raise LookupError(f"two operations are `hearth {command}`: name one in names.py")
        nouns[noun][verb] = row_of(_command(command, one, schema, named))
    return {noun: dict(sorted(verbs.items(), key=_place)) for noun, verbs in nouns.items()}


def describe_routes(catalog: Catalog) -> list[list[Any]]:
    """Return each route: its method, path and operation, the integers in its path, and whether it
    gives a file.
    """
    return [
        [
            method,
            path,
            one.name,
            [name for name in one.path_names if one.fields.reads_integer(name)],
            one.downloads,
        ]
        for method, path, one in catalog.routes()
        if not one.tells_events
    ]


def _place(verb: tuple[str, Entry]) -> int:
    """Return where a command stands in its noun's list: first what people do most."""
    return COMMON.index(verb[0]) if verb[0] in COMMON else len(COMMON)


def _command(
    command: str, operation: Operation[..., Any], schema: Entry, named: Mapping[str, Entry]
) -> OperationCommand:
    name = operation.name
    properties: Mapping[str, Entry] = schema["properties"]
    fixed = FIXED.get(name, {})
    fields = {
        wire: _field(operation, wire, of, named)
        for wire, of in properties.items()
        if wire not in (*HIDDEN, *fixed)
    }
    if all(wire in fields for wire in FOLDER_FIELDS):
        by_name = fields.pop("folderName").name
        fields["folderId"] = fields["folderId"]._replace(or_name=by_name)
    for wire, value in DEFAULTS.get(name, {}).items():
        fields[wire] = fields[wire]._replace(default=value)
    arguments = _argument_names(operation, fields)
    found_elsewhere = (*OPTIONAL.get(name, ()), *DEFAULTS.get(name, ()))
    for wire, field in fields.items():
        is_required = wire in operation.fields.required and wire not in found_elsewhere
        fields[wire] = field._replace(required=is_required)
    if operation.http.takes_file:
        said = "The file; - reads standard input."
        fields["content"] = fields["content"]._replace(type="file", piped=False, help=said)
        fields.pop("contentType", None)
    rows, columns = _table(operation.answer)
    made = OperationCommand(
        operation=name,
        help=_command_help(operation, fields),
        arguments=tuple(fields[wire] for wire in arguments),
        options=tuple(field for wire, field in fields.items() if wire not in arguments),
        reads=operation.effect == "read",
        changes=operation.method == "PATCH",
        filter=FILTERS.get(name),
        zoned=ZONE in properties,
        sent={**DEFAULTS.get(name, {}), **fixed},
        rows=rows,
        columns=columns,
        asks=operation.method == "DELETE",
        downloads=operation.downloads,
    )
    return made._replace(example=examples.example_of(command, made))


def _command_help(operation: Operation[..., Any], fields: Mapping[str, Field]) -> str:
    first = " ".join(operation.description.partition("\n\n")[0].split())
    said = spoken(first, {wire: field.flag for wire, field in fields.items()})
    return "\n\n".join(filter(None, (said, MORE.get(operation.name))))


def _argument_names(operation: Operation[..., Any], fields: Mapping[str, Field]) -> list[str]:
    """Return the fields that are given without a name: those of the path, then what is required."""
    optional = OPTIONAL.get(operation.name, ())
    required = [
        wire
        for wire, field in fields.items()
        if wire in operation.fields.required
        and wire not in operation.path_names
        and wire not in optional
        and field.type not in ("boolean", "json")
    ]
    several = sum(fields[wire].many for wire in required)
    if len(required) + len(operation.path_names) > MOST_ARGUMENTS or several > 1:
        required = []
    required.sort(key=lambda wire: fields[wire].many)
    return [*operation.path_names, *required, *FIRST.get(operation.name, ())]


def _field(
    operation: Operation[..., Any], wire: str, schema: Entry, named: Mapping[str, Entry]
) -> Field:
    kind = KINDS.get(wire) or (
        names.kind_before(operation.path, wire)
        if wire in operation.path_names
        else {"folderId": "folder", "noteId": "note"}.get(wire.removesuffix("s"))
    )
    options = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    of: Entry = _resolved(options[0], named) if len(options) == 1 else {"type": "string"}
    many = of.get("type") == "array"
    inner = _resolved(of["items"], named) if many else of
    type_ = _type_name(inner)
    if many and type_ == "json":
        many = False
    return Field(
        name=wire,
        flag=_flag(wire, many=many),
        help=_help(wire, kind, of, schema),
        type=type_,
        choices=_choices(inner),
        many=many,
        nullable="anyOf" in schema
        and "default" not in schema
        and wire not in operation.fields.required,
        default=schema.get("default"),
        piped=wire in PIPED and type_ == "text" and wire not in operation.path_names,
        kind=kind,
    )


def _resolved(schema: Entry, named: Mapping[str, Entry]) -> Entry:
    reference = schema.get("$ref")
    return dict(named[reference.removeprefix("#/")]) if reference else schema


def _type_name(schema: Entry) -> str:
    if _choices(schema):
        return "choice"
    plain = {"string": "text", "integer": "integer", "number": "number", "boolean": "boolean"}
    return plain.get(str(schema.get("type")), "json")


def _choices(schema: Entry) -> tuple[str, ...]:
    """Return the words of which a field takes one, where a person can look through them."""
    words = tuple(one for one in schema.get("enum", ()) if isinstance(one, str))
    return words if len(words) <= MOST_CHOICES else ()


def _flag(wire: str, *, many: bool) -> str:
    """Return the option of a field: `folderIds` is --folder, `dueDate` --due-date."""
    plain = names.singular(wire) if many else wire
    plain = plain.removesuffix("Id") if plain in ("folderId", "parentId", "noteId") else plain
    plain = "query" if plain == "q" else plain
    return "--" + "".join(f"-{mark.lower()}" if mark.isupper() else mark for mark in plain)


def _help(wire: str, kind: str | None, of: Entry, schema: Entry) -> str:
    said = FIELD_HELP.get(wire) or schema.get("description") or of.get("description")
    if said is None:
        spoken = "".join(f" {mark.lower()}" if mark.isupper() else mark for mark in wire)
        said = f"the {spoken}"
    said = str(said).partition("\n\n")[0].replace("\n", " ")
    said = said[0].upper() + said[1:]
    return said if said.endswith((".", "…")) else f"{said}."


def _table(answer: Any) -> tuple[str, tuple[str, ...]]:
    """Return under which name an answer has its rows, and what of a row is shown.

    The name of an answer that is itself a list is empty.
    """
    for name, hint in (("", answer), *_fields_of(answer)):
        inner = _without_none(hint)
        if get_origin(inner) in (list, tuple) and (found := _record_in(get_args(inner)[0])):
            return name, tuple(_telling_columns(found))
    return "", ()


def _telling_columns(record: type[msgspec.Struct]) -> list[str]:
    scalars = [name for name, hint in _fields_of(record) if _is_scalar(hint)]
    ids = [name for name in scalars if name.endswith("Id") and name not in TELLING]
    first = () if {"id", "username"} & {*scalars} else ids[:1]
    known = [name for name in (*TELLING[:1], *first, *TELLING[1:]) if name in scalars]
    if "updatedAt" in known and "createdAt" in known:
        known.remove("createdAt")
    return (known if len(known) > 1 else scalars)[:COLUMNS]


def _fields_of(record: Any) -> Iterator[tuple[str, Any]]:
    found = _record_in(record)
    if found is not None:
        hints = get_type_hints(found, include_extras=True)
        for field in msgspec.structs.fields(found):
            yield field.encode_name, hints[field.name]


def _record_in(hint: Any) -> type[msgspec.Struct] | None:
    hint = _without_none(hint)
    return hint if isinstance(hint, type) and issubclass(hint, msgspec.Struct) else None


def _is_scalar(hint: Any) -> bool:
    hint = _without_none(hint)
    return hint in (str, int, float, bool) or get_origin(hint) is Literal or _is_tags(hint)


def _is_tags(hint: Any) -> bool:
    return hint is msgspec.Raw or (get_origin(hint) is list and get_args(hint)[0] is str)


def _without_none(hint: Any) -> Any:
    """Return the type itself of an annotated one, or of one that may be null or left out."""
    while get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    if get_origin(hint) in (Union, UnionType):
        options: Iterable[Any] = get_args(hint)
        kept = [one for one in options if one not in (type(None), UnsetType)]
        return _without_none(kept[0]) if len(kept) == 1 else hint
    return hint
