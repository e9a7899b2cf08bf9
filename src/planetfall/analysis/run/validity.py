"""Which limits of the models a run came near: sentences for those who judge it."""

from typing import Any

import numpy as np
import xarray as xr

from planetfall.contact.laws import law_named
from planetfall.outcome import Outcome
from planetfall.scenario.scenario import Scenario

DEEP = 5.0
"""Deepest penetration over the contact law's own sink beyond which it is far from what it is for (assumed)."""
OPEN = 1e-2
"""Error of the energy account over the energy that was turned over, beyond which it is worth a remark (assumed)."""
REMEDY = (
    "shorten integrator.step or tighten integrator.tolerance and compare: what stays is an error of the "
    "ground, the contact law or a force, not of the integration."
)
"""What to do about an energy account that does not close."""
ENDED_WELL = ("settled", "arrived")


def validity_notes(scenario: Any, data: xr.Dataset, summary: dict[str, Any]) -> list[str]:
    """One sentence for each limit that was near; none means that none of those looked at was."""
    notes = [*_outcome(summary), *energy_notes(data, summary)]
    if isinstance(scenario, Scenario):
        notes = [
            *_changes(summary),
            *_start(summary),
            *notes,
            *_recontacts(scenario, summary),
            *([summary["far_from_site"]] if summary.get("far_from_site") else []),
            *_began_in_ground(summary),
            *_discarded(scenario, summary),
        ]
    return [*notes, *model_notes(scenario, data, summary)]


def model_notes(scenario: Any, data: xr.Dataset, summary: dict[str, Any]) -> list[str]:
    """The same without what a print of the run says already: limits of models and of the integration."""
    notes = _tolerance(summary)
    if isinstance(scenario, Scenario):
        notes += [*_depth(scenario, summary), *_friction(scenario, summary), *_numbers(scenario)]
    return notes


def _recontacts(scenario: Scenario, summary: dict[str, Any]) -> list[str]:
    """Of vehicles that met what had carried them again within 10 s of their release."""
    times = summary.get("separations") or {}
    return [
        f"{name} met {scenario.body_names[scenario.carriers[i]]} again at {times[f'{name}_recontact_s']:.4g} s, within "
        "10 s of its release: the spheres around their contact points overlap. Bodies do not push each other here; "
        "give it a separation_velocity, or a divert, that takes it clear."
        for i, name in enumerate(scenario.body_names)
        if times.get(f"{name}_recontact_s") is not None
    ]


def _began_in_ground(summary: dict[str, Any]) -> list[str]:
    """Of contact points that a release made count while they were in the ground."""
    return [
        f"{found['point']} was {found['depth_m']:.3g} m in the ground when it began to count, at {found['time_s']:.4g} "
        "s: the ground throws it out, by energy that is booked as work of the separation (anchor law: of anchors)."
        for found in summary.get("began_in_ground") or []
    ]


def _changes(summary: dict[str, Any]) -> list[str]:
    changes = summary.get("changes") or []
    if not changes:
        return []
    listed = "; ".join(f"{c['key']} from {c['from']:g} to {c['to']:g} at {c['time_s']:.6g} s" for c in changes)
    moved = sum(abs(change["energy_J"]) for change in changes)
    return [
        f"Parameters were changed by hand while it ran: {listed}. The inputs are those at the start, and derived "
        f"coefficients too. The changes moved {moved:.3g} J of stored energy, booked as work_changes."
    ]


def _start(summary: dict[str, Any]) -> list[str]:
    return [
        f"The vehicle started in the ground, with {start['points']} points, the deepest by {start['depth_m']:.3g} m: "
        f"its springs held more than its weight explains, enough for {start['speed_m_s']:.3g} m/s."
        for start in summary.get("started_in_ground") or []
    ]


def _outcome(summary: dict[str, Any]) -> list[str]:
    name = str(summary.get("outcome", ""))
    if name in ENDED_WELL:
        return []
    sentence = summary.get("outcome_sentence") or (Outcome[name].sentence if name in Outcome.__members__ else "")
    return [f"The run ended as {name}: {sentence} The results say nothing about the time after that."]


