"""Runs of papilio with the library of fault_shim.cpp before all others."""

import os
import signal
import subprocess
import sys
import unittest

# A process begun in the background of a script inherits that SIGINT is ignored, and papilio would leave it so.
signal.signal(signal.SIGINT, signal.default_int_handler)

TEXT = """\
The cat chased the mouse, and the mouse hid from the cat.
Kittens and cats like warm milk; mouse and kitten play.
Stars and planets: a planet orbits its star, a moon its planet.
Telescopes show moons, planets, stars and galaxies.
"""


def quick_folder():
    """In memory where there is such a place: thousands of fsyncs take minutes on some disks."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def run_script(whole, summary):
    """Runs the tests of the script that calls this, PAPILIO SHIM [WHOLE] [ARGUMENTS]: its globals PAPILIO and SHIM are
    set, and the one called as the option `whole` (ALL for --all) to whether that is given. Prints summary() at the end."""
    script = sys.modules["__main__"]
    script.PAPILIO, script.SHIM = map(os.path.abspath, sys.argv[1:3])
    del sys.argv[1:3]
    if whole in sys.argv:
        setattr(script, whole.strip("-").replace("-", "_").upper(), True)
        sys.argv.remove(whole)
    program = unittest.main(script, verbosity=2, exit=False)
    print(summary())
    sys.exit(not program.result.wasSuccessful())


class Command:
    def __init__(self, papilio, shim, folder):
        self.papilio, self.shim, self.folder = papilio, shim, folder

    def environment(self, faults):
        """`faults` by the names that fault_shim.cpp documents, without FAULT_."""
        if not faults:
            return dict(os.environ)
        return self.preloaded({f"FAULT_{name}": str(value) for name, value in faults.items()})

    def preloaded(self, settings):
        """An environment with the shim."""
        asan = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0"]))
        return {**os.environ, "LD_PRELOAD": self.shim, "ASAN_OPTIONS": asan, **settings}

    def start(self, arguments, faults=None, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL,
                   "env": self.environment(faults), **options}
        return subprocess.Popen([self.papilio, *map(str, arguments)], cwd=self.folder, **options)

    def run(self, arguments, faults=None, **options):
        """Exit status (below 0: the signal that ended it), standard output and standard error."""
        process = self.start(arguments, faults, **options)
        out, err = process.communicate(timeout=120)
        return process.returncode, (out or b"").decode(), (err or b"").decode()

    def calls(self, arguments, paths):
        """The names of the calls on these paths, in order, in a run without a fault."""
        log = self.folder / "calls.log"
        log.unlink(missing_ok=True)
        code, _, err = self.run(arguments, {"PATH": paths, "LOG": log})
        assert code == 0, err
        lines = log.read_text().splitlines()
        log.unlink()
        return [line.split()[1] for line in lines]
