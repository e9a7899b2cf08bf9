"""`[terrain]` with `model = "procedural"`: ground that is made, not measured."""

from typing import Literal, Self

import numpy as np
from pydantic import model_validator

from planetfall.scenario.tables.table import Table, choice, quantity
from planetfall.scenario.tables.world.terrain_parts import ADDED, FILLET, GAP, Part

Range = tuple[float, float]
Vec2 = tuple[float, float]


POSTS_ACROSS = 3.0
"""Nodes of the map that the smallest crater, hill or rock must be wide; fewer draw something else (assumed)."""


def _check_range(name: str, unit: str, pair: Range, above: float = 0.0) -> None:
    """Refuses a range that is upside down or begins too low."""
    low, high = pair
    if not above < low <= high:
        raise ValueError(f"{name}: {low:g} to {high:g} {unit} is no range; it must rise from above {above:g} {unit}")


class TerrainNoise(Table):
    """Roughness: fractional Brownian motion (Shepard2001). The defaults have none."""

    amplitude: float = quantity("m", "rms height of all octaves together; 0 for smooth ground", 0.0, ge=0)
    hurst: float = quantity(
        "-", "Hurst exponent: height differences grow with distance to this power (Mars 0.7 to 0.95; assumed)", 0.8,
        gt=0, lt=1,
    )  # fmt: skip
    lacunarity: float = quantity("-", "ratio of wavelengths from octave to octave (customary)", 2.0, gt=1, le=8)
    octaves: int = quantity("-", "number of octaves (assumed)", 6, ge=1, le=24)
    wavelength: float = quantity("m", "longest wavelength of the first octave (assumed)", 50.0, gt=0)

    @property
    def shortest(self) -> float:
        """Shortest wavelength of the last octave [m]."""
        return self.wavelength * self.lacunarity**-self.octaves


class PlacedCrater(Table):
    """A crater at a place of your choice."""

    position: Vec2 = quantity("m", "centre, east and north of the origin", (0.0, 0.0))
    diameter: float = quantity("m", "diameter of the crater from rim to rim", gt=0)
    degradation: float = quantity("-", "kappa t / R^2 of its diffusion; 0 is fresh", 0.0, ge=0, le=1)


class TerrainCraters(Table):
    """Craters: N(>D) = density (D/reference_diameter)^-exponent per m^2. The defaults have none."""

    density: float = quantity(
        "1/m^2", "number of those larger than reference_diameter, per area; 0 for none", 0.0, ge=0
    )
    reference_diameter: float = quantity("m", "diameter that density refers to", 1.0, gt=0)
    exponent: float = quantity(
        "-",
        "exponent of the cumulative size-frequency law (2 in equilibrium, Minton2019; 3 as produced)",
        2.0,
        ge=1,
        le=5,
    )
    diameter_min: float = quantity("m", "smallest diameter made (assumed)", 1.0, gt=0)
    diameter_max: float = quantity("m", "largest diameter made (assumed)", 10.0, gt=0)
    depth_ratio: float = quantity("-", "fresh depth, crest to floor, over diameter (Pike1977)", 0.2, gt=0, le=0.5)
    rim_ratio: float = quantity("-", "fresh rim height over diameter (Pike1977)", 0.036, ge=0, le=0.2)
    ejecta_exponent: float = quantity("-", "ejecta fall as (r/R)^-this (McGetchin1973)", 3.0, ge=1.5, le=6)
    ejecta_reach: float = quantity("-", "radii from the centre to where the ejecta end (assumed)", 5.0, ge=2, le=20)
    degradation: float = quantity(
        "-",
        "largest kappa t / R^2 of topographic diffusion (FassettThomson2014); each crater's is uniform from 0, "
        "fresh, to this (assumed)",
        0.0,
        ge=0,
        le=1,
    )
    placed: tuple[PlacedCrater, ...] = choice("craters at given places, in addition to the random ones", ())

    @model_validator(mode="after")
    def _sizes_rise(self) -> Self:
        _check_range("diameter_max", "m", (self.diameter_min, self.diameter_max))
        if self.rim_ratio >= self.depth_ratio:
            raise ValueError(
                f"rim_ratio: {self.rim_ratio:g} leaves no bowl below the plain; it must be less than depth_ratio, "
                f"{self.depth_ratio:g}"
            )
        return self


class PlacedHill(Table):
    """A hill at a place of your choice."""

    position: Vec2 = quantity("m", "centre, east and north of the origin", (0.0, 0.0))
    height: float = quantity("m", "height of the hill's top above the plain", gt=0)
    width: float = quantity("m", "diameter of the hill at its base", gt=0)


class TerrainHills(Table):
    """Hills: round, cosine-shaped, of evenly spread height and width. The defaults have none."""

    density: float = quantity("1/m^2", "number of hills per area; 0 for none", 0.0, ge=0)
    height: Range = quantity("m", "least and greatest height (assumed)", (1.0, 2.0))
    width: Range = quantity("m", "least and greatest diameter of the base (assumed)", (10.0, 20.0))
    placed: tuple[PlacedHill, ...] = choice("hills at given places, in addition to the random ones", ())

    @model_validator(mode="after")
    def _ranges_rise(self) -> Self:
        _check_range("height", "m", self.height)
        _check_range("width", "m", self.width)
        return self


class PlacedRock(Table):
    """A rock at a place of your choice."""

    position: Vec2 = quantity("m", "centre, east and north of the origin", (0.0, 0.0))
    diameter: float = quantity("m", "diameter of the circle of equal area, seen from above", gt=0)


