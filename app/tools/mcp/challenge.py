"""What a server wants before it answers: a login, or more rights than its login has given."""

import re
from collections.abc import Iterable

import msgspec

UNAUTHORIZED, FORBIDDEN = 401, 403
MOST_SCOPES = 50
LONGEST_URL = 2_000
_FIELD = r'(?<![\w-])%s=(?:"([^"]*)"|([^\s,"]+))'
_SCOPE = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]{1,200}")
_URL = re.compile(r'https?://[^\s"\\\x00-\x1f\x7f-\uffff]+')


class Challenge(msgspec.Struct, frozen=True):
    """The scopes that a server names, and where it says who signs in to it.

    `steps_up`: it knows the token that it was sent, which has too few rights. `is_bearer`: it takes
    tokens at all, as far as it says.
    """

    scopes: tuple[str, ...] = ()
    metadata: str | None = None
    steps_up: bool = False
    is_bearer: bool = True

    @property
    def header(self) -> str:
        """Return it as the server has sent it, without what else stood there."""
        fields = {
            "error": "insufficient_scope" if self.steps_up else None,
            "scope": " ".join(self.scopes) or None,
            "resource_metadata": self.metadata,
        }
        told = ", ".join(f'{name}="{value}"' for name, value in fields.items() if value is not None)
        return f"Bearer {told}".strip()


def read(status: int, header: str) -> Challenge | None:
    """Return what an answer wants by its status and its `WWW-Authenticate`.

    None where it wants neither a login nor more rights.
    """
    steps_up = status == FORBIDDEN and _field(header, "error") == "insufficient_scope"
    if status != UNAUTHORIZED and not steps_up:
        return None
    metadata = _field(header, "resource_metadata")
    return Challenge(
        known_scopes(_field(header, "scope")),
        metadata if len(metadata) <= LONGEST_URL and _URL.fullmatch(metadata) else None,
        steps_up,
        "bearer" in header.lower(),
    )


def known_scopes(text: str | None) -> tuple[str, ...]:
    """Return the scopes of a list, as far as they can be scopes."""
    named = (text or "")[: 200 * MOST_SCOPES].split(" ")
    return tuple(dict.fromkeys(filter(_SCOPE.fullmatch, named)))[:MOST_SCOPES]


def in_words(scopes: Iterable[str]) -> str:
    """Return scopes as they stand in a sentence."""
    return ", ".join(scopes)


def stored(challenge: Challenge | None) -> str | None:
    """Return a challenge as it is stored."""
    return None if challenge is None else msgspec.json.encode(challenge).decode()


def opened(text: str | None) -> Challenge | None:
    """Return a challenge that was stored."""
    return None if text is None else msgspec.json.decode(text, type=Challenge)


def _field(header: str, name: str) -> str:
    found = re.search(_FIELD % name, header[:8_000], re.IGNORECASE)
    return (found[1] or found[2] or "") if found else ""
