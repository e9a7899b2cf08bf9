"""Ground forces of a hopper on a small body: impacts a thousand times its weight, and hours of rest between and after.

On one linear axis over the whole run these are spikes and a line of zero. So the forces have a logarithmic axis, and
below it each point has a row that shows when it touches the ground.
"""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from planetfall.record.trajectory import Trajectory
from planetfall.report.style import as_written, curve, label_axes, new_rows, save_figure
from planetfall.world.gravity.field import acceleration_at

SPIKE = 100.0
"""Largest force of a point over the weight beyond which a linear axis shows spikes alone (assumed)."""
LEAST = 1e-6
"""Share of the largest force below which none is drawn."""
SHORTEST = 2e-3
"""Share of the time axis that an interval is at least wide, so that an impact is seen (drawn, not computed)."""
ROOM = 0.02
"""Time before the first touch, as a share of what is shown."""
MOST_ROWS = 16
"""Points that get a row of their own."""


def is_hop(trajectory: Trajectory) -> bool:
    """Whether impacts of a vehicle alone were so much harder than its weight that this would be a line of zero."""
    scenario, data = trajectory.scenario, trajectory.data
    if scenario.companions or scenario.flight is not None or not data.contact_mode.values.any():
        return False
    pull = float(np.linalg.norm(acceleration_at(scenario, data.position.values[-1, 0])))
    weight = float(data.mass.values[-1, 0]) * pull
    return float(np.nanmax(data.contact_normal_force.values)) > SPIKE * weight


def contact_intervals(trajectory: Trajectory) -> dict[int, list[tuple[float, float]]]:
    """From when to when [s] each point that touched was in contact, by the point's index."""
    end, open_since = float(trajectory.data.time.values[-1]), {}
    spans: dict[int, list[tuple[float, float]]] = {}
    for event in trajectory.events:
        if event.kind == "touch":
            open_since.setdefault(event.point, event.time)
            spans.setdefault(event.point, [])
        elif event.kind == "lift_off" and event.point in open_since:
            spans[event.point].append((open_since.pop(event.point), event.time))
    for point, since in open_since.items():
        spans[point].append((since, end))
    return dict(sorted(spans.items()))


def draw_hop_forces(trajectory: Trajectory, folder: Path) -> Path:
    """The normal force of all points together from the first touch on, and when each of them touches."""
    data, spans = trajectory.data, contact_intervals(trajectory)
    time, total = data.time.values, data.contact_normal_force.values.sum(axis=1)
    touched = time[data.contact_mode.values.any(axis=1)]
    first = min([own[0][0] for own in spans.values() if own], default=float(touched[0]))
    first, last = min(first, float(touched[0])), float(time[-1])
    low = LEAST * float(np.nanmax(total))
    figure, (above, below) = new_rows(2, row=1.2 + 0.2 * min(len(spans), MOST_ROWS), first=2.6)
    above.plot(time, np.where(total > low, total, np.nan), marker=".", markersize=3, **curve(0))
    above.set_yscale("log")
    _draw_spans(below, {str(data.point.values[i]): own for i, own in spans.items()}, SHORTEST * (last - first))
    below.set_xlim(first - ROOM * (last - first), last)
    title = f"{trajectory.scenario.name}: forces and contacts from the first touch on"
    label_axes(above, "", "normal force,\nall points [N]", title, has_legend=False)
    label_axes(below, "time [s]", "in contact", "", has_legend=False)
    figure.align_ylabels([above, below])
    return save_figure(figure, folder, "normal_force")


def _draw_spans(axes: Axes, spans: dict[str, list[tuple[float, float]]], least: float) -> None:
    """A row of bars for each name, or one for all where these are too many."""
    if len(spans) > MOST_ROWS:
        spans = {f"{len(spans)} points": [span for own in spans.values() for span in own]}
    for row, own in enumerate(spans.values()):
        bars = [(start, max(end - start, least)) for start, end in own]
        axes.broken_barh(bars, (row - 0.35, 0.7), color=curve(0)["color"], linewidth=0.0)
    axes.set_yticks(range(len(spans)), [as_written(name) for name in spans], fontsize=8)
    axes.set_ylim(len(spans) - 0.5, -0.5)
    axes.grid(False, axis="y")
