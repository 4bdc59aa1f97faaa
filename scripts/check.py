"""Check the source: `python3 scripts/check.py` runs every check below, shows what the failing
ones say, and exits 1 if any did.
"""

import subprocess
import sys
import time
from pathlib import Path

from environment import ROOT, own_environment, ready

CHECKS = {
    "lint": ("-m", "ruff", "check", "--quiet", "."),
    "format": ("-m", "ruff", "format", "--quiet", "--diff", "."),
    "types": ("-m", "mypy", "--no-error-summary"),
    "docs": ("scripts/docs.py", "--check"),
}


def main() -> int:
    """Run all checks and return the exit code."""
    python = ready("dev")
    results = [passes(name, python) for name in CHECKS]
    return 0 if all(results) else 1


def passes(name: str, python: Path) -> bool:
    """Run one check, print its name and result, and what it says when it fails."""
    began = time.monotonic()
    done = subprocess.run(
        [python, *CHECKS[name]],
        cwd=ROOT,
        env=own_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    print(
        f"{name:<10} {'FAILED' if done.returncode else 'ok':<6} {time.monotonic() - began:5.1f} s",
        flush=True,
    )
    if done.returncode:
        print(done.stdout, flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
