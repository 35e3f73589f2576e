"""The page of a report: the bytes of the command, what it refuses, and what a notebook shows."""

import html
import json
import re
import shutil
import subprocess

import numpy as np
import papilio
import pytest
from papilio._lda import NotFittedError
from topic_models import command, corpus

HOSTILE = '</script><script>window.hurt=1</script><img src=x onerror=window.hurt=1>"\'&'
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
TEXTS = [f"Cats {'purr ' * (1 + d % 3)} and dogs bark, {d} times. {HOSTILE if d == 4 else ''}" for d in range(30)]


@pytest.fixture(scope="module")
def lda():
    priors = {"doc_topic_prior": 0.5, "topic_word_prior": 0.1}
    return papilio.LDA(2, max_iter=20, random_state=3, device="cpu", **priors).fit(TEXTS)


def data_of(page):
    return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page.html, re.S)[1])


def test_the_page_is_the_commands(lda, tmp_path):
    papilio_command = command()
    if papilio_command is None:
        pytest.skip("the command papilio is not built; PAPILIO_COMMAND names one")
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS) + "\n")
    (tmp_path / "years").write_text("\n".join(str(2000 + d % 4) for d in range(30)) + "\n")
    lda.save(tmp_path / "model")
    curve = lda.log_joint_curve_.tolist()
    log = [f'{{"sweep":{int(sweep)},"log_joint_per_token":{value!r}}}' for sweep, value in curve]
    (tmp_path / "log").write_text("\n".join(log) + "\n")
    line = [papilio_command, "report", "model", "texts.txt", "-o", "page.html", "--title", "Pets & more", "-n", "12"]
    line += ["--documents", "3", "--excerpt", "40", "--group-file", "years", "--training-log", "log", "--seed", "9"]
    subprocess.run(line, cwd=tmp_path, check=True)
    theirs = (tmp_path / "page.html").read_bytes()
    origin = data_of(papilio.Report(theirs.decode(), ""))["origin"]
    facts = {name: value for name, value in origin["facts"] if name.startswith("SHA-256")}
    shown = {"title": "Pets & more", "words": 12, "documents": 3, "excerpt": 40, "seed": 9}
    years = [str(2000 + d % 4) for d in range(30)]
    for threads in (1, 2):
        page = lda.report(TEXTS, groups=years, facts=facts, command=origin["command"], threads=threads, **shown)
        page.save(tmp_path / "ours.html")
        assert (tmp_path / "ours.html").read_bytes() == theirs
    by_function = papilio.report(
        lda.model_, papilio.corpus_from_texts(TEXTS), texts=TEXTS, groups=years, facts=facts,
        command=origin["command"], likelihood=lda.log_joint_curve_, **shown,
    )  # fmt: skip
    assert by_function.html == page.html


def test_what_an_lda_shows_by_itself(lda):
    data = data_of(lda.report(texts=TEXTS))
    assert len(data["topics"]) == 2 and data["title"] == "Topics"
    assert np.allclose(data["origin"]["likelihood"], lda.log_joint_curve_, atol=1e-6)
    assert any(document["text"].startswith("Cats purr") for document in data["documents"])
    assert lda.report().html == papilio.report(lda, lda._fitted.corpus, likelihood=lda.log_joint_curve_).html
    alone = papilio.LDA.from_model(lda.model_)
    assert alone.report().html == lda.model_.report().html == papilio.report(lda.model_).html
    few = alone.report(TEXTS[:7])
    assert len(data_of(few)["documents"]) <= 7 and "Cats purr" in few.html


def rows(table):
    return table.to_dict("records") if hasattr(table, "to_dict") else table


def test_typical_documents_are_the_commands(lda, tmp_path):
    made = papilio.corpus_from_texts(TEXTS)
    table = rows(papilio.typical_documents(lda.model_, made, documents=3, excerpt=40, texts=TEXTS, seed=9))
    assert [(row["topic"], row["rank"]) for row in table] == [(k, rank) for k in (0, 1) for rank in (1, 2, 3)]
    assert all(" ".join(TEXTS[row["document"]].split()).startswith(row["text"][:30]) for row in table)
    shown = {"documents": 3, "excerpt": 40, "seed": 9}
    assert rows(lda.typical_documents(TEXTS, threads=2, **shown)) == table
    assert rows(lda.typical_documents(texts=TEXTS, **shown)) == table  # the training documents
    theta = papilio.infer(lda, made, sweeps=30, burn_in=10, seed=9).theta
    for k in (0, 1):
        shares = [row["share"] for row in table if row["topic"] == k]
        assert shares == sorted(theta[:, k].tolist(), reverse=True)[:3]
    papilio_command = command()
    if papilio_command is None:
        pytest.skip("the command papilio is not built; PAPILIO_COMMAND names one")
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS) + "\n")
    lda.save(tmp_path / "model")
    line = [papilio_command, "topics", "model", "--documents", "3", "--corpus", "texts.txt", "--excerpt", "40"]
    out = subprocess.run([*line, "--seed", "9", "--json"], cwd=tmp_path, check=True, capture_output=True, text=True)
    theirs = {topic["topic"]: topic["documents"] for topic in json.loads(out.stdout)["topics"]}
    for k in (0, 1):
        ours = [(row["document"], row["text"]) for row in table if row["topic"] == k]
        assert [(document["document"], document["text"]) for document in theirs[k]] == ours


