"""Numbers of topics: what choose_topics measures, keeps and shows, and the comparison of models."""

import copy
import itertools
import json
import math
import os
import pickle
import signal
import subprocess
import threading
import time

import numpy as np
import papilio
import pytest
from topic_models import command, corpus

OPTIONS = {"seeds": 2, "held_out_every": 4, "sweeps": 10, "top_words": 6, "seed": 3}


def measures(result):
    return [run._replace(seconds=0) for run in result.runs], [row._replace(seconds=0) for row in result.rows]


@pytest.fixture(scope="module")
def result():
    return papilio.choose_topics(corpus(), [5, 2, 3], **OPTIONS)


def test_it_is_splitting_training_and_measuring(result):
    training, held_out = papilio.hold_out_every(corpus(), 4)
    assert [(run.topics, run.seed) for run in result.runs] == [(k, s) for k in (2, 3, 5) for s in (3, 4)]
    assert [row.topics for row in result.rows] == [2, 3, 5]
    assert (result.documents, result.held_out_documents, result.measure) == (90, 30, "npmi")
    for row in result.rows:
        models = [papilio.train(training, topics=row.topics, sweeps=10, seed=seed).model for seed in (3, 4)]
        runs = [run for run in result.runs if run.topics == row.topics]
        assert [run.perplexity for run in runs] == [papilio.complete_documents(m, held_out).perplexity for m in models]
        assert [run.coherence for run in runs] == [papilio.coherence(m, training).mean for m in models]
        assert [run.diversity for run in runs] == [papilio.diversity(m, 6) for m in models]
        assert row.stability == papilio.topic_stability(*models, top_words=6).mean
        assert row.perplexity_range == (min(r.perplexity for r in runs), max(r.perplexity for r in runs))
        assert row.seeds == 2 and row.seconds > 0


def test_threads_change_nothing(result):
    assert measures(papilio.choose_topics(corpus(), [2, 3, 5], threads=3, **OPTIONS)) == measures(result)


def test_the_file_keeps_what_is_finished(result, tmp_path):
    state = tmp_path / "state"
    seen = []

    def stop_in_the_third(progress):
        seen.append((progress.model, progress.models, progress.training.sweep))
        return progress.model < 3 or progress.training.sweep < 4

    stopped = papilio.choose_topics(corpus(), [2, 3, 5], state=state, progress=stop_in_the_third, **OPTIONS)
    assert stopped.stopped and len(stopped.runs) == 2 and seen[-1] == (3, 6, 4)
    assert "stopped" in repr(stopped) and math.isnan(stopped.rows[0].stability)
    trained = set()
    again = papilio.choose_topics(
        corpus(), [2, 3, 5], state=state, progress=lambda p: trained.add((p.topics, p.seed)), **OPTIONS
    )
    assert measures(again) == measures(result) and trained == {(5, 3), (2, 4), (3, 4), (5, 4)}
    more = papilio.choose_topics(corpus(), [2, 4], state=state, **OPTIONS)
    assert [run.topics for run in more.runs] == [2, 2, 4, 4]
    before = state.read_bytes()
    for options, says in [
        ({"sweeps": 11}, "settings.sweeps"),
        ({"alpha_sum": 5}, "settings.alpha"),
        ({"measure": "umass"}, "settings.coherence"),
        ({"held_out_every": 5}, "settings.held_out_every"),
    ]:
        with pytest.raises(ValueError, match=f"another run: {says}"):
            papilio.choose_topics(corpus(), [2], state=state, **{**OPTIONS, **options})
    with pytest.raises(ValueError, match="another corpus, .* it has 120 documents, .* expected 119 documents"):
        papilio.choose_topics(corpus(119), [2], state=state, **OPTIONS)
    state.write_bytes(before[:-9])
    with pytest.raises(papilio.FormatError):
        papilio.choose_topics(corpus(), [2], state=state, **OPTIONS)


def test_a_file_that_cannot_be_written_is_a_warning(result, tmp_path):
    with pytest.warns(RuntimeWarning, match="is not in the file"):
        got = papilio.choose_topics(corpus(), [2, 3, 5], state=tmp_path / "no/folder", **OPTIONS)
    assert measures(got) == measures(result)


def test_an_exception_of_progress_comes_out(tmp_path):
    def fail(progress):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        papilio.choose_topics(corpus(), [2], progress=fail, **OPTIONS)


@pytest.mark.parametrize(
    ("topics", "options", "says"),
    [
        ([], {}, "topics is empty"),
        ([2, 2], {}, "topics has 2 twice"),
        ([0], {}, r"topics\[0\] is 0"),
        ([2, 91], {}, "91 topics are more than the 90 documents trained on"),
        ([2], {"seeds": 0}, "seeds is 0"),
        ([2], {"held_out_every": 1}, "held_out_every is 1"),
        ([2], {"held_out_every": 121}, "no held-out document"),
        ([2], {"top_words": 0}, "top_words is 0"),
        ([2], {"coherence_words": 1}, "coherence_words is 1"),
        ([2], {"measure": "none"}, "none"),
        ([2], {"measure": "umass", "window": 5}, "umass counts documents"),
        ([2], {"alpha_sum": -1}, "alpha_sum is -1"),
        ([2], {"seed": 2**64 - 1}, "seeds in a row below 2"),
    ],
)
def test_what_is_refused(topics, options, says):
    with pytest.raises(ValueError, match=says):
        papilio.choose_topics(corpus(), topics, **{**OPTIONS, **options})


