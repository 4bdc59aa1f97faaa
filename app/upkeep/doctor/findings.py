"""What `hearth doctor` found: each with what to do about it."""

from typing import Literal

import msgspec

Gravity = Literal["well", "advice", "wrong"]


class Finding(msgspec.Struct, rename="camel"):
    """One thing that was looked at.

    How it is, what to do where it is not well, and whether `--fix` does it.
    """

    check: str
    gravity: Gravity
    message: str
    remedy: str | None = None
    mends: str | None = None
    """The name of the repair that `--fix` makes."""


def ok(check: str, message: str) -> Finding:
    """Return a finding of something that is as it should be."""
    return Finding(check, "well", message)


def advice(check: str, message: str, remedy: str, *, mends: str | None = None) -> Finding:
    """Return a finding of something that works and could be better."""
    return Finding(check, "advice", message, remedy, mends)


def wrong(check: str, message: str, remedy: str, *, mends: str | None = None) -> Finding:
    """Return a finding of something that must be seen to."""
    return Finding(check, "wrong", message, remedy, mends)
