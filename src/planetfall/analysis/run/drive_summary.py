"""A rover's drive in a few numbers: what `summary.json` holds."""

from typing import Any

import numpy as np
import xarray as xr

from planetfall.analysis.run.drive_samples import PLACES, beyond_samples, extremes, place_of_largest, works
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
            **extremes(data),
            **{key: place_of_largest(data, name) for key, name in PLACES.items()},
            **_energy(data),
            "motor_work_error_J": np.nanmax(run.work_error[:n]),
            "poses": n,
            "poses_by_fall_back": int(np.sum(run.of_poses("status")[:n] == 1)),
            "beyond_samples": beyond_samples(scenario, run, data),
            "largest_residual_m": float(np.nanmax(np.abs(data.contact_gap.values))),
            "device": device,
            "versions": versions_of("planetfall", "warp-lang", "numpy"),
        }
    )


def _energy(data: xr.Dataset) -> dict[str, float]:
    """Work since the start, and by how much it does not add up [J]."""
    found = np.isfinite(data.energy_gravity.values)
    names = ("work_motor", "work_rolling", "work_contact", "work_slip")
    balance = sum(data[name].sum("wheel") for name in names) - data.energy_gravity
    return {**works(data), "energy_closure_J": float(np.abs(balance.values[found]).max())}
