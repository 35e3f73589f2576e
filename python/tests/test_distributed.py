"""Training over ranks: engines written in Python, and Gloo where torch is installed."""

import contextlib
import hashlib
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from rank_engines import Threads, environment, on_ranks, start_ranks

import papilio
import papilio.distributed

OPTIONS = {"topics": 40, "sweeps": 8, "seed": 3, "threads": 1, "start": "uniform", "optimize_every": 3, "optimize_after": 2}


@pytest.fixture(scope="module")
def corpus():
    return papilio.generate_corpus(documents=120, vocabulary=90, topics=5, mean_length=20, seed=2)


@pytest.mark.parametrize("sampler", ["collapsed", "uncollapsed"])
def test_any_number_of_ranks_gives_the_model_of_one_process(corpus, sampler):
    options = {**OPTIONS, "sampler": sampler}
    expected = papilio.train(corpus, **options, held_out=corpus)
    for ranks in (1, 2, 3):
        results = on_ranks(ranks, lambda own: papilio.train(corpus, **options, held_out=corpus, ranks=own))
        for result in results:
            assert result.model.hash() == expected.model.hash()
            assert result.log_joint_per_token == expected.log_joint_per_token
            assert result.held_out[-1].completion.perplexity == expected.held_out[-1].completion.perplexity
        np.testing.assert_array_equal(np.concatenate([r.topics.z for r in results]), expected.topics.z)
        for rank, result in enumerate(results):
            documents, tokens = papilio.distributed.documents_of_rank(corpus, rank, ranks)
            assert len(tokens) == len(result.topics.z)
            assert documents.stop == corpus.documents or rank < ranks - 1


def test_rank_0_gathers_the_topics_of_all(corpus):
    expected = papilio.train(corpus, **OPTIONS).topics
    assert papilio.distributed.gather_topics(expected, None) is expected

    def gather(own):
        topics = papilio.train(corpus, **OPTIONS, ranks=own).topics
        return papilio.distributed.gather_topics(topics, own)

    for ranks in (1, 2, 3):
        for rank, found in enumerate(on_ranks(ranks, gather)):
            np.testing.assert_array_equal(found.z, expected.z if rank == 0 else [])
            np.testing.assert_array_equal(found.alpha, expected.alpha)
            assert (found.sweep, found.beta, found.start) == (expected.sweep, expected.beta, expected.start)
    with pytest.raises(TypeError, match="gather_topics: state is a TrainResult, expected a papilio.ChainState"):
        papilio.distributed.gather_topics(papilio.train(corpus, topics=2, sweeps=1), None)
    with pytest.raises(TypeError, match="papilio.distributed.gather_topics: ranks is 3, expected the ranks of a job"):
        papilio.distributed.gather_topics(expected, 3)


def test_a_checkpoint_is_resumed_by_other_ranks(corpus, tmp_path):
    path = tmp_path / "chain"
    expected = papilio.train(corpus, **OPTIONS).model
    first = {**OPTIONS, "sweeps": 5}
    on_ranks(3, lambda own: papilio.train(corpus, **first, checkpoint=path, checkpoint_every=2, ranks=own))

    def go_on(own):
        state = papilio.load_checkpoint(corpus, path, ranks=own, **OPTIONS)
        assert state.sweep == 4
        papilio.save_checkpoint(state, corpus, path, ranks=own, **OPTIONS)
        return papilio.train(corpus, **OPTIONS, resume=state, ranks=own)

    for result in on_ranks(2, go_on):
        assert result.model.hash() == expected.hash()
    state = papilio.load_checkpoint(corpus, path, **OPTIONS)
    assert papilio.train(corpus, **OPTIONS, resume=state).topics.sweep == 8


def test_ranks_open_their_part_of_a_corpus_file(corpus, tmp_path):
    path, chain = tmp_path / "c.papilio-corpus", tmp_path / "chain"
    papilio.write_corpus(corpus, path)
    expected = papilio.train(corpus, **OPTIONS)

    def run(own):
        mapped = papilio.open_corpus(path, ranks=own)
        assert mapped.is_mapped
        first = papilio.train(mapped, **{**OPTIONS, "sweeps": 4}, checkpoint=chain, checkpoint_every=2, ranks=own)
        papilio.save_checkpoint(first.topics, mapped, chain, ranks=own, **OPTIONS)
        state = papilio.load_checkpoint(mapped, chain, ranks=own, **OPTIONS)
        return papilio.train(mapped, **OPTIONS, resume=state, ranks=own), mapped

    for ranks in (1, 2, 3):
        for result, mapped in on_ranks(ranks, run):
            assert result.model.hash() == expected.model.hash()
            assert papilio.train(mapped, **OPTIONS).model.hash() == expected.model.hash(), "alone it verifies all"
        assert papilio.load_checkpoint(corpus, chain, **OPTIONS).sweep == 4
    # Ranks of another number share the documents otherwise, so that each verifies all.
    opened = on_ranks(3, lambda own: papilio.open_corpus(path, ranks=own))
    results = on_ranks(2, lambda own: papilio.train(opened[own.rank], **OPTIONS, ranks=own))
    assert {result.model.hash() for result in results} == {expected.model.hash()}


