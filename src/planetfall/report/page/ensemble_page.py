"""A campaign on one page: HTML that needs nothing but itself."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from planetfall.analysis.accuracy.true_digits import resolved
from planetfall.analysis.campaign.attitude import attitude_sentence
from planetfall.analysis.campaign.comparison import compare, share_differences
from planetfall.analysis.campaign.energy_rises import sentence_of
from planetfall.analysis.campaign.ensemble_summary import (
    QUANTILES,
    estimate_words,
    is_result,
    is_supported,
    runs_sentence,
    summarise_ensemble,
)
from planetfall.analysis.campaign.flight_statistics import has_flights
from planetfall.analysis.campaign.intervals import wilson
from planetfall.analysis.campaign.landing_ellipse import ground_note, landing_of, landing_spread
from planetfall.analysis.campaign.limits import summarise_limits
from planetfall.analysis.campaign.sensitivity import sobol_indices
from planetfall.analysis.campaign.settling import sweep_between
from planetfall.errors import InputError
from planetfall.record.ensemble import Ensemble
from planetfall.record.flight_numbers import LAST_PHASE, PHASES
from planetfall.record.labels import label_of, limit_text
from planetfall.record.rows import IS_LIT
from planetfall.report.campaign.ensemble_figures import draw_ensemble, hung_on
from planetfall.report.campaign.settling_figure import draw_settling
from planetfall.report.page.detection_page import detection_section, detector_comparison
from planetfall.report.page.embedded import POLICY, held_viewer, place_for_viewer
from planetfall.report.page.embedded import STYLE as VIEWER_STYLE
from planetfall.report.page.figure_element import DARK, figure_element
from planetfall.report.page.flight_page import flight_section
from planetfall.report.page.html_tables import NARROW, VIEWPORT, table, text
from planetfall.report.page.print_style import PRINT
from planetfall.scenario.dispersions.distributions import Dispersion
from planetfall.scenario.dispersions.keys import place_of
from planetfall.scenario.files.changed_keys import full_title
from planetfall.viewer.scene.campaign_scene import campaign_scene

CAPTIONS = {
    "outcomes": "How the runs ended. Bars: share of all runs; whiskers: Wilson's 95 % interval; numbers: runs.",
    "spreads": "Distribution functions. Dotted: median; dashed: 95 % quantile, where the runs are enough for "
    "one. Runs without the quantity do not count.",
    "settling": "Settling over the swept parameter. Dots: medians; bars: from the lower to the upper quartile of the "
    "runs with that value, whatever else was drawn. Time to rest: of the runs that came to rest.",
    "between": "Settling of whole campaigns, over the one key in which they differ, else by campaign. Dots: medians; "
    "bars: from the lower to the upper quartile. Time to rest: of the runs that came to rest.",
    "landing": "Where the centre of mass was at the end, with the ellipses of 1, 2 and 3 standard deviations and how "
    "many runs lie inside each (of a normal distribution 39.3, 86.5 and 98.9 %), and the hull of all.",
    "sunlight": "Angle between the sun and the ground's normal where the runs ended; beyond 90 degrees the ground "
    "faces away. Ground that faces the sun can lie in the shadow of other ground.",
    "convergence": "Estimates from the first n runs, with their 95 % intervals: flat and narrow at the right is good. "
    "Where there is no band, the runs are too few for one.",
    "detection": "Left: time from the first contact of the vehicle that lands to the declaration, by case. Right: "
    "shares with Wilson's 95 % intervals; the scale is linear near 0 and logarithmic beyond.",
    "tip_over": "Landings in which the vehicle tilted beyond the limit, by the slope of the ground under it at the "
    "end, with Wilson's 95 % intervals.",
    "landing_ellipse": "Where the first vehicle was at the end, about the site. The ellipse is that of the covariance, "
    "scaled to hold 99 % of a normal distribution; the legend says from how many runs it is, and how many it holds.",
    "miss": "Distance from the site over the ground.",
    "parachute": "Mach number and dynamic pressure at which the parachute was fired; dashed: its box.",
    "timeline": "When, how high and how fast the vehicle that is flown was when each phase began: bars from 1 % to "
    "99 % of the runs, or from the first to the last where these are too few, ticks at the median. Altitude is "
    "over the ellipsoid.",
    "touchdown": "Speeds of the vehicle along and across the plumb line at its first touch, and the propellant left at "
    "the end; dashed: limits.",
    "sensitivity": "Spearman's rank correlation of results with dispersed inputs, at most the twelve strongest, "
    "with 95 % intervals.",
}
MIDDLES = ("mean", "median", "mode", "otherwise")
"""Parameters of distributions that are the scenario's own value where they are not given."""
MOST_SHOWN = 20_000
"""Runs that the viewer inside the page shows; `planetfall view` shows more."""
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; } th, td { padding: .15rem .8rem .15rem 0; text-align: right; }
th:first-child, td:first-child { text-align: left; } thead th { border-bottom: 1px solid #999; }
figure { margin: 2rem 0; } img { max-width: 100%; } figcaption { color: #555; font-size: .9rem; }
code { background: #f2f2f2; padding: 0 .2rem; }
table.words td:last-child, table.words th:last-child { text-align: left; padding-left: .8rem; }
table:not(.words) td, table.words td:nth-child(4) { white-space: nowrap; }
table.wide { font-size: 13px; } table.wide th, table.wide td { padding-right: .6rem; }
@media print { table:not(.words) th, table:not(.words) td { padding-right: 6px; font-size: 9px; } }
"""


def write_page(
    ensemble: Ensemble,
    path: Path,
    others: Mapping[str, Ensemble] | None = None,
    of: Sequence[str] = (),
    name: str = "this campaign",
) -> Path:
    """Writes the page of a campaign.

    Args:
        ensemble: The campaign.
        path: The page.
        others: Campaigns to compare it with, by name.
        of: Columns of results that are looked into beside the usual ones.
        name: Of the campaign, beside those that it is compared with.
    """
    from planetfall.record.files.shards import write_whole

    write_whole(path, ensemble_page(ensemble, others, of, name).encode())
    return path


def ensemble_page(
    ensemble: Ensemble,
    others: Mapping[str, Ensemble] | None = None,
    of: Sequence[str] = (),
    name: str = "this campaign",
) -> str:
    """The page of a campaign, with what `write_page` takes."""
    _check_columns(ensemble, of)
    summary = {**ensemble.summary, **summarise_ensemble(ensemble.data)}  # of all rows, also while it is under way
    place, viewer = _viewer(ensemble)
    parts = [
        f"<h1>{text(ensemble.scenario.name)}</h1><p>{text(full_title(ensemble.scenario))}</p>",
        f"<p>{summary['n_runs']} runs of {summary['n_planned']} planned, seed {summary['seed']}, sampling "
        f"{text(summary['sampling'])}.{' Not finished.' if not summary['is_complete'] else ''}</p>",
        f"<p><strong>{text(ensemble.gap)}.</strong></p>" if ensemble.gap else "",
        place,
        _rule(summary["estimate"]),
        "<h2>Outcomes</h2>",
        _outcomes(summary["outcomes"]),
        _limits(summarise_limits(ensemble.scenario, {str(name): ensemble.data[name].values for name in ensemble.data})),
        flight_section(ensemble),
        detection_section(ensemble),
        "<h2>Distributions</h2>",
        _columns(summary["columns"]),
        _attitude(ensemble),
        _energy(summary.get("energy")),
        "<h2>Where they ended</h2>",
        _landing(ensemble),
        f"<p>{text(ground_note(ensemble.scenario))}</p>",
        *_figures(ensemble, of),
        _indices(ensemble, of),
        detector_comparison(ensemble, others or {}),
        _side_by_side(ensemble, name, others or {}),
        *(_comparison(ensemble, other, title) for title, other in (others or {}).items()),
        "<h2>What was drawn</h2>",
        _dispersions(ensemble),
        _versions(ensemble.campaign),
        viewer,
    ]
    style = f"<style>{STYLE}{VIEWER_STYLE}{PRINT}{NARROW}{DARK}</style>"
    head = f'<meta charset="utf-8">{VIEWPORT}{POLICY}<title>{text(ensemble.scenario.name)}</title>{style}'
    return f"<!doctype html><html lang=en><head>{head}</head><body>{''.join(parts)}</body></html>"


def _limits(limits: Mapping[str, Mapping[str, Any]]) -> str:
    """How many runs do not keep to each limit."""
    if not limits:
        return ""
    rows = [
        (
            name, limit_text(limit), str(limit["n"]), str(limit["broken"]),
            "-" if limit["value"] is None else f"{limit['value']:.2%}", f"{limit['low']:.2%} to {limit['high']:.2%}",
        )
        for name, limit in limits.items()
    ]  # fmt: skip
    header = ("limit", "allowed", "runs judged", "broken", "share", "95 % interval")
    return "<h2>Limits</h2>" + table(header, rows)


def _check_columns(ensemble: Ensemble, of: Sequence[str]) -> None:
    """Refuses to look into what is no result of the runs."""
    results = [str(name) for name in ensemble.data.data_vars if is_result(str(name))]
    for name in of:
        if name not in results:
            raise InputError("--of", f"{name} is not a result of this campaign", f"one of {', '.join(results)}")


def _viewer(ensemble: Ensemble) -> tuple[str, str]:
    """The place of the viewer in the page, and the viewer; a sentence where its ground cannot be made here."""
    try:
        pack = campaign_scene(ensemble, most=MOST_SHOWN)
    except InputError as error:
        return f"<p>Without a view of the places: {text(str(error))}.</p>", ""
    if pack.header["kind"] == "empty":
        return "", ""
    on_paper = "The page that this was printed from shows where the runs ended."
    return place_for_viewer("See where they ended", on_paper), held_viewer(pack)


def _rule(estimate: dict[str, Any]) -> str:
    if not estimate.get("rule"):
        return ""
    state = "met" if estimate["is_met"] else "not met"
    words = f"{state} after {estimate['n_runs']} runs, {estimate_words(estimate)}"
    return f"<p>Stop rule <code>{text(estimate['rule'])}</code>: {words}.</p>"


def _outcomes(outcomes: dict[str, Any]) -> str:
    rows = [
        (name, share["count"], f"{share['value']:.2%}", f"{share['low']:.2%} to {share['high']:.2%}", share["sentence"])
        for name, share in outcomes.items()
    ]
    return table(("outcome", "runs", "share", "95 % interval", "what it means"), rows, "words")


def _columns(columns: dict[str, Any]) -> str:
    rows, given = [], [p for p in QUANTILES if _is_given(columns, p)]
    for name, column in columns.items():
        if name.startswith(f"out.{PHASES}") or name == f"out.{LAST_PHASE}":  # they have a table of their own
            continue
        mean, quantiles = column["mean"], column["quantiles"]
        spread = column["standard_deviation"]
        scale = spread or 0.0
        shown = [
            _plain(one["value"], scale) if is_supported(one) else "-" for one in (quantiles[f"{p:g}"] for p in given)
        ]
        interval = "" if mean["low"] is None else f"{_plain(mean['low'], scale)} to {_plain(mean['high'], scale)}"
        spread = "" if spread is None else _plain(spread)
        rows.append(
            (
                label_of(name, column["unit"]),
                column["n"],
                _plain(mean["value"], scale),
                interval,
                spread,
                *shown,
                _plain(column["largest"], scale),
            )
        )
    names = ("median" if p == 0.5 else f"{100 * p:g} %" for p in given)
    header = ("", "runs", "mean", "95 % interval", "sigma", *names, "largest")
    missing = [p for p in QUANTILES if not all(is_supported(one["quantiles"][f"{p:g}"]) for one in columns.values())]
    note = runs_sentence(missing)
    return table(header, rows, "wide") + (f"<p>{note}</p>" if note else "")


def _is_given(columns: Mapping[str, Any], p: float) -> bool:
    """Whether any column has runs enough for a quantile."""
    return any(is_supported(column["quantiles"][f"{p:g}"]) for column in columns.values())


def _attitude(ensemble: Ensemble) -> str:
    """How the vehicles stand at the end: by angle and mean direction, as parts of a quaternion tell nobody."""
    if has_flights(ensemble.data):  # these end in the air, or are judged by other numbers
        return ""
    said = attitude_sentence(ensemble.data, ensemble.scenario)
    return f"<p>{text(said)}</p>" if said else ""


def _energy(found: dict[str, Any] | None) -> str:
    """Whether energy rose in a run, and in which beyond the error bound; nothing of campaigns that do not know."""
    if found is None:
        return ""
    what = (
        "Dampers, and friction and rolling resistance together, only dissipate energy, so a rise beyond the work that "
        "was put in is an error: of the integration, up to the bound that follows from its method and step or "
        "tolerance, or of the ground or the contact law."
    )
    rows = [(item["run"], _number(item["energy_rise_J"]), _number(item["bound_J"])) for item in found["above"]]
    listed = table(("run", "rise [J]", "error bound [J]"), rows) if rows else ""
    more = found["n_above"] - len(rows)
    rest = f"<p>{more} more are in the table of runs.</p>" if more > 0 else ""
    return f"<h2>Energy</h2><p>{text(sentence_of(found))} {what}</p>{listed}{rest}"


def _number(value: float | None) -> str:
    return "not finite" if value is None else f"{value:.4g}"


def _plain(value: float, scale: float = 0.0) -> str:
    """Four digits; whole numbers up to a million in full, since powers of ten are wide and hard to compare.

    More where two digits of the standard deviation `scale` need them, as of heights on a map that is far from zero.
    """
    if 1e-9 * abs(value) < scale < 0.01 * abs(value):  # below is rounding
        return resolved(value, scale, 2)
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e6 else f"{value:.4g}"


def _landing(ensemble: Ensemble) -> str:
    """How widely the runs ended, and how many of them in the light where the scenario has a sun."""
    rows = [
        (name, f"{spread.value:.5g}", f"{spread.low:.5g} to {spread.high:.5g}")
        for name, spread in landing_spread(landing_of(ensemble.data).points).items()
    ]
    parts = [table(("about the mean place", "[m]", "95 % interval (bootstrap)"), rows)] if rows else []
    if IS_LIT in ensemble.data:
        is_lit = ensemble.data[IS_LIT].values
        share = wilson(int(np.nansum(is_lit)), int(np.isfinite(is_lit).sum()))
        parts.append(f"<p>In the light at the end: {share.value:.2%} ({share.low:.2%} to {share.high:.2%}) of the "
                     f"{share.n} runs that came down.</p>")  # fmt: skip
    return "".join(parts)


def _figures(ensemble: Ensemble, of: Sequence[str]) -> Iterable[str]:
    with TemporaryDirectory() as folder:
        yield from map(_figure, draw_ensemble(ensemble, Path(folder), of))


def _figure(path: Path) -> str:
    caption = CAPTIONS[path.stem.partition("_of_")[0]]
    return figure_element(path, caption, caption)


def _side_by_side(ensemble: Ensemble, name: str, others: Mapping[str, Ensemble]) -> str:
    """Settling of this campaign and of those that it is compared with."""
    if not others:
        return ""
    with TemporaryDirectory() as folder:
        drawn = draw_settling([sweep_between({name: ensemble, **others})], Path(folder), "between")
        return f"<h2>Settling side by side</h2>{_figure(drawn)}"


def _indices(ensemble: Ensemble, of: Sequence[str]) -> str:
    """Sobol indices, where the campaign was sampled for them."""
    if ensemble.campaign.get("sampling") != "saltelli":
        return ""
    parts = ["<h2>Sobol indices</h2>"]
    for output in dict.fromkeys((*hung_on(ensemble), *of)):
        try:
            found = sobol_indices(ensemble.data[output].values, sorted(ensemble.scenario.dispersions))
        except InputError as error:
            parts.append(f"<p>{text(label_of(output))}: {text(str(error))}.</p>")
            continue
        rows = [
            (key, f"{i.first.value:.3f} ± {i.first.half_width:.3f}", f"{i.total.value:.3f} ± {i.total.half_width:.3f}")
            for key, i in found.items()
        ]
        parts.append(table((label_of(output), "first", "total"), rows))
    return "".join(parts)


def _comparison(first: Ensemble, second: Ensemble, name: str) -> str:
    shares = share_differences(first.data.outcome.values, second.data.outcome.values)
    rows = [
        (
            key,
            f"{100 * d.value:+.3f}",
            f"{100 * d.low:+.3f} to {100 * d.high:+.3f}",
            "no" if d.low <= 0 <= d.high else "yes",
        )
        for key, d in shares.items()
    ]
    columns = [
        (
            label_of(key, str(first.data[key].attrs.get("units", ""))),
            f"{d.counts[1]} and {d.counts[0]}",
            f"{d.mean.value:+.5g}",
            f"{d.mean.low:+.5g} to {d.mean.high:+.5g}",
            f"{d.distance:.3f}",
            f"{d.chance:.2g}",
        )
        for key, d in compare(first.data, second.data).items()
    ]
    return (
        f"<h2>Against {text(name)}</h2><p>{text(name)} ({second.data.sizes['run']} runs) less this campaign.</p>"
        + table(("outcome", "difference [points]", "95 % interval", "beyond chance"), rows)
        + table(("", "runs", "difference of means", "95 % interval", "KS distance", "by chance"), columns)
    )


def _dispersions(ensemble: Ensemble) -> str:
    rows = []
    for key, item in ensemble.scenario.dispersions.items():
        numbers = _complete(item, place_of(ensemble.scenario, key).nominal)
        kind = numbers.pop("distribution")
        rows.append((key, kind, ", ".join(f"{name} = {_short(value)}" for name, value in numbers.items())))
    weights = [(name, f"{weight:g}") for name, weight in ensemble.scenario.cases.items()]
    cases = table(("case", "weight"), weights) if weights else ""
    return cases + table(("key", "distribution", "parameters"), rows, "words")


def _complete(item: Any, nominal: Any) -> Any:
    """What a distribution is given, and the scenario's own value where that is its middle; a number as it is."""
    if isinstance(item, Mapping):
        return {name: _complete(one, nominal) for name, one in item.items()}
    if not isinstance(item, Dispersion):
        return item
    numbers = item.model_dump(mode="json")
    numbers |= {name: _complete(getattr(item, name), nominal) for name in ("when", "otherwise") if name in numbers}
    own = list(nominal) if isinstance(nominal, tuple) else nominal
    numbers |= {name: own for name in MIDDLES if name in numbers and numbers[name] is None}
    return {name: value for name, value in numbers.items() if value is not None}


def _versions(campaign: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in campaign.get("versions", {}).items())
    device, machine = (text(str(campaign.get(name, ""))) for name in ("device", "machine"))
    return f"<p>On {device} ({machine}); {text(versions)}.</p>"


def _short(value: Any) -> str:
    words = _branch(value) if isinstance(value, dict) else str(value)
    return words if len(words) <= 120 else f"{words[:117]}..."


def _branch(value: dict[str, Any]) -> str:
    """A distribution inside another, by case or alone."""
    kind = value.get("distribution")
    parts = [f"{name}: {_short(item)}" if kind is None else f"{name} {_short(item)}" for name, item in value.items()
             if name != "distribution"]  # fmt: skip
    return "; ".join(parts) if kind is None else f"{kind} ({', '.join(parts)})"
