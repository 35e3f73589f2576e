"""Arrays of JAX, also under jit. Skipped where it is not installed."""

import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import conftest
import numpy as np
import pytest

import papilio

jax = pytest.importorskip("jax")


def _taken_by_numpy(x):
    """Whether NumPy knows the dtype of an array given by DLPack: 8-bit floats from some version on."""
    try:
        return np.from_dlpack(x).dtype == x.dtype
    except (BufferError, RuntimeError):
        return False


def test_results_are_arrays_of_jax(golden):
    weights = jax.numpy.asarray(golden.weights(100), dtype="float32")
    on_cpu = weights.device.platform == "cpu"
    of_no_framework = "weights is not an array that NumPy takes by DLPack" if on_cpu else "there is no framework to allocate"
    drawn = papilio.sample_categorical(weights, seed=1, stream=2)
    assert isinstance(drawn, jax.Array) and drawn.dtype == "int32"
    assert drawn.tolist() == golden.draws[100]
    halves = papilio.sample_categorical(weights.astype("bfloat16"), seed=1, stream=2, return_status=True)
    assert halves[0].tolist() == golden.draws[100] and halves[1].dtype == "uint8"
    for dtype in ("float8_e4m3fn", "float8_e5m2"):
        bytes_ = jax.numpy.asarray(golden.weights(5), dtype=dtype)
        assert papilio.sample_categorical(bytes_, seed=1, stream=2).tolist() == golden.draws[5]
        compiled = jax.jit(lambda x: papilio.sample_categorical(x, seed=1, stream=2))
        assert compiled(bytes_).tolist() == golden.draws[5]
        if on_cpu and _taken_by_numpy(bytes_):
            drawn = papilio.sample_categorical(conftest.OnlyDLPack(bytes_), seed=1, stream=2)
            assert drawn.tolist() == golden.draws[5]
        else:
            with pytest.raises(TypeError, match=of_no_framework):
                papilio.sample_categorical(conftest.OnlyDLPack(bytes_), seed=1)
        assert papilio._core.Array(bytes_.__dlpack__(), "weights", False).shape == (12, 5)
    with pytest.raises(TypeError, match="weights has a dtype that papilio does not support"):
        papilio._core.Array(bytes_.astype("float8_e5m2fnuz").__dlpack__(), "weights", False)
    with pytest.raises(TypeError, match="out and cuda_stream are not supported"):
        papilio.sample_categorical(weights, seed=1, out=np.empty(12, int))


def test_jit_and_vmap(golden):
    weights = jax.numpy.asarray(golden.matrix()[:60])
    rows = jax.numpy.asarray([5, 0, 59])

    @jax.jit
    def step(weights, seed, rows):
        drawn = papilio.sample_categorical(weights, seed=seed, indices=rows, row_ids=rows)
        return drawn + 0, papilio.sample_categorical(weights, seed=3, return_status=True, logits=True)

    drawn, (other, status) = step(weights, 9, rows)
    assert drawn.tolist() == papilio.sample_categorical(golden.matrix()[:60], seed=9)[[5, 0, 59]].tolist()
    assert other.tolist() == papilio.sample_categorical(golden.matrix()[:60], seed=3, logits=True).tolist()
    assert set(status.tolist()) == {0}
    batched = jax.vmap(lambda w: papilio.sample_categorical(w, seed=4))(weights.reshape(3, 20, 300))
    alone = [papilio.sample_categorical(w, seed=4).tolist() for w in weights.reshape(3, 20, 300)]
    assert batched.tolist() == alone


def test_every_argument_under_jit(golden):
    weights, rows = golden.matrix()[:60], np.array([5, 0, 59, 5])
    seeds, indptr, values = np.arange(60) * 2**40 + 3, np.array([0, 3, 10, 20]), np.arange(1.0, 21.0)
    on_jax = [jax.numpy.asarray(x) for x in (weights, rows, seeds, indptr, values)]

    @jax.jit
    def step(weights, rows, seeds, indptr, values):
        options = {"seed": 2**64 - 1, "stream": 2**32 - 1}
        return (
            papilio.sample_categorical(weights, seed=seeds, row_ids=2**33 - 5),
            papilio.sample_categorical(weights, indices=rows.astype("int16"), row_ids=rows, **options),
            papilio.sample_categorical(values, indptr=indptr, row_ids=rows[0], **options),
            papilio.sample_categorical(values, indptr=indptr, indices=rows[:2] % 3, **options),
            papilio.sample_categorical(weights, logits=True, temperature=0.37, dtype="int64", **options),
            papilio.sample_categorical(weights[3], **options),
            papilio.sample_products(weights, weights, None, rows[:1].repeat(60), **options),
        )

    options = {"seed": 2**64 - 1, "stream": 2**32 - 1}
    expected = (
        papilio.sample_categorical(weights, seed=seeds, row_ids=2**33 - 5),
        papilio.sample_categorical(weights, indices=rows, row_ids=rows, **options),
        papilio.sample_categorical(values, indptr=indptr, row_ids=5, **options),
        papilio.sample_categorical(values, indptr=indptr, indices=rows[:2] % 3, **options),
        papilio.sample_categorical(weights, logits=True, temperature=0.37, **options),
        papilio.sample_categorical(weights[3], **options),
        papilio.sample_products(weights, weights, None, rows[:1].repeat(60), **options),
    )
    for found, wanted in zip(step(*on_jax), expected):
        assert found.tolist() == wanted.tolist()


