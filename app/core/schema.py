"""Type hints in; request checks, JSON and JSON Schema out.

Built on msgspec, which decodes and checks in one step.
"""

import functools
import inspect
import re
import types
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.core.fit_types import fit_value
from app.core.schema_errors import explain_error
from app.errors import Invalid

# the largest integer that JavaScript still counts exactly
LARGEST_ID = (1 << 53) - 1
TITLE_MOST = 255
"""Characters of a title or a name, wherever one is made, shown to be filled in, or cut."""
# Unicode's Cc, Zl and Zp; then those of Cf that may stand in a text and show nothing
CONTROLS = r"\u0000-\u001f\u007f-\u009f\u2028\u2029"
FORMATS = r"\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
ONE_LINE_OR_NONE = f"^[^{CONTROLS}]*$"
ONE_LINE = rf"^[^{CONTROLS}]*[^\s{CONTROLS}{FORMATS}][^{CONTROLS}]*$"
"""The pattern of a line that shows something.

So that every regex of the contract's readers knows it, it names no classes of characters.
"""
NO_NUL = r"^[^\u0000]*$"
# Python refuses to read integers of more than 4,300 digits
_INTEGER = re.compile(r"-?[0-9]{1,1000}")
_BOOLEANS = {"true": True, "false": False, "1": True, "0": False}


class Rule(msgspec.Struct, frozen=True):
    """A check or clean-up of one field beyond what msgspec does; put it into `Annotated`.

    Raises ValueError, a sentence's end.
    """

    @property
    def accepts(self) -> Mapping[str, Any]:
        """What the field's JSON Schema says of the values it lets through.

        All that match must pass, some others may.
        """
        return {}

    @property
    def shared(self) -> str | None:
        """The name under which its schema stands once for all fields, where it is long."""
        return None

    def __call__(self, value: Any) -> Any:
        raise ValueError("has no rule")


class Record(msgspec.Struct, rename="camel"):
    """A value of the contract: snake_case here, camelCase on the wire."""


class Body(Record):
    """A record that a caller sends: the rules of its fields are applied as it is read."""

    def __post_init__(self) -> None:
        for name, wire, rule in _rules_of_record(type(self)):
            value = getattr(self, name)
            if value is not None and value is not UNSET:
                try:
                    setattr(self, name, rule(value))
                except ValueError as error:
                    raise ValueError(f"`{wire}` {error}") from None


class Line(Rule, frozen=True):
    """One line of text: NFC, trimmed, `least` to `most` characters, no control characters,
    something of it visible.
    """

    least: int = 1
    most: int = TITLE_MOST

    @property
    def accepts(self) -> Mapping[str, Any]:
        return {
            "minLength": self.least,
            "maxLength": self.most,
            "pattern": ONE_LINE if self.least else ONE_LINE_OR_NONE,
        }

    def __call__(self, value: str) -> str:
        text = value if value.isascii() else unicodedata.normalize("NFC", value)
        text = text.strip()
        if not self.least <= len(text) <= self.most:
            raise ValueError(f"must have {self.least} to {self.most} characters")
        # isprintable is quick but refuses more, such as joiners in emoji, so a closer look
        # decides
        if not text.isprintable() and any(
            unicodedata.category(mark) in ("Cc", "Zl", "Zp") for mark in text
        ):
            raise ValueError("must not hold control characters or line breaks")
        if text and is_invisible(text):
            raise ValueError("must hold a character that can be seen")
        return text


class Text(Rule, frozen=True):
    """Text of at most `most` characters, kept as it is.

    NUL is refused, since SQLite's own functions stop at it.
    """

    most: int | None = None

    @property
    def accepts(self) -> Mapping[str, Any]:
        return {"pattern": NO_NUL} | ({} if self.most is None else {"maxLength": self.most})

    def __call__(self, value: str) -> str:
        if self.most is not None and len(value) > self.most:
            raise ValueError(f"must have at most {self.most} characters")
        if "\0" in value:
            raise ValueError("must not hold a NUL character")
        return value


