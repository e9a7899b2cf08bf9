"""Several vehicles in one run do not know of each other unless a tether joins them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.record.trajectory import Trajectory

VARIABLES = ("position", "velocity", "quaternion", "angular_velocity")
START = {"position": [0.0, 0.0, 1.2], "velocity": [0.4, 0.1, -0.5], "angular_velocity": [0.3, 0.5, -0.2]}


def block_of(scenario: planetfall.Scenario, **keys: Any) -> dict[str, Any]:
    return {**scenario.to_dict()["vehicle"], **keys}


def paired(swapped: bool) -> tuple[planetfall.Scenario, planetfall.Scenario]:
    """A tumbling block alone, and the same with a heavier one that falls beside it, as vehicle or as companion."""
    alone = planetfall.load("sink-flat").with_values(
        {"scenario.duration": 1.5, "initial": START, "integrator": {"method": "rk4", "step": 1e-4}}
    )
    other = block_of(alone, name="other", mass=3.0 * alone.vehicle.mass)
    beside = {"position": [8.0, 0.0, 2.0], "velocity": [0.0, 0.3, 0.0]}
    if swapped:
        keys = {"vehicle": other, "initial": beside, "companions": [{"vehicle": block_of(alone), "initial": START}]}
        return alone, alone.with_values(keys)
    return alone, alone.with_values({"companions": [{"vehicle": other, "initial": beside}]})


def at_same_times(run: Trajectory, alone: Trajectory) -> tuple[Any, Any]:
    """Both runs at the instants of record that they share; each also keeps the frames of its own peaks."""
    times = np.intersect1d(run.data.time.values, alone.data.time.values)
    return run.data.sel(time=times), alone.data.sel(time=times)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_vehicle_moves_the_same_alone_and_in_company(swapped: bool) -> None:
    """To the bit, with a fixed step: contact, stiffness from its own mass, and record."""
    alone, both = paired(swapped)
    pair, single = at_same_times(planetfall.run(both), planetfall.run(alone))
    index = int(swapped)
    assert pair.sizes["time"] >= 100 and pair.sizes["body"] == 2
    for name in VARIABLES:
        assert np.array_equal(pair[name].values[:, index], single[name].values[:, 0]), name
    own = pair.point_body.values == index
    assert np.array_equal(pair.contact_force.values[:, own], single.contact_force.values)
    assert single.contact_normal_force.values.max() > 0.0
    assert pair.contact_normal_force.values[:, ~own].max() > 0.0


def test_points_and_masses_carry_their_body(tmp_path: Any) -> None:
    """Names, point_body, mass, and the events' column body, also from the folder."""
    _, both = paired(False)
    run = planetfall.run(both)
    names = [str(name) for name in run.data.point.values]
    n_points = len(both.vehicle.points)
    assert list(run.data.body.values) == [both.vehicle.name, "other"]
    assert names[n_points:] == [f"other.{name}" for name in names[:n_points]]
    assert list(run.data.mass.values[0]) == [both.vehicle.mass, 3.0 * both.vehicle.mass]
    folder = run.save(tmp_path / "run")
    again = planetfall.open(folder)
    assert again.scenario == both
    rows = (folder / "events.csv").read_text().splitlines()
    assert any(",other,other." in row and ",touch," in row for row in rows)
    assert again.events == run.events
