"""Measure Hearth, a server of constants and a minimal server side by side and print ratios as
Markdown tables.

The servers run on core 0, the load on core 1; every row is measured in rounds that go over the
servers in turn. On a machine that others use, BENCH_NICE=-15 (as root, under `setsid --wait`)
raises the scheduler's weight of the session.
"""

import argparse
import os
import signal
import sys
from pathlib import Path

from measure import BARE, HEARTH, NAMES, THIN, Options, Run, say
from report import busy, report
from servers import LOAD_CORE, pin

AUTOGROUP = Path("/proc/self/autogroup")


def options() -> Options:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="bench.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only",
        type=lambda text: chosen(text, NAMES),
        default=(),
        help=f"some of {','.join(NAMES)}",
    )
    servers = (BARE, THIN, HEARTH)
    parser.add_argument(
        "--servers",
        type=lambda text: chosen(text, servers),
        default=servers,
        help=f"some of {','.join(servers)}",
    )
    parser.add_argument(
        "--notes", type=positive, default=10_000, help="notes in every server (10000)"
    )
    parser.add_argument("--rounds", type=positive, default=3, help="rounds of each row (3)")
    parser.add_argument(
        "--seconds", type=float, default=2, help="length of a steady measurement (2)"
    )
    parser.add_argument(
        "--big",
        type=int,
        default=100_000,
        help="notes in Hearth's big folder at the end; 0 for none (100000)",
    )
    parser.add_argument(
        "--creates",
        type=positive,
        default=2_000,
        help="notes that one measurement of writes creates (2000)",
    )
    parser.add_argument(
        "--dir",
        type=Path,
        help="folder on the disk to measure; the run makes and removes one of its own in it",
    )
    parser.add_argument(
        "--checkout",
        type=Path,
        default=Path(__file__).parents[2],
        help="the Hearth to measure (this one)",
    )
    given = parser.parse_args()
    return Options(
        only=frozenset(given.only),
        servers=given.servers,
        notes=given.notes,
        rounds=given.rounds,
        seconds=given.seconds,
        big=given.big,
        creates=given.creates,
        directory=given.dir,
        checkout=given.checkout.resolve(),
    )


def chosen(text: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Split a list with commas; every name must be known."""
    names = tuple(text.split(","))
    if unknown := [name for name in names if name not in known]:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: choose from {','.join(known)}")
    return names


def positive(text: str) -> int:
    """Read a whole number above zero."""
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("give a number above zero")
    return number


def take_weight() -> None:
    """Raise the scheduler's weight of this session, when BENCH_NICE asks for it and the system
    can.
    """
    if level := os.environ.get("BENCH_NICE"):
        try:
            AUTOGROUP.write_text(level)
        except OSError as error:
            say(f"BENCH_NICE has no effect here: {error}")


def stop(_: int, __: object) -> None:
    """Leave by the ordinary way, so that the servers are stopped."""
    sys.exit(1)


def main() -> None:
    """Run and print."""
    asked = options()
    for number in (
        (signal.SIGTERM, signal.SIGHUP) if hasattr(signal, "SIGHUP") else (signal.SIGTERM,)
    ):
        signal.signal(number, stop)
    remark = busy()
    take_weight()
    pin(0, LOAD_CORE)
    run = Run(asked)
    if remark:
        run.findings.remarks.append(remark)
    print(report(run.go(), asked))


main()
