"""Run the tests: `python3 scripts/test.py [options of pytest]`. Sets up .venv with the development packages and the model where needed."""

import os
import sys

from environment import NO_MODEL, ROOT, become

if __name__ == "__main__":
    os.chdir(ROOT)
    NO_MODEL.unlink(missing_ok=True)  # the tests of meaning need it, so try again where an earlier start could not get it
    become("pytest", *sys.argv[1:], extra="dev", model=True)
