"""What may fit what was typed.

The names that the index gives for it, by owner and kind, before they are ranked.
"""

import functools
import sqlite3
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.workspace.folders import access
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.index import name_text
from app.workspace.index.name_index import INITIALS, KINDS, SORTS, WHOLE, Kind, token_prefix
from app.workspace.search.quick_open import name_typos

MOST = 64
# Which of an owner's folders are shared the index does not know: of others' names more are fetched,
# of which most may fall away.
MOST_SHARED = 2_000
MOST_NEAR_WORDS = 3
MOST_LOOKED_UP = 8
MOST_ALIASES = 20_000
Rows = list[tuple[Kind, sqlite3.Row]]


class TypedName(Struct, frozen=True):
    """What was typed: folded, its words, and where it holds slashes those before and after the
    last one.
    """

    plain: str
    words: list[str]
    above: list[str]
    last: list[str]


class NameSource(Struct, frozen=True):
    """Whose names are looked through, which kinds of them, and of another owner in which
    folders.
    """

    owner: int
    kinds: Sequence[Kind]
    folders: Sequence[int] | None = None


def read_typed(q: str) -> TypedName:
    """Read what was typed."""
    plain = name_text.fold_name(q.strip())
    above, _, last = plain.rpartition("/")
    return TypedName(
        plain,
        name_text.split_words(plain),
        name_text.split_words(above),
        name_text.split_words(last),
    )


def name_sources(tx: Tx, me: Caller, kinds: Sequence[Kind]) -> list[NameSource]:
    """Return the caller's own names, then those of each owner who shares folders with them."""
    found = [NameSource(me.owns, kinds)]
    shared = list(access.shared_folders(tx, me))
    also: list[Kind] = [kind for kind in kinds if kind in ("note", "folder")]
    if shared and also:
        rows = tx.all(
            f"SELECT id, owner_id FROM folders WHERE id IN ({IN_LIST})", ids=id_list(shared)
        )
        owners = dict.fromkeys(row["owner_id"] for row in rows)
        found += [
            NameSource(owner, also, [row["id"] for row in rows if row["owner_id"] == owner])
            for owner in owners
        ]
    return found


def direct_candidates(tx: Tx, source: NameSource, asked: TypedName) -> Rows:
    """Return the newest of the things whose names hold all that was typed, begin with it, are it,
    or have it as initials.
    """
    ids = _whole_name_matches(tx, source.owner, asked)
    for kind in source.kinds:
        if words := _prefix_conditions(source.owner, kind, asked.words):
            ids[kind] += _matching_ids(
                tx, source, (" OR " if kind == "folder" else " AND ").join(words)
            )
        if kind == "note" and asked.above and asked.last:
            ids[kind] += _matching_ids(
                tx, source, " AND ".join(_prefix_conditions(source.owner, kind, asked.last))
            )
    return _visible_rows(tx, source, ids)


def near_candidates(
    tx: Tx, source: NameSource, asked: TypedName
) -> tuple[list[dict[str, int]], Rows]:
    """Return for each word typed the words it may be a near miss of, and the newest of the things
    that are found with them.
    """
    choices: list[dict[str, int]] = [{} for _ in asked.words]
    if len(asked.words) > MOST_LOOKED_UP:
        return choices, []
    # Only a word with which no name's word begins is mistyped; the others stand as they are.
    unknown = [
        place for place, word in enumerate(asked.words) if not _is_prefix_of_any(tx, source, word)
    ]
    if not 0 < len(unknown) <= MOST_NEAR_WORDS:
        return choices, []
    for place in unknown:
        choices[place] = name_typos.near_words(
            tx, source.owner, asked.words[place], beginning=place == len(asked.words) - 1
        )
        if not choices[place]:
            return choices, []
    ids: dict[Kind, list[int]] = {}
    for kind in source.kinds:
        begin = token_prefix(source.owner, SORTS[kind])
        parts = []
        for word, words in zip(asked.words, choices, strict=True):
            begun = " AND ".join(f'"{begin}{token}" *' for token in name_text.asked_tokens([word]))
            parts.append(
                "(" + " OR ".join([f"({begun})", *(f'"{begin}{other}"' for other in words)]) + ")"
            )
        ids[kind] = _matching_ids(tx, source, " AND ".join(parts))
    return choices, _visible_rows(tx, source, ids)


def aliased_candidates(
    tx: Tx, source: NameSource, asked: TypedName
) -> list[tuple[sqlite3.Row, float, str]]:
    """Return notes with an alias that fits, how well it does, and the alias, folded."""
    fitting: dict[int, tuple[float, str]] = {}
    if "note" in source.kinds and asked.words:
        for note_id, alias in tx.all(
            "SELECT note_id, target FROM note_links WHERE owner_id = :owner AND kind = 'alias' "
            "LIMIT :most",
            owner=source.owner,
            most=MOST_ALIASES,
        ):
            score = name_text.fit_score(asked.words, _alias_words(alias))
            if score is not None:
                fitting[note_id] = max(fitting.get(note_id, (0.0, "")), (score, alias))
    best = sorted(fitting, key=lambda id_: fitting[id_], reverse=True)
    best = best[: MOST if source.folders is None else MOST_SHARED]
    rows = _visible_rows(tx, replace(source, kinds=["note"]), {"note": best})
    return [(row, *fitting[row["id"]]) for _, row in rows]


