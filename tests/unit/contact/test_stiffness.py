"""From intuitive inputs to coefficients: Raiszadeh2012 Eqs. (10), (11), (14), (15)."""

from __future__ import annotations

import numpy as np
import pytest

import planetfall
from planetfall.contact.marker import marker_coefficients
from planetfall.contact.normal_response import BodyOnGround

MASS, GRAVITY, SINK, RATIO = 899.18, 3.7132, 0.01, 0.1


@pytest.mark.parametrize(
    ("values", "share", "gravity"),
    [
        pytest.param({}, MASS, GRAVITY, id="the whole mass at every point"),
        pytest.param({"contact.mass_share": "per-point"}, MASS / 4, GRAVITY, id="a share for each"),
        pytest.param(
            {"contact.mass_share": "per-point", "contact.loaded_points": 3}, MASS / 3, GRAVITY, id="three carry load"
        ),
        pytest.param({"contact.reference_gravity": 9.81}, MASS, 9.81, id="a gravity of its own"),
        pytest.param({"contact.loaded_points": 3}, MASS, GRAVITY, id="loaded_points means nothing to the whole mass"),
    ],
)
def test_stiffness_and_damping(values: dict, share: float, gravity: float) -> None:
    contact = planetfall.load("msl-drop").with_values(values).contact
    found = marker_coefficients(contact, BodyOnGround(MASS, 4, GRAVITY))
    assert found.stiffness == pytest.approx(share * gravity / SINK, rel=1e-14)
    assert found.damping == pytest.approx(2 * RATIO * np.sqrt(share * found.stiffness), rel=1e-14)


def test_friction_is_the_tangent_of_the_angles() -> None:
    found = marker_coefficients(planetfall.load("msl-drop").contact, BodyOnGround(MASS, 4, GRAVITY))
    assert found.friction_breakaway == pytest.approx(np.tan(np.radians(32.0)), rel=1e-14)
    assert found.friction_sliding == pytest.approx(np.tan(np.radians(27.0)), rel=1e-14)