class TerrainRocks(Table):
    """Rocks by the law of GolombekRapp1997: covered area fraction F(>D) = k exp(-q D). The defaults have none."""

    cover: float = quantity(
        "-",
        "k, fraction of the area that rocks of all sizes cover; 0 for none (Phoenix 0.02, InSight 0.03, Spirit 0.05, "
        "Pathfinder 0.19, Gale 0.01 to 0.05)",
        0.0,
        ge=0,
        le=0.4,
    )
    diameter_min: float = quantity("m", "smallest diameter made (assumed)", 0.3, gt=0)
    diameter_max: float = quantity("m", "largest diameter made (assumed)", 1.5, gt=0)
    shape: Literal["mesh", "dem"] = choice(
        "mesh: separate faceted bodies; dem: half ellipsoids added to the heights", "mesh"
    )
    height_ratio: float = quantity("-", "height above the ground over diameter (GolombekRapp1997)", 0.5, gt=0, le=1.5)
    buried: float = quantity("-", "fraction of a body's height that is below the ground (assumed)", 0.5, gt=0, le=0.9)
    placed: tuple[PlacedRock, ...] = choice("rocks at given places, in addition to the random ones", ())

    @model_validator(mode="after")
    def _sizes_rise(self) -> Self:
        _check_range("diameter_max", "m", (self.diameter_min, self.diameter_max))
        return self


class TerrainProcedural(Table):
    """Ground made from statistics: roughness, craters, hills, rocks. A built-in `name` fills in what is not given."""

    model: Literal["procedural"] = choice("kind of ground: plane | dem | mesh | procedural | sdf | ellipsoid")
    name: str = choice("a built-in terrain (planetfall list)", "none")
    extent: Vec2 = quantity("m", "sides of the field, east and north; the origin of L is its middle", (100.0, 100.0))
    resolution: float = quantity("m", "distance of the nodes of the elevation map", 0.5, gt=0)
    seed: int = quantity("-", "seed of all draws; each ingredient has a stream of its own", 0, ge=0, lt=2**63)
    slope_deg: float = quantity("deg", "slope of the plane that is added to all heights", 0.0, ge=0, le=45)
    aspect_deg: float = quantity("deg", "downhill azimuth, clockwise from north (90: descends to the east)", 90.0)
    flat_radius: float = quantity(
        "m", "radius of a smooth, clear pad about the origin; relief sets in over the same distance beyond", 0.0, ge=0
    )
    noise: TerrainNoise = choice("roughness of the whole ground", TerrainNoise())
    craters: TerrainCraters = choice("craters made from statistics", TerrainCraters())
    hills: TerrainHills = choice("hills made from statistics", TerrainHills())
    rocks: TerrainRocks = choice("rocks made from statistics", TerrainRocks())
    gap: Literal["nearest", "column"] = choice(GAP, "nearest")
    source: str = choice("where the numbers come from", "")
    added: tuple[Part, ...] = choice(ADDED, ())
    fillet: float | None = quantity("m", FILLET, None, ge=0)

    @model_validator(mode="after")
    def _field_has_cells(self) -> Self:
        for name, side in zip(("east", "north"), self.extent, strict=True):
            cells = side / self.resolution
            if cells < 1 - 1e-9 or abs(cells - round(cells)) > 1e-6:
                raise ValueError(
                    f"extent: {side:g} m to the {name} is {cells:.6g} cells of {self.resolution:g} m; it must be a "
                    "whole number of cells"
                )
        return self

    @model_validator(mode="after")
    def _map_carries_the_detail(self) -> Self:
        if self.noise.amplitude > 0 and self.noise.shortest < 2 * self.resolution * (1 - 1e-9):
            ratio = np.log(0.5 * self.noise.wavelength / self.resolution) / np.log(self.noise.lacunarity)
            raise ValueError(
                f"noise.octaves: {self.noise.octaves} octaves reach wavelengths of {self.noise.shortest:.3g} m, but "
                f"nodes {self.resolution:g} m apart carry {max(int(ratio + 1e-9), 0)} octaves (two nodes a "
                "wavelength); fewer, or a finer resolution"
            )
        for key, width in self._smallest():
            if width < POSTS_ACROSS * self.resolution * (1 - 1e-9):
                raise ValueError(
                    f"{key}: {width:g} m is less than {POSTS_ACROSS:g} nodes {self.resolution:g} m apart; larger, or a "
                    "finer resolution"
                )
        return self

    def _smallest(self) -> list[tuple[str, float]]:
        """The narrowest thing of each kind that the map has to show, by key [m]."""
        found = [(f"craters.placed.{i}.diameter", crater.diameter) for i, crater in enumerate(self.craters.placed)]
        found += [(f"hills.placed.{i}.width", hill.width) for i, hill in enumerate(self.hills.placed)]
        if self.craters.density > 0:
            found.append(("craters.diameter_min", self.craters.diameter_min))
        if self.hills.density > 0:
            found.append(("hills.width", self.hills.width[0]))
        if self.rocks.shape == "dem":
            found += [(f"rocks.placed.{i}.diameter", rock.diameter) for i, rock in enumerate(self.rocks.placed)]
            if self.rocks.cover > 0:
                found.append(("rocks.diameter_min", self.rocks.diameter_min))
        return found

    @property
    def downhill(self) -> np.ndarray:
        """Descent of the plane under the field, east and north [m/m]."""
        slope, aspect = np.radians(self.slope_deg), np.radians(self.aspect_deg)
        return np.tan(slope) * np.array([np.sin(aspect), np.cos(aspect)])

    @property
    def outward(self) -> np.ndarray:
        """The vertical: over a map, travel counts horizontally."""
        return np.array([0.0, 0.0, 1.0])
