"""Cut the power of a recorded server at many moments and report what was lost: see `run`."""

import pickle
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from app.core.database.data_dir import DATABASE
from tests.power.judging import judge
from tests.power.states import states
from tests.support.memory_folder import fast_folder

ROOT = Path(__file__).parent.parent.parent
SHOWN = 5
LONGEST_SECONDS = 1200


@dataclass
class Report:
    """What the cuts of one or several recordings showed.

    `lost`, `strange` and `corrupt` count states.
    """

    states: int = 0
    requests: int = 0
    answered: int = 0
    syncs: int = 0
    lost: int = 0
    strange: int = 0
    corrupt: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, other: "Report") -> None:
        """Take the figures of another one in."""
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)
        del self.examples[SHOWN:]


def cut(recording: Path, *, many: int, seed: int, lying: bool = False) -> Report:
    """Judge so many states of a recording."""
    base = {DATABASE: (recording / "base" / DATABASE).read_bytes()}
    events: list[Any] = pickle.loads((recording / "events.pickle").read_bytes())
    kinds = [event.kind for event in events]
    report = Report(
        requests=kinds.count("asked"), answered=kinds.count("answered"), syncs=kinds.count("sync")
    )
    with tempfile.TemporaryDirectory(dir=fast_folder()) as folder:
        for state in states(base, events, many=many, seed=seed, lying=lying):
            verdict = judge(state, Path(folder) / "data")
            report.states += 1
            for name, found in verdict._asdict().items():
                setattr(report, name, getattr(report, name) + bool(found))
                if found and len(report.examples) < SHOWN:
                    report.examples.append(
                        f"cut after event {state.position}, {state.way}: {name} {found[0]}"
                    )
    return report


def recorded(out: Path, *, requests: int, durability: str, seed: int) -> Path:
    """Record a server in a process of its own and give the recording."""
    command = [
        sys.executable,
        "-m",
        "tests.power.recording",
        str(out),
        str(requests),
        durability,
        str(seed),
    ]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=LONGEST_SECONDS, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return out


def run(
    *,
    many: int,
    requests: int,
    durability: str = "full",
    seed: int = 0,
    recordings: int = 1,
    jobs: int = 1,
    lying: bool = False,
) -> Report:
    """Make some recordings of so many requests each, and judge `many` states of all together."""
    whole = Report()
    with (
        tempfile.TemporaryDirectory(dir=fast_folder()) as folder,
        ProcessPoolExecutor(jobs) as pool,
    ):
        for number in range(recordings):
            out = recorded(
                Path(folder) / str(number),
                requests=requests,
                durability=durability,
                seed=seed + number,
            )
            parts = [
                pool.submit(
                    cut,
                    out,
                    many=many // recordings // jobs,
                    seed=1000 * (seed + number) + part,
                    lying=lying,
                )
                for part in range(jobs)
            ]
            reports = [part.result() for part in parts]
            for later in reports[1:]:
                later.requests = later.answered = later.syncs = 0
            for report in reports:
                whole.add(report)
    return whole
