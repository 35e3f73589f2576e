"""Malformed arrays are refused, or right where the meaning is plain; none is silently wrong, and none crashes.

The cases run in processes of their own, one per function, with the heap filled and checked: see hostile_arrays.py and
hostile_sparse.py.
"""

import os
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hostile_arrays import FAMILIES, FUNCTIONS

import papilio
from papilio import interop

FOLDER = pathlib.Path(__file__).parent


def run(program, *arguments):
    environment = {**os.environ, "MALLOC_PERTURB_": "165", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, FOLDER / program, *arguments], capture_output=True, text=True, timeout=300, env=environment
    )
    last = done.stdout.splitlines()[-1:]
    assert done.returncode in (0, 1), f"ended with {done.returncode} after {last}: {done.stderr}"
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert not failed and done.returncode == 0, "\n".join(failed) + done.stderr
    return done.stdout


def parts(names, count):
    return [tuple(names[i::count]) for i in range(count)]


@pytest.mark.parametrize("functions", parts(list(FUNCTIONS), 4), ids=["1", "2", "3", "4"])
def test_every_function_and_every_family(functions):
    said = run("hostile_arrays.py", *functions)
    assert all(f"{function}: as it is\n" in said for function in functions)
    missing = {line.removeprefix("MISSING ") for line in said.splitlines() if line.startswith("MISSING ")}
    if missing:
        pytest.skip(f"all others passed, but for those of {', '.join(sorted(missing))}")


def test_sparse_matrices_and_overlapping_outputs():
    assert "csr: index of 2^32 + 1, fit" in run("hostile_sparse.py")


def test_the_table_can_fail():
    """A family of good arrays that the table calls bad, and the other way round."""
    import hostile_arrays

    call = FUNCTIONS["corpus_from_matrix"][1]
    good = hostile_arrays.COUNTS
    assert "accepted" in hostile_arrays.wrong(call, good, good, hostile_arrays.ERROR, "")
    assert "refused" in hostile_arrays.wrong(call, -good, good, hostile_arrays.RIGHT, "")
    assert "gives" in hostile_arrays.wrong(call, good + 1, good, hostile_arrays.RIGHT, "")
    assert "does not say" in hostile_arrays.wrong(call, -good, good, hostile_arrays.ERROR, "masked")
    assert len(FAMILIES) > 50


# What is no array.


def test_a_table_is_not_a_list_of_texts():
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"text": ["cats purr", "dogs bark"], "id": [1, 2]})
    for make in (papilio.corpus_from_texts, interop.corpus_from_column):
        for table in (frame, frame[["text"]], pyarrow.table({"text": ["cats purr"]}), {"text": ["cats purr"]}):
            with pytest.raises(TypeError, match="one column"):
                make(table)
        assert make(frame["text"]).documents == 2
        assert make(pyarrow.chunked_array([["cats purr"], ["dogs bark"]])).documents == 2
        assert make(frame["text"].astype("category")).vocabulary == ["cats", "purr", "dogs", "bark"]
    with pytest.raises(TypeError, match="document 1 is"):
        papilio.corpus_from_texts(pandas.Series(["cats", None], dtype="string"))
    with pytest.raises(TypeError, match="document 1 is masked"):
        papilio.corpus_from_texts(np.ma.array(["cats", "dogs"], mask=[0, 1]))
    with pytest.raises(TypeError, match="dimensions"):
        papilio.corpus_from_texts(np.array([["cats purr"], ["dogs bark"]]))
    for texts in (b"cats purr", "cats purr"):
        with pytest.raises(TypeError, match="got one"):
            papilio.corpus_from_texts(texts)
    with pytest.raises(TypeError, match="no order"):
        papilio.corpus_from_texts({"cats purr", "dogs bark"})


