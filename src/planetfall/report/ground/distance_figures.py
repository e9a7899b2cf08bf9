"""Figures of a signed distance field: a section through the body, and what octaves of noise do to its surface.

After VanWal2017, Figures 1 and 4.
"""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm

from planetfall.report.style import COLORS, curve, label_axes, new_figure, new_panels, save_figure
from planetfall.world.terrain.sdf.cell import BRICK
from planetfall.world.terrain.surface import Surface

N_LEVELS = 28
"""Shades of a section, about."""


def section(surface: Surface, middle: np.ndarray, along: np.ndarray, up: np.ndarray, half: float, n: int) -> np.ndarray:
    """Gaps [row, column] [m] on a square: its `middle` [m], its unit axes, half its side [m], n points a side."""
    t = np.linspace(-half, half, n)
    points = middle + t[:, None, None] * up + t[None, :, None] * along
    return surface.ask(points.reshape(-1, 3))[0].reshape(n, n)


def draw_section(surface: Surface, half: float, height: float, folder: Path) -> Path:
    """The field on the plane y = 0, to `half` along x and `height` along z [m]: distance, the surface, and bricks.

    Where there are none, inside as outside, the values are those of the coarse nodes, eight cells apart.
    """
    t = np.linspace(-half, half, 401)
    rows = np.abs(t) <= height
    gaps = section(surface, np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), half, 401)[rows]
    figure, axes = new_figure(8.8, 3.6)
    figure.subplots_adjust(right=0.93)
    step = round_step((gaps.max() - gaps.min()) / N_LEVELS)
    levels = step * np.arange(np.floor(gaps.min() / step), np.ceil(gaps.max() / step) + 1)
    norm = TwoSlopeNorm(0.0, levels[0], levels[-1])
    drawn = axes.contourf(t, t[rows], gaps, levels=levels, cmap="RdBu", norm=norm)
    drawn.set_rasterized(True)  # some hundred polygons of thousands of corners each otherwise
    axes.contour(t, t[rows], gaps, levels=[0.0], colors="black", linewidths=1.2)
    _outline_bricks(surface, axes)
    figure.colorbar(
        drawn, ax=axes, fraction=0.04, pad=0.02, label="gap [m]", ticks=levels[np.round(levels / step) % 4 == 0]
    )
    axes.set_aspect("equal")
    axes.set_xlim(-half, half)
    axes.set_ylim(-height, height)
    label_axes(
        axes, "x [m]", "z [m]", "signed distance on the plane y = 0; grey: bricks of fine nodes", has_legend=False
    )
    return save_figure(figure, folder, "section")


def round_step(least: float) -> float:
    """The smallest of 1, 2, 2.5, 5 times a power of ten that is no less."""
    power = 10.0 ** np.floor(np.log10(least))
    return float(power * next(factor for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if factor * power >= least))


def _outline_bricks(surface: Surface, axes: Axes) -> None:
    """Squares where the plane y = 0 cuts a brick."""
    grid = surface.params.grid
    at, origin = grid.brick_at.numpy(), np.array(grid.origin)
    side = BRICK * float(grid.spacing)
    j = int(np.floor(-origin[1] / side))
    if 0 <= j < at.shape[1]:
        for i, k in np.argwhere(at[:, j, :] >= 0):
            corner = origin[[0, 2]] + side * np.array([i, k])
            ring = corner + side * np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]])
            axes.plot(ring[:, 0], ring[:, 1], color="0.45", linewidth=0.4)


def draw_octaves(surfaces: dict[str, Surface], place: np.ndarray, half: float, folder: Path) -> Path:
    """The surface near a place, seen edge on, one panel for each field; up is the first one's normal there."""
    figure, panels = new_panels(len(surfaces), width=9.6, height=2.4)
    normal = next(iter(surfaces.values())).ask(place)[1][0]
    out = normal / np.linalg.norm(normal)
    along = np.cross([0.0, 1.0, 0.0], out)
    along /= np.linalg.norm(along)
    t = np.linspace(-half, half, 300)
    for i, (axes, (name, surface)) in enumerate(zip(panels, surfaces.items(), strict=True)):
        gaps = section(surface, place, along, out, half, 300)
        axes.contourf(t, t, gaps, levels=[-np.inf, 0.0], colors=["0.9"])
        axes.contour(t, t, gaps, levels=[0.0], colors=[COLORS[0]], linewidths=curve(0)["linewidth"])
        axes.set_aspect("equal")
        axes.set_ylim(-0.5 * half, 0.5 * half)
        label_axes(axes, "along the ground [m]", "up [m]" if i == 0 else "", name, has_legend=False)
    return save_figure(figure, folder, "octaves")
