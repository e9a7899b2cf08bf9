"""What is refused of a flight through air before it begins: no air, and tables that end before the flight does."""

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.start import start_state
from planetfall.scenario.tables.vehicle.aerodynamics import AerodynamicsTable
from planetfall.vehicle.aerodynamics.field import in_each_configuration, trim_angles
from planetfall.vehicle.aerodynamics.table_file import CoefficientFile, read_coefficients
from planetfall.world.atmosphere.from_scenario import air_at

OWN = "vehicle.aerodynamics.file"
RISES = 1.05
"""By how much the Mach number of an entry may rise over that of its start, before the air slows it down (assumed)."""
ADVICE = "add rows, or set outside = 'hold' beside it, which holds the last values"


def check_aerodynamics(scenario: Scenario, i_body: int) -> None:
    """Refuses what a body cannot fly with.

    Raises:
        InputError: There is no air, or a table of coefficients ends before the flight does.
    """
    vehicle = scenario.vehicles[i_body]
    if scenario.atmosphere.model == "none":
        raise InputError(
            "atmosphere", f"{vehicle.name} has aerodynamics, and there is no air",
            "an atmosphere", "add [atmosphere], or leave vehicle.aerodynamics out",
        )  # fmt: skip
    keys = (*(f"vehicle.configurations.{k}.aerodynamics.file" for k in range(len(vehicle.configurations))), OWN)
    for key, configured in zip(keys, in_each_configuration(vehicle), strict=True):
        table = configured.aerodynamics
        if isinstance(table, AerodynamicsTable) and table.outside == "refuse":
            found = read_coefficients(table.file)
            if table.attitude == "free":
                _check_free(key, found)
            else:
                _check_angle(key, found, float(np.degrees(trim_angles(configured)[1].max())))
            _check_mach(key, found, RISES * _start_mach(scenario, i_body))


def _check_free(key: str, found: CoefficientFile) -> None:
    """A vehicle that is free to turn may come to any angle."""
    last = np.degrees(found.alpha[-1])
    if found.beta is None and last < 180.0 - 1e-9:
        said = f"has angles of attack up to {last:g} deg, and the attitude is free"
        raise InputError(key, said, "angles to 180 deg", ADVICE)
    if found.beta is not None:
        ends = np.degrees([found.alpha[0], found.alpha[-1], found.beta[0], found.beta[-1]])
        if np.any(np.abs(ends) < np.array([180.0, 180.0, 90.0, 90.0]) - 1e-9):
            said = f"has alpha from {ends[0]:g} to {ends[1]:g} and beta from {ends[2]:g} to {ends[3]:g} deg"
            raise InputError(key, said, "alpha of +-180 and beta of +-90 deg", ADVICE)


def _check_angle(key: str, found: CoefficientFile, alpha_deg: float) -> None:
    last = float(np.degrees(found.alpha[-1]))
    if alpha_deg > last + 1e-9:
        said = f"has angles of attack up to {last:g} deg, and {alpha_deg:g} deg are held"
        raise InputError(key, said, "angles that reach as far", ADVICE)


def _check_mach(key: str, found: CoefficientFile, fastest: float) -> None:
    first, last = found.mach[0], found.mach[-1]
    if first > 0.0 or fastest > last:
        said = f"has Mach numbers from {first:g} to {last:g}, and the flight may come from Mach {fastest:.4g} to 0"
        raise InputError(key, said, "a table that reaches as far", ADVICE)


def _start_mach(scenario: Scenario, i_body: int) -> float:
    """Mach number at the start, in still air."""
    start = scenario.initial if i_body == 0 else scenario.companions[i_body - 1].initial
    return mach_in_still_air(scenario, start_state(start, scenario.target))


def mach_in_still_air(scenario: Scenario, state: np.ndarray) -> float:
    """Mach number of a position and velocity, surface frame, without wind."""
    target = scenario.target
    height = float(state[2])
    if target.radius > 0.0 and target.R_SP is not None:
        height = float(target.ellipsoid.geodetic(target.R_SP.T @ (state[:3] - target.center_S))[2])
    return float(np.linalg.norm(state[3:6]) / air_at(scenario.atmosphere, np.array([height]))["sound_speed"][0])
