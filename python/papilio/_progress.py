"""Reports of a run of LDA."""

import sys

import numpy as np


def _bar(total, done):
    """A tqdm bar, if tqdm is installed."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=total, initial=done, unit="sweep", desc="LDA")


class Reporter:
    """Passes reports of training to the callbacks, to a bar or lines on stderr, and to `curve`.

    Attributes
    ----------
    curve : list of (int, float)
        Sweeps, and the log-likelihood per token in nats, where it was computed.
    """

    def __init__(self, callbacks, verbose, sweeps, done):
        self._callbacks = callbacks
        self._bar = _bar(sweeps, done) if verbose else None
        self._lines = bool(verbose) and self._bar is None
        self.curve = []

    def __call__(self, progress):
        value = progress.log_joint_per_token
        if value is not None:
            self.curve.append((progress.sweep, value))
        if self._bar is not None:
            if value is not None:
                self._bar.set_postfix_str(f"{value:.4f} nats per token", refresh=False)
            self._bar.update(progress.sweep - self._bar.n)
        elif self._lines and value is not None:
            speed = progress.tokens_per_second / 1e6
            print(
                f"LDA: sweep {progress.sweep} of {progress.sweeps}, {value:.4f} nats per token, "
                f"{speed:.2f} million tokens per second",
                file=sys.stderr,
            )
        answers = [callback(progress) for callback in self._callbacks]
        return not any(isinstance(answer, (bool, np.bool_)) and not answer for answer in answers)

    def close(self):
        """Closes the bar."""
        if self._bar is not None:
            self._bar.close()
