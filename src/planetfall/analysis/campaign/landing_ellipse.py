"""Where the runs of a campaign ended: the ellipse of their covariance, the hull around all of them, their spread."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from planetfall.analysis.campaign.intervals import Interval, bootstrap, runs_needed
from planetfall.analysis.run.places import are_down
from planetfall.scenario.scenario import Scenario
from planetfall.world.terrain.surface import Surface
from planetfall.world.terrain.surface_axes import SurfaceAxes

RADII = (0.5, 0.9, 0.99)
"""Shares of the runs that a circle about their mean is to hold; the first is the circular error probable."""
RESAMPLES = 400


@dataclass(frozen=True)
class Landing:
    """Places on the ground.

    Attributes:
        points: [run, 2] [m]: x and y in a site's frame; on a whole body, in the tangent plane under their mean.
        runs: Which runs they belong to.
        labels: Names of the two axes.
        origin: Where both coordinates are zero, surface frame [m].
        axes: [3, 3] unit vectors along the two coordinates and up, surface frame.
    """

    points: np.ndarray
    runs: np.ndarray
    labels: tuple[str, str]
    origin: np.ndarray
    axes: np.ndarray


@dataclass(frozen=True)
class Ellipse:
    """The ellipse of one standard deviation of points in a plane.

    Attributes:
        center: Mean of the points, (2,) [m].
        semi_axes: Standard deviations along the principal axes, the larger first [m].
        angle: From the first coordinate to the larger axis [rad].
    """

    center: np.ndarray
    semi_axes: np.ndarray
    angle: float

    def outline(self, sigmas: float, n: int = 181) -> np.ndarray:
        """Points [n, 2] along the ellipse of some standard deviations."""
        turn = np.linspace(0.0, 2.0 * np.pi, n)
        axes = np.array([[np.cos(self.angle), -np.sin(self.angle)], [np.sin(self.angle), np.cos(self.angle)]])
        return self.center + (sigmas * self.semi_axes * np.column_stack([np.cos(turn), np.sin(turn)])) @ axes.T

    def share_inside(self, points: np.ndarray, sigmas: float) -> float:
        """Share of some points inside the ellipse of k standard deviations; of normal ones it is 1 - exp(-k^2/2)."""
        along = np.array([np.cos(self.angle), np.sin(self.angle)])
        away = points - self.center
        first, second = away @ along, away @ np.array([-along[1], along[0]])
        with np.errstate(divide="ignore", invalid="ignore"):  # a line has no second axis
            distance = (first / self.semi_axes[0]) ** 2 + np.nan_to_num((second / self.semi_axes[1]) ** 2)
        return float(np.mean(distance <= sigmas**2))


def came_down(data: xr.Dataset) -> np.ndarray:
    """Which runs of a campaign [run] ended at a place on the ground."""
    positions = np.column_stack([data[name].values for name in ("x_m", "y_m", "z_m")])
    has_touched = np.isfinite(data.first_touch_s.values)
    return np.isfinite(positions).all(axis=1) & are_down(data.outcome.values, has_touched)


def landing_of(data: xr.Dataset, axes: SurfaceAxes = SurfaceAxes(None)) -> Landing:  # noqa: B008  frozen
    """Where the runs came down, those that did; `axes` says what x and y of a site's frame are."""
    positions = np.column_stack([data[name].values for name in ("x_m", "y_m", "z_m")])
    is_down = came_down(data)
    positions, runs = positions[is_down], data.run.values[is_down]
    if data.attrs["surface_frame"] == "L":
        return Landing(positions[:, :2], runs, axes.labels, np.zeros(3), np.eye(3))
    mean, tangents = _tangent(positions)
    points = (positions - mean) @ tangents[:2].T
    return Landing(points, runs, ("east of the mean [m]", "north of the mean [m]"), mean, tangents)


def landing_ellipse(points: np.ndarray) -> Ellipse | None:
    """The ellipse of points [n, 2]; None for fewer than three."""
    if len(points) < 3:
        return None
    variances, axes = np.linalg.eigh(np.cov(points.T))
    larger = axes[:, 1]
    angle = float(np.arctan2(larger[1], larger[0])) % np.pi
    return Ellipse(points.mean(axis=0), np.sqrt(np.maximum(variances[::-1], 0.0)), angle)


def landing_hull(points: np.ndarray) -> np.ndarray:
    """Corners [n, 2] of the smallest convex outline of points [n, 2]; none where they lie on a line."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return points[ConvexHull(points).vertices]
    except (QhullError, ValueError):
        return np.empty((0, 2))


def relief(surface: Surface, landing: Landing, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Heights of the ground [len(second), len(first)] [m] over the plane of a landing, seen from above; NaN: none."""
    up = landing.axes[2]
    box = landing.origin[None] if surface.box is None else np.array(np.meshgrid(*surface.box.T)).reshape(3, -1).T
    top = 1.0 + float(np.max((box - landing.origin) @ up))
    places = np.stack(np.meshgrid(first, second), axis=-1).reshape(-1, 2)
    starts = landing.origin + places @ landing.axes[:2] + top * up
    ranges, _ = surface.cast(starts, np.tile(-up, (len(starts), 1)), np.inf)
    return (top - ranges).reshape(len(second), len(first))


def _tangent(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean place on a body; east, north and up there, north in the plane across its radius."""
    mean = positions.mean(axis=0) if len(positions) else np.array([0.0, 0.0, 1.0])
    up = mean / (np.linalg.norm(mean) or 1.0)
    east = np.cross([0.0, 0.0, 1.0], up)
    if np.linalg.norm(east) < 1e-9:
        east = np.array([1.0, 0.0, 0.0])
    east = east / np.linalg.norm(east)
    return mean, np.array([east, np.cross(up, east), up])


def ground_note(scenario: Scenario) -> str:
    """What a picture of a campaign's ground has to say where the runs had grounds of their own; else nothing."""
    keys = sorted(key for key in scenario.dispersions if key.partition(".")[0] == "terrain")
    if not keys:
        return ""
    return (
        f"Every run had its own ground ({', '.join(keys)} dispersed). The nominal ground is shown, so that places may "
        "lie above or below it; the replay of a run shows its own."
    )


def landing_spread(points: np.ndarray, confidence: float = 0.95) -> dict[str, Interval]:
    """Axes of one standard deviation and radii about the mean [m] of places [run, 2]; nothing for fewer than three.

    A radius is given where the runs are enough for such a quantile.

    The mean is that of each resample too, so that not knowing it is part of the intervals.
    """
    if len(points) < 3:
        return {}
    shares = [share for share in RADII if len(points) >= runs_needed(share)]
    statistics = {
        "larger standard deviation": lambda some: _semi_axis(some, 0),
        "smaller standard deviation": lambda some: _semi_axis(some, 1),
        **{f"radius that holds {share:.0%}": lambda some, share=share: radius_of(some, share) for share in shares},
    }
    return {name: bootstrap(points, statistic, confidence, RESAMPLES) for name, statistic in statistics.items()}


def radius_of(points: np.ndarray, share: float) -> float:
    """Radius of the circle about the mean of places [run, 2] that holds a share of them [m]."""
    away = points - points.mean(axis=0)
    return float(np.quantile(np.hypot(away[:, 0], away[:, 1]), share))


def _semi_axis(points: np.ndarray, which: int) -> float:
    ellipse = landing_ellipse(points)
    return float("nan") if ellipse is None else float(ellipse.semi_axes[which])
