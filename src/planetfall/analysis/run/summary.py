"""A run in a few numbers: what `summary.json` holds.

Among them: what came of each vehicle, those discarded on the way apart; and the energy account, which is what the run
had, what forces put in and took, and how well that adds up.
"""

from collections.abc import Collection
from typing import Any

import numpy as np
import xarray as xr

from planetfall.analysis.run.flight_ending import flight_ending
from planetfall.analysis.run.flight_timeline import flight_summary
from planetfall.analysis.run.places import places
from planetfall.analysis.run.slide import slide
from planetfall.analysis.run.touchdown import touchdown
from planetfall.contact.laws import coefficients_of
from planetfall.engine.mechanisms.registry import mechanisms_of
from planetfall.engine.state.result import ParameterChange, RecordedRun
from planetfall.engine.structure.mechanism import results_of_mechanisms
from planetfall.outcome import Outcome
from planetfall.record.files.plain_json import plain_json
from planetfall.record.files.schema import versions_of
from planetfall.record.flight_numbers import is_flight
from planetfall.scenario.scenario import Scenario
from planetfall.world.gravity.field import acceleration_at, weighed_at

LEAN = np.radians(1.0)
"""Angle below which gravity of a body is the vertical of level ground [rad] (assumed): at Mars it leans by 0.17 deg."""
JUDGED, DISCARDED = "judged", "discarded"
"""What a vehicle is to its run."""


def outcome_of_run(scenario: Scenario, run: RecordedRun) -> dict[str, Any]:
    """How a run ended, and when: the part of its summary that is always there."""
    outcome = Outcome(int(run.end.status[0]))
    return {
        "scenario": scenario.name,
        "outcome": outcome.name,
        "outcome_sentence": outcome.sentence,
        "end_s": run.end.time[0],
    }


def summarise(scenario: Scenario, run: RecordedRun, data: xr.Dataset, device: str) -> dict[str, Any]:
    """The summary of a recorded run; numbers that do not exist are None."""
    end = run.end
    position, velocity = data.position.values[:, 0], data.velocity.values[:, 0]
    gravity = acceleration_at(scenario, weighed_at(scenario, position[0]))
    g = float(np.linalg.norm(gravity))
    down = gravity / g if g else np.array([0.0, 0.0, -1.0])
    track = slide(position[0], _normal(scenario, down), down, run.events)
    law, of_mechanisms = coefficients_of(scenario, g), mechanism_results(scenario, run)
    of_flight = {} if scenario.flight is None else flight_summary(scenario, run, data)
    trim = _trim(scenario, data)
    return plain_json(
        {
            **outcome_of_run(scenario, run),
            **({"changes": [_change(change) for change in run.changes]} if run.changes else {}),
            **({"bodies": body_summaries(scenario, run, data)} if scenario.companions else {}),
            "points": list(data.point.values),
            "first_touch_s": end.first_touch[0],
            "peak_normal_force_N": end.peak[0],
            "final_normal_force_N": data.contact_normal_force.values[-1],
            "touchdowns": end.touches[0],
            "rest_s": end.rest[0],
            **(touchdown(scenario, end) if is_flight(scenario) else {}),
            "stop_s": track.stop,
            "slide_distance_m": None if is_flight(scenario) or scenario.flight is not None else track.distance,
            "slide_after_last_bounce_m": None if is_flight(scenario) else track.after_last_bounce,
            **({} if is_flight(scenario) else {"slide_along": track.along}),
            **places(scenario, end),
            "final_speed_m_s": np.linalg.norm(velocity[-1]),
            "max_penetration_m": end.penetration[0, : scenario.n_judged].max(),
            **({} if scenario.detector is None else {"landed_s": end.detected[0]}),
            **of_flight,
            **({"trim": trim} if trim else {}),
            **of_mechanisms,
            **flight_ending(scenario, run, of_mechanisms, of_flight.get("propellant_gone_s")),
            **_beyond_samples(scenario, run, data),
            **energy_account(data),
            "energy_rise_J": end.energy_rise[0],
            "energy_rise_bound_J": end.energy_rise_bound[0],
            "coefficients": list(law.summary()),
            **law.summary(),
            **law.frictions,
            "steps": end.steps[0],
            **_loosened(run),
            **_began_in_ground(scenario, run),
            "method": scenario.integrator.method,
            "device": device,
            "versions": versions_of("planetfall", "warp-lang", "numpy"),
        }
    )


def _trim(scenario: Scenario, data: xr.Dataset) -> dict[str, float | None]:
    """How a vehicle that enters the air is trimmed at the start; empty of others, which need none of that loaded."""
    if scenario.entering_body is None:
        return {}
    from planetfall.analysis.run.trim_at_start import trim_at_start

    return trim_at_start(scenario, np.concatenate([data.position.values[0], data.velocity.values[0]], axis=-1))


def _normal(scenario: Scenario, down: np.ndarray) -> np.ndarray | None:
    """Normal of the ground on the whole: of a plane its own, else, and where that is level, against gravity.

    A whole body (frame P) has none. Gravity of a body leans from the vertical of a site, by J2 and by the turning that
    it lacks; that is no slope.
    """
    terrain = scenario.terrain
    if scenario.target.frame == "P":
        return None
    if terrain.model != "plane":
        return -down
    is_level = terrain.outward[2] == 1.0 and scenario.gravity.model != "uniform"
    return -down if is_level and -down @ terrain.outward > np.cos(LEAN) else terrain.outward


