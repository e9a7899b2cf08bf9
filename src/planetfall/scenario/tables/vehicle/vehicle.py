"""`[vehicle]`: mass properties and contact points; `[[companions]]`: further vehicles in the same run."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np
from pydantic import Field, SerializerFunctionWrapHandler, field_validator, model_serializer, model_validator

from planetfall.scenario.tables.drawing import DrawnPart
from planetfall.scenario.tables.run.initial import Initial
from planetfall.scenario.tables.table import Table, UnitVec3, Vec3, choice, quantity
from planetfall.scenario.tables.vehicle.aerodynamics import VehicleAerodynamics
from planetfall.scenario.tables.vehicle.configuration import (
    AFTER_RELEASE,
    WHILE_ATTACHED,
    AttachedNames,
    Configuration,
)
from planetfall.scenario.tables.vehicle.eccentric_arm import EccentricArm
from planetfall.scenario.tables.vehicle.engines import Engine, Propellant
from planetfall.scenario.tables.vehicle.flywheel import Flywheel
from planetfall.scenario.tables.vehicle.parachutes import Parachute
from planetfall.scenario.tables.vehicle.shape import VehicleShape

Matrix3 = tuple[Vec3, Vec3, Vec3]
NO_INERTIA: Matrix3 = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
"""Stands for an inertia that is not given until the shape has given it."""


class ContactPoint(Table):
    """One place of the vehicle that can touch the ground."""

    name: str = Field(description="name used in events and figures", min_length=1)
    position: Vec3 = quantity("m", "place of the point from the centre of mass, body frame")
    line_of_sight: UnitVec3 | None = quantity("-", "direction in which it looks for the ground, body frame", None)
    cushion: float = quantity("m", "pad that reaches this far beyond it along its line of sight", 0.0, ge=0)
    while_attached: AttachedNames | None = choice(WHILE_ATTACHED, None)
    after_release: AttachedNames | None = choice(AFTER_RELEASE, None)

    @model_validator(mode="after")
    def _cushion_has_a_direction(self) -> Self:
        if self.cushion > 0 and self.line_of_sight is None:
            raise ValueError("line_of_sight: a cushion lies along it; give it")
        return self

    @property
    def tip(self) -> np.ndarray:
        """Where it meets the ground, cushion included [m], from the centre of mass, body frame."""
        reach = np.zeros(3) if self.line_of_sight is None else self.cushion * np.asarray(self.line_of_sight)
        return np.asarray(self.position) + reach

    @property
    def counts_at_start(self) -> bool:
        """Whether it counts while all that starts attached to its vehicle is attached."""
        return self.after_release is None

    @property
    def counts_at_end(self) -> bool:
        """Whether it counts once all of that is released."""
        return self.while_attached is None


@dataclass(frozen=True)
class Hub:
    """What is left of a vehicle without its arm and its propellant.

    The energy of a motion is at least that of the hub, so that nothing yields to a push more readily than it does.

    Attributes:
        mass: [kg].
        center: Its centre of mass [3] [m], from that of the vehicle, body frame.
        inertia: About its own centre of mass [3, 3] [kg m^2], body frame.
    """

    mass: float
    center: np.ndarray
    inertia: np.ndarray


class Vehicle(Table):
    """A rigid body. A built-in `name` fills in what is not given."""

    name: str = choice("a built-in vehicle (planetfall list), or a name of your own with the numbers given")
    mass: float = quantity("kg", "mass of the vehicle at the start", gt=0)
    shape: VehicleShape | None = choice("outer form, from which `points` and `inertia` follow where not given", None)
    inertia: Matrix3 = quantity(
        "kg m^2",
        "inertia about the centre of mass, body frame: three principal values or a 3 x 3 matrix, whose Ixy is minus "
        "the sum of m x y, and so on; that of a uniform `shape` if not given",
        NO_INERTIA,
    )
    points: tuple[ContactPoint, ...] = choice("contact points; those of `shape` if not given", ())
    flywheels: tuple[Flywheel, ...] = choice("flywheels inside the vehicle", ())
    arm: EccentricArm | None = choice("a mass on an arm inside, which a motor swings", None)
    engines: tuple[Engine, ...] = choice("engines that a controller throttles", ())
    propellant: Propellant | None = choice("what the engines burn, part of mass and inertia at the start", None)
    aerodynamics: VehicleAerodynamics | None = choice("what the air does to it; nothing if not given", None)
    configurations: tuple[Configuration, ...] = choice(
        "aerodynamics in place of `aerodynamics` while others are attached to it, or once they are released", ()
    )
    parachutes: tuple[Parachute, ...] = choice("canopies, in the order in which they are numbered", ())
    up: UnitVec3 = quantity("-", "body axis that points up when the vehicle stands", (0.0, 0.0, 1.0))
    drawing: tuple[DrawnPart, ...] = choice(
        "what pictures show, of plain solids in the body frame, from the centre of mass; without it `shape`, or a form "
        "that follows from points and inertia",
        (),
    )
    source: str = choice("where the numbers come from", "")

    @field_validator("inertia", mode="before")
    @classmethod
    def _diagonal_is_enough(cls, value: object) -> object:
        if isinstance(value, list | tuple) and value and all(isinstance(v, int | float) for v in value):
            if len(value) != 3:
                raise ValueError(f"must be three principal values or a 3 x 3 matrix, not {len(value)}")
            return tuple(tuple(float(v) if i == j else 0.0 for j in range(3)) for i, v in enumerate(value))
        return value

    @field_validator("inertia")
    @classmethod
    def _physical(cls, value: Matrix3) -> Matrix3:
        _check_inertia(value)
        return value

    @model_validator(mode="after")
    def _follows_from_its_shape(self) -> Self:
        given, shape = self.model_fields_set, self.shape
        if "inertia" not in given:
            if shape is None:
                raise ValueError("inertia: missing; give it, or vehicle.shape")
            if any(shape.center_of_mass):
                raise ValueError("inertia: missing; a shape with its centre of mass off its middle is not uniform")
            _put(self, "inertia", tuple(tuple(row) for row in (self.mass * shape.solid.gyration).tolist()))
        if shape is not None and "points" not in given:
            places = shape.contact_points.tolist()
            _put(self, "points", tuple(ContactPoint(name=f"v{i}", position=tuple(p)) for i, p in enumerate(places)))
        return self

    @model_serializer(mode="wrap")
    def _as_it_was_given(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without what follows from the shape, so that a changed shape changes it too, and without what is empty."""
        follows = {"inertia", "points"} - self.model_fields_set if self.shape is not None else set()
        follows |= {key for key in ("drawing", "configurations") if not getattr(self, key)}
        return {key: value for key, value in handler(self).items() if key not in follows}

    @model_validator(mode="after")
    def _rotors_are_part_of_it(self) -> Self:
        names = [wheel.name for wheel in self.flywheels]
        if len(set(names)) < len(names):
            raise ValueError(f"flywheels: names must differ, these are {names}")
        if self.flywheels and np.linalg.eigvalsh(self.free_inertia)[0] <= 0:
            raise ValueError("flywheels: their inertia exceeds that of the vehicle, which includes them")
        return self

    @model_validator(mode="after")
    def _arm_is_part_of_it(self) -> Self:
        if self.arm is None:
            return self
        burnt = 0.0 if self.propellant is None else self.propellant.mass
        if self.arm.mass >= self.mass - burnt:
            raise ValueError(
                f"arm.mass: {self.arm.mass} kg is not less than mass, {self.mass} kg, which includes it"
                + (f" and {burnt} kg of propellant" if burnt else "")
            )
        if np.linalg.eigvalsh(self.hub.inertia)[0] <= 0:
            raise ValueError("arm: its inertia exceeds that of the vehicle, which includes it")
        return self

    @model_validator(mode="after")
    def _engines_are_fed(self) -> Self:
        names = [engine.name for engine in self.engines]
        if len(set(names)) < len(names):
            raise ValueError(f"engines: names must differ, these are {names}")
        if bool(self.engines) != (self.propellant is not None):
            raise ValueError("propellant: engines and propellant belong together; give both or neither")
        if self.propellant is not None:
            if self.propellant.mass >= self.mass:
                raise ValueError(f"propellant.mass: {self.propellant.mass} kg is not less than mass, {self.mass} kg")
            if not _outlasts(self.mass, self.free_inertia.tobytes(), self.propellant):  # type: ignore[arg-type]  frozen, hence hashable
                raise ValueError("propellant.positions: nothing would be left of the vehicle's inertia without it")
        return self

    @property
    def free_inertia(self) -> np.ndarray:
        """Inertia [3, 3] [kg m^2] less what the flywheels keep about their own axes."""
        rotors = (wheel.inertia * np.outer(wheel.axis, wheel.axis) for wheel in self.flywheels)
        return np.asarray(self.inertia) - sum(rotors, np.zeros((3, 3)))

    @property
    def hub(self) -> Hub:
        """What the ground feels at least: the vehicle without its arm and its propellant, its flywheels locked."""
        arm, tank, mass, center, inertia = self.arm, self.propellant, self.mass, np.zeros(3), np.asarray(self.inertia)
        if tank is not None:
            mass, inertia = mass - tank.mass, tank.inertia_when_empty(mass, inertia)
            center = -tank.mass / mass * tank.center
        if arm is None:
            return Hub(mass, center, inertia)
        left, axis = mass - arm.mass, np.asarray(arm.axis)
        without = (mass * center - arm.mass * arm.tip) / left
        away = left * _spread(without - center) + arm.mass * _spread(arm.tip - center)
        return Hub(left, without, inertia - away - arm.inertia * np.outer(axis, axis))

    @property
    def tips(self) -> np.ndarray:
        """Where each point meets the ground [point, 3] [m], from the centre of mass, body frame."""
        cushions = [point.cushion for point in self.points]
        sights = [point.line_of_sight or (0.0, 0.0, 0.0) for point in self.points]
        places = np.array([point.position for point in self.points])
        return (places + np.array(cushions)[:, None] * np.array(sights)) if self.points else np.zeros((0, 3))

    @property
    def extent(self) -> float:
        """Distance [m] of the farthest of them from the centre of mass; 0 without points."""
        return float(np.max(np.linalg.norm(self.tips, axis=1), initial=0.0))

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = [point.name for point in self.points]
        if len(set(names)) < len(names):
            raise ValueError(f"points: names must differ, these are {names}")
        return self


