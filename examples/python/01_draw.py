"""One draw from each row of a matrix: whole, in pieces, with bad rows, and with a seed per row."""

import numpy as np

import papilio

weights = np.array([[1, 2, 1], [0, 0, 5], [3, 0, 1], [1, 1, 1]], dtype=np.float32)

drawn = papilio.sample_categorical(weights, seed=7)
print("drawn:           ", drawn)

first = papilio.sample_categorical(weights[:2], seed=7)
second = papilio.sample_categorical(weights[2:], seed=7, row_ids=2)
print("in two pieces:   ", np.concatenate([first, second]))

order = [3, 1, 0, 2]
shuffled = papilio.sample_categorical(weights, indices=order, row_ids=order, seed=7)
print("in another order:", shuffled[np.argsort(order)])

weights[1] = 0
weights[2, 0] = np.nan
drawn, status = papilio.sample_categorical(weights, seed=7, return_status=True)
for row, (category, code) in enumerate(zip(drawn, status)):
    print(f"row {row}: {category:2d} {papilio.DrawStatus(code).name.lower()}")

tokens = papilio.sample_categorical(np.log(np.ones((2, 1000))), logits=True, seed=[11, 12], row_ids=[5, 5])
print("tokens of two requests at position 5:", tokens)
