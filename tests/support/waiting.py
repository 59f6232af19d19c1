# SPDX-License-Identifier: Apache-2.0
"""Waits for conditions of other processes."""
import sys
import time


def wait_for(what, condition, patience):
    """Exits the program if the condition is not true within `patience` seconds."""
    until = time.monotonic() + patience
    while not condition():
        if time.monotonic() > until:
            sys.exit(f"{what} did not come within {patience} seconds")
        time.sleep(0.02)
