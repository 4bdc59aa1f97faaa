"""Run the tests: `python3 scripts/test.py [--quick | options of pytest]`.

Sets up .venv with the development packages, the models, other servers and a browser.

Without options of your own the whole suite runs, spread over the processors. `--quick` runs those
that the change at hand needs, in less than a minute; see quick.py.
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import browser
import quick
from environment import NO_MODEL, ROOT, become, ready
from setup_environment import fetch_multilingual_model, say
from wire.fetch import fetch_or_exit

WORKERS = min(4, (os.cpu_count() or 1) + 1)
"""One more than there are processors, since a quarter of the time a test waits for something."""
SPREAD = ("-n", str(WORKERS), "--dist", "worksteal")
QUICK = "--quick"


def main(arguments: list[str]) -> None:
    """Set up what the chosen tests need, and become pytest."""
    os.chdir(ROOT)
    if QUICK in arguments:
        others = [one for one in arguments if one != QUICK]
        become("pytest", *SPREAD, *quick.files(), *others, extra="dev")
    # the tests of meaning need the model, so try again where an earlier start could not get it
    NO_MODEL.unlink(missing_ok=True)
    with ThreadPoolExecutor() as beside:
        # the system's packages and ours come from different places and need nothing of each other
        getting = beside.submit(browser.get)
        fetch_or_exit(ready("dev"))
        fetch_multilingual_model()
    if trouble := getting.result():
        say(trouble)
    become("pytest", *(arguments or SPREAD), extra="dev", model=True)


if __name__ == "__main__":
    main(sys.argv[1:])
