"""Start Hearth: `python3 scripts/serve.py [options of the server]`. The first start sets up .venv, later ones only compare."""

import sys

from environment import become

if __name__ == "__main__":
    become("app", "serve", *sys.argv[1:])
