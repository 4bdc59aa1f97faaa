"""The recovery code: 160 bits that a person writes down, with a checksum for what is misread."""

import hashlib

from app.core.random_tokens import LOOKALIKES, TYPED_ALPHABET, new_bytes

CODE_BYTES, LETTER_BITS = 20, 5
CHECK_LETTERS = 4
GROUP = 6
_BITS = CODE_BYTES * 8
_LETTERS = _BITS // LETTER_BITS + CHECK_LETTERS


class BadCode(Exception):
    """What was typed is no recovery code; the message says why."""


def new_recovery_code() -> bytes:
    """Return a new code."""
    return new_bytes(CODE_BYTES)


def spell_code(code: bytes) -> str:
    """Return a code as it is written down: 36 letters and digits in six groups."""
    text = _spell(code) + _checksum(code)
    return "-".join(text[start : start + GROUP] for start in range(0, len(text), GROUP))


def read_code(typed: str) -> bytes:
    """Return the code that was typed, in whatever case and grouping; raise BadCode."""
    text = "".join(typed.upper().split()).translate(LOOKALIKES)
    if len(text) != _LETTERS or any(letter not in TYPED_ALPHABET for letter in text):
        raise BadCode(
            f"A recovery code has {_LETTERS} letters and digits in groups of {GROUP}; this has "
            f"{len(text)}."
            if len(text) != _LETTERS
            else "A recovery code has only digits and letters, and no U."
        )
    number = 0
    for letter in text[:-CHECK_LETTERS]:
        number = number << LETTER_BITS | TYPED_ALPHABET.index(letter)
    code = number.to_bytes(CODE_BYTES, "big")
    if _checksum(code) != text[-CHECK_LETTERS:]:
        raise BadCode("The recovery code has a typing error: its last four characters do not fit.")
    return code


def _spell(raw: bytes) -> str:
    number = int.from_bytes(raw, "big")
    shifts = range(len(raw) * 8 - LETTER_BITS, -LETTER_BITS, -LETTER_BITS)
    return "".join(TYPED_ALPHABET[number >> shift & 31] for shift in shifts)


def _checksum(code: bytes) -> str:
    # five bytes are eight letters
    return _spell(hashlib.sha256(b"hearth-recovery-check\n" + code).digest()[:5])[:CHECK_LETTERS]