def test_row_numbers_carry_into_the_high_half():
    weights = np.random.default_rng(0).random((8, 50))
    drawn = jax.jit(lambda w: papilio.sample_categorical(w, seed=1, row_ids=2**32 - 3))(jax.numpy.asarray(weights))
    assert drawn.tolist() == papilio.sample_categorical(weights, seed=1, row_ids=2**32 - 3).tolist()


def test_scan_and_gradients():
    logits = np.random.default_rng(0).normal(size=(8, 50))

    def loss(x):
        drawn = papilio.sample_categorical(x, seed=1, logits=True)
        return -jax.numpy.take_along_axis(jax.nn.log_softmax(x), drawn[:, None], 1).sum()

    gradient = jax.jit(jax.grad(loss))(jax.numpy.asarray(logits))
    drawn = papilio.sample_categorical(logits, seed=1, logits=True)
    expected = np.exp(logits) / np.exp(logits).sum(1, keepdims=True) - np.eye(50)[drawn]
    assert np.allclose(gradient, expected)

    def step(carry, i):
        return carry, papilio.sample_categorical(carry, seed=1, logits=True, row_ids=i * 8)

    drawn = jax.lax.scan(step, jax.numpy.asarray(logits), jax.numpy.arange(3))[1]
    assert drawn.tolist() == [papilio.sample_categorical(logits, seed=1, logits=True, row_ids=8 * i).tolist() for i in range(3)]


def test_draws_are_constants_for_gradients():
    """Of any argument: the derivative of a term beside the draw is that of the term."""
    rng = np.random.default_rng(0)
    left, right = (jax.numpy.asarray(rng.random((6, 40)).astype(np.float32)) for _ in range(2))
    temperature = jax.numpy.linspace(0.5, 2, 6, dtype="float32")

    def products(left, right):
        return (papilio.sample_products(left, right, seed=1) * 1.0).sum() + (left * 2 + right * 3).sum()

    def tokens(logits, temperature, top_p, min_p):
        options = {"temperature": temperature, "top_p": top_p, "min_p": min_p, "return_log_probability": True}
        drawn = papilio.sample_tokens(logits, seeds=1, **options)
        return drawn.log_probability.sum() + 2 * logits.sum() + 3 * temperature.sum() + 4 * top_p.sum() + 5 * min_p.sum()

    top_p, min_p = temperature / 4, temperature / 50
    for transform in (lambda f: f, jax.jit):
        found = transform(jax.grad(products, argnums=(0, 1)))(left, right)
        assert [set(np.unique(x)) for x in found] == [{2}, {3}]
        found = transform(jax.grad(tokens, argnums=(0, 1, 2, 3)))(left, temperature, top_p, min_p)
        assert [set(np.unique(x)) for x in found] == [{2}, {3}, {4}, {5}]


@pytest.mark.parametrize("name", ["temperature", "top_k", "top_p", "min_p"])
@pytest.mark.parametrize("maker", [np.asarray, jax.numpy.asarray])
def test_a_traced_filter_of_tokens_beside_known_logits(name, maker):
    logits = np.random.default_rng(0).normal(size=(5, 200)).astype(np.float32)
    values = {
        "temperature": np.array([0, 0.7, 1, 3, 9], np.float32),
        "top_k": np.array([1, 2, 0, 50, 9], np.int32),
        "top_p": np.array([0.1, 1, 0.5, 0.9, 0.3], np.float32),
        "min_p": np.array([1, 0, 0.1, 0.5, 0.01], np.float32),
    }[name]
    given = maker(logits)

    def step(value):
        return papilio.sample_tokens(given, seeds=3, **{name: value})

    assert jax.jit(step)(values).tolist() == papilio.sample_tokens(logits, seeds=3, **{name: values}).tolist()
    alone = [papilio.sample_tokens(logits, seeds=3, **{name: value.item()}).tolist() for value in values]
    assert [jax.jit(step)(value).tolist() for value in values] == alone
    assert jax.vmap(step)(values).tolist() == alone


