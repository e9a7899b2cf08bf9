"""How figures look: the same everywhere, legible in grey and when printed."""

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#000000", "#E69F00", "#777777")
"""A palette that colour-blind people can tell apart, dark to light where it can be."""
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 2)), (0, (8, 2)), (0, (3, 3)))
"""Every curve also has its own dash, for those who print in grey."""

_note: ContextVar[str] = ContextVar("note", default="")
_kept: ContextVar[dict[str, Figure] | None] = ContextVar("kept", default=None)


def new_figure(width: float = 7.2, height: float = 4.4) -> tuple[Figure, Axes]:
    """A figure [inch] with one pair of axes, drawn without any window system."""
    figure = Figure(figsize=(width, height))
    # fixed margins with room for five digits: laying a figure out by measuring its text takes as long as drawing it
    figure.subplots_adjust(left=0.95 / width, right=1 - 0.15 / width, bottom=0.5 / height, top=1 - 0.35 / height)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    open_frame(axes)
    return figure, axes


def new_panels(n: int, width: float = 9.6, height: float = 4.4) -> tuple[Figure, list[Axes]]:
    """A figure [inch] with axes side by side."""
    figure = Figure(figsize=(width, height))
    figure.subplots_adjust(
        left=0.8 / width, right=1 - 0.15 / width, bottom=0.5 / height, top=1 - 0.35 / height, wspace=0.16
    )
    FigureCanvasAgg(figure)
    panels = [figure.add_subplot(1, n, i + 1) for i in range(n)]
    for axes in panels:
        open_frame(axes)
    return figure, panels


def new_rows(
    n: int, width: float = 7.2, row: float = 1.6, is_shared: bool = True, first: float | None = None
) -> tuple[Figure, list[Axes]]:
    """A figure [inch] with axes below each other, over one abscissa if it `is_shared`, and room for a heading.

    `first`: height of the first of them [inch], if it is another.
    """
    rows_heights = [row if first is None else first, *[row] * (n - 1)]
    height = sum(rows_heights) + 1.0
    figure = Figure(figsize=(width, height))
    figure.subplots_adjust(
        left=0.95 / width,
        right=1 - 0.15 / width,
        bottom=0.5 / height,
        top=1 - 0.65 / height,
        hspace=0.35 if is_shared else 0.75,
    )
    FigureCanvasAgg(figure)
    rows: list[Axes] = []
    grid = figure.add_gridspec(n, 1, height_ratios=rows_heights)
    for i in range(n):
        rows.append(figure.add_subplot(grid[i], sharex=rows[0] if rows and is_shared else None))
        rows[i].tick_params(labelbottom=i == n - 1 or not is_shared)
        open_frame(rows[i])
    return figure, rows


def open_frame(axes: Axes) -> None:
    """A light grid below all that is drawn, and two spines."""
    axes.set_axisbelow(True)
    axes.grid(True, color="0.88", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def as_written(text: str) -> str:
    """A user's text for a figure: a dollar sign in it begins no formula."""
    return text.replace("$", r"\$")


def label_axes(axes: Axes, x: str, y: str, title: str, has_legend: bool = True) -> None:
    """Names what is drawn, with units, and adds the legend, beside the axes so that it hides nothing."""
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(as_written(title), loc="left")
    if has_legend:
        axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)


def curve(index: int) -> dict[str, Any]:
    """Colour, dash and width of the curve with a number."""
    return {"color": COLORS[index % len(COLORS)], "linestyle": DASHES[index % len(DASHES)], "linewidth": 1.4}


@contextmanager
def below_figures(note: str) -> Iterator[None]:
    """Writes a note below every figure that is saved meanwhile; nothing if it is empty."""
    token = _note.set(note)
    try:
        yield
    finally:
        _note.reset(token)


@contextmanager
def kept_figures() -> Iterator[dict[str, Figure]]:
    """Keeps the figures that are drawn inside, by name, in place of writing them."""
    kept: dict[str, Figure] = {}
    token = _kept.set(kept)
    try:
        yield kept
    finally:
        _kept.reset(token)


def save_figure(figure: Figure, folder: Path, name: str) -> Path:
    """Writes PNG and SVG with all that is drawn, also beside the axes, and the note; returns the PNG."""
    if note := _note.get():
        width = figure.get_size_inches()[0]
        text = "\n".join(textwrap.wrap(note, int(15 * width)))
        figure.text(0.15 / width, -0.02, as_written(text), fontsize=8, color="0.25", va="top", ha="left")
    if (kept := _kept.get()) is not None:
        kept[name] = figure
        return folder / f"{name}.png"
    box = figure.get_tightbbox().padded(0.1)  # once for both files; to draw first, as "tight" does, moves nothing here
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None}, bbox_inches=box)
    path = folder / f"{name}.png"
    figure.savefig(path, dpi=150, bbox_inches=box)
    return path
