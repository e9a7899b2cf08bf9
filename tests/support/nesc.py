"""Check cases of the NESC beside its simulation 04: largest differences, for the tests and for `make validate`."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

import planetfall
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.scenario.tables.world.geodesy import level_axes
from support.shared_data import DATA

CASES = ("01", "02", "05", "07", "09")
BARS = {
    "altitude_m": 1e-3, "place_deg": 1e-8, "velocity_m_s": 1e-4, "rate_deg_s": 1e-6, "attitude_deg": 1e-5,
    "density": 1e-6, "mach": 1e-6,
}  # fmt: skip
"""What is allowed. A millimetre on the ground is 1e-8 deg; density and Mach number relative, as the file has ten digits
and the air of simulation 04 is the same standard."""
NED = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
"""Takes east, north, up to north, east, down."""


def data_file(case: str) -> Path:
    """Where the simulations of a case are, if shared data are here."""
    return DATA / "nesc" / f"case_{case}.csv"


def reference(case: str) -> dict[str, np.ndarray]:
    """The columns of simulation 04."""
    with data_file(case).open(newline="") as opened:
        rows = [row for row in csv.DictReader(opened) if row["sim"] == "04"]
    return {key: np.array([float(row[key] or "nan") for row in rows]) for key in rows[0] if key != "sim"}


def flown(case: str, method: str) -> Trajectory:
    """The case by RK4 as the library has it, or with error control."""
    scenario = planetfall.load(f"nesc-{case}")
    if method == "adaptive":
        scenario = scenario.with_values(
            {"integrator": {"method": "adaptive", "tolerance": 1e-12, "max_step": 0.5}, "record.interval": 0.5}
        )
    return planetfall.run(scenario)


def differences(run: Trajectory, expected: dict[str, np.ndarray]) -> dict[str, float]:
    """The largest over all samples of half a second, by the names of `BARS`."""
    data, target = run.data, run.scenario.target
    places = np.searchsorted(data.time.values, expected["t_s"] - 1e-9)
    np.testing.assert_allclose(data.time.values[places], expected["t_s"], atol=1e-9)
    frames = data.isel(time=places, body=0)
    latitude, longitude = frames.latitude.values, frames.longitude.values
    assert target.R_SP is not None
    level = [NED @ level_axes(lat, lon) @ target.R_SP.T for lat, lon in zip(latitude, longitude, strict=True)]
    velocity = np.array([axes @ v for axes, v in zip(level, frames.velocity.values, strict=True)])
    turned = [axes @ rotation_matrix(q) for axes, q in zip(level, frames.quaternion.values, strict=True)]
    spin = np.array([rotation_matrix(q).T @ target.omega for q in frames.quaternion.values])
    rates = np.degrees(frames.angular_velocity.values + spin)
    found = {
        "altitude_m": frames.altitude.values - expected["alt_m"],
        "place_deg": np.degrees([latitude, longitude]) - np.stack([expected["lat_deg"], expected["lon_deg"]]),
        "velocity_m_s": velocity - np.stack([expected[f"v{k}_m_s"] for k in "ned"], 1),
        "rate_deg_s": rates - np.stack([expected[f"{k}_deg_s"] for k in "pqr"], 1),
        "attitude_deg": _apart(turned, expected),
        "density": frames.air_density.values / expected["rho_kg_m3"] - 1.0,
        "mach": (frames.mach.values - expected["mach"]) / (1.0 + np.abs(expected["mach"])),
    }
    return {name: float(np.max(np.abs(values))) for name, values in found.items()}


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
