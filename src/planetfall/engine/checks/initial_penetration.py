"""Starts in the ground: a centre of mass in it is refused, points that their springs would throw out are reported.

In the ground is what the contact law takes for it: behind the surface by the gap that the terrain returns. For closed
bodies, planes and maps of heights that is the usual meaning; of an open mesh it is behind the nearest facet, and beside
its border there is no ground.
"""

from dataclasses import dataclass

import numpy as np

from planetfall.contact.laws import coefficients_of
from planetfall.engine.checks.outer_form import form_notes
from planetfall.engine.checks.rest_hold import short_hold
from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.scenario.tables.run.initial import Initial
from planetfall.scenario.tables.run.start import start_state
from planetfall.world.gravity.field import acceleration_at, weighed_at
from planetfall.world.terrain.model import GROUND_OK
from planetfall.world.terrain.surface import Surface

ROUNDING = 1e-12
"""Depth, relative to the coordinates of the start, that is taken for none."""

ASIDE_DEG = 10.0
"""Angle at the centre between a position inside a body and the start above it from which on it is told (assumed)."""

SCALES = {"sdf": "terrain.scale, target.shape_scale", "mesh": "terrain.scale", "dem": "terrain.height_scale"}
"""Keys of the terrains that have a unit to be mistaken."""


@dataclass(frozen=True)
class StartDepth:
    """A vehicle that starts deeper in the ground than its weight explains.

    Attributes:
        points: How many of its points start in the ground.
        depth: Of the deepest [m].
        speed: That it would leave the ground with, if no damper took anything [m/s].
    """

    points: int
    depth: float
    speed: float

    @property
    def sentence(self) -> str:
        """For people."""
        start = f"{self.points} points start" if self.points > 1 else "one point starts"
        return (
            f"{start} in the ground, the deepest by {self.depth:.3g} m: the springs push the vehicle out, with up to "
            f"{self.speed:.3g} m/s; if that is not meant, start it higher (initial.height_of = 'lowest point' measures "
            "initial.height from the feet)"
        )


def depths_in_ground(surface: Surface, positions: np.ndarray) -> np.ndarray:
    """How deep in the ground [m] positions [n, 3] [m] are; 0 outside it, and where there is none."""
    gaps, _, statuses = surface.ask(positions)
    return np.where(statuses == int(GROUND_OK), np.maximum(-gaps, 0.0), 0.0)


def start_aside(scenario: Scenario, state: np.ndarray, surface: Surface) -> str | None:
    """What to say of a height over a position inside a whole body, if gravity there points to another part of it."""
    start, target = scenario.initial, scenario.target
    if target.frame != "P" or start.height is None:
        return None
    given = start_state(start, target)[:3]
    depth = float(depths_in_ground(surface, given[None])[0])
    a, b = given - target.center_S, state[:3] - target.center_S
    angle = float(np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)))
    if depth == 0.0 or angle < ASIDE_DEG:
        return None
    return (
        f"initial.position is {float(f'{depth:.3g}'):g} m inside the body; straight up from it, against gravity there, "
        f"initial.height puts the vehicle {angle:.0f} degrees aside, seen from the centre; give a position outside the "
        "body, above the place that is meant"
    )


def points_missing(scenario: Scenario) -> str | None:
    """What to say of a vehicle whose load is shared among more contact points than it has."""
    contact, vehicle = scenario.contact, scenario.vehicle
    loaded, n_points = getattr(contact, "loaded_points", None), len(vehicle.points)
    is_shared = getattr(contact, "mass_share", "per-point") == "per-point"
    if loaded is None or not is_shared or not 0 < n_points < loaded:
        return None
    return (
        f"contact.loaded_points: {loaded} points carry the load, but {vehicle.name} has {n_points}: the ground is "
        f"{loaded / n_points:.3g} times softer than with {n_points}"
    )


def points_overhead(scenario: Scenario, state: np.ndarray) -> str | None:
    """What to say of a start with all contact points of the vehicle over its centre of mass: the sign of z, mostly."""
    vehicle = scenario.vehicle
    pull = acceleration_at(scenario, weighed_at(scenario, state[:3]))
    if not vehicle.points or vehicle.extent == 0.0 or not np.any(pull):
        return None
    arms = (vehicle.tips - vehicle.hub.center) @ rotation_matrix(state[6:10]).T
    lowest = float((arms @ (-pull / np.linalg.norm(pull))).min())
    if lowest <= 0.0:
        return None
    return (
        f"all contact points of {vehicle.name} are above its centre of mass at the start, by {lowest:.3g} m or more: "
        f"its centre comes down first; {_way_up(scenario.initial)}"
    )


