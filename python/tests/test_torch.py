"""Tensors of PyTorch: dtypes, layouts, the operator under compilers. Skipped where it is not installed."""

import numpy as np
import pytest

import papilio

torch = pytest.importorskip("torch")

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"))]


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


def draw(weights, **options):
    return papilio.sample_categorical(weights, **{"seed": 1, "stream": 2, **options})


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_dtypes_and_layouts(golden, device, dtype):
    weights = torch.from_numpy(golden.weights(100)).to(device, getattr(torch, dtype))
    drawn = draw(weights)
    assert drawn.device == weights.device and drawn.dtype == torch.int64
    assert drawn.tolist() == golden.draws[100]
    for other in (weights.t().contiguous().t(), torch.nn.functional.pad(weights, (3, 2))[:, 3:-2], weights[:1].expand(12, -1)):
        assert draw(other).tolist() == golden.draws[100]
    assert draw(weights.requires_grad_()).tolist() == golden.draws[100]
    assert draw(torch.nn.Parameter(weights.detach())).tolist() == golden.draws[100]
    logits = torch.from_numpy(golden.logits()).to(device, getattr(torch, dtype))
    assert draw(logits, logits=True, temperature=0.7).tolist() == golden.logit_draws


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_8_bit_floats(golden, device, dtype):
    weights = torch.from_numpy(golden.weights(5)).to(device, getattr(torch, dtype))
    drawn = draw(weights)
    assert drawn.device == weights.device and drawn.dtype == torch.int64
    assert drawn.tolist() == golden.draws[5]
    assert draw(weights.t().contiguous().t()).tolist() == golden.draws[5]
    logits = torch.linspace(-6, 6, 300).reshape(3, 100).to(device, weights.dtype)
    assert draw(logits, logits=True).tolist() == draw(logits.float(), logits=True).tolist()


@pytest.mark.parametrize("dtype", ["float8_e4m3fnuz", "float8_e5m2fnuz"])
def test_other_8_bit_floats_are_refused(dtype):
    with pytest.raises(TypeError, match=f"weights has the dtype {dtype}, which papilio does not support"):
        draw(torch.ones(2, 3).to(getattr(torch, dtype)))


def test_every_array_argument(golden, device):
    weights = torch.from_numpy(golden.matrix()[:200]).to(device)
    numbers = torch.tensor([199, 3, 3, 77], device=device)
    whole = draw(weights)
    assert draw(weights, indices=numbers, row_ids=numbers).tolist() == whole[numbers].tolist()
    assert draw(weights, indices=numbers.to(torch.int16), row_ids=numbers.int()).tolist() == whole[numbers].tolist()
    seeds = torch.arange(200, device=device)
    assert draw(weights, seed=seeds)[5].item() == draw(weights, seed=5)[5].item()
    assert draw(weights, seed=torch.tensor(5, device=device)).tolist() == draw(weights, seed=5).tolist()
    indptr = torch.arange(0, 200 * 300 + 1, 300, device=device)
    assert draw(weights.flatten(), indptr=indptr).tolist() == whole.tolist()
    out = torch.empty(200, dtype=torch.int32, device=device)
    assert draw(weights, out=out) is out and out.tolist() == whole.tolist()
    drawn, status = draw(weights * 0, return_status=True)
    assert status.dtype == torch.uint8 and set(status.tolist()) == {papilio.DrawStatus.ALL_ZERO}
    assert set(drawn.tolist()) == {-1}
    assert draw(weights[0]).dim() == 0


def test_a_generator_gives_the_seed(device):
    weights = torch.ones(50, 40, device=device)
    for place in {"cpu", device}:
        generator, twin = (torch.Generator(place).manual_seed(3) for _ in range(2))
        seeds = [int(torch.randint(2**63 - 1, (), generator=twin, device=place)) for _ in range(2)]
        for seed in seeds:
            assert draw(weights, seed=generator).tolist() == draw(weights, seed=seed).tolist()
    products = papilio.sample_products(weights, weights, seed=torch.Generator().manual_seed(3))
    twin = torch.Generator().manual_seed(3)
    seed = int(torch.randint(2**63 - 1, (), generator=twin))
    assert products.tolist() == papilio.sample_products(weights, weights, seed=seed).tolist()


