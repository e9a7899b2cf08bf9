"""Figures of a campaign: how runs ended, where, how widely, how surely, and what it hung on."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from planetfall.analysis.campaign.detection_rates import has_detections
from planetfall.analysis.campaign.ensemble_summary import outcome_shares
from planetfall.analysis.campaign.flight_statistics import has_flights
from planetfall.analysis.campaign.intervals import (
    Interval,
    converging_mean,
    converging_quantile,
    converging_share,
    ladder,
    runs_needed,
)
from planetfall.analysis.campaign.landing_ellipse import Landing, landing_ellipse, landing_hull, landing_of, relief
from planetfall.analysis.campaign.sensitivity import rank_correlations
from planetfall.analysis.campaign.settling import sweeps_of
from planetfall.errors import InputError
from planetfall.outcome import Outcome
from planetfall.record.ensemble import Ensemble
from planetfall.record.labels import label_of
from planetfall.record.rows import IS_LIT
from planetfall.report.campaign.detection_figures import draw_detection, draw_tip_over
from planetfall.report.campaign.flight_campaign_figures import draw_flights
from planetfall.report.campaign.settling_figure import draw_settling
from planetfall.report.campaign.sunlight_figure import draw_sunlight
from planetfall.report.north_arrow import north_arrow
from planetfall.report.style import (
    COLORS,
    as_written,
    below_figures,
    curve,
    label_axes,
    new_figure,
    new_panels,
    save_figure,
)
from planetfall.scenario.dispersions.keys import is_bare_plane
from planetfall.scenario.dispersions.linked import DispersionEqual
from planetfall.scenario.files.changed_keys import changes_text
from planetfall.scenario.tables.run.start import start_attitude
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.surface_axes import axes_of

SPREADS = ("first_touch_s", "rest_s", "distance_m", "peak_force_N")
"""Results whose distribution is part of every page."""
HUNG_ON = ("distance_m", "rest_s", "peak_force_N")
"""Results whose sensitivity to what was drawn is part of every page."""
SPREADS_OF_FLIGHTS = ("out.touchdown_s", "out.miss_m", "out.peak_g", "out.peak_heating_W_m2")
HUNG_ON_OF_FLIGHTS = ("x_m", "y_m", "out.parachute.deploy_mach", "out.propellant_left_kg")
"""The same of flights to a site; x and y, not the miss, which grows on either side of the site."""
MANY_DOTS = 4_000
"""Places that are drawn one by one, for each outcome. More of the most frequent one are counted in cells, as dots would
hide each other; of another one that many are drawn."""
HEXAGONS = 60
"""Cells across."""
MAX_BARS = 12
"""Inputs whose correlation is drawn, the strongest."""
FEW = 60
"""Failures up to which their marks are large (assumed)."""
COMMON = 0.1
"""Share of all runs above which failures are drawn like any other end: on top they would hide the rest (assumed)."""
SINGLE = 10
"""Other ends of runs that are as rare as this are drawn opaque and over the rest (assumed)."""
NARROW = 6.0
"""Ratio of an ellipse's axes beyond which equal scales would show only a line."""
N_RELIEF = 120
"""Rows and columns at which the ground's height is asked for its contour lines."""
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
FAILURE_MARKS, OTHER_MARKS = ("X", "P", "*", "D", "v", "^", "s", "o"), ("o", "s", "^", "v", "D", "P")
FAILURE_COLOR = "#D55E00"
"""Of all runs that failed; no other outcome has it."""
_OTHER_COLORS = tuple(color for color in COLORS if color != FAILURE_COLOR)


def draw_ensemble(ensemble: Ensemble, folder: Path, of: Sequence[str] = ()) -> list[Path]:
    """Draws every figure that a campaign gives rise to, as PNG and SVG; returns the PNG files.

    Args:
        ensemble: The campaign.
        folder: For the files.
        of: Columns of results whose spread and sensitivity are drawn beside the usual ones.
    """
    with below_figures(changes_text(ensemble.scenario)):
        return _draw(ensemble, folder, of)


def _draw(ensemble: Ensemble, folder: Path, of: Sequence[str]) -> list[Path]:
    drawn = [draw_outcomes(ensemble, folder), draw_spreads(ensemble, folder, of)]
    sweeps = sweeps_of(ensemble)
    if sweeps:
        drawn.append(draw_settling(sweeps, folder))
    if has_flights(ensemble.data):
        drawn += draw_flights(ensemble, folder)
    elif len(landing_of(ensemble.data).points) >= 3:
        drawn.append(draw_landing(ensemble, folder))
    if IS_LIT in ensemble.data:
        drawn.append(draw_sunlight(ensemble, folder))
    if ensemble.data.sizes["run"] >= 20:
        drawn += [draw_convergence(ensemble, folder), draw_sensitivity(ensemble, folder, of)]
    if has_detections(ensemble.data):
        drawn += [draw_detection(ensemble, folder), draw_tip_over(ensemble, folder)]
    return drawn


