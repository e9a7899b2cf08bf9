"""A start over a planet and the air around it: what is refused, and what is worth a note because it looks mixed up."""

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.conventions import FlightState, flight_state
from planetfall.scenario.tables.world.atmosphere import AtmosphereNone, AtmosphereTable
from planetfall.scenario.tables.world.terrain import TerrainDem, TerrainEllipsoid
from planetfall.world.terrain.model import GROUND_FAR
from planetfall.world.terrain.surface import Surface
from planetfall.world.terrain.surface_axes import axes_of_surface

ROUNDING = 1e-6
"""By how much [m] a start at the very end of a table may be beyond it."""
HIGH = 1e5
"""Where a ray starts that looks for the ground at the site [m] (assumed: over all mountains)."""
FAST = 1000.0
"""Speed [m/s] from which on a start near the ground looks like a height in kilometres (assumed)."""
TOO_FAST = 3.0
"""Escape speeds beyond which a speed looks mistaken: entries from other planets have up to 2 (assumed)."""
LOW = 1000.0
"""Height [m] over the site or over the ellipsoid, whatever was meant, below which it does (assumed)."""
SLOW = 0.005
"""Share of the circular speed below which the speed of a start high up looks like km/s, 18 m/s at Mars (assumed)."""
HIGH_UP = 6e4
"""Height [m] over the site from which on that is told (assumed: higher than balloons from which things are dropped)."""
SPHERE_APART = 1000.0
"""Difference [m] of heights over sphere and ellipsoid from which on it is told (assumed)."""
KINDS_APART = 100.0
"""Distance [m] of the places that one latitude means as either kind from which on it is told (assumed)."""


MAP_APART = 1000.0
"""Height [m] of a map's ground over the site's origin, or depth below it, from which on it is told (assumed)."""
WIDE = 1e4
"""Reach [m] of a map about its site from which on landings are expected on it: half of a published ellipse of 20 km."""


def check_air(scenario: Scenario, states: np.ndarray) -> None:
    """Refuses a table of air that ends below a start in `states` [body, 13], or over the ground, unless continued."""
    table = scenario.atmosphere
    if not isinstance(table, AtmosphereTable):
        return
    from planetfall.world.atmosphere.columns import columns_of  # here, or others would wait for it

    heights = columns_of(table).heights
    altitudes = [altitude_of(scenario, state[:3]) for state in states]
    if table.above == "refuse" and max(altitudes) > heights[-1] + ROUNDING:
        raise InputError(
            "atmosphere.above", f"the table ends at {heights[-1]:g} m, below the start at {max(altitudes):.6g} m",
            "a table that reaches the start",
            "use a longer one, or give atmosphere.above = 'continue' to extrapolate ln rho with its last slope",
        )  # fmt: skip
    what, lowest = _lowest(scenario, min(altitudes))
    if table.below == "refuse" and lowest < heights[0] - ROUNDING:
        raise InputError(
            "atmosphere.below", f"the table begins at {heights[0]:g} m, above {what} at {lowest:.6g} m",
            f"a table that reaches {what}",
            "use a longer one, or give atmosphere.below = 'continue' to extrapolate ln rho with its first slope",
        )  # fmt: skip


def _lowest(scenario: Scenario, start: float) -> tuple[str, float]:
    """Where a run may come lowest, with its height [m]: the lowest `start`, or what ends the descent.

    That is the site; or, for a vehicle alone, `outcome.stop_altitude` where it lies higher.
    """
    ends: list[tuple[str, float]] = []
    if scenario.target.site is not None:
        ends.append(("the landing site", scenario.target.site.height))
    if scenario.outcome.stop_altitude is not None and not scenario.companions:
        ends.append(("outcome.stop_altitude", scenario.outcome.stop_altitude))
    end = max(ends, key=lambda place: place[1], default=("the start", start))
    return end if end[1] < start else ("the start", start)


def check_descent(scenario: Scenario, states: np.ndarray) -> None:
    """Refuses a start in `states` [body, 13] below `outcome.stop_altitude` that does not climb, for it ends at once."""
    stop, start = scenario.outcome.stop_altitude, altitude_of(scenario, states[0, :3])
    if stop is None or start > stop:
        return
    found = flight_state(states[0, :3], states[0, 3:6], scenario.target)
    climbs = states[0, 5] > 0.0 if found is None else found.flight_path_relative_deg > 0.0
    if not climbs:
        raise InputError(
            "outcome.stop_altitude", f"the start is at {start:.6g} m, below the {stop:g} m at which the descent ends",
            "a start above it", "heights are in metres; set outcome.stop_altitude lower, or leave it out",
        )  # fmt: skip


