"""Random landings: a setting chooses what is compiled, a seed and a number choose the rest.

Lengths, speeds and times are drawn in units of the vehicle's size L, of sqrt(g L) and of sqrt(L/g), so that landings in
all gravities are alike; steps are shares of the longest stable one. The same setting, seed and number give the same
scenario.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from planetfall.engine.build import Model, build
from planetfall.engine.checks.contact_step import step_limit
from planetfall.errors import InputError
from planetfall.scenario.combinations import REFUSALS, Refusal
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.scenario.scenario import Scenario
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.surface import Surface
from support.random_grounds import BODIES, BODY, GROUNDS, log_uniform

METHODS = ("rk4", "adaptive")
FRAMES = ("fixed", "turning")
SHAPES = ((8, True), (5, False))
"""Contact points, and whether the axes are principal ones."""
LOCAL_FIELDS = ("uniform", "point", "none")
FIELDS = dict.fromkeys(GROUNDS, LOCAL_FIELDS) | {
    "field": ("point", "j2"),
    "whole mesh": ("point", "j2", "polyhedron"),  # a field of the body's own needs a mesh
}
"""Fields of gravity over each ground."""
LONGEST = 16_000
"""Fixed steps of a run, at most."""
G = 6.6743e-11
"""Constant of gravitation [m^3/(kg s^2)]."""
RULES = ("hold", "leash", "drag", "velocity")


@dataclass(frozen=True)
class Setting:
    """What a kernel is compiled for."""

    law: str
    ground: str
    frame: str
    field: str
    method: str
    n_points: int = 8
    is_diagonal: bool = True

    def __str__(self) -> str:
        shape = f"{self.n_points} points" + ("" if self.is_diagonal else ", turned axes")
        return f"{self.law}, {self.ground}, {self.frame} frame, {self.field} gravity, {self.method}, {shape}"


@dataclass(frozen=True)
class Scale:
    """Size L [m] of a vehicle, half its longest edge, and gravity g [m/s^2] at the ground."""

    size: float
    gravity: float

    @property
    def speed(self) -> float:
        return float(np.sqrt(self.gravity * self.size))

    @property
    def time(self) -> float:
        return float(np.sqrt(self.size / self.gravity))


def vehicle_of(setting: Setting, scale: Scale, rng: np.random.Generator) -> dict[str, Any]:
    """Masses are spread at random inside of the points, so that inertias are possible and unequal."""
    half = scale.size * rng.uniform(0.25, 1.0, 3)
    signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3, indexing="ij")).reshape(3, -1).T
    points = signs * half if setting.n_points == 8 else half * rng.uniform(-1.0, 1.0, (setting.n_points, 3))
    if setting.n_points < 8:
        points -= points.mean(axis=0)  # the centre of mass is among them
    masses = half * rng.uniform(-1.0, 1.0, (12, 3))
    masses -= masses.mean(axis=0)
    mass = log_uniform(rng, 0.1, 3000.0)
    inertia = mass * (np.eye(3) * np.sum(masses**2) - masses.T @ masses) / len(masses)
    if setting.is_diagonal:
        inertia = np.diag(np.linalg.eigvalsh(inertia))
    return {
        "name": "lander", "mass": mass, "inertia": inertia.tolist(),
        "points": [{"name": f"p{i}", "position": place} for i, place in enumerate(points.tolist())],
    }  # fmt: skip


def marker(setting: Setting, scale: Scale, rng: np.random.Generator, vehicle: dict[str, Any]) -> dict[str, Any]:
    angles = np.sort(rng.uniform(0.0, 50.0, 2))
    slow = log_uniform(rng, 0.01, 0.3) * scale.speed
    return {
        "law": "marker", "rest_penetration": log_uniform(rng, 2e-3, 5e-2) * scale.size,
        "damping_ratio": float(rng.uniform(0.0, 1.2)), "reference_gravity": scale.gravity,
        "sliding_angle_deg": angles[0], "breakaway_angle_deg": angles[1], "breakaway_speed": slow,
        "sliding_speed": slow * rng.uniform(1.2, 4.0), "mass_share": "per-point",
    }  # fmt: skip


def anchor(setting: Setting, scale: Scale, rng: np.random.Generator, vehicle: dict[str, Any]) -> dict[str, Any]:
    frictions = np.sort(rng.uniform(0.0, 1.2, 2))
    return {
        "law": "anchor", "rest_penetration": log_uniform(rng, 2e-3, 5e-2) * scale.size,
        "damping_ratio": float(rng.uniform(0.0, 1.2)), "reference_gravity": scale.gravity,
        "friction_kinetic": frictions[0], "friction_static": frictions[1], "anchor_rule": str(rng.choice(RULES)),
        "leash_ratio": float(rng.uniform(1.0, 3.0)), "slip_speed": log_uniform(rng, 0.01, 0.3) * scale.speed,
    }  # fmt: skip


def distributed(setting: Setting, scale: Scale, rng: np.random.Generator, vehicle: dict[str, Any]) -> dict[str, Any]:
    """Rolling resistance in half of them, up to the bound beyond which it is refused; stick that holds more, too."""
    friction = float(rng.uniform(0.0, 1.2))
    least = float(np.linalg.eigvalsh(vehicle["inertia"])[0])
    far = max(float(np.linalg.norm(point["position"])) for point in vehicle["points"])
    rolling = 0.999 * friction * least / (vehicle["mass"] * far) * rng.uniform() if rng.random() < 0.5 else 0.0
    slowest = 0.01 if setting.method == "rk4" else 1e-3
    return {
        "law": "distributed", "restitution": float(rng.uniform(0.1, 1.0)),
        "stiffness": vehicle["mass"] * scale.gravity / (log_uniform(rng, 2e-3, 5e-2) * scale.size),
        "friction": friction, "friction_static": friction * (rng.uniform(1.0, 1.4) if rng.random() < 0.3 else 1.0),
        "rolling_resistance": rolling, "slip_speed": log_uniform(rng, slowest, 0.3) * scale.speed,
        "roll_rate": log_uniform(rng, slowest, 0.3) * scale.speed / scale.size,
    }  # fmt: skip


def friction_of_the_marker_law(scale: Scale, rng: np.random.Generator) -> dict[str, Any]:
    """The table that these laws share with it."""
    angles = np.sort(rng.uniform(0.0, 50.0, 2))
    slow = log_uniform(rng, 0.01, 0.3) * scale.speed
    return {
        "sliding_angle_deg": angles[0], "breakaway_angle_deg": angles[1], "breakaway_speed": slow,
        "sliding_speed": slow * rng.uniform(1.2, 4.0),
    }  # fmt: skip


def hertz(setting: Setting, scale: Scale, rng: np.random.Generator, vehicle: dict[str, Any]) -> dict[str, Any]:
    """By a depth at which one point carries the weight; nothing damps, so that many go on bouncing."""
    depth = log_uniform(rng, 2e-3, 5e-2) * scale.size
    stiffness = vehicle["mass"] * scale.gravity / depth**1.5
    return {**friction_of_the_marker_law(scale, rng), "law": "hertz", "stiffness": stiffness, "sink": depth}


def hunt_crossley(setting: Setting, scale: Scale, rng: np.random.Generator, vehicle: dict[str, Any]) -> dict[str, Any]:
    """A dissipation of 1/speed would have nothing come back that falls from the vehicle's own height."""
    depth, exponent = log_uniform(rng, 2e-3, 5e-2) * scale.size, float(rng.uniform(1.0, 2.5))
    return {
        **friction_of_the_marker_law(scale, rng), "law": "hunt-crossley", "exponent": exponent, "sink": depth,
        "stiffness": vehicle["mass"] * scale.gravity / depth**exponent,
        "dissipation": log_uniform(rng, 0.05, 2.0) / scale.speed,
    }  # fmt: skip


