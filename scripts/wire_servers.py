"""Get the servers that tests/wire talks to.

`python3 scripts/wire_servers.py [fetch | build | show]`.

`fetch` gets a simulator of providers through npm and llama.cpp's server as a wheel;
`scripts/test.py` does the same by itself. `build` builds llama-server from source, for systems
that no wheel fits. `show` says what is here.
"""

from __future__ import annotations

import argparse
import sys

from environment import ready
from wire import build, fetch, places


def main() -> int:
    """Do what the command line asks and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=("fetch", "build", "show"), default="fetch")
    parser.add_argument("--jobs", type=int, default=1, help="compilers at once (1)")
    given = parser.parse_args()
    try:
        if given.what == "build":
            build.build(ready("dev"), given.jobs)
        troubles = fetch.fetch(ready("dev")) if given.what == "fetch" else places.missing()
    except fetch.FetchError as error:
        troubles = [f"Building llama-server did not work: {error}."]
    for name, command in (
        ("simulator", places.simulator()),
        ("MCP conformance suite", places.mcp_conformance()),
        ("MCP server-everything", places.mcp_everything()),
        ("llama.cpp", places.llama()),
    ):
        print(f"{name}: {' '.join(command) if command else 'missing'}")
    for line in troubles:
        print(line, file=sys.stderr)
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main())
