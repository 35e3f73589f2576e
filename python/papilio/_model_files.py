"""Files of models, and states of MALLET."""

from __future__ import annotations

from papilio import _core
from papilio._checked import file_name
from papilio._core import ChainState, Corpus, Model
from papilio._keywords import suggests_options
from papilio.readers import Path


@suggests_options
def save_model(model: Model, path: Path) -> None:
    """Write a model as one safetensors file, as the command ``papilio train`` does.

    The file appears whole or not at all. Equal models give equal bytes.

    Parameters
    ----------
    model : Model
    path : str or path-like

    Raises
    ------
    OSError
        The file cannot be written.
    """
    _core.save_model(model, file_name(path))


@suggests_options
def load_model(path: Path) -> Model:
    """Read a model that `save_model` or the command ``papilio train`` wrote.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    Model

    Raises
    ------
    OSError
        The file cannot be read.
    FormatError
        The file does not hold a model, or is damaged.
    """
    return _core.load_model(file_name(path))


@suggests_options
def read_mallet_state(path: Path) -> tuple[Corpus, ChainState, int]:
    """Read a state file of MALLET (``--output-state``) or of `write_mallet_state`.

    Parameters
    ----------
    path : str or path-like
        Plain, or compressed by gzip or zstd.

    Returns
    -------
    corpus : Corpus
    state : ChainState
        With the priors; give it to `train` as `resume`.
    topics : int
        K.

    Raises
    ------
    OSError
        The file cannot be read.
    FormatError
        With the line that does not fit the format.
    """
    state = _core.read_mallet_state(file_name(path), 0)
    return state.corpus, state.topics, state.topic_count


@suggests_options
def write_mallet_state(corpus: Corpus, state: ChainState, model: Model, path: Path) -> None:
    """Write a chain as MALLET's ``--output-state`` does: gzip, one line per token.

    Parameters
    ----------
    corpus : Corpus
    state : ChainState
    model : Model
        Its priors go into the file.
    path : str or path-like

    Raises
    ------
    OSError
        The file cannot be written.
    ValueError
        A state that does not fit the corpus, or words and names that would not read back: words that are empty or have
        blanks or line ends, names that are "NA" or have line ends or blanks around them.
    """
    _core.write_mallet_state(corpus, state.z, model.alpha, model.beta, file_name(path))