def test_ranks_that_open_other_files_say_so(corpus, tmp_path):
    words = corpus.words.copy()
    words[0] ^= 1  # of rank 0: rank 1 does not read it
    papilio.write_corpus(papilio.Corpus(corpus.document_offsets, words, corpus.vocabulary), tmp_path / "1", format="corpus")
    papilio.write_corpus(corpus, tmp_path / "0", format="corpus")
    for result in on_ranks(2, lambda own: papilio.open_corpus(tmp_path / str(own.rank), ranks=own)):
        assert isinstance(result, ValueError)
        assert 'ranks differ: rank 1 has "corpus.hash_of_words ' in str(result)
    damaged = bytearray((tmp_path / "0").read_bytes())
    at = damaged.index(corpus.words.tobytes()) + 4 * (corpus.tokens - 1)
    damaged[at] ^= 1
    (tmp_path / "1").write_bytes(damaged)
    results = on_ranks(2, lambda own: papilio.open_corpus(tmp_path / str(own.rank), ranks=own))
    assert isinstance(results[1], papilio.FormatError)
    assert "not those of rank 0, whose file matches its hashes: the file is damaged" in str(results[1])
    assert not isinstance(results[0], papilio.Corpus)


class Failing(Threads):
    def add_up(self, values):
        if self.rank == 1 and values.size > 100:
            raise OSError("the cable is cut")
        super().add_up(values)


def test_what_an_engine_raises_names_the_rank(corpus):
    results = on_ranks(2, lambda own: papilio.train(corpus, **OPTIONS, ranks=own), Failing)
    assert all(isinstance(result, papilio.RankError) for result in results)
    assert str(results[1]) == "papilio.distributed: rank 1 of 2: add_up: the cable is cut"
    assert results[1].rank is None


def test_what_is_no_engine_is_refused(corpus):
    expected = "ranks is 3, expected the ranks of a job, such as papilio.distributed.process_group()"
    for name, call in {
        "train": lambda: papilio.train(corpus, ranks=3),
        "save_checkpoint": lambda: papilio.save_checkpoint(None, corpus, "chain", ranks=3),
        "load_checkpoint": lambda: papilio.load_checkpoint(corpus, "chain", ranks=3),
        "open_corpus": lambda: papilio.open_corpus("c", ranks=3),
    }.items():
        with pytest.raises(TypeError, match="^" + re.escape(f"papilio.{name}: {expected}") + "$"):
            call()

    class Wrong:
        rank, ranks = 2, 2

    with pytest.raises(ValueError, match="ranks has rank 2 of 2, expected 0 <= rank < ranks"):
        papilio.train(corpus, ranks=Wrong())
    with pytest.raises(ValueError, match="rank is 5, expected 0 <= rank < 2"):
        papilio.distributed.documents_of_rank(corpus, 5, 2)


def test_the_module_does_not_hide_the_function():
    code = "import papilio.train, papilio; assert papilio.train.__name__ == 'train' and callable(papilio.train)"
    subprocess.run([sys.executable, "-c", code], check=True, env=environment())


def start(ranks, folder, *arguments, corpus="docword.c.txt"):
    """The command of training in a process per rank."""
    return start_ranks(ranks, folder, "-m", "papilio.train", corpus, "-k", "40", "--threads", "1", "-o", "m",
                       "--rank-timeout", "60", *arguments)  # fmt: skip


def end(processes):
    """The statuses of all, and what all have said."""
    errors = "".join(process.communicate(timeout=120)[1] for process in processes)
    return [process.returncode for process in processes], errors


@pytest.fixture
def folder(tmp_path, corpus):
    papilio.write_corpus(corpus, tmp_path / "docword.c.txt")
    return tmp_path


def hash_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_gloo_gives_the_model_of_one_process(folder):
    hashes = set()
    for ranks in (1, 2, 3):
        statuses, errors = end(start(ranks, folder, "--sweeps", "6", "--held-out", "docword.c.txt"))
        assert statuses == [0] * ranks, errors
        assert errors.count("model: m") == 1, "only rank 0 speaks"
        hashes.add(hash_of(folder / "m"))
    assert len(hashes) == 1


