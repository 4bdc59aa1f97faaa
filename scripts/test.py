"""Run the tests: `python3 scripts/test.py [options of pytest]`. Sets up .venv with the development packages where needed."""

import os
import sys

from environment import ROOT, become

if __name__ == "__main__":
    os.chdir(ROOT)
    become("pytest", *sys.argv[1:], extra="dev")
