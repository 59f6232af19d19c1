# SPDX-License-Identifier: Apache-2.0
"""Description of the machine, for pages with measurements."""
import datetime
import os
import platform


def first_line(path, start, default="unknown"):
    """Returns the rest of the first line that begins with `start`."""
    try:
        with open(path, encoding="utf-8") as lines:
            return next((line[len(start):].strip(" \t:=\"\n") for line in lines if line.startswith(start)), default)
    except OSError:
        return default


def machine():
    """Describes the machine in a phrase."""
    kib = int(first_line("/proc/meminfo", "MemTotal", "0 kB").split()[0])
    return (f"{first_line('/proc/cpuinfo', 'model name')} with {len(os.sched_getaffinity(0))} cores and {kib / (1 << 20):.0f} GiB,"
            f" {first_line('/etc/os-release', 'PRETTY_NAME')}, Linux {platform.release()}")


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
