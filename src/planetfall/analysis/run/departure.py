"""What became of a vehicle whose time ran out on its way away from the body, too fast to come back."""

from math import floor, log10, sqrt

import numpy as np
import warp as wp
import xarray as xr

from planetfall.engine.build import Model
from planetfall.engine.parameters import known_gm
from planetfall.engine.solver.escape import orbit_energy
from planetfall.outcome import Outcome

WITHOUT_A_CENTRE = ("uniform", "none")
"""Gravity from which nothing escapes."""
FAR = 10.0
"""Times the farthest point of the body from its centre, from where on its field is that of a point; assumed."""


def departure(model: Model, data: xr.Dataset, outcome: Outcome) -> dict[str, str]:
    """For the summary: `outcome_sentence` of a run that timed out while the first vehicle left a whole body for good.

    Judged by two-body theory, as `outcome.escape_radius` is, at the last recorded state; only beyond the body's
    farthest point.
    """
    scenario = model.scenario
    if outcome is not Outcome.timed_out or scenario.target.frame != "P" or scenario.gravity.model in WITHOUT_A_CENTRE:
        return {}
    gm, reach = known_gm(scenario), _reach(model)
    place = data.position.values[-1, 0]
    velocity = data.velocity.values[-1, 0] + np.cross(scenario.target.omega, place)
    distance = float(np.linalg.norm(place))
    if gm == 0.0 or reach == 0.0 or distance <= reach or place @ velocity <= 0.0:
        return {}
    if float(orbit_energy(wp.float64(gm), wp.vec3d(*place), wp.vec3d(*velocity))) < 0.0:
        return {}
    radius = _rounded_down(min(FAR * reach, distance))
    speed, needed = float(np.linalg.norm(velocity)), sqrt(2.0 * gm / distance)
    return {
        "outcome_sentence": f"The time ran out with the vehicle leaving {scenario.target.name} for good: {speed:.3g} "
        f"m/s (inertial) at {distance:.4g} m from its centre, where the escape speed is {needed:.3g} m/s. A longer run "
        f"does not bring it back; with outcome.escape_radius = {radius:g} such runs end as escaped. "
        "To land, release it more slowly."
    }


def _reach(model: Model) -> float:
    """Distance [m] of the body's farthest point from the centre, or a little more; 0 where nothing bounds it."""
    box = model.surface.box
    if box is None:
        return model.scenario.target.radius
    return float(np.linalg.norm(np.abs(box).max(axis=0)))


def _rounded_down(value: float) -> float:
    """Two significant digits, towards zero."""
    scale = 10.0 ** (floor(log10(value)) - 1)
    return float(f"{floor(value / scale) * scale:.12g}")
