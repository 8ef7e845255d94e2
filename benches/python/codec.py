"""The codec row by row against the peers: JSON lines, one per row and peer.

PYTHONPATH=benches:benches/python python benches/python/codec.py --sizes 2KB
"""

from __future__ import annotations

import argparse
import json
import sys

import paired
import peers
import rows
from synthetic import SIZES


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", default="ostinato", choices=peers.PEERS, help="who stands in for ours")
    parser.add_argument("--peers", nargs="+", default=peers.CODECS, choices=peers.PEERS)
    parser.add_argument("--sizes", nargs="+", default=tuple(SIZES), choices=SIZES)
    parser.add_argument("--rows", nargs="+", default=[row.name for row in rows.ROWS], help="operations")
    parser.add_argument("--rounds", type=int, default=50, help="pairs of blocks per row and peer")
    options = parser.parse_args()
    loaded = [peers.load(name) for name in options.peers]
    contests = rows.contests(peers.load(options.ours), loaded, sizes=options.sizes, names=options.rows)
    for result in paired.run(contests, rounds=options.rounds):
        print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
