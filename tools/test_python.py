#!/usr/bin/env python3
"""Builds the Python package as a user gets it, and tests it in a clean environment.

    tools/test_python.py RESULT.xml [PYTEST ARGUMENT...]
    tools/test_python.py --environments | --wheel | --tests RESULT.xml [PYTEST ARGUMENT...]
    tools/test_python.py --module BUILD_FOLDER RESULT.xml [PYTEST ARGUMENT...]
    tools/test_python.py --device BUILD_FOLDER [PYTEST ARGUMENT...]

From the repository's root: the source distribution, from that a wheel, the wheel into a virtual
environment that holds what its tests need and nothing else, and there all tests and the examples
of all docstrings. Everything lies below build/python; only what changed is compiled again.

The second form does one of the three stages of this: the environments, which pip fills and which
stay until their lists of packages change; the wheel; the tests.

The third form runs, in the environment that the first one made, the tests of draws with the
module of a CMake build (-DPAPILIO_PYTHON=ON): with CUDA, on a machine without a driver, say.

The fourth form runs the tests of arrays on a CUDA device with the module of such a build, in the
Python that runs this script: it has pytest and the frameworks, and the module was built for it.
"""

import filecmp
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv

FOLDER = pathlib.Path("build/python").resolve()
OBJECTS = FOLDER / "source/build/wheel"
TOOLS = ["build", "nanobind>=3.1,<4", "scikit-build-core>=1.1"]


def run(*command, **options):
    print("$", *command, flush=True)
    return subprocess.run([str(part) for part in command], check=True, **options)


def pip(environment, *arguments):
    """Installs by pip; says it plainly where the packages are not to be had."""
    try:
        run(environment / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments)
    except subprocess.CalledProcessError:
        sys.exit("the Python package was not tested: pip could not install what it needs (above); is PyPI in reach?")


def environment(name, packages):
    """The virtual environment `name` with these packages; a new one where the list has changed."""
    folder = FOLDER / name
    stamp = folder / "packages.txt"
    wanted = "\n".join([sys.version, *packages])
    if not stamp.exists() or stamp.read_text() != wanted:
        venv.create(folder, with_pip=True, clear=True)
        pip(folder, *packages)
        stamp.write_text(wanted)


def make_environments():
    project = tomllib.loads(pathlib.Path("pyproject.toml").read_text())["project"]
    environment("tools", TOOLS)
    environment("clean", [*project["dependencies"], *project["optional-dependencies"]["test"]])


def sync(source, target):
    """Makes `target` what `source` is, beside its builds; files that are the same keep their time."""
    target.mkdir(parents=True, exist_ok=True)
    wanted = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    for path in [path for path in target.rglob("*") if path.is_file()]:
        name = path.relative_to(target)
        if name not in wanted and name.parts[0] != "build":
            path.unlink()
    for name in wanted:
        if not (target / name).exists() or not filecmp.cmp(source / name, target / name, shallow=False):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, target / name)


def build_wheel(dist=FOLDER / "dist", objects=OBJECTS, settings=()):
    """The wheel of the source distribution, in `dist`, by a build in `objects` with these settings for CMake."""
    tools = FOLDER / "tools"
    unpacked = FOLDER / "unpacked"
    for folder in (dist, unpacked):
        shutil.rmtree(folder, ignore_errors=True)
    python = tools / "bin/python"
    run(python, "-m", "build", "--no-isolation", "--sdist", "--outdir", dist, ".", stdout=subprocess.DEVNULL)
    (archive,) = dist.glob("papilio-*.tar.gz")
    with tarfile.open(archive) as sources:
        sources.extractall(unpacked)
    (root,) = unpacked.iterdir()
    sync(root, FOLDER / "source")
    # The compiler by the name that CMake takes for the other builds, or the compiler cache takes it for another.
    run(python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", dist,
        "--config-settings", f"build-dir={objects}", *[f"--config-settings=cmake.define.{setting}" for setting in settings],
        FOLDER / "source", env={"CXX": "c++", **os.environ})


def test_wheel(results, *arguments):
    """The tests, with the wheel in the place of any other."""
    clean = FOLDER / "clean"
    (wheel,) = (FOLDER / "dist").glob("papilio-*.whl")
    pip(clean, "--no-deps", "--force-reinstall", wheel)
    run(clean / "bin/python", "-m", "pip", "check", "--disable-pip-version-check")
    # papilio.train is the function: the module of that name is run, never imported.
    docstrings = ["--doctest-modules", "--doctest-ignore-import-errors", "--ignore-glob=*/papilio/train.py"]
    docstrings += ["--pyargs", "papilio"]
    return pytest(clean, results, *docstrings, "python/tests", *arguments, PAPILIO_TEST_BUILD=str(OBJECTS))


def pytest(clean, results, *arguments, **variables):
    results = pathlib.Path(results).resolve()
    results.unlink(missing_ok=True)
    command = [clean / "bin/python", "-m", "pytest", "--junitxml", results, "-p", "no:cacheprovider", "-q", *arguments]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("PYTHONPATH", None)
    return subprocess.run([str(part) for part in command], env=environment | variables).returncode


def package_of(build):
    """A folder with the package, its module that of a build."""
    package = FOLDER / "module/papilio"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree("python/papilio", package, ignore=shutil.ignore_patterns("_core.*.so", "__pycache__"))
    (module,) = pathlib.Path(build, "python/papilio").glob("_core*.so")
    shutil.copy(module, package)
    return package.parent


def test_device(build, *arguments):
    """The tests of arrays on a device with the module of a build, in this Python."""
    names = ("cuda", "tokens_cuda", "primitives", "tridiagonal", "lda_cuda")
    tests = [f"python/tests/test_{name}.py" for name in names]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rs", *tests, *arguments]
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": str(package_of(build))}).returncode


def test_module(build, results, *arguments):
    """The tests of draws with the module of a build."""
    folder = package_of(build)
    tests = [f"python/tests/test_{name}.py" for name in ("draws", "errors", "tables", "build")]
    return pytest(FOLDER / "clean", results, *tests, *arguments, PYTHONPATH=str(folder), PAPILIO_TEST_BUILD=str(build))


def main():
    stage = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if not stage.endswith(".xml") and stage not in ("--environments", "--wheel", "--tests", "--module", "--device"):
        print(__doc__)
        return 0 if stage in ("--help", "-h") else 64
    if stage == "--module":
        return test_module(*sys.argv[2:])
    if stage == "--device":
        return test_device(*sys.argv[2:])
    if stage == "--tests":
        return test_wheel(*sys.argv[2:])
    if stage != "--wheel":
        make_environments()
    if stage != "--environments":
        build_wheel()
    return 0 if stage in ("--environments", "--wheel") else test_wheel(*sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