@pytest.mark.parametrize("package", ["pandas", "pyarrow", "polars"])
def test_a_table_with_texts_names_the_column_to_give(package):
    module = pytest.importorskip(package)
    make = module.table if package == "pyarrow" else module.DataFrame
    columns = {"id": [1, 2], "text": ["cats purr", "dogs bark"], "day": [3, 4]}
    fitted = papilio.LDA(1, max_iter=1, random_state=1).fit(columns["text"])
    one = r'give one column, such as {}\["text"\] \(the columns: \'id\', \'text\', \'day\'\)'
    for call in (fitted.fit, fitted.transform, fitted.partial_fit, fitted.perplexity, papilio.corpus_from_matrix):
        with pytest.raises(TypeError, match=r"X is a \w+ with texts, .*" + one.format("X")):
            call(make(columns))
    with pytest.raises(TypeError, match=one.format("texts")):
        papilio.corpus_from_texts(make(columns))
    with pytest.raises(TypeError, match=one.format("frame")):
        interop.corpus_from_column(make(columns))
    with pytest.raises(TypeError, match=one.format("documents")):
        papilio.corpus_from_tokens(make(columns))
    with pytest.raises(TypeError, match=r'such as X\["text"\]'):  # not: fill the missing ones
        fitted.fit(make({"text": ["cats", None]}))
    many = {f"c{number}": [1] for number in range(12)} | {"text": ["cats"]}
    with pytest.raises(TypeError, match=r"'c9' and 3 more\)"):
        fitted.fit(make(many))
    assert fitted.fit(make(columns)["text"]).model_.vocabulary_size == 4


def test_polars_columns_and_tables():
    polars = pytest.importorskip("polars")
    with pytest.raises(TypeError, match="one column"):
        papilio.corpus_from_texts(polars.DataFrame({"text": ["cats purr"]}))
    assert papilio.corpus_from_texts(polars.Series(["cats purr", "dogs"])).documents == 2


def test_a_vocabulary_with_numbers():
    """That of scikit-learn's vectorizers is a dict, in the order in which the words were met."""
    X = [[2, 1, 0], [0, 1, 3]]
    corpus = papilio.corpus_from_matrix(X, vocabulary={"dogs": 2, "cats": 0, "purr": 1})
    assert corpus.vocabulary == ["cats", "purr", "dogs"]
    for wrong in ({"dogs": 2, "cats": 0, "purr": 2}, {"dogs": 3, "cats": 1, "purr": 2}):
        with pytest.raises(ValueError, match="the numbers 0 to 2, each once"):
            papilio.corpus_from_matrix(X, vocabulary=wrong)
    with pytest.raises(TypeError, match="no order"):
        papilio.corpus_from_matrix(X, vocabulary={"cats", "dogs", "purr"})


@pytest.mark.parametrize(
    "bag, error, message",
    [
        ([("1", 2)], TypeError, "numbers"),
        ([(0, "2")], TypeError, "numbers"),
        ([(True, 2), (False, 1)], TypeError, "numbered by int"),
        ([(0, np.nan)], ValueError, "whole|missing|0 to"),
        ([(0, 2**31)], ValueError, "0 to 2\\^31 - 1"),
        ([(0, 1e300)], ValueError, "0 to 2\\^31 - 1"),
        ([(2**32 + 1, 1)], ValueError, "numbered up to 4294967297"),
        ([(np.ma.masked, 1)], ValueError, "masked"),
    ],
)
def test_bags_of_words(bag, error, message):
    with pytest.raises(error, match=message):
        interop.corpus_from_bow([bag])


def test_rounding_that_loses_words_warns_with_counts():
    tf_idf = np.array([[0.2, 0.9, 0.0], [0.4, 0.0, 0.3]])
    with pytest.warns(UserWarning, match=r"rounds 3 of 4 entries that are not 0 to 0 \(75\.0%\)") as caught:
        papilio.LDA(2, max_iter=1, fractional="round", random_state=0).fit(tf_idf)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="3 of 4"):
        papilio.corpus_from_matrix(tf_idf, fractional="round")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        papilio.corpus_from_matrix(np.array([[1.2, 2.9]]), fractional="round")
