"""The tools that agents may use.

Operations of the catalogue, described as the contract describes tools, and called by their
names.
"""

import contextlib
import functools
import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from app.core.app import App
from app.core.caller import Caller
from app.core.operation import Catalog, Operation, Tool
from app.core.schema import Record, encode, schemas
from app.errors import Invalid, NotFound

NAMESPACES = {"folders": "notes", "snapshots": "notes", "agent": "calendar"}
"""Where a tool's namespace is not the category of its operation."""
DEFINITIONS = "#/$defs/"

LARGEST_RESULT = 256 << 10


class NoSuchTool(NotFound):
    """There is no such tool, or none for this credential."""


class Descriptor(Record):
    """A tool as it is offered; `parameters` is a JSON Schema without references."""

    name: str
    description: str
    namespace: str
    source: str
    read_write: str
    parameters: dict[str, Any]
    scope: str | None
    approval: bool


class RegisteredTool(msgspec.Struct, frozen=True, dict=True):
    """One operation as a tool: what it is called with may be spelled otherwise than in the
    endpoint.
    """

    operation: Operation[..., Any]

    @property
    def name(self) -> str:
        """The bare name, the same as the operation's."""
        return self.operation.name

    @property
    def namespace(self) -> str:
        """The group that is switched on and off as one."""
        category = self.operation.category
        return self.declared.namespace or NAMESPACES.get(category, category)

    @property
    def declared(self) -> Tool:
        """What the operation says of itself as a tool."""
        return self.operation.tool or Tool()

    @functools.cached_property
    def spelling(self) -> Mapping[str, str]:
        """The tool's names of fields by the operation's, where they differ."""
        return self.declared.names

    @functools.cached_property
    def names(self) -> Mapping[str, str]:
        """The operation's names of fields by the tool's."""
        return {
            self.spelling.get(name, name): name
            for name in self.operation.fields.wire_names.values()
        }

    @functools.cached_property
    def descriptor(self) -> Descriptor:
        """What is shown to agents."""
        found = self.operation
        scope = found.scopes[0] if found.scopes else None
        return Descriptor(
            found.name,
            found.description,
            self.namespace,
            "native",
            found.effect,
            self._parameters(),
            scope,
            self.declared.approval,
        )

    @functools.cached_property
    def sha256(self) -> str:
        """The hash of what is shown to agents.

        A yes for one tool is none for another that has taken its name.
        """
        return hashlib.sha256(encode(self.descriptor)).hexdigest()

    def arguments(self, app: App, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the checked arguments of a call."""
        fields = self.fields(params)
        with self.spelled():
            return app.check_arguments(self.operation, fields)

    def fields(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the operation's fields for a tool's parameters.

        Raise Invalid, naming it, for one that there is not.
        """
        if unknown := [name for name in params if name not in self.names]:
            raise Invalid(
                f"{unknown[0]} is not a parameter of {self.name}; it has "
                f"{', '.join(self.names) or 'none'}.",
                field=unknown[0],
            )
        return {self.names[name]: value for name, value in params.items()}

    @contextlib.contextmanager
    def spelled(self) -> Iterator[None]:
        """Name the fields of what the block refuses as the tool names them."""
        try:
            yield
        except Invalid as error:
            field = error.details.get("field")
            named = self.spelling.get(str(field), field)
            if named == field:
                raise
            raise Invalid(
                error.message.replace(str(field), str(named), 1),
                **{**error.details, "field": named},
            ) from None

    def _parameters(self) -> dict[str, Any]:
        (schema,), named = schemas([self.operation.fields.record], DEFINITIONS)
        whole = _without_references(schema, named)
        fields = {
            self.spelling.get(name, name): field
            for name, field in whole.get("properties", {}).items()
        }
        required = [self.spelling.get(name, name) for name in whole.get("required", ())]
        return {"type": "object", "properties": fields, "required": required}


@functools.cache
def native_tools(catalog: Catalog) -> dict[str, RegisteredTool]:
    """Return the tools of the service itself, by name."""
    return {
        found.name: RegisteredTool(found) for found in catalog.operations.values() if found.tool
    }


def check_arguments(
    app: App, me: Caller, tool: RegisteredTool, params: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the checked arguments of a call; raise unless `me` may make it.

    Fields are named as the tool names them.
    """
    app.authorize(me, tool.operation)
    return tool.arguments(app, params)


def require_tool(app: App, name: str) -> RegisteredTool:
    """Return the service's own tool of that name; raise NotFound."""
    tool = native_tools(app.catalog).get(name)
    if tool is None:
        raise NoSuchTool(f"There is no tool called {name[:80]}.")
    return tool


def _without_references(schema: Any, named: Mapping[str, Any]) -> Any:
    """Return a schema with every reference replaced by what it names, since not every model's
    server follows them.
    """
    if isinstance(schema, list):
        return [_without_references(part, named) for part in schema]
    if not isinstance(schema, dict):
        return schema
    reference = schema.get("$ref")
    if reference is not None:
        return _without_references(named[reference.removeprefix(DEFINITIONS)], named)
    return {
        key: _without_references(part, named)
        for key, part in schema.items()
        if key != "$defs" and not (key == "title" and isinstance(part, str))
    }


def cut_result(result: bytes) -> Any:
    """Return a tool's result, a JSON object, as it goes out.

    Whole, or the beginning of its text when it is too long.
    """
    if len(result) <= LARGEST_RESULT:
        return msgspec.Raw(result)
    beginning = result[: LARGEST_RESULT // 2].decode(errors="ignore")
    return {
        "truncated": True,
        "message": f"The result is {len(result)} bytes long; this is its beginning. Ask for less "
        "at once.",
        "text": beginning,
    }
