"""What holds for all tests."""

import signal

from tests.budget import load_profile

load_profile()

# A shell starts what runs in its background with Ctrl-C ignored, and so would everything that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
