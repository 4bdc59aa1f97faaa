"""How text is spelled in the word index.

What FTS5 is given instead of the text, and the same words found again in a text.

FTS5 splits at what is no letter, digit or mark, folds case and accents, and stems. What it
cannot do is done here first: scripts that put no spaces between words are written as overlapping
pairs of characters, emoji as letters, and some letters as the plain ones that people type for
them. The ranges are fixed, so what was indexed by one Python is spelled the same by the next;
whoever changes them raises `FORMAT`.
"""

import functools
import re
import unicodedata
from collections.abc import Iterator

import msgspec

from app.workspace.index.stems import stem

FORMAT = 2
"""The number of these rules; an index that was made by others is made anew."""
OPEN_TODO = "\uf8f0"
"""Stands in the index for an open checkbox; a private character, so that no word is it."""
TOKENIZER = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"

# Thai, Lao, Myanmar, Hangul letters, Khmer, kana, bopomofo, Hangul letters, Han ideographs, Hangul
# syllables.
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0edf\u1000-\u1049\u1050-\u109d\u1100-\u11ff\u1780-\u17d3\u3005-\u3007\u3021-\u3029"
    "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb\uf900-\ufaff\uff66-\uff9f\uffa1-\uffdc\U00020000-\U0003fffd"
)
_EMOJI = "\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
# Points of Hebrew and Arabic, the Arabic stretching mark, selectors of a glyph's variant, skin
# tones.
_UNSEEN = (
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    "\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0000-\U000e01ff"
)
# What FTS5 takes for letters though it is none: newer signs of currencies, private characters,
# planes that nobody uses.
_BREAKS = "\u20ba-\u20cf\ue000-\uf8ff\U00040000-\U000dffff\U000e0200-\U0010ffff"
_PLAIN = {
    "ß": "ss",
    "ẞ": "ss",
    "æ": "ae",
    "Æ": "ae",
    "œ": "oe",
    "Œ": "oe",
    "ø": "o",
    "Ø": "o",
    "ł": "l",
    "Ł": "l",
    "đ": "d",
    "Đ": "d",
    "أ": "ا",
    "إ": "ا",
    "آ": "ا",
    "ٱ": "ا",
    "ى": "ي",
    "ة": "ه",
}

_ASCII_WORD = re.compile("[A-Za-z0-9]+")


class Token(msgspec.Struct, frozen=True):
    """One word of a text, or one character of a script without spaces.

    Where it stands, and the key that its other forms share.
    """

    start: int
    end: int
    key: str


class Pattern(msgspec.Struct, frozen=True):
    """Tokens that stand one after another: a word, a phrase; with `prefix` the last may go on."""

    keys: tuple[str, ...]
    prefix: bool = False
    begun: str = ""
    """Letters with which every form of the first begins."""


# Compiled for the first text beyond ASCII, since that takes 3 ms of the server's start.
@functools.cache
def _special() -> re.Pattern[str]:
    return re.compile(f"[{_UNSPACED}]+|[{_EMOJI}]|[{_BREAKS}]|[{_UNSEEN}]+|[{''.join(_PLAIN)}]")


@functools.cache
def _last_run() -> re.Pattern[str]:
    return re.compile(f"[{_UNSPACED}]+$")


@functools.cache
def _break() -> re.Pattern[str]:
    return re.compile(f"[{_BREAKS}]")


def text_for_index(text: str) -> str:
    """Return a text as FTS5 is to split it."""
    if text.isascii():
        return text
    return _special().sub(_spell_match, unicodedata.normalize("NFC", text))


def is_prefix_search(text: str, *, prefix: bool = False) -> bool:
    """Return whether a text is looked for as the beginning of words.

    So is a lone character of a script without spaces, which stands in pairs.
    """
    return prefix or len(_unspaced_end(text)) == 1


def fts_phrase(text: str, *, prefix: bool = False, whole: bool = False) -> str:
    """Return the FTS5 phrase that finds a text.

    With `prefix` its last word may go on, with `whole` never. The text must hold a word.
    """
    spelled = text_for_index(text.replace('"', " ").replace("\0", " "))
    if len(_unspaced_end(text)) > 1:
        # The last character alone ends a run in the index, but need not end it here.
        spelled = spelled.rstrip().rpartition(" ")[0]
    star = " *" if is_prefix_search(text, prefix=prefix) and not whole else ""
    return f'"{spelled}"{star}'


def find_words(text: str) -> list[str]:
    """Return the words of a text as they are written; a run of a script without spaces is one."""
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return [
        word
        for word in _word_pattern().findall(unicodedata.normalize("NFC", text))
        if text_for_index(word).strip()
    ]


def word_parts(word: str) -> list[str]:
    """Return the parts of a word that may be found alone.

    The pairs of characters where its script has no spaces, else the word.
    """
    if word.isascii():
        return [word]
    found: list[str] = []
    for run in re.findall(f"[{_UNSPACED}]+|[^{_UNSPACED}]+", word):
        alone = len(run) < 3 or not _last_run().match(run)
        found += [run] if alone else [run[at : at + 2] for at in range(len(run) - 1)]
    return [part for part in found if text_for_index(part).strip()]


