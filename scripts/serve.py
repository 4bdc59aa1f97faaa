"""Start Hearth: `python3 scripts/serve.py [--no-model] [options of the server]`.

The first start sets up .venv, later ones only compare.

The first start also fetches the model for search by meaning, unless `--no-model` is given or the
settings ask for another way or none.
"""

import os
import sys

from environment import become, is_current, read_stamp

NO_MODEL = "--no-model"
asks_help = not {"-h", "--help"}.isdisjoint(sys.argv[1:])


def wants_model() -> bool:
    """Tell whether the server will use the model."""
    elsewhere = os.environ.get("HEARTH_EMBEDDINGS") == "off" or os.environ.get(
        "HEARTH_EMBEDDINGS_URL"
    )
    return not asks_help and NO_MODEL not in sys.argv and not elsewhere


if __name__ == "__main__":
    # The options are told by the server, which needs the set-up.
    if asks_help and not is_current(read_stamp(), ""):
        print(__doc__, "Once it is set up, --help lists the options of the server.", sep="\n")
        sys.exit()
    become(
        "app",
        "serve",
        *(argument for argument in sys.argv[1:] if argument != NO_MODEL),
        model=wants_model(),
    )
