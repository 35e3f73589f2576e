"""How results show themselves, in a console and in a notebook, and what can be pickled."""

import copy
import html.parser
import pickle
import subprocess
import sys

import numpy as np
import papilio
import pytest
from topic_models import corpus

HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=y>', "a&b", "</table>"]


@pytest.fixture(scope="module")
def result():
    return papilio.train(corpus(), topics=4, sweeps=10, seed=1, held_out=corpus(20, 4))


class Tags(html.parser.HTMLParser):
    """The tags and the texts of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        assert not attributes

    def handle_data(self, data):
        self.texts.append(data)


def test_dir_has_every_public_name():
    script = "import papilio; print('LDA' in dir(papilio), set(papilio.__all__) <= set(dir(papilio)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "True True\n" and done.stderr == ""


def test_every_result_is_a_line_with_its_shape(result):
    progress = []
    papilio.train(corpus(), topics=4, sweeps=2, progress=progress.append, evaluate_every=1)
    report = papilio.ReadReport()
    assert repr(report) == "ReadReport(nothing read, 0 documents, 0 of 0 tokens kept)"
    papilio.corpus_from_texts(["cats purr the"], stop_words=["the"], report=report)
    inferred = papilio.infer(result.model, corpus())
    tokens = corpus().tokens
    for shown, expected in [
        (result, f"TrainResult(4 topics, 80 words, sweep 10, {result.log_joint_per_token:.4f} nats per token)"),
        (result.model, "Model(4 topics, 80 words)"),
        (result.topics, f"ChainState({tokens} tokens, sweep 10)"),
        (inferred, f"DocumentTopics(120 documents, 4 topics, {tokens} known tokens, 0 unknown)"),
        (result.held_out[0], f"HeldOutScore(sweep 10, perplexity {result.held_out[0].completion.perplexity:.6g})"),
        (papilio.coherence(result.model, corpus()), "Coherence(4 topics, mean "),
        (papilio.complete_documents(result.model, corpus()), "Completion(perplexity "),
        (papilio.left_to_right(result.model, corpus(5)), "LeftToRight(perplexity "),
        (papilio.diagnose_topics(corpus(), result.topics, result.model)[0], "TopicDiagnostics("),
        (progress[-1], "Progress(sweep 2 of 2, -"),
        (report, "1 document, 2 of 3 tokens kept)"),
        (papilio.AliasTable([1, 2]), "AliasTable(2 categories)"),
        (papilio.CumulativeTable([1, 2, 3]), "CumulativeTable(3 categories)"),
    ]:
        line = repr(shown)
        assert expected in line and "\n" not in line and " at 0x" not in line and len(line) < 120
    assert ", stopped)" in repr(papilio.train(corpus(), topics=4, sweeps=5, progress=lambda progress: False))


def test_a_notebook_shows_the_topics(result):
    lda = papilio.LDA.from_model(result.model)
    for shown in (result, result.model, lda):
        page = Tags(shown._repr_html_())
        assert page.tags.count("tr") == 5 and page.tags.count("table") == 1
        largest = int(np.argmax(result.model.n_k))
        assert str(largest) == page.texts[page.texts.index("words") + 2]
        assert " ".join(word for word, _ in result.model.top_words(largest, 8)) in page.texts
    assert lda._repr_mimebundle_()["text/html"] == lda._repr_html_()
    assert "<pre>LDA(" in papilio.LDA(3)._repr_html_()
    many = papilio.train(corpus(), topics=50, sweeps=1).model._repr_html_()
    assert many.count("<tr>") == 21 and "the 20 largest" in many
    page = Tags(corpus()._repr_html_())
    assert page.tags.count("tr") == 6 and "the first 5" in page.texts[0]
    assert papilio.corpus_from_tokens([])._repr_html_().count("<tr>") == 1


def test_words_and_names_of_a_notebook_are_escaped():
    hostile = papilio.corpus_from_tokens([HOSTILE, HOSTILE], names=HOSTILE[:2])
    lda = papilio.LDA(2, max_iter=2, random_state=1).fit(hostile)
    for shown in (hostile, lda, lda.model_, papilio.train(hostile, topics=2, sweeps=2)):
        page = Tags(shown._repr_html_())
        assert set(page.tags) == {"table", "caption", "tr", "th", "td"}
        for word in HOSTILE:
            assert any(word in text for text in page.texts)
    assert "<script" not in papilio.LDA(2, sampler="<script>")._repr_html_()


def test_what_determines_a_result_can_be_pickled_and_the_rest_says_so(result):
    for kept in (corpus(), result.model, result.topics, papilio.LDA(2, max_iter=2, random_state=1).fit(corpus())):
        again = pickle.loads(pickle.dumps(kept))
        assert repr(again) == repr(kept) and repr(copy.deepcopy(kept)) == repr(kept)
    for refused, instead in [
        (result, "papilio.TrainResult cannot be pickled or copied; pickle its model and its topics"),
        (papilio.infer(result.model, corpus()), "pickle its theta"),
        (papilio.complete_documents(result.model, corpus()), "papilio.Completion cannot"),
        (papilio.left_to_right(result.model, corpus(5)), "log_likelihoods"),
        (papilio.coherence(result.model, corpus()), "pickle its topics"),
        (result.held_out[0], "completion.perplexity"),
        (papilio.diagnose_topics(corpus(), result.topics, result.model)[0], "TopicDiagnostics"),
        (papilio.ReadReport(), "ReadReport"),
        (papilio.AliasTable([1, 2]), "pickle its weights"),
    ]:
        for attempt in (pickle.dumps, copy.copy):
            with pytest.raises(TypeError, match=instead):
                attempt(refused)