def test_gloo_trains_from_a_corpus_file(folder, corpus):
    """Also where it has words that do not occur, which reading leaves out."""
    unused = papilio.Corpus(corpus.document_offsets, corpus.words, [*corpus.vocabulary, "unused"])
    for name, written in {"all.papilio-corpus": corpus, "unused.papilio-corpus": unused}.items():
        papilio.write_corpus(written, folder / name)
        hashes = set()
        for ranks in (1, 3):
            statuses, errors = end(start(ranks, folder, "--sweeps", "6", corpus=name))
            assert statuses == [0] * ranks, errors
            hashes.add(hash_of(folder / "m"))
        assert len(hashes) == 1


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)


def test_killed_rank(folder):
    statuses, errors = end(start(1, folder, "--sweeps", "400"))
    assert statuses == [0], errors
    expected = hash_of(folder / "m")
    arguments = ("--sweeps", "400", "--checkpoint", "kept", "--checkpoint-every", "20")
    processes = start(2, folder, *arguments)
    wait_for(lambda: (folder / "kept").exists() or processes[0].poll() is not None, 60)
    processes[1].kill()
    killed = time.monotonic()
    statuses, errors = end(processes)
    assert statuses == [75, -signal.SIGKILL]
    assert "papilio.train: rank 0 of 2: papilio.distributed: rank 0 of 2: " in errors
    assert time.monotonic() - killed < 30
    statuses, errors = end(start(3, folder, *arguments))
    assert statuses == [0, 0, 0], errors
    assert "continuing from kept" in errors
    assert hash_of(folder / "m") == expected


def workers_of(agent):
    """The processes of torchrun's agent, by the rank that their environment names."""
    found = {}
    for child in Path(f"/proc/{agent}/task/{agent}/children").read_text().split():
        with contextlib.suppress(OSError, KeyError, ValueError):  # one that has ended, or is no rank
            pairs = (pair.partition("=") for pair in Path(f"/proc/{child}/environ").read_text().split("\0"))
            found[int({name: value for name, _, value in pairs}["RANK"])] = int(child)
    return found


@pytest.mark.parametrize("victim", [0, 1])
def test_torchrun_starts_the_job_again_after_a_killed_rank(folder, victim):
    pytest.importorskip("torch")
    options = ("--sweeps", "3000", "-k", "40", "--threads", "1", "--optimize-every", "7")
    command = [sys.executable, "-m", "papilio.train", "docword.c.txt", *options]
    subprocess.run([*command, "-o", "whole"], cwd=folder, env=environment(), check=True, capture_output=True)
    agent = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "--max-restarts=1",
             *command[1:], "-o", "m", "--rank-timeout", "60", "--checkpoint", "kept", "--checkpoint-every", "20"]  # fmt: skip
    with subprocess.Popen(agent, cwd=folder, env=environment(), text=True, stderr=subprocess.PIPE) as job:
        wait_for(lambda: (folder / "kept").exists() or job.poll() is not None, 120)
        assert job.poll() is None, "the job has ended before a rank was killed"
        os.kill(workers_of(job.pid)[victim], signal.SIGKILL)
        errors = job.communicate(timeout=180)[1]
    assert job.returncode == 0, errors
    begun = [int(sweep) for sweep in re.findall(r"continuing from kept, sweep (\d+)", errors)]
    assert len(begun) == 1 and 0 < begun[0] < 3000, errors
    assert errors.count("model: m") == 1
    assert hash_of(folder / "m") == hash_of(folder / "whole")


def test_ranks_that_differ_say_so(folder):
    processes = start(2, folder, "--sweeps", "6")
    processes[1].kill()
    processes[1].wait()
    other = list(processes[1].args)
    other[other.index("-k") + 1] = "41"
    environment_of_rank = Path(f"/proc/{processes[0].pid}/environ").read_text().split("\0")
    values = dict(pair.split("=", 1) for pair in environment_of_rank if "=" in pair)
    values.update(RANK="1", LOCAL_RANK="1")
    processes[1] = subprocess.Popen(other, cwd=folder, env=values, text=True, stderr=subprocess.PIPE)
    statuses, errors = end(processes)
    assert statuses == [1, 1]
    assert 'ranks differ: rank 1 has "options.' in errors


def test_warnings_of_a_checkpoint_that_cannot_be_written(corpus, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = on_ranks(2, lambda own: papilio.train(corpus, **OPTIONS, checkpoint=tmp_path / "no" / "chain",
                                                        checkpoint_every=2, ranks=own))  # fmt: skip
    expected = papilio.train(corpus, **OPTIONS).model.hash()
    assert all(result.model.hash() == expected for result in results)
