"""`[vehicle.shape]`: contact points and inertia from the vehicle's outer form."""

from typing import Literal, Self

import numpy as np
from pydantic import model_validator

from planetfall.scenario.files.paths import FileName
from planetfall.scenario.tables.table import Table, Vec3, choice, quantity
from planetfall.scenario.tables.vehicle.solid import Solid, box, cylinder, mesh_solid, prism, spread_points

MESH_POINTS = 40
"""Contact points on a mesh where their number is not given (assumed; as many as minerva-ii1 has)."""


class VehicleShape(Table):
    """A uniform solid: its corners, and more places spread evenly over it, are contact points not given otherwise.

    Those of a mesh are all spread.
    """

    kind: Literal["box", "prism", "cylinder", "mesh"] = choice(
        "form of the vehicle: box | prism | cylinder | mesh; prism and cylinder stand along z, a mesh lies along the "
        "axes of its file"
    )
    file: FileName | None = choice("mesh: a closed one (STL, PLY, OBJ, ...)", None)
    scale: float = quantity("m", "mesh: metres per unit of its file", 1.0, gt=0)
    size: Vec3 | None = quantity("m", "box: edges along x, y, z", None)
    diameter: float | None = quantity("m", "prism: width across opposite corners; cylinder: diameter", None, gt=0)
    height: float | None = quantity("m", "prism, cylinder: extent along z", None, gt=0)
    sides: int = quantity("-", "prism: number of its sides; cylinder: number of points on each rim", 16, ge=3, le=200)
    points: int | None = quantity(
        "-", "contact points in all; the corners alone, or 40 on a mesh, if not given", None, ge=4, le=2000
    )
    center_of_mass: Vec3 = quantity(
        "m",
        "centre of mass from the middle of the solid (a mesh: from its centroid); where it is "
        "not zero, vehicle.inertia is needed",
        (0.0, 0.0, 0.0),
    )

    @model_validator(mode="after")
    def _has_its_sizes(self) -> Self:
        if (self.kind == "mesh") != (self.file is not None):
            raise ValueError("file: it belongs to kind = 'mesh', and to no other")
        if self.kind == "mesh":
            if self.size is not None or self.diameter is not None or self.height is not None:
                raise ValueError("size: a mesh has its own; give scale")
            _ = self.solid
            return self
        if self.kind == "box":
            if self.size is None or min(self.size) <= 0.0 or self.diameter is not None or self.height is not None:
                raise ValueError("size: a box has three edges, each more than 0 m, and neither diameter nor height")
        elif self.diameter is None or self.height is None or self.size is not None:
            raise ValueError(f"diameter: a {self.kind} has a diameter and a height, and no size")
        if self.points is not None and self.points < len(self.solid.vertices):
            raise ValueError(
                f"points: {self.points} are fewer than the {len(self.solid.vertices)} corners of this {self.kind}"
            )
        return self

    @property
    def solid(self) -> Solid:
        """The solid about its middle, or its centre of mass where it is a mesh."""
        if self.kind == "mesh":
            return mesh_solid(str(self.file), self.scale)
        if self.kind == "box":
            assert self.size is not None
            return box(self.size)
        assert self.diameter is not None and self.height is not None
        return (prism if self.kind == "prism" else cylinder)(self.diameter, self.height, self.sides)

    @property
    def contact_points(self) -> np.ndarray:
        """Corners first, then what is spread [n, 3] [m], from the centre of mass, body frame."""
        solid = self.solid
        if self.kind == "mesh":
            spread = spread_points(solid.vertices, solid.facets, self.points or MESH_POINTS, np.empty((0, 3)))
            return spread - np.asarray(self.center_of_mass)
        spread = spread_points(solid.vertices, solid.facets, self.points or len(solid.vertices), solid.vertices)
        return spread - np.asarray(self.center_of_mass)
