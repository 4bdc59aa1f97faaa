"""The key that signs id tokens, in a file of the data directory that its owner alone reads.

Imported when the first id token is signed, or the first application asks for the public key.
"""

import json
import logging
from pathlib import Path
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from app.core.database.data_dir import SIGNING_KEY
from app.core.database.small_files import replace_file
from app.errors import Unavailable

ALGORITHM = "RS256"
"""The one that every client of OpenID Connect must know."""
BITS = 2048
log = logging.getLogger("hearth.oauth")


def load(data: Path) -> RSAKey:
    """Return the key in the data directory; make it where there is none that can be read.

    Raise Unavailable where it cannot be kept.
    """
    file = data / SIGNING_KEY
    try:
        return RSAKey.import_key(json.loads(file.read_text("ascii")))
    except FileNotFoundError:
        pass
    except (OSError, ValueError, JoseError):
        log.warning("%s cannot be read; a new key signs id tokens from now on", file)
    key = RSAKey.generate_key(BITS, {"use": "sig", "alg": ALGORITHM}, auto_kid=True)
    try:
        replace_file(file, json.dumps(key.as_dict(private=True)).encode("ascii"), sync=True)
    except OSError as error:
        raise Unavailable(
            f"The key that signs id tokens cannot be kept: {error.strerror}."
        ) from None
    return key


def public(key: RSAKey) -> dict[str, Any]:
    """Return the set of public keys by which id tokens are checked."""
    return {"keys": [dict(key.as_dict(private=False))]}


def signed(key: RSAKey, claims: dict[str, Any]) -> str:
    """Return an id token."""
    return jwt.encode({"alg": ALGORITHM, "kid": key.kid}, claims, key)
