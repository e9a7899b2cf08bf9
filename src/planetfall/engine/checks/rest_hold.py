"""Whether a run that ends at rest could end where its vehicle only turns back in a swing."""

import numpy as np

from planetfall.scenario.scenario import Scenario
from planetfall.world.gravity.field import acceleration_at, weighed_at
from planetfall.world.terrain.model import GROUND_OK
from planetfall.world.terrain.surface import Surface

SWING = np.radians(2.0)
"""Swing [rad] up to which it does not matter that its turning point counts as rest (assumed)."""


def short_hold(scenario: Scenario, state: np.ndarray, surface: Surface) -> str | None:
    """What to say of a hold shorter than the vehicle rocks, if rest is judged too coarsely to make up for it.

    A swing of amplitude a and rate W = sqrt(g/l) turns slower than r for 2 r/(a W^2) about its turning point, so that
    within the hold one of 2 r/(hold W^2) is not told from rest.

    Args:
        scenario: The scenario, of one vehicle.
        state: Its initial state; gravity is that of the ground below.
        surface: The ground.
    """
    rules, length = scenario.outcome, scenario.vehicle.extent
    if not rules.stop_at_rest or length == 0.0:
        return None
    gaps, normals, statuses = surface.ask(state[None, :3])
    below = state[:3] - gaps[0] * normals[0] if statuses[0] == int(GROUND_OK) else state[:3]
    g = float(np.linalg.norm(acceleration_at(scenario, weighed_at(scenario, below))))
    if g == 0.0:
        return None
    period = 2.0 * np.pi * np.sqrt(length / g)
    if rules.rest_hold >= period or 2.0 * rules.rest_rate * length <= SWING * rules.rest_hold * g:
        return None
    enough = float(f"{1.05 * period:.2g}")
    return (
        f"outcome.rest_hold: {rules.rest_hold:g} s, and {scenario.vehicle.name} rocks once in {period:.3g} s: where it "
        "turns back in a swing it counts as at rest, and the run ends before it lies still; give "
        f"outcome.rest_hold = {enough:g}, or a lower outcome.rest_rate"
    )
