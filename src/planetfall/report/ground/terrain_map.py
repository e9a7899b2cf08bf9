"""Pictures of terrain files: shaded relief beside slopes, from above or, of a body, from three sides."""

import io
import math
import textwrap
from dataclasses import dataclass

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from planetfall.analysis.terrain.terrain_facts import MeshFacts, sentences
from planetfall.analysis.terrain.terrain_view import ABOVE, TerrainPicture
from planetfall.report.north_arrow import north_arrow
from planetfall.report.style import as_written
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
from planetfall.world.terrain.readers.rasters.raster_file import RasterFile
from planetfall.world.terrain.surface_axes import axes_of_site

LEVELS, SLOPES = "cividis", "inferno"
"""Colour scales whose lightness rises steadily: the same to colour-blind people, and in grey."""
LIGHT = np.array([-0.5, 0.5, math.sqrt(0.5)])
"""Towards the light, in the eye's axes: from the upper left, 45 degrees high."""
_WIDTH = 12.6
"""Of a figure [inch]."""
LIT = "Lit from the upper left, 45 deg high, contrast stretched."


@dataclass(frozen=True)
class Legend:
    """The words of a picture.

    Attributes:
        title: What is shown.
        level: What the colours of the relief mean, without unit.
        slope: What a slope is here.
        axes: What the picture's axes are, to the right and up, for each view.
        footer: Sentences below the picture.
        north: Direction of true north from the picture's up axis, clockwise [rad]; None where there is no north.
    """

    title: str
    level: str
    slope: str
    axes: tuple[tuple[str, str], ...]
    footer: tuple[str, ...] = ()
    north: float | None = None


def map_picture(view: TerrainPicture, file: RasterFile) -> bytes:
    """The PNG of a map whose strips have all been read."""
    mean = f", means over {view.n_cells} x {view.n_cells} cells" if view.n_cells > 1 else ""
    footer = (
        f"{file.window.n_rows} x {file.window.n_columns} nodes. Slopes of facets against the vertical{mean}. {LIT} "
        "Hatched: no data. +: the site.",
        *sentences(file.notes),
    )
    north = None if file.site.latitude is None else -file.site.convergence
    axes = axes_of_site(file.site).names
    return draw_terrain([view], Legend(file.source, "height", "slope", (axes,), footer, north))


def mesh_picture(views: list[TerrainPicture], mesh: MeshData, facts: MeshFacts) -> bytes:
    """The PNG of a mesh as it is seen."""
    if facts.is_body:
        what = "Slope: angle between a facet's normal and the radius from the centre of volume."
        level = "distance from the centre of volume"
    else:
        what = (
            "Highest front face under vertical rays; slope: angle between its normal and the vertical. "
            "Hatched: no such facet. +: the origin."
        )
        level = "height, z"
    axes = tuple((_axis_name(view.eye.right), _axis_name(view.eye.up)) for view in views)
    footer = (f"{facts.n_facets} facets. {what} {LIT}", *sentences((*mesh.notes, *facts.notes)))
    return draw_terrain(views, Legend(mesh.source, level, "slope", axes, footer))


def draw_terrain(views: list[TerrainPicture], legend: Legend) -> bytes:
    """Draws the relief and the slopes of every view as PNG: beside each other, or one above the other for several."""
    scale, unit = _unit_of(views)
    levels, slopes = _range([view.level for view in views]), _slope_range(views)
    footer = [line for text in legend.footer for line in textwrap.wrap(text, int(17 * _WIDTH))]
    figure, grid = _panels(views, len(footer))
    for i, view in enumerate(views):
        relief, slope = grid[i]
        _show(relief, view, shaded(view, levels), scale)
        colours = colormaps[SLOPES](slopes(np.degrees(view.slopes)))
        _show(slope, view, np.where(np.isnan(view.slopes)[..., None], 0.0, colours), scale)
        for axes in (relief, slope):
            axes.set_xlabel(f"{legend.axes[i][0]} [{unit}]", fontsize=9)
            axes.set_ylabel(f"{legend.axes[i][1]} [{unit}]", fontsize=9)
            if len(views) > 1:
                axes.set_title(view.eye.name, fontsize=9)
    if legend.north is not None:
        north_arrow(grid[0][0], legend.north)
    _colour_bar(grid[-1][0], ScalarMappable(levels, LEVELS), f"{legend.level} [m]")
    _colour_bar(grid[-1][1], ScalarMappable(slopes, SLOPES), f"{legend.slope} [deg]", "max")
    figure.suptitle(as_written(legend.title), x=0.01, ha="left", fontsize=11)
    figure.supxlabel("\n".join(map(as_written, footer)), x=0.01, ha="left", fontsize=8, color="0.25")
    stream = io.BytesIO()
    figure.savefig(stream, dpi=150, format="png")
    return stream.getvalue()


