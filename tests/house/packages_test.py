#!/usr/bin/env python3
"""What the Debian packages hold: unpacked elsewhere, the command trains and a project finds the library.

    tests/house/packages_test.py FOLDER    of both packages, or three with that of loopdep
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


def check_loopdep(package):
    for wanted in ("clang", "libisl"):
        assert wanted in field(package, "Depends"), f"{package.name} does not depend on {wanted}"
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        run("dpkg-deb", "--extract", package, root)
        for path in ("usr/share/man/man1/loopdep.1", "usr/share/doc/loopdep/loopdep.schema.json"):
            assert (root / path).exists() or (root / f"{path}.gz").exists(), f"{package.name} has no {path}"
        (root / "f.c").write_text("void f(int n, int *a) {\n  for (int i = 0; i < n; i++) a[i] = 0;\n}\n")
        page = run(root / "usr/bin/loopdep", "f.c", cwd=root, env={"PATH": "/usr/bin:/bin"})
        assert "line 2, loop of i: parallel" in page, page


def main(folder):
    for package in folder.glob("loopdep_*.deb"):
        check_loopdep(package)
    if not list(folder.glob("papilio_*.deb")) and list(folder.glob("loopdep_*.deb")):
        return  # of a build of loopdep only
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
