"""The figures of a result by name, as matplotlib's axes."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from planetfall.arguments import nearest, text
from planetfall.errors import InputError
from planetfall.report.result_figures import draw_result
from planetfall.report.style import kept_figures

if TYPE_CHECKING:
    from planetfall.record.ensemble import Ensemble
    from planetfall.record.trajectory import Trajectory

FIRST = ("altitude_over_speed", "way", "plan", "track", "landing")
"""Kinds of which the first that a result has is drawn when none is named."""
MARGIN = 0.1
"""White around a figure [inch]."""


def plot(result: "Trajectory[Any] | Ensemble", kind: str | None = None) -> Any:
    """Draws one figure, and makes it pyplot's current one, so that notebooks and `pyplot.show` show it.

    Returns:
        The axes; an array of axes where the figure has several.

    Raises:
        InputError: The result has no figure of that kind; the message lists those that it has.
    """
    figures = figures_of(result)
    name = kind_named(kind, list(figures))
    figure = figures[name]
    widen_to_content(figure)
    _make_current(figure)
    axes = figure.axes
    return axes[0] if len(axes) == 1 else np.array(axes, dtype=object)


def figures_of(result: "Trajectory[Any] | Ensemble") -> dict[str, Figure]:
    """All figures of a result by kind, drawn and not saved."""
    with kept_figures() as kept:
        draw_result(result)
    return kept


def kind_named(kind: str | None, kinds: list[str]) -> str:
    """The kind that is meant; the most telling one where none is named. Hyphens and spaces count as underscores."""
    if kind is None:
        return next((first for first in FIRST if first in kinds), kinds[0])
    name = text("kind", kind).strip().lower().replace("-", "_").replace(" ", "_")
    if name not in kinds:
        raise InputError(
            "kind", f"this result has no figure {kind!r}{nearest(name, kinds)}", f"one of {', '.join(kinds)}"
        )
    return name


def widen_to_content(figure: Figure) -> None:
    """Makes a figure as large as all that is drawn, also beside its axes: a legend is not cut off when it is saved."""
    figure.draw_without_rendering()
    box, (width, height) = figure.get_tightbbox().padded(MARGIN), figure.get_size_inches()
    places = [(axes, axes.get_position(original=True)) for axes in figure.axes]
    texts = [(words, words.get_position()) for words in figure.texts]
    for axes, place in places:
        left, bottom = (place.x0 * width - box.x0) / box.width, (place.y0 * height - box.y0) / box.height
        axes.set_position((left, bottom, place.width * width / box.width, place.height * height / box.height))
    for words, (x, y) in texts:
        words.set_position(((x * width - box.x0) / box.width, (y * height - box.y0) / box.height))
    figure.set_size_inches(box.width, box.height)


def _make_current(figure: Figure) -> None:
    """Hands a figure to pyplot, which shows it in a notebook and in windows, as if pyplot had made it."""
    from matplotlib import pyplot

    def made(*_: Any, **__: Any) -> Figure:
        return figure

    pyplot.figure(FigureClass=made)  # type: ignore[arg-type]
