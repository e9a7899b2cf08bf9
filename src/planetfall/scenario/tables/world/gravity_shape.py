"""`[gravity]` of a body's own shape, exact or baked, and of measured harmonics."""

from typing import Literal, Self

from pydantic import model_validator

from planetfall.scenario.files.paths import FileName
from planetfall.scenario.tables.table import Table, choice, quantity
from planetfall.scenario.tables.world.shape_words import CENTERS, CROSSED

MODELS = "kind of gravity: uniform | point | j2 | ellipsoid | harmonics | polyhedron | grid | none"


class GravityPolyhedron(Table):
    """A closed mesh of uniform density, exact, summed over every edge and facet; needs target.frame = "P"."""

    model: Literal["polyhedron"] = choice(MODELS)
    shape: FileName | None = choice("closed mesh; that of the terrain if not given; may be coarser than it", None)
    scale: float = quantity("m", "metres per unit of the file", 1.0, gt=0)
    center: Literal["file", "mass", "principal"] | None = choice(f"{CENTERS}; as the terrain if not given", None)
    crossed_facets: int = quantity("-", CROSSED, 0, ge=0)
    density: float | None = quantity("kg/m^3", "density of the body, in place of target.gm", None, gt=0)


class GravityGrid(Table):
    """The same, baked once into nested grids of splines and kept on disk; needs target.frame = "P"."""

    model: Literal["grid"] = choice(MODELS)
    shape: FileName | None = choice("closed mesh; that of the terrain if not given; may be coarser than it", None)
    scale: float = quantity("m", "metres per unit of the file", 1.0, gt=0)
    center: Literal["file", "mass", "principal"] | None = choice(f"{CENTERS}; as the terrain if not given", None)
    crossed_facets: int = quantity("-", CROSSED, 0, ge=0)
    density: float | None = quantity("kg/m^3", "density of the body, in place of target.gm", None, gt=0)
    resolution: float | None = quantity(
        "m", "distance of the finest nodes; a hundredth of the longest extent if not given", None, gt=0
    )
    error_bound: float = quantity(
        "-", "largest measured error that is accepted, relative to the surface's mean gravity (assumed)", 0.05, gt=0
    )


class GravityHarmonics(Table):
    """Measured spherical harmonics, valid outside their reference sphere; GM and radius are the file's."""

    model: Literal["harmonics"] = choice(MODELS)
    file: FileName = choice("SHA table, COF or ICGEM file")
    degree: int | None = quantity("-", "largest degree that is used; all if not given", None, ge=0)
    order: int | None = quantity("-", "largest order that is used; all if not given", None, ge=0)
    unit: Literal["m", "km"] | None = choice(
        "unit of length in the header of a SHA table; km if not given, unless the radius can only be in m", None
    )
    longitude_deg: float | None = quantity(
        "deg", "east longitude of the origin of L; the field's axes are those of P otherwise", None
    )

    @model_validator(mode="after")
    def _order_within_degree(self) -> Self:
        if self.degree is not None and self.order is not None and self.order > self.degree:
            raise ValueError(f"order: {self.order} is more than the degree {self.degree}")
        return self