def at_the_site(scenario: Scenario, state: np.ndarray, surface: Surface) -> np.ndarray:
    """A state (13,) in which contact can be judged: of a start far from its map, upright and at rest over the site."""
    if scenario.target.site is None or int(surface.ask(state[:3])[2][0]) != int(GROUND_FAR):
        return state
    start = np.array([0.0, 0.0, HIGH])
    ranges, _ = surface.cast(start, np.array([0.0, 0.0, -1.0]), np.inf)
    if np.isnan(ranges[0]):  # no ground at the site itself
        return state
    up = np.asarray(scenario.vehicle.up)
    turn = np.array([up[1], -up[0], 0.0, 1.0 + up[2]])  # takes up to z
    length = float(np.linalg.norm(turn))
    upright = turn / length if length > 1e-9 else np.array([1.0, 0.0, 0.0, 0.0])
    place = start - [0.0, 0.0, ranges[0] - scenario.vehicle.extent]
    return np.concatenate([place, np.zeros(3), upright, np.zeros(3)])


def altitude_of(scenario: Scenario, position_S: np.ndarray) -> float:
    """Height [m] over the target's ellipsoid, or z of a flat world, of a position of the surface frame."""
    target = scenario.target
    if target.radius == 0.0:
        return float(position_S[2])
    arm, axis = np.asarray(position_S) - target.center_S, target.axis_S
    z = float(arm @ axis)
    return float(target.ellipsoid.geodetic(np.array([np.linalg.norm(arm - z * axis), 0.0, z]))[2])


def flight_notes(scenario: Scenario, state: np.ndarray) -> list[str]:
    """What looks mixed up in a start (13,) over a planet, a sentence each."""
    notes = []
    if scenario.gravity.model == "uniform" and scenario.target.spin_rate != 0.0:
        notes.append(
            "gravity.model = 'uniform' is what a scale shows on the turning ground, and target.spin_rate adds the "
            "centrifugal part a second time; use 'j2' or 'point', or spin_rate = 0"
        )
    if not isinstance(scenario.atmosphere, AtmosphereNone) and scenario.gravity.model == "none":
        notes.append("there is air and no gravity; give gravity.model unless that is meant")
    notes += _latitude_notes(scenario)
    found = flight_state(state[:3], state[3:6], scenario.target)
    return notes if found is None else [*notes, *_mixed_up(scenario, found)]


def _latitude_notes(scenario: Scenario) -> list[str]:
    """Of starts whose latitude is of another kind than that of the site: one of the two may have been inherited."""
    target, site = scenario.target, scenario.target.site
    if site is None:
        return []
    given = np.radians(site.latitude_deg)
    apart = abs(float(target.ellipsoid.geodetic_latitude(given, site.height)) - given) * target.radius
    return [
        f"{key}.latitude_deg is {start.latitude_kind} and target.site.latitude_deg {site.latitude_kind}: at that "
        f"latitude the same number means places {apart / 1e3:.3g} km apart; give latitude_kind in both"
        for key, start in zip(scenario.start_keys, scenario.starts, strict=True)
        if apart > KINDS_APART and start.latitude_deg is not None and start.latitude_kind != site.latitude_kind
    ]


def switch_notes(scenario: Scenario) -> list[str]:
    """Of what happens once, but by a trigger of its own and by a phase of the flight."""
    sequence = None if scenario.flight is None else scenario.flight.sequence
    by_phase = {name: phase.name for phase in (() if sequence is None else sequence.phases) for name in phase.switch}
    chutes = [chute for vehicle in scenario.vehicles for chute in vehicle.parachutes]
    own = {f"{verb} {chute.name}": getattr(chute, verb) for chute in chutes for verb in ("deploy", "release")}
    starts = zip(scenario.body_names, scenario.starts, strict=True)
    own |= {f"separate {name}": start.attached.release for name, start in starts if start.attached is not None}
    return [
        f"{name!r} happens once, and is asked for twice: by a trigger of its own and by the phase {by_phase[name]!r}; "
        "the first of the two counts, and the other one finds it done"
        for name, trigger in own.items()
        if trigger is not None and name in by_phase
    ]


def map_notes(scenario: Scenario, surface: Surface, start: np.ndarray) -> list[str]:
    """Of a map on a planet: heights that look counted from the ellipsoid, a map that is turned, and what may miss it.

    `start`: position [m] of the vehicle, surface frame.
    """
    return [*_height_notes(scenario, surface), *_turn_notes(scenario, surface), *_reach_notes(scenario, surface, start)]


def _turn_notes(scenario: Scenario, surface: Surface) -> list[str]:
    """Of a map that is turned from north under a site whose frame is not: the two would be laid upon each other."""
    axes = axes_of_surface(surface)
    if scenario.target.site is None or axes.turn is None or not axes.is_turned:
        return []
    turn = np.degrees(axes.turn)
    way = "clockwise" if turn > 0.0 else "anticlockwise"
    return [
        f"the map's y axis points {abs(turn):.3g} deg {way} from true north, and target.site takes y for north: "
        "latitude, longitude, the start, the spin, wind and sun are off by this angle against the ground; reproject "
        "the map so that its y axis is north at the site (gdalwarp -t_srs)"
    ]


