"""Run the tests: `python3 scripts/test.py [options of pytest]`.

Sets up .venv with the development packages, the model, other servers and a browser.

Without options of your own the whole suite runs, spread over the processors.
"""

import os
import sys

import browser
from environment import NO_MODEL, ROOT, become, ready
from wire.fetch import fetch_or_exit

WHOLE = ("-n", "auto", "--maxprocesses", "4", "--dist", "worksteal")

if __name__ == "__main__":
    os.chdir(ROOT)
    NO_MODEL.unlink(
        missing_ok=True
    )  # the tests of meaning need it, so try again where an earlier start could not get it
    fetch_or_exit(ready("dev"))
    if trouble := browser.get():
        browser.say(trouble)
    become("pytest", *(sys.argv[1:] or WHOLE), extra="dev", model=True)
