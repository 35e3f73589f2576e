#!/usr/bin/env python3
"""What the Debian packages hold: unpacked elsewhere, the command trains and a project finds the library.

    tests/house/packages_test.py FOLDER    of both packages
"""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
COMMAND = ["usr/bin/papilio", "usr/share/man/man1/papilio.1", "usr/share/bash-completion/completions/papilio",
           "usr/share/zsh/site-functions/_papilio", "usr/share/fish/vendor_completions.d/papilio.fish"]


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def field(package, name):
    return run("dpkg-deb", "--field", package, name).strip()


def main(folder):
    (command,) = folder.glob("papilio_*.deb")
    (library,) = folder.glob("libpapilio-dev_*.deb")
    for wanted in ("libc6", "libtbb12", "libzstd1"):
        assert wanted in field(command, "Depends"), f"{command.name} does not depend on {wanted}"
    assert "libtbb-dev" in field(library, "Depends"), f"{library.name} does not depend on libtbb-dev"
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for package in (command, library):
            run("dpkg-deb", "--extract", package, root)
        for path in COMMAND:
            assert (root / path).exists(), f"{command.name} has no {path}"
        (root / "texts.txt").write_text("".join(f"{a} {a} {b}\n" for a, b in [("apple", "pear"), ("iron", "zinc")] * 20))
        run(root / "usr/bin/papilio", "train", "texts.txt", "-k", "2", "--sweeps", "20", "--quiet", "-o", "model", cwd=root)
        assert "apple" in run(root / "usr/bin/papilio", "topics", "model", cwd=root)
        run("cmake", "-G", "Ninja", "-S", HERE.parent / "consumer", "-B", root / "build", f"-DCMAKE_PREFIX_PATH={root}/usr")
        run("cmake", "--build", root / "build")
        print(run(root / "build/consumer").strip())
    print(f"{command.name} and {library.name} hold what they should")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
