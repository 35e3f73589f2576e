"""Signatures tell everything that an editor shows: names, types and defaults."""

import inspect
import typing

import pytest

import papilio
from papilio import _core, _options, distributed, interop, plot

OPTIONS = papilio.TrainOptions.__annotations__
PUBLIC = [getattr(place, name) for place in (papilio, interop, plot) for name in place.__all__]
FUNCTIONS = [thing for thing in PUBLIC if inspect.isfunction(thing)]
NAMED = [
    function
    for function in [*FUNCTIONS, *(getattr(distributed, name) for name in distributed.__all__)]
    if inspect.isfunction(function) and inspect.signature(function).parameters
]


def settable(kind):
    """The attributes of a compiled class that can be set."""
    return {name for name, value in vars(kind).items() if isinstance(value, property) and value.fset is not None}


def test_the_options_are_those_of_the_library():
    assert set(OPTIONS) - {"seed_weight"} == settable(_core.TrainOptions)  # rows of seed_words have the weight
    library = _core.TrainOptions()
    shown = inspect.signature(papilio.train).parameters
    assert shown["seed_weight"].default == _core.default_seed_weight()
    assert inspect.signature(papilio.LDA).parameters["seed_weight"].default == _core.default_seed_weight()
    assert shown["seed_words"].default is None and library.seed_words.shape == (0, 3)
    for name in set(OPTIONS) - {"seed_words", "seed_weight"}:
        default = [] if name == "topic_alpha" and shown[name].default is None else shown[name].default
        assert default == getattr(library, name), name


@pytest.mark.parametrize("function", [papilio.train, papilio.save_checkpoint, papilio.load_checkpoint])
def test_functions_show_the_options_of_training(function):
    shown = inspect.signature(function).parameters
    of_train = inspect.signature(papilio.train).parameters
    for name, kind in OPTIONS.items():
        assert shown[name] == of_train[name]
        assert shown[name].annotation == kind.__forward_arg__
        assert shown[name].kind is inspect.Parameter.KEYWORD_ONLY
    assert not any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in shown.values())


def test_parameters_of_lda_are_its_own():
    shown = inspect.signature(papilio.LDA).parameters
    for name, kind in _options.LDAParameters.__annotations__.items():
        assert shown[name].annotation == kind.__forward_arg__
    assert set(shown) - set(_options.LDAParameters.__annotations__) == {
        "n_components",
        "doc_topic_prior",
        "topic_word_prior",
    }


def test_options_of_texts_are_those_of_the_readers():
    options = _options.TextOptions.__annotations__
    for function in (papilio.read_corpus, papilio.corpus_from_texts):
        shown = inspect.signature(function).parameters
        assert all(shown[name].annotation == kind.__forward_arg__ for name, kind in options.items())


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_no_parameter_is_hidden(function):
    parameters = inspect.signature(function, follow_wrapped=False).parameters.values()
    assert all(parameter.annotation is not inspect.Parameter.empty for parameter in parameters)
    for parameter in parameters:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            assert parameter.annotation.startswith("Unpack["), parameter


@pytest.mark.parametrize("function", NAMED, ids=lambda function: function.__name__)
def test_every_function_names_the_nearest_option(function):
    parameters = inspect.signature(function).parameters.values()
    name = next(p.name for p in reversed(parameters) if p.kind not in (p.POSITIONAL_ONLY, p.VAR_KEYWORD))
    values = [
        None for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    with pytest.raises(TypeError, match=rf"papilio\..*: unknown option '{name}z'; did you mean '{name}'\?"):
        function(*values, **{name + "z": None})


@pytest.mark.parametrize(
    "shown, library",
    [
        (_options.Sampler, _core.samplers),
        (_options.Schedule, _core.schedules),
        (_options.Start, _core.starts),
        (_options.Draws, _core.draw_kinds),
        (_options.PartialSums, _core.partial_sums),
        (_options.ReduceOp, _core.reduce_ops),
        (_options.InferMethod, _core.infer_methods),
        (_options.CoherenceMeasure, _core.coherence_measures),
        (_options.CorpusFormat, _core.corpus_formats),
        (_options.WordRule, _core.word_rules),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_names_that_are_shown_are_those_of_the_library(shown, library):
    assert set(typing.get_args(shown)) == set(library())


def test_the_first_name_is_the_default():
    options = _core.TrainOptions()
    tables = {
        "sampler": "samplers",
        "schedule": "schedules",
        "start": "starts",
        "draws": "draw_kinds",
        "method": "partial_sums",
    }
    for name, table in tables.items():
        assert getattr(options, name) == getattr(_core, table)()[0]
