"""Cards: what a notebook shows of a scenario or of a result, a few numbers beside a small figure.

Plain HTML with styles of its own, no script, nothing fetched; text and figure take the colours of the notebook's theme.
"""

import html
from collections.abc import Iterable
from typing import Any

import numpy as np

from planetfall.analysis.accuracy.checked import Checked
from planetfall.analysis.campaign.ensemble_summary import outcome_shares
from planetfall.display.plot_by_name import figures_of, kind_named
from planetfall.display.sketch import sketch_of
from planetfall.record.ensemble import Ensemble
from planetfall.record.labels import unit_text, words_and_unit
from planetfall.record.trajectory import Trajectory
from planetfall.report.themed_svg import svg_text, themed
from planetfall.scenario.drive import DriveScenario
from planetfall.scenario.files.changed_keys import full_title
from planetfall.scenario.scenario import Scenario

Row = tuple[str, str]
TOLD = (
    "end_s", "touchdown_s", "first_touch_s", "rest_s", "touchdown_vertical_m_s", "touchdown_horizontal_m_s", "miss_m",
    "peak_g", "peak_heating_W_m2", "peak_dynamic_pressure_Pa", "propellant_left_kg", "peak_normal_force_N",
    "max_penetration_m", "slide_distance_m", "final_speed_m_s",
    "driven_m", "peak_friction_used", "peak_torque_N_m", "least_margin_stability", "motor_work_J",
)  # fmt: skip
"""Numbers of a summary that a card tells, the first ones that a run has."""
MOST_ROWS = 8
CARD = (
    "font: 13px/1.5 system-ui, sans-serif; color: inherit; border: 1px solid color-mix(in srgb, currentColor 25%, "
    "transparent); border-radius: 6px; padding: .7em 1em; max-width: 62em; overflow-x: auto"
)
QUIET = "opacity: .75"


def result_card(result: Trajectory[Any] | Ensemble) -> str:
    """The card of a run, a drive or a campaign."""
    rows = _campaign_rows(result) if isinstance(result, Ensemble) else _run_rows(result)
    kind = "campaign" if isinstance(result, Ensemble) else _kind(result.scenario, "run")
    told = [result.gap] if isinstance(result, Ensemble) else _told(result.summary)
    foot = "plot(), view(), report() and save(folder) show and keep more; data has all numbers, with units"
    return _card(_head(result.scenario, kind), told, rows, _result_figure(result), foot)


def scenario_card(scenario: Scenario | DriveScenario) -> str:
    """The card of a scenario or of a drive that has not been run."""
    rows = _drive_rows(scenario) if isinstance(scenario, DriveScenario) else _scenario_rows(scenario)
    name = _kind(scenario, "run")
    foot = f"planetfall.{name}(scenario) simulates it; with_values({{key: value}}) changes it; to_dict() has every key"
    return _card(_head(scenario, _kind(scenario, "scenario")), [], rows, _svg(sketch_of(scenario)), foot)


def _kind(scenario: Any, other: str) -> str:
    return "drive" if isinstance(scenario, DriveScenario) else other


def _head(scenario: Any, kind: str) -> str:
    title = full_title(scenario)
    return f"<b>{_text(scenario.name)}</b> <span style='{QUIET}'>({kind}){' ' + _text(title) if title else ''}</span>"


def _told(summary: dict[str, Any]) -> list[str]:
    """How it ended, whether limits were kept, and what could not be worked out."""
    out = [f"{summary.get('outcome', '')}: {summary.get('outcome_sentence', '')}"] if "outcome" in summary else []
    broken = [name for name, limit in summary.get("limits", {}).items() if limit.get("kept") is False]
    if summary.get("limits"):
        out.append(f"Limits not kept: {', '.join(broken)}" if broken else "All limits were kept")
    return out + [str(problem) for problem in summary.get("problems", ())]


def _run_rows(run: Trajectory[Any]) -> list[Row]:
    checked = Checked(run.summary, getattr(run.scenario.scenario, "duration", None))
    rows = [_row(checked, name, run.summary[name]) for name in TOLD if run.summary.get(name) is not None]
    return rows[:MOST_ROWS]


