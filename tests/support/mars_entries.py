"""Entries at Mars with three degrees of freedom beside a reference: differences, for the tests and `make validate`.

The reference counts headings from east and bank to the left; altitude is over a sphere, density linear in height.
"""

from __future__ import annotations

import json
from typing import Any

import planetfall
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.tables.run.conventions import flight_state
from support.entries import mars_point_mass
from support.shared_data import DATA

FOLDER = DATA / "mars_entry"
NAMES = ("msl_lift_up", "viking1", "rand1", "rand2")
BARS = {"time_s": 1e-4, "speed_m_s": 1e-3, "angle_deg": 1e-6, "peaks": 1e-5}
"""At 10 km; `peaks`: of load, heating, heat load and Mach number, relative."""


def reference(name: str) -> dict[str, Any]:
    """Inputs and numbers of an entry."""
    return json.loads((FOLDER / f"{name}.json").read_text())


def flown(name: str, method: str = "rk4") -> Trajectory:
    """The entry by RK4 with steps of 50 ms, or with error control."""
    scenario = mars_point_mass(reference(name)["inputs"], FOLDER / "mars-gram-avg.dat", step=0.05)
    if method == "adaptive":  # peaks are located between steps, whose longest is therefore given
        scenario = scenario.with_values({"integrator": {"method": "adaptive", "tolerance": 1e-10, "max_step": 0.2}})
    return planetfall.run(scenario)


def differences(run: Trajectory, expected: dict[str, Any]) -> dict[str, float]:
    """At the end, 10 km over the sphere, by the names of `BARS`."""
    summary, data = run.summary, run.data
    end = flight_state(data.position.values[-1, 0], data.velocity.values[-1, 0], run.scenario.target)
    assert end is not None and abs(end.height_over_ellipsoid_m - 10e3) < 1e-5
    heading = (90.0 - end.azimuth_relative_deg - expected["az_from_east_10km_deg"] + 180.0) % 360.0 - 180.0
    angles = (
        end.flight_path_relative_deg - expected["fpa_10km_deg"],
        heading,
        end.latitude_planetocentric_deg - expected["lat_10km_deg"],
        end.longitude_deg - expected["lon_10km_deg"],
    )
    peaks = (
        data.mach.values[-1, 0] / expected["mach_10km"],
        summary["peak_g"] / expected["peak_g_earth"],
        summary["peak_heating_W_m2"] / 1e4 / expected["peak_q_W_cm2_SuttonGraves_1p9027e_4"],
        summary["heat_load_J_m2"] / 1e4 / expected["heat_load_J_cm2"],
    )
    return {
        "time_s": abs(summary["end_s"] - expected["t_10km_s"]),
        "speed_m_s": abs(end.speed_relative_m_s - expected["v_10km_m_s"]),
        "angle_deg": max(abs(angle) for angle in angles),
        "peaks": max(float(abs(ratio - 1.0)) for ratio in peaks),
    }
