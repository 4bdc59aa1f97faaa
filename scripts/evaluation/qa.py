"""How often a question is answered by the right passage of the right note, over the notes of
tests/evaluation/qa, asked through the API.

The questions of `fresh_…` are about short notes as people jot them down, in one more household;
its third part asks mostly for what only nears what they say.
"""

import asyncio
import functools
import json
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import httpx2 as httpx

from app.core.caller import OPERATOR
from app.core.database.data_dir import DATABASE
from app.main import create_app
from app.migrations import migrate
from app.settings import Settings
from evaluation import Row, add_brain, row, sample

FOLDER = Path(__file__).parents[2] / "tests" / "evaluation" / "qa"
BASE = "http://127.0.0.1:8765/api/v1"
SETS = {"": "", "fresh ": "fresh_"}
"""What is put before the half of a case, and before the names of the files that it is read from."""


class Case(NamedTuple):
    """One question with the note and the passage that answer it, or neither, and what was quoted
    first.
    """

    half: str
    language: str
    question: str
    note: int | None
    passage: str
    quoted_note: int | None
    quote: str

    @property
    def right(self) -> bool:
        """Whether the first quote holds the passage and is of that note, or nothing was quoted
        where nothing answers.
        """
        return self.quoted_note == self.note and self.passage in self.quote


def evaluate() -> list[Row]:
    """Give the figures of each half.

    All questions, those that a note answers, the note alone, and those that none answers.
    """
    every = cases()
    rows = []
    for half in dict.fromkeys(case.half for case in every):
        mine = [case for case in every if case.half == half]
        answered = [case for case in mine if case.note is not None]
        rows += [
            row(half, "right", (case.right for case in mine)),
            row(half, "passage in first quote", (case.right for case in answered)),
            row(half, "note in first quote", (case.quoted_note == case.note for case in answered)),
            row(half, "nothing quoted wrongly", (case.right for case in mine if case.note is None)),
            row(
                half,
                "right, other languages",
                (case.right for case in mine if case.language != "en"),
            ),
        ]
    return rows


def misses() -> list[str]:
    """Give a line for each question that was answered otherwise."""
    return [
        f"{case.half} {case.question} → {case.quote!r} instead of {case.passage!r}"
        for case in cases()
        if not case.right
    ]


@functools.cache
def cases() -> tuple[Case, ...]:
    """Ask every question."""
    return tuple(case for name in SETS for case in asyncio.run(_asked(name)))


async def _asked(set_name: str) -> list[Case]:
    with tempfile.TemporaryDirectory() as name:
        data = Path(name)
        migrate(data / DATABASE)
        app = create_app(Settings(durability="normal", rate_limit=0, failed_limit=0), data)
        async with app.router.lifespan_context(app):
            await app.state.parts.call(OPERATOR, "add_user", {"username": "reader"})
            await add_brain(app)
            key = (
                await app.state.parts.call(
                    OPERATOR, "issue_key", {"username": "reader", "name": "evaluation"}
                )
            ).secret
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(
                transport=transport, base_url=BASE, headers={"Authorization": f"Bearer {key}"}
            ) as client:
                before = SETS[set_name]
                notes, questions = _rows(f"{before}notes.jsonl"), _rows(f"{before}questions.jsonl")
                ids = {row["note"]: await _stored(client, row) for row in notes}
                return [await _case(client, row, ids, set_name) for row in sample(questions)]


async def _stored(client: httpx.AsyncClient, row: dict[str, Any]) -> int:
    answer = await client.post("/os/notes", json={"title": row["title"], "content": row["content"]})
    return int(answer.raise_for_status().json()["result"]["note"]["id"])


async def _case(
    client: httpx.AsyncClient, row: dict[str, Any], ids: dict[str, int], set_name: str
) -> Case:
    answer = await client.post("/chat", json={"message": row["question"], "stream": False})
    quotes = answer.raise_for_status().json()["citations"]
    first: dict[str, Any] = quotes[0] if quotes else {"noteId": None, "quote": ""}
    note = ids[row["note"]] if "note" in row else None
    return Case(
        f"{set_name}{row['half']}",
        row["language"],
        row["question"],
        note,
        row.get("passage", ""),
        first["noteId"],
        first["quote"],
    )


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text("utf-8").splitlines()]
