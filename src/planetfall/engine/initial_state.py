"""States at time zero, of one run or of many at once: where vehicles are put, and what follows them in the state."""

from collections.abc import Sequence

import numpy as np

from planetfall.engine.mechanisms.registry import mechanisms_of
from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.attitude import quaternion_product, rotation_matrix
from planetfall.scenario.tables.run.initial import Initial
from planetfall.scenario.tables.run.start import start_state
from planetfall.scenario.tables.world.geodesy import level_axes
from planetfall.world.gravity.field import acceleration_at, gravity_field
from planetfall.world.terrain.model import GROUND_HOLE, GROUND_OK
from planetfall.world.terrain.surface import Surface

Problems = dict[int, InputError]
"""Why vehicles cannot start, by their index among the starts."""

LOWEST = "vertical, of the lowest point"
"""The way to measure a height by which it is that of the contact point nearest to the ground below it."""


def body_states(scenario: Scenario, surface: Surface) -> np.ndarray:
    """States of all vehicles at time zero [body, 13]; those that are attached are where their carriers have them."""
    return with_attached(scenario, np.array([[initial_state(solo, surface) for solo in scenario.solos]]))[0]


def initial_state(scenario: Scenario, surface: Surface) -> np.ndarray:
    """State at time zero, shape (13,), of a first vehicle that is not attached.

    Position, velocity, quaternion, angular velocity.
    """
    states, problems = initial_states([scenario], [scenario.initial], surface)
    if problems:
        raise problems[0]
    return states[0]


def initial_states(
    scenarios: Sequence[Scenario], starts: Sequence[Initial], surface: Surface
) -> tuple[np.ndarray, Problems]:
    """States [start, 13] on ground that is shared, each in its scenario's gravity and frame."""
    states = np.array([start_state(start, scenario.target) for scenario, start in zip(scenarios, starts, strict=True)])
    problems: Problems = {}
    lifts = [lift_of(start) for start in starts]
    for along in ("vertical", "normal", "geodetic", LOWEST):
        chosen = [i for i, (height, direction) in enumerate(lifts) if height is not None and direction == along]
        if chosen:
            heights = np.array([lifts[i][0] for i in chosen], dtype=float)
            given = [scenarios[i] for i in chosen]
            states[chosen, :3], found = lifted(given, surface, states[chosen], heights, along)
            problems |= {chosen[i]: problem for i, problem in found.items()}
    return states, problems


def lift_of(start: Initial) -> tuple[float | None, str]:
    """How far over the ground a start is lifted [m], None if it is not, and how that is measured (see `lifted`)."""
    if start.is_over_ground:
        return start.altitude, "geodetic"
    return start.height, LOWEST if start.height_of == "lowest point" else start.height_along


def lifted(
    scenarios: Sequence[Scenario], surface: Surface, states: np.ndarray, heights: np.ndarray, along: str
) -> tuple[np.ndarray, Problems]:
    """Places [start, 3] `heights` above the ground, straight over or under those of `states`, each in its own gravity.

    `along`: "vertical" (against gravity), "geodetic" (the ellipsoid's normal), the ground's "normal", or `LOWEST`. A
    place does not depend on the others: its bits are those that it has alone. One with a problem is not moved.
    """
    positions = states[:, :3]
    if along == LOWEST:
        return _lowest_lifted(scenarios, surface, states, heights)
    up, problems = _up_at(scenarios, positions) if along != "geodetic" else (_zenith_at(scenarios, positions), {})
    feet, normals, found = _feet(surface, positions, up, along)
    problems = {**found, **problems}
    out = feet + heights[:, None] * (normals if along == "normal" else up)
    out[list(problems)] = positions[list(problems)]
    return out, problems


