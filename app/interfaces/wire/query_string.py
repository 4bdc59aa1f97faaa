"""The names and texts in a query string, as operations take them."""

from urllib.parse import parse_qsl

from app.errors import Invalid


def parse_query(raw: bytes) -> dict[str, str]:
    """Return the names and texts of a query string; of a name that comes twice the last.

    Raise Invalid when it is not UTF-8.
    """
    try:
        text = raw.decode("ascii")
        if "%" in text or "+" in text:
            return dict(parse_qsl(text, keep_blank_values=True, errors="strict"))
        return dict(part.partition("=")[::2] for part in text.split("&") if part)
    except ValueError:
        raise Invalid(
            "The query string is not valid percent-encoded UTF-8.", field="query"
        ) from None
