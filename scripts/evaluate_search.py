"""Tell how well the search finds.

`python3 scripts/evaluate_search.py COLLECTION... [--mode words|meaning|hybrid]` prints nDCG@10 and
recall@10.

Each COLLECTION is a folder with documents, queries and judgements in the files of BEIR or TREC
(tests/collection is one). The documents become the notes of a Hearth that runs for the occasion,
the queries are asked over HTTP, and the answers are compared with the judgements: per
collection, and per kind and language of the query where `queries.jsonl` tells them.
"""

import argparse
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from environment import ROOT, ready

if TYPE_CHECKING:
    from search_quality.report import Result

MODES = ("words", "meaning", "hybrid")


def main(arguments: Sequence[str]) -> int:
    """Evaluate and print; return the exit code."""
    asked = options(arguments)
    if importlib.util.find_spec("httpx2") is None:
        python = str(ready("dev"))
        os.execv(python, [python, __file__, *arguments])
    sys.path.insert(0, str(ROOT))
    from search_quality import report
    from search_quality.asked import Failed
    from search_quality.judged import Unreadable

    try:
        results = [result for folder in asked.collection for result in evaluated(folder, asked)]
    except (Failed, Unreadable) as error:
        print(error, file=sys.stderr)
        return 1
    print(
        json.dumps(report.plain(results), ensure_ascii=False, indent=1)
        if asked.json
        else report.report(results, worst=asked.worst)
    )
    return 0


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="evaluate_search.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "collection", type=Path, nargs="+", help="a folder with a judged collection"
    )
    parser.add_argument(
        "--mode",
        choices=(*MODES, "all"),
        default="hybrid",
        help="how to search (hybrid); all: one after the other",
    )
    parser.add_argument(
        "--limit",
        type=int,
        choices=range(1, 51),
        metavar="N",
        default=10,
        help="how many places count (10; at most 50)",
    )
    parser.add_argument(
        "--worst",
        type=int,
        metavar="N",
        default=0,
        help="also list the N queries that were answered worst",
    )
    parser.add_argument(
        "--json", action="store_true", help="print JSON, with the answer to every query"
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="keep the server's data here, a folder for each collection; the next run uses it",
    )
    return parser.parse_args(arguments)


def evaluated(folder: Path, asked: argparse.Namespace) -> "list[Result]":
    """Return the results of one collection, one for each mode asked for.

    All modes search the same notes.
    """
    from search_quality import judged
    from search_quality.asked import ask, say
    from search_quality.report import Result

    collection = judged.read(folder)
    modes = MODES if asked.mode == "all" else (asked.mode,)
    with tempfile.TemporaryDirectory(prefix="hearth-evaluation-") as temporary:
        data = (asked.data or Path(temporary)) / collection.name
        return [
            Result(
                collection,
                mode,
                asked.limit,
                ask(collection, data, mode=mode, limit=asked.limit, say=say),
            )
            for mode in modes
        ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