def draw_outcomes(ensemble: Ensemble, folder: Path) -> Path:
    """The share of every outcome, with its interval."""
    shares = outcome_shares(ensemble.data.outcome.values)
    figure, axes = new_figure(7.2, 1.3 + 0.42 * len(shares))
    figure.subplots_adjust(left=_margin(list(shares)) / 7.2)
    _bars(axes, list(shares), list(shares.values()), 100.0)
    for i, share in enumerate(shares.values()):
        axes.text(100.0 * share.high + 1.0, i, f"{round(share.value * share.n)}", va="center", fontsize=9)
    axes.set_xlim(0, 108)
    title = f"{ensemble.scenario.name}: how {ensemble.data.sizes['run']} runs ended"
    label_axes(axes, "share of runs, with 95 % interval [%]", "", title, has_legend=False)
    return save_figure(figure, folder, "outcomes")


def draw_spreads(ensemble: Ensemble, folder: Path, of: Sequence[str] = ()) -> Path:
    """Distribution functions of times, distance and force, with median and 95 % quantile where these are known."""
    usual = SPREADS_OF_FLIGHTS if has_flights(ensemble.data) else SPREADS
    usual = [name for name in usual if name in ensemble.data]
    names = [name for name in dict.fromkeys((*usual, *of)) if np.isfinite(ensemble.data[name].values).sum() > 1]
    figure, panels = new_panels(max(len(names), 1), 3.3 * max(len(names), 1) + 0.6, 3.4)
    for i, (axes, name) in enumerate(zip(panels, names, strict=False)):
        values = np.sort(ensemble.data[name].values[np.isfinite(ensemble.data[name].values)])
        share = np.arange(1, len(values) + 1) / len(values)
        axes.step(values, share, where="post", **curve(0))
        axes.set_ylim(0.0, 1.04)
        axes.locator_params(axis="x", nbins=5)
        _mark_quantiles(axes, values)
        missing = ensemble.data.sizes["run"] - len(values)
        title = f"{len(values)} runs" + (f" ({missing} without)" if missing else "")
        label_axes(axes, _label(ensemble, name), "share of runs below" if i == 0 else "", title, has_legend=False)
        if i == 0:
            axes.legend(handles=axes.lines[1:], frameon=False, loc="upper left", fontsize=8, handlelength=1.6)
    return save_figure(figure, folder, "spreads")


def _mark_quantiles(axes: Axes, values: np.ndarray) -> None:
    """Median and 95 % quantile where the runs are enough, with their values beside the feet of their lines."""
    left, right = axes.get_xlim()
    marked = ((0.5, ":", 0.03), (0.95, "--", 0.13))
    for p, dash, height in (mark for mark in marked if len(values) >= runs_needed(mark[0])):
        at = float(np.quantile(values, p))
        label = "median" if p == 0.5 else f"{p:.0%} quantile".replace("%", " %")
        axes.plot([at, at], [0.0, p], color="0.45", linestyle=dash, linewidth=1.0, label=label)
        is_far = at > left + 0.7 * (right - left)
        axes.annotate(
            f"{at:.0f}" if at >= 1e4 else f"{at:.4g}", (at, height), xytext=(-4 if is_far else 4, 0),
            textcoords="offset points", ha="right" if is_far else "left", fontsize=9,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85},
        )  # fmt: skip


def draw_landing(ensemble: Ensemble, folder: Path) -> Path:
    """Where the runs ended, by outcome; ellipses of 1, 2 and 3 standard deviations, and the hull of all."""
    data, ground = ensemble.data, axes_of(ensemble.scenario.ground)
    landing = landing_of(data, ground)
    figure, axes = new_figure(7.2, 5.0)
    figure.subplots_adjust(right=0.70, top=0.87)  # a title of two lines
    place = {int(run): i for i, run in enumerate(data.run.values)}
    outcomes = data.outcome.values[[place[int(run)] for run in landing.runs]]
    marks = outcome_marks(list(outcome_shares(outcomes)))
    for i, name in enumerate(marks):
        mine = landing.points[outcomes == name]
        if i == 0 and len(mine) > MANY_DOTS:
            _draw_density(figure, axes, mine, name)
        else:
            _draw_dots(axes, mine, name, *marks[name], is_common=len(mine) > COMMON * len(landing.points))
    hull, ellipse = landing_hull(landing.points), landing_ellipse(landing.points)
    if len(hull):
        axes.plot(*np.vstack([hull, hull[:1]]).T, color="0.45", linewidth=0.9, label="hull of all")
    if ellipse is not None:
        for sigmas, dash in ((1, "-"), (2, "--"), (3, ":")):
            inside = ellipse.share_inside(landing.points, sigmas)
            label = f"{sigmas} sigma: {inside:.1%} inside"
            axes.plot(*ellipse.outline(sigmas).T, color="black", linestyle=dash, linewidth=1.1, label=label)
    title = f"{ensemble.scenario.name}: where {len(landing.points)} runs ended"
    is_equal = ellipse is not None and ellipse.semi_axes[0] < NARROW * ellipse.semi_axes[1]
    if is_equal:
        axes.set_aspect("equal", adjustable="datalim")
    else:
        title += " (axes to different scales)"
    if not is_bare_plane(ensemble.scenario):
        title += _draw_ground(axes, ensemble, landing)
    label_axes(axes, *landing.labels, title, has_legend=False)
    if is_equal and ground.north is not None and data.attrs["surface_frame"] == "L":
        north_arrow(axes, ground.north)
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=9)
    return save_figure(figure, folder, "landing")