def jitted(**options):
    return jax.jit(lambda weights: papilio.sample_categorical(weights, **{"seed": 1, **options}))


def platforms():
    """The first device of each kind that is here."""
    try:
        return {"cpu": jax.devices("cpu")[0], "gpu": jax.devices("gpu")[0]}
    except RuntimeError:
        return {"cpu": jax.devices("cpu")[0]}


@pytest.fixture(params=platforms())
def here(request):
    """Puts an array on a device of one kind."""
    return lambda x: jax.device_put(np.asarray(x), platforms()[request.param])


@pytest.mark.parametrize(
    "options, error, text",
    [
        ({"seed": 1.5}, TypeError, "seed must be an integer"),
        ({"seed": -1}, ValueError, "0 <= seed"),
        ({"seed": np.arange(3)}, ValueError, "seed must have one entry per row"),
        ({"seed": np.ones(4)}, TypeError, "seed must hold integers"),
        ({"row_ids": np.arange(5)}, ValueError, "row_ids must have one entry per row"),
        ({"indices": np.zeros(2)}, TypeError, "indices must hold integers"),
        ({"indices": np.zeros((2, 2), int)}, ValueError, "indices must have one dimension"),
        ({"indptr": [0, 12]}, ValueError, "weights must have one dimension"),
        ({"logits": True, "indptr": [0, 4]}, ValueError, "indptr cannot be combined with logits"),
        ({"out": np.zeros(4)}, TypeError, "out and cuda_stream are not supported"),
        ({"dtype": "float32"}, TypeError, "results are int32 or int64"),
        ({"threads": -1}, Exception, "threads is -1, expected a whole number from 1 to 4096"),
        ({"method": "fast"}, Exception, "unknown method"),
        ({"logits": True, "temperature": 0.0}, Exception, "temperature must be between"),
    ],
)
def test_bad_calls_under_jit(here, options, error, text):
    with pytest.raises(error, match=text):
        jitted(**options)(here(np.ones((4, 3)))).block_until_ready()


def test_bad_rows_under_jit(here):
    """An error on the CPU. A GPU's call does not wait to see them: -1, and the state of the row where it is asked for."""
    status = papilio.DrawStatus
    for weights, indices, text, state in [
        ([[1, 1], [0, 0]], None, "row 1 has no positive weight", status.ALL_ZERO),
        ([[1, 1], [1, 1]], [0, 4], r"rows\[1\] is 4", status.NO_SUCH_ROW),
    ]:
        weights = here(np.array(weights, np.float32))
        call, with_status = jitted(indices=indices), jitted(indices=indices, return_status=True)
        on_cpu = next(iter(weights.devices())).platform == "cpu"
        if on_cpu:
            with pytest.raises(Exception, match=text):
                call(weights).block_until_ready()
        else:
            assert (np.asarray(call(weights)) < 0).tolist() == [False, True]
        if on_cpu and indices is not None:  # not a row's own fault
            with pytest.raises(Exception, match=text):
                with_status(weights)[0].block_until_ready()
        else:
            drawn, states = with_status(weights)
            assert (np.asarray(drawn) < 0).tolist() == [False, True] and states.tolist() == [0, state]


def test_bad_weights_under_jit(here):
    with pytest.raises(TypeError, match="float8_e5m2, float16, bfloat16, float32 or float64; got int"):
        jitted()(here(np.ones((4, 3), int)))
    with pytest.raises(ValueError, match="two dimensions"):
        jitted()(here(np.ones((4, 3, 2))))