class NonBlankText(Text, frozen=True):
    """Text that says something."""

    @property
    def accepts(self) -> Mapping[str, Any]:
        return {**super().accepts, "pattern": r"^[^\u0000]*[^\s\u0000][^\u0000]*$"}

    def __call__(self, value: str) -> str:
        if not value.strip():
            raise ValueError("must say something; it holds only blanks")
        return super().__call__(value)


class Unknown(tuple[str, ...]):
    """The names that a request has and its operation does not.

    A parameter of this type is given them and is no field.
    """


class DocumentedPattern(Rule, frozen=True):
    """A pattern for the document.

    The operation itself checks the field, and says better what is wrong with it.
    """

    pattern: str

    @property
    def accepts(self) -> Mapping[str, Any]:
        return {"pattern": self.pattern}

    def __call__(self, value: Any) -> Any:
        return value


class Most(Rule, frozen=True):
    """A limit that is lowered to `most` instead of being refused."""

    most: int

    def __call__(self, value: int) -> int:
        return min(value, self.most)


def is_invisible(text: str) -> bool:
    """Return whether nothing of a text is seen where it is shown."""
    return not text.isascii() and all(map(_is_invisible_mark, text))


def _is_invisible_mark(mark: str) -> bool:
    """Say so of a character: formats, spaces, and the blanks among letters and marks."""
    return (
        mark in _BLANKS
        or unicodedata.category(mark) in ("Cf", "Zs")
        or "\ufe00" <= mark <= "\ufe0f"
        or "\U000e0100" <= mark <= "\U000e01ef"
    )


# letters and marks by their category that fonts draw as nothing, such as Hangul fillers
_BLANKS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
Title = Annotated[
    str, Meta(description="1 to 255 characters, trimmed, NFC, no control characters"), Line()
]
NameOrPath = Annotated[
    str, Meta(description="a folder's name, or its path from the root"), Line(1, 10_000)
]
Id = Annotated[int, Meta(ge=1, le=LARGEST_ID)]
Offset = Annotated[int, Meta(ge=0, le=LARGEST_ID)]


def json_column(of: dict[str, Any]) -> Any:
    """Return the type of a field that is stored as JSON text and goes out as it is.

    `of` is its JSON Schema.
    """
    return Annotated[msgspec.Raw, Meta(extra_json_schema=of)]


Tags = json_column({"type": "array", "items": {"type": "string"}})


class Fields:
    """What an operation accepts.

    The keyword-only parameters of its function, checked as one record.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        hints = get_type_hints(function, include_extras=True)
        named = [
            p for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY
        ]
        parameters = [p for p in named if hints[p.name] is not Unknown]
        self._unknown = next((p.name for p in named if hints[p.name] is Unknown), None)
        self.names = tuple(p.name for p in parameters)
        self.wire_names = {p.name: camel_case(p.name) for p in parameters}
        fields = [
            (p.name, hints[p.name]) if p.default is p.empty else (p.name, hints[p.name], p.default)
            for p in parameters
        ]
        title = "".join(part.capitalize() for part in function.__name__.split("_")) + "Request"
        ruled = any(any(_rules_in(hints[p.name])) for p in parameters)
        self.record = msgspec.defstruct(
            title, fields, bases=(Body if ruled else Record,), rename=camel_case, kw_only=True
        )
        self.choices = {
            camel_case(p.name): words
            for p in parameters
            if (words := _allowed_words(hints[p.name]))
        }
        self.required = frozenset(camel_case(p.name) for p in parameters if p.default is p.empty)
        self._keeps_null = frozenset(
            camel_case(p.name) for p in parameters if p.default is p.empty or p.default is UNSET
        )
        self._readers = {camel_case(p.name): _text_reader(hints[p.name]) for p in parameters}

    def check(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the function's arguments from a decoded request.

        Raise Invalid, naming the field, where it does not fit.
        """
        # null is the same as left out, unless the field is required or tells the two apart
        # (UNSET)
        if None in given.values():
            given = {
                name: value
                for name, value in given.items()
                if value is not None or name in self._keeps_null
            }
        try:
            record = msgspec.convert(given, self.record)
        except msgspec.ValidationError as error:
            record = self._fitted(given, error)
        found = {name: getattr(record, name) for name in self.names}
        if self._unknown is not None:
            found[self._unknown] = Unknown(name for name in given if name not in self._readers)
        return found

    def _fitted(self, given: Mapping[str, Any], failure: msgspec.ValidationError) -> Any:
        """Return the record of a request in which null stands for what was left out, or 3.0 for 3.

        Raise Invalid where it fits no better so.
        """
        # a second, slower reading, which only these two kinds of requests pay for
        if "got `null`" in str(failure) or "got `float`" in str(failure):
            try:
                return msgspec.convert(
                    fit_value(given, msgspec.inspect.type_info(self.record)), self.record
                )
            except msgspec.ValidationError as error:
                failure = error
        raise explain_error(str(failure), self.choices) from None

    def reads_integer(self, name: str) -> bool:
        """Return whether the field of that wire name is an integer."""
        return self._readers.get(name) is _as_integer

    def from_text(self, given: Mapping[str, str]) -> dict[str, Any]:
        """Return typed values for names and texts that came in a path or a query.

        Unknown names are left out.
        """
        return {
            name: self._readers[name](name, text)
            for name, text in given.items()
            if name in self._readers
        }


