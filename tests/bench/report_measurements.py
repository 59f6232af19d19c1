# SPDX-License-Identifier: Apache-2.0
"""Statistics of measured times, and checks whether the machine was quiet enough to trust them."""
import hashlib
import os
import statistics
import time

SAMPLE = bytes(32 << 20)  # hashing it takes some tens of ms, several clock ticks
MAX_SLOWDOWN = 1.15
MAX_FOREIGN_CORES = 0.10


def percentile(values, fraction):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(fraction * len(ordered)))]


def summary(values):
    return {"mean": statistics.fmean(values), **{f"p{fraction}": percentile(values, fraction / 100) for fraction in (50, 95, 99)}}


def spread_of(passes):
    """Half the interquartile range, as a fraction of the median."""
    if len(passes) < 2:
        return 0.0
    quarters = statistics.quantiles(passes, n=4, method="inclusive")
    return (quarters[2] - quarters[0]) / 2 / quarters[1]


def busy_seconds():
    """Seconds that all cores of the machine have worked, and seconds stolen by other virtual machines."""
    with open("/proc/stat", encoding="ascii") as stat:
        user, nice, system, _, _, interrupts, soft_interrupts, stolen = map(int, stat.readline().split()[1:9])
    return (user + nice + system + interrupts + soft_interrupts + stolen) / os.sysconf("SC_CLK_TCK")


def cpu_seconds_of(pid):
    """CPU seconds of a process; 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            user, system = stat.read().rpartition(")")[2].split()[11:13]
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class Noise:
    """Measures disturbance by other programs. Between the measurements, when nothing else of ours runs, it times a
    fixed piece of work. The slowest tenth of the samples took at least `slowed` times as long as the fastest
    one. Other programs used `foreign` cores meanwhile; the measured servers do not count, because they work
    after responding. It also counts requests that servers rejected because of overload, which this load should
    not cause."""

    def __init__(self):
        self.servers = set()  # process ids
        self.samples = []
        self.foreign_seconds = 0.0
        self.refused = 0
        self.load = os.getloadavg()

    def sample(self):
        before, own_before = busy_seconds(), self.own_seconds()
        began = time.perf_counter()
        hashlib.sha256(SAMPLE).digest()
        self.samples.append(time.perf_counter() - began)
        self.foreign_seconds += busy_seconds() - before - (self.own_seconds() - own_before)

    def own_seconds(self):
        return time.process_time() + sum(map(cpu_seconds_of, self.servers))

    def results(self):
        return {"slowed": percentile(self.samples, 0.9) / min(self.samples), "load": self.load[0], "refused": self.refused,
                "foreign": max(0.0, self.foreign_seconds / sum(self.samples))}

    @staticmethod
    def complaints(results):
        """Returns why the machine was too noisy; empty if it was not."""
        found = []
        if results["slowed"] > MAX_SLOWDOWN:
            found.append(f"a tenth of the samples of a fixed computation took at least {results['slowed']:.2f} times as long as "
                         f"the fastest one; the maximum is {MAX_SLOWDOWN}")
        if results["foreign"] > MAX_FOREIGN_CORES:
            found.append(f"other programs used {results['foreign']:.2f} cores; the maximum is {MAX_FOREIGN_CORES:.2f}")
        if results["refused"]:
            found.append(f"servers rejected {results['refused']} requests because of overload")
        return found
