"""What comes in a query or a form: names and values, in order."""

from urllib.parse import parse_qsl

from app.errors import Invalid
from app.interfaces.pages.visit import Visit, as_number

FORM = b"application/x-www-form-urlencoded"
LARGEST = 64 << 10
"""Bytes of a stranger's form."""
LARGEST_OWN = 4 << 20
"""Bytes of a form of whoever is signed in: more than any text that an operation takes, so that the
operation says what is too long, and the page can show it again."""
MOST_FIELDS = 100
MOST_IN_FORM = 1200
"""A note for each field, in a replacement of many notes."""


def fields_of(text: bytes, most: int = MOST_FIELDS) -> list[tuple[str, str]]:
    """Return names and values in order; an empty value counts as none (RFC 6749, section 3.1).

    Raise Invalid.
    """
    try:
        return parse_qsl(text.decode("ascii"), errors="strict", max_num_fields=most)
    except ValueError:
        raise Invalid("The fields are not valid percent-encoded UTF-8.", field="query") from None


async def form_of(visit: Visit, most: int = 0) -> list[tuple[str, str]]:
    """Return the fields of a form of at most so many bytes; raise Invalid for what is none."""
    most = most or (LARGEST if visit.exchange.caller is None else LARGEST_OWN)
    sent = visit.sent.get(b"content-type", b"")
    if sent.partition(b";")[0].strip().lower() != FORM:
        raise Invalid(f"Content-Type must be {FORM.decode()}.", field="Content-Type")
    visit.filled = fields_of(await visit.body_of(most), MOST_IN_FORM)
    return visit.filled


def value_of(fields: list[tuple[str, str]], name: str) -> str:
    """Return the value of a field that comes once; empty for one that does not."""
    values = [value for each, value in fields if each == name]
    return values[0] if len(values) == 1 else ""


def number_of(fields: list[tuple[str, str]], name: str) -> int:
    """Return the number in a field; raise Invalid where it holds none."""
    number = as_number(value_of(fields, name))
    if number is None:
        raise Invalid(f"{name} must be a number.", field=name)
    return number


def numbers_of(fields: list[tuple[str, str]], name: str) -> list[int]:
    """Return the numbers in a field that may come several times."""
    numbers = (as_number(value) for value in values_of(fields, name))
    return [number for number in numbers if number is not None]


def values_of(fields: list[tuple[str, str]], name: str) -> list[str]:
    """Return every value of a field that may come several times."""
    return [value for each, value in fields if each == name]
