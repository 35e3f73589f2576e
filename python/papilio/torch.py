"""Registers the operators `torch.ops.papilio.sample_categorical`, `sample_products` and `sample_tokens`.

The functions of papilio take tensors directly, and use the operators under `torch.compile`. Import this module to call
the operators yourself, or to run code that was exported with them. Their schemas::

    papilio::sample_categorical(Tensor weights, Tensor? seeds, Tensor? row_ids, Tensor? indices,
        Tensor? indptr, *, bool logits=False, float temperature=1.0, OPTIONS) -> (Tensor, Tensor)
    papilio::sample_products(Tensor left, Tensor right, Tensor? seeds, Tensor? row_ids,
        Tensor? left_rows, Tensor? right_rows, *, OPTIONS) -> (Tensor, Tensor)

    OPTIONS: int seed=0, int stream=0, int first_row_id=0, bool narrow=False,
        bool return_status=False, bool check_negative=True, int threads=0, str method='slots'

`seed`, `stream` and `first_row_id` are 64 bits, as signed integers. `narrow` selects int32 results. The second result
is the status; it is empty without `return_status`.

`papilio::sample_tokens` takes the logits, a tensor or None for each of what `papilio.sample_tokens` takes per row, and
gives the members of `papilio.Tokens`, empty where they are not asked for; ``torch.ops.papilio.sample_tokens.default``
shows its schema.
"""

from papilio import _torch as _torch
from papilio import _torch_tokens as _torch_tokens
