"""Run the tests: `python3 scripts/test.py [options of pytest]`. Sets up .venv with the development packages where needed.

Without options of your own the whole suite runs, spread over the processors.
"""

import os
import sys

from environment import ROOT, become

WHOLE = ("-n", "auto", "--maxprocesses", "4")

if __name__ == "__main__":
    os.chdir(ROOT)
    become("pytest", *(sys.argv[1:] or WHOLE), extra="dev")
