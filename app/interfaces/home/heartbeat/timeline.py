"""The runs of the last days as a picture: a row for each day, a dot for each run."""

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any, NamedTuple

from app.interfaces.home.dates import Dates
from app.interfaces.languages.said import said
from app.interfaces.languages.words import Words

DAYS = 7
HOUR_WIDTH = 24
ROW_HEIGHT = 26
LEFT = 84


class Dot(NamedTuple):
    """A run: where it stands in the picture, and what kind it was."""

    id: int
    x: float
    y: float
    kind: str
    told: str


class Timeline(NamedTuple):
    """A picture of some days: its size, the names of its rows, and its dots."""

    width: int
    height: int
    rows: list[tuple[float, str]]
    hours: list[tuple[float, str]]
    dots: list[Dot]


def timeline_of(runs: Iterable[Any], words: Words, dates: Dates) -> Timeline:
    """Return the picture of the runs of the last seven days of this person."""
    days = [dates.today - timedelta(days=back) for back in range(DAYS)]
    rows = {day: number for number, day in enumerate(days)}
    return Timeline(
        LEFT + 24 * HOUR_WIDTH + 8,
        DAYS * ROW_HEIGHT + 24,
        [(_middle(number), dates.day(day)) for day, number in rows.items()],
        [(LEFT + hour * HOUR_WIDTH, f"{hour:02d}") for hour in range(0, 25, 6)],
        [dot for run in runs if (dot := _dot(run, rows, words, dates)) is not None],
    )


def kind_of(run: Any) -> str:
    """Return what kind of run it was: acted, quiet, skipped, failed or running."""
    if run.status in ("failed", "running"):
        return str(run.status)
    if run.skip_reason:
        return "skipped"
    return "acted" if run.actions_created else "quiet"


def _dot(run: Any, rows: dict[date, int], words: Words, dates: Dates) -> Dot | None:
    at = dates.local(run.started_at)
    row = rows.get(at.date())
    if row is None:
        return None
    x = LEFT + (at.hour + at.minute / 60) * HOUR_WIDTH
    what = said(words, run.summary) or words(f"heartbeat.kind.{kind_of(run)}")
    told = f"{dates.full(run.started_at)}: {what}"
    return Dot(run.id, round(x, 1), _middle(row), kind_of(run), told)


def _middle(row: int) -> float:
    return row * ROW_HEIGHT + ROW_HEIGHT / 2
