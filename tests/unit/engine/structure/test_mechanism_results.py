"""What mechanisms tell of finished runs."""

import numpy as np
import pytest

from planetfall.engine.structure.mechanism import Mechanism, ResultNumber, results_of_mechanisms


def mechanism(name, n_states, **more):
    """A record of which only states and results count here."""
    hook = lambda slot: None  # noqa: E731
    return Mechanism(
        name=name, params=None, fill=lambda scenario, start: None, reads=(), n_states=n_states,
        initial=lambda scenario: np.zeros(n_states), rates=hook, **more,
    )  # fmt: skip


def test_each_mechanism_gets_its_own_numbers():
    """The second has two numbers after three of the first, which tells nothing."""
    told = mechanism(
        "told", 2, results=(ResultNumber("peak_x", "1", "largest x"),), results_of=lambda n: {"peak_x": n[:, 1]}
    )
    found = results_of_mechanisms((mechanism("silent", 3), told), np.array([[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]))
    np.testing.assert_array_equal(found["peak_x"], [4, 9])
    assert list(found) == ["peak_x"]


def test_results_need_their_values():
    """A record that names results and does not compute them is refused when it is made."""
    with pytest.raises(TypeError, match="has results and no results_of"):
        mechanism("dumb", 1, results=(ResultNumber("x", "1", "x"),))