def plastic(setting: Setting, scale: Scale, rng: np.random.Generator, vehicle: dict[str, Any]) -> dict[str, Any]:
    """Restitutions from 0.3 to 1; half of them without a damper."""
    depth, restitution = log_uniform(rng, 2e-3, 5e-2) * scale.size, float(rng.uniform(0.3, 1.0))
    stiffness = vehicle["mass"] * scale.gravity / depth
    ratio = float(rng.uniform(0.0, 1.2)) if rng.random() < 0.5 else 0.0
    return {
        **friction_of_the_marker_law(scale, rng), "law": "plastic", "stiffness": stiffness, "sink": depth,
        "unloading_stiffness": stiffness / restitution**2,
        "damping": 2.0 * ratio * float(np.sqrt(vehicle["mass"] * stiffness)),
    }  # fmt: skip


Contact = Callable[[Setting, Scale, np.random.Generator, dict[str, Any]], dict[str, Any]]
CONTACTS: dict[str, Contact] = {
    "marker": marker, "anchor": anchor, "distributed": distributed, "hertz": hertz, "hunt-crossley": hunt_crossley,
    "plastic": plastic,
}  # fmt: skip


def world_of(setting: Setting, scale: Scale, rng: np.random.Generator) -> dict[str, Any]:
    """`[target]` and `[gravity]`; a turning frame turns by up to a tenth of what would lift things off the ground."""
    is_whole = setting.ground in BODIES
    radius = BODY if is_whole else 1e3 * scale.size
    target: dict[str, Any] = {"frame": "P" if is_whole else "L", "radius": radius}
    if setting.field in ("point", "j2", "polyhedron"):
        target["gm"] = scale.gravity * radius**2
    if setting.field == "j2":
        target["j2"] = float(rng.uniform(-0.1, 0.1))
    if setting.frame == "turning":
        axis = rng.normal(size=3)
        target["spin_axis"] = (axis / np.linalg.norm(axis)).tolist()
        target["spin_rate"] = float(np.sqrt(0.1 * rng.uniform() * scale.gravity / radius))
    gravity: dict[str, Any] = {"model": setting.field}
    if setting.field == "uniform":
        gravity["acceleration"] = scale.gravity
    return {"target": target, "gravity": gravity}


