"""How a vehicle is trimmed at the start: the angle of attack that it holds, and the lift that this gives it."""

import numpy as np

from planetfall.engine.mechanisms.air.aero_checks import mach_in_still_air
from planetfall.scenario.scenario import Scenario
from planetfall.vehicle.aerodynamics.field import at_trim


def trim_at_start(scenario: Scenario, states: np.ndarray) -> dict[str, float | None]:
    """`mach` at the start in still air, `angle_of_attack_deg` that is held there, and `lift_to_drag`.

    Of the vehicle whose loads are told, in the configuration in which it starts and with the factors on its
    coefficients; empty where that one is not trimmed, or where there is no air. Without drag there is no ratio: None.

    Args:
        scenario: The scenario.
        states: Of all bodies at the start, surface frame, position [m] and velocity [m/s] first [body, 6 or more].

    Raises:
        InputError: There is no stable trim.
    """
    i = scenario.entering_body
    if i is None or scenario.atmosphere.model == "none":
        return {}
    vehicle = scenario.vehicles[i]
    for found in vehicle.configurations:
        if not found.after_release:  # nothing is released yet, and all that may be attached is
            vehicle = vehicle.model_copy(update={"aerodynamics": found.aerodynamics})
    assert vehicle.aerodynamics is not None
    if vehicle.aerodynamics.attitude != "trim":
        return {}
    mach = mach_in_still_air(scenario, states[i])
    alpha, _, ratio = at_trim(vehicle, np.array([mach]), has_factors=True)
    return {
        "mach": mach,
        "angle_of_attack_deg": float(np.degrees(alpha[0])),
        "lift_to_drag": float(ratio[0]) if np.isfinite(ratio[0]) else None,
    }
