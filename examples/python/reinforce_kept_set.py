"""Reinforcement learning on filtered draws: the ratio of policies is taken over the kept set.

Tokens are drawn with top_k and top_p, so the policy that acted is the filtered distribution. A learner that takes the
softmax of all logits gets another probability: its ratio is off by the kept mass even before the first step. With the
kept set that the draw returned, both sides use the same distribution, and the ratio starts at 1 exactly.

    python examples/python/reinforce_kept_set.py      needs papilio and NumPy
"""

import numpy as np

import papilio

rng = np.random.default_rng(2)
ROWS, V = 2000, 400
FILTERS = dict(temperature=0.8, top_k=40, top_p=0.9)


def log_softmax(x, axis=-1):
    x = x - x.max(axis=axis, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=axis, keepdims=True))


def log_ratio(logits, drawn, over_kept_set):
    """ln(new policy / policy that acted) of each token, as a learner would take it from its own logits."""
    scaled = logits.astype(np.float64) / FILTERS["temperature"]
    if over_kept_set:
        kept = np.where(drawn.kept < 0, 0, drawn.kept)
        scaled_kept = np.where(drawn.kept < 0, -np.inf, np.take_along_axis(scaled, kept, axis=1))
        place = (drawn.kept == drawn.tokens[:, None]).argmax(axis=1)
        new = log_softmax(scaled_kept)[np.arange(ROWS), place]
    else:
        new = log_softmax(scaled)[np.arange(ROWS), drawn.tokens]
    return new - drawn.log_probability


logits = rng.normal(size=(ROWS, V)).astype(np.float32) * 2
drawn = papilio.sample_tokens(
    logits, seeds=7, positions=np.arange(ROWS), return_log_probability=True, return_kept=True,
    return_kept_mass=True, **FILTERS
)
moved = logits + rng.normal(size=logits.shape).astype(np.float32) * 0.05  # the policy after a step

print(f"kept {drawn.kept_count.mean():.1f} of {V} tokens on average, {drawn.kept_mass.mean():.3f} of the mass")
for name, now in (("before the first step", logits), ("after a step", moved)):
    for over_kept_set in (False, True):
        ratio = np.exp(log_ratio(now, drawn, over_kept_set))
        law = "kept set" if over_kept_set else "all tokens"
        most = abs(ratio - 1).max()
        print(f"{name}, softmax over {law:10s}: mean ratio {ratio.mean():.4f}, largest distance from 1: {most:.4f}")
