"""How figures look: the same everywhere, legible in grey and when printed."""

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#000000", "#E69F00", "#777777")
"""A palette that colour-blind people can tell apart, dark to light where it can be."""
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 2)), (0, (8, 2)), (0, (3, 3)))
"""Every curve also has its own dash, for those who print in grey."""


def new_figure(width: float = 7.2, height: float = 4.4) -> tuple[Figure, Axes]:
    """A figure [inch] with one pair of axes, drawn without any window system."""
    figure, (axes,) = new_panels(1, width, height)
    return figure, axes


def new_panels(n: int, width: float = 7.2, height: float = 4.4) -> tuple[Figure, list[Axes]]:
    """A figure [inch] with n pairs of axes above each other that share the horizontal one."""
    figure = Figure(figsize=(width, height))
    # fixed margins with room for five digits: laying a figure out by measuring its text takes as long as drawing it
    figure.subplots_adjust(
        left=0.95 / width, right=1 - 0.15 / width, bottom=0.5 / height, top=1 - 0.35 / height, hspace=0.12
    )
    FigureCanvasAgg(figure)
    panels = list(figure.subplots(n, 1, sharex=True, squeeze=False)[:, 0])
    for axes in panels:
        axes.grid(True, color="0.88", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    return figure, panels


def as_written(text: str) -> str:
    """A user's text for a figure: a dollar sign in it begins no formula."""
    return text.replace("$", r"\$")


def label_axes(axes: Axes, x: str, y: str, title: str, columns: int = 1, has_legend: bool = True) -> None:
    """Names what is drawn, with units, and adds the legend."""
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(as_written(title), loc="left")
    if has_legend:
        axes.legend(frameon=False, ncols=columns)


def curve(index: int) -> dict[str, Any]:
    """Colour, dash and width of the curve with a number."""
    return {"color": COLORS[index % len(COLORS)], "linestyle": DASHES[index % len(DASHES)], "linewidth": 1.4}


def save_figure(figure: Figure, folder: Path, name: str) -> Path:
    """Writes PNG and SVG; returns the PNG."""
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    path = folder / f"{name}.png"
    figure.savefig(path, dpi=150)
    return path