def start_of(setting: Setting, scale: Scale, rng: np.random.Generator) -> dict[str, Any]:
    """Over the ground, falling, thrown sideways and turning; without gravity thrown at it."""
    attitude, way = rng.normal(size=4), rng.normal(size=3)
    fall, throw = log_uniform(rng, 0.02, 1.5), scale.speed * rng.uniform(0.0, 1.5)
    up, place = np.array([0.0, 0.0, 1.0]), np.zeros(3)
    if setting.ground in BODIES:
        up = rng.normal(size=3)
        up /= np.linalg.norm(up)
        place = BODY * up
    along = way - up * (way @ up)
    velocity = throw * along / np.linalg.norm(along)
    velocity -= up * scale.speed * rng.uniform(0.5 if setting.field == "none" else -0.5, 1.5)
    return {
        "position": place.tolist(), "height": (1.75 + fall) * scale.size, "velocity": velocity.tolist(),
        "attitude": (attitude / np.linalg.norm(attitude)).tolist(),
        "angular_velocity": (rng.normal(size=3) * rng.uniform(0.0, 2.0) / scale.time).tolist(),
    }  # fmt: skip


@dataclass(frozen=True)
class Draw:
    """A landing as it was drawn: `tables` of its scenario, its `scale`, and `share` of the longest stable step."""

    tables: dict[str, Any]
    scale: Scale
    share: float


def drawn(setting: Setting, seed: int, number: int, folder: Path) -> Draw:
    """One landing; files of its ground are written to the folder. A fixed step is so short that none is refused."""
    rng = np.random.default_rng([seed, number, zlib.crc32(str(setting).encode())])
    scale = Scale(log_uniform(rng, 0.1, 10.0), log_uniform(rng, 1e-4, 10.0))
    if setting.ground in BODIES:  # whose mass has to be that of some rock
        scale = Scale(log_uniform(rng, 0.1, 1.0), 4.0 / 3.0 * np.pi * G * BODY * log_uniform(rng, 300.0, 5000.0))
    vehicle = vehicle_of(setting, scale, rng)
    duration = float(rng.uniform(5.0, 20.0)) * scale.time
    tables = {
        "scenario": {"name": f"landing-{seed}-{number}", "title": str(setting), "duration": duration},
        **world_of(setting, scale, rng),
        "terrain": GROUNDS[setting.ground](rng, scale.size, folder),
        "vehicle": vehicle,
        "contact": CONTACTS[setting.law](setting, scale, rng, vehicle),
        "initial": start_of(setting, scale, rng),
        "integrator": {"method": "adaptive", "tolerance": log_uniform(rng, 1e-11, 1e-7)},
        "record": {"interval": duration / 50},
        "outcome": {"rest_speed": 1e-4 * scale.speed, "rest_rate": 1e-4 / scale.time, "rest_hold": scale.time},
    }
    if setting.field == "polyhedron":
        tables["gravity"]["shape"] = tables["terrain"]["file"]
    share = float(rng.uniform(0.1, 0.7))
    if setting.method == "rk4":
        tables["integrator"] = {"method": "rk4", "step": 1e-9 * duration}
    return Draw(tables, scale, share)


