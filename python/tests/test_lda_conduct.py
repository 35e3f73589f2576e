"""LDA as a process sees it: interruptions, threads, what it imports and what it leaves behind."""

import concurrent.futures
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from topic_models import corpus, counts, interrupt_a_fit

import papilio

X = counts()


def lda(**parameters):
    return papilio.LDA(**{"n_components": 4, "max_iter": 20, "random_state": 7, **parameters})


def test_ctrl_c_leaves_a_usable_model():
    assert interrupt_a_fit(device=None) == ("stopped True True (300, 20)\n", "")


def test_threads_fit_and_transform_at_once():
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        fitted = list(pool.map(lambda n_jobs: lda(n_jobs=n_jobs).fit(X), [1, 2, 1, 2]))
        thetas = list(pool.map(lambda _: fitted[0].transform(X), range(8)))
    assert all(np.array_equal(other.components_, fitted[0].components_) for other in fitted)
    assert all(np.array_equal(theta, thetas[0]) for theta in thetas)


def test_without_scikit_learn():
    script = """
        import sys
        for name in ("sklearn", "pandas", "tqdm", "tqdm.auto"):
            sys.modules[name] = None
        import numpy as np
        import papilio

        X = papilio.corpus_to_matrix(papilio.generate_corpus(documents=60, vocabulary=50, topics=3))
        lda = papilio.LDA(3, max_iter=5, random_state=1)
        assert lda.get_params()["max_iter"] == 5
        assert lda.set_params(max_iter=6).max_iter == 6
        try:
            lda.set_params(topics=3)
        except ValueError as error:
            assert "no parameter 'topics'" in str(error)
        else:
            raise AssertionError
        try:
            lda.transform(X)
        except (ValueError, AttributeError) as error:
            assert "not fitted" in str(error)
        theta = lda.fit_transform(X)
        assert theta.shape == (60, 3) and lda.get_feature_names_out().tolist() == ["lda0", "lda1", "lda2"]
        try:
            lda.transform(X[:, :10])
        except ValueError as error:
            assert "X has 10 features, but LDA is expecting 50" in str(error)
        else:
            raise AssertionError
        assert [row["topic"] for row in lda.topics()] == [0, 1, 2]
        assert repr(lda) == "LDA(max_iter=6, n_components=3, random_state=1)"
        print("ok", np.sum(lda.components_))
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True)
    assert run.stdout.startswith("ok "), run.stderr
    matrix = papilio.corpus_to_matrix(papilio.generate_corpus(documents=60, vocabulary=50, topics=3))
    here = papilio.LDA(3, max_iter=6, random_state=1).fit(matrix)
    assert run.stdout == f"ok {np.sum(here.components_)}\n"


def test_columns_are_matched_by_name_without_scikit_learn():
    script = """
        import sys
        sys.modules["sklearn"] = None
        import warnings
        import numpy as np
        import papilio

        class Frame:
            def __init__(self, columns, values=None):
                self.columns = columns
                self.values = np.arange(1, 13).reshape(4, 3) if values is None else values

            def __array__(self, dtype=None, copy=None):
                return self.values

        def outcome(*frames):
            lda = papilio.LDA(2, max_iter=2, random_state=1).fit(frames[0])
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    lda.transform(frames[1])
                except (ValueError, TypeError) as error:
                    return str(error).splitlines()[-1]
            assert all(warning.filename == "<string>" for warning in caught)
            return [str(warning.message) for warning in caught]

        abc = Frame(["a", "b", "c"])
        print(outcome(abc, abc))
        print(outcome(abc, Frame(["b", "a", "c"])))
        print(outcome(abc, Frame(["a", "b", "x"])))
        print(outcome(abc, Frame(["a", "b"], np.ones((2, 2), int))))
        print(outcome(abc, Frame(["a", "b", 3]))[:48])
        print(outcome(abc, abc.values))
        print(outcome(abc, Frame([1, 2, 3])))
        print(outcome(abc.values, abc))
        print(outcome(Frame([1, 2, 3]), abc.values))
        lda = papilio.LDA(2, max_iter=2).fit(abc)
        print(lda.feature_names_in_.tolist(), hasattr(lda.fit(abc.values), "feature_names_in_"))
        try:
            papilio.LDA(2, max_iter=2).fit(abc).partial_fit(Frame(["c", "b", "a"]))
        except ValueError as error:
            print(error)
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True)
    assert run.stderr == ""
    assert run.stdout.splitlines() == [
        "[]",
        "Feature names must be in the same order as they were in fit.",
        "- c",
        "- c",
        "Feature names are only supported if all input fe",
        "['X does not have valid feature names, but LDA was fitted with feature names']",
        "['X does not have valid feature names, but LDA was fitted with feature names']",
        "['X has feature names, but LDA was fitted without feature names']",
        "[]",
        "['a', 'b', 'c'] False",
        "The feature names should match those that were passed during fit.",
        "Feature names must be in the same order as they were in fit.",
        "",
    ]


def test_importing_papilio_imports_nothing_heavy():
    script = "import sys, papilio; print([m for m in ('sklearn', 'pandas', 'matplotlib', 'torch') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_nothing_leaks():
    resource = pytest.importorskip("resource")

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB

    matrix = papilio.corpus_to_matrix(papilio.generate_corpus(documents=500, vocabulary=2000, topics=4))

    def work():
        fitted = lda(max_iter=1, transform_method="em", transform_iter=1).fit(matrix)
        fitted.transform(matrix)
        fitted.components_  # 64 kB
        papilio.corpus_to_matrix(fitted._fitted.corpus)

    for _ in range(20):
        work()
    before = peak()
    for _ in range(150):
        work()
    # Corpus and topics, 40,000 tokens, are 160 kB each, the tables 32 and 64 kB: the least of them lost a round is 4.8 MB.
    assert peak() - before < 4 * 1024


def test_reference_counts():
    documents = corpus()

    def callback(progress):
        return progress.sweep < 3

    def failing(progress):
        raise ValueError("no")

    vocabulary = [f"word{w}" for w in range(80)]
    watched = [documents, callback, failing, X, X.data, X.indices, vocabulary, vocabulary[0]]
    result = papilio.train(documents, topics=4, sweeps=1)

    def work():
        papilio.train(documents, topics=4, sweeps=3, progress=callback, resume=result.topics)
        with pytest.raises(ValueError):
            papilio.train(documents, topics=4, progress=failing)
        lda(max_iter=1).fit(X, vocabulary=vocabulary).transform(X)
        with pytest.raises(ValueError):
            lda(max_iter=1).fit(X, vocabulary=vocabulary[1:])
        papilio.Corpus(documents.document_offsets, documents.words, vocabulary)

    work()
    before = [sys.getrefcount(thing) for thing in watched]
    for _ in range(5):
        work()
    assert [sys.getrefcount(thing) for thing in watched] == before
