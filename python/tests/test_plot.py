"""What the plots show, by the artists' data."""

import numpy as np
import papilio
import pytest
from topic_models import corpus, counts

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from papilio import plot  # noqa: E402


@pytest.fixture(scope="module")
def lda():
    return papilio.LDA(4, max_iter=30, random_state=1).fit(corpus())


@pytest.fixture(autouse=True)
def no_figure_stays():
    yield
    plt.close("all")


def test_topic_words_are_bars_of_probabilities(lda):
    panels = plot.topic_words(lda, [2, 0], top_n=5)
    assert [ax.get_title() for ax in panels] == ["topic 2", "topic 0"]
    words, shares = zip(*lda.model_.top_words(2, 5))
    assert [bar.get_width() for bar in panels[0].patches] == list(shares)
    assert [label.get_text() for label in panels[0].get_yticklabels()] == list(words)
    tops = [panels[0].transData.transform((0, bar.get_y()))[1] for bar in panels[0].patches]
    assert tops == sorted(tops, reverse=True)  # the most probable is highest
    panels[0].figure.canvas.draw()


def test_topic_words_of_the_largest_topics_by_default(lda):
    panels = plot.topic_words(lda.model_, columns=2)
    order = np.argsort(-lda.model_.n_k, kind="stable")
    assert [ax.get_title() for ax in panels] == [f"topic {k}" for k in order]
    figure = plt.figure()
    assert {ax.figure for ax in plot.topic_words(lda, [1], figure=figure)} == {figure}
    for wrong in ([4], [-1]):
        with pytest.raises(ValueError, match="expected 0 to 3"):
            plot.topic_words(lda, wrong)


def test_likelihood_is_the_curve(lda, tmp_path):
    ax = plot.likelihood(lda, label="here")
    (line,) = ax.get_lines()
    assert np.array_equal(line.get_xydata(), lda.log_joint_curve_) and line.get_label() == "here"
    assert line.get_xdata().tolist() == [10, 20, 30]
    assert plot.likelihood(lda, ax=ax) is ax and len(ax.get_lines()) == 2
    lda.save(tmp_path / "model")
    with pytest.raises(ValueError, match="has no curve"):
        plot.likelihood(papilio.LDA.load(tmp_path / "model"))


def test_topic_map_places_topics_by_their_words():
    # Topics 0 and 1 nearly the same, 2 apart.
    n_wk = np.array([[50, 48, 0], [50, 52, 0], [0, 0, 40], [0, 0, 10]], np.int32)
    model = papilio.Model(n_wk, np.full(3, 0.1), 0.01, ["a", "b", "c", "d"])
    ax = plot.topic_map(model, top_n=1)
    (circles,) = ax.collections
    positions = circles.get_offsets()
    distances = np.linalg.norm(positions[:, None] - positions, axis=2)
    assert distances[0, 1] < 0.05 < 0.9 < distances[0, 2] < 1.1
    assert np.allclose(circles.get_sizes() / circles.get_sizes().sum(), [0.4, 0.4, 0.2])
    assert [text.get_text() for text in ax.texts] == ["0 a", "1 b", "2 c"]
    assert np.allclose(positions.mean(axis=0), 0)
    for text, position in zip(ax.texts, positions):
        assert np.allclose(text.xy, position)


def test_distances_are_those_of_jensen_and_shannon(lda):
    spatial = pytest.importorskip("scipy.spatial.distance")
    phi = lda.model_.phi()
    expected = [[spatial.jensenshannon(p, q, base=2) for q in phi] for p in phi]
    assert np.allclose(plot.topic_distances(lda.model_), expected, atol=1e-7)
    # Three points are in the plane exactly.
    model = papilio.train(corpus(), topics=3, sweeps=10).model
    positions = plot.topic_positions(model)
    found = np.linalg.norm(positions[:, None] - positions, axis=2)
    assert np.allclose(found, plot.topic_distances(model), atol=1e-7)
    one = papilio.train(corpus(), topics=1, sweeps=1).model
    assert plot.topic_positions(one).tolist() == [[0, 0]]


def test_document_topics_are_a_heat_map(lda):
    theta = lda.transform(counts()[:10])
    ax = plot.document_topics(theta, names=[f"d{d}" for d in range(10)])
    (image,) = ax.get_images()
    assert np.array_equal(image.get_array(), theta) and image.get_clim() == (0, 1)
    assert [label.get_text() for label in ax.get_yticklabels()] == [f"d{d}" for d in range(10)]
    with pytest.raises(ValueError, match="2 names for 10"):
        plot.document_topics(theta, names=["a", "b"])
    with pytest.raises(ValueError, match="1 dimension"):
        plot.document_topics(theta[0])


def overlaps(ax):
    """How many pairs of labels of a picture overlap, by the boxes in which they are drawn."""
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    return sum(a.overlaps(b) for number, a in enumerate(boxes) for b in boxes[:number])


@pytest.mark.parametrize("topics", [50, 1000])
def test_a_map_of_many_topics_can_be_read(topics):
    generator = np.random.default_rng(7)
    n_wk = generator.multinomial(5000, generator.dirichlet(np.full(200, 0.05), size=topics)).T.astype(np.int32)
    n_wk *= generator.integers(1, 9, topics).astype(np.int32)
    model = papilio.Model(n_wk, np.full(topics, 0.1), 0.01, [f"word{w}" for w in range(200)])
    ax = plot.topic_map(model)
    assert overlaps(ax) == 0
    largest = np.argsort(-model.n_k, kind="stable").tolist()
    labelled = {int(text.get_text().split()[0]) for text in ax.texts}
    assert set(largest[:8]) <= labelled and len(labelled) > (40 if topics == 50 else 60)
    assert labelled <= set(largest[:200])
    assert (ax.figure.get_size_inches() <= 12).all() and len(ax.collections[0].get_offsets()) == topics
    frame = ax.get_window_extent()
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for box in (t.get_window_extent() for t in ax.texts))


@pytest.mark.parametrize("documents", [1000, 1001, 5000, 63666])
def test_pictures_of_many_documents_are_bounded(documents):
    theta = np.zeros((documents, 20), np.float32)
    theta[np.arange(documents), np.arange(documents) * 20 // documents] = 1
    ax = plot.document_topics(theta, names=[f"d{d}" for d in range(documents)])
    assert (ax.figure.get_size_inches() <= [16, 20]).all()
    (image,) = ax.get_images()
    rows = image.get_array()
    together = -(-documents // 1000)
    assert rows.shape == (-(-documents // together), 20) and len(ax.get_yticks()) <= 100
    assert np.allclose(rows.sum(axis=1), 1, atol=1e-6)
    assert np.allclose(rows[-1], theta[(len(rows) - 1) * together :].mean(axis=0))
    assert ax.get_ylim() == (documents - 0.5, -0.5)
    ax.figure.canvas.draw()