def landing(setting: Setting, seed: int, number: int, folder: Path) -> Model:
    """One landing, made ready."""
    draw = drawn(setting, seed, number, folder)
    if setting.method == "adaptive":
        scenario = scenario_from_dict(draw.tables)
        return build(scenario, surface=surface_of(scenario))
    most = LONGEST // 2 if setting.field == "polyhedron" else LONGEST  # which takes long to sum up
    return with_stable_step(draw, most)


@lru_cache
def refusal(law: str, ground: str, method: str) -> Refusal | None:
    """By which Planetfall refuses such scenarios; any other complaint is raised."""
    setting = Setting(law, ground, "fixed", FIELDS[ground][0], method)
    with TemporaryDirectory() as folder:
        try:
            scenario_from_dict(drawn(setting, 0, 0, Path(folder)).tables)
        except InputError as error:
            found = [refusal for refusal in REFUSALS if refusal.reason in str(error)]
            if len(found) != 1:
                raise
            return found[0]
    return None


def every_setting() -> tuple[Setting, ...]:
    """All that are accepted; the shapes alternate, so that each meets every two of the other choices."""
    choices = product(*(tuple(enumerate(names)) for names in (CONTACTS, GROUNDS, FRAMES, METHODS, LOCAL_FIELDS)))
    found: list[Setting] = []
    for choice in choices:
        (_, law), (_, ground), (_, frame), (_, method), (i_field, _) = choice
        if i_field < len(FIELDS[ground]) and refusal(law, ground, method) is None:
            shape = SHAPES[sum(i for i, _ in choice) % len(SHAPES)]
            found.append(Setting(law, ground, frame, FIELDS[ground][i_field], method, *shape))
    return tuple(found)


EVERY = every_setting()
"""All combinations that are accepted today."""


BAKED: dict[str, Surface] = {}
"""Distance fields that were made, by their tables: there are few, and loading one takes longer than a landing."""


def surface_of(scenario: Scenario) -> Surface:
    """The ground of a landing."""
    if scenario.terrain.model != "sdf":
        return make_surface(scenario, "cpu")
    name = repr(scenario.terrain)
    if name not in BAKED:
        BAKED[name] = make_surface(scenario, "cpu")
    return BAKED[name]


def with_stable_step(draw: Draw, most_steps: int) -> Model:
    """With so much of the longest step that is stable.

    Where it would take too many, friction sets in more gently, up to the landing's own speed; then runs are cut short.
    """
    longest, share = draw.tables["scenario"]["duration"], draw.share
    scenario = scenario_from_dict(draw.tables)
    first = build(scenario, surface=surface_of(scenario))
    limit = step_limit(first.scenario, first.initial_state, first.surface)
    contact = first.scenario.contact.model_dump()
    soft = [key for key in ("breakaway_speed", "sliding_speed", "slip_speed", "roll_rate") if contact.get(key)]
    most = draw.scale.speed / max(contact[soft[0]], 1e-300)
    gentler = float(np.clip(longest / (most_steps * share * limit.friction), 1.0, max(most, 1.0)))
    step = share * min(limit.spring_damper, gentler * limit.friction, 0.01 * longest)
    duration = min(longest, most_steps * step)
    changes = {f"contact.{key}": gentler * contact[key] for key in soft}
    changes |= {"integrator.step": step, "scenario.duration": duration, "record.interval": duration / 50}
    return build(first.scenario.with_values(changes), surface=first.surface)