def _reach_notes(scenario: Scenario, surface: Surface, start: np.ndarray) -> list[str]:
    """Of ground that is small for a flight that begins far from it."""
    if scenario.target.site is None or surface.box is None:
        return []
    (west, south), (east, north) = surface.box[:, :2]
    reach, far = min(-west, east, -south, north), float(np.linalg.norm(start[:2]))
    if not 0.0 < reach < WIDE or far < WIDE:
        return []
    told = (
        f"the ground reaches {reach:.4g} m from the site, and the flight begins {far / 1e3:.4g} km away: where it "
        "comes down beside the map, altimeters have no return, phases that wait for a height wait in vain, and the run "
        "ends as off_map or crashed; fly it over terrain.model = 'ellipsoid' first, and compare the distance from the "
        "site (miss_m)"
    )
    knowledge = [(key, _spread(item)) for key, item in scenario.dispersions.items() if key.endswith(".position_error")]
    small = [(key, spread) for key, spread in knowledge if spread > reach]
    return [told, *(
        f"dispersions.{key} has a sigma of {spread:g} m, more than the {reach:.4g} m that the ground "
        "reaches: guidance cannot know better where it is, so that most runs will come down beside the map; use a "
        "larger map, or terrain.model = 'ellipsoid'"
        for key, spread in small
    )]  # fmt: skip


def _spread(item: object) -> float:
    """Largest standard deviation of a dispersion of a place across the vertical; 0 where it has none."""
    sigma = np.atleast_1d(np.asarray(getattr(item, "sigma", 0.0), dtype=float))
    return float(sigma[:2].max())


def _height_notes(scenario: Scenario, surface: Surface) -> list[str]:
    """A sentence where the ground at the site is at another height than the site's own, as if by a slip."""
    target = scenario.target
    if target.site is not None and isinstance(scenario.terrain, TerrainEllipsoid):
        above = scenario.terrain.height - target.site.height
        return [] if above == 0.0 else [
            f"the ground is {abs(above):.6g} m {'above' if above > 0.0 else 'below'} the site: terrain.height is "
            f"{scenario.terrain.height:g} m, target.site.height {target.site.height:g} m; give both the same height"
        ]  # fmt: skip
    if target.site is None or target.site.height == 0.0 or not isinstance(scenario.terrain, TerrainDem):
        return []
    ranges, _ = surface.cast(np.array([0.0, 0.0, HIGH]), np.array([0.0, 0.0, -1.0]), np.inf)
    ground = HIGH - float(ranges[0])
    if not abs(ground) > MAP_APART:
        return []
    return [
        f"the ground of the map is at {ground:.6g} m at the site, counted from the origin of the surface frame, which "
        f"target.site.height puts at {target.site.height:g} m over the ellipsoid; if the map's heights are over the "
        f"ellipsoid, give terrain.height_offset = {scenario.terrain.height_offset - target.site.height:g}"
    ]


def _mixed_up(scenario: Scenario, found: FlightState) -> list[str]:
    start, target, notes = scenario.initial, scenario.target, []
    site = 0.0 if target.site is None else target.site.height
    low = found.height_over_ellipsoid_m - site
    if found.speed_relative_m_s > FAST and (0.0 < low < LOW or 0.0 < (start.altitude or 0.0) < LOW):
        notes.append(
            f"the start is {low:.4g} m over the site's altitude at {found.speed_relative_m_s:.5g} m/s: "
            "initial.altitude is in metres"
        )
    circular = float(np.sqrt(target.gm / found.radius_m))
    if low > HIGH_UP and circular > FAST and 0.0 < (start.speed or 0.0) < SLOW * circular:
        notes.append(f"the start is {low:.4g} m up at {start.speed:.5g} m/s: initial.speed is in m/s")
    if start.altitude is not None and start.altitude > 0.9 * target.radius:
        notes.append(
            f"initial.altitude is {start.altitude:.6g} m and the planet's radius {target.radius:.6g} m: a "
            "distance from its centre is initial.radius"
        )
    apart = found.height_over_sphere_m - found.height_over_ellipsoid_m
    if start.altitude_over == "sphere" and abs(apart) > SPHERE_APART:
        notes.append(
            f"initial.altitude is {found.height_over_sphere_m:.6g} m over the sphere of target.radius; over the "
            f"ellipsoid the start is at {found.height_over_ellipsoid_m:.6g} m"
        )
    escape = float(np.sqrt(2.0 * target.gm / found.radius_m))
    if target.gm > 0.0 and found.speed_inertial_m_s > TOO_FAST * escape:
        notes.append(
            f"the inertial speed at the start, {found.speed_inertial_m_s:.5g} m/s, is more than {TOO_FAST:g} times the "
            f"escape speed {escape:.5g} m/s there: initial.speed is in m/s"
        )
    if found.speed_relative_m_s > FAST and found.flight_path_relative_deg > 0.0:
        notes.append(
            f"the vehicle climbs at {found.flight_path_relative_deg:.4g} deg at the start; a descending flight path is "
            "negative"
        )
    return notes
