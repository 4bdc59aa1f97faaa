"""Headers that come more than once.

Those of which only one can be meant are refused, since two readers would choose differently.
"""

from collections.abc import Iterable

from app.errors import Malformed

SINGLE = frozenset(
    b"host authorization x-api-key cookie origin content-type content-length content-encoding "
    b"idempotency-key x-device-id sec-fetch-site sec-fetch-dest".split()
)
LISTS = frozenset({b"forwarded", b"x-forwarded-for"})


def merge_headers(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Return headers by name, the parts of a list joined, of the others the last.

    Raise Malformed for a second one where there can be but one.
    """
    found: dict[bytes, bytes] = {}
    for name, value in headers:
        if name in found and name in SINGLE:
            spelled = name.decode("latin-1").title()
            raise Malformed(
                f"The header {spelled} came more than once; send it once.", field=spelled
            )
        found[name] = b"%s, %s" % (found[name], value) if name in found and name in LISTS else value
    return found
