"""`[terrain]` with `model = "sdf"`: a whole body by its signed distance, with noise on top."""

from typing import Literal, Self

import numpy as np
from pydantic import model_validator

from planetfall.scenario.files.paths import FileName
from planetfall.scenario.tables.table import Table, Vec3, choice, quantity
from planetfall.scenario.tables.world.shape_words import CENTERS, CROSSED
from planetfall.scenario.tables.world.terrain_parts import ADDED, FILLET, Part


class NoiseRegion(Table):
    """A ball in which the noise has an amplitude of its own."""

    center: Vec3 = quantity("m", "middle of the ball, surface frame")
    radius: float = quantity("m", "radius of the ball; the change is spread over its last fifth", gt=0)
    amplitude: float = quantity("m", "standard deviation of the first octave inside", ge=0)


class SdfNoise(Table):
    """Fractional Brownian motion added to the distance (VanWal2017). The defaults have none."""

    amplitude: float = quantity("m", "standard deviation of the first octave; 0 for none", 0.0, ge=0)
    wavelength: float = quantity("m", "wavelength of the first octave: the size of its features (assumed)", 10.0, gt=0)
    octaves: int = quantity("-", "number of octaves (assumed)", 4, ge=1, le=24)
    gain: float = quantity("-", "amplitude of an octave over that of the one before it (customary)", 0.5, gt=0, le=1)
    lacunarity: float = quantity(
        "-", "frequency of an octave over that of the one before it (customary)", 2.0, ge=1, le=8
    )
    seed: int = quantity("-", "seed of the random ground", 0, ge=0, lt=2**63)
    slope_limit: float = quantity(
        "-", "largest root mean square slope that is accepted; steep noise folds the surface (assumed)", 0.7, gt=0
    )
    regions: tuple[NoiseRegion, ...] = choice("balls with an amplitude of their own; later ones over earlier ones", ())


class SdfRocks(Table):
    """Boulders: N(>D) = density (D/reference_diameter)^-exponent per m^2. The defaults have none."""

    density: float = quantity(
        "1/m^2", "number of those larger than reference_diameter, per area; 0 for none", 0.0, ge=0
    )
    reference_diameter: float = quantity("m", "diameter that density refers to", 5.0, gt=0)
    exponent: float = quantity(
        "-", "exponent of the cumulative size-frequency law (assumed: asteroids 2.6 to 3.6)", 3.0, gt=0, le=6
    )
    diameter_min: float = quantity(
        "m", "diameter of the smallest rock that is made; at least three times the resolution", 15.0, gt=0
    )
    diameter_max: float = quantity("m", "diameter of the largest rock that is made (assumed)", 50.0, gt=0)
    height_ratio: float = quantity("-", "height above the ground over diameter (assumed)", 0.5, gt=0, le=1.5)
    buried: float = quantity("-", "fraction of a body's height that is below the ground (assumed)", 0.5, gt=0, le=0.9)
    seed: int = quantity("-", "seed of all draws of rocks", 0, ge=0, lt=2**63)

    @model_validator(mode="after")
    def _sizes_rise(self) -> Self:
        if self.diameter_max < self.diameter_min:
            raise ValueError(f"diameter_max: {self.diameter_max:g} m is less than diameter_min {self.diameter_min:g} m")
        return self


class TerrainSdf(Table):
    """The signed distance field of a whole body, built once from a closed mesh and kept on disk."""

    model: Literal["sdf"] = choice("kind of ground: plane | dem | mesh | procedural | sdf | ellipsoid")
    file: FileName | None = choice(
        "closed mesh: STL, OBJ, PLY, OFF, glTF, AC3D, legacy VTK or a shape table; target.shape if nothing is given",
        None,
    )
    shape: Literal["sphere", "ellipsoid", "box"] | None = choice("a body by a formula, in place of a file", None)
    half_sizes: Vec3 | None = quantity("m", "radius three times, semi-axes, or half the edges of `shape`", None)
    scale: float = quantity("m", "metres per unit of the file", 1.0, gt=0)
    center: Literal["file", "mass", "principal"] = choice(CENTERS, "file")
    crossed_facets: int = quantity("-", CROSSED, 0, ge=0)
    resolution: float | None = quantity(
        "m", "distance of the nodes; a two-hundredth of the longest extent if not given", None, gt=0
    )
    noise: SdfNoise = choice("roughness that the shape is too coarse to show", SdfNoise())
    rocks: SdfRocks = choice("boulders, on a mesh from a file", SdfRocks())
    added: tuple[Part, ...] = choice(ADDED, ())
    fillet: float | None = quantity("m", FILLET, None, ge=0)

    @model_validator(mode="after")
    def _one_body(self) -> Self:
        if self.file is not None and self.shape is not None:
            raise ValueError("file: give either a file or a shape with half_sizes, or neither and target.shape")
        if self.shape is not None:
            if self.rocks.density > 0.0:
                raise ValueError("rocks: they need a mesh from a file")
            if self.half_sizes is None or min(self.half_sizes) <= 0.0:
                raise ValueError("half_sizes: a shape needs three of them, each more than 0 m")
            if self.shape == "sphere" and len(set(self.half_sizes)) > 1:
                raise ValueError(f"half_sizes: {list(self.half_sizes)} m is no sphere; use shape = 'ellipsoid'")
        return self

    @property
    def outward(self) -> np.ndarray:
        """The z axis: over a whole body there is no one vertical."""
        return np.array([0.0, 0.0, 1.0])