def test_typical_documents_of_names_and_labels_or_of_words(lda):
    named = papilio.corpus_from_tokens([["cats", "cats"], ["dogs"], []], names=["x", "y", "empty"])
    model = lda.model_.label({1: "Pets"})
    table = rows(papilio.typical_documents(model, named))
    assert {row["name"] for row in table} == {"x", "y"} and {row["label"] for row in table} == {"", "Pets"}
    assert {row["text"] for row in table if row["name"] == "x"} == {"cats"}  # its most frequent words
    assert rows(papilio.typical_documents(model, named, documents=0)) == []
    for wrong, error, message in (
        ({"texts": TEXTS}, ValueError, "there are 30 texts for 3 documents"),
        ({"texts": [None] * 3}, TypeError, "text 0 is None, expected a str"),
        ({"documents": -1}, ValueError, r"papilio\.typical_documents: documents is -1"),
        ({"excerpt": 0}, ValueError, "excerpt is 0"),
        ({"text": TEXTS}, TypeError, "did you mean 'texts'"),
    ):
        with pytest.raises(error, match=message):
            papilio.typical_documents(model, named, **wrong)
    with pytest.raises(TypeError, match="corpus is a list"):
        papilio.typical_documents(model, TEXTS)
    with pytest.raises(NotFittedError, match="has no chain"):
        papilio.LDA.from_model(model).typical_documents()


def test_texts_are_read_where_they_are_shown_only(lda):
    class Counted:
        def __init__(self):
            self.read = []

        def __len__(self):
            return len(TEXTS)

        def __getitem__(self, number):
            self.read.append(number)
            return TEXTS[number]

    texts = Counted()
    page = lda.report(texts=texts, documents=2)
    assert 2 <= len(texts.read) <= 4 and page.html == lda.report(texts=TEXTS, documents=2).html
    pandas = pytest.importorskip("pandas")
    assert lda.report(texts=pandas.Series(TEXTS, index=range(100, 130))).html == lda.report(texts=TEXTS).html


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"texts": TEXTS[1:]}, ValueError, "there are 29 texts for 30 documents"),
        ({"texts": [None] * 30}, TypeError, "text .* is None, expected a str"),
        ({"groups": ["a"]}, ValueError, "groups has 1 entries"),
        ({"groups": "a" * 30}, TypeError, "groups is one str"),
        ({"groups": [1] * 30}, TypeError, "group 0 is 1, expected a str"),
        ({"words": 0}, ValueError, "papilio.report: words is 0"),
        ({"documents": -1}, ValueError, "documents is -1"),
        ({"excerpt": 1.5}, TypeError, "excerpt is 1.5"),
        ({"title": 3}, TypeError, "title is 3, expected a str"),
        ({"likelihood": [1, 2, 3]}, ValueError, "1 dimension"),
        ({"likelihood": [[1, 2, 3]]}, ValueError, "likelihood has 3 columns"),
        ({"likelihood": [[1, float("nan")]]}, ValueError, "nan"),
        ({"seed": -1}, ValueError, "seed is -1"),
        ({"titl": "x"}, TypeError, "did you mean 'title'"),
    ],
)
def test_what_does_not_fit(lda, options, error, message):
    with pytest.raises(error, match=message):
        lda.report(**options)


def test_more_that_does_not_fit(lda):
    with pytest.raises(ValueError, match="they need the corpus"):
        papilio.report(lda.model_, texts=TEXTS)
    with pytest.raises(TypeError, match=r"papilio\.report: model is a str"):
        papilio.report("model.safetensors")
    with pytest.raises(TypeError, match=r"papilio\.report: corpus is a list"):
        papilio.report(lda.model_, TEXTS)
    with pytest.raises(OSError, match="missing"):
        lda.report().save("/missing/page.html")

    class Broken(list):
        def __getitem__(self, number):
            raise LookupError("the texts are gone")

    with pytest.raises(LookupError, match="the texts are gone"):
        lda.report(texts=Broken(TEXTS))


def test_a_notebook_shows_the_page_in_a_frame_without_rights(lda):
    page = lda.report(texts=TEXTS, title=HOSTILE)
    shown = page._repr_html_()
    page_in_frame = r'<iframe title="([^"<>]*)" sandbox="allow-scripts" srcdoc="([^"<>]*)" style="[^"]*"></iframe>'
    frame = re.fullmatch(page_in_frame, shown)
    assert html.unescape(frame[1]) == HOSTILE and html.unescape(frame[2]) == page.html
    assert repr(page).startswith(f"Report({HOSTILE!r}, 0.") and "\n" not in repr(page)


def test_open_shows_a_file(lda, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    page = lda.report()
    path = page.open()
    assert opened == [f"file://{path}"] and open(path, encoding="utf-8", newline="").read() == page.html


def test_large_models_stay_small():
    big = papilio.train(corpus(400), topics=60, sweeps=2).model
    assert len(papilio.report(big, corpus(400)).html) < 2e6
    assert np.array_equal([len(data_of(big.report(words=3))["topics"])], [60])


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed, so the frame was not opened")
def test_the_frame_draws_and_has_no_rights(lda, tmp_path):
    """The page runs its script in the frame; its parent cannot be reached from there, and no word becomes markup."""
    frame = lda.report(texts=TEXTS, title=HOSTILE)._repr_html_()
    outer = f"<!DOCTYPE html><title>notebook</title>{frame}<script>window.secret = 1</script>"
    (tmp_path / "notebook.html").write_text(outer, encoding="utf-8")
    base = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000"]
    base += ["--enable-logging=stderr", "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp_path}/chrome"]
    picture = tmp_path / "shown.png"
    done = subprocess.run(
        [*base, "--window-size=1200,900", f"--screenshot={picture}", f"file://{tmp_path}/notebook.html"],
        capture_output=True, text=True, timeout=100, errors="replace",
    )  # fmt: skip
    assert "CONSOLE" not in done.stderr, done.stderr
    pixels = pytest.importorskip("matplotlib.image").imread(picture)[..., :3]
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 50  # circles and text: an empty frame is of one colour