@pytest.mark.parametrize(
    ("topics", "options", "says"),
    [
        ("20,50", {}, "expected numbers of topics"),
        (20, {}, "expected numbers of topics"),
        ([2.5], {}, r"topics\[0\] is 2.5"),
        ([2], {"seeds": 2.5}, "seeds is 2.5"),
        ([2], {"progress": 3}, "expected a function"),
        ([2], {"state": 3}, "expected a str"),
        ([2], {"sweepz": 3}, "did you mean 'sweeps'"),
        ([2], {"alpha_sum": "x"}, "alpha_sum"),
    ],
)
def test_types(topics, options, says):
    with pytest.raises(TypeError, match=says):
        papilio.choose_topics(corpus(), topics, **{**OPTIONS, **options})
    with pytest.raises(TypeError, match="expected a papilio.Corpus"):
        papilio.choose_topics(["cats purr"], [2])


def test_how_it_shows_itself(result):
    assert repr(result) == "ChooseResult(topics 2, 3, 5; 6 models)"
    page = result._repr_html_()
    assert page.count("<tr>") == 4 and f"{result.rows[1].perplexity:.2f}" in page
    alone = papilio.choose_topics(corpus(), [2], seeds=1, sweeps=2, top_words=3)
    assert "<td>-</td>" in alone._repr_html_() and "nothing to compare" in alone.summary
    assert result.summary.startswith("Held-out documents are predicted best with ")
    for broken in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError, match="cannot be pickled"):
            broken(result)


def test_the_page_is_the_commands(result):
    page = result.page('<script>"&')
    assert "&lt;script&gt;&quot;&amp;" in page and page.count("<script") == 1 and page.count("<svg ") == 4
    assert page == result.page('<script>"&') and "Seconds" not in page and "Seconds" in result.page(times=True)
    with pytest.raises(TypeError, match="title is 3"):
        result.page(3)


def test_a_data_frame(result):
    pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert frame.index.tolist() == [2, 3, 5] and frame.loc[3, "perplexity"] == result.rows[1].perplexity
    runs = result.to_pandas(runs=True)
    assert runs.loc[(5, 4), "diversity"] == result.runs[-1].diversity and len(runs) == 6
    with pytest.raises(TypeError, match="expected True or False"):
        result.to_pandas(runs="no")


def test_the_plot_has_a_panel_per_measure(result):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    panels = result.plot()
    assert [ax.get_title() for ax in panels] == ["held-out perplexity", "coherence", "diversity", "stability"]
    for ax, name in zip(panels, ("perplexity", "coherence", "diversity", "stability")):
        (line,) = ax.get_lines()
        assert line.get_xdata().tolist() == [2, 3, 5]
        assert line.get_ydata().tolist() == [getattr(row, name) for row in result.rows]
    points = panels[0].collections[0].get_offsets()
    assert points[:, 1].tolist() == [run.perplexity for run in result.runs]
    figure = plt.figure()
    assert {ax.figure for ax in papilio.plot.choose_topics(result, figure=figure)} == {figure}
    figure.canvas.draw()
    plt.close("all")


def test_ctrl_c_ends_it_within_a_second(tmp_path):
    large = papilio.generate_corpus(documents=3000, vocabulary=2000, topics=20, mean_length=100)
    pressed = []

    def press():
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background may ignore it
    timer = threading.Timer(0.5, press)
    timer.start()
    end = time.monotonic() + 60
    try:
        with pytest.raises(KeyboardInterrupt):
            papilio.choose_topics(
                large, [100, 200], sweeps=100_000, state=tmp_path / "state", progress=lambda _: time.monotonic() < end
            )
        assert time.monotonic() - pressed[0] < 5
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(command() is None, reason="there is no command")
def test_a_command_and_a_call_are_one(result, tmp_path):
    papilio.write_corpus(corpus(), tmp_path / "made.papilio-corpus")
    options = "--seeds 2 --every 4 --sweeps 10 --seed 3 --json -q --device cpu".split()
    line = [command(), "choose", "made.papilio-corpus", "-k", "2,3,5", *options]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [run["perplexity"] for run in found["runs"]] == [run.perplexity for run in result.runs]


def test_stability_by_all_assignments():
    models = [papilio.train(corpus(), topics=4, sweeps=10, seed=seed).model for seed in (1, 2)]
    words = [[{w for w, _ in model.top_words(k, 25)} for k in range(4)] for model in models]
    similarity = [[len(a & b) / len(a | b) for b in words[1]] for a in words[0]]
    best = max(sum(similarity[k][order[k]] for k in range(4)) / 4 for order in itertools.permutations(range(4)))
    found = papilio.topic_stability(*models)
    assert found.mean == pytest.approx(best, abs=1e-11) and sorted(found.partner.tolist()) == [0, 1, 2, 3]
    assert found.similarity.tolist() == [similarity[k][found.partner[k]] for k in range(4)]
    assert repr(found) == f"TopicStability(4 topics, mean {found.mean:.4g})"
    assert found.partner.dtype == np.int32
    other = papilio.train(corpus(), topics=3, sweeps=2).model
    with pytest.raises(ValueError, match="4 topics, the other 3"):
        papilio.topic_stability(models[0], other)
    with pytest.raises(TypeError, match="expected a papilio.Model"):
        papilio.topic_stability(models[0], "model")
