"""What x and y of the surface frame are: east and north, or the directions of a map that is turned from them.

Whatever names these axes, in a figure, on a page or in print, takes the names from here.
"""

import math
from dataclasses import dataclass
from typing import Any

from planetfall.errors import InputError
from planetfall.scenario.tables.world.terrain_parts import DemPart
from planetfall.world.terrain.ground import map_place
from planetfall.world.terrain.readers.rasters.raster import TURNED, RasterSite
from planetfall.world.terrain.surface import Surface


@dataclass(frozen=True)
class SurfaceAxes:
    """The level axes of frame L.

    Attributes:
        turn: Azimuth of y, clockwise from true north [rad]; 0 where nothing says otherwise; None where the file that
            says so cannot be read.
    """

    turn: float | None = 0.0

    @property
    def is_turned(self) -> bool:
        """Whether y is off true north by more than a degree."""
        return self.turn is not None and abs(self.turn) > TURNED

    @property
    def names(self) -> tuple[str, str]:
        """What x and y are called."""
        if self.turn is None:
            return "x", "y"
        return ("x along the map", "y along the map") if self.is_turned else ("east", "north")

    @property
    def labels(self) -> tuple[str, str]:
        """The same with the unit, for axes in metres."""
        return f"{self.names[0]} [m]", f"{self.names[1]} [m]"

    @property
    def ahead(self) -> str:
        """From what a heading is counted, clockwise."""
        return "north" if self.names[1] == "north" else self.names[1]

    @property
    def north(self) -> float | None:
        """Direction of true north, clockwise from y [rad]; None where it is y, or is not known."""
        return -self.turn if self.turn is not None and self.is_turned else None

    @property
    def note(self) -> str:
        """A sentence where x and y are not east and north; else nothing."""
        if self.turn is None:
            return "The map cannot be read, so that it is not known whether x and y are east and north."
        if not self.is_turned:
            return ""
        way = "clockwise" if self.turn > 0.0 else "anticlockwise"
        angle = f"{abs(math.degrees(self.turn)):.1f} deg {way}"
        return f"x and y are those of the map, whose y axis points {angle} from true north."


def axes_of_site(site: RasterSite | None) -> SurfaceAxes:
    """Those of a map about its site; without one x is east and y north."""
    return SurfaceAxes(0.0 if site is None else site.convergence)


def axes_of_surface(surface: Surface) -> SurfaceAxes:
    """Those of ground that has been built."""
    first = (surface.facts.get("parts") or (surface.facts,))[0]
    return axes_of_site(first.get("site"))


def axes_of(terrain: Any) -> SurfaceAxes:
    """Those of a terrain's table; of a map's file nothing but the head is read."""
    if not isinstance(terrain, DemPart):
        return SurfaceAxes()
    try:
        found = map_place(terrain)
    except (InputError, OSError):
        return SurfaceAxes(None)
    return axes_of_site(None if found is None else found[1])
