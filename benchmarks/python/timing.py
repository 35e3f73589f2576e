"""What the scripts beside this one measure with."""

import argparse
import platform
import time

import numpy as np

import papilio


def seconds(calls, *, rounds, clock=time.perf_counter):
    """The time of each call: the least of the means of several rounds, in which all take their turn.

    `clock` is `time.process_time` where other work keeps the machine busy.
    """

    def mean(call, number):
        begin = clock()
        for _ in range(number):
            call()
        return (clock() - begin) / number

    number = {name: max(1, int(0.02 / max(mean(call, 2), 1e-7))) for name, call in calls.items()}
    means = [{name: mean(call, number[name]) for name, call in calls.items()} for _ in range(rounds)]
    return {name: min(times[name] for times in means) for name in calls}


def shown(time_):
    return f"{time_ * 1e3:.3g} ms" if time_ >= 1e-3 else f"{time_ * 1e6:.3g} µs"


def print_table(description, table):
    """The program of a script: prints the lines of table(), and writes them to a file where one is named."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    print(f"papilio {papilio.version()}, {papilio.cpu_target()}, NumPy {np.__version__}, {platform.python_version()}\n")
    text = "\n".join(table()) + "\n"
    print(text, end="")
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)
