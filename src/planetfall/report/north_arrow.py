"""An arrow to true north, for pictures from above whose axes have equal scales."""

import math

import numpy as np
from matplotlib.axes import Axes

LENGTH = 26.0
"""Of the arrow [point]."""


def north_arrow(axes: Axes, north: float) -> None:
    """An arrow to true north in the upper right corner; `north` is counted clockwise from up [rad]."""
    middle, ahead = (0.92, 0.9), 0.5 * LENGTH * np.array([math.sin(north), math.cos(north)])
    box = {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
    # in points, so that the shape of the axes does not turn it
    axes.annotate("", xy=middle, xytext=tuple(-2.0 * ahead), xycoords="axes fraction", textcoords="offset points",
                  arrowprops={"arrowstyle": "-|>", "color": "black", "linewidth": 1.5}, zorder=4)  # fmt: skip
    axes.annotate("N", xy=middle, xytext=tuple(-2.9 * ahead), xycoords="axes fraction", textcoords="offset points",
                  ha="center", va="center", fontsize=9, bbox=box, zorder=4)  # fmt: skip
