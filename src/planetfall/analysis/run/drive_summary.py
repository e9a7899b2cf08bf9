"""A rover's drive in a few numbers: what `summary.json` holds."""

from typing import Any

import numpy as np
import xarray as xr

from planetfall.outcome import Outcome
from planetfall.record.drive import n_recorded
from planetfall.record.files.plain_json import plain_json
from planetfall.record.files.schema import versions_of
from planetfall.rover.drive.drive import Drive
from planetfall.rover.model import WHEEL_NAMES
from planetfall.scenario.drive import DriveScenario

OUTCOMES = {
    0: Outcome.arrived, 1: Outcome.stalled, 2: Outcome.slipping, 3: Outcome.slipping, 4: Outcome.lifted,
    5: Outcome.tipped, 6: Outcome.blocked,
}  # fmt: skip
"""How a drive ends, by the verdict that ends it (`verdict.VERDICTS`)."""
WITHOUT_POSE = {3: Outcome.off_map, 4: Outcome.hole}
"""The same by the status of the pose, where there is none."""


def outcome_of(run: Drive) -> Outcome:
    """How a drive ends."""
    if run.stop is None:
        return Outcome.arrived
    status = int(run.of_poses("status")[run.stop])
    return WITHOUT_POSE.get(status, OUTCOMES[int(run.of_forces("verdict")[run.stop])])


def outcome_of_drive(scenario: DriveScenario, run: Drive) -> dict[str, Any]:
    """How a drive ended: the part of its summary that is always there."""
    outcome = outcome_of(run)
    return {"scenario": scenario.name, "outcome": outcome.name, "outcome_sentence": outcome.sentence}


def summarise_drive(scenario: DriveScenario, run: Drive, data: xr.Dataset, device: str) -> dict[str, Any]:
    """The summary of a drive; numbers that do not exist are None."""
    n = n_recorded(scenario, run)
    driven = run.path.distance[-1] if run.stop is None else run.path.distance[run.stop]
    lowest = {name: float(np.nanmin(data[name].values)) for name in ("margin_stability", "margin_unloading")}
    return plain_json(
        {
            **outcome_of_drive(scenario, run),
            "says": run.says(scenario.drive.stop),
            "end_s": data.time.values[-1],
            "path_m": run.path.distance[-1],
            "driven_m": driven,
            "rover": scenario.rover.name,
            "goal": scenario.drive.goal,
            "speed_m_s": scenario.rover.speed,
            "changes": [{"start_m": change.start, "values": change.values} for change in scenario.changes],
            "points": list(WHEEL_NAMES),
            "peak_normal_force_N": np.nanmax(data.contact_normal_force.values, axis=0),
            "peak_torque_N_m": np.nanmax(np.abs(data.wheel_torque.values), axis=0),
            "peak_lateral_force_N": np.nanmax(np.abs(data.wheel_lateral_force.values), axis=0),
            "peak_friction_needed": np.nanmax(data.wheel_friction_needed.values, axis=0),
            "peak_friction_used": np.nanmax(data.wheel_friction_used.values, axis=0),
            "peak_slip_ratio": np.nanmax(data.wheel_slip_ratio.values, axis=0),
            "peak_saturation": np.nanmax(data.wheel_saturation.values, axis=0),
            "peak_slip_ratio_at_m": _where(data, data.wheel_slip_ratio.max("wheel")),
            "peak_friction_used_at_m": _where(data, data.wheel_friction_used.max("wheel")),
            "least_margin_stability": lowest["margin_stability"],
            "least_margin_unloading": lowest["margin_unloading"],
            "peak_roll_rad": np.nanmax(np.abs(data.rover_roll.values)),
            "peak_pitch_rad": np.nanmax(np.abs(data.rover_pitch.values)),
            **_energy(data),
            "motor_work_error_J": np.nanmax(run.work_error[:n]),
            "poses": n,
            "poses_by_fall_back": int(np.sum(run.of_poses("status")[:n] == 1)),
            "largest_residual_m": float(np.nanmax(np.abs(data.contact_gap.values))),
            "device": device,
            "versions": versions_of("planetfall", "warp-lang", "numpy"),
        }
    )


def _energy(data: xr.Dataset) -> dict[str, float]:
    """Work since the start, at the last frame that has a pose [J]."""
    found = np.flatnonzero(np.isfinite(data.energy_gravity.values))
    last = data.isel(time=found[-1])
    names = ("work_motor", "work_rolling", "work_contact", "work_slip", "energy_gravity")
    motor, rolling, skid, slip, rise = (float(np.sum(last[name])) for name in names)
    balance = sum(data[name].sum("wheel") for name in names[:4]) - data.energy_gravity
    return {
        "motor_work_J": motor,
        "positive_work_J": float(np.sum(last.work_motor_positive)),
        "regenerated_work_J": -float(np.sum(last.work_motor_regenerated)),
        "rolling_work_J": rolling,
        "contact_work_J": skid,
        "slip_work_J": slip,
        "rise_J": rise,
        "energy_closure_J": float(np.abs(balance.values[found]).max()),
        "peak_power_W": float(data.power_peak.isel(time=found).max()),
    }


def _where(data: xr.Dataset, values: xr.DataArray) -> float:
    """Distance [m] at which a measure is largest."""
    return float(data.distance.values[int(np.nanargmax(values.values))])