def _lowest_lifted(
    scenarios: Sequence[Scenario], surface: Surface, states: np.ndarray, heights: np.ndarray
) -> tuple[np.ndarray, Problems]:
    """Places of centres of mass from which the lowest contact point of each vehicle is `heights` above the ground.

    Every point is over its own ground; all of a vehicle are moved along the vertical at its centre of mass.
    """
    positions = states[:, :3]
    up, problems = _up_at(scenarios, positions)
    places = [_contact_points(scenario, state) for scenario, state in zip(scenarios, states, strict=True)]
    owners = np.repeat(np.arange(len(places)), [len(points) for points in places])
    for i in sorted(set(range(len(places))) - set(owners.tolist())):
        advice = "use height_of = 'center of mass'"
        problems.setdefault(i, InputError("initial.height_of", "the vehicle has no contact points", advice=advice))
    points = np.concatenate(places)
    feet, _, found = _feet(surface, points, up[owners], "vertical", "a contact point at ")
    for k, problem in found.items():
        problems.setdefault(int(owners[k]), problem)
    lowest = np.full(len(places), np.inf)
    np.minimum.at(lowest, owners, _dot(points - feet, up[owners]))
    lowest[list(problems)] = heights[list(problems)]  # which leaves them where they are
    return positions + up * (heights - lowest)[:, None], problems


def _contact_points(scenario: Scenario, state: np.ndarray) -> np.ndarray:
    """Where the contact points of a vehicle are that count at the start [point, 3] [m], surface frame."""
    points = [point.position for point in scenario.vehicle.points if point.counts_at_start]
    points_B = np.array(points).reshape(-1, 3)
    return state[:3] + points_B @ rotation_matrix(state[6:10]).T


def _feet(
    surface: Surface, positions: np.ndarray, up: np.ndarray, along: str, whose: str = ""
) -> tuple[np.ndarray, np.ndarray, Problems]:
    """The ground [n, 3] straight over or under positions, its normals there, and where there is none to stand over."""
    problems: Problems = {}
    near, is_seen = _near_ground(surface, positions, up)
    gaps, normals, statuses = surface.ask(near)
    slopes = _dot(up, normals)
    for i in np.flatnonzero(statuses != int(GROUND_OK)).tolist():
        problems.setdefault(i, _without_ground(surface, near[i], int(statuses[i]), whose))
    # what a ray from above meets faces up; beside an edge the nearest facet may be the wall below it
    on_edge = is_seen & (slopes <= 0)
    for i in np.flatnonzero((slopes <= 0) & ~on_edge).tolist():
        faces_down, advice = "the ground under initial.position faces down", "give initial.position alone"
        problems.setdefault(i, InputError("initial.height", faces_down, advice=advice))
    for i in np.flatnonzero(on_edge).tolist() if along == "normal" else ():
        edge, advice = "the ground under initial.position is an edge, without a normal", "use height_along = 'vertical'"
        problems.setdefault(i, InputError("initial.height_along", edge, advice=advice))
    feet = near - up * np.where(slopes > 0, gaps / np.where(slopes > 0, slopes, 1.0), 0.0)[:, None]
    return feet, normals, problems


def _without_ground(surface: Surface, place: np.ndarray, status: int, whose: str) -> InputError:
    """What to say of a start over no ground: where there is some."""
    at = f"{whose}[{', '.join(f'{value:g}' for value in place)}] m"
    if status == int(GROUND_HOLE):
        return InputError("initial.position", f"{at} is over a hole in the terrain", advice="start beside it")
    (x, y, _), (x_end, y_end, _) = surface.box if surface.box is not None else np.full((2, 3), np.nan)
    extent = f"a start over the terrain, from {x:g} to {x_end:g} m in x and from {y:g} to {y_end:g} m in y"
    return InputError("initial.position", f"{at} is off the map", extent)


def _up_at(scenarios: Sequence[Scenario], positions: np.ndarray) -> tuple[np.ndarray, Problems]:
    """Unit vectors [start, 3] against gravity; z where there is none."""
    gravity, problems = _gravity_at(scenarios, positions)
    strength = np.sqrt(_dot(gravity, gravity))
    up = -gravity / np.where(strength > 0, strength, 1.0)[:, None]
    up[strength == 0] = [0.0, 0.0, 1.0]
    return up, problems