@lru_cache  # as what follows: asked for every run of a campaign
def _check_inertia(inertia: Matrix3) -> None:
    """Refuses what no body has."""
    matrix = np.asarray(inertia)
    if not np.allclose(matrix, matrix.T, rtol=1e-12, atol=0):
        raise ValueError("an inertia matrix must be symmetric")
    a, b, c = np.linalg.eigvalsh(matrix)
    if a < 1e-40:
        raise ValueError(f"principal moments must be positive, these are {a:.6g}, {b:.6g}, {c:.6g} kg m^2")
    if a + b < c * (1 - 1e-9):
        raise ValueError(
            f"principal moments must obey the triangle inequality, but {a:.6g} + {b:.6g} < {c:.6g} kg m^2: "
            "no body of positive density has them"
        )


@lru_cache
def _outlasts(mass: float, inertia: bytes, propellant: Propellant) -> bool:
    """Whether something is left of a vehicle's inertia, less what its rotors keep, without its propellant."""
    matrix = np.frombuffer(inertia).reshape(3, 3)
    return bool(np.linalg.eigvalsh(propellant.inertia_when_empty(mass, matrix))[0] > 0)


def _spread(r: np.ndarray) -> np.ndarray:
    """Inertia [3, 3] [m^2] of a unit mass at r."""
    return r @ r * np.eye(3) - np.outer(r, r)


def _put(table: Vehicle, key: str, value: object) -> None:
    """Sets what follows from other keys, without counting it among those that were given."""
    object.__setattr__(table, key, value)


class Companion(Table):
    """A vehicle beside the first; the contact law is shared, its stiffness follows from each one's own mass."""

    vehicle: Vehicle = choice("the vehicle, with the keys of [vehicle]; a built-in name fills in what is not given")
    initial: Initial = choice("start of this vehicle, with the keys of [initial]", Initial())
