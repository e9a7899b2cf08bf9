"""Phases of contact from events, and the figures of a run on a small body."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import xarray as xr

import planetfall
from planetfall.report.run.small_body_figures import (
    contact_phases,
    draw_hops,
    draw_sliding,
    draw_velocities,
    pieces_in_contact,
    sliding_speed,
)
from planetfall.report.run.way_figure import draw_way_over_body
from planetfall.scenario.files.load import scenario_from_dict


def made_run(**given: Any) -> Any:
    """Ten seconds of some motion, with events (time, kind)."""
    time = np.linspace(0.0, 10.0, 50)
    one = np.ones((50, 1, 1)) * np.array([120.0, 0.0, 0.0])
    data = xr.Dataset(
        {
            "position": (("time", "body", "axis"), one),
            "velocity": (("time", "body", "axis"), one * np.exp(-time)[:, None, None]),
            "angular_velocity": (("time", "body", "axis"), 0.0 * one),
            "quaternion": (("time", "body", "quat"), np.tile([0.0, 0.0, 0.0, 1.0], (50, 1, 1))),
            "application_point": (("time", "body", "axis"), np.where(time[:, None, None] > 5.0, one, np.nan)),
        },
        coords={"time": time},
    )
    events = [SimpleNamespace(time=t, kind=kind, position=(120.0, 0.0, 0.0)) for t, kind in given.get("events", ())]
    return SimpleNamespace(data=data, events=events, scenario=given.get("scenario", SimpleNamespace(name="test")))


def test_phases_span_overlapping_contacts() -> None:
    """Two points touch, one after the other, and lift off; the last contact lasts to the end."""
    events = [(1.0, "touch"), (1.5, "touch"), (1.7, "rest"), (2.0, "lift_off"), (3.0, "lift_off"), (8.0, "touch")]
    assert contact_phases(made_run(events=events)) == [(1.0, 3.0), (8.0, 10.0)]
    assert contact_phases(made_run()) == []


def test_curves_in_contact_do_not_bridge_flights() -> None:
    """One piece per phase that has frames: the first, before application points are known, has none."""
    events = [(1.0, "touch"), (2.0, "lift_off"), (5.9, "touch"), (6.0, "lift_off"), (6.1, "touch"), (6.2, "lift_off"),
              (8.0, "touch")]  # fmt: skip
    run = made_run(events=events)
    pieces = [run.data.time.values[piece] for piece in pieces_in_contact(run)]
    assert [len(piece) for piece in pieces] == [1, 1, 10]
    assert 5.9 <= pieces[0][0] <= 6.0 and 6.1 <= pieces[1][0] <= 6.2 and pieces[2][0] >= 8.0


def test_figures_are_drawn(tmp_path: Path) -> None:
    """On a ball, so that nothing has to be compiled but the question."""
    values = planetfall.load("cube-67p").to_dict()
    values["target"] = {"name": "ball", "gm": 1.0, "frame": "P"}
    values["gravity"] = {"model": "point"}
    values["terrain"] = {"model": "sdf", "shape": "sphere", "half_sizes": [100.0] * 3, "resolution": 10.0}
    run = made_run(scenario=scenario_from_dict(values), events=[(2.0, "touch")])
    both = {"one": run, "other": run}
    drawn = [draw_velocities(run, tmp_path), draw_way_over_body(run, tmp_path)]
    for path in (*drawn, draw_sliding(both, tmp_path), draw_hops(both, tmp_path)):
        assert path.stat().st_size > 10_000
    # along x, which is the normal there but for the h/R = 0.1 of the field; nothing is known without contact
    slides, speeds = sliding_speed(run), run.data.velocity.values[:, 0, 0]
    assert np.isnan(slides[:25]).all() and (slides[25:] < 0.1 * speeds[25:]).all()