def _zenith_at(scenarios: Sequence[Scenario], positions: np.ndarray) -> np.ndarray:
    """Normals [start, 3] of the ellipsoid at positions, surface frame."""
    out = np.zeros_like(positions)
    for i, scenario in enumerate(scenarios):
        target, R_SP = scenario.target, scenario.target.R_SP
        assert R_SP is not None
        latitude, longitude, _ = target.ellipsoid.geodetic(R_SP.T @ (positions[i] - target.center_S))
        out[i] = R_SP @ level_axes(float(latitude), float(longitude))[2]
    return out


def _gravity_at(scenarios: Sequence[Scenario], positions: np.ndarray) -> tuple[np.ndarray, Problems]:
    """Accelerations [start, 3] [m/s^2], from one query where all are in one field."""
    first = scenarios[0]
    model, is_one = first.gravity.model, all(s.gravity is first.gravity and s.target is first.target for s in scenarios)
    if is_one and model in ("uniform", "none"):
        return np.tile(acceleration_at(first, positions[0]), (len(positions), 1)), {}
    if is_one and model in ("polyhedron", "grid"):
        return gravity_field(first).acceleration(positions), {}
    out, problems = np.zeros_like(positions), Problems()
    for i, scenario in enumerate(scenarios):
        try:
            out[i] = acceleration_at(scenario, positions[i])
        except InputError as problem:
            problems[i] = problem
    return out, problems


def _near_ground(surface: Surface, positions: np.ndarray, up: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The highest points of the ground over or under `positions`, to rounding; those themselves where none is seen.

    And whether one is seen [start].
    """
    if surface.model.is_flat:
        return positions, np.zeros(len(positions), dtype=bool)
    above = positions + up
    if surface.box is not None:
        corners = np.array(np.meshgrid(*surface.box.T)).reshape(3, -1).T
        reach = np.max((corners - positions[:, None]) @ up[:, :, None], axis=(1, 2))
        above = positions + up * (1.0 + np.maximum(0.0, reach))[:, None]
    gaps, normals, _ = surface.ask(above)
    slopes = _dot(up, normals)
    inside = (gaps < 0) & (slopes > 0)  # of what has no bounds only a plane can be there still
    above[inside] += up[inside] * (1.0 - gaps[inside] / slopes[inside])[:, None]
    distances = surface.cast(above, -up, np.inf)[0][:, None]
    is_seen = ~np.isnan(distances)
    return np.where(is_seen, above - up * distances, positions), is_seen[:, 0]


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Products [n] of rows [n, 3], each with the bits that `a @ b` of two vectors has."""
    return (a[:, None, :] @ b[:, :, None])[:, 0, 0]


def with_attached(scenario: Scenario, states: np.ndarray) -> np.ndarray:
    """States [run, body, 13] in which attached bodies are where their carriers have them.

    Sums are written out, so that a run has the bits that it has alone.
    """
    out = states.copy()
    for i, (start, carrier) in enumerate(zip(scenario.starts, scenario.carriers, strict=True)):
        if start.attached is None:
            continue
        place, turn = np.asarray(start.attached.position), np.asarray(start.attached.attitude)
        position, velocity, attitude, rate = np.split(states[:, carrier], [3, 6, 10], axis=1)
        R_SC, R_CB = rotation_matrix(attitude), rotation_matrix(turn)
        out[:, i, :3] = position + _turned(R_SC, np.tile(place, (len(states), 1)))
        out[:, i, 3:6] = velocity + _turned(R_SC, np.cross(rate, place))
        out[:, i, 6:10] = [quaternion_product(each, turn) for each in attitude]
        out[:, i, 10:13] = _turned(R_CB.T[None], rate)
    return out


def _turned(rotations: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors [n, 3] turned by matrices [n, 3, 3] or [1, 3, 3]."""
    x, y, z = (vectors[:, k, None] for k in range(3))
    return rotations[:, :, 0] * x + rotations[:, :, 1] * y + rotations[:, :, 2] * z


def after_bodies(scenario: Scenario) -> np.ndarray:
    """What follows the bodies in a state at time zero: the numbers of its mechanisms."""
    return np.concatenate(
        [np.zeros(0), *(m.initial(scenario) for m in mechanisms_of(scenario) if m.initial is not None)]
    )
