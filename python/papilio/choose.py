"""How many topics: models of several sizes, trained and measured alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from papilio import _core
from papilio._checked import file_name, flag, real, whole
from papilio._core import ChooseProgress, Corpus
from papilio._display import table
from papilio._keywords import suggests_options
from papilio._options import CoherenceMeasure, Draws, PartialSums, Ranks, Sampler, Schedule, Start
from papilio._over_ranks import over_ranks
from papilio._ranks import core_ranks, is_part_on_all
from papilio.readers import Path
from papilio.training import _core_options

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["ChooseProgress", "ChooseResult", "ChooseRow", "ChooseRun", "choose_topics"]


class ChooseRun(NamedTuple):
    """One model, measured."""

    topics: int
    seed: int
    perplexity: float
    coherence: float
    diversity: float
    seconds: float


class ChooseRow(NamedTuple):
    """The models of one number of topics: the means of their measures, and from the least to the most."""

    topics: int
    seeds: int
    perplexity: float
    perplexity_range: tuple[float, float]
    coherence: float
    coherence_range: tuple[float, float]
    diversity: float
    diversity_range: tuple[float, float]
    stability: float
    seconds: float


class ChooseResult:
    """What `choose_topics` has measured.

    It shows itself as a table in a notebook. Everything but `seconds` is the same in every run with the same arguments.

    Attributes
    ----------
    rows : list of ChooseRow
        By number of topics, ascending: `topics`, `seeds` (models), means and ranges of `perplexity`, `coherence` and
        `diversity`, `stability` (NaN with one seed), and mean `seconds` per model.
    runs : list of ChooseRun
        Each model: `topics`, `seed`, `perplexity`, `coherence`, `diversity`, `seconds`.
    summary : str
        What the rows show, in sentences.
    documents, held_out_documents : int
        Documents trained on, and held out for perplexity.
    measure : str
        Of coherence.
    stopped : bool
        Whether `progress` stopped it: models may be missing.
    """

    __slots__ = ("_result", "rows", "runs")

    rows: list[ChooseRow]
    runs: list[ChooseRun]

    def __init__(self, result: _core.ChooseResult) -> None:
        self._result = result
        self.rows = [ChooseRow(*(getattr(row, name) for name in ChooseRow._fields)) for row in result.rows]
        self.runs = [ChooseRun(*(getattr(run, name) for name in ChooseRun._fields)) for run in result.runs]

    @property
    def summary(self) -> str:
        return self._result.summary() if self.rows else "No model was trained."

    @property
    def documents(self) -> int:
        return self._result.documents

    @property
    def held_out_documents(self) -> int:
        return self._result.held_out_documents

    @property
    def measure(self) -> str:
        return self._result.measure

    @property
    def stopped(self) -> bool:
        return self._result.stopped

    def to_pandas(self, *, runs: bool = False) -> DataFrame:
        """Make a data frame: a row per number of topics, or per model.

        Parameters
        ----------
        runs : bool, default False
            A row per model.

        Returns
        -------
        pandas.DataFrame
            Indexed by `topics`, or by `topics` and `seed`.

        Raises
        ------
        ImportError
            pandas is not installed.
        """
        import pandas

        if flag(runs, "papilio.ChooseResult.to_pandas: runs"):
            return pandas.DataFrame(self.runs, columns=list(ChooseRun._fields)).set_index(["topics", "seed"])
        return pandas.DataFrame(self.rows, columns=list(ChooseRow._fields)).set_index("topics")

    def plot(self) -> list[Axes]:
        """Plot each measure over the number of topics; `papilio.plot.choose_topics`.

        Returns
        -------
        list of matplotlib.axes.Axes
            A panel for each of perplexity, coherence, diversity and, with several seeds, stability.
        """
        from papilio import plot

        return plot.choose_topics(self)

    def page(self, title: str = "How many topics", *, times: bool = False) -> str:
        """Make the page of HTML that the command ``papilio choose -o`` writes: charts, table, summary.

        Parameters
        ----------
        title : str
        times : bool, default False
            Also show seconds, which differ from run to run.

        Returns
        -------
        str
            One file that needs no network and blocks all requests. The same result gives the same page.
        """
        if not isinstance(title, str):
            raise TypeError(f"papilio.ChooseResult.page: title is {title!r}, expected a str")
        shown = title.encode("utf-8", "replace").decode()  # without halves of characters
        return self._result.page(shown, flag(times, "papilio.ChooseResult.page: times"))

    def __repr__(self) -> str:
        numbers = ", ".join(str(row.topics) for row in self.rows)
        stopped = ", stopped" if self.stopped else ""
        return f"ChooseResult(topics {numbers or 'none'}; {len(self.runs)} models{stopped})"

    def _repr_html_(self) -> str:
        def cell(value: float, digits: int) -> str:
            return "-" if value != value else f"{value:.{digits}f}"

        rows = [
            (
                row.topics,
                cell(row.perplexity, 2),
                cell(row.coherence, 4),
                cell(row.diversity, 4),
                cell(row.stability, 4),
                cell(row.seconds, 1),
            )
            for row in self.rows
        ]
        header = ("topics", "perplexity", f"coherence ({self.measure})", "diversity", "stability", "seconds")
        return table(repr(self), header, rows)

    def __reduce__(self) -> Any:
        raise TypeError(
            "papilio.ChooseResult cannot be pickled or copied; pickle its rows and runs, or keep the file `state`"
        )


Callback = Callable[[ChooseProgress], Optional[bool]]


@over_ranks
@suggests_options
def choose_topics(
    corpus: Corpus,
    topics: Iterable[int] = (20, 50, 100, 200),
    *,
    seeds: int = 3,
    held_out_every: int = 10,
    measure: CoherenceMeasure = "npmi",
    coherence_words: int = 10,
    window: int = 0,
    top_words: int = 25,
    state: Path | None = None,
    progress: Callback | None = None,
    sweeps: int = 200,
    alpha: float = 0.1,
    alpha_sum: float | None = None,
    beta: float = 0.01,
    seed: int = 0,
    sampler: Sampler = "collapsed",
    schedule: Schedule = "parallel",
    start: Start = "automatic",
    draws: Draws = "automatic",
    mh_steps: int = 2,
    method: PartialSums = "slots",
    optimize_every: int = 0,
    optimize_after: int = 50,
    device: str = "cpu",
    max_device_memory: int = 0,
    threads: int = 0,
    ranks: Ranks | None = None,
) -> ChooseResult:
    """Train models with several numbers of topics and several seeds, and measure them alike.

    Parameters
    ----------
    corpus : Corpus
    topics : iterable of int, default (20, 50, 100, 200)
        The numbers to try, each once; at least 1, and at most the number of documents trained on.
    seeds : int, default 3
        Models for each number, 1 to 1000: `seed`, `seed` + 1, ...
    held_out_every : int, default 10
        Every 10th document is held out for perplexity; at least 2.
    measure : {"npmi", "c_v", "umass"}
        Of coherence, in the documents trained on. Default "npmi".
    coherence_words : int, default 10
        Words per topic for coherence, 2 to 1000.
    window : int, default 0
        Tokens per window of coherence; 0: 10 for "npmi" and 110 for "c_v", or whole documents if the words of each
        document are sorted by number, as in a bag of words.
    top_words : int, default 25
        Words per topic for diversity and stability, 1 to 1000.
    state : str or path-like, optional
        A file with the measures of each finished model. If it exists, its models are not trained again: an
        interrupted call continues, and a call with more `topics` or `seeds` trains only the missing models. If it
        cannot be written, a RuntimeWarning says so.
    progress : callable, optional
        Called with a `ChooseProgress` after each sweep. If it returns False, no more models are trained.
    sweeps, alpha, beta, seed, sampler, schedule, start, draws, mh_steps, method
        As in `train`.
    optimize_every, optimize_after, device, max_device_memory, threads
        As in `train`.
    alpha_sum : float, optional
        The sum of alpha over topics, instead of `alpha`.
    ranks : Ranks, optional
        The processes that share the models, such as ``papilio.distributed.process_group()`` (docs/distributed.md). Every
        rank calls this with the same corpus and options, and gets the same result. Each trains whole models, the
        largest first, in rounds of one model per rank. Only rank 0 reads and writes `state`, after each round. The
        rank that trains a model calls `progress`, which can stop all ranks.

    Returns
    -------
    ChooseResult
        `rows`, `runs`, `summary`, `to_pandas()`, `plot()`, `page()`.

    Raises
    ------
    ValueError
        An option out of range; more topics than documents; a file `state` of another corpus, other options or another
        version of papilio.
    FormatError
        A file `state` that is damaged, or something else.
    RankError
        Another rank has failed or does not answer. What ranks differ in is a ValueError on all of them.
    KeyboardInterrupt
        Ctrl-C, within a sweep. The file `state` has the models that were finished.

    Notes
    -----
    Each model is trained on the same nine tenths of the documents. Perplexity is that of `complete_documents` on the
    others, coherence, diversity and stability are those of `coherence`, `diversity` and `topic_stability` (the mean
    over pairs of seeds). All is the same for any number of threads and on any device, except `seconds`.

    The corpus is held twice; models are trained one after the other, and only their numbers and top words are kept.

    Examples
    --------
    >>> import papilio
    >>> corpus = papilio.generate_corpus(documents=200, vocabulary=100, topics=4)
    >>> result = papilio.choose_topics(corpus, [2, 4, 8], seeds=2, sweeps=30)
    >>> result
    ChooseResult(topics 2, 4, 8; 6 models)
    >>> [row.topics for row in result.rows]
    [2, 4, 8]
    """
    caller = "papilio.choose_topics"
    arguments = locals()
    if not isinstance(corpus, Corpus):
        raise TypeError(f"{caller}: corpus is a {type(corpus).__name__}, expected a papilio.Corpus")
    names = ("sweeps", "alpha", "beta", "seed", "sampler", "schedule", "start", "draws", "mh_steps", "method",
             "optimize_every", "optimize_after", "device", "max_device_memory", "threads")  # fmt: skip
    options = _core_options("choose_topics", {name: arguments[name] for name in names}, corpus)
    if progress is not None and not callable(progress):
        raise TypeError(f"{caller}: progress is {progress!r}, expected a function of a ChooseProgress")
    if isinstance(topics, (str, bytes)) or not isinstance(topics, Iterable):
        raise TypeError(f"{caller}: topics is {topics!r}, expected numbers of topics, such as [20, 50, 100]")
    choices: dict[str, Any] = {
        "topics": [whole(k, f"{caller}: topics[{i}]", 1, 2**31 - 1) for i, k in enumerate(topics)],
        "seeds": whole(seeds, f"{caller}: seeds", 1, 1000),
        "alpha_sum": None if alpha_sum is None else real(alpha_sum, f"{caller}: alpha_sum"),
        "held_out_every": whole(held_out_every, f"{caller}: held_out_every", 2, 2**63 - 1),
        "measure": measure,
        "coherence_words": whole(coherence_words, f"{caller}: coherence_words", 2, 1000),
        "window": whole(window, f"{caller}: window", 0, 2**31 - 1),
        "top_words": whole(top_words, f"{caller}: top_words", 1, 1000),
        "state": b"" if state is None else file_name(state),
        "progress": progress,
    }
    own = core_ranks(ranks, caller)
    is_part_on_all(corpus, own, caller, "the whole corpus on every rank: use read_corpus without ranks")
    return ChooseResult(_choose(corpus, options, choices, ranks))


@over_ranks  # a meeting of its own: what the library finds wrong before it exchanges anything is told, too
def _choose(corpus: Corpus, options: Any, choices: dict[str, Any], ranks: Ranks | None) -> Any:
    return _core.choose_topics(corpus, options, **choices, ranks=core_ranks(ranks, "papilio.choose_topics"))
