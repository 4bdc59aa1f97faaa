"""Letters without their accents, each in its place, as many people type them."""

import unicodedata

_LATIN = range(0xC0, 0x250)


def _plain(letter: str) -> str:
    return unicodedata.normalize("NFKD", letter)[0]


_PLAIN = {
    number: _plain(chr(number)) for number in _LATIN if unicodedata.decomposition(chr(number))
}


def plain_letters(text: str) -> str:
    """Return a text without accents on Latin letters, as long as it was: what stands at a place of
    the one stands there in the other.
    """
    return text if text.isascii() else text.translate(_PLAIN)
