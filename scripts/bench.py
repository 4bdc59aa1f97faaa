"""Measure Hearth beside two minimal servers in one run and print ratios as Markdown tables.

See bench/__main__.py.
"""

import runpy
from pathlib import Path

from environment import use_own_python

use_own_python()
runpy.run_path(str(Path(__file__).with_suffix("")), run_name="__main__")