def test_a_generator_gives_the_seed_of_every_kind_of_draw():
    """Whatever the weights are: tensors, or arrays and numbers beside which there are none. Topic models have none."""
    row, rows = torch.arange(1.0, 200.0), torch.rand(3, 40)
    dynamic, forest = papilio.DynamicWeights(row), papilio.DynamicForest(rows)
    corpus = papilio.generate_corpus(documents=20, vocabulary=30, topics=3, seed=1)
    lda = papilio.LDA(3, max_iter=5, random_state=1, device="cpu").fit(corpus)

    def reservoir(seed):
        kept = papilio.WeightedReservoir(5, seed=seed)
        kept.add(row)
        return kept.items

    calls = {
        "sample_categorical": lambda seed: papilio.sample_categorical(rows.numpy(), seed=seed),
        "sample_tokens": lambda seed: papilio.sample_tokens(rows.numpy(), seeds=seed),
        "sample_without_replacement": lambda seed: papilio.sample_without_replacement(rows, 9, seed=seed),
        "weighted_shuffle": lambda seed: papilio.weighted_shuffle(rows.numpy(), seed=seed),
        "reservoir": reservoir,
        "alias": lambda seed: papilio.AliasTable(row).sample(9, seed=seed),
        "cumulative": lambda seed: papilio.CumulativeTable(row.numpy()).sample(9, seed=seed),
        "choice": lambda seed: papilio.choice(199, 9, row, seed=seed),
        "resample": lambda seed: papilio.resample(row, 90, seed=seed, method="multinomial"),
        "dynamic": lambda seed: dynamic.sample(9, seed=seed),
        "forest": lambda seed: forest.sample([0, 1, 2] * 3, seed=seed),
        "LDA": lambda seed: papilio.LDA(3, max_iter=2, random_state=seed, device="cpu").fit(corpus).topics_,
        "infer": lambda seed: papilio.infer(lda, corpus, sweeps=5, burn_in=1, seed=seed).theta,
        "complete_documents": lambda seed: papilio.complete_documents(lda, corpus, seed=seed).perplexity,
        "left_to_right": lambda seed: papilio.left_to_right(lda, corpus, particles=2, seed=seed).perplexity,
        "generate_corpus": lambda seed: papilio.generate_corpus(documents=9, vocabulary=9, topics=3, seed=seed).words,
    }
    for name, call in calls.items():
        generator, twin = (torch.Generator().manual_seed(3) for _ in range(2))
        for _ in range(2):  # it advances
            seed = int(torch.randint(2**63 - 1, (), generator=twin))
            drawn = np.asarray(call(generator)).tolist()
            assert drawn == np.asarray(call(seed)).tolist(), name
            assert drawn != np.asarray(call(seed + 1)).tolist(), name


def test_errors(device):
    weights = torch.ones(4, 3, device=device)
    with pytest.raises(TypeError, match="out must be a Tensor"):
        draw(weights, out=np.empty(4, int))
    with pytest.raises(TypeError, match="strided"):
        draw(weights.to_sparse())
    with pytest.raises(TypeError, match="seed must hold integers"):
        draw(weights, seed=torch.ones(4, device=device))
    with pytest.raises(TypeError, match="int64"):
        draw(weights.long())
    with pytest.raises(TypeError, match="meta"):
        draw(torch.ones(4, 3, device="meta"))
    with pytest.raises(TypeError, match="right must be a Tensor"):
        papilio.sample_products(weights, np.ones((4, 3), np.float32), seed=1)


def test_numpy_weights_with_tensors_beside(golden):
    rows = torch.tensor([3, 1])
    weights = golden.matrix()
    assert draw(weights, indices=rows, row_ids=rows).tolist() == draw(weights)[[3, 1]].tolist()


