"""The installed command runs, by itself: python3 installed_test.py path/to/cmake BUILD."""

import pathlib
import subprocess
import sys
import tempfile


def main():
    cmake, build = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        subprocess.run([cmake, "--install", build, "--component", "loopdep", "--prefix", root], check=True,
                       stdout=subprocess.DEVNULL)
        for path in ("share/man/man1/loopdep.1", "share/doc/loopdep/loopdep.schema.json"):
            assert (root / path).exists(), path
        (root / "f.c").write_text("void f(int n, int *a) {\n  for (int i = 0; i < n; i++) a[i] = 0;\n}\n")
        for folder in ("/usr/bin:/bin", str(root)):  # with clang, and without
            done = subprocess.run([root / "bin/loopdep", "f.c"], cwd=root, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, env={"PATH": folder})
            if folder == str(root):
                assert done.returncode == 66 and "cannot start clang" in done.stderr, done
            else:
                assert "line 2, loop of i: parallel" in done.stdout, done
    # Debian's package says what it needs to run.
    settings = pathlib.Path(build, "CPackConfig.cmake").read_text()
    assert 'CPACK_DEBIAN_LOOPDEP_PACKAGE_DEPENDS "clang"' in settings
    return 0


if __name__ == "__main__":
    sys.exit(main())
