"""Make the pictures of the README anew: `python3 scripts/pictures.py`.

They show the same moment of the same workspace, so they change only when the pages do.
"""

import asyncio
import importlib
import sys

import browser
from environment import ROOT, use_own_python


def main() -> None:
    """Write app/guide/pictures/*.png."""
    use_own_python()
    sys.path.insert(0, str(ROOT))
    if trouble := browser.get():
        sys.exit(trouble)
    asyncio.run(importlib.import_module("home_pictures.take").make())


if __name__ == "__main__":
    main()
