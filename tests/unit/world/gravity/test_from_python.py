"""Every gravity model answers from the host too: building a scenario asks it for the weight at the start."""

from __future__ import annotations

import numpy as np
import pytest

import planetfall
from planetfall.world.gravity.field import acceleration_at

MARS = {"gm": 4.282837e13, "radius": 3396190.0, "j2": 1.96045e-3}


def on_mars(model: str, **target: object) -> planetfall.Scenario:
    return planetfall.load("msl-drop").with_values(
        {"gravity.model": model, **{f"target.{k}": v for k, v in target.items()}}
    )


def test_none_is_zero() -> None:
    scenario = planetfall.load("free-top")
    np.testing.assert_array_equal(acceleration_at(scenario, np.array([1.0, 2.0, 3.0])), 0.0)


def test_uniform_is_magnitude_times_direction() -> None:
    scenario = planetfall.load("msl-drop").with_values({"gravity.direction": [0.6, 0.0, -0.8]})
    np.testing.assert_allclose(acceleration_at(scenario, np.ones(3)), 3.7132 * np.array([0.6, 0.0, -0.8]), rtol=1e-15)


def test_point_mass_at_a_site_is_one_radius_down() -> None:
    found = acceleration_at(on_mars("point"), np.zeros(3))
    np.testing.assert_allclose(found, [0.0, 0.0, -MARS["gm"] / MARS["radius"] ** 2], rtol=1e-14)


def test_j2_at_the_pole_and_the_equator() -> None:
    """Along the axis the field is gm/r^2 (1 - 3 J2 (R/r)^2), on the equator gm/r^2 (1 + 1.5 J2 (R/r)^2)."""
    surface = MARS["gm"] / MARS["radius"] ** 2
    pole = acceleration_at(on_mars("j2"), np.zeros(3))
    np.testing.assert_allclose(pole, [0.0, 0.0, -surface * (1.0 - 3.0 * MARS["j2"])], rtol=1e-13)
    equator = acceleration_at(on_mars("j2", spin_axis=[0.0, 1.0, 0.0]), np.zeros(3))
    np.testing.assert_allclose(equator, [0.0, 0.0, -surface * (1.0 + 1.5 * MARS["j2"])], rtol=1e-13)


@pytest.mark.parametrize("model", ["point", "j2"])
def test_a_scenario_can_be_built_with_it(model: str) -> None:
    from planetfall.engine.build import build

    state = build(on_mars(model)).initial_state
    assert state[2] == pytest.approx(2.0)
