"""LDA under scikit-learn: its checks of estimators, and its own tests of LatentDirichletAllocation."""

import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest

import papilio
from papilio._feature_names import check_feature_names

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator
from topic_models import counts

BEFORE_1_6 = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 6)
from_1_6 = pytest.mark.skipif(
    BEFORE_1_6, reason=f"scikit-learn {sklearn.__version__}: before 1.6 LDA does without its classes and validate_data"
)
FRACTIONS = "X holds fractions, which are no counts; LDA refuses them unless fractional='round'"
# Checks that fit on fractions, which only an LDA that rounds them can pass.
CHECKS_ON_FRACTIONS = [
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimator_sparse_tag",
    "check_estimators_dtypes",
    "check_estimators_fit_returns_self",
    "check_estimators_nan_inf",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_pipeline_consistency",
    "check_readonly_memmap_input",
    "check_transformer_data_not_an_array",
    "check_transformer_general",
    "check_transformer_n_iter",
    "check_transformer_preserve_dtypes",
]


def failed(estimator, **options):
    """The names of checks that did not pass; one asks for array-API support, which is off everywhere, and is skipped."""
    results = check_estimator(estimator, on_fail=None, on_skip=None, **options)
    assert len(results) > 40
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}
    return {(result["check_name"], str(result["exception"])) for result in results if result["status"] == "failed"}, {
        result["check_name"] for result in results if result["status"] == "xfail"
    }


@from_1_6
def test_all_checks_pass_where_fractions_are_rounded():
    for sampler in ("collapsed", "uncollapsed"):
        assert failed(papilio.LDA(3, max_iter=10, sampler=sampler, fractional="round")) == (set(), set())


@from_1_6
def test_all_checks_of_counts_pass_by_default():
    expected = dict.fromkeys(CHECKS_ON_FRACTIONS, FRACTIONS)
    unexpected, excepted = failed(papilio.LDA(3, max_iter=10), expected_failed_checks=expected)
    assert unexpected == set()
    assert excepted == set(CHECKS_ON_FRACTIONS)  # none is excepted that would pass


def test_clone_keeps_every_parameter():
    lda = papilio.LDA(7, doc_topic_prior=0.2, sampler="uncollapsed", callback=print, device="cpu")
    other = clone(lda)
    assert other.get_params() == lda.get_params() and other is not lda


def test_pipeline_and_grid_search():
    texts = ["cats purr and cats sleep", "dogs bark at cats", "stars shine at night", "the moon and stars"] * 10
    pipeline = make_pipeline(CountVectorizer(), papilio.LDA(2, max_iter=20, random_state=0))
    theta = pipeline.fit_transform(texts)
    assert theta.shape == (40, 2)
    assert pipeline.get_feature_names_out().tolist() == ["lda0", "lda1"]
    words = pipeline[0].get_feature_names_out()
    pipeline.fit(texts, lda__vocabulary=words)
    assert pipeline[1].vocabulary_ == list(words)
    search = GridSearchCV(papilio.LDA(max_iter=10, random_state=0), {"n_components": [2, 3]}, cv=2)
    search.fit(pipeline[0].transform(texts))
    assert search.best_params_["n_components"] in (2, 3)


@from_1_6
def test_data_frames_in_and_out():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(counts().toarray(), columns=[f"word{w}" for w in range(80)])
    lda = papilio.LDA(3, max_iter=5, random_state=0).set_output(transform="pandas").fit(X)
    assert lda.vocabulary_[3] == lda.feature_names_in_[3] == "word3"
    theta = lda.transform(X)
    assert list(theta.columns) == ["lda0", "lda1", "lda2"]
    with pytest.raises(ValueError, match="feature names"):
        lda.transform(X[X.columns[::-1]])


@from_1_6
@pytest.mark.parametrize("second", ["abcd", "bacd", "abcx", "abcdefghijk", "uvwxyz", [1, 2, 3, 4], [*"abc", 4], None])
@pytest.mark.parametrize("first", ["abcd", [1, 2, 3, 4], None])
@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_columns_are_matched_as_scikit_learn_does(package, first, second):
    """What papilio does without scikit-learn 1.6 is what this one does, by its words."""
    module = pytest.importorskip(package)
    from sklearn.utils.validation import validate_data

    def frame(names):
        values = np.arange(1, 1 + 3 * len(names or "four")).reshape(3, -1)
        if names is None:
            return values
        if package == "pandas":
            return module.DataFrame(values, columns=list(names))
        columns = {str(name): column for name, column in zip(names, values.T)}
        return module.DataFrame(columns) if package == "polars" else module.table(columns)

    def outcome(check):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                check(frame(first), True)
                check(frame(second), False)
            except (TypeError, ValueError) as error:
                return type(error), str(error)[:80] if isinstance(error, TypeError) else str(error)
        return [str(warning.message) for warning in caught]

    class LDA:
        pass

    estimator, twin = LDA(), papilio.LDA()

    def theirs(X, reset):
        validate_data(twin, X, reset=reset, skip_check_array=True, ensure_2d=False)  # which leaves out the width

    assert outcome(lambda X, reset: check_feature_names(estimator, X, reset)) == outcome(theirs)
    assert list(getattr(estimator, "feature_names_in_", [])) == list(getattr(twin, "feature_names_in_", []))


