"""Entries at Mars with three degrees of freedom against a reference solved twice at 1e-12 (its ends differ by 3e-6 s,
1e-4 m/s and 8e-8 deg): time to 1e-4 s, speed to 1e-3 m/s, angles to 1e-6 deg, peaks and heat load to 1e-5.

The reference counts headings from east and bank to the left; altitude is over a sphere, density linear in height.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.scenario.tables.run.conventions import flight_state
from support.entries import mars_point_mass
from support.shared_data import DATA

FOLDER = DATA / "mars_entry"
NAMES = ("msl_lift_up", "viking1", "rand1", "rand2")
TIME, SPEED, ANGLE, RELATIVE = 1e-4, 1e-3, 1e-6, 1e-5
"""[s], [m/s], [deg], [-]."""
HISTORY = 0.02, 2e-4, 2e-7
"""Altitude [m], speed [m/s] and latitude [deg] along the way: the files' digits, and the reference's own errors."""


def reference(name: str) -> dict[str, Any]:
    if not FOLDER.exists():
        pytest.skip("the Mars entries of shared data are not here")
    return json.loads((FOLDER / f"{name}.json").read_text())


@pytest.mark.parametrize("method", ["rk4", "adaptive"])
@pytest.mark.parametrize("name", NAMES)
def test_against_the_reference(name: str, method: str) -> None:
    expected = reference(name)
    scenario = mars_point_mass(expected["inputs"], FOLDER / "mars-gram-avg.dat", step=0.05)
    if method == "adaptive":  # peaks are located between steps, whose longest is therefore given
        scenario = scenario.with_values({"integrator": {"method": "adaptive", "tolerance": 1e-10, "max_step": 0.2}})
    run = planetfall.run(scenario)
    summary, data = run.summary, run.data
    assert summary["outcome"] == "descended"
    assert summary["end_s"] == pytest.approx(expected["t_10km_s"], abs=TIME)
    end = flight_state(data.position.values[-1, 0], data.velocity.values[-1, 0], scenario.target)
    assert end is not None
    assert end.height_over_ellipsoid_m == pytest.approx(10e3, abs=1e-5)
    assert end.speed_relative_m_s == pytest.approx(expected["v_10km_m_s"], abs=SPEED)
    assert end.flight_path_relative_deg == pytest.approx(expected["fpa_10km_deg"], abs=ANGLE)
    heading = (90.0 - end.azimuth_relative_deg - expected["az_from_east_10km_deg"] + 180.0) % 360.0 - 180.0
    assert abs(heading) < ANGLE
    assert end.latitude_planetocentric_deg == pytest.approx(expected["lat_10km_deg"], abs=ANGLE)
    assert end.longitude_deg == pytest.approx(expected["lon_10km_deg"], abs=ANGLE)
    assert data.mach.values[-1, 0] == pytest.approx(expected["mach_10km"], rel=RELATIVE)
    assert summary["peak_g"] == pytest.approx(expected["peak_g_earth"], rel=RELATIVE)
    peak = expected["peak_q_W_cm2_SuttonGraves_1p9027e_4"]
    assert summary["peak_heating_W_m2"] / 1e4 == pytest.approx(peak, rel=RELATIVE)
    assert summary["heat_load_J_m2"] / 1e4 == pytest.approx(expected["heat_load_J_cm2"], rel=RELATIVE)
    # within a sample of the reference, which is taken every 5 ms
    assert summary["peak_g_s"] == pytest.approx(expected["t_peak_g_s"], abs=0.02)
    total = data.energy_total.values
    np.testing.assert_allclose(total - data.work_aero.values, total[0], rtol=1e-9)  # the Jacobi integral


@pytest.mark.parametrize("name", NAMES)
def test_along_the_way(name: str) -> None:
    """Altitude, speed and latitude every two seconds."""
    expected = reference(name)
    rows = np.genfromtxt(FOLDER / f"{name}.csv", delimiter=",", names=True)
    rows = rows[rows["t_s"] % 2.0 == 0.0]
    scenario = mars_point_mass(expected["inputs"], FOLDER / "mars-gram-avg.dat", step=0.05)
    data = planetfall.run(scenario).data
    frames = data.isel(time=np.searchsorted(data.time.values, rows["t_s"] - 1e-9), body=0)
    np.testing.assert_allclose(frames.altitude.values, rows["alt_m"], atol=HISTORY[0])
    speed = np.linalg.norm(frames.velocity.values, axis=1)
    np.testing.assert_allclose(speed, rows["v_m_s"], atol=HISTORY[1])
    np.testing.assert_allclose(np.degrees(frames.latitude.values), rows["lat_deg"], atol=HISTORY[2])
