# SPDX-License-Identifier: Apache-2.0
"""Ports for servers that have to know theirs before they start."""
import random
import socket

claims = []  # open as long as this process lives


def lowest_given():
    """Where Linux begins to give ports to those who ask for any (ip(7))."""
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as given:
            return int(given.read().split()[0])
    except OSError:
        return 32768


def claim(port):
    """Whether no other test has it, and none gets it until this process ends, whenever its server listens. The claim is
    a socket without a file (unix(7), "abstract"): there is one of a name, and it goes with its process."""
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
    """A TCP port of the loopback address that nobody listens on, and that nobody gets who asks for any, or here."""
    end = lowest_given()
    return next(port for port in iter(lambda: random.randrange(end // 2, end), None) if claim(port) and is_free(port))
