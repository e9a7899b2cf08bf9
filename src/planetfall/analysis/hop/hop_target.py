"""Where a hop shall lead: a place on the ground, seen from where the vehicle stands."""

from dataclasses import dataclass

import numpy as np

from planetfall.engine.build import Model
from planetfall.engine.initial_state import lifted
from planetfall.errors import InputError
from planetfall.world.gravity.field import acceleration_at


@dataclass(frozen=True)
class HopTarget:
    """A place to hop to.

    Attributes:
        ground: On the ground [3] [m], surface frame.
        off_ground: How far above it, along the vertical, the place that was asked for lies [m]; below is negative.
        aim: Where the centre of mass is to rest [3] [m]: over `ground`, as high as it stands at the start.
        up: Against gravity where the hop starts, unit vector.
        bearing: Horizontal direction of the target from there, unit vector.
        distance: Of the target along it [m].
        gravity: Where the hop starts [m/s^2].
    """

    ground: np.ndarray
    off_ground: float
    aim: np.ndarray
    up: np.ndarray
    bearing: np.ndarray
    distance: float
    gravity: float

    def misses(self, places: np.ndarray) -> np.ndarray:
        """Distances [n] [m] of centres of mass at rest [n, 3] from the aim; infinite where there is none (NaN)."""
        apart = np.linalg.norm(places - self.aim, axis=1)
        return np.where(np.isnan(apart), np.inf, apart)


def hop_target(model: Model, asked: np.ndarray) -> HopTarget:
    """The place on the ground over or under the one that was asked for [3] [m], seen from the start of a model."""
    start = model.initial_state[:3]
    pull = acceleration_at(model.scenario, start)
    strength = float(np.linalg.norm(pull))
    if strength == 0.0:
        raise InputError("gravity.model", "without gravity no hop comes down", "a field that pulls the vehicle down")
    up = -pull / strength
    ground = _under(model, asked, "target")
    height = float(np.linalg.norm(start - _under(model, start, "initial.position")))
    up_there = -acceleration_at(model.scenario, ground)
    up_there /= np.linalg.norm(up_there)
    along = ground - start
    along = along - up * (up @ along)
    distance, size = float(np.linalg.norm(along)), float(model.params.step.length)
    if not distance >= size:
        raise InputError(
            "target", f"{asked.tolist()} m is {distance:.3g} m away",
            f"farther than the vehicle's own size, {size:.3g} m",
        )  # fmt: skip
    off_ground = float((asked - ground) @ up_there)
    return HopTarget(ground, off_ground, ground + height * up_there, up, along / distance, distance, strength)


def _under(model: Model, place: np.ndarray, where: str) -> np.ndarray:
    """The ground straight over or under a place."""
    found, problems = lifted([model.scenario], model.surface, place[None], np.zeros(1), "vertical")
    if problems:
        raise InputError(where, f"no ground is over or under {place.tolist()} m", "a place on the terrain")
    return found[0]
