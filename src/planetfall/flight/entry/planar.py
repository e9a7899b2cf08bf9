"""Planar motion of a capsule over a turning sphere: the model with which entry guidance plans.

With range s along the surface, speed V, flight path angle g, height h, radius r = R + h and u = (L/D) cos(bank):

    s' = V cos g R/r       V' = -D - G sin g       h' = V sin g
    g' = D u/V + (V/r - G/V) cos g + c             G = GM/r^2,  c = 2 W cos(latitude) sin(azimuth)

Drag is that of the scenario's nominal air and of the coefficients at which the vehicle is trimmed, over Mach; wind,
perturbations of the air and factors on the coefficients, which campaigns draw, are not known to it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.start import start_state
from planetfall.scenario.tables.vehicle.vehicle import Vehicle
from planetfall.vehicle.aerodynamics.field import at_trim
from planetfall.world.atmosphere.from_scenario import air_at

LOWEST, HIGHEST, HEIGHT_STEP = -10e3, 400e3, 250.0
"""Heights [m] between which air is tabled, and how densely."""
FASTEST_MACH = 60.0
"""To which coefficients are tabled."""


@dataclass(frozen=True, eq=False)
class PlanarEntry:
    """What a planar entry depends on.

    Attributes:
        log_density: ln of density [kg/m^3] over height [m], an interpolant with derivatives.
        sound_speed: [m/s] over height [m].
        drag_area: C_D S/m [m^2/kg] over Mach.
        lift_ratio: L/D [-] over Mach.
        gm: [m^3/s^2].
        radius: R [m], of the sphere on which range is counted.
        turning: c [rad/s], what the planet's rotation adds to the rate of the flight path angle.
        start: s [m], V [m/s], flight path angle [rad] and h [m] at the entry interface.
        target_range: From the start to the target, along the way [m].
    """

    log_density: Any
    sound_speed: Any
    drag_area: Any
    lift_ratio: Any
    gm: float
    radius: float
    turning: float
    start: tuple[float, float, float, float]
    target_range: float

    def loads(self, speed: float, height: float) -> tuple[float, float]:
        """Drag [m/s^2] and L/D at a speed [m/s] and height [m]."""
        mach = speed / float(self.sound_speed(height))
        drag = 0.5 * np.exp(float(self.log_density(height))) * speed**2 * float(self.drag_area(mach))
        return float(drag), float(self.lift_ratio(mach))

    def rates(self, y: np.ndarray, cosine: float, extra: float = 0.0) -> np.ndarray:
        """Rates of s, V, flight path angle and h, with the cosine of the bank angle; `extra` is added to u."""
        _, speed, path, height = y
        drag, ratio = self.loads(speed, height)
        u = ratio * cosine + (extra if ratio > 0.0 else 0.0)
        r = self.radius + height
        g = self.gm / r**2
        sine, along = np.sin(path), np.cos(path)
        return np.array(
            [
                speed * along * self.radius / r,
                -drag - g * sine,
                drag * u / speed + (speed / r - g / speed) * along + self.turning,
                speed * sine,
            ]
        )


def entering(scenario: Scenario) -> Vehicle:
    """The vehicle whose bank angle is flown.

    Raises:
        InputError: None is trimmed.
    """
    i = scenario.entering_body
    vehicle = None if i is None else scenario.vehicles[i]
    if vehicle is None or vehicle.aerodynamics is None or vehicle.aerodynamics.attitude != "trim":
        name = scenario.vehicle.name if vehicle is None else vehicle.name
        raise InputError(
            "vehicle.aerodynamics.attitude", f"{name} has no bank angle that guidance could turn",
            "an entering vehicle with attitude = 'trim'", "give it, or take the guidance law 'entry' out",
        )  # fmt: skip
    return vehicle


def planar_entry(scenario: Scenario) -> PlanarEntry:
    """The planar entry of a scenario: its own planet, air, aerodynamics, masses, start and site.

    Raises:
        InputError: There is no site to fly to, no planet or no air.
    """
    vehicle, target = entering(scenario), scenario.target
    if target.site is None or target.R_SP is None:
        raise InputError("target.site", "missing: entry guidance needs a place to fly to", advice="give target.site")
    if not target.gm > 0.0:
        raise InputError("target.gm", "missing: entry guidance needs the planet's mass", advice="give target.gm")
    if scenario.atmosphere.model == "none":
        raise InputError("atmosphere", "there is no air to be guided in", "an atmosphere", "add [atmosphere]")
    i = scenario.entering_body
    assert i is not None
    state = start_state(scenario.starts[i], target)
    r, v = state[:3] - target.center_S, state[3:6]
    radius, speed = float(np.linalg.norm(r)), float(np.linalg.norm(v))
    up = r / radius
    path = float(np.arcsin(up @ v / speed))
    height = float(target.ellipsoid.geodetic(target.R_SP.T @ r)[2])
    downrange, _, _ = range_to_site(r, v, -target.center_S)
    latitude = float(np.arcsin(up @ target.axis_S))
    east = np.cross(target.axis_S, up)
    level = v - up * (up @ v)
    eastward = float(level @ east / (np.linalg.norm(level) * np.linalg.norm(east)))
    turning = 2.0 * target.spin_rate * np.cos(latitude) * eastward
    density, sound = _air(scenario)
    drag_area, ratio = _coefficients(vehicle, _mass(scenario))
    return PlanarEntry(
        density, sound, drag_area, ratio, target.gm, target.radius, float(turning), (0.0, speed, path, height),
        target.radius * downrange,
    )  # fmt: skip


def range_to_site(r: np.ndarray, v: np.ndarray, site: np.ndarray) -> tuple[float, float, float]:
    """Angles [rad] from a place, along a velocity, to a site: along the way, across it, and azimuth less heading.

    All vectors are from the planet's centre; across is positive where the site lies to the right.
    """
    up, to = r / np.linalg.norm(r), site / np.linalg.norm(site)
    ahead = v - up * (up @ v)
    ahead = ahead / np.linalg.norm(ahead)
    right = np.cross(ahead, up)
    forward, aside, cosine = float(to @ ahead), float(to @ right), float(to @ up)
    return (
        float(np.arctan2(forward, cosine)),
        float(np.arcsin(np.clip(aside, -1.0, 1.0))),
        float(np.arctan2(aside, forward)),
    )


def _mass(scenario: Scenario) -> float:
    """Of the entering vehicle with all that it carries [kg]."""
    i, carriers = scenario.entering_body, scenario.carriers
    carried = [k for k in range(len(carriers)) if k == i or _root(carriers, k) == i]
    return float(sum(scenario.vehicles[k].mass for k in carried))


def _root(carriers: tuple[int, ...], k: int) -> int:
    while carriers[k] >= 0:
        k = carriers[k]
    return k


def _air(scenario: Scenario) -> tuple[Any, Any]:
    """Logarithm of the density and speed of sound over height, without wind and perturbation."""
    from scipy.interpolate import PchipInterpolator  # here, or every run would wait for it

    table: Any = scenario.atmosphere
    plain = table.model_copy(update={"perturbation": type(table.perturbation)()})
    heights = np.arange(LOWEST, HIGHEST + HEIGHT_STEP, HEIGHT_STEP)
    air = air_at(plain, heights)
    there = np.isfinite(air["density"]) & (air["density"] > 0.0) & np.isfinite(air["sound_speed"])
    if np.count_nonzero(there) < 4:
        raise InputError("atmosphere", "there is no air to be guided in", "an atmosphere", "add [atmosphere]")
    known = heights[there]
    return PchipInterpolator(known, np.log(air["density"][there])), PchipInterpolator(known, air["sound_speed"][there])


def _coefficients(vehicle: Vehicle, mass: float) -> tuple[Any, Any]:
    """C_D S/m and L/D over Mach at the angles of attack that are held, without the factors of campaigns."""
    from scipy.interpolate import PchipInterpolator

    table = vehicle.aerodynamics
    assert table is not None
    mach = np.unique(np.concatenate([np.linspace(0.0, 5.0, 501), np.linspace(5.0, FASTEST_MACH, 221)]))
    _, drag, ratio = at_trim(vehicle, mach)
    return PchipInterpolator(mach, drag * table.reference_area / mass), PchipInterpolator(mach, ratio)
