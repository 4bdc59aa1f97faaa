"""The texts that a grep must search: those of the notes a caller may read, some at a time."""

import bisect
import copy
import functools
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.workspace.folders import access, folder_rows, workspace_counters
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.index import trigram_index
from app.workspace.search.grep.literals import Literals
from app.workspace.search.grep.re2_programs import Texts, join_texts

FEW = 200
WORTH_HALVING = 8_000
SHORTEST_LIKE = 2  # what is one character long stands in most notes
BATCH_BYTES = 1 << 18
LONGEST_JOINED = 1 << 15
FIRST_ASKED, MOST_ASKED = 512, 1 << 15
FEWEST, FIRST_BATCH, LARGEST_BATCH = 16, 256, 2048
QUICK_SECONDS, SLOW_SECONDS = 0.004, 0.015


class Scope(msgspec.Struct, frozen=True):
    """The notes that are looked at: a condition on `n`, its parameters, whether all own notes are
    among them, and how many there are.
    """

    condition: str
    params: dict[str, Any]
    own: bool
    total: int
    leaves_out: str = ""
    """The part of the condition that leaves out what a grant hides."""


class Batch(msgspec.Struct, frozen=True):
    """Some notes: their ids, their titles where those were read too, and their texts as UTF-8."""

    ids: Callable[[], list[int]]
    titles: str
    texts: Texts

    def names(self) -> list[tuple[int, str]]:
        """Return id and title of each note; the title is empty where it was not read."""
        ids = self.ids()
        titles = self.titles.split("\n") if self.titles else []
        # A title with a line break in it (an old import's) would shift all after it: then none.
        return list(zip(ids, titles if len(titles) == len(ids) else [""] * len(ids), strict=True))


def notes_in_scope(
    tx: Tx, me: Caller, folder_id: int | None, least: access.Least = "viewer"
) -> Scope:
    """Return the notes for which the caller has at least that role, of all places or of a folder
    with those below it.
    """
    if access.sees_one_note(me) and me.reach is not None and folder_id is None:
        only = {"me": me.user, "ids": "[]", "only": me.reach.note}
        live = (
            "SELECT 1 FROM notes n WHERE n.id = :only AND n.owner_id = :me AND n.trash_id IS NULL"
        )
        return Scope(
            "n.id = :only AND n.owner_id = :me",
            only,
            own=False,
            total=int(tx.one(live, me=me.user, only=me.reach.note) is not None),
        )
    own = folder_id is None
    places = (
        folder_rows.subtree_ids(tx, folder_id)
        if folder_id is not None
        else _shared_folder_ids(tx, me, least)
    )
    inside = f"n.folder_id IN ({IN_LIST})"
    condition = (
        inside if not own else f"(n.owner_id = :me OR {inside})" if places else "n.owner_id = :me"
    )
    listed = id_list(places)
    total = tx.value(
        f"SELECT ifnull(sum(note_count), 0) FROM folders WHERE id IN ({IN_LIST})", ids=listed
    )
    hidden = access.hidden_by_folder(tx, me)
    total -= sum(number for place, number in hidden.items() if own or place in places)
    leaves_out = access.unhidden_condition(me)
    return Scope(
        condition + leaves_out,
        {"me": me.owns, "ids": listed},
        own,
        total + workspace_counters.workspace_counts(tx, me.owns).notes if own else total,
        leaves_out,
    )


def list_note_ids(tx: Tx, where: Scope, last: int) -> list[int]:
    """Return the ids of the notes up to one, in no order."""
    if "only" in where.params:  # a grant of a single note
        return [where.params["only"]] if where.params["only"] <= last else []
    own = """SELECT n.id FROM notes n
             WHERE n.owner_id = :me AND n.trash_id IS NULL AND n.id <= :last"""
    rows = tx.all(own + where.leaves_out, me=where.params["me"], last=last) if where.own else []
    rows += tx.all(
        f"""SELECT n.id FROM folders f
            CROSS JOIN notes n ON n.owner_id = f.owner_id AND n.folder_id = f.id
            WHERE f.id IN ({IN_LIST}) AND n.trash_id IS NULL AND n.id <= :last{where.leaves_out}""",
        ids=where.params["ids"],
        last=last,
    )
    return [row[0] for row in rows]


