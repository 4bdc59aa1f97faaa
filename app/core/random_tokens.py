"""Secrets and names that nobody can guess: the only randomness of the program."""

import secrets
import string
import uuid

ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
SECRET_LENGTH = 40
SHORT_LENGTH = 10
ID_BYTES = 8
# Crockford's base32, without I, L, O and U
TYPED_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
CODE_GROUPS = 3
GROUP_LENGTH = 4
LOOKALIKES = str.maketrans({"O": "0", "I": "1", "L": "1", "-": None, " ": None})
# must never change: ids that clients hold were made with it
NAMESPACE = uuid.UUID("5b0f5c1e-6d0a-4f0e-9d57-3c4b7f1a2e88")


def new_secret(prefix: str) -> str:
    """Return the prefix and 40 random base62 characters (238 bits)."""
    return prefix + "".join(secrets.choice(ALPHABET) for _ in range(SECRET_LENGTH))


def new_link_token() -> str:
    """Return ten random base62 characters (59 bits), for an address that people pass on."""
    return "".join(secrets.choice(ALPHABET) for _ in range(SHORT_LENGTH))


def new_code() -> str:
    """Return twelve random characters (60 bits) in three groups, to be typed by a person.

    No letter that looks like another.
    """
    return group_code(
        "".join(secrets.choice(TYPED_ALPHABET) for _ in range(CODE_GROUPS * GROUP_LENGTH))
    )


def group_code(typed: str) -> str:
    """Return a code as it is shown, however it was typed."""
    code = normalise_code(typed)
    return "-".join(code[at : at + GROUP_LENGTH] for at in range(0, len(code), GROUP_LENGTH))


def normalise_code(typed: str) -> str:
    """Return a code as it is compared, however it was typed.

    In capitals, without spaces and hyphens, lookalikes as the digits they mean.
    """
    return typed.strip().upper().translate(LOOKALIKES)


def new_id(prefix: str) -> str:
    """Return the prefix and 16 random hexadecimal digits (64 bits), for what is no secret."""
    return prefix + secrets.token_hex(ID_BYTES)


def new_bytes(number: int) -> bytes:
    """Return so many random bytes."""
    return secrets.token_bytes(number)


def new_uuid() -> str:
    """Return a random UUID."""
    return str(uuid.uuid4())


def uuid_of_name(name: str) -> str:
    """Return the UUID that belongs to a name for ever."""
    return str(uuid.uuid5(NAMESPACE, name))


def new_chance() -> float:
    """Return a number from 0 to 1, all equally likely."""
    return secrets.randbelow(1_001) / 1_000


def new_run_name() -> str:
    """Return eight characters that tell this run of the program from others."""
    return secrets.token_hex(4)


def equal_secrets(given: str, held: str) -> bool:
    """Compare two secrets in a time that tells nothing of where they differ."""
    # compare_digest takes text of ASCII alone, and a header may hold any byte
    return secrets.compare_digest(
        given.encode("utf-8", "surrogateescape"), held.encode("utf-8", "surrogateescape")
    )
