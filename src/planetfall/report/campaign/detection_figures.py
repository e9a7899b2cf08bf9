"""Figures of a landing detector over a campaign: when it declares, and who tips over on which slope."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from planetfall.analysis.campaign.detection_rates import (
    ALL,
    CASE,
    DELAY,
    MISSED,
    SLOPE_STEP,
    detection_rates,
    tip_over_by_slope,
)
from planetfall.record.ensemble import Ensemble
from planetfall.report.style import COLORS, curve, label_axes, new_figure, new_panels, save_figure

N_BINS = 60
LEAST = 20
"""Landings that a class of slopes has at least where its interval decides the scale of the figure."""


def draw_detection(ensemble: Ensemble, folder: Path) -> Path:
    """Histogram of the time from contact to declaration, by case, and the shares of false and missed landings."""
    figure, (left, right) = new_panels(2, 10.8, 4.4)
    figure.subplots_adjust(wspace=0.55, right=0.985, bottom=0.19)
    _draw_delays(left, ensemble)
    _draw_rates(right, ensemble)
    return save_figure(figure, folder, "detection")


def _draw_delays(axes: Axes, ensemble: Ensemble) -> None:
    data = ensemble.data
    delay = data[DELAY].values
    known = np.isfinite(delay)
    parts = {name: delay[known & _of_case(ensemble, name)] for name in _cases(ensemble)}
    if known.any():
        edges = np.linspace(min(0.0, delay[known].min()), delay[known].max() + 1e-9, N_BINS + 1)
        for k, (name, values) in enumerate(parts.items()):
            counts = np.histogram(values, edges)[0]
            axes.stairs(counts, edges, label=f"{name} ({len(values)})", fill=k == 0, **_line(k))
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.7)
        axes.axvline(0.0, color="0.2", linewidth=1.0)
    missed = int(np.nansum(data[MISSED].values))
    title = f"{int(known.sum())} declared landings" + (f", {missed} missed" if missed else "")
    label_axes(axes, "from contact to declaration [s]; left of 0: in flight", "runs", title, has_legend=False)
    if len(parts) > 1:
        axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3, fontsize=9)


def _draw_rates(axes: Axes, ensemble: Ensemble) -> None:
    rates = detection_rates(ensemble.data)
    kinds = (("false", "declared in flight"), ("missed", "not declared"), ("tipped", "tipped over"))
    for k, (kind, words) in enumerate(kinds):
        found = [getattr(item, kind) for item in rates.values()]
        value = np.array([100.0 * np.nan_to_num(share.value) for share in found])
        reach = [[v - 100.0 * s.low, 100.0 * s.high - v] for v, s in zip(value, found, strict=True)]
        place = np.arange(len(rates)) + 0.24 * (k - 1)
        marks = {"fmt": "osD"[k], "color": COLORS[k], "markersize": 5, "capsize": 3, "linewidth": 1.2}
        axes.errorbar(value, place, xerr=np.abs(np.array(reach).T), label=words, **marks)  # type: ignore[arg-type]
    axes.set_yticks(range(len(rates)), [f"{name} ({item.n})" for name, item in rates.items()])
    axes.invert_yaxis()
    axes.set_xlim(left=0.0)
    axes.set_xscale("symlog", linthresh=1.0)
    axes.set_xticks([0, 0.5, 1, 10, 100], ["0", "0.5", "1", "10", "100"])
    title = ensemble.scenario.name + (", by case" if CASE in ensemble.data else "")
    label_axes(axes, "share of landings, with 95 % interval [%]", "", title, has_legend=False)
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.35, -0.14), ncols=3, fontsize=9)


def draw_tip_over(ensemble: Ensemble, folder: Path) -> Path:
    """Share of landings that tipped over against the slope of the ground, all and the most frequent case alone."""
    figure, axes = new_figure(7.2, 4.0)
    lines: dict[str, np.ndarray | None] = {ALL: None}
    most = 0.0
    cases = _cases(ensemble)
    if CASE in ensemble.data:
        lines[cases[0]] = ensemble.data[CASE].values == cases[0]
    for k, (name, kept) in enumerate(lines.items()):
        found = tip_over_by_slope(ensemble.data, kept=kept)
        middle = np.array([0.5 * sum(ends) for ends in found]) + 0.18 * (2 * k - len(lines) + 1)
        value = np.array([100.0 * share.value for share in found.values()])
        reach = [[v - 100.0 * s.low, 100.0 * s.high - v] for v, s in zip(value, found.values(), strict=True)]
        runs = sum(share.n for share in found.values())
        marks = {"fmt": "os"[k] + ("-", "--")[k], "color": COLORS[k], "markersize": 5, "capsize": 3, "linewidth": 1.2}
        axes.errorbar(middle, value, yerr=np.abs(np.array(reach).T), label=f"{name} ({runs} landings)", **marks)  # type: ignore[arg-type]
        whiskers = [100.0 * share.high for share in found.values() if share.n >= LEAST]
        most = max(most, *value, *whiskers, 0.0)  # of small classes the value shows, not all of its whisker
    axes.set_ylim(0.0, 1.15 * most if most > 0.0 else 100.0)
    axes.set_xlim(left=0.0)
    title = f"{ensemble.scenario.name}: tipped over, by slope"
    label_axes(
        axes, f"slope of the ground [deg], classes of {SLOPE_STEP:g}", "tipped over, with 95 % interval [%]", title
    )
    return save_figure(figure, folder, "tip_over")


def _cases(ensemble: Ensemble) -> list[str]:
    return [name for name in detection_rates(ensemble.data) if name != ALL] or [ALL]


def _of_case(ensemble: Ensemble, name: str) -> np.ndarray:
    if CASE not in ensemble.data:
        return np.ones(ensemble.data.sizes["run"], dtype=bool)
    return ensemble.data[CASE].values == name


def _line(k: int) -> dict[str, Any]:
    """The most frequent case is a pale area, the others are outlines."""
    return {"color": "#c9dcec"} if k == 0 else {**curve(k), "linewidth": 1.5}
