"""Figures of a campaign of flights: landing ellipse, misses, parachute, timeline, touchdown and propellant."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from planetfall.analysis.campaign.flight_statistics import (
    HOLDS,
    LINE,
    SIGMAS,
    places_of,
    published_ellipse,
    quantiles_of,
)
from planetfall.analysis.campaign.intervals import runs_needed
from planetfall.analysis.campaign.landing_ellipse import Ellipse, landing_ellipse
from planetfall.engine.mechanisms.air.parachute import mounted, places_of_parachutes
from planetfall.flight.mount_flight import phase_names
from planetfall.outcome import Outcome
from planetfall.record.ensemble import Ensemble
from planetfall.record.flight_numbers import MISS, PHASES, PROPELLANT
from planetfall.report.style import COLORS, as_written, label_axes, new_figure, new_panels, save_figure
from planetfall.scenario.scenario import Scenario

KM = 1e-3
MAP_WIDTH = 5.4
"""Of the axes of the map [inch]; their height follows from what is drawn."""
DOTS = {"markersize": 3.5, "alpha": 0.5, "markeredgewidth": 0, "linestyle": "none"}
FAILED = {"marker": "X", "markersize": 8, "color": "#D55E00", "markeredgecolor": "black", "markeredgewidth": 0.7}


def draw_flights(ensemble: Ensemble, folder: Path) -> list[Path]:
    """Every figure that the runs give rise to; the PNG files."""
    drawn = [draw_ellipse(ensemble, folder)] if len(places_of(ensemble.data)[0]) >= 3 else []
    drawn += [draw_misses(ensemble, folder)] if _count(ensemble, f"out.{MISS}") > 1 else []
    for place, (_, parachute) in zip(places_of_parachutes(ensemble.scenario), mounted(ensemble.scenario), strict=True):
        if _count(ensemble, f"out.{place}.deploy_mach") > 1:
            drawn.append(draw_parachute(ensemble, folder, place, parachute.name))
    drawn += [draw_timeline(ensemble, folder)] if _timed(ensemble) else []
    drawn += [draw_touchdown(ensemble, folder)] if _count(ensemble, "out.touchdown_s") > 1 else []
    return drawn


def _count(ensemble: Ensemble, name: str) -> int:
    return int(np.isfinite(ensemble.data[name].values).sum()) if name in ensemble.data else 0


def draw_ellipse(ensemble: Ensemble, folder: Path) -> Path:
    """Where the runs came down about the site, the ellipse of their covariance, and the published one."""
    places, which = places_of(ensemble.data)
    own, published = landing_ellipse(places), published_ellipse(ensemble.scenario)
    outlines = [places, *([] if own is None else [own.outline(SIGMAS)])]
    outlines += [np.zeros((1, 2))] if published is None else [published.outline(1.0)]
    span = np.ptp(np.vstack(outlines), axis=0)
    high = float(np.clip(1.15 * MAP_WIDTH * span[1] / max(span[0], 1.0), 1.6, 4.6))
    figure, axes = new_figure(MAP_WIDTH + 3.2, high + 0.9)
    figure.subplots_adjust(right=(MAP_WIDTH + 0.95) / (MAP_WIDTH + 3.2))
    failed = np.array([Outcome[str(name)].is_failure for name in ensemble.data.outcome.values[which]])
    axes.plot(*(KM * places[~failed]).T, "o", color=COLORS[0], label=f"landed: {np.sum(~failed)}", **DOTS)
    if failed.any():
        axes.plot(*(KM * places[failed]).T, linestyle="none", label=f"lost: {failed.sum()}", **FAILED)
    if own is not None:
        axes.plot(*(KM * own.outline(SIGMAS)).T, color="black", linewidth=1.3, label=_own_label(own, places))
    if published is not None:
        length, width = 2 * KM * published.semi_axes
        inside = published.share_inside(places, 1.0)
        label = f"published, {length:.3g} x {width:.3g} km:\n{inside:.1%} inside"
        axes.plot(*(KM * published.outline(1.0)).T, "--", color=COLORS[2], linewidth=1.3, label=label)
    axes.plot(0.0, 0.0, "+", color="black", markersize=12, markeredgewidth=1.6, label="site", linestyle="none")
    axes.set_aspect("equal", adjustable="datalim")
    title = f"{ensemble.scenario.name}: where {len(places)} of {ensemble.data.sizes['run']} runs came down"
    label_axes(axes, "east of the site [km]", "north of the site [km]", title, has_legend=False)
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=9, labelspacing=0.9)
    return save_figure(figure, folder, "landing_ellipse")


def _own_label(ellipse: Ellipse, places: np.ndarray) -> str:
    length, width = 2 * KM * SIGMAS * ellipse.semi_axes
    size = f"a line of {length:.3g} km" if width < LINE * length else f"{length:.3g} x {width:.3g} km"
    inside = ellipse.share_inside(places, SIGMAS)
    return f"ellipse of {HOLDS:.0%} of a normal\ndistribution, {size},\nfrom {len(places)} runs: {inside:.1%} inside"


def draw_misses(ensemble: Ensemble, folder: Path) -> Path:
    """How far from the site the runs came down, with the quantiles that are known, and what was flown."""
    values = KM * _finite(ensemble, f"out.{MISS}")
    figure, axes = new_figure(7.2, 3.6)
    _histogram(axes, values)
    for p, dash, name in ((0.5, ":", "median"), (0.99, "--", "99 %")):
        if len(values) < runs_needed(p):
            continue
        at = float(np.quantile(values, p))
        axes.axvline(at, color="0.25", linestyle=dash, linewidth=1.2, label=f"{name}: {at:.3g} km")
    comparison = ensemble.scenario.comparison
    if comparison is not None and comparison.miss is not None:
        flown = KM * comparison.miss
        nearer = np.mean(values <= flown)
        axes.axvline(
            flown, color="#D55E00", linewidth=1.6, label=f"flown: {flown:.3g} km\n({nearer:.1%} of runs nearer)"
        )
    axes.set_xlim(left=0.0)
    label_axes(axes, "distance from the site [km]", "runs", f"{ensemble.scenario.name}: miss of {len(values)} runs")
    return save_figure(figure, folder, "miss")


def draw_parachute(ensemble: Ensemble, folder: Path, place: str, name: str) -> Path:
    """Mach number and dynamic pressure at which a parachute was fired, in its box, and at what height."""
    data = ensemble.data
    mach, pressure, height = (
        data[f"out.{place}.deploy_{what}"].values for what in ("mach", "dynamic_pressure_Pa", "altitude_m")
    )
    figure, axes = new_figure(7.2, 4.2)
    dots = axes.scatter(mach, pressure, s=12, c=KM * height, cmap="viridis", linewidths=0, alpha=0.8)
    bar = figure.colorbar(dots, ax=axes, pad=0.02)
    bar.set_label("altitude [km]")
    bar.outline.set_visible(False)  # type: ignore[operator]  matplotlib declares it as a spine
    box = next((one.box for _, one in mounted(ensemble.scenario) if one.name == name), None)
    title = f"{as_written(name)}: fired in {int(np.isfinite(mach).sum())} of {len(mach)} runs"
    if box is not None:
        low, high = (box.mach_min, box.dynamic_pressure_min), (box.mach_max, box.dynamic_pressure_max)
        corner = (low[0] or 0.0, low[1] or 0.0)
        size = [(top if top is not None else 2 * np.nanmax(values)) - start
                for top, start, values in zip(high, corner, (mach, pressure), strict=True)]  # fmt: skip
        axes.add_patch(Rectangle(corner, *size, fill=False, edgecolor="black", linestyle="--", linewidth=1.2))
        is_inside = [not box.violations(float(m), float(q)) for m, q in zip(mach, pressure, strict=True) if m == m]
        title += f", {sum(is_inside)} of them inside its box"
        axes.autoscale_view()
    label_axes(axes, "Mach number", "dynamic pressure [Pa]", title, has_legend=False)
    return save_figure(
        figure, folder, "parachute" if place == "parachute" else f"parachute_of_{name.replace(' ', '_')}"
    )


def _timed(ensemble: Ensemble) -> list[str]:
    """Phases, but for the first, that some runs came to and whose height is known."""
    names = phase_names(ensemble.scenario)[0][1:]
    return [name for name in names if _count(ensemble, f"out.{PHASES}{name}.altitude_m") > 1]


def draw_timeline(ensemble: Ensemble, folder: Path) -> Path:
    """When and how high each phase began, 1 % to 99 % of the runs."""
    names = _timed(ensemble)
    panels_of = {"begins_s": "time from the start [s]", "altitude_m": "altitude [km]", "velocity_m_s": "speed [m/s]"}
    figure, panels = new_panels(3, 10.5, 1.3 + 0.32 * len(names))
    figure.subplots_adjust(left=(0.35 + 0.075 * max(map(len, names))) / 10.5)
    for axes, (what, label) in zip(panels, panels_of.items(), strict=True):
        scale = KM if what == "altitude_m" else 1.0
        for i, name in enumerate(names):
            low, middle, high = scale * np.array(quantiles_of(ensemble.data[f"out.{PHASES}{name}.{what}"].values))
            axes.plot([low, high], [i, i], color="#56B4E9", linewidth=5, solid_capstyle="butt")
            axes.plot(middle, i, "|", color="black", markersize=9, markeredgewidth=1.6)
        axes.set_yticks(
            range(len(names)), [as_written(name) for name in names] if axes is panels[0] else [""] * len(names)
        )
        axes.set_ylim(len(names) - 0.5, -0.5)
        title = f"when each phase began: {_ends(ensemble, names)}" if axes is panels[0] else ""
        label_axes(axes, label, "", title, has_legend=False)
    panels[2].set_xscale("log")
    return save_figure(figure, folder, "timeline")


def _ends(ensemble: Ensemble, names: list[str]) -> str:
    """What the bars of the timeline reach to."""
    counts = [_count(ensemble, f"out.{PHASES}{name}.begins_s") for name in names]
    is_enough = [count >= runs_needed(0.99) for count in counts]
    if all(is_enough):
        return "1 %, median, 99 % of the runs"
    return "first, median and last run" if not any(is_enough) else "1 %, median, 99 % (few runs: first and last)"


def draw_touchdown(ensemble: Ensemble, folder: Path) -> Path:
    """Speeds along and across the plumb line at touchdown, and the propellant that is left, with their limits."""
    shown = ("out.touchdown_vertical_m_s", "out.touchdown_horizontal_m_s", f"out.{PROPELLANT}")
    names = [name for name in shown if _count(ensemble, name) > 1]
    labels = ("vertical speed at touchdown [m/s]", "horizontal speed at touchdown [m/s]", "propellant left [kg]")
    figure, panels = new_panels(len(names), 3.5 * len(names) + 0.6, 3.4)
    for axes, name in zip(panels, names, strict=True):
        values = _finite(ensemble, name)
        _histogram(axes, values)
        title = f"{len(values)} runs, median {np.median(values):.3g}"
        left, right = axes.get_xlim()
        for words, bound in _bounds(ensemble.scenario, name.removeprefix("out.")):
            title += f", {words} {bound:g}"
            if 2 * left - right < bound < 2 * right - left:  # one far off would leave no room for the runs
                axes.axvline(bound, color="#D55E00", linestyle="--", linewidth=1.3)
        axes.locator_params(axis="x", nbins=5)
        label_axes(axes, labels[shown.index(name)], "runs" if axes is panels[0] else "", "", has_legend=False)
        axes.set_title(title, loc="left", fontsize=9)
    return save_figure(figure, folder, "touchdown")


def _histogram(axes: Axes, values: np.ndarray) -> None:
    axes.hist(values, int(np.clip(np.sqrt(len(values)), 8, 40)), color="#56B4E9", edgecolor="white", linewidth=0.5)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))


def _bounds(scenario: Scenario, of: str) -> list[tuple[str, float]]:
    """What the limits allow of a number."""
    limits = (limit for limit in scenario.limits.values() if limit.of == of)
    pairs = (pair for limit in limits for pair in (("at least", limit.min), ("at most", limit.max)))
    return [(words, bound) for words, bound in pairs if bound is not None]


def _finite(ensemble: Ensemble, name: str) -> np.ndarray:
    values = ensemble.data[name].values
    return values[np.isfinite(values)]
