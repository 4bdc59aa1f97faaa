"""What stands between an application's request and its user: refused here, or sent back."""


class BadRequest(Exception):
    """A request whose sender is not known, so that a page says it and nothing is sent on."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class SentBack(Exception):
    """A request that is refused, and the address at which its sender hears so."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.location = location
