"""mypy finds nothing in a program of a user, and finds what is wrong in one that is."""

import inspect
import json
import os
import pathlib
import re
import runpy
import shutil
import subprocess
import sys

import pytest

import papilio

pytest.importorskip("mypy")
PROGRAM = pathlib.Path(__file__).with_name("typed_program.py")
PACKAGE = pathlib.Path(papilio.__file__).parent
WRONG = """
import papilio

lda = papilio.LDA(n_components="two")
corpus: int = papilio.corpus_from_texts(["a b"])
lda.fit(corpus).scores(corpus)
papilio.LDA(sampler="gibbs")
texts = papilio.corpus_from_texts(["a b"])
papilio.train(texts, topic=3)
papilio.train(texts, sweepz=5)
papilio.train(texts, sampler="gibbs")
state = papilio.load_checkpoint(texts, "chain", sweep=3)
papilio.save_checkpoint(state, texts, "chain", seed="1")
papilio.interop.corpus_from_column(["a b"], min_length=2)
lda.report(titl="x")
papilio.train(texts).model.report(texts, words="5")
papilio.LDA(learning_rate=0.5)
"""
FOUND = [
    "arg-type",
    "assignment",
    "attr-defined",
    "arg-type",
    "call-arg",
    "call-arg",
    "arg-type",
    "call-arg",
    "arg-type",
    "call-arg",
    "call-arg",
    "arg-type",
    "call-arg",
]


def environment():
    """The environment of a type checker that shall see this package, wherever it lies."""
    installed = "site-packages" in PACKAGE.parts  # there a checker looks itself
    return os.environ | ({} if installed else {"MYPYPATH": str(PACKAGE.parent), "PYTHONPATH": str(PACKAGE.parent)})


def test_a_typed_program(tmp_path):
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(PROGRAM.read_text())
    wrong.write_text(WRONG)
    line = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--follow-imports=silent",
        "--cache-dir",
        tmp_path / "cache",
        right,
        wrong,
    ]
    done = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path, env=environment())
    found = done.stdout.splitlines()
    errors = [text for text in found if ": error: " in text]
    assert [text.rpartition("[")[2].rstrip("]") for text in errors] == FOUND, done.stdout
    assert all(text.startswith("wrong.py:") for text in found)


def test_the_typed_program_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # it writes files
    pytest.importorskip("matplotlib").use("Agg")
    runpy.run_path(str(PROGRAM), run_name="__main__")


def test_every_public_type_is_known():
    """pyright's own measure of a typed package, >= 95 % of names; it needs node, which may not be there."""
    pyright = shutil.which("pyright", path=f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}")
    if pyright is None:
        pytest.skip("pyright is not installed")
    line = [pyright, "--pythonpath", sys.executable, "--ignoreexternal", "--outputjson", "--verifytypes", "papilio"]
    path = os.environ | {"PYTHONPATH": str(PACKAGE.parent)}  # it does not look into a virtual environment's packages
    done = subprocess.run(line, capture_output=True, text=True, env=path, timeout=120)
    if not done.stdout.startswith("{"):
        pytest.skip(f"pyright does not run here: {done.stdout}{done.stderr}")
    found = json.loads(done.stdout)
    unknown = [
        symbol["name"] for symbol in found["typeCompleteness"]["symbols"]
        if symbol["isExported"] and not symbol["isTypeKnown"]
    ]  # fmt: skip
    assert found["typeCompleteness"]["completenessScore"] >= 0.95, unknown
    assert found["typeCompleteness"]["exportedSymbolCounts"]["withKnownType"] > 100


def test_everything_public_is_annotated():
    """What a checker would find missing, found without one: every parameter and result, of functions and methods."""
    functions = {}
    for module in (papilio, papilio.plot, papilio.interop):
        for name in getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]:
            value = getattr(module, name)
            if inspect.isfunction(value):
                functions[f"{module.__name__}.{name}"] = value
            elif inspect.isclass(value) and value.__module__ != "papilio._core":
                members = {part: getattr(value, part) for part in dir(value)}
                for part, member in members.items():
                    own = (getattr(member, "__module__", None) or "").startswith("papilio")
                    if inspect.isroutine(member) and own and not part.startswith("_"):
                        functions[f"{module.__name__}.{name}.{part}"] = inspect.unwrap(
                            getattr(member, "__func__", member)
                        )
    assert len(functions) > 50
    missing = []
    for name, function in functions.items():
        signature = inspect.signature(inspect.unwrap(function), follow_wrapped=False)
        unnamed = [
            p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name not in ("self", "cls")
        ]
        if unnamed or signature.return_annotation is signature.empty:
            missing.append((name, unnamed))
    assert not missing
    stub = (PACKAGE / "_core.pyi").read_text()
    assert not re.findall(r"-> (?:object|Any|tuple|dict|list)\b(?!\[)", stub)


def test_an_option_that_train_does_not_have_names_the_nearest():
    corpus = papilio.corpus_from_texts(["cats purr"])
    for call, near in [
        (lambda: papilio.train(corpus, sweepz=5), r"papilio\.train: unknown option 'sweepz'; did you mean 'sweeps'\?"),
        (lambda: papilio.infer(None, corpus, burnin=5), r"papilio\.infer: .*'burnin'; did you mean 'burn_in'\?"),
        (lambda: papilio.LDA(5, maxiter=5), r"papilio\.LDA: .*'maxiter'; did you mean 'max_iter'\?"),
        (lambda: papilio.read_corpus("x", stopwords=()), r"papilio\.read_corpus: .*did you mean 'stop_words'\?"),
        (
            lambda: papilio.save_checkpoint(None, corpus, "x", sweep=1),
            r"papilio\.save_checkpoint: .*did you mean 'sweeps'",
        ),
        (lambda: papilio.train(corpus, zzz=5), r"unknown option 'zzz'; expected one of alpha, "),
    ]:
        with pytest.raises(TypeError, match=near):
            call()