def test_operator(device):
    import papilio.torch  # noqa: F401

    weights = torch.rand(6, 50, device=device)
    drawn, status = torch.ops.papilio.sample_categorical(weights, None, None, None, None, seed=5, return_status=True)
    assert drawn.tolist() == papilio.sample_categorical(weights, seed=5).tolist()
    assert status.tolist() == [0] * 6
    for options in ({}, {"narrow": True, "return_status": True}, {"logits": True, "temperature": 0.5}):
        torch.library.opcheck(
            torch.ops.papilio.sample_categorical.default, (weights, None, None, None, None), {"seed": 5, **options}
        )
    rows = torch.tensor([1, 2], dtype=torch.int32, device=device)
    torch.library.opcheck(torch.ops.papilio.sample_categorical.default, (weights, None, None, rows, None), {"seed": 5})


def test_operator_of_products(device):
    import papilio.torch  # noqa: F401

    left, right = torch.rand(6, 50, device=device), torch.rand(9, 50, device=device)
    rows = torch.tensor([8, 0, 8, 3], dtype=torch.int32, device=device)
    expected = papilio.sample_products(left, right, rows[1:] % 6, rows[1:], seed=5)
    tensors = (left, right, None, None, rows[1:] % 6, rows[1:])
    assert torch.ops.papilio.sample_products(*tensors, seed=5)[0].tolist() == expected.tolist()
    torch.library.opcheck(torch.ops.papilio.sample_products.default, tensors, {"seed": 5, "return_status": True})

    def step(left, right, rows):
        return papilio.sample_products(left * 2, right, rows % 6, rows, seed=5)

    compiled = torch.compile(step, fullgraph=True, backend="aot_eager")
    assert compiled(left, right, rows).tolist() == step(left, right, rows).tolist()


def test_a_single_row_number_is_that_of_the_first_row(golden, device):
    weights = torch.from_numpy(golden.matrix()[:50]).to(device)
    first = torch.tensor(7, device=device)
    assert draw(weights[7:], row_ids=first).tolist() == draw(weights)[7:].tolist()


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_without_a_graph_break(device, backend):
    def step(x, seed, rows):
        drawn, status = papilio.sample_categorical(x.exp(), seed=seed, row_ids=rows, return_status=True)
        return papilio.sample_categorical(x, seed=2**64 - 1, logits=True, temperature=0.5) + drawn, status

    x, rows = torch.randn(9, 40, device=device), torch.arange(9, device=device)
    compiled = torch.compile(step, fullgraph=True, backend=backend)
    expected = step(x, 7, rows)
    for found, wanted in zip(compiled(x, 7, rows), expected):
        assert found.tolist() == wanted.tolist()
    assert compiled(x, 8, rows)[0].tolist() == step(x, 8, rows)[0].tolist()


def compiled(function, backend="eager", **options):
    torch._dynamo.reset()
    return torch.compile(function, fullgraph=True, backend=backend, **options)  # fullgraph: a graph break is an error


def seeds(device):
    """Every kind of seed that a tensor can be."""
    rows = torch.arange(6, device=device)
    kinds = {
        "no dimension": torch.tensor(5, device=device),
        "int32": torch.tensor(5, device=device, dtype=torch.int32),
        "on the CPU": torch.tensor(5),
        "negative": torch.tensor(-3, device=device),
        "per row": rows,
        "per row, int32": rows.to(torch.int32),
        "per row, uint64": rows.to(torch.uint64),
    }
    return kinds


CALLS = {
    "matrix": lambda x, s: papilio.sample_categorical(x, seed=s),
    "logits": lambda x, s: papilio.sample_categorical(x.log(), logits=True, temperature=0.5, seed=s, dtype="int32"),
    "picked": lambda x, s: papilio.sample_categorical(
        x, indices=[0, 5, 5, 2, 1, 0], row_ids=[3, 2, 1, 0, 9, 9], seed=s, return_status=True
    )[0],
    "ragged": lambda x, s: papilio.sample_categorical(
        x.flatten(), indptr=torch.arange(0, x.numel() + 1, x.shape[1], device=x.device), seed=s, row_ids=7
    ),
    "products": lambda x, s: papilio.sample_products(x, x * 2, seed=s),
}


