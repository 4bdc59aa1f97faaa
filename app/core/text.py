"""Plain text: words, summaries, names, moments in words."""

import unicodedata


def fold(name: str) -> str:
    """Give the key by which names are compared."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def word_count(markdown: str) -> int:
    """Count the words of a text."""
    return len(markdown.split())
