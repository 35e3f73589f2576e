"""Kills ranks, loses hosts and cuts links under `papilio train` on hosts that are network namespaces (as root):
python3 ranks_network_test.py path/to/papilio path/to/mpirun [--times N] [Network.test_...].
The failure is named and all ranks have ended within 15 s; a restart by the ranks left, or by all, draws the next
sweep within 60 s of the failure; the model is that of an unbroken run."""

import atexit
import contextlib
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PAPILIO, MPIRUN = str(Path(sys.argv.pop(1)).resolve()), sys.argv.pop(1)
TIMES = 20
if "--times" in sys.argv:
    at = sys.argv.index("--times")
    TIMES = int(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    if TIMES < 1:
        sys.exit("--times: expected 1 or more")
HOSTS = 3
SWEEPS = 200
FOUND_SECONDS, GOING_SECONDS = 15, 60
TRAIN = ["-k", "40", "--start", "uniform", "--threads", "1", "--sweeps", str(SWEEPS), "--checkpoint", "kept",
         "--checkpoint-every", "20", "--rank-timeout", "10", "--progress", "json", "-o", "m"]
MPI = ["--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--mca", "btl", "self,tcp", "--mca",
       "plm_rsh_no_tree_spawn", "1"]
# mpirun and its daemons miss each other after 4 + 3 * 2 s, before the ranks do; by default after 8 minutes.
KEEPALIVE = ["--mca", "oob_tcp_keepalive_time", "4", "--mca", "oob_tcp_keepalive_intvl", "2", "--mca",
             "oob_tcp_keepalive_probes", "3"]
# In place of ssh. A host has a name of its own, as mpirun tells hosts by it.
AGENT = """#!/bin/sh
host=$1
shift
exec ip netns exec "$host" unshare --uts sh -c 'hostname "$0"; exec sh -c "$1"' "$host" "$*"
"""
RANK = ('echo $$ > pid.$OMPI_COMM_WORLD_RANK; '
        'exec "$0" "$@" > events.$OMPI_COMM_WORLD_RANK 2> errors.$OMPI_COMM_WORLD_RANK')


def run(*command, check=True):
    return subprocess.run(command, check=check, text=True, capture_output=True)


def hash_of(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def is_alive(process):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    return False


class Hosts:
    """Namespaces on one bridge, which is in a namespace of its own, where mpirun runs. Nothing of it is outside."""

    def __init__(self, count):
        self.switch = f"papilio{os.getpid()}s"
        self.names = [f"papilio{os.getpid()}h{host}" for host in range(count)]

    # Also removes what a test left that was killed itself.
    def make(self):
        for line in run("ip", "netns", "list").stdout.splitlines():
            old = re.match(r"papilio(\d+)[sh]\d*\b", line)
            if old and not is_alive(old[1]):
                self.kill_all(old[0])
                run("ip", "netns", "delete", old[0], check=False)
        atexit.register(self.remove)
        for name in [self.switch, *self.names]:
            run("ip", "netns", "add", name)
            run("ip", "-n", name, "link", "set", "lo", "up")
        run("ip", "-n", self.switch, "link", "add", "bridge", "type", "bridge")
        run("ip", "-n", self.switch, "address", "add", "10.77.0.254/24", "dev", "bridge")
        run("ip", "-n", self.switch, "link", "set", "bridge", "up")
        for host, name in enumerate(self.names):
            run("ip", "-n", self.switch, "link", "add", f"port{host}", "type", "veth", "peer", "name", "eth0", "netns",
                name)
            run("ip", "-n", self.switch, "link", "set", f"port{host}", "master", "bridge")
            run("ip", "-n", name, "address", "add", f"10.77.0.{host + 1}/24", "dev", "eth0")
            run("ip", "-n", name, "link", "set", "eth0", "up")
            self.join(host)
        self.wait_for_packets()

    def cut(self, host):
        run("ip", "-n", self.switch, "link", "set", f"port{host}", "down")

    def join(self, host):
        run("ip", "-n", self.switch, "link", "set", f"port{host}", "up")

    # Returns when packets pass from each host to all others, which may be seconds later: a job started before may hang.
    # A host that reaches the bridge may still refuse to send to another that it has asked for in vain (EHOSTUNREACH).
    def wait_for_packets(self):
        addresses = ["10.77.0.254", *(f"10.77.0.{host + 1}" for host in range(len(self.names)))]
        for name in self.names:
            for address in addresses:
                self.wait_for_packets_from(name, address)

    def wait_for_packets_from(self, name, address):
        connect = f"import socket; socket.create_connection(('{address}', 9), 1)"
        for _ in range(20):
            tried = run("ip", "netns", "exec", name, sys.executable, "-c", connect, check=False)
            if "ConnectionRefusedError" in tried.stderr:
                return
        raise RuntimeError(f"{name} does not reach {address}: {tried.stderr}")

    # Hosts of these still reach the bridge, and so mpirun, but not each other.
    def set_isolated(self, isolated):
        for host in range(len(self.names)):
            run("ip", "-n", self.switch, "link", "set", f"port{host}", "type", "bridge_slave", "isolated",
                "on" if isolated else "off")

    def kill_all(self, name):
        for process in run("ip", "netns", "pids", name, check=False).stdout.split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)

    def remove(self):
        for name in [*self.names, self.switch]:
            self.kill_all(name)
            run("ip", "netns", "delete", name, check=False)
        atexit.unregister(self.remove)


def why_not():
    """What this machine lacks for the test, or nothing."""
    missing = [tool for tool in (MPIRUN, "ip", "unshare", "hostname") if shutil.which(tool) is None]
    if missing:
        return f"needs {', '.join(missing)}"
    hosts = Hosts(1)
    try:
        hosts.make()
    except subprocess.CalledProcessError as error:
        return f"needs network namespaces: {error.stderr.strip()}"
    finally:
        hosts.remove()
    return None


class Network(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        reason = why_not()
        if reason:
            raise unittest.SkipTest(reason)
        cls.own = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.own.cleanup)
        cls.shared = Path(cls.own.name)
        cls.hosts = Hosts(HOSTS)
        cls.addClassCleanup(cls.hosts.remove)
        cls.hosts.make()
        cls.agent = cls.shared / "agent"
        cls.agent.write_text(AGENT)
        cls.agent.chmod(0o755)
        run(PAPILIO, "generate", "-o", str(cls.shared / "c"), "--documents", "600", "--words", "900", "-k", "9",
            "--mean-length", "30")
        cls.corpus = cls.shared / "docword.c.txt"
        whole = cls.shared / "whole"
        whole.mkdir()
        subprocess.run([PAPILIO, "train", cls.corpus, *TRAIN], cwd=whole, check=True, capture_output=True)
        cls.expected = hash_of(whole / "m")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def begin(self, names, *options, mpi=()):
        for old in [*self.folder.glob("pid.*"), *self.folder.glob("events.*"), *self.folder.glob("errors.*")]:
            old.unlink()
        command = ["ip", "netns", "exec", self.hosts.switch, MPIRUN, *MPI, *mpi, "--mca", "plm_rsh_agent",
                   self.agent, "--host", ",".join(names), "-n", str(len(names)), "sh", "-c", RANK, PAPILIO, "train", self.corpus,
                   *TRAIN, *options]
        with open(self.folder / "errors.mpirun", "w") as errors:
            job = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                                   start_new_session=True)
        self.addCleanup(self.end_job, job)
        return job

    def end_job(self, job):
        for name in [*self.hosts.names, self.hosts.switch]:
            self.hosts.kill_all(name)
        job.wait(20)

    def said(self):
        return "".join(f"{path.name}: {path.read_text(errors='replace')}\n" for path in self.folder.glob("errors.*"))

    # Seconds until the condition holds.
    def wait_for(self, condition, seconds, what):
        start = time.monotonic()
        while not condition():
            if time.monotonic() - start > seconds:
                self.fail(f"{what}: not within {seconds} s\n{self.said()}")
            time.sleep(0.02)
        return time.monotonic() - start

    # The first sweep that the run has drawn, or 0.
    def first_sweep(self):
        events = self.folder / "events.0"
        found = events.exists() and re.search(r'"event":"sweep","sweep":(\d+),', events.read_text())
        return int(found[1]) if found else 0

    def mend(self):
        for host, name in enumerate(self.hosts.names):
            self.hosts.kill_all(name)
            self.hosts.join(host)
        self.hosts.wait_for_packets()

    # fail(victim, processes) does the damage. Without an mpirun that watches the ranks must find it themselves; that
    # mpirun may wait for the lost host forever, and is killed.
    def check(self, repeat, fail, naming, is_watched):
        victim = repeat % HOSTS
        self.mend()
        for old in [*self.folder.glob("kept*"), *self.folder.glob("m*")]:
            old.unlink()
        job = self.begin(self.hosts.names, mpi=KEEPALIVE if is_watched else ())
        self.wait_for((self.folder / "kept").exists, 60, "a checkpoint")
        processes = [int((self.folder / f"pid.{rank}").read_text()) for rank in range(HOSTS)]
        self.assertTrue(all(map(is_alive, processes)), self.said())
        start = time.monotonic()
        fail(victim, processes)
        found = self.wait_for(lambda: not any(map(is_alive, processes)), FOUND_SECONDS, "the end of all ranks")
        if is_watched:
            self.wait_for(lambda: job.poll() is not None, FOUND_SECONDS - found, "the end of mpirun")
            self.assertNotEqual(job.returncode, 0)
        said = self.said()
        self.assertRegex(said, naming(victim))
        self.assertFalse((self.folder / "m").exists(), said)
        self.end_job(job)

        self.mend()
        names = [name for host, name in enumerate(self.hosts.names) if repeat % 2 or host != victim]
        job = self.begin(names, "--resume")
        self.wait_for(self.first_sweep, GOING_SECONDS - (time.monotonic() - start), "the next sweep")
        going = time.monotonic() - start
        self.wait_for(lambda: job.poll() is not None, 120, "the end of the run")
        self.assertEqual(job.returncode, 0, self.said())
        self.assertGreater(self.first_sweep(), 20, "it has not gone on from the checkpoint")
        self.assertEqual(hash_of(self.folder / "m"), self.expected)
        return found, going

    def check_often(self, fail, naming, is_watched=True):
        figures = []
        for repeat in range(TIMES):
            with self.subTest(repeat=repeat):
                found, going = self.check(repeat, fail, naming, is_watched)
                print(f"{repeat + 1}: found {found:.1f} s, going {going:.1f} s", flush=True)
                figures.append((found, going))
        self.assertEqual(len(figures), TIMES)
        print(f"{self._testMethodName}: {TIMES} times; from the failure until all ranks had ended at most "
              f"{max(f[0] for f in figures):.1f} s, until the next sweep at most {max(f[1] for f in figures):.1f} s",
              flush=True)

    def lose(self, victim, _):
        self.hosts.cut(victim)  # first: a host that is lost does not close its connections
        self.hosts.kill_all(self.hosts.names[victim])

    def cut(self, victim, _):
        self.hosts.cut(victim)

    def node(self, victim):
        return rf"lost communication with a remote daemon[^-]*Remote daemon: .* on node {self.hosts.names[victim]}\n"

    def test_killed_rank(self):
        self.check_often(lambda victim, processes: os.kill(processes[victim], signal.SIGKILL),
                         lambda victim: rf"process rank {victim} with PID \d+ on node .* signal 9")

    def test_lost_host(self):
        self.check_often(self.lose, self.node)

    def test_cut_link(self):
        self.check_often(self.cut, self.node)

    # Open MPI would wait forever for a connection that was refused.
    def test_hosts_that_do_not_reach_each_other(self):
        self.mend()
        self.hosts.set_isolated(True)
        self.addCleanup(self.hosts.set_isolated, False)
        start = time.monotonic()
        job = self.begin(self.hosts.names)
        self.wait_for(lambda: job.poll() is not None, FOUND_SECONDS + 5, "the end of mpirun")
        print(f"ended after {time.monotonic() - start:.1f} s", flush=True)
        self.assertEqual(job.returncode, 75, self.said())
        self.assertIn(f"not all of {HOSTS} ranks joined within 10 s", self.said())
        self.assertFalse((self.folder / "m").exists())

    def test_ranks_miss_a_lost_host(self):
        self.check_often(self.lose, lambda victim: f"rank {victim} of {HOSTS} did not join", is_watched=False)

    def test_ranks_miss_a_cut_link(self):
        self.check_often(self.cut, lambda victim: f"rank {victim} of {HOSTS} did not join", is_watched=False)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    unittest.main(verbosity=2)