@pytest.mark.parametrize("call", CALLS)
def test_seeds_that_are_tensors_under_compile(device, call):
    x = torch.rand(6, 40, device=device) + 0.01
    step = compiled(CALLS[call])
    for kind, seed in seeds(device).items():
        torch._dynamo.reset()
        found, expected = step(x, seed), CALLS[call](x, seed)
        assert found.tolist() == expected.tolist() and found.dtype == expected.dtype, kind


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_seeds_that_are_tensors_with_every_backend(device, backend):
    """Another value of the seed tensor compiles nothing, and neither does another number of rows."""

    def step(x, seed):
        drawn = papilio.sample_categorical(x.exp(), seed=seed)
        return drawn * 2 + papilio.sample_categorical(x, seed=seed, logits=True), drawn

    counter = torch._dynamo.testing.CompileCounterWithBackend(backend)
    fast = compiled(step, counter, dynamic=True)
    for rows in (6, 7, 8):
        x = torch.randn(rows, 40, device=device)
        for value in (5, 2**62, -1):
            seed = torch.tensor(value, device=device)
            assert [y.tolist() for y in fast(x, seed)] == [y.tolist() for y in step(x, seed)]
    assert counter.frame_count == 1


def test_other_seeds_under_compile(device):
    x = torch.rand(6, 40, device=device)
    step = compiled(CALLS["matrix"])
    for seed in (7, 8, 9, 2**62, [1, 2, 3, 4, 5, 6], (1, 2, 3, 2**62, 5, 6)):
        assert step(x, seed).tolist() == CALLS["matrix"](x, seed).tolist()
    large = compiled(lambda x: papilio.sample_categorical(x, seed=2**64 - 1, row_ids=2**63, stream=2**63 + 1))
    assert large(x).tolist() == papilio.sample_categorical(x, seed=2**64 - 1, row_ids=2**63, stream=2**63 + 1).tolist()
    for seed in (-1, 2**64, None, 1.5, torch.Generator(), np.random.default_rng(1)):
        torch._dynamo.reset()
        with pytest.raises(Exception, match="seed must be|seed is a|Unsupported|Observed exception|graph"):
            torch.compile(CALLS["matrix"], backend="eager", fullgraph=True)(x, seed)


def test_operator_with_a_tensor_as_seed(device):
    import papilio.torch  # noqa: F401

    x = torch.rand(6, 40, device=device)
    for seed in (torch.tensor(5, device=device), torch.arange(6, device=device)):
        drawn = torch.ops.papilio.sample_categorical(x, seed, None, None, None)[0]
        assert drawn.tolist() == papilio.sample_categorical(x, seed=seed).tolist()
        torch.library.opcheck(torch.ops.papilio.sample_categorical.default, (x, seed, None, None, None))
    meta = torch.ops.papilio.sample_categorical(x.to("meta"), torch.tensor(5, device="meta"), None, None, None)[0]
    assert meta.shape == (6,) and meta.dtype == torch.int64 and meta.device.type == "meta"


def test_a_seed_on_the_device_is_not_read(device):
    """No value of a seed's has to reach the host: PyTorch would raise for a call that waits."""
    if device == "cpu":
        pytest.skip("the CPU's seeds are on the host")
    x = torch.rand(6, 40, device=device)
    seed = torch.tensor(5, device=device)
    papilio.sample_categorical(x, seed=seed)
    torch.cuda.set_sync_debug_mode("error")
    try:
        drawn = papilio.sample_categorical(x, seed=seed)
        drawn_by_host = papilio.sample_categorical(x, seed=torch.tensor(5))
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert drawn.tolist() == drawn_by_host.tolist() == papilio.sample_categorical(x, seed=5).tolist()


def test_export(device):
    class Step(torch.nn.Module):
        def forward(self, x, seed):
            return papilio.sample_categorical(x, seed=seed, logits=True)

    x, seed = torch.randn(4, 9, device=device), torch.tensor(3, device=device)
    exported = torch.export.export(Step(), (x, seed)).module()
    for value in (3, 4):
        seed = torch.tensor(value, device=device)
        assert exported(x, seed).tolist() == Step()(x, seed).tolist()


def test_fake_tensors():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        weights = torch.ones(8, 3, dtype=torch.bfloat16)
        assert papilio.sample_categorical(weights, seed=1).shape == (8,)
        assert papilio.sample_categorical(weights[0], seed=1, dtype="int32").shape == ()
        assert papilio.sample_categorical(weights, seed=1, indices=torch.zeros(5, dtype=torch.int32)).shape == (5,)
