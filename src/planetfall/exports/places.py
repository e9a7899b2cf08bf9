"""Where the runs of a campaign ended, on the coordinate system that their ground has."""

from dataclasses import dataclass

import numpy as np

from planetfall.errors import InputError
from planetfall.record.ensemble import Ensemble
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.world.terrain_parts import DemPart
from planetfall.world.terrain.ground import map_place


@dataclass(frozen=True)
class MapGround:
    """A plane of coordinates.

    Attributes:
        kind: "map" (the system of the terrain's file), "site" (metres of frame L) or "body" (degrees on a sphere).
        wkt: The coordinate system, or None where metres of the site have none.
        origin: Coordinates of the surface frame's origin.
        ground_per_unit: Metres on the ground per unit of a coordinate, along x and y.
        radius: Of the sphere of kind "body" [m].
    """

    kind: str
    wkt: str | None
    origin: tuple[float, float] = (0.0, 0.0)
    ground_per_unit: tuple[float, float] = (1.0, 1.0)
    radius: float = 0.0

    def coordinates(self, places: np.ndarray) -> np.ndarray:
        """Coordinates [n, 2] of places [n, 3] [m], surface frame; NaN for the body's own centre."""
        if self.kind == "body":
            x, y, z = places.T
            level = np.hypot(x, y)
            found = np.degrees(np.column_stack([np.arctan2(y, x), np.arctan2(z, level)]))
            found[(level == 0.0) & (z == 0.0)] = np.nan
            return found
        return np.array(self.origin) + places[:, :2] / np.array(self.ground_per_unit)

    @property
    def names(self) -> tuple[str, str]:
        """What the coordinates are called in a table."""
        return {
            "map": ("map_x", "map_y"),
            "site": ("east_m", "north_m"),
            "body": ("longitude_deg", "latitude_deg"),
        }[self.kind]


def map_ground(scenario: Scenario) -> MapGround:
    """The coordinates in which landing places of a scenario are given."""
    if scenario.target.frame == "P":
        return _body(scenario)
    if isinstance(scenario.ground, DemPart):
        found = map_place(scenario.ground)
        if found is not None:
            crs, site = found
            return MapGround("map", crs, (site.map_x, site.map_y), site.ground_per_map)
    return MapGround("site", None)


def _body(scenario: Scenario) -> MapGround:
    """Longitude and planetocentric latitude on a sphere of the target's radius."""
    target = scenario.target
    radius = target.radius
    if radius <= 0.0:
        raise InputError(
            "target.radius", "is not given, and landing places on a whole body are written on a sphere",
            "more than 0 m", "run it with target.radius",
        )  # fmt: skip
    name = target.name.replace('"', "'")
    sphere = f'DATUM["D_{name}",SPHEROID["{name}",{radius!r},0]]'
    wkt = f'GEOGCS["{name} sphere",{sphere},PRIMEM["Reference meridian",0],UNIT["degree",0.0174532925199433]]'
    per_degree = float(np.radians(1.0)) * radius
    return MapGround("body", wkt, (0.0, 0.0), (per_degree, per_degree), radius)


def landing_places(ensemble: Ensemble, ground: MapGround) -> np.ndarray:
    """Coordinates [run, 2] of where each run's centre of mass was at its end; NaN where that is not finite."""
    places = np.column_stack([ensemble.data[name].values for name in ("x_m", "y_m", "z_m")])
    return ground.coordinates(places)
