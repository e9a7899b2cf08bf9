"""NASA's check cases of flight simulations (NESC2015) against its simulation 04, native samples of half a second.

Tolerances are those by which an independent solution differs from simulation 04, doubled and rounded up: 0.4 mm,
2.1e-5 m/s, 1.5e-7 deg/s and 8e-7 deg were measured; 1 mm, 1e-4 m/s, 1e-6 deg/s and 1e-5 deg are asked for.
"""

from __future__ import annotations

import csv

import numpy as np
import pytest

import planetfall
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.scenario.tables.world.geodesy import level_axes
from support.shared_data import DATA

FOLDER = DATA / "nesc"
CASES = ("01", "02", "05", "07", "09")
ALTITUDE, VELOCITY, RATE, ATTITUDE = 1e-3, 1e-4, 1e-6, 1e-5
"""[m], [m/s], [deg/s], [deg]."""
AIR = 1e-6
"""Density and Mach number, relative: the file has ten digits, and the air of simulation 04 is the same standard."""
NED = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
"""Takes east, north, up to north, east, down."""


def reference(case: str) -> dict[str, np.ndarray]:
    """The columns of simulation 04."""
    file = FOLDER / f"case_{case}.csv"
    if not file.exists():
        pytest.skip("the check cases of shared data are not here")
    with file.open(newline="") as opened:
        rows = [row for row in csv.DictReader(opened) if row["sim"] == "04"]
    return {key: np.array([float(row[key] or "nan") for row in rows]) for key in rows[0] if key != "sim"}


@pytest.mark.parametrize("method", ["rk4", "adaptive"])
@pytest.mark.parametrize("case", CASES)
def test_against_simulation_04(case: str, method: str) -> None:
    expected = reference(case)
    scenario = planetfall.load(f"nesc-{case}")
    if method == "adaptive":
        scenario = scenario.with_values(
            {"integrator": {"method": "adaptive", "tolerance": 1e-12, "max_step": 0.5}, "record.interval": 0.5}
        )
    data = planetfall.run(scenario).data
    places = np.searchsorted(data.time.values, expected["t_s"] - 1e-9)
    np.testing.assert_allclose(data.time.values[places], expected["t_s"], atol=1e-9)
    frames = data.isel(time=places, body=0)
    latitude, longitude = frames.latitude.values, frames.longitude.values
    np.testing.assert_allclose(frames.altitude.values, expected["alt_m"], atol=ALTITUDE)
    # a millimetre on the ground is 1e-8 deg
    np.testing.assert_allclose(np.degrees(latitude), expected["lat_deg"], atol=1e-8)
    np.testing.assert_allclose(np.degrees(longitude), expected["lon_deg"], atol=1e-8)
    R_SP = scenario.target.R_SP
    assert R_SP is not None
    level = [NED @ level_axes(lat, lon) @ R_SP.T for lat, lon in zip(latitude, longitude, strict=True)]
    velocity = np.array([axes @ v for axes, v in zip(level, frames.velocity.values, strict=True)])
    np.testing.assert_allclose(velocity, np.stack([expected[f"v{k}_m_s"] for k in "ned"], 1), atol=VELOCITY)
    turned = [axes @ rotation_matrix(q) for axes, q in zip(level, frames.quaternion.values, strict=True)]
    assert np.max(_apart(turned, expected)) < ATTITUDE
    spin = [rotation_matrix(q).T @ scenario.target.omega for q in frames.quaternion.values]
    rates = np.degrees(frames.angular_velocity.values + np.array(spin))
    np.testing.assert_allclose(rates, np.stack([expected[f"{k}_deg_s"] for k in "pqr"], 1), atol=RATE)
    np.testing.assert_allclose(frames.air_density.values, expected["rho_kg_m3"], rtol=AIR)
    np.testing.assert_allclose(frames.mach.values, expected["mach"], rtol=AIR, atol=AIR)


def _apart(turned: list[np.ndarray], expected: dict[str, np.ndarray]) -> np.ndarray:
    """Angle [deg] between attitudes (body to north, east, down) and those of yaw, pitch and roll."""
    out = []
    for R, yaw, pitch, roll in zip(
        turned, *(np.radians(expected[f"{k}_deg"]) for k in ("yaw", "pitch", "roll")), strict=True
    ):
        cy, sy, cp, sp, cr, sr = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch), np.cos(roll), np.sin(roll)
        other = np.array(
            [
                [cp * cy, sr * sp * cy - cr * sy, cr * sp * cy + sr * sy],
                [cp * sy, sr * sp * sy + cr * cy, cr * sp * sy - sr * cy],
                [-sp, sr * cp, cr * cp],
            ]
        )
        out.append(np.degrees(np.linalg.norm(R - other) / np.sqrt(2.0)))
    return np.array(out)
