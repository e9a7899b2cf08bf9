"""`[gravity]`: which field, and its numbers where they are not the target's."""

from typing import Annotated, Literal

from planetfall.scenario.tables.open_union import OpenUnion
from planetfall.scenario.tables.table import Table, UnitVec3, choice, quantity
from planetfall.scenario.tables.world.gravity_shape import MODELS, GravityGrid, GravityHarmonics, GravityPolyhedron


class GravityUniform(Table):
    """The same acceleration everywhere."""

    model: Literal["uniform"] = choice(MODELS)
    acceleration: float = quantity("m/s^2", "magnitude of the acceleration of gravity", gt=0)
    direction: UnitVec3 = quantity("-", "unit direction, surface frame", (0.0, 0.0, -1.0))


class GravityPoint(Table):
    """Point mass at the target's centre; uses target.gm."""

    model: Literal["point"] = choice(MODELS)


class GravityJ2(Table):
    """Point mass with oblateness; uses target.gm, target.radius, target.j2 and target.spin_axis."""

    model: Literal["j2"] = choice(MODELS)


class GravityEllipsoid(Table):
    """Homogeneous ellipsoid, exact; uses target.gm and target.semi_axes, and needs target.frame = "P"."""

    model: Literal["ellipsoid"] = choice(MODELS)


class GravityNone(Table):
    """No gravity at all: free tops and closed-form impacts."""

    model: Literal["none"] = choice(MODELS)


Gravity = Annotated[
    GravityUniform
    | GravityPoint
    | GravityJ2
    | GravityEllipsoid
    | GravityHarmonics
    | GravityPolyhedron
    | GravityGrid
    | GravityNone,
    OpenUnion("gravity"),
]