@functools.lru_cache(maxsize=MOST_ALIASES)
def _alias_words(alias: str) -> list[str]:
    return name_text.split_words(name_text.fold_name(alias))


def _prefix_conditions(owner: int, kind: Kind, words: Sequence[str]) -> list[str]:
    """Return the conditions for names that hold words which begin so.

    Of many words only the longest are looked up, the ranking sees to the others.
    """
    tokens = sorted(name_text.asked_tokens(words), key=len, reverse=True)[:MOST_LOOKED_UP]
    return [f'"{token_prefix(owner, SORTS[kind])}{token}" *' for token in tokens]


def _whole_name_matches(tx: Tx, owner: int, asked: TypedName) -> dict[Kind, list[int]]:
    """Return what has the whole name that was typed, then what begins with it, then what has it as
    initials.
    """
    token = token_prefix(owner, WHOLE) + name_text.whole_name_token(asked.plain, asked.words)
    matches = [f'"{token}"', f'"{token}" *'] if asked.words else [f'"{token}"']
    if len(asked.words) == 1 and 1 < len(asked.words[0]) <= name_text.MOST_INITIALS:
        matches.append(f'"{token_prefix(owner, INITIALS)}{asked.words[0]}" *')
    ids: dict[Kind, list[int]] = {kind: [] for kind in KINDS}
    for match in matches:
        for (rowid,) in tx.all(
            "SELECT rowid FROM name_index WHERE name_index MATCH :match "
            "ORDER BY rowid DESC LIMIT :most",
            match=match,
            most=MOST,
        ):
            ids[KINDS[rowid & 3]].append(rowid >> 2)
    return ids


def _is_prefix_of_any(tx: Tx, source: NameSource, word: str) -> bool:
    """Return whether some name has a word that begins so."""
    match = " OR ".join(
        f'"{token_prefix(source.owner, SORTS[kind])}{token}" *'
        for kind in source.kinds
        for token in name_text.asked_tokens([word])[:1]
    )
    found = tx.one("SELECT 1 FROM name_index WHERE name_index MATCH :match LIMIT 1", match=match)
    return found is not None


def _matching_ids(tx: Tx, source: NameSource, match: str) -> list[int]:
    most = MOST if source.folders is None else MOST_SHARED
    rows = tx.all(
        "SELECT rowid >> 2 FROM name_index WHERE name_index MATCH :match "
        "ORDER BY rowid DESC LIMIT :most",
        match=match,
        most=most,
    )
    return [row[0] for row in rows]


_COLUMNS: dict[Kind, str] = {
    "note": "x.id, x.title, x.folder_id, x.pinned, x.updated_at, 0 AS completed "
    "FROM {} CROSS JOIN notes x ON x.id = j.value",
    "folder": "x.id, x.name AS title, x.parent_id, 0 AS pinned, NULL AS updated_at, 0 AS "
    "completed FROM {} CROSS JOIN folders x ON x.id = j.value",
    "todo": "x.id, x.title, 0 AS pinned, x.updated_at, x.completed "
    "FROM {} CROSS JOIN todos x ON x.id = j.value",
    "tag": "x.id, x.name AS title, 0 AS pinned, NULL AS updated_at, 0 AS completed "
    "FROM {} CROSS JOIN tag_names x ON x.id = j.value",
}
_LIVE: dict[Kind, str] = {
    "note": "x.trash_id IS NULL",
    "folder": "x.trash_id IS NULL",
    "todo": "x.trash_id IS NULL",
    "tag": """EXISTS (SELECT 1 FROM note_tags t CROSS JOIN notes n ON n.id = t.note_id
        WHERE t.owner_id = x.owner_id AND t.tag_key = x.tag_key AND n.trash_id IS NULL)""",
}
_PLACE: dict[Kind, str] = {"note": "x.folder_id", "folder": "x.id"}


def _visible_rows(tx: Tx, source: NameSource, ids: dict[Kind, list[int]]) -> Rows:
    """Return what of these ids is live and may be seen."""
    found: Rows = []
    for kind in source.kinds:
        if not ids[kind]:
            continue
        where = f"x.owner_id = :owner AND {_LIVE[kind]}"
        if source.folders is not None:
            where += f" AND {_PLACE[kind]} IN (SELECT value FROM json_each(:folders))"
        columns = _COLUMNS[kind].format("(SELECT DISTINCT value FROM json_each(:ids)) j")
        rows = tx.all(
            f"SELECT {columns} WHERE {where}",
            ids=id_list(ids[kind]),
            owner=source.owner,
            folders=id_list(source.folders or ()),
        )
        found += [(kind, row) for row in rows]
    return found
