"""Start Hearth: `python3 scripts/serve.py [--no-model] [options of the server]`.

The first start sets up .venv, later ones only compare.

The first start also fetches the model for search by meaning, unless `--no-model` is given or the
settings ask for another way or none.
"""

import os
import sys

from environment import become

NO_MODEL = "--no-model"


def wants_model() -> bool:
    """Tell whether the server will use the model."""
    elsewhere = os.environ.get("HEARTH_EMBEDDINGS") == "off" or os.environ.get(
        "HEARTH_EMBEDDINGS_URL"
    )
    return NO_MODEL not in sys.argv and not elsewhere


if __name__ == "__main__":
    become(
        "app",
        "serve",
        *(argument for argument in sys.argv[1:] if argument != NO_MODEL),
        model=wants_model(),
    )