def camel_case(name: str) -> str:
    """Return the wire's spelling of a Python name."""
    head, *rest = name.removesuffix("_").split("_")
    return head + "".join(part.capitalize() for part in rest)


def encode(value: Any) -> bytes:
    """Return a record as JSON."""
    return _encoder.encode(value)


def encode_enveloped(value: Any, wrap: str | None) -> bytes:
    """Return a record as the JSON of a successful answer.

    Beside `success`, or under the name `wrap`.
    """
    buffer = bytearray(
        b'{"success":true' if wrap is None else b'{"success":true,"%s":' % wrap.encode()
    )
    start = len(buffer)
    _encoder.encode_into(value, buffer, start)
    if wrap is not None:
        buffer += b"}"
    elif len(buffer) > start + 2:
        buffer[start] = 0x2C  # the record's opening brace becomes the comma after "success"
    else:
        # an empty record is `{}`: of it the closing brace stays
        del buffer[start]
    return bytes(buffer)


def schemas(types_: list[Any], prefix: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the JSON Schemas of `types_` and of every named record they use."""
    each, named = msgspec.json.schema_components(types_, ref_template=prefix + "{name}")
    return [dict(schema) for schema in each], dict(named)


_encoder = msgspec.json.Encoder()


@functools.cache
def _rules_of_record(record: type[Body]) -> tuple[tuple[str, str, Rule], ...]:
    hints = get_type_hints(record, include_extras=True)
    found = (
        (name, camel_case(name), rule)
        for name in record.__struct_fields__
        for rule in _rules_in(hints[name])
    )
    return tuple(found)


def _rules_in(hint: Any) -> Iterator[Rule]:
    if get_origin(hint) is Annotated:
        yield from _rules_in(get_args(hint)[0])
        yield from (extra for extra in get_args(hint)[1:] if isinstance(extra, Rule))
    elif get_origin(hint) in (Union, types.UnionType):
        for option in get_args(hint):
            yield from _rules_in(option)


def _text_reader(hint: Any) -> Callable[[str, str], Any]:
    """Return the function that reads a value of this type from a query or path text."""
    while get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    if get_origin(hint) in (Union, types.UnionType):
        options = [option for option in get_args(hint) if option not in (type(None), UnsetType)]
        return _text_reader(options[0]) if len(options) == 1 else _as_text
    return {int: _as_integer, bool: _as_boolean}.get(hint, _as_text)


def _as_text(_: str, text: str) -> str:
    return text


def _as_integer(name: str, text: str) -> int:
    if _INTEGER.fullmatch(text):
        return int(text)
    raise Invalid(f"{name} must be an integer.", field=name)


def _as_boolean(name: str, text: str) -> bool:
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    raise Invalid(f"{name} must be true or false.", field=name)


def _allowed_words(hint: Any) -> tuple[str, ...]:
    """Return the words of a field that takes one of a few."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    return (
        next((words for part in get_args(hint) if (words := _allowed_words(part))), ())
        if get_origin(hint) in (Union, types.UnionType, Annotated)
        else ()
    )
