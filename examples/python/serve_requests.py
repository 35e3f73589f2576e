"""A serving loop: requests come and go, each with its own seed and filters. The batch never changes a text.

A toy model gives logits from the last token. The same requests are served three times: one at a time, four at a time,
and in another order. Every request gets the same text.

    python examples/python/serve_requests.py      needs papilio and NumPy
"""

from dataclasses import dataclass, field

import numpy as np

import papilio

V, END = 512, 0
TABLE = np.random.default_rng(1).normal(size=(V, V)).astype(np.float32) * 2
TABLE[:, END] += 3  # texts end after a while


@dataclass
class Request:
    seed: int
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    most_tokens: int = 40
    bias: dict = field(default_factory=dict)
    text: list = field(default_factory=lambda: [1])


def step(batch):
    """One token for each request of the batch."""
    drawn = papilio.sample_tokens(
        TABLE[[request.text[-1] for request in batch]],
        seeds=np.array([request.seed for request in batch]),
        positions=np.array([len(request.text) for request in batch]),
        temperature=np.array([request.temperature for request in batch]),
        top_k=np.array([request.top_k for request in batch]),
        top_p=np.array([request.top_p for request in batch]),
        bias=[request.bias for request in batch],
        return_status=True,
    )
    for request, token, status in zip(batch, drawn.tokens, drawn.status):
        # A request whose filters leave nothing ends; the others in its batch are not affected.
        request.text.append(int(token) if status == papilio.TokenStatus.OK else END)


def serve(requests, at_once):
    """Serves requests in their order, `at_once` at a time: one that ends makes room for the next."""
    waiting, running = list(requests), []
    while waiting or running:
        while waiting and len(running) < at_once:
            running.append(waiting.pop(0))
        step(running)
        running = [r for r in running if r.text[-1] != END and len(r.text) < r.most_tokens]
    return [tuple(request.text) for request in requests]


def requests():
    return [
        Request(seed=11),
        Request(seed=11, temperature=0.0),
        Request(seed=12, top_k=40, top_p=0.9, temperature=0.7),
        Request(seed=13, top_p=0.5, most_tokens=12),
        Request(seed=14, bias={END: -100.0}),
        Request(seed=15, temperature=1.5, top_k=200),
    ]


alone, together = serve(requests(), 1), serve(requests(), 4)
backwards = serve(requests()[::-1], 3)[::-1]
for i, text in enumerate(alone):
    print(f"request {i}: {len(text):2d} tokens: {' '.join(map(str, text[:8]))}{' ...' if len(text) > 8 else ''}")
print("the same four at a time: ", together == alone)
print("the same in another order:", backwards == alone)
