"""Traversability: every cell of a map, at every heading, scored for a rover."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from planetfall.errors import InputError
from planetfall.rover.drive.path import middle_places
from planetfall.rover.kinematics.newton import POSE_OFF_MAP
from planetfall.rover.kinematics.poses import heading_yaw
from planetfall.rover.model import RoverModel
from planetfall.rover.statics.statics import Soil
from planetfall.rover.traversability.score import scores
from planetfall.world.terrain.readers.rasters.raster import RasterSite
from planetfall.world.terrain.surface import Surface

CHUNK = 65_536
"""Places per call on a CPU: about a second, so that progress can be shown."""
CHUNK_CUDA = 4_000_000
LAYERS = {
    "slip_ratio": ("1", "slip ratio of the worst wheel"),
    "saturation": ("1", "torque of the worst motor over its largest"),
    "friction_needed": ("1", "friction that the worst wheel needs, lateral force included"),
    "friction_used": ("1", "friction that the worst wheel needs, lateral force included, over that of the ground"),
    "drive_force": ("N", "work of the motors that drive, per metre of the path"),
    "stability_margin": ("1", "angle to tipping over its value on flat ground"),
    "unloading_margin": ("1", "angle to the unloading of a wheel over its value on flat ground"),
    "roll": ("rad", "roll, positive with the right side up"),
    "pitch": ("rad", "pitch, positive nose up"),
}
"""Layers of numbers: unit and meaning."""

AXES = "x east, y north, z up"
"""What the layers' tags say of the site's frame."""


@dataclass(frozen=True)
class MapScores:
    """Scores of a map, [heading, row, column], row to the north.

    Attributes:
        rover: Whose scores they are.
        headings_deg: Clockwise from north, [h].
        x: East [m] of each column, surface frame.
        y: North [m] of each row.
        layers: Numbers by name of `LAYERS`, float32, NaN without a pose.
        verdict: Keys of `verdict.VERDICTS`, int8.
        status: Keys of `newton.POSE_SAYS`, int8.
        crs: Coordinate system of the map's file, if it has one.
        site: Where the origin of the surface frame lies in it.
    """

    rover: RoverModel
    headings_deg: np.ndarray
    x: np.ndarray
    y: np.ndarray
    layers: dict[str, np.ndarray]
    verdict: np.ndarray
    status: np.ndarray
    crs: str | None = None
    site: RasterSite | None = None

    @property
    def stands(self) -> np.ndarray:
        """Share of the headings at which the rover stands, [row, column]."""
        return np.mean(self.verdict == 0, axis=0)

    @property
    def is_off_map(self) -> np.ndarray:
        """Whether a wheel would leave the map, [heading, row, column]; the verdict there is "no pose"."""
        return self.status == POSE_OFF_MAP

    def save(self, folder: str | Path) -> list[Path]:
        """Writes one GeoTIFF per layer, with a band per heading.

        In the coordinate system of the map's file; without one, in metres of the surface frame.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        named = {**self.layers, "verdict": self.verdict, "pose_status": self.status}
        written = [self._write(folder / f"{name}.tif", values, name) for name, values in named.items()]
        return [*written, self._write(folder / "stands.tif", self.stands[None].astype(np.float32), "stands")]

    def _write(self, path: Path, values: np.ndarray, name: str) -> Path:
        import rasterio
        from rasterio.transform import Affine

        dx, dy = float(self.x[1] - self.x[0]), float(self.y[1] - self.y[0])
        (map_x, map_y), (gx, gy) = (0.0, 0.0), (1.0, 1.0)
        if self.site is not None:
            (map_x, map_y), (gx, gy) = (self.site.map_x, self.site.map_y), self.site.ground_per_map
        west, north = float(self.x[0]) - dx / 2, float(self.y[-1]) + dy / 2
        place = Affine(dx / gx, 0.0, map_x + west / gx, 0.0, -dy / gy, map_y + north / gy)
        options: dict[str, Any] = {"count": len(values), "height": len(self.y), "width": len(self.x)}
        options |= {"dtype": values.dtype, "nodata": np.nan if values.dtype.kind == "f" else None}
        options |= {"crs": self.crs}
        with rasterio.open(path, "w", driver="GTiff", transform=place, compress="deflate", **options) as file:
            file.write(values[:, ::-1])  # the first row of a GeoTIFF is the northern one
            unit, meaning = LAYERS.get(name, ("1", {"stands": "share of headings at which it stands"}.get(name, name)))
            file.update_tags(units=unit, long_name=meaning, rover=self.rover.table.name, axes=AXES)
            for band, heading in enumerate(self.headings_deg if len(values) > 1 else [], start=1):
                file.set_band_description(band, f"heading {heading:g} deg")
        return path


def score_map(
    rover: RoverModel, surface: Surface, soil: Soil, gravity: float, headings_deg: ArrayLike, every: int = 1,
    goal: str = "least slip", threads: int | None = None, progress: Callable[[float], None] | None = None,
) -> MapScores:  # fmt: skip
    """Scores the nodes of an elevation map at given headings.

    The rover's middle is put over each node; where its wheels would leave the map, the verdict is "no pose".

    Args:
        rover: From `model.rover_model`.
        surface: An elevation map.
        soil: On the same device.
        gravity: [m/s^2].
        headings_deg: Clockwise from north, [h].
        every: Take every so many nodes.
        goal: "least slip" or "least effort".
        threads: CPU threads; all cores by default. Has no effect on the result.
        progress: Called with the finished fraction.
    """
    if surface.model.name != "dem":
        raise InputError("terrain.model", f"{surface.model.name!r} has no cells", "an elevation map ('dem')")
    headings = np.atleast_1d(np.asarray(headings_deg, dtype=float))
    if headings.ndim != 1 or not len(headings) or not np.all(np.isfinite(headings)):
        raise InputError("headings", f"{headings_deg!r}", "one or more finite angles [deg]")
    params, n_y, n_x = surface.params, *surface.params.heights.shape
    if not 1 <= every < min(n_x, n_y):
        raise InputError("every", f"{every} of {n_x} x {n_y} nodes", "at least 1, and two nodes left each way")
    x = float(params.origin[0]) + params.spacing_x * np.arange(0, n_x, every)
    y = float(params.origin[1]) + params.spacing_y * np.arange(0, n_y, every)
    xy = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    yaw = np.repeat(heading_yaw(headings), len(xy))
    places = middle_places(rover, np.tile(xy, (len(headings), 1)), yaw)
    chunk, parts = CHUNK if surface.device == "cpu" else CHUNK_CUDA, []
    for start in range(0, len(places), chunk):
        parts.append(scores(rover, surface, soil, gravity, places[start : start + chunk], goal, threads))
        if progress is not None:
            progress(min(start + chunk, len(places)) / len(places))
    known = {name: surface.facts.get(name) for name in ("crs", "site")}
    return replace(_gathered(rover, headings, x, y, np.concatenate(parts)), **known)


def _gathered(rover: RoverModel, headings: np.ndarray, x: np.ndarray, y: np.ndarray, found: np.ndarray) -> MapScores:
    shape = (len(headings), len(y), len(x))
    stability, unloading = rover.flat_margins
    values = {
        **{name: found[name] for name in LAYERS if name in (found.dtype.names or ())},
        "stability_margin": found["stability"] / stability,
        "unloading_margin": found["unloading"] / unloading,
    }
    layers = {name: values[name].reshape(shape).astype(np.float32) for name in LAYERS}
    verdict, status = (found[name].reshape(shape).astype(np.int8) for name in ("verdict", "status"))
    return MapScores(rover, headings, x, y, layers, verdict, status)
