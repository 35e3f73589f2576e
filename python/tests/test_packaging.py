"""The recipe for conda-forge: it renders, and says what pyproject.toml and CMake say."""

import pathlib
import re

import pytest
import rattler_build

import papilio

ROOT = pathlib.Path(__file__).parents[2]
# conda-forge's names of what cmake/dependencies.cmake finds.
NAMES = {"fmt": "fmt", "TBB": "tbb-devel", "ZLIB": "zlib", "zstd": "zstd", "xxhash": "xxhash", "utf8proc": "libutf8proc",
         "nlohmann_json": "nlohmann_json", "CLI11": "cli11", "PkgConfig": "pkg-config", "re2": "re2", "icu": "icu"}


@pytest.fixture(scope="module")
def outputs():
    variants = rattler_build.VariantConfig.from_yaml(
        'python: ["3.12"]\nc_stdlib: ["sysroot"]\nc_stdlib_version: ["2.28"]\ncxx_compiler: ["gxx"]\n')
    recipe = rattler_build.Stage0Recipe.from_file(str(ROOT / "conda/recipe.yaml"))
    rendered = [variant.recipe.to_dict() for variant in recipe.render(variants, rattler_build.RenderConfig())]
    return {output["package"]["name"]: output for output in rendered}


def test_names_and_version(outputs):
    assert set(outputs) == {"papilio", "libpapilio"}
    assert {output["package"]["version"] for output in outputs.values()} == {papilio.__version__}


def test_every_library_is_required(outputs):
    text = (ROOT / "cmake/dependencies.cmake").read_text()
    found = set(re.findall(r'"(\w+)_FOUND\|', text))
    assert found >= {"fmt", "CLI11"}, "has cmake/dependencies.cmake changed its form?"
    found -= {"MPI_CXX"}  # only in a build that asks for it
    for output in outputs.values():
        requirements = output["requirements"]
        named = {requirement.split()[0] for requirement in requirements["build"] + requirements["host"]}
        assert {NAMES[name] for name in found} <= named


def test_python_requirements_are_those_of_pyproject(outputs):
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = {re.sub(r"\s", "", requirement) for requirement in project["project"]["dependencies"]}
    run = {re.sub(r"\s", "", requirement) for requirement in outputs["papilio"]["requirements"]["run"]}
    assert wanted <= run
    host = {re.sub(r"\s", "", requirement) for requirement in outputs["papilio"]["requirements"]["host"]}
    assert {re.sub(r"\s", "", requirement) for requirement in project["build-system"]["requires"]} <= host
