"""Model.label, merge and drop: new models, with their labels and their history."""

import copy
import pickle

import numpy as np
import pytest

import papilio


@pytest.fixture
def model():
    counts = np.array([[5, 1, 0, 2], [0, 3, 7, 2]], np.int32)
    return papilio.Model(counts, np.array([0.5, 0.25, 1, 2]), 0.1, ["cats", "dogs"])


def test_merge_adds_counts_and_alphas(model):
    merged = model.merge([[3, 1]])
    assert merged.n_wk.tolist() == [[5, 3, 0], [0, 5, 7]]
    assert merged.n_k.tolist() == [5, 8, 7]
    assert merged.alpha.tolist() == [0.5, 2.25, 1]
    assert merged.edits == [(["merge", "3,1"], model.hash())]
    assert model.merge(np.array([[3, 1], [0, 2]])).n_k.tolist() == [12, 8]
    assert (model.topics, model.edits) == (4, [])


def test_drop_leaves_topics_out(model):
    dropped = model.drop([2, np.int64(0)])
    assert dropped.n_wk.tolist() == [[1, 2], [3, 2]]
    assert dropped.alpha.tolist() == [0.25, 2]
    assert dropped.vocabulary == model.vocabulary
    assert dropped.edits == [(["drop", "2", "0"], model.hash())]


def test_labels_follow_their_topics(model):
    assert model.labels == ["", "", "", ""]
    labelled = model.label({1: "Sport", 3: "Politics and law"})
    assert labelled.labels == ["", "Sport", "", "Politics and law"]
    assert labelled.drop([0]).labels == ["Sport", "", "Politics and law"]
    assert labelled.merge([[0, 3]]).labels == ["Politics and law", "Sport", ""]
    assert labelled.label({1: ""}).labels == ["", "", "", "Politics and law"]
    made = papilio.Model(model.n_wk, model.alpha, model.beta, model.vocabulary, labels=labelled.labels)
    assert made.labels == labelled.labels


def test_files_and_pickles_keep_labels_and_history(model, tmp_path):
    edited = model.label({3: "Politics"}).merge([[0, 2]])
    papilio.save_model(edited, tmp_path / "edited")
    for kept in (papilio.load_model(tmp_path / "edited"), pickle.loads(pickle.dumps(edited)), copy.deepcopy(edited)):
        assert kept.labels == ["", "", "Politics"]
        assert kept.edits == edited.edits
        assert kept.hash() == edited.hash()
    assert [change for change, _ in edited.edits] == [["label", "3=Politics"], ["merge", "0,2"]]


SEEDS = np.array([[0, 0, 10], [1, 0, 20], [3, 0, 40], [1, 1, 100], [2, 1, 200]], np.int32)  # topic, word, weight


def seeded(model, rows=SEEDS):
    return papilio.Model(model.n_wk, model.alpha, model.beta, model.vocabulary, seed_words=rows)


def test_seed_words_are_merged_and_dropped_with_their_topics(model):
    before = seeded(model)
    merged = before.merge([[3, 1]])
    assert merged.seed_words.tolist() == [[0, 0, 10], [1, 0, 60], [1, 1, 100], [2, 1, 200]]
    assert merged.phi()[1, 0] == pytest.approx((3 + 60 + 0.1) / (8 + 160 + 2 * 0.1), rel=1e-15)
    dropped = before.drop([1])
    assert dropped.seed_words.tolist() == [[0, 0, 10], [2, 0, 40], [1, 1, 200]]
    np.testing.assert_array_equal(dropped.phi(), before.phi()[[0, 2, 3]])
    assert seeded(model, [[2, 1, 5]]).drop([2]).seed_words.shape == (0, 3)


def test_seed_words_that_would_weigh_too_much_are_refused(model):
    heavy = seeded(model, [[0, 1, 999_993], [2, 1, 7], [3, 1, 8]])
    assert heavy.merge([[0, 2]]).seed_words.tolist() == [[0, 1, 1_000_000], [2, 1, 8]]
    with pytest.raises(ValueError, match="seed word 1 would weigh 1000001 in topic 0, expected at most 1000000"):
        heavy.merge([[0, 3]])


