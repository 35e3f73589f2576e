"""A program of a user, by whose types test_types.py holds the package, and which it runs."""

from pathlib import Path

import numpy as np

import papilio
from papilio import interop, plot


def written(texts: list[str]) -> Path:
    path = Path("texts.txt")
    path.write_text("\n".join(texts))
    return path


def stop(progress: papilio.Progress) -> bool:
    return progress.sweep < 10 or (progress.log_joint_per_token or 0.0) < -5.0


def main() -> None:
    weights = np.random.default_rng(0).random((5, 4), dtype=np.float32)
    drawn = papilio.sample_categorical(weights, seed=7, row_ids=3, temperature=None)
    status: papilio.DrawStatus = papilio.DrawStatus.OK
    products = papilio.sample_products(weights, weights, [0, 1], [1, 2], seed=7)
    table = papilio.AliasTable([1.0, 2.0])
    many: np.ndarray = table.sample(10, seed=np.random.default_rng(1))
    chosen = papilio.choice(["red", "green"], (2, 3), [0.5, 1.5], seed=np.random.default_rng(1), stream=2)
    median: int = papilio.CumulativeTable([1.0, 2.0]).find(0.5)
    place: str = table.device
    bins = papilio.reduce_by_index([0, 1, 1], [1.0, 2.0, 3.0], 2, op="maximum")
    sums, status_word = papilio.scan([1, 2], exclusive=True, append_total=True, return_status=True)
    read: papilio.PrimitiveStatus = papilio.primitive_status(status_word)
    error: str = read.error
    kept = papilio.compact(papilio.segmented_scan([1, 2], [0, 2]), [True, False])
    turned = papilio.transpose(np.ones((2, 3)), threads=1)
    reduced = papilio.segmented_reduce(np.ones(3), [0, 1, 3])

    corpus: papilio.Corpus = papilio.corpus_from_texts(["cats purr", "dogs bark"], stop_words="english")
    corpus = papilio.read_corpus(written(["cats purr", "dogs bark and bark"]), min_df=1)
    matrix = papilio.corpus_to_matrix(corpus)
    size: int = corpus.vocabulary_size
    words: list[str] = corpus.vocabulary
    lda = papilio.LDA(n_components=2, max_iter=20, random_state=1, callback=stop, device="cpu").fit(corpus)
    theta = lda.transform(corpus)
    shape = theta.shape
    perplexity: float = lda.perplexity(corpus)
    score: float = lda.score(corpus)
    chosen = papilio.choose_topics(papilio.generate_corpus(documents=40), [2], sweeps=2, alpha_sum=5.0)
    best: float = min(row.perplexity for row in chosen.rows)
    seeds: list[int] = [run.seed for run in chosen.runs]
    choice_page: str = chosen.page("Topics") + chosen.summary
    stability: float = papilio.topic_stability(lda, lda.model_).mean
    lda = lda.partial_fit(corpus, n_sweeps=2)
    components: np.ndarray = lda.components_
    sweeps: int = lda.n_iter_
    names = lda.get_feature_names_out()
    lda.save(Path("model"))
    again: papilio.LDA = papilio.LDA.load("model")
    again.set_params(max_iter=10).get_params()
    top = again.topics(top_n=3)
    result = papilio.train(corpus, topics=2, sweeps=5, seed=1, held_out=corpus, held_out_every=2)
    scores: list[float] = [score.completion.perplexity for score in result.held_out]
    curve: np.ndarray = lda.fit(corpus, held_out=corpus).held_out_curve_
    options: papilio.TrainOptions = {"topics": 2, "seed": 1, "topic_alpha": [0.1, 0.2], "sampler": "uncollapsed"}
    options["sweeps"] = 7
    result = papilio.train(corpus, resume=result.topics, progress=stop, **options)
    papilio.save_checkpoint(result.topics, corpus, Path("chain"), **options)
    state: papilio.ChainState = papilio.load_checkpoint(corpus, "chain", **options)
    model: papilio.Model = result.model
    inferred = papilio.infer(model, corpus)
    prepared: papilio.Inference = papilio.Inference(lda)
    of_one: np.ndarray = prepared.infer(corpus, method="em", em_steps=3).theta
    page: papilio.Report = lda.report(texts=["cats purr", "dogs bark and bark"], title="Pets", likelihood=[[1, -2.5]])
    html: str = papilio.report(model, corpus, words=5).html + model.report(corpus, excerpt=9).html + page.html
    swapped: papilio.LDA = papilio.LDA(2, learning_method="online", batch_size=9).fit(["cats purr"])
    coherence: papilio.Coherence = papilio.coherence(again, corpus, measure="umass", top_words=2)
    mean: float = coherence.mean
    rows: int = inferred.theta.shape[0] + state.z.shape[0] + model.phi().shape[0]
    completion: papilio.Completion = papilio.complete_documents(model, corpus)
    version: str = papilio.__version__
    bags = interop.bow_from_corpus(corpus)
    axes = plot.likelihood(lda)
    try:
        papilio.read_corpus("chain", format="uci")
    except papilio.FormatError as error:
        line: int | None = error.line


if __name__ == "__main__":
    main()
