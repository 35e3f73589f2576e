"""The default of --max-memory in a real control group: python3 control_group_test.py path/to/papilio.

Makes groups below the process's own, version 2 or 1, sets limits on them and runs papilio inside, which must refuse a
corpus that half of the least limit does not hold and name that limit. Exit code 77, a skip with its reason, where the
machine does not let this process make groups. The groups are removed at the end.
"""

import os
import re
import subprocess
import sys
import tempfile

MIB = 1 << 20
ROOT = "/sys/fs/cgroup"
# Lines of nothing, 24 bytes each: more than half of any limit here.
LINES = b"\n" * (16 * MIB)

# name; limits in MiB of a group and of the one within it (None: not set); which of the two counts, in MiB
CASES = [("a limit", 96, None, 96), ("a group within it with a higher limit", 96, 128, 96),
         ("a group within it with a lower limit", 128, 96, 96)]
VERSION_2_CASES = [("max, and memory.high", "max", 96, 96)]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def set_limit(path, limit):
    with open(path, "w", encoding="utf-8") as file:
        file.write(str(limit if isinstance(limit, str) else limit * MIB))


def own_group():
    """The folder of this process's group and the name of the file of its limit; the reason where there is none."""
    for line in read("/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            return f"{ROOT}/memory{path}".rstrip("/"), "memory.limit_in_bytes"
    for line in read("/proc/self/cgroup").splitlines():
        if line.startswith("0::") and os.path.exists(f"{ROOT}/cgroup.controllers"):
            return f"{ROOT}{line[3:]}".rstrip("/"), "memory.max"
    raise OSError("this process is in no control group that counts memory")


class Groups:
    """Two nested groups, removed at the end."""

    def __init__(self, folder, file):
        self.file = file
        self.outer = f"{folder}/papilio-test-{os.getpid()}"
        self.inner = f"{self.outer}/inner"
        self.made = []

    def __enter__(self):
        try:
            for path in (self.outer, self.inner):
                os.mkdir(path)
                self.made.append(path)
                if self.file == "memory.max" and path == self.outer:
                    with open(f"{path}/cgroup.subtree_control", "w", encoding="utf-8") as control:
                        control.write("+memory")
            if not os.path.exists(f"{self.inner}/{self.file}"):
                raise OSError(f"{self.inner} has no {self.file}: memory is not delegated to it")
        except OSError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        while self.made:
            os.rmdir(self.made.pop())

    def reset(self):
        unlimited = "-1" if self.file == "memory.limit_in_bytes" else "max"
        for path in (self.inner, self.outer):
            set_limit(f"{path}/{self.file}", unlimited)


def run_inside(group, command, folder):
    """papilio's complaint. The shell enters the group before it becomes papilio."""
    script = 'echo $$ > "$0/cgroup.procs" && exec "$@"'
    arguments = [command, "convert", "x.txt", "--to", "text", "-o", "/dev/null", "--force"]
    result = subprocess.run(["/bin/sh", "-c", script, group, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                            capture_output=True, check=False)
    return result.returncode, result.stderr.decode()


def check(groups, case, command, folder):
    name, outer, inner, counts = case
    groups.reset()
    set_limit(f"{groups.outer}/{groups.file}", outer)
    if inner is not None:
        set_limit(f"{groups.inner}/{'memory.high' if outer == 'max' else groups.file}", inner)
    code, error = run_inside(groups.inner, command, folder)
    found = re.search(r"needs more than (\d+) bytes", error)
    if code != 65 or found is None or int(found[1]) != counts * MIB // 2:
        return [f"{name}: exit code {code}, expected 65 and a limit of {counts * MIB // 2} bytes; {error[:300]}"]
    return []


def main(command):
    failures = []
    try:
        folder, file = own_group()
        with tempfile.TemporaryDirectory() as work, Groups(folder, file) as groups:
            with open(f"{work}/x.txt", "wb") as corpus:
                corpus.write(LINES)
            cases = CASES + (VERSION_2_CASES if file == "memory.max" else [])
            for case in cases:
                failures += check(groups, case, command, work)
    except OSError as error:
        print(f"skipped: no control group can be made here: {error}")
        return 77
    print("\n".join(failures))
    print(f"{len(cases)} limits in {folder} ({file}); {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
