"""Cut the power: `python3 scripts/power_cuts.py [--states N] [--requests N] [--durability normal]
[--lying-disk] [--seed N] [--jobs N]`.

A server that four clients write to is recorded: every write, truncation, sync, creation and
deletion that the database asks of the disk, and every answer. From that the states are rebuilt
that a power cut could leave, each is opened as the server opens it, and compared with what was
answered. Prints one JSON object; exits 1 when anything was lost, half done or corrupt.
`--durability normal` and `--lying-disk` show that it can fail.
"""

import argparse
import json
import os
import sys
from dataclasses import asdict

from environment import ROOT, use_own_python

STATES = 5000
REQUESTS = 600
STATES_EACH = 1800


def main(arguments: list[str]) -> int:
    """Cut as often as was asked for and return the exit code."""
    use_own_python()
    sys.path.insert(0, str(ROOT))
    from tests.power.cuts import run

    asked = parser().parse_args(arguments)
    report = run(
        many=asked.states,
        requests=asked.requests,
        durability=asked.durability,
        seed=asked.seed,
        jobs=asked.jobs,
        lying=asked.lying_disk,
        recordings=-(-asked.states // STATES_EACH),
    )
    print(json.dumps(asdict(report), indent=2))
    return 1 if report.lost or report.strange or report.corrupt else 0


def parser() -> argparse.ArgumentParser:
    """Give the options."""
    made = argparse.ArgumentParser(
        description="Cut the power of a recorded server, and look at what is left."
    )
    made.add_argument(
        "--states",
        type=int,
        default=STATES,
        help="states of the disk to look at, %(default)s where nothing is said",
    )
    made.add_argument("--requests", type=int, default=REQUESTS, help="requests of each recording")
    made.add_argument(
        "--durability",
        choices=("full", "normal"),
        default="full",
        help="the server's HEARTH_DURABILITY",
    )
    made.add_argument(
        "--lying-disk", action="store_true", help="a disk that does nothing when it is told to sync"
    )
    made.add_argument(
        "--seed", type=int, default=0, help="another one gives other requests and other cuts"
    )
    made.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes that look at states"
    )
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
