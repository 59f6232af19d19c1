# SPDX-License-Identifier: Apache-2.0
"""Ports for servers that must know their port before they start."""
import random
import socket

claims = []  # open until this process ends


def lowest_given():
    """Returns the lowest port that Linux assigns automatically (ip(7))."""
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as given:
            return int(given.read().split()[0])
    except OSError:
        return 32768


def claim(port):
    """Claims a port for this process. Returns false if another test has claimed it. The claim lasts until this
    process ends, even before its server listens. It is an abstract socket (unix(7)): its name is unique, and it
    disappears with the process."""
    mine = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        mine.bind(f"\0kbase-test-port-{port}")
    except OSError:
        mine.close()
        return False
    claims.append(mine)
    return True


def is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_port():
    """Returns a TCP port of the loopback address that is unused, that Linux does not assign automatically, and
    that this function gives to no one else."""
    end = lowest_given()
    return next(port for port in iter(lambda: random.randrange(end // 2, end), None) if claim(port) and is_free(port))
