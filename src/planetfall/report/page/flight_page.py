"""What the page of a campaign says of flights: misses and ellipse, failures by phase, and the timeline."""

from collections.abc import Mapping, Sequence
from typing import Any

from planetfall.analysis.campaign.flight_statistics import ellipse_text, has_flights, summarise_flights
from planetfall.analysis.campaign.intervals import runs_needed
from planetfall.record.ensemble import Ensemble
from planetfall.report.page.html_tables import table, text

KM = 1e-3


def flight_section(ensemble: Ensemble) -> str:
    """The tables of a campaign of flights; nothing of another."""
    if not has_flights(ensemble.data):
        return ""
    found = summarise_flights(ensemble.data, ensemble.scenario)
    return _failures(found["failures"]) + _accuracy(found, ensemble) + _timeline(found["timeline"])


def _failures(failures: Sequence[Mapping[str, Any]]) -> str:
    head = "<h2>Failures by phase and cause</h2>"
    if not failures:
        return f"{head}<p>No run was lost, and none broke a limit.</p>"
    rows = [
        (
            item["phase"] or "-", item["cause"], str(item["count"]), f"{item['value']:.2%}",
            f"{item['low']:.2%} to {item['high']:.2%}", ", ".join(map(str, item["runs"])),
        )
        for item in failures
    ]  # fmt: skip
    header = ("in the phase", "cause", "runs", "share", "95 % interval", "the first of them")
    note = (
        "<p>Lost runs by the phase in which they ended, and limits that other runs violated, with the phase at which "
        "they apply. <code>planetfall replay</code> with the folder and a run's number flies it again with its whole "
        "history.</p>"
    )
    return head + note + table(header, rows)


def _accuracy(found: Mapping[str, Any], ensemble: Ensemble) -> str:
    rows = []
    for p, name in (("0.5", "median"), ("0.9", "90 %"), ("0.99", "99 %")):
        if "miss_m" in found:
            rows.append((f"miss, {name}", *_quantile(found["miss_m"][p], float(p))))
    if "ellipse" in found:
        own = found["ellipse"]
        rows.append((f"ellipse of {own['of_a_normal']:.0%} of a normal distribution", *ellipse_text(own)))
        center = f"{KM * own['center_east_m']:.4g} km east, {KM * own['center_north_m']:.4g} km north of the site"
        rows.append(("its middle", center, f"longer axis {own['azimuth_deg']:.0f} deg from north"))
    if "published_ellipse" in found:
        other, holds = found["published_ellipse"], found["published_ellipse"]["holds"]
        size = f"{KM * other['length_m']:.4g} x {KM * other['width_m']:.4g} km"
        rows.append(("published ellipse about the site", size, f"holds {holds['value']:.2%} of the runs"))
    if "flown_miss" in found:
        share = found["flown_miss"]["share_of_runs_nearer"]
        nearer = f"{share['value']:.2%} ({share['low']:.2%} to {share['high']:.2%}) of the runs came nearer"
        rows.append(("flown", _km(found["flown_miss"]["miss_m"]), nearer))
    source = ensemble.scenario.comparison.source if ensemble.scenario.comparison is not None else ""
    note = f"<p>Published numbers: {text(source)}. No limit uses them.</p>" if source else ""
    return "<h2>Accuracy</h2>" + table(("", "", ""), rows) + note if rows else ""


def _timeline(phases: Sequence[Mapping[str, Any]]) -> str:
    if not phases:
        return ""
    shown = (("begins_s", 1.0), ("lasts_s", 1.0), ("altitude_m", KM), ("velocity_m_s", 1.0), ("mach", 1.0))
    rows = [(item["phase"], str(item["n"]), *(_range(item[what], scale) for what, scale in shown)) for item in phases]
    header = ("phase", "runs", "begins [s]", "lasts [s]", "altitude [km]", "speed [m/s]", "Mach")
    note = (
        f"<p>Median, and in brackets 1 % and 99 % of the runs; of fewer than {runs_needed(0.99)} runs the first and "
        "the last. Altitude is over the ellipsoid.</p>"
    )
    return "<h2>Timeline</h2>" + note + table(header, rows, "wide")


def _range(quantiles: Sequence[float] | None, scale: float) -> str:
    if quantiles is None:
        return "-"
    low, middle, high = (f"{scale * one:.4g}" for one in quantiles)
    return middle if low == high else f"{middle} ({low} to {high})"


def _km(value: float) -> str:
    return f"{KM * value:.4g} km"


def _quantile(of: Mapping[str, float | None], p: float) -> tuple[str, str]:
    """A quantile with its interval; of too few runs, how many it needs."""
    value, low, high = of["value"], of["low"], of["high"]
    if value is None or low is None or high is None:
        return "-", f"needs at least {runs_needed(p)} runs"
    return _km(value), f"{KM * low:.4g} to {KM * high:.4g} km (95 % interval)"