def mechanism_results(scenario: Scenario, run: RecordedRun) -> dict[str, Any]:
    """What the mechanisms tell of a run; a name with a dot is in a table of its own."""
    out: dict[str, Any] = {}
    for name, values in results_of_mechanisms(mechanisms_of(scenario), run.end.mechanisms).items():
        table, _, own = name.rpartition(".")
        (out.setdefault(table, {}) if table else out)[own] = values[0]
    if not any(vehicle.parachutes for vehicle in scenario.vehicles):
        return out
    from planetfall.engine.mechanisms.air.parachute import mounted, places_of_parachutes  # here, or all would wait

    for place, (_, parachute) in zip(places_of_parachutes(scenario), mounted(scenario), strict=True):
        if parachute.box is not None and np.isfinite(out[place]["deploy_s"]):
            at_firing = (float(out[place][f"deploy_{what}"]) for what in ("mach", "dynamic_pressure_Pa"))
            out[place]["outside_box"] = parachute.box.violations(*at_firing)
    return out


def _beyond_samples(scenario: Scenario, run: RecordedRun, data: xr.Dataset) -> dict[str, Any]:
    """By how much peaks are likely to be more than their largest samples; nothing where they are located.

    The depth of a body is that of its deepest point, whose samples are not told apart here: the largest of all counts.
    """
    forces, depths = run.end.beyond_peak, run.end.beyond_depth
    if not forces.size:
        return {}
    of_bodies: dict[str, Any] = {}
    for b in range(len(scenario.vehicles) if len(scenario.vehicles) > 1 else 0):
        own = data.point_body.values == b
        highest = np.argmax(run.end.peak[0, own]) if own.any() else None
        of_bodies[f"bodies.{b}.peak_normal_force_N"] = 0.0 if highest is None else forces[0, own][highest]
        of_bodies[f"bodies.{b}.max_penetration_m"] = depths[0, own].max(initial=0.0)
    judged = data.point_body.values < scenario.n_judged
    return {
        "beyond_samples": {
            "peak_normal_force_N": forces[0],
            "max_penetration_m": depths[0, judged].max(initial=0.0),
            **of_bodies,
        }
    }


def _loosened(run: RecordedRun) -> dict[str, Any]:
    """The largest tolerance of a run that crept along a jump of the ground's force; nothing of any other."""
    found = [event.value for event in run.events if event.kind == "loosened"]
    return {"loosest_tolerance": max(found)} if found else {}


def _began_in_ground(scenario: Scenario, run: RecordedRun) -> dict[str, Any]:
    """Contact points that were in the ground when a release made them count; nothing of a run without any."""
    names = scenario.point_names
    found = [
        {"point": names[event.point], "time_s": event.time, "depth_m": event.value}
        for event in run.events
        if event.kind == "began_in_ground"
    ]
    return {"began_in_ground": found} if found else {}


def _change(change: ParameterChange) -> dict[str, Any]:
    """A parameter that was changed on the way."""
    return {
        "time_s": change.time, "step": change.step, "key": change.key, "from": change.before, "to": change.after,
        "energy_J": change.energy,
    }  # fmt: skip


def body_summaries(scenario: Scenario, run: RecordedRun, data: xr.Dataset) -> list[dict[str, Any]]:
    """Figures of each vehicle, in order; none where there is one alone, whose figures are the run's own."""
    if len(scenario.vehicles) == 1:
        return []
    return [_of_body(scenario, run, data, b) for b in range(len(scenario.vehicles))]


def _of_body(scenario: Scenario, run: RecordedRun, data: xr.Dataset, b: int) -> dict[str, Any]:
    end, own = run.end, data.point_body.values == b
    crash = next((e for e in run.events if e.kind == "crash" and own[e.point]), None)
    return {
        "name": scenario.body_names[b],
        "role": JUDGED if b < scenario.n_judged else DISCARDED,
        "first_touch_s": np.fmin.reduce(end.first_touch[0, own], initial=np.nan),
        "touchdowns": end.touches[0, own].sum(),
        "peak_normal_force_N": end.peak[0, own].max(initial=0.0),
        "max_penetration_m": end.penetration[0, b],
        "final_speed_m_s": np.linalg.norm(data.velocity.values[-1, b]),
        "crash_s": end.crash[0, b],
        "crash_speed_m_s": None if crash is None else crash.value,
    }


def works_beside(data: xr.Dataset, known: Collection[str]) -> list[str]:
    """Names of accounts of work that are neither among the `known` nor damper, friction or external forces."""
    named = (str(name) for name in data.data_vars if str(name).startswith("work_"))
    return [name for name in named if name not in {*known, "work_damper", "work_friction", "work_external"}]


def energy_account(data: xr.Dataset) -> dict[str, float]:
    """Energy at start and end, how well the account closes, and what crashes took [J]."""
    total = data.energy_total.values
    with np.errstate(invalid="ignore", over="ignore"):  # a run that diverged has no account
        held = total - data.work_external.values
        balance = held - held[0] - data.work_damper.values - data.work_friction.values
        known = ("work_anchor", "work_changes", "work_rolling", "work_crash")
        for name in (*(name for name in known if name in data), *works_beside(data, known)):
            balance = balance - (data[name].values - data[name].values[0])
        if "tether_reel_work" in data:
            reel, damper = (data[f"tether_{part}_work"].values.sum(axis=1) for part in ("reel", "damper"))
            balance = balance - reel - damper
    return {
        "energy_start_J": total[0],
        "energy_end_J": total[-1],
        "energy_closure_J": float(np.abs(balance).max()),
        **({"energy_crash_J": float(-data.work_crash.values[-1])} if "work_crash" in data else {}),
    }
