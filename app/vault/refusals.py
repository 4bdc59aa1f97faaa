"""What ends a command: something that cannot be done now, or an answer that cannot be true."""

from app.vault.answers import UploadResult


class VaultError(Exception):
    """Something cannot be done; the message says why and what to do."""


class Offline(VaultError):
    """The server did not answer."""


class ServerRefused(VaultError):
    """The server refused a request, with its code."""

    def __init__(self, message: str, code: str, status: int) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.results: list[UploadResult] | None = None


class NoKeyHere(VaultError):
    """The account key is not sealed to this device."""


class Tampered(VaultError):
    """What the server says cannot be true; nothing of it was believed.

    `what` names the kind, such as "swapped key".
    """

    def __init__(self, what: str, message: str) -> None:
        super().__init__(f"Refused ({what}): {message}")
        self.what = what