def test_without_64_bit_integers_of_jax():
    code = """
        import jax, numpy as np, papilio
        weights = np.random.default_rng(0).random((8, 50), dtype=np.float32)
        seeds = np.arange(8) * 2**40 + 1
        step = jax.jit(lambda w, s: (papilio.sample_categorical(w, seed=seeds, row_ids=2**40),
                                     papilio.sample_categorical(w, seed=s)))
        first, second = step(weights, 7)
        assert first.dtype == "int32" and first.tolist() == papilio.sample_categorical(weights, seed=seeds, row_ids=2**40).tolist()
        assert second.tolist() == papilio.sample_categorical(weights, seed=7).tolist()
        try:
            jax.jit(lambda w: papilio.sample_categorical(w, seed=1, dtype="int64"))(weights)
        except TypeError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "") and "x64 mode only" in done.stdout


def test_the_layout_is_that_of_xla(tmp_path):
    """python/bindings/xla_ffi.h beside the header that JAX ships."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++ to compare the headers with")
    ours = pathlib.Path(__file__).parents[1] / "bindings"
    fields = {
        "CallFrame XLA_FFI_CallFrame": "api=api context=ctx stage=stage arguments=args results=rets attributes=attrs",
        "Buffers XLA_FFI_Args": "count=size kinds=types buffers=args",
        "Buffers XLA_FFI_Rets": "count=size kinds=types buffers=rets",
        "Attributes XLA_FFI_Attrs": "count=size kinds=types names=names values=attrs",
        "Buffer XLA_FFI_Buffer": "type=dtype data=data rank=rank sizes=dims",
        "Bytes XLA_FFI_ByteSpan": "data=ptr size=len",
        "Scalar XLA_FFI_Scalar": "type=dtype value=value",
        "ErrorCreate XLA_FFI_Error_Create_Args": "message=message code=errc",
        "StreamGet XLA_FFI_Stream_Get_Args": "context=ctx stream=stream",
        "OrdinalGet XLA_FFI_DeviceOrdinal_Get_Args": "context=ctx ordinal=device_ordinal",
        "MemoryAllocate XLA_FFI_DeviceMemory_Allocate_Args": "context=ctx size=size alignment=alignment data=data",
        "Version XLA_FFI_Api_Version": "major=major_version minor=minor_version",
        "Metadata XLA_FFI_Metadata": "version=api_version traits=traits",
        "MetadataExtension XLA_FFI_Metadata_Extension": "base=extension_base metadata=metadata",
        "MemoryFree XLA_FFI_DeviceMemory_Free_Args": "context=ctx size=size data=data",
        "ErrorDestroy XLA_FFI_Error_Destroy_Args": "error=error",
        "Api XLA_FFI_Api": "version=api_version create_error=XLA_FFI_Error_Create destroy_error=XLA_FFI_Error_Destroy "
        "get_stream=XLA_FFI_Stream_Get allocate_memory=XLA_FFI_DeviceMemory_Allocate "
        "free_memory=XLA_FFI_DeviceMemory_Free get_ordinal=XLA_FFI_DeviceOrdinal_Get",
    }
    lines = ['#include "xla_ffi.h"', '#include "xla/ffi/api/c_api.h"', "using namespace papilio::python::xla;"]
    for pair, names in fields.items():
        own, theirs = pair.split()
        for own_field, their_field in re.findall(r"(\S+)=(\S+)", names):
            lines.append(f"static_assert(offsetof({own}, {own_field}) == offsetof({theirs}, {their_field}));")
    for own, theirs in [("f16", "F16"), ("bf16", "BF16"), ("f32", "F32"), ("f64", "F64"), ("s32", "S32"), ("s64", "S64"),
                        ("f8e4m3fn", "F8E4M3FN"), ("f8e5m2", "F8E5M2"),
                        ("u8", "U8"), ("u32", "U32"), ("u64", "U64"), ("pred", "PRED")]:  # fmt: skip
        lines.append(f"static_assert(static_cast<int>(Type::{own}) == XLA_FFI_DataType_{theirs});")
    for own in ("INVALID_ARGUMENT", "RESOURCE_EXHAUSTED", "INTERNAL", "UNAVAILABLE"):
        lines.append(f"static_assert(static_cast<int>(Code::{own.lower()}) == XLA_FFI_Error_Code_{own});")
    lines.append("static_assert(extension_metadata == XLA_FFI_Extension_Metadata);")
    lines.append("static_assert(stage_execute == XLA_FFI_ExecutionStage_EXECUTE);")
    lines.append("static_assert(attribute_scalar == XLA_FFI_AttrType_SCALAR);")
    lines.append("static_assert(attribute_string == XLA_FFI_AttrType_STRING);")
    lines.append("static_assert(major_version == XLA_FFI_API_MAJOR && minor_version <= XLA_FFI_API_MINOR);")
    source = tmp_path / "layout.cpp"
    source.write_text("\n".join(lines) + "\n")
    line = [compiler, "-std=c++20", "-fsyntax-only", "-Wno-invalid-offsetof", f"-I{ours}", f"-I{jax.ffi.include_dir()}", source]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
