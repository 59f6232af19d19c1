# SPDX-License-Identifier: Apache-2.0
"""Waiting for what programs outside of this process come to."""
import sys
import time


def wait_for(what, condition, patience):
    """Ends the program where it does not come within so many seconds."""
    until = time.monotonic() + patience
    while not condition():
        if time.monotonic() > until:
            sys.exit(f"{what} did not come within {patience} seconds")
        time.sleep(0.02)
