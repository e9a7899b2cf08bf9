"""Figures of runs with memory: what is drawn, and that the files stay small."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import planetfall
from planetfall.report.run.contact_figures import applied_force, change_points, draw_contact_figures, lateral_force
from planetfall.report.run.run_figures import draw_figures
from support.morpheus import push, standing

PUSHED = standing(scenario__duration=1.5, forces=push([0.2, 1.0], [0.0, 12000.0]))


@pytest.fixture(scope="module")
def pushed() -> planetfall.Trajectory:
    return planetfall.run(PUSHED)


def test_a_pushed_vehicle_has_all_figures_and_they_are_small(pushed: planetfall.Trajectory, tmp_path: Path) -> None:
    """A fill with a corner at every frame took megabytes."""
    drawn = draw_contact_figures(pushed, tmp_path)
    assert [path.name for path in drawn] == ["modes.png", "height.png", "lateral_force.png", "friction_speed.png"]
    for path in drawn:
        assert path.read_bytes().startswith(b"\x89PNG")
        assert 5_000 < path.with_suffix(".svg").stat().st_size < 300_000


def test_where_nothing_pushes_there_is_no_figure_of_a_push(tmp_path: Path) -> None:
    run = planetfall.run(planetfall.load("morpheus-incline").with_values({"scenario.duration": 0.3}))
    assert [path.name for path in draw_contact_figures(run, tmp_path)] == ["modes.png", "height.png"]


def test_a_run_that_ends_at_once_can_be_drawn(tmp_path: Path) -> None:
    """Overturned in the ground, where no line of sight looks: sunk at time zero."""
    attitude = [0.5, 0.5, -0.5, 0.5]  # body x down
    run = planetfall.run(standing(contact__detection="line-of-sight", initial__position=[0.0, 0.0, 0.6],
                                  initial__attitude=attitude))  # fmt: skip
    assert run.summary["outcome"] == "sunk"
    assert run.data.sizes["time"] == 1
    assert len(draw_figures(run, tmp_path)) == 7


def test_change_points() -> None:
    np.testing.assert_array_equal(change_points(np.array([0, 0, 1, 1, 1, 2, 0, 0])), [0, 2, 5, 6, 7])
    np.testing.assert_array_equal(change_points(np.array([1, 1, 1])), [0, 2])
    np.testing.assert_array_equal(change_points(np.array([1])), [0])


def test_the_push_is_that_of_the_table(pushed: planetfall.Trajectory) -> None:
    time = pushed.data.time.values
    expected = np.where((time >= 0.2) & (time <= 1.0), 15000.0 * (time - 0.2), 0.0)
    np.testing.assert_allclose(applied_force(PUSHED, pushed.data)[:, 1], expected, atol=1e-9)
    np.testing.assert_array_equal(applied_force(PUSHED, pushed.data)[:, [0, 2]], 0.0)


def test_a_thruster_turns_with_the_body(pushed: planetfall.Trajectory) -> None:
    thruster = [{"kind": "thruster", "direction": [1.0, 0.0, 0.0], "times": [0.0, 9.0], "magnitudes": [5.0, 5.0]}]
    total = applied_force(standing(forces=thruster), pushed.data)
    up = planetfall.scenario.tables.run.attitude.rotation_matrix(pushed.data.quaternion.values[:, 0])[:, :, 0]
    np.testing.assert_allclose(total, 5.0 * up, atol=1e-12)


def test_lateral_forces_lie_in_the_facet(pushed: planetfall.Trajectory) -> None:
    lateral = lateral_force(pushed.data)
    np.testing.assert_allclose(lateral[:, :, 2], 0.0, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(lateral, axis=2), pushed.data.contact_friction_force.values, atol=1e-9)
