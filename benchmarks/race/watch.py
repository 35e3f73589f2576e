"""How busy the machine was beside a process tree, by /proc/stat."""

import ctypes
import os
import resource

TICK = os.sysconf("SC_CLK_TCK")
PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans():
    """Makes processes whose parents are gone children of this one, so that their processor time is counted as the run's."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap():
    """Waits for all remaining children."""
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def machine_seconds():
    """(busy, stolen by the host) of all processors since boot."""
    with open("/proc/stat") as file:
        user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + irq + softirq) / TICK, steal / TICK


def own_seconds():
    """Of this process and of the children that it has waited for."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in both)
