"""Fit values to types: what JSON writes in two ways, and what two records have in common."""

import dataclasses
import sqlite3
from collections.abc import Mapping
from functools import cache, partial
from typing import Any, TypeVar, cast

import msgspec

T = TypeVar("T")


def fit_value(value: Any, of: msgspec.inspect.Type) -> Any:
    """Return a value of that type without the nulls of optional fields that cannot be null, and
    with whole numbers as integers, which JSON does not tell apart.
    """
    if isinstance(of, msgspec.inspect.Metadata):
        return fit_value(value, of.type)
    if isinstance(of, msgspec.inspect.UnionType):
        # which option is meant is plain: msgspec takes one list and one object in a union
        inner = _INNER.get(type(value), ())
        return next(
            (
                fit_value(value, option)
                for option in of.types
                if isinstance(_inspect_type(option), inner)
            ),
            value,
        )
    if isinstance(of, msgspec.inspect.IntType):
        return int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(of, msgspec.inspect.ListType) and isinstance(value, list):
        return [fit_value(part, of.item_type) for part in value]
    if isinstance(of, msgspec.inspect.DictType) and isinstance(value, dict):
        return {name: fit_value(part, of.value_type) for name, part in value.items()}
    if isinstance(of, msgspec.inspect.StructType) and isinstance(value, Mapping):
        fields = {field.encode_name: field for field in of.fields}
        return {
            name: fit_value(part, fields[name].type) if name in fields else part
            for name, part in value.items()
            if part is not None
            or name not in fields
            or fields[name].required
            or _takes_null(fields[name].type)
        }
    return value


def copy_fields(type_: type[T], source: Any, /, **given: Any) -> T:
    """Return an object whose fields are `given` or, by the same names, those of `source`.

    `source` is a row or another object; all fields must be there.
    """
    read = source.__getitem__ if isinstance(source, sqlite3.Row) else partial(getattr, source)
    return type_(
        **{name: read(name) for name in _fields_of(cast(Any, type_)) - given.keys()}, **given
    )


def whole(value: Any) -> int | None:
    """Return a number that is whole, also where JSON wrote it as 3.0; None for anything else."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    # to Python True is an int
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _inspect_type(of: msgspec.inspect.Type) -> msgspec.inspect.Type:
    return _inspect_type(of.type) if isinstance(of, msgspec.inspect.Metadata) else of


_INNER: dict[type, tuple[type[msgspec.inspect.Type], ...]] = {
    list: (msgspec.inspect.ListType,),
    float: (msgspec.inspect.IntType,),
    dict: (msgspec.inspect.StructType, msgspec.inspect.DictType),
}


def _takes_null(of: msgspec.inspect.Type) -> bool:
    if isinstance(of, msgspec.inspect.Metadata):
        return _takes_null(of.type)
    options = of.types if isinstance(of, msgspec.inspect.UnionType) else (of,)
    return any(
        isinstance(option, msgspec.inspect.NoneType | msgspec.inspect.AnyType) for option in options
    )


@cache
def _fields_of(type_: Any) -> frozenset[str]:
    names = getattr(type_, "__struct_fields__", None) or getattr(type_, "_fields", None)
    return frozenset(names or (field.name for field in dataclasses.fields(type_)))
