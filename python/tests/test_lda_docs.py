"""What the documentation of topic models shows is true."""

import copy
import doctest
import importlib
import importlib.util
import re
import subprocess
import sys

import pytest
from topic_models import ROOT

MODULES = ["choose", "corpora", "readers", "evaluation", "training", "_lda", "_fitted", "interop.corpora", "interop.models", "plot"]
MODULES += ["_inference", "_report"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    failed, _ = doctest.testmod(importlib.import_module(f"papilio.{name}"))
    assert failed == 0


def test_examples_of_compiled_docstrings():
    import papilio

    finder = doctest.DocTestFinder()
    tests = [test for cls in (papilio.Corpus, papilio.Model) for test in finder.find(cls, cls.__name__, module=False)]
    assert sum(len(test.examples) for test in tests) >= 4
    runner = doctest.DocTestRunner()
    for test in tests:
        runner.run(test)
    assert runner.failures == 0


def test_every_public_name_is_described():
    import papilio

    undescribed = []
    for module in (papilio, papilio.interop, papilio.plot):
        for name in module.__all__:
            if not (getattr(getattr(module, name), "__doc__", None) or "").strip():
                undescribed.append(name)
    for name, member in vars(papilio.LDA).items():
        if callable(member) and not name.startswith("_") and not member.__doc__:
            undescribed.append(name)
    assert undescribed == []


@pytest.mark.parametrize("page", ["python_lda.md"])
def test_pages(page):
    failed, ran = doctest.testfile(str(ROOT / "docs" / page), module_relative=False)
    assert failed == 0 and ran > 5


def test_readme(tmp_path, monkeypatch):
    import papilio

    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    (block,) = [block for block in blocks if "papilio.LDA(" in block]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "news.txt").write_text("cats purr loudly\ndogs bark loudly\n" * 20)
    exec(block, {"papilio": papilio})
    assert papilio.LDA.load("news.papilio.safetensors").n_components == 20


def _need_notebooks():
    for name in ("nbformat", "nbclient", "ipykernel", "matplotlib", "pandas"):
        pytest.importorskip(name)


def test_notebook_shows_what_it_holds():
    _need_notebooks()
    run = subprocess.run([sys.executable, ROOT / "tools/python_notebook.py", "--check"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_a_stale_notebook_is_found():
    _need_notebooks()
    spec = importlib.util.spec_from_file_location("python_notebook", ROOT / "tools/python_notebook.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    import nbformat

    kept = nbformat.read(tool.NOTEBOOK, 4)
    assert tool.differences(kept, copy.deepcopy(kept)) == []
    assert sum(shown == ["a picture"] for shown in map(tool.shown, kept.cells)) >= 4
    code = [cell for cell in kept.cells if cell.cell_type == "code"]
    assert all(cell.outputs for cell in code)
    for number, cell in enumerate(code):
        stale = copy.deepcopy(cell)
        (output, *_) = stale.outputs
        if output.output_type == "stream":
            output.text = "277 paragraphs\n"
        elif "image/png" in output.data:
            stale.outputs = stale.outputs[1:]
        else:
            output.data["text/plain"] += "."
        assert tool.shown(stale) != tool.shown(cell), number
    made = copy.deepcopy(kept)
    made.cells[1].outputs[0].text = "277 paragraphs\n"
    (message,) = tool.differences(kept, made)
    assert "cell 1 shows" in message and "277 paragraphs" in message
