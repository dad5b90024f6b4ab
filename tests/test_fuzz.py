"""A few hundred odd calls of everything public; `python tests/fuzz.py` draws as many as one likes."""

import numpy as np
import pytest

import fuzz
from hilbertine import losses
from hilbertine.doors import TOLD, door


def test_odd_calls_end_in_results_or_in_errors_that_say_what_to_do(monkeypatch):
    monkeypatch.setenv("HILBERTINE_DATA", "/dev/null")
    faults = [(words, verdict) for words, verdict in fuzz.drawn(300, 15) if verdict.ending not in (*fuzz.FINE, "told")]
    assert faults == []


@pytest.mark.parametrize(
    ("call", "ending"),
    [
        (lambda: np.nan, "NaN"),
        (lambda: {}["a"], "result"),
        (lambda: losses.Huber(-1.0).phi(np.ones(2)), "error"),
        (lambda: losses.Huber(1.0).phi({}), "told"),
    ],
)
def test_each_ending_is_known(call, ending):
    found = fuzz.judged(call).ending
    assert found == ending if ending != "result" else found == "error from the inside"


def test_an_error_from_the_inside_names_the_call_the_arguments_and_what_they_should_be():
    with pytest.raises(TypeError, match=TOLD) as caught:
        losses.Huber(1.0).phi([0.5])
    said = str(caught.value)
    assert said.startswith("Huber.")
    assert "t = list, which should be array" in said
    assert isinstance(caught.value.__cause__, TypeError | AttributeError)


def test_errors_of_the_caller_and_errors_by_intent_pass():
    def mistaken(values):
        return values["nowhere"]

    def strict(values):
        raise ValueError("by intent")

    # Functions of this file are the caller's; those of the package are told.
    with pytest.raises(KeyError):
        door(mistaken)({})
    with pytest.raises(ValueError, match="by intent"):
        door(strict)({})


def test_a_generator_is_told_where_it_is_asked_for_its_first_value():
    from hilbertine.solvers import ridge_path

    steps = ridge_path("no dual", [0.1])
    with pytest.raises(TypeError, match=r"ridge_path cannot work with.*dual = 'no dual', which should be Dual"):
        next(steps)
