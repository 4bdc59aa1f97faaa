"""Stems of English words, exactly as the word index makes them.

The algorithm is FTS5's: Porter 1980, "An algorithm for suffix stripping". The index stems by
itself; this is for finding the words of an answer again in the text that is shown.
"""

from functools import lru_cache

_SHORTEST, _LONGEST = 3, 64
_VOWELS = b"aeiou"
# In the order in which FTS5 looks: the first ending that fits decides, fit its stem or not.
_SECOND = (
    (b"ational", b"ate"),
    (b"tional", b"tion"),
    (b"enci", b"ence"),
    (b"anci", b"ance"),
    (b"izer", b"ize"),
    (b"logi", b"log"),
    (b"bli", b"ble"),
    (b"alli", b"al"),
    (b"entli", b"ent"),
    (b"eli", b"e"),
    (b"ousli", b"ous"),
    (b"ization", b"ize"),
    (b"ation", b"ate"),
    (b"ator", b"ate"),
    (b"alism", b"al"),
    (b"iveness", b"ive"),
    (b"fulness", b"ful"),
    (b"ousness", b"ous"),
    (b"aliti", b"al"),
    (b"iviti", b"ive"),
    (b"biliti", b"ble"),
)
_THIRD = (
    (b"icate", b"ic"),
    (b"ative", b""),
    (b"alize", b"al"),
    (b"iciti", b"ic"),
    (b"ical", b"ic"),
    (b"ful", b""),
    (b"ness", b""),
)
_FOURTH = (
    b"al",
    b"ance",
    b"ence",
    b"er",
    b"ic",
    b"able",
    b"ible",
    b"ant",
    b"ement",
    b"ment",
    b"ent",
    b"ion",
    b"ou",
    b"ism",
    b"ate",
    b"iti",
    b"ous",
    b"ive",
    b"ize",
)


# 4 microseconds a word, and texts use few words often.
@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return the stem of a word in lower case; the forms of a word share it."""
    text = word.encode()
    # The bounds are FTS5's, in bytes: what it leaves alone must be left alone here too.
    if not _SHORTEST <= len(text) <= _LONGEST:
        return word
    text = _without_y(_without_participle(_without_plural(text)))
    text = _replace_ending(_replace_ending(text, _SECOND), _THIRD)
    text = _without_double_l(_without_e(_without_suffix(text)))
    return text.decode(errors="replace")


def _consonants_and_vowels(text: bytes) -> str:
    """Return a c for each consonant and a v for each vowel; y is a vowel after a consonant."""
    kinds, consonant = [], False
    for letter in text:
        consonant = letter not in _VOWELS and not (letter == 0x79 and consonant)
        kinds.append("c" if consonant else "v")
    return "".join(kinds)


def _measure(text: bytes) -> int:
    """Count the times that a consonant follows a vowel: Porter's m."""
    return _consonants_and_vowels(text).count("vc")


def _has_vowel(text: bytes) -> bool:
    return any(letter in _VOWELS or (letter == 0x79 and at > 0) for at, letter in enumerate(text))


def _ends_in_short_syllable(text: bytes) -> bool:
    """Return whether it ends consonant, vowel, consonant, the last not w, x or y: Porter's *o."""
    return text[-1:] not in (b"w", b"x", b"y") and _consonants_and_vowels(text)[-3:] == "cvc"


def _without_plural(text: bytes) -> bytes:
    if not text.endswith(b"s"):
        return text
    if (text.endswith(b"sses") and len(text) > 4) or (text.endswith(b"ies") and len(text) > 3):
        return text[:-2]
    return text if text.endswith(b"ss") else text[:-1]


def _without_participle(text: bytes) -> bytes:
    if text.endswith(b"eed") and len(text) > 3:
        return text[:-1] if _measure(text[:-3]) > 0 else text
    for suffix in (b"ed", b"ing"):
        if text.endswith(suffix) and len(text) > len(suffix):
            base = text[: -len(suffix)]
            return _restore_ending(base) if _has_vowel(base) else text
    return text


def _restore_ending(text: bytes) -> bytes:
    """Give back to a stem what it lost before -ed or -ing: hop(p), hop(e)."""
    if len(text) > 2 and text.endswith((b"at", b"bl", b"iz")):
        return text + b"e"
    last = text[-1:]
    if text[-2:-1] == last and last not in (b"l", b"s", b"z", b"a", b"e", b"i", b"o", b"u"):
        return text[:-1]
    return text + b"e" if _measure(text) == 1 and _ends_in_short_syllable(text) else text


def _without_y(text: bytes) -> bytes:
    return text[:-1] + b"i" if text.endswith(b"y") and _has_vowel(text[:-1]) else text


def _replace_ending(text: bytes, endings: tuple[tuple[bytes, bytes], ...]) -> bytes:
    for ending, other in endings:
        if text.endswith(ending) and len(text) > len(ending):
            base = text[: -len(ending)]
            return base + other if _measure(base) > 0 else text
    return text


def _without_suffix(text: bytes) -> bytes:
    for suffix in _FOURTH:
        if text.endswith(suffix) and len(text) > len(suffix):
            base = text[: -len(suffix)]
            return (
                base
                if _measure(base) > 1 and (suffix != b"ion" or base.endswith((b"s", b"t")))
                else text
            )
    return text


def _without_e(text: bytes) -> bytes:
    if not text.endswith(b"e"):
        return text
    base = text[:-1]
    return (
        base
        if _measure(base) > 1 or (_measure(base) == 1 and not _ends_in_short_syllable(base))
        else text
    )


def _without_double_l(text: bytes) -> bytes:
    return text[:-1] if text.endswith(b"ll") and _measure(text[:-1]) > 1 else text
