"""Attitudes of many runs: how far vehicles are tilted at the end, and where on average they point.

Components of a quaternion have no mean that means anything; angles and directions do.
"""

import numpy as np
import xarray as xr

from planetfall.analysis.campaign.intervals import of_sorted_quantile
from planetfall.record.rows import ATTITUDE
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.attitude import rotation_matrix


def up_axes(data: xr.Dataset, scenario: Scenario) -> np.ndarray:
    """Where the vehicle's up axis points at the end of each run [run, 3], surface frame; runs without are left out."""
    quaternions = np.column_stack([data[name].values for name in ATTITUDE])
    return rotation_matrix(quaternions[np.isfinite(quaternions).all(axis=1)]) @ np.asarray(scenario.vehicle.up)


def tilts(data: xr.Dataset, scenario: Scenario) -> np.ndarray:
    """Angle [run] [deg] of the vehicle's up axis from the vertical of a site, at the end of each run."""
    return np.degrees(np.arccos(np.clip(up_axes(data, scenario)[:, 2], -1.0, 1.0)))


def attitude_sentence(data: xr.Dataset, scenario: Scenario) -> str:
    """How vehicles stand at a site; on a whole body, where up differs from place to place, nothing."""
    if data.attrs["surface_frame"] != "L" or not all(name in data for name in ATTITUDE):
        return ""
    found = np.sort(tilts(data, scenario))
    if not len(found):
        return ""
    middle = of_sorted_quantile(found, 0.5)
    median = f", median {middle.value:.3g} ({middle.low:.3g} to {middle.high:.3g} with 95 % confidence)"
    if not np.isfinite(middle.half_width):
        median = ""
    mean = up_axes(data, scenario).mean(axis=0)
    length = float(np.linalg.norm(mean))
    tilt = f"Tilt of the vehicle's up axis at the end: {found[0]:.3g} to {found[-1]:.3g} deg{median}."
    if length < 0.1:
        return f"{tilt} The axes point everywhere, so that they have no mean direction."
    away = np.degrees(np.arccos(np.clip(mean[2] / length, -1.0, 1.0)))
    return f"{tilt} Their mean direction is {away:.3g} deg from the vertical."


def mean_attitude(quaternions: np.ndarray) -> np.ndarray:
    """The attitude nearest to those of all runs [run, 4] (Markley2007): q and -q count as one."""
    return np.linalg.eigh(quaternions.T @ quaternions)[1][:, -1]


def rotation_vectors(quaternions: np.ndarray, about: np.ndarray) -> np.ndarray:
    """Turns [run, 3] [rad] from one attitude to those of the runs [run, 4], about its body axes."""
    from scipy.spatial.transform import Rotation

    return (Rotation.from_quat(about).inv() * Rotation.from_quat(quaternions)).as_rotvec()
