"""Topic models on a CUDA device: the bytes of the CPU. Skipped by name where papilio finds none."""

import numpy as np
import pytest
from topic_models import counts, interrupt_a_fit, saved

import papilio


@pytest.fixture(autouse=True)
def device():
    if not papilio.describe_cuda_devices()[0].startswith("cuda:0 "):
        pytest.skip("papilio finds no CUDA device: " + papilio.describe_cuda_devices()[0])


@pytest.mark.parametrize(
    "parameters",
    [{"sampler": name} for name in papilio._core.samplers()]
    + [{"optimize_every": 5, "optimize_after": 5}, {"n_components": 40, "draws": "sparse"}],
    ids=lambda parameters: "-".join(map(str, parameters.values())),
)
def test_models_have_the_bytes_of_the_cpu(parameters, tmp_path):
    X = counts()
    models = {
        device: papilio.LDA(**{"n_components": 6, **parameters}, max_iter=20, random_state=7, device=device).fit(X)
        for device in ("cpu", "cuda", "cuda:0", None)
    }
    assert len({saved(lda, tmp_path) for lda in models.values()}) == 1
    assert models["cuda"].log_joint_curve_.tolist() == models["cpu"].log_joint_curve_.tolist()
    assert np.array_equal(models["cuda"].transform(X), models["cpu"].transform(X))
    mixed = papilio.LDA(**{"n_components": 6, **parameters}, max_iter=15, random_state=7, device="cpu").fit(X)
    mixed.set_params(device="cuda").partial_fit(X, n_sweeps=5)
    assert saved(mixed, tmp_path) == saved(models["cpu"], tmp_path)


def test_a_device_of_no_machine():
    with pytest.raises(papilio.DeviceUnavailable, match="CUDA device 99 was asked for"):
        papilio.LDA(3, device="cuda:99").fit(counts())


def test_ctrl_c_leaves_a_usable_model():
    assert interrupt_a_fit(device="cuda") == ("stopped True True (300, 20)\n", "")
