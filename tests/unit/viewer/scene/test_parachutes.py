"""Canopies in the page: as wide as their share of the drag, against the velocity, gone once released."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import planetfall
from planetfall.viewer.scene.parachutes import MOUTH, canopy_arrays, described_parachutes

SCENARIO = planetfall.load("msl-edl")
BODY = SCENARIO.body_index("msl-backshell")
DIAMETER = 21.35
PRESSURE = 500.0
FULL = PRESSURE * 0.60 * np.pi / 4.0 * DIAMETER**2
"""Load of the full canopy below Mach 0.5 [N]."""


def flown(loads: list[float]) -> xr.Dataset:
    """Frames, a second apart, of a vehicle that falls with these loads of its canopy [N]."""
    n, bodies = len(loads), len(SCENARIO.vehicles)
    load = np.full((n, bodies), np.nan)
    load[:, BODY] = loads
    velocity = np.tile([30.0, 0.0, -40.0], (n, bodies, 1))
    return xr.Dataset(
        {
            "parachute_load": (("time", "body"), load),
            "dynamic_pressure": (("time", "body"), np.full((n, bodies), PRESSURE)),
            "mach": (("time", "body"), np.full((n, bodies), 0.3)),
            "velocity": (("time", "body", "axis"), velocity),
        },
        coords={"time": np.arange(float(n))},
    )


def test_width_and_direction() -> None:
    data = flown([0.0, 0.0, 0.25 * FULL, 1.3 * FULL, FULL, FULL])
    summary = {"parachute": {"deploy_s": 1.0, "released_s": 5.0}}
    found = canopy_arrays(SCENARIO, data, np.arange(6), summary)["canopy"]
    assert found.shape == (6, 1, 3)
    widths = [0.0, 0.0, 0.5, 1.0, 1.0, 0.0]  # opening overshoots in load, not in width
    assert np.linalg.norm(found[:, 0], axis=1) == pytest.approx(MOUTH * DIAMETER * np.array(widths), rel=1e-6)
    assert found[4, 0] == pytest.approx(MOUTH * DIAMETER * np.array([-0.6, 0.0, 0.8]), rel=1e-6)


def test_a_parachute_that_was_never_fired_is_not_drawn() -> None:
    summary = {"parachute": {"deploy_s": None, "released_s": None}}
    assert not np.any(canopy_arrays(SCENARIO, flown([0.0, FULL]), np.arange(2), summary)["canopy"])


def test_runs_without_parachutes_have_none() -> None:
    scenario = planetfall.load("msl-drop")
    assert described_parachutes(scenario, xr.Dataset()) == []
    assert canopy_arrays(scenario, xr.Dataset(), np.arange(0), {}) == {}
    assert [item["body"] for item in described_parachutes(SCENARIO, flown([0.0]))] == [BODY]