def _way_up(start: Initial) -> str:
    """Which way up the axes count in which an attitude is given."""
    if start.euler_ned_deg is None:
        return "the z of points and of initial.attitude count upwards"
    yaw, pitch, roll = start.euler_ned_deg
    return (
        "initial.euler_ned_deg = [0, 0, 0] points the body's z down; where z counts upwards in the body, add half a "
        f"turn of roll: [{yaw:g}, {pitch:g}, {roll + (180.0 if roll <= 0.0 else -180.0):g}]"
    )


def start_notes(scenario: Scenario, states: np.ndarray, surface: Surface) -> list[str]:
    """What looks mistaken in the vehicles of a scenario and in their starts [body, 13], a sentence each."""
    found = [
        note
        for solo, state, carrier in zip(scenario.solos, states, scenario.carriers, strict=True)
        for note in (
            start_aside(solo, state, surface),
            points_overhead(solo, state) if carrier < 0 else None,  # what is carried comes down as its carrier does
            points_missing(solo),
            short_hold(solo, state, surface) if solo.vehicle is scenario.vehicle else None,
            *form_notes(solo.vehicle),
        )
    ]
    return [note for note in found if note]


def is_judged(scenario: Scenario) -> bool:
    """Whether a centre of mass in the ground is refused: in a whole body always, else where something can touch.

    A point mass, whose centre of mass is its one contact point, rests with it in the ground; it is reported instead.
    """
    if scenario.terrain.model == "sdf":
        return True
    return scenario.vehicle.extent > 0.0


def start_key(scenario: Scenario) -> str:
    """The key that says where a vehicle starts."""
    start = scenario.initial
    if start.release is not None:
        return "initial.release.position"
    return "initial.position" if start.height is None else "initial.height"


def check_outside(scenario: Scenario, state: np.ndarray, surface: Surface) -> None:
    """Refuses a start with the centre of mass in the ground."""
    if not is_judged(scenario):
        return
    depth = float(depths_in_ground(surface, state[None, :3])[0])
    if depth > 0.0:
        model = scenario.terrain.model
        whole, unit = "target" if model == "sdf" else "ground", SCALES.get(model)
        advice = "give initial.height" if scenario.initial.height is None else "give height_along = 'vertical'"
        raise InputError(
            start_key(scenario), f"{state[:3].tolist()} m is {depth:.4g} m inside the {whole}",
            "a place of the centre of mass outside it",
            (f"is the shape's unit right ({unit})? or " if unit else "") + advice,
        )  # fmt: skip


def start_depth(scenario: Scenario, state: np.ndarray, surface: Surface) -> StartDepth | None:
    """What to report of a start in a state (13,); None where its points are apart, or as deep as its weight explains.

    On springs of stiffness k, at rest a weight W is W/(n k) deep, and half of W times that is stored; at twice that
    depth, which a vehicle reaches that is let go on the surface, it is all of it. Where more is stored than the weight
    takes on the way up, the ground throws the vehicle off, if no damper holds it: that is reported.
    """
    counting = [i for i, point in enumerate(scenario.vehicle.points) if point.counts_at_start]
    if not counting:
        return None
    gaps, normals, statuses = surface.ask(state[:3] + scenario.vehicle.tips[counting] @ rotation_matrix(state[6:10]).T)
    depths = np.where(statuses == int(GROUND_OK), np.maximum(-gaps, 0.0), 0.0)
    deepest = int(np.argmax(depths))
    depth = float(depths[deepest])
    if depth <= ROUNDING * max(1.0, float(np.abs(state[:3]).max())):
        return None
    mass, gravity = scenario.vehicle.mass, acceleration_at(scenario, weighed_at(scenario, state[:3]))
    response = coefficients_of(scenario, float(np.linalg.norm(gravity)))
    weight = mass * max(0.0, -float(gravity @ normals[deepest]))
    spare = sum(response.stored(float(each)) for each in depths) - weight * depth
    if spare <= 0.0:
        return None
    return StartDepth(int(np.count_nonzero(depths)), depth, float(np.sqrt(2.0 * spare / mass)))
