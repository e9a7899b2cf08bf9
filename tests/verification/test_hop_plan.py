"""The planner of hops: momentum along up x heading, the best of what it tried, and the same hop when run again."""

from __future__ import annotations

import numpy as np
import pytest

import planetfall
from planetfall.analysis.hop_plan import plan_hop
from planetfall.errors import InputError

TARGET = np.array([9.0, 6.0, 0.15])


def test_a_plan_leads_where_it_says() -> None:
    """Twelve hops in two rounds are enough to look at the planner: its best is the best of them, and is repeated."""
    scenario = planetfall.load("hedgehog-hop")
    plan = plan_hop(scenario, TARGET, n_momenta=4, n_headings=3, rounds=2)
    assert len(plan.tried.momentum) == 24
    misses = np.linalg.norm(plan.tried.rest - TARGET, axis=1)
    assert plan.miss == pytest.approx(np.nanmin(misses), rel=1e-14)
    assert plan.miss < 0.5 * np.linalg.norm(TARGET[:2])
    again = planetfall.run(plan.applied_to(scenario).with_values({"record.interval": 100.0}))
    np.testing.assert_array_equal(again.data.position.values[-1, 0], plan.rest)


def test_momentum_of_the_wheels_is_horizontal_and_across_the_heading() -> None:
    """Of three rotors of 1.5e-3 kg m^2 along x, y, z: H = J s, perpendicular to up and to where it goes."""
    plan = plan_hop(planetfall.load("hedgehog-hop"), TARGET, n_momenta=2, n_headings=1, rounds=1)
    held = 1.5e-3 * plan.wheel_speeds
    assert np.linalg.norm(held) == pytest.approx(plan.momentum, rel=1e-12)
    bearing = np.arctan2(TARGET[1], TARGET[0]) + plan.heading
    np.testing.assert_allclose(held / plan.momentum, [-np.sin(bearing), np.cos(bearing), 0.0], atol=1e-12)
    assert plan.rest[:2] @ TARGET[:2] > 0.0  # it went that way


def test_what_cannot_be_planned_is_refused() -> None:
    scenario = planetfall.load("hedgehog-hop")
    with pytest.raises(InputError, match=r"no flywheel is braked"):
        plan_hop(planetfall.load("hedgehog-hop").with_values({"vehicle": {"name": "cube"}}), TARGET)
    with pytest.raises(InputError, match=r"farther than the vehicle's own size"):
        plan_hop(scenario, np.array([0.1, 0.0, 0.15]))
    with pytest.raises(InputError, match=r"without gravity"):
        plan_hop(scenario.with_values({"gravity": {"model": "none"}}), TARGET)
