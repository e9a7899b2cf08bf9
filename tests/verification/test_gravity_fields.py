"""Gravity fields against an independent potential: its value, and its gradient by complex steps.

The potential of an oblate body is written here once more, in NumPy and for complex arguments; a complex step of 1e-200
differentiates it to rounding. The package's own potential and acceleration are then tied together by differences.
"""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

from planetfall.world.gravity.j2 import GRAVITY_J2
from planetfall.world.gravity.model import GravityModel
from planetfall.world.gravity.point import GRAVITY_POINT
from planetfall.world.gravity.uniform import GRAVITY_UNIFORM

GM, J2, RADIUS = 4.282837e13, 1.96045e-3, 3396190.0  # Mars
CENTER = np.array([1.0e3, -2.0e3, -3.4e6])  # [m]
AXES = {"polar": np.array([0.0, 0.0, 1.0]), "tilted": np.array([2.0, -3.0, 6.0]) / 7.0}
PLACES = CENTER + 1e6 * np.array(
    [[3.4, 0.0, 0.0], [0.0, 0.0, 3.6], [2.0, 2.0, 2.0], [-1.0, 3.0, -2.0], [0.5, -0.7, -4.0], [9.0, 7.0, -8.0]]
)
EPSILON = np.finfo(float).eps


def potential(place: np.ndarray, j2: float, axis: np.ndarray) -> complex | float:
    """U [m^2/s^2] at a place, which may be complex; zero at infinity."""
    r = place - CENTER
    squared = r @ r
    sine_squared = (r @ axis) ** 2 / squared
    return -GM / np.sqrt(squared) * (1.0 - 0.5 * j2 * RADIUS**2 / squared * (3.0 * sine_squared - 1.0))


def gradient(place: np.ndarray, j2: float, axis: np.ndarray) -> np.ndarray:
    """-grad U [m/s^2] by complex steps, exact to rounding."""
    step = 1e-200
    return np.array([-np.imag(potential(place + 1j * step * unit, j2, axis)) / step for unit in np.eye(3)])


def field(model: GravityModel, axis: np.ndarray) -> object:
    """The package's parameters of Mars."""
    params = model.params()
    params.gm, params.center = GM, wp.vec3d(*CENTER)
    if model is GRAVITY_J2:
        params.j2, params.radius, params.axis = J2, RADIUS, wp.vec3d(*axis)
    return params


CASES = [
    pytest.param(GRAVITY_POINT, 0.0, AXES["polar"], id="point"),
    pytest.param(GRAVITY_J2, J2, AXES["polar"], id="j2-polar"),
    pytest.param(GRAVITY_J2, J2, AXES["tilted"], id="j2-tilted"),
]


@pytest.mark.parametrize(("model", "j2", "axis"), CASES)
def test_acceleration_is_the_gradient(model: GravityModel, j2: float, axis: np.ndarray) -> None:
    """Some twenty roundings in either evaluation."""
    params = field(model, axis)
    for place in PLACES:
        expected = gradient(place, j2, axis)
        found = np.array(model.acceleration(params, wp.vec3d(*place)))
        assert np.linalg.norm(found - expected) < 40.0 * EPSILON * np.linalg.norm(expected)


@pytest.mark.parametrize(("model", "j2", "axis"), CASES)
def test_potential_is_the_formula(model: GravityModel, j2: float, axis: np.ndarray) -> None:
    """Some twenty roundings in either evaluation."""
    params = field(model, axis)
    for place in PLACES:
        assert float(model.potential(params, wp.vec3d(*place))) == pytest.approx(
            float(np.real(potential(place, j2, axis))), rel=40.0 * EPSILON
        )


@pytest.mark.parametrize(("model", "j2", "axis"), CASES)
def test_own_potential_and_acceleration_agree(model: GravityModel, j2: float, axis: np.ndarray) -> None:
    """Fourth-order differences over h: h^4 U'''''/30 is 4 (h/r)^4, rounding of U is 1.5 eps r/h, both of g.

    They are equal near h/r = 5e-4, which leaves 1e-12.
    """
    params = field(model, axis)
    for place in PLACES:
        h = 5e-4 * float(np.linalg.norm(place - CENTER))
        slope = [
            sum(
                weight * float(model.potential(params, wp.vec3d(*(place + k * h * unit))))
                for k, weight in ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))
            )
            / (12.0 * h)
            for unit in np.eye(3)
        ]
        found = np.array(model.acceleration(params, wp.vec3d(*place)))
        assert np.linalg.norm(found + slope) < 4e-12 * np.linalg.norm(found)


def test_uniform_potential_is_linear() -> None:
    """U = -g . x, to rounding."""
    params = GRAVITY_UNIFORM.params()
    params.acceleration = wp.vec3d(0.3, -0.4, -3.7)
    place = wp.vec3d(10.0, -20.0, 30.0)
    np.testing.assert_array_equal(np.array(GRAVITY_UNIFORM.acceleration(params, place)), [0.3, -0.4, -3.7])
    assert float(GRAVITY_UNIFORM.potential(params, place)) == pytest.approx(-3.0 - 8.0 + 111.0, rel=4.0 * EPSILON)