def holds_condition(column: str, texts: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the SQL condition, with its parameters, that a column holds some texts, in any ASCII
    case.
    """
    wanted = [text for text in texts if len(text) >= SHORTEST_LIKE]
    sql = "".join(f" AND {column} LIKE :like{number} ESCAPE '\\'" for number in range(len(wanted)))
    return sql, {f"like{number}": _like_pattern(text) for number, text in enumerate(wanted)}


def read_titles(tx: Tx, note_ids: Sequence[int]) -> dict[int, str]:
    """Return the titles of notes."""
    return {
        row["id"]: row["title"]
        for row in tx.all(
            f"SELECT id, title FROM notes WHERE id IN ({IN_LIST})", ids=id_list(note_ids)
        )
    }


class NoteWalk:
    """A walk over the notes of a scope by id, without those that cannot hold what is required.

    It asks the trigram index where that can answer; else it lists the ids where the scope is a
    small part of all notes; else it reads the table.
    """

    def __init__(
        self, tx: Tx, where: Scope, needs: Literals, *, only: Sequence[int] | None = None
    ) -> None:
        self.after = 0
        self.ended = False
        self._where = where
        self._size = FIRST_BATCH
        self._match = (
            needs.match if tx.settings.grep_index and only is None and where.total > FEW else None
        )
        self._last: int = tx.value("SELECT max(id) FROM notes") or 0
        self._listed = None if only is None else sorted(set(only))
        self._asking = FIRST_ASKED
        self._asked_all = True
        # Below an eighth of all notes looking each up costs less than reading past the others.
        if self._listed is None and self._match is None and where.total * 8 < self._last:
            self._listed = sorted(list_note_ids(tx, where, self._last))
        self._like, likes = holds_condition("n.content", () if self._match else needs.likes)
        self._params = where.params | likes

    def split_off_half(self) -> "NoteWalk | None":
        """Leave the later half of what is left to another walk and return that.

        None when there is little left, or nothing but what the index finds.
        """
        if (
            self._match is not None
            or self._listed is not None
            or self._last - self.after < WORTH_HALVING
        ):
            return None
        other = copy.copy(self)
        self._last = other.after = (self.after + self._last) // 2
        return other

    def next_batch(self, tx: Tx) -> Batch:
        """Return the next notes, at most some hundred kilobytes of them and maybe none.

        `ended` says whether those were the last.

        SQLite joins the texts: a row for each would cost more than all the rest. Only long ones
        are read one by one.
        """
        begun = time.monotonic()
        source, params, end = self._source(tx)
        where = f"FROM {source} AND n.trash_id IS NULL AND {self._where.condition}{self._like}"
        params |= self._params
        titles = "''" if self._listed is None else "group_concat(n.title, char(10))"
        whole, ids, sizes, longest, names = tx.require_row(
            f"""SELECT CAST(group_concat(CASE WHEN n.size <= {LONGEST_JOINED} THEN n.content END,
                                      char(10)) AS BLOB),
                group_concat(n.id), group_concat(n.size), max(n.size), {titles} {where}""",
            **params,
        )
        if longest is not None and longest > LONGEST_JOINED:
            return self._one_by_one(tx, where, params, end)
        self.after, self.ended = end, self.ended or end >= self._last
        self._learn(time.monotonic() - begun, len(whole or b""))
        return Batch(
            functools.partial(_parse_ids, ids or ""),
            names or "",
            Texts(whole or b"", functools.partial(_parse_ids, sizes or "")),
        )

    def _one_by_one(self, tx: Tx, where: str, params: dict[str, Any], end: int) -> Batch:
        ids: list[int] = []
        contents: list[bytes] = []
        size = 0
        for note_id, content in tx.run(f"SELECT n.id, CAST(n.content AS BLOB) {where}", **params):
            if size >= BATCH_BYTES:
                self.after, self.ended = ids[-1], False
                break
            ids.append(note_id)
            contents.append(content)
            size += len(content)
        else:
            self.after, self.ended = end, self.ended or end >= self._last
        self._size = max(FEWEST, self._size // 2)
        return Batch(lambda: ids, "", join_texts(contents))

    def _source(self, tx: Tx) -> tuple[str, dict[str, Any], int]:
        """Return the part of the query that names the next notes, its parameters, and the id up to
        which it goes.
        """
        if self._match is not None:
            self._list_more(tx, self._match)
        if self._listed is not None:
            first = bisect.bisect_right(self._listed, self.after)
            ids = self._listed[first : first + self._size]
            self.ended = first + self._size >= len(self._listed) and self._asked_all
        else:
            end = min(self.after + self._size, self._last)
            # NOT INDEXED: in the order of the file, whatever index the conditions would suggest.
            return (
                "notes n NOT INDEXED WHERE n.id > :after AND n.id <= :end",
                {"after": self.after, "end": end},
                end,
            )
        return (
            "json_each(:wanted) w CROSS JOIN notes n ON n.id = w.value WHERE 1",
            {"wanted": id_list(ids)},
            ids[-1] if ids else self.after,
        )

    def _list_more(self, tx: Tx, match: str) -> None:
        """Let the index list the next ids: few at first, since the limit may soon be reached, then
        many, since it seeks them anew each time.
        """
        if self._listed and self._listed[-1] > self.after:
            return
        self._listed = trigram_index.find_candidates(tx, match, after=self.after, most=self._asking)
        # Fewer than asked for: the index has no more.
        self._asked_all = len(self._listed) < self._asking
        self._asking = min(MOST_ASKED, 8 * self._asking)

    def _learn(self, seconds: float, size: int) -> None:
        if seconds > SLOW_SECONDS or size > BATCH_BYTES:
            self._size = max(FEWEST, self._size // 2)
        elif seconds < QUICK_SECONDS and size < BATCH_BYTES // 2:
            self._size = min(LARGEST_BATCH, 2 * self._size)


def _parse_ids(text: str) -> list[int]:
    return [int(number) for number in text.split(",")] if text else []


def _shared_folder_ids(tx: Tx, me: Caller, least: access.Least) -> list[int]:
    ranks = access.shared_folders(tx, me)
    return [folder_id for folder_id, rank in ranks.items() if rank >= access.RANKS[least]]


def _like_pattern(text: str) -> str:
    escaped = "".join("\\" + mark if mark in "%_\\" else mark for mark in text)
    return f"%{escaped}%"