def energy_notes(data: xr.Dataset, summary: dict[str, Any]) -> list[str]:
    """Of an energy account that does not close, or of energy that came from nowhere."""
    closure = summary.get("energy_closure_J")
    if closure is None:
        return []
    turned = turned_over(data)
    notes = []
    if turned > 0 and closure > OPEN * turned:
        notes.append(
            f"The energy account closes to {closure:.3g} J only, {closure / turned:.1%} of the {turned:.3g} J that "
            f"were turned over; {REMEDY}"
        )
    rise, bound = summary.get("energy_rise_J") or 0.0, summary.get("energy_rise_bound_J") or 0.0
    if rise > bound:
        notes.append(
            f"Energy rose by {rise:.3g} J without anything that put it in, where errors of the integration explain "
            f"{bound:.3g} J; {REMEDY}"
        )
    return notes


def _tolerance(summary: dict[str, Any]) -> list[str]:
    loosest = summary.get("loosest_tolerance")
    if loosest is None:
        return []
    return [
        f"A part of the run was taken with a tolerance of up to {loosest:.2g} instead of integrator.tolerance, since a "
        "point crept along a jump of its force: below a ridge, in a corner between parts of the ground, or where "
        "friction sets in at a tiny speed. events.csv says from when; a terrain.fillet rounds corners off."
    ]


def turned_over(data: xr.Dataset) -> float:
    """Largest change of the kinetic energy and of the work that was done along a run [J]."""
    named = [name for name in data.data_vars if str(name).startswith(("energy_kinetic", "work_"))]
    named = [name for name in named if name != "work_crash"]  # of which no other figure depends
    values = [data[name].values for name in named if data[name].dims == ("time",)]
    sizes = [float(np.ptp(value[np.isfinite(value)])) for value in values if np.isfinite(value).any()]
    return max(sizes, default=0.0)


def _depth(scenario: Scenario, summary: dict[str, Any]) -> list[str]:
    deepest, sink = summary.get("max_penetration_m"), scenario.contact.sink
    if not deepest or sink <= 0 or deepest <= DEEP * sink:
        return []
    return [
        f"The deepest penetration, {deepest:.3g} m, is {deepest / sink:.1f} times the {sink:.3g} m to which the "
        "contact law is tuned: how the ground behaves there is an assumption, not a measurement."
    ]


def _discarded(scenario: Scenario, summary: dict[str, Any]) -> list[str]:
    """Of vehicles that the run is not judged by: how they ended, or that their impact is beyond the contact law."""
    notes, sink = [], scenario.contact.sink
    for body in summary.get("bodies") or []:
        if body["role"] == "judged":
            continue
        if body["crash_s"] is not None:
            notes.append(
                f"{body['name']}, on which the outcome does not depend, crashed at {body['crash_s']:.6g} s with "
                f"{body['crash_speed_m_s']:.3g} m/s: from then on it stays where it hit."
            )
        elif 0 < DEEP * sink < body["max_penetration_m"]:
            notes.append(
                f"{body['name']}, on which the outcome does not depend, sank {body['max_penetration_m']:.3g} m into "
                "the ground, deeper than law and step are meant for; outcome.crash_speed stops such a vehicle."
            )
    return notes


def _friction(scenario: Scenario, summary: dict[str, Any]) -> list[str]:
    speed = summary.get("final_speed_m_s") or 0.0
    if law_named(scenario.contact.law).has_true_rest or summary.get("outcome") != "settled" or speed < 1e-4:
        return []
    return [
        f"At the end the vehicle still creeps at {speed:.3g} m/s: the friction law is regularised and has no true rest."
    ]


def _numbers(scenario: Scenario) -> list[str]:
    if getattr(scenario.integrator, "accept_step", False):
        return ["integrator.accept_step is set: the step was not checked against the stability limit of the contact."]
    return []