def word_pattern(text: str, *, prefix: bool = False) -> Pattern:
    """Return how the words of a text are found again in another."""
    tokens = list(find_tokens(unicodedata.normalize("NFC", text)))
    keys = [token.key for token in tokens]
    if prefix and tokens:
        keys[-1] = _fold_word(text[tokens[-1].start : tokens[-1].end])
    return Pattern(tuple(keys), prefix, _key_prefix(keys[0]) if keys else "")


def find_tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """Find the tokens of a part of a text, in order."""
    wanted = _ASCII_WORD if text.isascii() else _token_pattern()
    for found in wanted.finditer(text, start, len(text) if end is None else end):
        yield Token(found.start(), found.end(), word_key(found[0]))


def entry_prefix(text: str) -> str:
    """Return the letters with which the entries of the index begin that go on from the last word
    of a text.
    """
    if text[-1:].isascii():
        return word_key(find_words(text)[-1])
    return unicodedata.normalize("NFC", text)[-1:]


def token_end(text: str, at: int) -> int:
    """Return where the token ends that begins at a place; 0 where none does."""
    found = (_ASCII_WORD if text.isascii() else _token_pattern()).match(text, at)
    return found.end() if found else 0


@functools.lru_cache(maxsize=16_384)
def word_key(word: str) -> str:
    """Return the key that all forms of a word share."""
    return stem(_fold_word(word))


def fold_in_place(text: str) -> str:
    """Return a text without capitals and Latin accents, each character still in its place."""
    if text.isascii():
        return text.lower()
    return text.translate({ord(character): _base_letter(character) for character in set(text)})


def _unspaced_end(text: str) -> str:
    """Return the run of a script without spaces in which a text ends; empty for none."""
    if text.isascii():
        return ""
    run = _last_run().search(unicodedata.normalize("NFC", text).rstrip())
    return "" if run is None else run[0]


def _spell_match(found: re.Match[str]) -> str:
    text = found[0]
    if (letters := _PLAIN.get(text)) is not None:
        return letters
    first = ord(text[0])
    # Emoji are symbols, at which FTS5 would break; in the private planes they are letters to it.
    if 0x2600 <= first <= 0x2BFF:
        return f" {chr(first - 0x2600 + 0xF2000)} "
    if 0x1F000 <= first <= 0x1FAFF and not 0x1F3FB <= first <= 0x1F3FF:
        return f" {chr(first - 0x1F000 + 0xF0000)} "
    if _break().match(text):
        return " "
    if _last_run().match(text):
        return f" {' '.join(text[at : at + 2] for at in range(len(text)))} "
    return ""


def _fold_word(word: str) -> str:
    if word.isascii():
        return word.lower()
    whole = unicodedata.normalize("NFC", word)
    spelled = "".join(
        _PLAIN.get(character, character) for character in re.sub(f"[{_UNSEEN}]", "", whole)
    )
    return "".join(
        character for character in fold_in_place(spelled) if not "\u0300" <= character <= "\u036f"
    )


def _key_prefix(key: str) -> str:
    """Return the letters with which every word of a key begins.

    A stem may have changed its end, and some letters stand for two.
    """
    cut = re.split("ss|ae|oe", key, maxsplit=1)[0] or key[:1]
    # What stemming puts at the end: happy and happi, hope and hop, possible and possibl.
    for ending in ("i", "e", "bl"):
        if cut == key and cut.endswith(ending) and len(cut) > len(ending):
            cut = cut[:-1]
    return cut


@functools.cache
def _base_letter(character: str) -> str:
    if character in _PLAIN:
        return _PLAIN[character][0]
    latin = character < "\u0250" or "\u1e00" <= character <= "\u1eff"
    base = (unicodedata.normalize("NFD", character)[0] if latin else character).lower()
    return base if len(base) == 1 else character


@functools.cache
def _combining_marks() -> str:
    """Return the marks that belong to a letter before them.

    The regular expressions of Python take none of them for a part of a word.
    """
    blocks = (
        (0x300, 0x1E00),
        (0x20D0, 0x20F1),
        (0x2CEF, 0x2E00),
        (0x302A, 0x309B),
        (0xA66F, 0xABEE),
        (0xFB1E, 0xFB1F),
        (0xFE00, 0xFE30),
        (0x101FD, 0x12000),
        (0x13440, 0x13460),
        (0x16A00, 0x17000),
        (0x1BC9D, 0x1BCA0),
        (0x1CF00, 0x1D300),
        (0x1DA00, 0x1EA00),
    )
    return "".join(
        chr(code)
        for first, end in blocks
        for code in range(first, end)
        if unicodedata.category(chr(code)) in ("Mn", "Mc")
    )


@functools.cache
def _word_pattern() -> re.Pattern[str]:
    return re.compile(
        f"[{_EMOJI}]|[{_combining_marks()}]*[^\\W_](?:[^\\W_]|[{_combining_marks()}])*"
    )


@functools.cache
def _token_pattern() -> re.Pattern[str]:
    return re.compile(
        f"[{_UNSPACED}]|[{_EMOJI}]|[{_combining_marks()}]*[^\\W_{_UNSPACED}](?:[^\\W_{_UNSPACED}]|[{_combining_marks()}])*"
    )
