"""The table of hardware counters, from what benchmarks/cuda/counters.sh kept."""

import csv
import re

METHODS = ("slots", "prefix", "transposed", "transposed_through_scratch", "butterfly_swap", "butterfly_add_subtract",
           "butterfly_two_pass")  # draw_batches is the first, the first argument of draw_blocks counts the others
TYPES = ("float", "double")
HEAD = ["method, type", "ms", "warp instructions per token", "issue slots used", "HBM read, GB", "L1 hits", "L2 hits", "L2 sector rate",
        "L1 wavefronts", "registers"]
TIME = "gpu__time_duration.sum"
SHARES = ("l1tex__t_sector_hit_rate.pct", "lts__t_sector_hit_rate.pct", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
          "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed")


def method_of(kernel):
    """(type, method) of a kernel's name by their places in TYPES and METHODS, or None."""
    found = re.match(r"(?:void )?draw_(batches|blocks)<(\d+), (float|double)", kernel)
    if not found or (found[1] == "blocks" and int(found[2]) >= len(METHODS)):
        return None
    return TYPES.index(found[3]), 0 if found[1] == "batches" else int(found[2])


def longest(launches):
    """{method_of: its longest launch}, which is the one with the most topics."""
    found = {}
    for launch in launches:
        which = method_of(launch["kernel"])
        if which and (which not in found or float(launch[TIME]) > float(found[which][TIME])):
            found[which] = launch
    return found


def rows(launches, tokens, figures):
    """Lines of the table; `figures` formats a number."""
    def percent(value):
        return f"{float(value):.0f} %"

    return [[f"{METHODS[method]}, {TYPES[kind]}", figures(float(launch[TIME]) / 1e6), figures(float(launch["smsp__inst_executed.sum"]) / tokens),
             percent(launch["smsp__issue_active.avg.pct_of_peak_sustained_active"]), figures(float(launch["dram__bytes_read.sum"]) / 1e9),
             *[percent(launch[share]) for share in SHARES], launch["launch__registers_per_thread"]]
            for (kind, method), launch in sorted(longest(launches).items())]


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))
