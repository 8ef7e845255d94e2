"""Lets pytest find the modules of the benchmarks, which run as scripts elsewhere."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
