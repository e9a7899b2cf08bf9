"""`[terrain]`: the ground."""

from typing import Literal, Self

import numpy as np
from pydantic import model_validator

from planetfall.scenario.table import Table, UnitVec3, Vec3, choice, quantity


class TerrainPlane(Table):
    """A plane, given by slope and aspect or by its normal."""

    model: Literal["plane"] = choice("plane")
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


Terrain = TerrainPlane
