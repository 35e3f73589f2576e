"""What the documentation shows runs, and the examples print what is expected of them."""

import doctest
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
from rank_engines import environment

import papilio

ROOT = pathlib.Path(__file__).parents[2]
# What the README's snippets take as given.
GIVEN = {
    "logits": np.zeros((3, 9), np.float32),
    "request_seeds": [1, 2, 3],
    "positions": [7, 0, 4],
}


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/coming_from.md"])
def test_snippets(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "news.txt").write_text("cats purr loudly\ndogs bark loudly\n" * 20)
    names = dict(GIVEN)
    left_out = []
    for block in blocks(page):
        missing = [name for name in ("torch", "jax") if f"import {name}" in block and not _is_here(name)]
        if missing:
            left_out += missing
            continue
        exec(compile(block, page, "exec"), names)
    assert len(blocks(page)) > len(left_out)


@pytest.mark.parametrize("name", [name for name, kind in vars(papilio._core).items() if isinstance(kind, type)])
def test_examples_of_compiled_classes(name):
    kind = getattr(papilio._core, name)
    examples = doctest.DocTestFinder(recurse=False).find(kind, name, module=False, globs={})
    runner = doctest.DocTestRunner()
    assert all(runner.run(example).failed == 0 for example in examples)


def _is_here(name):
    try:
        __import__(name)
    except ImportError:
        return False
    return True


@pytest.mark.parametrize("example", sorted((ROOT / "examples/python").glob("*.py")), ids=lambda path: path.name)
def test_examples(example, tmp_path):
    imports = {line.split()[1] for line in example.read_text().splitlines() if line.startswith(("import ", "from "))}
    needed = sorted(imports & {"torch", "transformers"})
    for name in needed:
        pytest.importorskip(name)
    expected = ROOT / f"examples/expected/python_{example.stem}.txt"
    variables = {**os.environ, "PAPILIO_DEVICE": "cpu"}
    done = subprocess.run(
        [sys.executable, example], capture_output=True, text=True, timeout=120, cwd=tmp_path, env=variables
    )
    assert done.returncode == 0, done.stderr
    if needed:  # which may warn; and what a model says depends on how it adds: the end of the output is the same
        assert done.stdout.endswith(expected.read_text())
    else:
        assert (done.stderr, done.stdout) == ("", expected.read_text())


def test_the_example_over_ranks_by_torchrun(tmp_path):
    pytest.importorskip("torch")
    example = ROOT / "examples/python/train_over_ranks.py"
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", example]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path, env=environment())
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines(keepends=True) if not line.startswith("[Gloo]")]
    assert "".join(lines) == (ROOT / "examples/expected/python_train_over_ranks.txt").read_text()
