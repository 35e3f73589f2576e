"""Corpora that ranks read together: each holds the words of its own documents, and what needs others says so."""

import copy
import gzip
import json
import pickle
import re

import numpy as np
import pytest
from rank_engines import on_ranks, output, start_ranks

import papilio
import papilio.distributed
import papilio.interop

OPTIONS = {"topics": 40, "sweeps": 6, "seed": 3, "threads": 1, "optimize_every": 3, "optimize_after": 2}
KINDS = (
    "docword.c.txt",
    "c.txt",
    "c.jsonl",
    "c.json",
    "c.csv",
    "c.txt.gz",
    "c.papilio-corpus",
    "unused.papilio-corpus",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The same documents in files of every kind that ranks read in another way."""
    folder = tmp_path_factory.mktemp("corpora")
    corpus = papilio.generate_corpus(documents=120, vocabulary=90, topics=5, mean_length=20, seed=2)
    papilio.write_corpus(corpus, folder / "docword.c.txt")
    papilio.write_corpus(corpus, folder / "c.papilio-corpus")
    unused = papilio.Corpus(corpus.document_offsets, corpus.words + 1, ["unused", *corpus.vocabulary, "another"])
    papilio.write_corpus(unused, folder / "unused.papilio-corpus")
    offsets = corpus.document_offsets
    spelled = [corpus.vocabulary[w] for w in corpus.words]
    texts = [" ".join(spelled[offsets[d] : offsets[d + 1]]) for d in range(corpus.documents)]
    (folder / "c.txt").write_text("\n".join(texts) + "\n")
    (folder / "c.txt.gz").write_bytes(gzip.compress((folder / "c.txt").read_bytes()))
    records = [json.dumps({"text": text, "id": f"d{d}"}) for d, text in enumerate(texts)]
    (folder / "c.jsonl").write_text("\n".join(records) + "\n")
    (folder / "c.json").write_text("[" + ",\n".join(records) + "]\n")
    (folder / "c.csv").write_text("text\n" + "\n".join(texts) + "\n")
    return folder


def reading(name):
    return {"id_column": "id"} if name.endswith((".jsonl", ".json")) else {}


@pytest.mark.parametrize("name", KINDS)
def test_ranks_read_the_corpus_of_one_process(folder, name):
    options = reading(name)
    report = papilio.ReadReport()
    expected = papilio.read_corpus(folder / name, **options, report=report, min_df=12)
    assert not expected.is_part

    def read(own):
        found = papilio.ReadReport()
        corpus = papilio.read_corpus(folder / name, **options, report=found, min_df=12, ranks=own)
        return own.rank, corpus, found, papilio.distributed.gather_corpus(corpus, own)

    for ranks in (1, 2, 3):
        for rank, corpus, found, whole in on_ranks(ranks, read):
            assert repr(corpus) == repr(expected)
            assert len(corpus) == corpus.documents == 120
            assert (corpus.tokens, corpus.vocabulary_size) == (expected.tokens, expected.vocabulary_size)
            assert corpus.vocabulary == expected.vocabulary
            assert corpus.document_names == (expected.document_names if rank == 0 else [])
            assert corpus.is_part == (ranks > 1)
            assert not corpus.is_mapped
            assert (found.tokens_kept, found.tokens_read) == (report.tokens_kept, report.tokens_read)
            assert found.rare_or_common_dropped == report.rare_or_common_dropped > 0
            np.testing.assert_array_equal(corpus.document_offsets, expected.document_offsets)
            expected_place = papilio.distributed.documents_of_rank(expected, rank, ranks)
            assert papilio.distributed.documents_of_rank(corpus, rank, ranks) == expected_place
            if rank == 0:
                assert found.describe_left_out() == report.describe_left_out() != ""
                np.testing.assert_array_equal(whole.words, expected.words)
                assert whole.document_names == expected.document_names
            else:
                assert whole is None


@pytest.mark.parametrize("name", KINDS)
def test_ranks_train_infer_and_score(folder, name, tmp_path):
    corpus = papilio.read_corpus(folder / name)
    expected = papilio.train(corpus, **OPTIONS, held_out=corpus)
    theta = papilio.infer(expected.model, corpus, seed=4)
    completion = papilio.complete_documents(expected.model, corpus)
    by_particles = papilio.left_to_right(expected.model, corpus, particles=2)
    prepared = papilio.Inference(expected.model)
    lacking = papilio.train(papilio.read_corpus(folder / "c.txt", min_df=12), topics=2, sweeps=1, threads=1).model
    expected_unknown = papilio.unknown_words(lacking, corpus)
    assert expected_unknown.words > 0
    chain = tmp_path / "chain"

    def run(own):
        read = papilio.read_corpus(folder / name, ranks=own)
        papilio.train(read, **{**OPTIONS, "sweeps": 5}, checkpoint=chain, checkpoint_every=2, ranks=own)
        state = papilio.load_checkpoint(read, chain, ranks=own, **OPTIONS)
        assert state.sweep == 4
        result = papilio.train(read, **OPTIONS, resume=state, held_out=read, ranks=own)
        papilio.save_checkpoint(result.topics, read, chain, ranks=own, **OPTIONS)
        model = result.model
        return (
            result,
            papilio.infer(model, read, seed=4, ranks=own),
            prepared.infer(read, seed=4, ranks=own),
            papilio.complete_documents(model, read, ranks=own),
            papilio.left_to_right(model, read, particles=2, ranks=own),
            papilio.unknown_words(model, read),
            papilio.unknown_words(lacking, read),
        )

    for ranks in (1, 2, 3):
        results = on_ranks(ranks, run)
        for rank, (result, inferred, again, score, left_to_right, none_unknown, unknown) in enumerate(results):
            assert result.model.hash() == expected.model.hash()
            assert result.held_out[-1].completion.perplexity == expected.held_out[-1].completion.perplexity
            for found in (inferred, again):
                np.testing.assert_array_equal(found.theta, theta.theta if rank == 0 else np.empty((0, 40), np.float32))
            assert score.perplexity == completion.perplexity
            assert left_to_right.log_likelihood == by_particles.log_likelihood
            assert none_unknown.words == 0
            assert (unknown.words, unknown.tokens) == (expected_unknown.words, expected_unknown.tokens)
            assert unknown.examples == expected_unknown.examples
        np.testing.assert_array_equal(np.concatenate([r[0].topics.z for r in results]), expected.topics.z)
        # The files of ranks are those of one process, which goes on from them.
        state = papilio.load_checkpoint(corpus, chain, **OPTIONS)
        np.testing.assert_array_equal(state.z, expected.topics.z)


def parts(folder, ranks):
    return on_ranks(ranks, lambda own: papilio.read_corpus(folder / "docword.c.txt", ranks=own))


def test_what_needs_the_words_of_other_ranks_says_so(folder, tmp_path):
    whole = papilio.read_corpus(folder / "docword.c.txt")
    trained = papilio.train(whole, **OPTIONS)
    model, z = trained.model, trained.topics.z
    for rank, corpus in enumerate(parts(folder, 2)):
        documents, _ = papilio.distributed.documents_of_rank(whole, rank, 2)
        place = f"{documents.start}:{documents.stop}"
        expected = (
            f"papilio.Corpus: rank {rank} of 2 has the words of documents {place} alone, as papilio.read_corpus(..., "
            "ranks=...) gives it; expected a call with these ranks, or the whole corpus, by "
            "papilio.distributed.gather_corpus or read_corpus without ranks"
        )
        for name, call in {
            "words": lambda c: c.words,
            "counts": lambda c: c.counts(),
            "pickle": pickle.dumps,
            "copy": copy.deepcopy,
            "matrix": papilio.corpus_to_matrix,
            "write": lambda c: papilio.write_corpus(c, tmp_path / "c.txt"),
            "corpus file": lambda c: papilio.write_corpus(c, tmp_path / "c.papilio-corpus"),
            "split": lambda c: papilio.hold_out_every(c, 10),
            "train": lambda c: papilio.train(c, **OPTIONS),
            "held_out": lambda c: papilio.train(whole, **OPTIONS, held_out=c),
            "save_checkpoint": lambda c: papilio.save_checkpoint(trained.topics, c, tmp_path / "c", **OPTIONS),
            "load_checkpoint": lambda c: papilio.load_checkpoint(c, tmp_path / "c", **OPTIONS),
            "infer": lambda c: papilio.infer(model, c),
            "Inference": lambda c: papilio.Inference(model).infer(c),
            "score": lambda c: papilio.Inference(model).complete_documents(c),
            "complete_documents": lambda c: papilio.complete_documents(model, c),
            "left_to_right": lambda c: papilio.left_to_right(model, c),
            "coherence": lambda c: papilio.coherence(model, c),
            "diagnose_topics": lambda c: papilio.diagnose_topics(c, trained.topics, model),
            "log_joint": lambda c: papilio.log_joint(c, z, model.alpha, model.beta),
            "write_mallet_state": lambda c: papilio.write_mallet_state(c, trained.topics, model, tmp_path / "m"),
            "find_phrases": papilio.find_phrases,
            "join_phrases": lambda c: papilio.join_phrases(c, ["a b"]),
            "gather_corpus": lambda c: papilio.distributed.gather_corpus(c, None),
            "gensim": papilio.interop.bow_from_corpus,
        }.items():
            with pytest.raises(ValueError) as raised:
                call(corpus)
            assert str(raised.value) == expected, name
        assert not (tmp_path / "c.txt").exists()
        assert "document" in corpus._repr_html_()


def test_choose_topics_and_lda_say_that_they_need_the_whole(folder, tmp_path):
    read = parts(folder, 2)
    whole = papilio.read_corpus(folder / "docword.c.txt")
    fitted = papilio.LDA(3, max_iter=1, n_jobs=1, random_state=1).fit(whole)
    fitted.save_chain(tmp_path / "chain")
    of_lda = (
        "X has the words of one rank's documents alone, but LDA holds all documents on every rank; expected the whole "
        "corpus: use read_corpus without ranks"
    )
    with_ranks = {
        "LDA.fit: " + of_lda: lambda lda, part: lda.fit(part),
        "LDA.partial_fit: " + of_lda: lambda lda, part: lda.partial_fit(part),
        "LDA.load_chain: " + of_lda: lambda lda, part: lda.load_chain(tmp_path / "chain", part),
        "the whole corpus, on which each rank trains: read it without ranks": lambda lda, part: papilio.choose_topics(
            part, [2, 3], sweeps=2, ranks=lda.ranks
        ),
    }
    for expected, call in with_ranks.items():
        for alone in (False, True):

            def work(own, call=call, alone=alone):
                return call(papilio.LDA(3, random_state=1, ranks=None if alone else own), read[own.rank])

            for rank, result in enumerate(on_ranks(2, work)):
                assert isinstance(result, ValueError), result
                assert str(result).endswith(expected)
                assert expected.startswith("LDA") or f"rank {rank} of 2 has the words of documents " in str(result)
    further = on_ranks(2, lambda own: copy.copy(fitted).set_params(ranks=own).partial_fit(read[own.rank]))
    assert [str(result) for result in further] == ["LDA.partial_fit: " + of_lda] * 2


def test_choose_topics_and_lda_tell_all_ranks_of_one_rank_s_part(folder):
    part, whole = parts(folder, 2), papilio.read_corpus(folder / "docword.c.txt")
    fitted = papilio.LDA(3, max_iter=1, n_jobs=1, random_state=1).fit(whole)
    calls = {
        "papilio.choose_topics": lambda own, given: papilio.choose_topics(given, [2, 3], sweeps=2, ranks=own),
        "LDA.fit": lambda own, given: papilio.LDA(3, random_state=1, ranks=own).fit(given),
        "LDA.partial_fit": lambda own, given: papilio.LDA(3, random_state=1, ranks=own).partial_fit(given),
        "LDA.partial_fit of a chain": lambda own, given: copy.copy(fitted).set_params(ranks=own).partial_fit(given),
    }
    counts = papilio.corpus_to_matrix(whole)
    for caller, call in calls.items():
        for given, found in (
            ((whole, part[1]), "the corpus of rank 1 is one rank's part, that of rank 0 whole"),
            ((part[0], whole), "the corpus of rank 1 is whole, that of rank 0 one rank's part"),
            ((whole, whole, part[1]), "the corpus of rank 2 is one rank's part, that of rank 0 whole"),
            ((counts, part[1]), "the corpus of rank 1 is one rank's part, that of rank 0 whole"),
        ):
            if given[0] is counts and not caller.startswith("LDA"):
                continue
            results = on_ranks(len(given), lambda own, call=call, given=given: call(own, given[own.rank]))
            message = (
                f"{caller.split(' ')[0]}: ranks differ: {found}; expected the whole corpus on every rank: use "
                "read_corpus without ranks"
            )
            assert [(type(result), str(result)) for result in results] == [(ValueError, message)] * len(given)


PROGRAM = """\
import sys
import papilio, papilio.distributed
ranks = papilio.distributed.join_processes(60)
part = papilio.read_corpus("docword.c.txt", ranks=ranks)
corpus = part if ranks.rank == int(sys.argv[1]) else papilio.read_corpus("docword.c.txt")
for call in (
    lambda: papilio.choose_topics(corpus, [2, 3], sweeps=2, ranks=ranks),
    lambda: papilio.LDA(3, random_state=1, ranks=ranks).fit(corpus),
    lambda: papilio.train(part, topics=2, sweeps=1, ranks=ranks),
):
    try:
        print(type(call()).__name__)
    except ValueError as error:
        print(error)
"""


def test_gloo_tells_all_ranks_of_one_rank_s_part(folder, tmp_path):
    (tmp_path / "docword.c.txt").write_bytes((folder / "docword.c.txt").read_bytes())
    (tmp_path / "rank.py").write_text(PROGRAM)
    found = "ranks differ: the corpus of rank 1 is {}, that of rank 0 {}; expected the whole corpus on every rank: use "
    for part, extents in ((0, ("whole", "one rank's part")), (1, ("one rank's part", "whole"))):
        message = found.format(*extents) + "read_corpus without ranks\n"
        expected = f"papilio.choose_topics: {message}LDA.fit: {message}TrainResult\n"
        processes = start_ranks(2, tmp_path, "rank.py", str(part))
        assert [output(process) for process in processes] == [expected] * 2


def test_lda_transforms_and_scores_parts(folder):
    corpus = papilio.read_corpus(folder / "docword.c.txt")
    expected = papilio.LDA(3, max_iter=2, evaluate_every=1, random_state=1, n_jobs=1).fit(corpus, held_out=corpus)

    def work(own):
        part = papilio.read_corpus(folder / "docword.c.txt", ranks=own)
        lda = papilio.LDA(3, max_iter=2, evaluate_every=1, random_state=1, n_jobs=1, ranks=own)
        lda.fit(corpus, held_out=part)
        return lda.held_out_curve_, lda.transform(part), lda.perplexity(part)

    for curve, theta, perplexity in on_ranks(2, work):
        np.testing.assert_array_equal(curve, expected.held_out_curve_)
        np.testing.assert_array_equal(theta, expected.transform(corpus))
        assert perplexity == expected.perplexity(corpus)


def test_what_other_ranks_have_read_is_refused(folder):
    read = parts(folder, 3)
    for call in (
        lambda own: papilio.train(read[own.rank], **OPTIONS, ranks=own),
        lambda own: papilio.distributed.gather_corpus(read[own.rank], own),
        lambda own: papilio.choose_topics(read[own.rank], [2, 3], sweeps=2, ranks=own),
    ):
        for rank, result in enumerate(on_ranks(2, call)):
            assert isinstance(result, ValueError)
            assert f"rank {rank} of 3 has the words of documents " in str(result)


def test_gathering_what_is_whole(folder):
    corpus = papilio.read_corpus(folder / "docword.c.txt")
    assert papilio.distributed.gather_corpus(corpus, None) is corpus
    assert on_ranks(2, lambda own: papilio.distributed.gather_corpus(corpus, own)) == [corpus, None]
    for given in ((None, None), (corpus, 3)):
        with pytest.raises(TypeError, match="papilio.distributed.gather_corpus: "):
            papilio.distributed.gather_corpus(*given)


def test_parts_of_different_corpora_are_not_gathered(folder, tmp_path):
    small = tmp_path / "small.txt"
    small.write_text("cats purr\ndogs bark\n")
    read = {path: on_ranks(2, lambda own, path=path: papilio.read_corpus(path, ranks=own))
            for path in (small, folder / "c.txt")}  # fmt: skip
    for first, second in ((small, folder / "c.txt"), (folder / "c.txt", small)):
        given = (read[first][0], read[second][1])
        results = on_ranks(2, lambda own, given=given: papilio.distributed.gather_corpus(given[own.rank], own))
        for result in results:
            assert isinstance(result, ValueError), result
            assert 'ranks differ: rank 1 has "corpus.' in str(result)


def test_one_rank_alone_has_what_cannot_be_gathered(folder):
    whole = papilio.read_corpus(folder / "docword.c.txt")
    of_two, of_three = parts(folder, 2), parts(folder, 3)
    for given, expected in (
        ((whole, of_two[1]), "the corpus of rank 1 is one rank's part, that of rank 0 whole"),
        ((of_two[0], whole), "the corpus of rank 1 is whole, that of rank 0 one rank's part"),
    ):
        results = on_ranks(2, lambda own, given=given: papilio.distributed.gather_corpus(given[own.rank], own))
        message = f"papilio.distributed.gather_corpus: ranks differ: {expected}; expected the same on every rank"
        assert [(type(result), str(result)) for result in results] == [(ValueError, message)] * 2
    results = on_ranks(2, lambda own: papilio.distributed.gather_corpus((of_two[0], of_three[1])[own.rank], own))
    assert all(isinstance(result, ValueError) for result in results)
    assert "gather_corpus: ranks differ: another rank has a corpus that other ranks have read" in str(results[0])
    assert "rank 1 of 3 has the words of documents " in str(results[1])


def test_bad_input_is_told_by_the_rank_that_reads_it(folder, tmp_path):
    path = tmp_path / "docword.bad.txt"
    path.write_text((folder / "docword.c.txt").read_text() + "1 2 x\n")
    with pytest.raises(papilio.FormatError) as alone:
        papilio.read_corpus(path)
    results = on_ranks(3, lambda own: papilio.read_corpus(path, ranks=own))
    assert str(results[2]) == str(alone.value)
    assert results[2].line == alone.value.line > 0
    assert all(isinstance(result, papilio.RankError) for result in results[:2])
    with pytest.raises(TypeError, match=re.escape("papilio.read_corpus: ranks is 3, expected the ranks of a job")):
        papilio.read_corpus(path, ranks=3)


@pytest.mark.parametrize("name", ["c.txt", "c.txt.gz", "unused.papilio-corpus"])
def test_the_command_trains_from_any_path(folder, name, tmp_path):
    hashes, told = set(), set()
    for ranks in (1, 3):
        output = tmp_path / f"m{ranks}"
        options = ["-k", "40", "--threads", "1", "--sweeps", "6", "--held-out", "c.jsonl", "--rank-timeout", "60"]
        processes = start_ranks(ranks, folder, "-m", "papilio.train", name, *options, "-o", str(output))
        errors = [process.communicate(timeout=120)[1] for process in processes]
        assert [process.returncode for process in processes] == [0] * ranks, errors
        hashes.add(output.read_bytes())
        scores = [re.findall(r"held-out perplexity ([\d.]+)", text) for text in errors]
        assert len(scores[0]) > 0
        assert scores[1:] == [[]] * (ranks - 1)
        told.add(tuple(scores[0]))
    assert len(hashes) == 1
    assert len(told) == 1
