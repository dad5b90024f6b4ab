"""A few hundred odd calls of everything public; `python tests/fuzz.py` draws as many as one likes."""

import numpy as np
import pytest

import fuzz
from examples import dual_of
from hilbertine import losses, spaces
from hilbertine.doors import TOLD, door
from hilbertine.solvers import ridge_path


def test_odd_calls_end_in_results_or_in_errors_that_say_what_to_do(monkeypatch):
    monkeypatch.setenv("HILBERTINE_DATA", "/dev/null")
    faults = [(words, verdict) for words, verdict in fuzz.drawn(300, 15) if verdict.ending not in fuzz.FINE]
    assert faults == []


T = np.ones((4, 2))
DUAL = dual_of(np.eye(4), losses.Square(), T, 0.1)


def broken():
    """A call whose failure is nobody's argument."""
    dual = dual_of(np.eye(4), losses.Square(), T, 0.1)
    dual.gram = None
    return dual.predict(T)


@pytest.mark.parametrize(
    ("call", "ending"),
    [
        (lambda: np.nan, "NaN"),
        (lambda: {}["a"], "result"),
        (lambda: losses.Huber(-1.0).phi(np.ones(2)), "error"),
        (lambda: losses.Huber(1.0).phi({}), "error"),
        (broken, "told"),
    ],
)
def test_each_ending_is_known(call, ending):
    found = fuzz.judged(call).ending
    assert found == ending if ending != "result" else found == "error from the inside"


def told(call):
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: losses.Huber(1.0).phi([0.5]), "was given t = list, which should be array"),
        (lambda: losses.MaxMargin().prox(np.ones((4, 2)), np.ones(4)), "s = ndarray of shape (4, 2), which should be"),
        (lambda: losses.MaxMargin().prox(np.ones(3), np.ones(4)), "n = 3 in s and n = 4 in step"),
        (lambda: DUAL.predict(np.ones((3, 2))), "n = 4 in the problem and n = 3 in W"),
        (lambda: losses.Huber(1.0).phi(np.array([np.nan, "a"], dtype=object)), "t = ndarray of shape (2,)"),
        (lambda: spaces.L2(missing=np.ones(3)).fit(T).measure(T), "missing = ndarray of shape (3,), which should be"),
        (lambda: next(ridge_path("no dual", [0.1])), "ridge_path was given dual = 'no dual', which should be Dual"),
        (lambda: spaces.L2().encode(T), "L2 is not fitted; call its `fit` first"),
        (lambda: losses.Huber(1.0).phi(1, 2, 3), "too many positional arguments; it is called as phi(self"),
    ],
)
def test_an_error_names_the_argument_that_is_not_what_the_documentation_says(call, words):
    assert words in told(call)


def test_an_error_that_no_argument_explains_names_all_of_them():
    with pytest.raises(ValueError, match=TOLD) as caught:
        broken()
    assert "W = ndarray of shape (4, 2)" in str(caught.value)
    assert isinstance(caught.value.__cause__, ValueError)


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