def shaded(view: TerrainPicture, levels: Normalize) -> np.ndarray:
    """Colours [row, column, 4] of a view by its level, lighter towards the light; transparent where there is no ground.

    Ground that is square to the eye has the colour of its level; the contrast about it is stretched, so that gentle
    ground does not look flat.
    """
    brightness = view.normals @ LIGHT - LIGHT[2]
    known = np.abs(brightness[~np.isnan(brightness)])
    spread = max(float(np.percentile(known, 98)) if known.size else 0.0, 0.02)
    light = np.clip(brightness / spread, -1.0, 1.0)[..., None]
    colours = colormaps[LEVELS](levels(view.level))
    plain = colours[..., :3]
    colours[..., :3] = np.where(light < 0.0, plain * (1.0 + 0.7 * light), plain + (1.0 - plain) * 0.5 * light)
    return np.where(np.isnan(view.level)[..., None], 0.0, colours)


def _panels(views: list[TerrainPicture], n_lines: int) -> tuple[Figure, list[tuple[Axes, Axes]]]:
    """A figure with two panels for each view, all to one scale: beside each other, or below for several views."""
    wide, high = (sum(view.extent[1] - view.extent[0] for view in views), max(_height(view) for view in views))
    words = 0.7 + 0.15 * n_lines
    if len(views) == 1:
        panel = min(max(4.9 * high / wide, 2.0), 8.0)
        figure = Figure(figsize=(_WIDTH, panel + 0.5 + words), layout="constrained")
        row = figure.subplots(1, 2)
        grid = [(row[0], row[1])]
    else:
        panel = min(max(10.2 * high / wide, 1.5), 5.0)
        figure = Figure(figsize=(_WIDTH, 2.0 * (panel + 0.65) + words), layout="constrained")
        rows = figure.subplots(2, len(views), width_ratios=[view.extent[1] - view.extent[0] for view in views])
        grid = [(rows[0][i], rows[1][i]) for i in range(len(views))]
    FigureCanvasAgg(figure)
    return figure, grid


def _height(view: TerrainPicture) -> float:
    return view.extent[3] - view.extent[2]


def _show(axes: Axes, view: TerrainPicture, colours: np.ndarray, scale: float) -> None:
    """A picture in its place; what is not ground is hatched where the view is that of ground from above."""
    left, right, bottom, top = (edge * scale for edge in view.extent)
    if view.eye == ABOVE:
        corner, size = (left, bottom), (right - left, top - bottom)
        axes.add_patch(Rectangle(corner, *size, facecolor="white", edgecolor="0.6", hatch="////", linewidth=0.0))
        if left < 0.0 < right and bottom < 0.0 < top:
            axes.plot(0.0, 0.0, "+", color="white", markersize=9, markeredgewidth=2.5, zorder=3)
            axes.plot(0.0, 0.0, "+", color="black", markersize=8, markeredgewidth=1.0, zorder=3)
    if min(view.eye.right) < 0.0:  # the coordinate falls to the right
        left, right = -left, -right
    axes.imshow(colours, extent=(left, right, bottom, top), origin="lower", interpolation="nearest", zorder=2)
    axes.set_aspect("equal")
    axes.tick_params(labelsize=8)


def _colour_bar(axes: Axes, colours: ScalarMappable, label: str, beyond: str = "neither") -> None:
    """A colour bar to the right of a panel, as high as it is."""
    place = axes.inset_axes((1.03, 0.0, 0.04, 1.0))
    bar = axes.figure.colorbar(colours, cax=place, extend=beyond)
    bar.set_label(label, fontsize=9)
    place.tick_params(labelsize=8)


def _axis_name(axis: tuple[float, float, float]) -> str:
    """The coordinate along an axis of the picture."""
    return "xyz"[int(np.argmax(np.abs(axis)))]


def _unit_of(views: list[TerrainPicture]) -> tuple[float, str]:
    """Factor and unit of the axes: kilometres for wide views."""
    widest = max(view.extent[1] - view.extent[0] for view in views)
    return (1e-3, "km") if widest >= 2e4 else (1.0, "m")


def _range(values: list[np.ndarray]) -> Normalize:
    known = np.concatenate([part[~np.isnan(part)] for part in values])
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    room = max(0.5e-3 * max(abs(low), abs(high)), 1e-6) if high <= low else 0.0
    return Normalize(low - room, high + room)


def _slope_range(views: list[TerrainPicture]) -> Normalize:
    """From level to a round number of degrees that 99 % of the picture do not exceed."""
    known = np.degrees(np.concatenate([view.slopes[~np.isnan(view.slopes)] for view in views]))
    most = float(np.percentile(known, 99)) if known.size else 1.0
    steps = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 90.0, 120.0, 180.0)
    return Normalize(0.0, next(step for step in steps if most <= step or step == steps[-1]))
