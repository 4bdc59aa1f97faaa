"""The numbers of numpy, which is told before it is imported to count with one thread.

Import this only where numbers are crunched: it takes a tenth of a second.
"""

import os

# A product of a matrix that small with two threads was thirteen times slower on a busy machine of
# two cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy

__all__ = ["numpy"]
