"""Checks of LDA's parameters. Each function names the parameter that does not fit."""

import numbers

import numpy as np

from papilio import _core, _seeds
from papilio._checked import MOST_THREADS, plain


def integer(value, name, least, most=2**31 - 1):
    """The value as int; a whole number in range."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"LDA: {name} is {value!r}, expected a whole number")
    if not least <= value <= most:
        raise ValueError(f"LDA: {name} is {value}, expected {least} to {most}")
    return int(value)


def _positive(value, name):
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"LDA: {name} is {value!r}, expected a number")
    if not 1e-100 <= value <= 1e6:
        raise ValueError(f"LDA: {name} is {value}, expected 1e-100 to 1e6")
    return float(value)


def document_prior(value, topics):
    """alpha as a float, or a list of K of them."""
    if value is None:
        return 1.0 / topics
    if np.ndim(value) == 0:
        return _positive(value, "doc_topic_prior")
    numbers = plain(value, "LDA: doc_topic_prior")
    values = [_positive(alpha, "doc_topic_prior") for alpha in numbers.ravel().tolist()]
    if numbers.ndim != 1 or len(values) != topics:
        raise ValueError(
            f"LDA: doc_topic_prior has shape {numbers.shape}, expected a number, or {topics} numbers: one per topic"
        )
    return values


def word_prior(value, topics):
    """beta."""
    return 1.0 / topics if value is None else _positive(value, "topic_word_prior")


def seed(random_state):
    """An int or a key of JAX is the seed itself. NumPy's generators and None, its own, give 32 bits; PyTorch's 63."""
    if random_state is None or random_state is np.random:
        return int(np.random.randint(0, 2**32, dtype=np.uint64))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**32, dtype=np.uint64))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**32, dtype=np.uint64))
    return integer(_seeds.number(random_state), "random_state", 0, 2**64 - 1)


def threads(n_jobs):
    """The number of threads: 0 (all) for None and -1; -2 is all but one."""
    if n_jobs is None:
        return 0
    n_jobs = integer(n_jobs, "n_jobs", -(2**31), MOST_THREADS)
    if n_jobs == 0:
        raise ValueError("LDA: n_jobs is 0, expected a number of threads, or None or -1 for all processors")
    return n_jobs if n_jobs > 0 else max(1, _core.default_threads() + 1 + n_jobs)


def draws_seed(random_state):
    """Whether `seed` draws a number that another process need not draw."""
    if random_state is None or random_state is np.random:
        return True
    return _seeds.is_generator(random_state)


def device(value, schedule, ranks=None):
    """The name of a device. None: chosen by the library, but the CPU for the sequential schedule and over ranks."""
    if value is None:
        return "cpu" if schedule == "sequential" or ranks is not None else "auto"
    if not isinstance(value, str):
        raise TypeError(f"LDA: device is {value!r}, expected None, 'cpu', 'cuda' or 'cuda:N'")
    return value


def callbacks(value):
    """A list of functions."""
    functions = [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]
    for function in functions:
        if not callable(function):
            raise TypeError(f"LDA: callback is {function!r}, expected a function of a Progress, or a list of them")
    return functions
