"""`python -m ostinato`: the command line where the script `ostinato` is not on the path."""

import sys

from ostinato.cli import main

sys.exit(main())
