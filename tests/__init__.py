"""What the tests of Hearth set before anything of it is imported."""

import os
import sys

# else every worker, and every child that a test starts, compiles the whole program anew
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