def test_seed_words_labels_and_history_are_kept_together(model, tmp_path):
    edited = seeded(model).label({3: "Politics"}).merge([[1, 3]]).drop([0])
    papilio.save_model(edited, tmp_path / "edited")
    for kept in (papilio.load_model(tmp_path / "edited"), pickle.loads(pickle.dumps(edited)), copy.deepcopy(edited)):
        assert kept.seed_words.tolist() == [[0, 0, 60], [0, 1, 100], [1, 1, 200]]
        assert kept.labels == ["Politics", ""]
        assert [change[0] for change, _ in kept.edits] == ["label", "merge", "drop"]
        assert kept.hash() == edited.hash()
    lda = papilio.LDA.load(tmp_path / "edited")
    assert lda.seed_words == {0: {"cats": 60, "dogs": 100}, 1: {"dogs": 200}}


def test_pickles_of_earlier_versions_are_read(model):
    read = papilio.Model.__new__(papilio.Model)
    read.__setstate__(model.__getstate__()[:5])
    assert read.hash() == model.hash()


def test_edited_models_are_models(model):
    corpus = papilio.corpus_from_tokens([["cats", "dogs", "dogs"], ["cats"]])
    edited = model.label({2: "Dogs"}).drop([0])
    theta = papilio.infer(edited, corpus, sweeps=10, burn_in=2).theta
    assert theta.shape == (2, 3)
    np.testing.assert_allclose(theta.sum(1), 1, rtol=1e-5)
    assert "<td>Dogs</td>" in edited._repr_html_()
    assert "label" not in model._repr_html_()


def test_tables_of_labelled_models(tmp_path):
    corpus = papilio.corpus_from_tokens([["cats", "dogs"] * 5, ["law", "vote"] * 5] * 5)
    lda = papilio.LDA(2, max_iter=5, random_state=1).fit(corpus)
    papilio.save_model(lda.model_.label({1: "Law"}), tmp_path / "labelled")
    table = papilio.LDA.load(tmp_path / "labelled").topics()
    labels = table["label"].tolist() if hasattr(table, "columns") else [row["label"] for row in table]
    assert labels == ["", "Law"]
    plain = lda.topics()
    assert "label" not in (plain.columns if hasattr(plain, "columns") else plain[0])


@pytest.mark.parametrize(
    ("edit", "error", "says"),
    [
        (lambda m: m.merge([3, 1]), TypeError, r"papilio.Model.merge: groups is \[3, 1\], expected lists of topics"),
        (lambda m: m.merge("3,1"), TypeError, "expected lists of topics, as in"),
        (lambda m: m.merge(3), TypeError, "expected lists of topics, as in"),
        (lambda m: m.merge([[3, 1.5]]), TypeError, r"groups\[0\]\[1\] is 1.5, expected a whole number"),
        (lambda m: m.merge([[3, True]]), TypeError, r"groups\[0\]\[1\] is True"),
        (lambda m: m.merge([[3, -1]]), ValueError, r"groups\[0\]\[1\] is -1"),
        (lambda m: m.merge([[3, 2**40]]), ValueError, r"groups\[0\]\[1\] is 1099511627776"),
        (lambda m: m.merge([[3]]), ValueError, "a group has 1 topics, expected two or more"),
        (lambda m: m.merge([]), ValueError, "no topics to merge"),
        (lambda m: m.merge([[3, 4]]), ValueError, "topic 4, expected 0 <= topic < 4"),
        (lambda m: m.merge([[3, 1], [1, 2]]), ValueError, "topic 1 is given twice"),
        (lambda m: m.drop(3), TypeError, r"papilio.Model.drop: topics is 3, expected a list of topics, as in \[4, 9\]"),
        (lambda m: m.drop(["3"]), TypeError, r"topics\[0\] is '3'"),
        (lambda m: m.drop([0, 1, 2, 3]), ValueError, "all 4 topics are given"),
        (lambda m: m.label(["a"]), TypeError, r"labels is \['a'\], expected a dict of topics and their labels"),
        (lambda m: m.label({1: None}), TypeError, r"labels\[1\] is None, expected a str"),
        (lambda m: m.label({"1": "a"}), TypeError, "a topic of papilio.Model.label: labels is '1'"),
        (lambda m: m.label({1: "a\n"}), ValueError, "has a control character"),
        (lambda m: m.label({1: "7"}), ValueError, "is a number, which would be taken"),
        (lambda m: m.label({1: "a", 2: "a"}), ValueError, "topics 1 and 2 have the same label, a"),
        (lambda m: m.label({}), ValueError, "no labels are given"),
    ],
)
def test_mistakes_are_named(model, edit, error, says):
    with pytest.raises(error, match=says):
        edit(model)
