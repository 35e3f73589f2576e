"""One model over several processes: the ranks of a job, as `train` takes them.

docs/distributed.md of the repository says how such a job is started. ``torchrun ... -m papilio.train`` is one.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from papilio import _core
from papilio._checked import real
from papilio._keywords import suggests_options
from papilio._options import Ranks
from papilio._over_ranks import over_ranks
from papilio._ranks import core_ranks, is_part_on_all
from papilio._rendezvous import join_gloo

if TYPE_CHECKING:
    from papilio._core import ChainState, Corpus

__all__ = [
    "ProcessGroup",
    "Ranks",
    "documents_of_rank",
    "gather_corpus",
    "gather_topics",
    "join_processes",
    "process_group",
]


class ProcessGroup:
    """The ranks of a process group of torch.distributed.

    Parameters
    ----------
    group : torch.distributed.ProcessGroup, optional
        By default the one that ``torch.distributed.init_process_group`` has made. Its timeout is the time that a rank
        waits for the others.

    Raises
    ------
    ImportError
        torch is not installed.
    RuntimeError
        There is no process group.

    Notes
    -----
    Gloo adds up in the host's memory. With NCCL the numbers pass through the current CUDA device; set it before, by
    ``torch.cuda.set_device(local_rank)``. Only integers are added up, so both give the same model.
    """

    def __init__(self, group: Any = None) -> None:
        import torch
        import torch.distributed

        self.rank: int
        self.ranks: int
        self.engine: str
        self._torch = torch
        self._distributed = torch.distributed
        if not self._distributed.is_initialized():
            raise RuntimeError(
                "papilio.distributed.process_group: there is no process group; "
                "expected torch.distributed.init_process_group before"
            )
        self._group = group
        self.rank = self._distributed.get_rank(group)
        self.ranks = self._distributed.get_world_size(group)
        backend = self._distributed.get_backend(group)
        self.engine = f"torch.distributed, {backend}"
        self._device = "cuda" if backend == "nccl" else "cpu"
        # The tensor of the last call: where that failed, threads of torch may still hold it.
        self._kept: Any = None
        self._is_let_go = True

    def __reduce__(self) -> Any:
        raise TypeError(
            "papilio.distributed.ProcessGroup cannot be pickled: it belongs to the processes of a running job"
        )

    def __copy__(self) -> ProcessGroup:
        return self

    def __deepcopy__(self, memo: Any) -> ProcessGroup:
        return self

    def __repr__(self) -> str:
        return f"ProcessGroup(rank {self.rank} of {self.ranks}, {self.engine})"

    def add_up(self, values: NDArray[Any]) -> None:
        """Replace int32 or int64 numbers by their sums over all ranks."""
        self._exchange(values, self._distributed.all_reduce)

    def broadcast(self, values: NDArray[np.uint8], source: int) -> None:
        """Replace bytes by those of rank `source`."""
        self._exchange(values, self._distributed.broadcast, src=self._member(source))

    def gather(self, values: NDArray[np.uint8], target: int) -> list[NDArray[np.uint8]] | None:
        """Return on rank `target` the bytes of each rank."""
        sizes = np.zeros(self.ranks, np.int64)
        sizes[self.rank] = len(values)
        self.add_up(sizes)
        if self.rank != target:
            if len(values) > 0:
                there = self._kept = self._torch.from_numpy(values).to(self._device)
                self._distributed.send(there, dst=self._member(target), group=self._group)
            return None
        gathered = []
        for rank, size in enumerate(sizes.tolist()):
            if rank == target:
                gathered.append(values)
                continue
            there = self._kept = self._torch.empty(size, dtype=self._torch.uint8, device=self._device)
            if size > 0:
                self._distributed.recv(there, src=self._member(rank), group=self._group)
            gathered.append(there.cpu().numpy())
        return gathered

    def barrier(self) -> None:
        """Return when every rank has called it."""
        self.add_up(np.zeros(1, np.int64))

    def _exchange(self, values: NDArray[Any], collective: Any, **options: Any) -> None:
        here = self._torch.from_numpy(values)
        there = self._kept = here.to(self._device)
        alone = _references(there)
        collective(there, group=self._group, **options)
        if there is not here:
            here.copy_(there)
            return
        # Threads of Gloo hold the tensor microseconds longer than the call takes. The last to let it go asks for the
        # interpreter's lock: while the interpreter shuts down that ends the process ("terminate called without an
        # active exception"), and a thread that is waited for then hangs. So here none is the last.
        end = time.monotonic() + 5
        while self._is_let_go and _references(there) > alone:
            self._is_let_go = time.monotonic() < end  # else this torch keeps tensors: wait for none from now on
            time.sleep(0)

    def _member(self, rank: int) -> int:
        """The number that a rank of the group has among all processes."""
        if self._group is None:
            return rank
        return int(self._distributed.get_global_rank(self._group, rank))


def _references(tensor: Any) -> int:
    """How many hold a tensor: those of C++, and those of Python, of which C++ may have one as well."""
    in_cpp = getattr(tensor, "_use_count", None)  # not public: another torch may lack it
    return sys.getrefcount(tensor) + (int(in_cpp()) if in_cpp else 0)


@suggests_options
def process_group(group: Any = None) -> ProcessGroup:
    """Make the ranks of a process group of torch.distributed, for ``train(..., ranks=...)``.

    Parameters
    ----------
    group : torch.distributed.ProcessGroup, optional
        By default the one that ``torch.distributed.init_process_group`` has made.

    Returns
    -------
    ProcessGroup

    Examples
    --------
    In a script that ``torchrun --nproc-per-node=4 script.py`` starts (`join_processes` does the first two lines)::

        torch.distributed.init_process_group("gloo")
        ranks = papilio.distributed.process_group()
        corpus = papilio.read_corpus("docword.news.txt", ranks=ranks)
        result = papilio.train(corpus, topics=1000, start="uniform", ranks=ranks)
        if ranks.rank == 0:
            papilio.save_model(result.model, "news.papilio.safetensors")
    """
    return ProcessGroup(group)


@suggests_options
def join_processes(seconds: float = 300.0) -> ProcessGroup | None:
    """Join the processes that torchrun has started, by a process group on Gloo, the default one of torch.distributed.

    Unlike ``torch.distributed.init_process_group("gloo")``, it works when ``torchrun --max-restarts`` starts processes
    again after a failure: they never take the addresses of the processes before for those of the others.

    Parameters
    ----------
    seconds : float, default 300
        How long a rank waits for the slowest of the others, here and in every later call; above 0.

    Returns
    -------
    ProcessGroup or None
        For ``train(..., ranks=...)``. None where the environment has no WORLD_SIZE, or 1: the only process.

    Raises
    ------
    ImportError
        torch is not installed.
    RuntimeError
        There is a process group, or some ranks do not come.
    TypeError, ValueError
        `seconds` is no number, or out of range.

    Examples
    --------
    One process, without torchrun:

    >>> import papilio.distributed
    >>> papilio.distributed.join_processes() is None
    True
    """
    seconds = real(seconds, "papilio.distributed.join_processes: seconds", "a number of seconds")
    if not 0 < seconds <= 1e6:
        raise ValueError(f"papilio.distributed.join_processes: seconds is {seconds}, expected 0 < seconds <= 1e6")
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        return None
    join_gloo(seconds)
    return ProcessGroup()


@suggests_options
def documents_of_rank(corpus: Corpus, rank: int, ranks: int) -> tuple[range, range]:
    """Tell which documents a rank draws: whole documents that follow one another, about as many tokens for each rank.

    Parameters
    ----------
    corpus : Corpus
        The whole corpus, or as ranks have read it.
    rank, ranks : int
        0 <= rank < ranks.

    Returns
    -------
    documents, tokens : range
        Their numbers in the corpus; `TrainResult.topics` of a rank has the topics of these tokens.

    Raises
    ------
    ValueError
        `rank` is out of range.

    Examples
    --------
    >>> import papilio.distributed
    >>> corpus = papilio.corpus_from_tokens([["a", "b"], ["c"], ["a"]])
    >>> papilio.distributed.documents_of_rank(corpus, 1, 2)
    (range(1, 3), range(2, 4))
    """
    first, end, first_token, end_token = _core.documents_of_rank(corpus, rank, ranks)
    return range(first, end), range(first_token, end_token)


@over_ranks
@suggests_options
def gather_corpus(corpus: Corpus, ranks: Ranks | None) -> Corpus | None:
    """Put together on rank 0 the words of all documents, of which `read_corpus` gave each rank its own.

    Parameters
    ----------
    corpus : Corpus
        What ``read_corpus(..., ranks=ranks)`` returned on this rank. Every rank calls this.
    ranks : Ranks or None
        The same ranks. None: the only process, which has all words: a corpus that ranks have read is refused.

    Returns
    -------
    Corpus or None
        On rank 0 the corpus that one process reads; one that is whole on every rank is returned as it is. On other
        ranks None.

    Raises
    ------
    TypeError
        An argument of the wrong type.
    ValueError
        On every rank: other ranks have read the corpus of one, or the ranks' corpora differ.
    RankError
        Another rank has failed or does not answer.

    Notes
    -----
    Rank 0 holds 4 bytes per token of the whole corpus, for a moment twice.

    Examples
    --------
    One process, without torchrun:

    >>> import papilio.distributed
    >>> papilio.distributed.gather_corpus(papilio.corpus_from_tokens([["cats", "purr"], ["dogs"]]), None)
    Corpus(2 documents, 3 words, 3 tokens)
    """
    caller = "papilio.distributed.gather_corpus"
    if not isinstance(corpus, _core.Corpus):
        raise TypeError(f"{caller}: corpus is a {type(corpus).__name__}, expected a papilio.Corpus")
    own = core_ranks(ranks, caller)
    if is_part_on_all(corpus, own, caller, "the same on every rank"):
        return _core.gather_corpus(corpus, own)
    return corpus if own is None or own.rank == 0 else None


@over_ranks
@suggests_options
def gather_topics(state: ChainState, ranks: Ranks | None) -> ChainState:
    """Put together the topics of all tokens on rank 0, from the parts that `train` gave each rank.

    Rank 0 can then do what asks for all of them, such as `diagnose_topics`, `log_joint` and `write_mallet_state`.

    Parameters
    ----------
    state : ChainState
        The `TrainResult.topics` of this rank. Every rank calls this.
    ranks : Ranks or None
        As for `train`. None: the only process, which has all topics.

    Returns
    -------
    ChainState
        On rank 0 the state of the whole chain, as one process has it: its `z` has a topic per token of the corpus. On
        other ranks a state without topics: its `z` has the length 0.

    Raises
    ------
    TypeError
        An argument of the wrong type.
    RankError
        Another rank has failed or does not answer.

    Notes
    -----
    Deterministic. Rank 0 holds 4 bytes per token of the whole corpus, for a moment twice.

    Examples
    --------
    In a script that ``torchrun --nproc-per-node=4 script.py`` starts::

        result = papilio.train(corpus, topics=1000, ranks=ranks)
        chain = papilio.distributed.gather_topics(result.topics, ranks)
        if ranks.rank == 0:
            diagnostics = papilio.diagnose_topics(corpus, chain, result.model)
    """
    caller = "papilio.distributed.gather_topics"
    if not isinstance(state, _core.ChainState):
        raise TypeError(f"{caller}: state is a {type(state).__name__}, expected a papilio.ChainState")
    own = core_ranks(ranks, caller)
    return state if own is None else _core.gather_topics(state, own)
