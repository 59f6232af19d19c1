# SPDX-License-Identifier: Apache-2.0
"""Waits for conditions of other processes."""
import sys
import time


def is_true_within(condition, timeout):
    """Returns whether the condition is true within `timeout` seconds."""
    until = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def wait_for(what, condition, timeout):
    """Exits the program if the condition is not true within `timeout` seconds."""
    if not is_true_within(condition, timeout):
        sys.exit(f"timed out after {timeout} seconds waiting for {what}")
