"""The findings of a run as Markdown tables: figures, ratios within the run, goals, facts."""

import importlib.metadata
import os
import platform
import sqlite3
import statistics
from collections.abc import Iterable, Sequence

import load
import work
from finding import FOUND_AT_ONCE
from measure import (
    ALL,
    BARE,
    EVERY_INDEX,
    FULL,
    HEARTH,
    LEAN,
    RIPGREP,
    THIN,
    Findings,
    Options,
    Row,
)

BUSY = 0.7
TITLES = {operation.name: operation.title for operation in work.OPERATIONS}
SMALL, BIG = (operation.title for operation in work.BIG[:2])
CREATE, MIXED = TITLES["create"], TITLES["mixed"]
RATIOS = ((HEARTH, BARE), (HEARTH, THIN), (THIN, BARE), (FULL, HEARTH), (ALL, LEAN))
RATE_GOALS = (
    ("read", 8, BARE, "0.60"),
    ("list", 8, BARE, "0.40"),
    ("todos", 8, BARE, "0.40"),
    ("search1", 8, THIN, "0.95"),
    ("search2", 8, THIN, "0.5"),
    ("filled2", 8, THIN, "0.95"),
    ("create", 8, BARE, "0.35"),
)


def busy() -> str | None:
    """Say that other work was going on, when it was; ask before the run."""
    if not hasattr(os, "getloadavg") or (average := os.getloadavg()[0]) < BUSY:
        return None
    return (
        f"The machine was busy before the run (load average {average:.1f}): read the "
        "ratios and the medians, not p99."
    )


def report(findings: Findings, options: Options) -> str:
    """Write the whole report."""
    parts = [
        _head(options),
        _figures(findings),
        _ratios(findings),
        _goals(findings, options),
        _facts(findings),
        "\n".join(f"- {remark}" for remark in findings.remarks),
    ]
    return "\n\n".join(part for part in parts if part)


def _head(options: Options) -> str:
    versions = ", ".join(map(_version, ("starlette", "uvicorn", "httptools", "uvloop")))
    sender = (
        "wrk (what must be sent once: the client of this script)"
        if load.has_wrk()
        else "the client of this script"
    )
    return (
        f"# Hearth beside two minimal servers\n\nPython {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}, {versions}; "
        f"load by {sender}; {options.notes} notes, medians of {options.rounds} rounds.\n"
        f"`{BARE}` answers constants, `{THIN}` does the work with the least code, "
        f"`{FULL}` syncs every commit,\n"
        f"`{LEAN}` has the index of words only, `{ALL}` those of patterns and meaning too."
    )


def _version(package: str) -> str:
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return f"no {package}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _median(rounds: Sequence[load.Figures]) -> load.Figures:
    names = ("rate", "p50", "p99")
    return load.Figures(
        *(statistics.median(getattr(found, name) for found in rounds) for name in names)
    )


def _name(row: Row) -> str:
    return f"{row[0]}, c={row[1]}"


def _servers(findings: Findings) -> list[str]:
    present = {name for columns in findings.figures.values() for name in columns}
    return [name for name in (BARE, THIN, HEARTH, FULL, LEAN, ALL) if name in present]


def _figures(findings: Findings) -> str:
    """Give rate and latency of every row and server."""
    names = _servers(findings)
    if not names:
        return ""

    def cell(rounds: Sequence[load.Figures]) -> str:
        if not rounds:
            return "-"
        found = _median(rounds)
        return f"{found.rate:.4g}; {found.p50:.2f} / {found.p99:.2f}"

    rows = [
        [_name(row), *(cell(columns.get(name, [])) for name in names)]
        for row, columns in findings.figures.items()
    ]
    return _table(["requests/s; p50 / p99 ms", *names], rows)


def _ratio(findings: Findings, row: Row, *, of: str, to: str) -> float | None:
    """Give the median over the rounds of one server's rate divided by another's in the same
    round.
    """
    columns = findings.figures.get(row, {})
    # Within a round, since load of the machine differs more from round to round than the servers
    # do.
    pairs = list(zip(columns.get(of, []), columns.get(to, []), strict=False))
    return statistics.median(ours.rate / theirs.rate for ours, theirs in pairs) if pairs else None


def _show(number: float | None) -> str:
    return "-" if number is None else f"{number:.2f}"


def _ratios(findings: Findings) -> str:
    """Give every ratio that exists.

    One reader's rate beside writers is none, since the writers differ in what they leave of the
    core.
    """
    names = _servers(findings)
    pairs = [(of, to) for of, to in RATIOS if of in names and to in names]
    compared = {
        row: [_ratio(findings, row, of=of, to=to) for of, to in pairs]
        for row in findings.figures
        if row[0] != MIXED
    }
    rows = [[_name(row), *map(_show, ratios)] for row, ratios in compared.items() if any(ratios)]
    return _table(["rate / rate", *(f"{of} / {to}" for of, to in pairs)], rows) if rows else ""


