"""Tables of ground that can be the terrain, or be added to one."""

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from planetfall.scenario.files.paths import FileName
from planetfall.scenario.tables.table import Table, UnitQuaternion, UnitVec3, Vec3, choice, quantity

GAP = (
    "how deep a point in the ground is: below the nearest point of the facets, or below the facet straight above it, "
    "along its normal (Raiszadeh2012, Eq. 2), which jumps at edges"
)


class PlanePart(Table):
    """A plane, given by slope and aspect or by its normal."""

    model: Literal["plane"] = choice("kind of ground: plane | dem | mesh | procedural | sdf | ellipsoid")
    slope_deg: float = quantity("deg", "inclination against the horizontal", 0.0, ge=0, lt=90)
    aspect_deg: float = quantity("deg", "downhill azimuth, clockwise from north (90: descends to the east)", 90.0)
    normal: UnitVec3 | None = quantity("-", "outward unit normal, surface frame, in place of slope and aspect", None)
    point: Vec3 = quantity("m", "a point of the plane, surface frame", (0.0, 0.0, 0.0))
    radius: float | None = quantity("m", "extent of the map about `point`; unbounded if not given", None, gt=0)

    @model_validator(mode="after")
    def _one_orientation(self) -> Self:
        if self.normal is not None and self.slope_deg != 0.0:
            raise ValueError("normal: give either normal or slope_deg and aspect_deg, not both")
        return self

    @property
    def outward(self) -> np.ndarray:
        """Outward unit normal, surface frame."""
        if self.normal is not None:
            return np.asarray(self.normal)
        slope, aspect = np.radians(self.slope_deg), np.radians(self.aspect_deg)
        return np.array([np.sin(slope) * np.sin(aspect), np.sin(slope) * np.cos(aspect), np.cos(slope)])


class DemPart(Table):
    """A digital elevation map from a file: two exact facets per cell."""

    model: Literal["dem"] = choice("kind of ground: plane | dem | mesh | procedural | sdf | ellipsoid")
    file: FileName = choice("GeoTIFF, PDS3 image or label, ISIS cube, Arc ASCII grid or .npy")
    site_latlon_deg: tuple[float, float] | None = quantity(
        "deg", "latitude and east longitude of the origin of L", None
    )
    site_pixel: tuple[float, float] | None = choice(
        "row and column of the origin of L; the middle if no site is given", None
    )
    half_width: float | None = quantity(
        "m", "half the side of the square that is read; all of it if not given", None, gt=0
    )
    spacing: float | None = quantity("m", "distance of pixels, for a file without georeference", None, gt=0)
    height_scale: float | None = quantity("m", "metres per unit of the file's heights", None, gt=0)
    height_offset: float = quantity("m", "offset that is added to all heights of the map", 0.0)
    gap: Literal["nearest", "column"] = choice(GAP, "nearest")
    band: int | None = quantity("-", "band that holds the heights, from 1; the only one if not given", None, ge=1)
    nodata: float | Literal["none"] | None = choice(
        "stored value that means no data, in place of what the file declares; 'none' where every pixel is a height",
        None,
    )
    metres: Literal["ground", "map"] = choice(
        "distances on the reference surface at the site, or the map's own metres as its projection stretches them",
        "ground",
    )

    @model_validator(mode="after")
    def _one_site(self) -> Self:
        if self.site_latlon_deg is not None and self.site_pixel is not None:
            raise ValueError("site_pixel: give either site_latlon_deg or site_pixel, not both")
        return self

    @property
    def outward(self) -> np.ndarray:
        """The vertical: over a map, travel counts horizontally."""
        return np.array([0.0, 0.0, 1.0])


class MeshPart(Table):
    """A triangle mesh, from a file or written out, placed by scale, rotation and offset, in this order."""

    model: Literal["mesh"] = choice("kind of ground: plane | dem | mesh | procedural | sdf | ellipsoid")
    file: FileName | None = choice("STL, OBJ, PLY, OFF, glTF, AC3D, legacy VTK or a shape table", None)
    vertices: tuple[Vec3, ...] = quantity("m", "positions, in place of a file", ())
    facets: tuple[tuple[int, int, int], ...] = choice(
        "vertex indices from 0 of each facet, counter-clockwise seen from outside, in place of a file", ()
    )
    scale: float = quantity("m", "metres per unit of the file", 1.0, gt=0)
    rotation: UnitQuaternion = quantity(
        "-", "quaternion x y z w from the file's axes to the surface frame", (0.0, 0.0, 0.0, 1.0)
    )
    offset: Vec3 = quantity("m", "offset that is added last, surface frame", (0.0, 0.0, 0.0))
    gap: Literal["nearest"] = choice(
        "how deep a point in the ground is: below the nearest point of the facets; there are no columns", "nearest"
    )
    up: Literal["y", "z"] | None = choice(
        "axis of the file that is up: 'y' is turned to z first; kept as stored if not given", None
    )
    orientation: Literal["keep", "up", "outward", "unchecked"] = choice(
        "keep the winding of the file, or turn open sheets to face up, or outward from the origin; 'unchecked' also "
        "keeps facets wound against each other and bodies inside out: a cave", "keep",
    )  # fmt: skip

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.file is None) == (not self.vertices) or bool(self.vertices) != bool(self.facets):
            raise ValueError("file: give either a file, or both vertices and facets")
        return self

    @property
    def outward(self) -> np.ndarray:
        """The vertical: over a mesh, travel counts horizontally."""
        return np.array([0.0, 0.0, 1.0])


Part = Annotated[PlanePart | DemPart | MeshPart, Field(discriminator="model")]
ADDED = "further terrains, tables like this one; what is solid in any of them is solid, this one bounds the map"
FILLET = (
    "rounding of the corners in which this terrain, its rocks and added terrains meet: "
    "where the depths in two of them differ by less, both push; with 0 the deeper one "
    "alone does; default: a hundredth of the contact law's sink, 0 with the anchor law and in a drive"
)
