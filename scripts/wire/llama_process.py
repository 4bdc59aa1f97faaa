"""Run the llama.cpp server of the wheel as a process.

`llama_process.py WHEEL --model FILE …` with the options of llama-server used here.

The wheel holds llama.cpp's own server as a library; it listens, answers and logs as the program
does. It ends with its standard input.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("wheel")
    parser.add_argument("--model", required=True)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--ctx-size", type=int, default=0)
    parser.add_argument("--parallel", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--alias", default="")
    return parser.parse_args()


def parameters(library: Any, given: argparse.Namespace) -> Any:
    """Return the server's parameters as the program of the same options would have them."""
    asked = library.CommonParams()
    asked.model.path = given.model
    asked.hostnames = [given.host]
    asked.port = given.port
    asked.n_ctx = given.ctx_size
    asked.n_parallel = given.parallel
    asked.cpuparams.n_threads = given.threads
    if given.alias:
        asked.model_alias = {given.alias}
    asked.ui = False
    asked.warmup = False
    return asked


def main() -> None:
    """Serve until standard input ends."""
    given = options()
    sys.path.insert(0, given.wheel)
    import xllamacpp

    server = xllamacpp.Server(parameters(xllamacpp, given))
    sys.stdin.read()
    del server
    os._exit(0)  # whatever its threads still do


if __name__ == "__main__":
    main()