def outcome_marks(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Colour and mark of each outcome, in their order: one colour for all failures, and none of the others'."""
    failures, others = iter(FAILURE_MARKS * 2), iter(zip(_OTHER_COLORS * 2, OTHER_MARKS * 3, strict=False))
    return {name: (FAILURE_COLOR, next(failures)) if Outcome[name].is_failure else next(others) for name in names}


def _draw_dots(axes: Axes, points: np.ndarray, name: str, color: str, mark: str, *, is_common: bool) -> None:
    """The places of one outcome; failures over all else where they are few, as they are what one looks for."""
    shown = points[:: -(-len(points) // MANY_DOTS)]
    label = f"{name}: {len(points)}"
    if Outcome[name].is_failure and (len(points) <= SINGLE or not is_common):
        size = 8.0 if len(points) <= FEW else 5.0
        axes.plot(*shown.T, mark, markersize=size, color=color, markeredgecolor="black", markeredgewidth=0.7, zorder=5,
                  label=label)  # fmt: skip
    else:
        size, alpha, order = (3.9, 1.0, 4) if len(points) <= SINGLE else (3.5, 0.6, 2)  # what is rare is seen, too
        axes.plot(*shown.T, mark, markersize=size, alpha=alpha, color=color, markeredgewidth=0, zorder=order,
                  label=label)  # fmt: skip


def _draw_density(figure: Figure, axes: Axes, points: np.ndarray, name: str) -> None:
    """How many of very many runs ended where."""
    shades = ListedColormap(colormaps["Blues"](np.linspace(0.25, 1.0, 256)))  # a single run is seen, too
    cells = axes.hexbin(*points.T, gridsize=HEXAGONS, bins="log", mincnt=1, cmap=shades, linewidths=0.1, zorder=0.5)
    bar = figure.colorbar(cells, cax=figure.add_axes((0.74, 0.14, 0.018, 0.3)))
    bar.set_label(f"runs per cell, {name}: {len(points)}", fontsize=9)
    bar.outline.set_visible(False)


def _draw_ground(axes: Axes, ensemble: Ensemble, landing: Landing) -> str:
    """Contour lines of the ground under the places; returns what the title has to say of them."""
    try:
        surface = make_surface(ensemble.scenario, "cpu")
    except InputError as error:
        return f"\nground not drawn: {error.where}: {error.problem}"
    axes.apply_aspect()
    limits = axes.get_xlim(), axes.get_ylim()
    first, second = (np.linspace(*ends, N_RELIEF) for ends in limits)
    heights = relief(surface, landing, first, second)
    if np.isfinite(heights).sum() < 4 or np.nanmax(heights) <= np.nanmin(heights):
        return ""
    levels = np.asarray(axes.contour(first, second, heights, 12, colors="0.75", linewidths=0.6, zorder=0).levels)
    axes.set_xlim(limits[0])
    axes.set_ylim(limits[1])
    return f"\ncontours of the ground every {levels[1] - levels[0]:.3g} m"


def draw_convergence(ensemble: Ensemble, folder: Path) -> Path:
    """Estimates from the first n runs, with their intervals, over n."""
    data = ensemble.data
    at, most = ladder(data.sizes["run"]), next(iter(outcome_shares(data.outcome.values)))
    curves = {f"P(outcome = {most})": converging_share(data.outcome.values == most, at)}
    if has_flights(data):
        curves["mean miss [m]"] = converging_mean(data["out.miss_m"].values, at)
        curves["95 % quantile of the miss [m]"] = converging_quantile(data["out.miss_m"].values, 0.95, at)
    else:
        curves["mean distance [m]"] = converging_mean(data.distance_m.values, at)
        curves["95 % quantile of peak force [N]"] = converging_quantile(data.peak_force_N.values, 0.95, at)
    curves = {name: found for name, found in curves.items() if any(np.isfinite(i.half_width) for i in found)}
    figure, panels = new_panels(len(curves), 3.8 * len(curves), 3.4)
    figure.subplots_adjust(wspace=0.3)
    for axes, (name, intervals) in zip(panels, curves.items(), strict=True):
        low, value, high = (np.array([getattr(i, part) for i in intervals]) for part in ("low", "value", "high"))
        known = np.isfinite(low) & np.isfinite(high)
        axes.fill_between(at[known], low[known], high[known], color="0.85", label="95 % interval")
        axes.plot(at[known], value[known], **curve(0))
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if at[-1] < 50 * at[0] else (1.0,)))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        if known.any():
            axes.set_ylim(*_room(low[known], high[known], value[-1], is_share=axes is panels[0]))
        label_axes(axes, "runs", "", name, has_legend=axes is panels[-1])
    return save_figure(figure, folder, "convergence")


def draw_sensitivity(ensemble: Ensemble, folder: Path, of: Sequence[str] = ()) -> Path:
    """Rank correlation of distance, time to rest and peak force with what was drawn."""
    outputs = [name for name in dict.fromkeys((*hung_on(ensemble), *of)) if _varies(ensemble, name)] or ["distance_m"]
    start = start_attitude(ensemble.scenario.initial, ensemble.scenario.target)
    found = {name: rank_correlations(ensemble.data, name, nominal=start) for name in outputs}
    inputs = _strongest(ensemble, found)
    figure, panels = new_panels(len(outputs), 3.0 * len(outputs) + 2.4, 1.3 + 0.32 * len(inputs))
    figure.subplots_adjust(left=_margin(inputs) / figure.get_size_inches()[0])
    for axes, name in zip(panels, outputs, strict=True):
        labels = [as_written(key.removeprefix("in.")) for key in inputs] if axes is panels[0] else [""] * len(inputs)
        _bars(axes, labels, [found[name][key] for key in inputs])
        axes.axvline(0.0, color="0.3", linewidth=0.8)
        axes.set_xlim(-1.05, 1.05)
        places = {"x_m": "how far east", "y_m": "how far north"} if has_flights(ensemble.data) else {}
        title = places.get(name) or _label(ensemble, name).partition(" [")[0]
        label_axes(axes, "rank correlation", "", title, has_legend=False)
    return save_figure(figure, folder, "sensitivity")


def _strongest(ensemble: Ensemble, found: Mapping[str, Mapping[str, Interval]]) -> list[str]:
    """Inputs that vary, by their largest correlation with any output; of those that are copies of each other, one."""
    copies = {f"in.{key}" for key, item in ensemble.scenario.dispersions.items() if isinstance(item, DispersionEqual)}
    largest = {
        key: max(abs(float(np.nan_to_num(one[key].value))) for one in found.values())
        for key in next(iter(found.values()))
        if key not in copies
    }
    varied = [key for key in largest if any(np.isfinite(one[key].value) for one in found.values())]
    return sorted(varied or largest, key=lambda key: -largest[key])[:MAX_BARS]


def hung_on(ensemble: Ensemble) -> list[str]:
    """Results whose sensitivity is part of a campaign's page."""
    usual = HUNG_ON_OF_FLIGHTS if has_flights(ensemble.data) else HUNG_ON
    return [name for name in usual if name in ensemble.data]


def _label(ensemble: Ensemble, name: str) -> str:
    """A column's name and unit, as an axis has it."""
    return label_of(name, ensemble.data[name].attrs["units"])


def _varies(ensemble: Ensemble, name: str) -> bool:
    values = ensemble.data[name].values
    kept = values[np.isfinite(values)]
    return len(kept) > 3 and float(np.ptp(kept)) > 0


def _bars(axes: Axes, labels: Sequence[str], intervals: Sequence[Interval], scale: float = 1.0) -> None:
    """Horizontal bars with their intervals, the first on top."""
    value, low, high = (
        scale * np.nan_to_num([getattr(i, part) for i in intervals]) for part in ("value", "low", "high")
    )
    reach = np.abs([value - low, high - value])
    axes.barh(range(len(labels)), value, 0.62, xerr=reach, color="#56B4E9", ecolor="0.2", capsize=3)
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    axes.set_axisbelow(True)


def _room(low: np.ndarray, high: np.ndarray, last: float, is_share: bool) -> tuple[float, float]:
    """Limits that show the later half of the curve well, and cut the wild beginning."""
    half = len(low) // 2
    reach = 1.6 * max(float(np.max(high[half:]) - last), float(last - np.min(low[half:])), 1e-12)
    ends = last - reach, last + reach
    return (max(ends[0], -0.01), min(ends[1], 1.01)) if is_share else ends


def _margin(labels: Sequence[str]) -> float:
    """Room [inch] that the longest label takes."""
    return 0.35 + 0.075 * max(map(len, labels))
