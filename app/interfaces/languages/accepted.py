"""Which language a browser asks for, by its header Accept-Language (RFC 9110, section 12.5.4)."""

import re

from app.interfaces.languages.words import DEFAULT, languages

LONGEST = 1_000
QUALITY = re.compile(r"q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)")


def accepted_language(header: str) -> str:
    """Return the language that is wanted most among those there are, else English."""
    return wanted_language(header) or DEFAULT


def wanted_language(header: str) -> str | None:
    """Return the language that is wanted most among those there are; None where none is."""
    best, most = None, 0.0
    for wanted in header[:LONGEST].split(","):
        tag, _, weight = wanted.partition(";")
        language = tag.strip().partition("-")[0].lower()
        quality = _quality(weight.replace(" ", "").lower())
        if language in languages() and quality > most:
            best, most = language, quality
    return best


def _quality(weight: str) -> float:
    """Return how much it is wanted; 0, which is not at all, for what cannot be read."""
    if not weight:
        return 1.0
    found = QUALITY.fullmatch(weight)
    return 0.0 if found is None else float(found[1])