def _goals(findings: Findings, options: Options) -> str:
    """Put what was measured beside what is wanted; judging is left to the reader."""
    rows = [
        (
            f"{TITLES[name]}, c={c}: rate / {to}",
            _ratio(findings, (TITLES[name], c), of=HEARTH, to=to),
            f">= {goal}",
        )
        for name, c, to, goal in RATE_GOALS
    ]
    rows += [
        (
            f"{CREATE}, c=8: full / normal",
            _ratio(findings, (CREATE, 8), of=FULL, to=HEARTH),
            ">= 0.75",
        ),
        ("list 50, c=8: rate of the big folder / of a small one", _big_ratio(findings), ">= 0.90"),
        (f"{TITLES['accumulate']}: p50 / thin", _accumulate_ratio(findings), "<= 1.30"),
        (f"{MIXED}: p99 / (3 x p50 + 5 ms)", _mixed_ratio(findings), "<= 1.00"),
        *_fact_goals(findings, options),
        *_search_goals(findings, options),
    ]
    shown = [[what, _show(found), goal] for what, found, goal in rows if found is not None]
    return _table(["goal", "measured", "wanted"], shown) if shown else ""


def _fact_goals(findings: Findings, options: Options) -> list[tuple[str, float | None, str]]:
    wanted = [
        ("start to first answer, empty, s", "<= 0.40"),
        (f"start to first answer, {options.notes} notes, s", "<= 0.40"),
        (f"start to first answer, {options.big + options.notes} notes, s", "<= 0.40"),
        ("memory idle, MB", "<= 60"),
        (f"memory after reading {options.notes} notes, MB", "<= 90"),
        ("disk after a clean stop per byte of text", "<= 2.50"),
    ]
    return [(fact, findings.facts.get(fact, {}).get(HEARTH), goal) for fact, goal in wanted]


def _search_goals(findings: Findings, options: Options) -> list[tuple[str, float | None, str]]:
    """Give the goals of searching.

    Those in milliseconds are for 100,000 notes, and for a common word in a million too.
    """
    common = "<= 30" if options.big > 500_000 else "<= 10"
    rows = [
        ("search one term in all", "<= 2"),
        ("search a common word in all", common),
        (work.HYBRID.title, "<= 12"),
        ("quick open in all", "<= 5"),
    ]
    greps = [
        ("rare literal", "<= 3"),
        ("common literal", "<= 25"),
        ("regex with literals", "<= 60"),
    ]
    facts = [
        *((f"grep of all, {name}, ms", goal) for name, goal in greps),
        ("notes embedded a second", ">= 15"),
        ("memory of the worker while busy, MB", "<= 120"),
        ("read p50 while embedding / at rest", "<= 1.30"),
        ("saved note found by meaning after, s", "<= 1"),
        (f"notes of {FOUND_AT_ONCE} found by words in the next request", f"= {FOUND_AT_ONCE}"),
        (f"memory of the vectors of {options.big + options.notes} notes, MB", "<= 40"),
    ]
    return [
        *((f"{title}, c=1: p50 ms", _p50(findings, title), goal) for title, goal in rows),
        *((fact, findings.facts.get(fact, {}).get(HEARTH), goal) for fact, goal in facts),
        ("grep of all, regex without literals: time / ripgrep", _grep_ratio(findings), "<= 0.90"),
        (
            f"{EVERY_INDEX.title}, c=8: rate / words alone",
            _ratio(findings, (EVERY_INDEX.title, 8), of=ALL, to=LEAN),
            ">= 0.70",
        ),
    ]


def _p50(findings: Findings, title: str) -> float | None:
    found = _middle(findings, (title, 1), HEARTH)
    return found.p50 if found else None


def _grep_ratio(findings: Findings) -> float | None:
    times = findings.facts.get("grep of all, regex without literals, ms", {})
    return times[HEARTH] / times[RIPGREP] if RIPGREP in times else None


def _middle(findings: Findings, row: Row, name: str) -> load.Figures | None:
    rounds = findings.figures.get(row, {}).get(name)
    return _median(rounds) if rounds else None


def _big_ratio(findings: Findings) -> float | None:
    big, small = _middle(findings, (BIG, 8), HEARTH), _middle(findings, (SMALL, 8), HEARTH)
    return big.rate / small.rate if big and small else None


def _accumulate_ratio(findings: Findings) -> float | None:
    ours, thin = (_middle(findings, (TITLES["accumulate"], 1), name) for name in (HEARTH, THIN))
    return ours.p50 / thin.p50 if ours and thin else None


def _mixed_ratio(findings: Findings) -> float | None:
    found = _middle(findings, (MIXED, 1), HEARTH)
    return found.p99 / (3 * found.p50 + 5) if found else None


def _facts(findings: Findings) -> str:
    names = [
        name
        for name in (BARE, THIN, HEARTH, RIPGREP)
        if any(name in values for values in findings.facts.values())
    ]
    rows = [
        [fact, *(_show(values.get(name)) for name in names)]
        for fact, values in findings.facts.items()
    ]
    return _table(["fact", *names], rows) if rows else ""
