"""Measure what the rules get right.

`python3 scripts/evaluate.py [section …] [-v] [--json]`, on both halves of each section's labelled
cases. With `--model-url URL --model NAME` a language model is asked in the sections that talk.

A section is a module of scripts/evaluation with `evaluate()`, which gives rows of (half,
measure, right, total), and `misses()`, which gives a line for each case that came out otherwise.
Rules are tuned on half a alone; half b says how they do on what nobody looked at.
"""

import argparse
import importlib
import json
import os
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

from environment import ROOT, use_own_python
from evaluation import ASKS, Row

SECTIONS = Path(__file__).parent / "evaluation"
WITH_MODEL = ("dialogues", "qa")
"""The sections that talk through the API, so that a model can be asked in them."""


class Section(Protocol):
    """A module of scripts/evaluation."""

    def evaluate(self) -> Sequence[Row]: ...
    def misses(self) -> Sequence[str]: ...


def main(arguments: list[str]) -> int:
    """Print the figures of the sections that were asked for, or of all; return the exit code."""
    use_own_python()
    sys.path.insert(0, str(ROOT))
    asked = parser().parse_args(arguments)
    names = asked.sections or (list(WITH_MODEL) if asked.model_url else sections())
    if unknown := set(names) - set(sections()):
        parser().error(
            f"there is no section {', '.join(sorted(unknown))}; there is {', '.join(sections())}"
        )
    if asked.model_url:
        if set(names) - set(WITH_MODEL):
            parser().error(f"a model can be asked in {' and '.join(WITH_MODEL)} alone")
        brain = (asked.model_url, asked.model, asked.tools, asked.every)
        os.environ[ASKS] = json.dumps(brain)
    if asked.json:
        print(json.dumps({name: figures(name) for name in names}, indent=2))
        return 0
    for name in names:
        print("\n".join(report(name, verbose=asked.verbose)))
    return 0


def parser() -> argparse.ArgumentParser:
    """Give the reader of the command line."""
    made = argparse.ArgumentParser(
        description="Measure what the rules get right, on both halves of each section's labelled "
        "cases."
    )
    made.add_argument(
        "sections",
        nargs="*",
        metavar="section",
        help=f"one of {', '.join(sections())}; all when left out",
    )
    made.add_argument(
        "--model-url",
        metavar="URL",
        help="ask a language model instead, at this OpenAI-compatible address; for "
        f"{' and '.join(WITH_MODEL)}",
    )
    made.add_argument("--model", default="model", metavar="NAME", help="its name there")
    made.add_argument(
        "--tools",
        default="auto",
        choices=("auto", "all", "few", "none"),
        help="how it is offered tools [default: auto, by its test]",
    )
    made.add_argument(
        "--every",
        type=int,
        default=1,
        metavar="N",
        help="with a model: take every Nth case [default: 1]",
    )
    made.add_argument("-v", "--verbose", action="store_true", help="show what came out otherwise")
    made.add_argument("--json", action="store_true", help="print the figures as JSON")
    return made


def sections() -> list[str]:
    """Give the names of the sections."""
    return sorted(module.name for module in pkgutil.iter_modules([str(SECTIONS)]))


def figures(name: str) -> list[dict[str, str | int]]:
    """Give a section's figures as JSON takes them."""
    return [row._asdict() for row in section(name).evaluate()]


def report(name: str, *, verbose: bool) -> list[str]:
    """Give a section's figures as lines, with its misses where they are wanted."""
    lines = [
        f"{name}  {row.half}  {row.measure:<24} {row.right:>4}/{row.total:<4} "
        f"{row.right / max(row.total, 1):6.1%}"
        for row in section(name).evaluate()
    ]
    return lines + ([f"  {miss}" for miss in section(name).misses()] if verbose else [])


def section(name: str) -> Section:
    """Give the module of a section."""
    return cast(Section, importlib.import_module(f"evaluation.{name}"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