def _row(checked: Checked, name: str, value: Any) -> Row:
    """A number of a summary; of a list by point the largest, or the earliest."""
    words, unit = words_and_unit(name)
    if not isinstance(value, list):
        return words, f"{checked.text(name, value)} {unit_text(unit)}"
    numbers = np.array([np.nan if item is None else item for item in value], dtype=float)
    if not np.isfinite(numbers).any():
        return words, "none"
    i = int(np.nanargmin(numbers) if name.endswith("_s") else np.nanargmax(numbers))
    return words, f"{checked.text(name, value[i], i)} {unit_text(unit)}"


def _campaign_rows(campaign: Ensemble) -> list[Row]:
    shares = outcome_shares(campaign.data.outcome.values)
    n = int(campaign.data.sizes["run"])
    rows = [("runs", f"{n}, seed {campaign.campaign.get('seed', campaign.summary.get('seed', ''))}")]
    for name, share in shares.items():
        rows.append((name, f"{round(share.value * n)} ({share.low:.1%} to {share.high:.1%} with 95 % confidence)"))
    return rows[: MOST_ROWS + 2]


def _scenario_rows(scenario: Scenario) -> list[Row]:
    vehicle, contact = scenario.vehicle, scenario.contact
    others = f" and {len(scenario.companions)} more" if scenario.companions else ""
    integrator = scenario.integrator
    step = getattr(integrator, "step", None)
    pace = f", step {step:g} s" if integrator.method == "rk4" and step else ""
    pull = getattr(scenario.gravity, "acceleration", None)
    rows = [
        ("target", scenario.target.name),
        ("gravity", scenario.gravity.model + (f", {pull:g} m/s²" if pull is not None else "")),
        ("terrain", scenario.terrain.model),
        ("vehicle", f"{vehicle.name}, {vehicle.mass:g} kg, {len(vehicle.points)} contact points{others}"),
        ("contact law", contact.law),
        ("flight", "" if scenario.flight is None else scenario.flight.controller),
        ("method", f"{integrator.method}{pace}"),
        ("simulated time", f"{scenario.scenario.duration:g} s at most"),
        ("dispersed keys", str(len(scenario.dispersions)) if scenario.dispersions else ""),
    ]
    return [(name, value) for name, value in rows if value and value != "none"]


def _drive_rows(scenario: DriveScenario) -> list[Row]:
    points = np.array(scenario.path.waypoints)
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    return [
        ("rover", f"{scenario.rover.name}, {scenario.rover.mass:g} kg"),
        ("gravity", f"{scenario.gravity.acceleration:g} m/s²"),
        ("terrain", scenario.terrain.model),
        ("path", f"{len(points)} waypoints, {length:g} m"),
        ("torques", scenario.drive.goal),
    ]


def _result_figure(result: Trajectory[Any] | Ensemble) -> str:
    """The figure that `plot()` shows; a card without one where it cannot be drawn, which `plot()` then says."""
    try:
        figures = figures_of(result)
        return _svg(figures[kind_named(None, list(figures))])
    except Exception as error:
        return f"<i>The figure could not be drawn ({_text(type(error).__name__)}: {_text(str(error))}).</i>"


def _svg(figure: Any) -> str:
    if figure is None:
        return ""
    svg = themed(svg_text(figure), "text").replace("<svg ", '<svg role="img" style="width: 100%; height: auto" ', 1)
    return f'<div class="planetfall-figure">{svg}</div>'


def _card(head: str, told: Iterable[str], rows: list[Row], figure: str, foot: str) -> str:
    cell = "padding: 0 1.2em 0 0; text-align: left; border: 0; background: none; color: inherit; vertical-align: top"
    lines = "".join(f"<tr style='background: none'><td style='{cell}; {QUIET}; white-space: nowrap'>{_text(name)}</td>"
                    f"<td style='{cell}'>{_text(value)}</td></tr>" for name, value in rows)  # fmt: skip
    table = (
        f"<table style='border-collapse: collapse; font-size: inherit; margin: .4em 0'><tbody>{lines}</tbody></table>"
    )
    says = "".join(f"<div>{_text(sentence)}</div>" for sentence in told if sentence)
    return (
        f"<div class='planetfall-card' style='{CARD}'><div>{head}</div>{says}"
        f"<div style='display: flex; flex-wrap: wrap; gap: 0 2em; align-items: flex-start'>"
        f"<div style='flex: 1 1 18em'>{table}</div><div style='flex: 1 1 20em; max-width: 34em'>{figure}</div></div>"
        f"<div style='{QUIET}; font-size: .9em'>{_text(foot)}</div></div>"
    )


def _text(words: str) -> str:
    return html.escape(words)