def test_clone_by_an_older_scikit_learn():
    """From 1.3 to 1.5 `clone` asks for `__sklearn_clone__`, but LDA has a base of papilio's own, which has none."""
    script = """
        import sklearn.utils.validation
        vars(sklearn.utils.validation).pop("validate_data", None)  # which 1.5 does not have
        import numpy as np
        import papilio
        from sklearn.base import BaseEstimator, clone

        class Ranks:
            def __deepcopy__(self, memo):
                raise TypeError("belongs to a running job")

        assert not issubclass(papilio.LDA, BaseEstimator)
        prior, ranks = np.array([0.1, 0.2]), Ranks()
        lda = papilio.LDA(2, doc_topic_prior=prior, max_iter=3, callback=print, ranks=ranks)
        lda.fitted = True
        other = clone(lda)
        assert type(other) is papilio.LDA and other is not lda and not hasattr(other, "fitted")
        assert other.ranks is ranks and other.doc_topic_prior is not prior
        assert other.doc_topic_prior.tolist() == prior.tolist()
        for name in ("n_components", "max_iter", "callback", "sampler"):
            assert getattr(other, name) == getattr(lda, name)
        print("ok")
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True)
    assert run.stdout == "ok\n", run.stderr


# scikit-learn's own tests, run as they are with papilio's class under the name of theirs.

suite = pytest.importorskip("sklearn.decomposition.tests.test_online_lda")


class LatentDirichletAllocation(papilio.LDA):
    """Only the name, which some tests look for in messages and names of columns, is theirs."""


# Which tests do not pass, and why.
EXCEPTIONS = {
    "test_lda_preplexity_mismatch": "calls a private method of scikit-learn's class",
    "test_lda_dtype_match": FRACTIONS,
    "test_lda_numerical_consistency": FRACTIONS,
    "test_verbosity": "counts lines on standard output; ours go to standard error, see below",
}
if BEFORE_1_6:
    EXCEPTIONS["test_lda_no_component_error"] = "expects scikit-learn's NotFittedError; LDA has its own before 1.6"
NOT_ABOUT_LDA = {"test_dirichlet_expectation"}  # of a function of scikit-learn


@pytest.fixture(autouse=True)
def in_place_of_scikit_learns(monkeypatch):
    monkeypatch.setattr(suite, "LatentDirichletAllocation", LatentDirichletAllocation)


@pytest.fixture
def global_dtype():
    return float


@pytest.fixture
def global_random_seed():
    return 42


def _excepted(name, function):
    if name == "test_verbosity":  # passes where nothing is to be printed
        return pytest.mark.xfail(reason=EXCEPTIONS[name])(function)
    if name in EXCEPTIONS:
        return pytest.mark.xfail(strict=True, reason=EXCEPTIONS[name])(function)
    return pytest.mark.filterwarnings("ignore:LDA. .*:UserWarning")(function)


their_tests = {name: function for name, function in vars(suite).items() if name.startswith("test_")}
assert EXCEPTIONS.keys() | NOT_ABOUT_LDA < their_tests.keys()
for name in NOT_ABOUT_LDA:
    del their_tests[name]
globals().update({name: _excepted(name, function) for name, function in their_tests.items()})


@pytest.mark.parametrize("verbose, evaluate_every, lines", [(0, 1, 0), (0, 0, 0), (1, 0, 1), (1, 1, 60), (1, 20, 3)])
def test_verbosity_on_standard_error(verbose, evaluate_every, lines, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tqdm.auto", None)
    components, X = suite._build_sparse_array(suite.CSR_CONTAINERS[0])
    papilio.LDA(components, max_iter=60, verbose=verbose, evaluate_every=evaluate_every).fit(X)
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == lines


def test_the_swap_finds_the_same_topics():
    """Parameters as scikit-learn's users write them, on documents whose topics both classes find."""
    from sklearn.decomposition import LatentDirichletAllocation as Theirs

    X = counts(1000)
    written = {"n_components": 4, "learning_method": "batch", "max_iter": 60, "mean_change_tol": 1e-3, "random_state": 0}
    theirs = Theirs(**written).fit(X)
    with pytest.warns(UserWarning, match="LDA: learning_method, mean_change_tol belong to scikit-learn's"):
        ours = papilio.LDA(**written).fit(X)
    phi = [model.components_ / model.components_.sum(axis=1, keepdims=True) for model in (theirs, ours)]
    nearest = [int(np.abs(phi[1] - topic).sum(axis=1).argmin()) for topic in phi[0]]
    assert sorted(nearest) == [0, 1, 2, 3]
    assert np.abs(phi[1][nearest] - phi[0]).sum(axis=1).max() < 0.1
    largest = np.argsort(nearest)[ours.transform(X).argmax(axis=1)]
    assert (theirs.transform(X).argmax(axis=1) == largest).mean() > 0.9
