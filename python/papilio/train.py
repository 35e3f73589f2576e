"""Training by several processes that torchrun starts, or by one.

    torchrun --nnodes=2 --nproc-per-node=4 -m papilio.train news.corpus -k 2000 --checkpoint news.chain -o news.model

Every process reads its part of the corpus (docs/distributed.md), draws its part of the documents and knows the counts
of all; rank 0 prints, and writes the model. The model is that of one process. A checkpoint that is there is
continued, so that torchrun can start the job again after a failure (``--max-restarts``). Exit status 75 says that
another rank failed or did not come. docs/distributed.md.

As a module this is not meant to be imported: ``papilio.train`` is the function, and stays it.
"""

from __future__ import annotations

import argparse
import inspect
import os
import sys
import warnings
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

import papilio
from papilio import _core, training
from papilio._over_ranks import over_ranks, reason_of
from papilio.distributed import ProcessGroup, join_processes

_USAGE = 2
_TRY_AGAIN = 75
_TIMEOUT = 300.0  # seconds
# Options of `train` that this command lacks: ranks start uniformly, and torchrun takes --start for its own.
_LEFT_OUT = ("seed_words", "seed_weight", "topic_alpha", "progress_every", "start")


class _UsageError(ValueError):
    pass


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        raise _UsageError(message)  # not the end of the process: the other ranks are told first


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="papilio.train", description=str(__doc__).partition("\n")[0])
    parser.add_argument("corpus", help="a corpus file, or any file that papilio reads")
    parser.add_argument("-o", "--output", required=True, help="file for the model")
    parser.add_argument("-k", type=int, dest="topics", help="number of topics")
    parameters = inspect.signature(training.train).parameters
    for name in [name for name in training.OPTION_NAMES if name not in _LEFT_OUT]:
        default = parameters[name].default
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default, help=f"default {default}")
    parser.add_argument("--held-out", help="documents that training does not see, of which it reports the perplexity")
    parser.add_argument("--checkpoint", help="file for checkpoints, in a folder that all processes see")
    parser.add_argument("--checkpoint-every", type=int, default=0, help="sweeps between checkpoints; 0: by time only")
    parser.add_argument("--checkpoint-minutes", type=float, default=10.0, help="minutes between checkpoints")
    parser.add_argument("--rank-timeout", type=float, default=_TIMEOUT, help="seconds that a process waits for others")
    parser.set_defaults(topics=parameters["topics"].default)
    return parser


def _tell(progress: papilio.Progress) -> None:
    if progress.log_joint_per_token is None and progress.held_out_perplexity is None:
        return
    line = f"sweep {progress.sweep} of {progress.sweeps}, {progress.tokens_per_second / 1e6:.2f} million tokens per second"
    if progress.log_joint_per_token is not None:
        line += f", {progress.log_joint_per_token:.4f} nats per token"
    if progress.held_out_perplexity is not None:
        line += f", held-out perplexity {progress.held_out_perplexity:.1f}"
    print(line, file=sys.stderr, flush=True)


def _on_rank_0(is_so: bool, ranks: ProcessGroup | None) -> bool:
    """What rank 0 says: others may not see the file that it sees. Collective."""
    if ranks is None:
        return is_so
    said = np.array([is_so and ranks.rank == 0], np.int64)
    ranks.add_up(said)
    return bool(said[0])


def _corpus(path: str, threads: int, ranks: ProcessGroup | None) -> papilio.Corpus:
    """The corpus as `read_corpus` gives it, of which ranks read a part each. A corpus file is mapped where that is the
    same: where each of its words occurs."""
    if ranks is None or not _on_rank_0(_core.detect_corpus_format(path) == "corpus", ranks):
        return papilio.read_corpus(path, threads=threads, ranks=ranks)
    corpus = papilio.open_corpus(path, threads=threads, ranks=ranks)
    _, _, first, end = _core.documents_of_rank(corpus, ranks.rank, ranks.ranks)
    occurs = np.zeros(corpus.vocabulary_size, np.int32)
    for begin in range(first, end, 1 << 24):
        occurs[corpus.words[begin : min(begin + (1 << 24), end)]] = 1
    ranks.add_up(occurs)
    return corpus if occurs.all() else papilio.read_corpus(path, threads=threads, ranks=ranks)


@over_ranks
def _train(arguments: argparse.Namespace | ValueError, ranks: ProcessGroup | None) -> None:
    if isinstance(arguments, ValueError):
        raise arguments
    is_first = ranks is None or ranks.rank == 0
    if not is_first:
        warnings.simplefilter("ignore")
    options: Any = {name: getattr(arguments, name) for name in training.OPTION_NAMES if name not in _LEFT_OUT}
    options["start"] = "uniform"
    if ranks is not None and options["device"] == "cuda":  # each process of a host has a GPU
        options["device"] = f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
    threads = options["threads"]
    corpus = _corpus(arguments.corpus, threads, ranks)
    held_out = None
    if arguments.held_out is not None:
        held_out = papilio.read_corpus(arguments.held_out, threads=threads, ranks=ranks)
    resume = None
    if _on_rank_0(arguments.checkpoint is not None and Path(arguments.checkpoint).exists(), ranks):
        resume = papilio.load_checkpoint(corpus, arguments.checkpoint, ranks=ranks, **options)
        if is_first:
            print(f"continuing from {arguments.checkpoint}, sweep {resume.sweep}", file=sys.stderr, flush=True)
    result = papilio.train(
        corpus,
        held_out=held_out,
        progress=_tell if is_first else None,
        checkpoint=arguments.checkpoint,
        checkpoint_every=arguments.checkpoint_every,
        checkpoint_seconds=60 * arguments.checkpoint_minutes,
        resume=resume,
        ranks=ranks,
        **options,
    )
    if is_first:
        papilio.save_model(result.model, arguments.output)
        print(f"model: {arguments.output}", file=sys.stderr, flush=True)


def _fail(message: str, ranks: ProcessGroup | None, status: int) -> NoReturn:
    """Ends the process at once: what ends a process group in order waits for ranks that may be gone."""
    who = "" if ranks is None else f"rank {ranks.rank} of {ranks.ranks}: "
    print(f"papilio.train: {who}{message}", file=sys.stderr, flush=True)
    os._exit(status)


def _join() -> tuple[argparse.Namespace | ValueError, ProcessGroup | None]:
    """The arguments of this process, or what is wrong with them, and the ranks, whom it joins to say so."""
    arguments: argparse.Namespace | ValueError
    try:
        arguments = _parser().parse_args()
        return arguments, join_processes(arguments.rank_timeout)
    except ValueError as error:
        arguments = error
    try:
        return arguments, join_processes(_TIMEOUT)
    except Exception:  # the others find out by their time limit, or from torchrun
        return arguments, None


def main() -> None:
    ranks = None
    try:
        arguments, ranks = _join()
    except RuntimeError as error:
        _fail(str(error), None, _TRY_AGAIN)
    try:
        _train(arguments, ranks)
    except _UsageError as error:
        _fail(str(error), ranks, _USAGE)
    except papilio.RankError as error:
        _fail(str(error), ranks, _TRY_AGAIN)
    except (ValueError, TypeError, OSError, RuntimeError, MemoryError) as error:
        _fail(reason_of(error), ranks, 1)
    if ranks is not None:  # all is written, and the end of a process group has been seen to hang
        sys.stderr.flush()
        os._exit(0)


if __name__ == "__main__":
    main()
else:
    # Importing a module sets its name in the package to what is here.
    sys.modules[__name__] = training.train  # type: ignore[assignment]
