"""Near misses: the words of names that somebody may have meant by a mistyped word."""

import re
from collections.abc import Iterable

from app.core.database.tx import Tx
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.index import name_text
from app.workspace.index.name_index import BLOCK, PLANES

MOST = 48
SURE_LETTERS = 3
MOST_BEGINNINGS = 500


def near_words(tx: Tx, owner: int, typed: str, *, beginning: bool) -> dict[str, int]:
    """Return the words that are at most so many edits away as a word of that length may be, the
    nearest first, with the number of edits.

    With `beginning`, a word that may not be typed to its end: where no whole word is near, those
    that begin so, their first three letters right.
    """
    most = name_text.allowed_edits(typed)
    if not most:
        return {}
    found = _within_distance(
        typed, _words_with_letters(tx, owner, typed, most), most, beginning=False
    )
    if not found and beginning:
        found = _within_distance(
            typed, _words_beginning(tx, owner, typed[:SURE_LETTERS]), most, beginning=True
        )
    return dict(sorted(found.items(), key=lambda one: (one[1], one[0]))[:MOST])


def _within_distance(
    typed: str, candidates: Iterable[str], most: int, *, beginning: bool
) -> dict[str, int]:
    pieces = [
        (piece, max(0, at - most), at + len(piece) + most)
        for piece, at in name_text.exact_pieces(typed, most)
    ]
    likely = (
        word
        for word in candidates
        if any(word.find(piece, start, end) >= 0 for piece, start, end in pieces)
    )
    counted = (
        (word, name_text.edit_distance(typed, word, most, beginning=beginning)) for word in likely
    )
    return {word: edits for word, edits in counted if edits is not None}


def _words_beginning(tx: Tx, owner: int, letters: str) -> list[str]:
    rows = tx.all(
        "SELECT word FROM name_words "
        "WHERE owner_id = :owner AND word >= :letters AND word < :end "
        "ORDER BY word LIMIT :most",
        owner=owner,
        letters=letters,
        end=letters + chr(0x10FFFF),
        most=MOST_BEGINNINGS,
    )
    return [row[0] for row in rows]


def _words_with_letters(tx: Tx, owner: int, typed: str, most: int) -> list[str]:
    """Return the words of about that length that lack at most `most` of the letters of `typed`,
    and hold at most `most` others.
    """
    own = name_text.letter_bits(typed)
    rows = tx.all(
        "SELECT bits FROM name_letters WHERE owner_id = :owner ORDER BY block", owner=owner
    )
    blocks = [row[0] for row in rows]
    shortest, longest = len(typed) - most, len(typed) + most
    found = tx.all(
        f"""SELECT w.word FROM ({IN_LIST}) j CROSS
          JOIN name_words w ON w.owner_id = :owner AND w.number = j.value
            WHERE length(w.word) BETWEEN :shortest AND :longest""",
        owner=owner,
        ids=id_list(_alike_in_blocks(blocks, own, most)),
        shortest=shortest,
        longest=longest,
    )
    # The words of the last block, which is not full yet, are looked at one by one.
    recent = tx.all(
        """SELECT word, letters FROM name_words
           WHERE owner_id = :owner AND number >= :first
             AND length(word) BETWEEN :shortest AND :longest""",
        owner=owner,
        first=len(blocks) * BLOCK,
        shortest=shortest,
        longest=longest,
    )
    fitting = (
        word
        for word, held in recent
        if (own & ~held).bit_count() <= most and (held & ~own).bit_count() <= most
    )
    return [*(row[0] for row in found), *fitting]


def _alike_in_blocks(blocks: list[bytes], own: int, most: int) -> list[int]:
    """Return the numbers of such words in full blocks.

    Each letter is a row of bits over all words, so that all are counted at once.
    """
    # Bit n of each number stands for word n. `lacking[k]` marks the words that lack k of the typed
    # letters so far, `others[k]` those that hold k others: one AND counts a letter for all words.
    size = BLOCK // 8
    every = (1 << len(blocks) * BLOCK) - 1
    lacking, others = [every] + [0] * most, [every] + [0] * most
    for plane in range(PLANES):
        row = int.from_bytes(
            b"".join([bits[plane * size : (plane + 1) * size] for bits in blocks]), "little"
        )
        if own >> plane & 1:
            _count(lacking, every ^ row)
        else:
            _count(others, row)
    return _bit_places(_union_of_tallies(lacking) & _union_of_tallies(others))


def _count(tallies: list[int], row: int) -> None:
    """Move each word that the row marks from the tally of n to that of n + 1.

    From the last it drops out.
    """
    for place in range(len(tallies) - 1, 0, -1):
        tallies[place] = tallies[place] & ~row | tallies[place - 1] & row
    tallies[0] &= ~row


def _union_of_tallies(tallies: list[int]) -> int:
    found = 0
    for tally in tallies:
        found |= tally
    return found


def _bit_places(bits: int) -> list[int]:
    """Return the places of the bits that are set."""
    return [found.start() for found in re.finditer("1", f"{bits:b}"[::-1])]
