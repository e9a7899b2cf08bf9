"""Landing places of a campaign as a raster: how many runs ended in each cell, all of them and by outcome."""

from pathlib import Path
from typing import Any

import numpy as np

from planetfall.errors import InputError
from planetfall.exports.places import MapGround, landing_places, map_ground
from planetfall.record.ensemble import Ensemble

ALONG = 100
"""Cells along the longer side where no size is given, at most."""
MOST_CELLS = 50_000_000
SMALLEST = 1e-3
"""Least size of a cell [m]."""


def write_geotiff(ensemble: Ensemble, out: Path, cell: float | None) -> list[Path]:
    """Counts of runs that ended in each cell: band 1 all, then one band for each outcome that occurred.

    In the coordinate system of the terrain's map; without one, in metres of the site, or in longitude and latitude on a
    sphere of the target's radius.

    Args:
        ensemble: The campaign.
        out: The `.tif` file; its folder is there.
        cell: Side of a cell on the ground [m]; chosen so that there are at most `ALONG` along a side if not given.
    """
    import rasterio

    ground = map_ground(ensemble.scenario)
    places, outcomes = landing_places(ensemble, ground), ensemble.data.outcome.values.astype(str)
    is_placed = np.isfinite(places).all(axis=1)
    if not is_placed.any():
        raise InputError("the campaign", "no run of it ended at a finite place", advice="look at its outcomes first")
    west, north, step, shape = _grid(places[is_placed], ground, cell)
    names = ["runs", *sorted(set(outcomes[is_placed]))]
    bands = [
        _counts(places[is_placed & ((outcomes == name) | (name == "runs"))], west, north, step, shape) for name in names
    ]
    transform = rasterio.Affine(step[0], 0.0, west, 0.0, -step[1], north)
    profile: dict[str, Any] = {"count": len(bands), "height": shape[0], "width": shape[1], "dtype": "uint32"}
    with rasterio.open(
        out, "w", driver="GTiff", crs=ground.wkt, transform=transform, compress="deflate", **profile
    ) as file:
        for i, (name, band) in enumerate(zip(names, bands, strict=True), start=1):
            file.write(band, i)
            file.set_band_description(i, name)
        file.update_tags(
            long_name="runs that ended in the cell, by outcome", scenario=ensemble.scenario.name,
            runs=len(places), runs_without_place=int((~is_placed).sum()), coordinates=", ".join(ground.names),
        )  # fmt: skip
    return [out]


def _grid(
    places: np.ndarray, ground: MapGround, cell: float | None
) -> tuple[float, float, tuple[float, float], tuple[int, int]]:
    """West and north edge, sides of a cell [unit of the coordinates], and rows and columns, about all places."""
    per_unit = np.array(ground.ground_per_unit)
    low, high = places.min(axis=0), places.max(axis=0)
    if cell is None:
        cell = max(_round(float(((high - low) * per_unit).max()) / ALONG), SMALLEST)
    if not (np.isfinite(cell) and cell >= SMALLEST):
        raise InputError("--cell", f"{cell} m", f"at least {SMALLEST:g} m")
    step = cell / per_unit
    west_south, east_north = low / step, high / step
    # a cell holds its western and its northern edge
    first = np.array([np.floor(west_south[0]), np.ceil(west_south[1]) - 1])
    last = np.array([np.floor(east_north[0]) + 1, np.ceil(east_north[1])])
    columns, rows = (int(n) for n in last - first)
    if rows * columns > MOST_CELLS:
        problem = f"{cell:g} m makes {rows} x {columns} cells"
        raise InputError("--cell", problem, f"at most {MOST_CELLS} cells", "give a larger one")
    return float(first[0] * step[0]), float(last[1] * step[1]), (float(step[0]), float(step[1])), (rows, columns)


def _counts(
    places: np.ndarray, west: float, north: float, step: tuple[float, float], shape: tuple[int, int]
) -> np.ndarray:
    """How many places lie in each cell [row, column], the northern row first."""
    column = np.clip(np.floor((places[:, 0] - west) / step[0]).astype(int), 0, shape[1] - 1)
    row = np.clip(np.floor((north - places[:, 1]) / step[1]).astype(int), 0, shape[0] - 1)
    out = np.zeros(shape, dtype=np.uint32)
    np.add.at(out, (row, column), 1)
    return out


def _round(value: float) -> float:
    """The next of 1, 2, 5 times a power of ten, upward."""
    if value <= 0.0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= value * (1 - 1e-12)))
