"""A program built with CUDA works where there is no driver, or no device: python3 without_device_test.py path/to/papilio.

Devices that are there are hidden (CUDA_VISIBLE_DEVICES), so that this shows the same on every machine.
"""

import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMMAND = ""
TEXT = "the cat and the mouse\nstars and planets\ncats drink milk\nplanets orbit stars\n"


def absence():
    """What the program should say of this machine once its devices are hidden."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "this machine has no NVIDIA driver, or one older than this build needs"
    return "the driver finds no device"


class WithoutDevice(unittest.TestCase):
    def papilio(self, *arguments, code=0, **settings):
        variables = {k: v for k, v in os.environ.items() if k != "PAPILIO_DEVICE"}
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "corpus.txt").write_text(TEXT)
            done = subprocess.run([COMMAND, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, timeout=120, env=variables | {"CUDA_VISIBLE_DEVICES": "-1"} | settings)
            self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
            self.model = pathlib.Path(folder) / "corpus.papilio.safetensors"
            self.model = self.model.read_bytes() if self.model.exists() else None
        return done

    def test_the_program_starts_and_names_the_absence(self):
        out = self.papilio("devices").stdout
        self.assertRegex(out, r"(?m)^device +cpu$")
        self.assertRegex(out, rf"(?m)^cuda +none: {absence()}$")

    def test_it_trains_on_the_cpu(self):
        self.papilio("train", "corpus.txt", "-k", "2", "--sweeps", "5")
        first = self.model
        self.assertTrue(first)
        self.papilio("train", "corpus.txt", "-k", "2", "--sweeps", "5", PAPILIO_DEVICE="cpu")
        self.assertEqual(self.model, first)

    def test_a_device_asked_for_by_name_is_an_error(self):
        for wanted, number in (("cuda", 0), ("cuda:2", 2)):
            done = self.papilio("devices", code=self.no_device_code(), PAPILIO_DEVICE=wanted)
            self.assertIn(f"CUDA device {number} was asked for, but {absence()}; use --device cpu", done.stderr)

    def test_reading_the_options_does_not_load_the_driver(self):
        """It reads CUDA_VISIBLE_DEVICES when it is loaded, so that is too early: commands hide GPUs from it later."""
        options = ("--resume", "--input-state", "state")  # which exclude each other
        done = self.papilio("train", "corpus.txt", "-k", "2", "--device", "cuda", *options, code=64, LD_DEBUG="libs")
        self.assertIn("libc.so", done.stderr)  # the loader does tell
        self.assertNotIn("libcuda.so", done.stderr)

    def test_so_it_is_for_inference_and_evaluation(self):
        for command in (("infer", "corpus.txt", "corpus.txt", "-o", "out.tsv"), ("evaluate", "corpus.txt")):
            done = self.papilio(*command, "--device", "cuda", code=self.no_device_code())
            self.assertIn(f"CUDA device 0 was asked for, but {absence()}; use --device cpu", done.stderr)

    def no_device_code(self):
        """The exit status of an instruction set that is not there, which is the same kind of error."""
        done = subprocess.run([COMMAND, "devices"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=os.environ | {"PAPILIO_CPU_TARGET": "none-such"})
        self.assertNotEqual(done.returncode, 0)
        return done.returncode


if __name__ == "__main__":
    COMMAND = sys.argv.pop(1)
    unittest.main()
