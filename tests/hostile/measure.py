"""Runs a command and says what it took: seconds of the CPU, peak memory, exit code, complaint.

getrusage's peak of a child is at least what its parent held when it began, so the children are those of a small
process of its own (run_children.py).
"""

import marshal
import os
import subprocess
import sys


class Runner:

    def __init__(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_children.py")
        self._process = subprocess.Popen([sys.executable, "-I", "-S", script], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE)

    def run(self, arguments, folder, seconds=60):
        """What the command took, as a dictionary; it is ended after so many seconds of the CPU."""
        marshal.dump((arguments, folder, seconds), self._process.stdin)
        self._process.stdin.flush()
        return marshal.load(self._process.stdout)

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def write(files, folder):
    """Writes files, their bytes by name."""
    for name, data in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


def fast_folder():
    """Where files are in memory, if there is such a place."""
    return "/dev/shm" if os.path.isdir("/dev/shm") and os.access("/dev/shm", os.W_OK) else None
