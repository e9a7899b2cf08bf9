"""Several vehicles in one run do not know of each other unless a tether joins them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.record.trajectory import Trajectory
from support.tethered import body, line, tethered

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


def test_a_sensor_rides_on_the_vehicle_it_names() -> None:
    """Two bodies on a stretched line: each feels T over its own mass, towards the other, exact at the first sample."""
    sensors = [
        {"kind": "imu", "name": "below", "rate": 10.0},
        {"kind": "imu", "name": "above", "body": "high", "rate": 10.0},
    ]
    pair = tethered(
        (body("low", 2.0), {}),
        (body("high", 3.0), {"position": [1.1, 0.0, 0.0]}),
        [line(length=1.0, stiffness=100.0)],
        scenario={"name": "test", "duration": 0.1},
        sensors=sensors,
    )
    data = planetfall.run(pair).data
    felt = [data[sensor.variables[0]].values[0] for sensor in pair.sensors]
    assert felt[0] == pytest.approx([10.0 / 2.0, 0.0, 0.0], rel=1e-13)
    assert felt[1] == pytest.approx([-10.0 / 3.0, 0.0, 0.0], rel=1e-13)
