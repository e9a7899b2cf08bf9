"""The part of a campaign's page that is about its landing detector, alone or beside those of other campaigns."""

from collections.abc import Mapping

import numpy as np

from planetfall.analysis.campaign.comparison import share_difference
from planetfall.analysis.campaign.detection_rates import (
    ALL,
    DetectionRates,
    detection_rates,
    has_detections,
    tip_over_by_slope,
)
from planetfall.analysis.campaign.intervals import Interval
from planetfall.record.ensemble import Ensemble
from planetfall.report.page.html_tables import table, text

HEADER = ("", "runs", "declared in flight", "not declared", "tipped over", "5 % [s]", "median", "95 %", "longest")


def detection_section(ensemble: Ensemble) -> str:
    """Rates with their intervals by case, and tip-overs by slope; nothing without a detector."""
    if not has_detections(ensemble.data):
        return ""
    rates = detection_rates(ensemble.data)
    slopes = [(f"{low:g} to {high:g} deg", share.n, shown(share)) for (low, high), share in _tipped(ensemble).items()]
    return (
        f"<h2>Landing detector</h2><p>{text(_detector(ensemble))} Runs, with Wilson's 95 % interval of their share; "
        "not declared and tipped over: of those that touched the ground. Delays: from the first contact of the vehicle "
        "that lands.</p>"
        + table(HEADER, [_row(name, item) for name, item in rates.items()])
        + table(("slope", "landings", "tipped over"), slopes)
    )


def detector_comparison(ensemble: Ensemble, others: Mapping[str, Ensemble]) -> str:
    """The detectors of several campaigns over all their runs, and how the rates differ; nothing without detectors."""
    rated = {name: other for name, other in others.items() if has_detections(other.data)}
    if not has_detections(ensemble.data) or not rated:
        return ""
    own = detection_rates(ensemble.data)
    parts = ["<h2>Landing detectors side by side</h2>"]
    everyone = {"this campaign": own, **{name: detection_rates(other.data) for name, other in rated.items()}}
    for case in own:
        rows = [_row(name, found[case]) for name, found in everyone.items() if case in found]
        parts.append(f"<h3>{text('all runs' if case == ALL else case)}</h3>" + table(HEADER, rows))
    rows = [_differences(name, own[ALL], found[ALL]) for name, found in list(everyone.items())[1:]]
    header = ("less this campaign [points]", "declared in flight", "not declared", "tipped over")
    return "".join(parts) + table(header, rows)


def _detector(ensemble: Ensemble) -> str:
    detector = ensemble.scenario.detector
    assert detector is not None
    numbers = detector.model_dump(mode="json", exclude_none=True)
    kind = numbers.pop("kind")
    return f"Detector {kind}: " + ", ".join(f"{name} = {value}" for name, value in numbers.items()) + "."


def _tipped(ensemble: Ensemble) -> dict[tuple[float, float], Interval]:
    return tip_over_by_slope(ensemble.data)


def _row(name: str, item: DetectionRates) -> tuple[str, ...]:
    times = [f"{value:.3f}" if np.isfinite(value) else "" for value in (*item.delays, item.latest)]
    return (name, str(item.n), shown(item.false), shown(item.missed), shown(item.tipped), *times)


def _differences(name: str, first: DetectionRates, second: DetectionRates) -> tuple[str, ...]:
    cells = []
    for kind in ("false", "missed", "tipped"):
        found = share_difference(getattr(first, kind), getattr(second, kind))
        cells.append(f"{100 * found.value:+.2f} ({100 * found.low:+.2f} to {100 * found.high:+.2f})")
    return (name, *cells)


def shown(share: Interval) -> str:
    """Count of a rate, and interval of its share."""
    if not share.n:
        return ""
    return f"{round(share.value * share.n)} ({100 * share.low:.2f} to {100 * share.high:.2f} %)"
