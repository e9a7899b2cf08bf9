"""What has to hold of every landing: it ends, every number is one, energy does not rise, and its account closes.

Energy may rise by `energy_rise_bound` [J], which Planetfall states for each run: errors of the integration, and what
the stick of the small-body law gives back. The account also holds the work of dampers and friction, which is integrated
beside the motion, with an error of its own (`docs/models/integrators.md`, `work_error` here).

Both estimates are of steps that follow the motion. The longest stable step is known beforehand for the first impact
only; a later one may load a point more, and friction is as stiff as the load. Where a step was too long for the loads
that came (`friction_number`), RK4 keeps a sliding speed up, or raises it, while the work of friction goes on being
summed: equal errors in step after step, of which no difference of neighbours tells. Such a landing is taken again with
a step that is stable under those loads, and its account has to close then.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from planetfall.contact.anchor_located import MODE_TAUT
from planetfall.contact.laws import law_named
from planetfall.engine.build import Model, build
from planetfall.engine.checks.contact_step import REAL_LIMIT, loaded_points, step_limit
from planetfall.engine.run import run_recorded
from planetfall.engine.solver.stall import WINDOW
from planetfall.engine.state.result import RecordedRun
from planetfall.outcome import Outcome
from planetfall.scenario.files.write import scenario_toml
from planetfall.scenario.tables.contact.anchor import ContactAnchor
from planetfall.scenario.tables.run.attitude import rotation_matrix
from support.random_landings import Setting, landing

ENDS = (
    Outcome.settled, Outcome.sliding, Outcome.overturned, Outcome.off_map, Outcome.timed_out,
)  # fmt: skip
"""How a random landing may end: neither diverged nor refused; over these grounds there are no holes."""

MOST_SHORTENED = 3
"""Times that a landing is taken again: with other steps other loads come."""
SHARE = 0.7
"""Of the longest step that is stable under the loads that came, as landings are drawn with at most."""
MANY_FRAMES = 5_000
"""Of a record that is to hold adaptive steps one by one, or a few together."""


@dataclass(frozen=True)
class Landed:
    """What came of a landing.

    Attributes:
        model: The landing.
        steps: How many it took.
        touches: Of all points.
        rise: Of energy over what is allowed [-].
        opening: Of the account over what is allowed [-].
        problems: What is wrong with it, a sentence each.
        n_shortened: How often it was taken again with a step that is stable under the loads that had come.
    """

    model: Model
    steps: int
    touches: int
    rise: float
    opening: float
    problems: tuple[str, ...]
    n_shortened: int = 0


def run_landing(setting: Setting, seed: int, number: int, folder: Path) -> Landed:
    """Makes a landing, runs it, and looks at what must hold."""
    return judged(landing(setting, seed, number, folder))


def judged(model: Model, n_shortened: int = 0) -> Landed:
    """Runs a landing, and looks at what must hold."""
    run = run_recorded(model)
    end, problems = run.end, [*ended(model, run), *finite(run)]
    bound, opening = float(end.energy_rise_bound[0]), account_opening(model, run)
    rise, allowed = float(end.energy_rise[0]), bound + (0.0 if opening <= bound else work_error(model, run))
    if not rise <= bound:
        problems.append(f"energy rises by {rise:.3g} J; integration and stick explain {bound:.3g} J")
    method = model.scenario.integrator
    number = 0.0 if opening <= allowed or n_shortened == MOST_SHORTENED else friction_number(model, run)
    if method.method == "rk4" and number > REAL_LIMIT:
        step = SHARE * REAL_LIMIT / number * method.step
        shorter = build(model.scenario.with_values({"integrator.step": step}), surface=model.surface)
        return judged(shorter, n_shortened + 1)
    if not opening <= allowed:
        problems.append(f"the account is open by {opening:.3g} J; integration explains {allowed:.3g} J")
    return Landed(
        model, int(end.steps[0]), int(end.touches.sum()), rise / bound, opening / allowed, tuple(problems),
        n_shortened,
    )  # fmt: skip


def ended(model: Model, run: RecordedRun) -> list[str]:
    """Whether it came to an end within its budget of steps."""
    outcome, steps, budget = Outcome(int(run.end.status[0])), int(run.end.steps[0]), budget_of(model)
    duration = model.scenario.scenario.duration
    found = [] if outcome in ENDS else [f"it ended as {outcome.name} at {run.end.time[0]:.6g} of {duration:.6g} s"]
    if steps > budget:
        budget = max(budget, leash_steps(model))
    return found if steps <= budget else [*found, f"it took {steps} steps of at most {budget}"]


def budget_of(model: Model) -> int:
    """Most steps that a landing may take.

    Fixed steps: those of its duration. Adaptive ones: those of one window, or, where friction or springs are so stiff
    that stability needs more, twice those of RK4 with its longest stable step. Both methods are explicit, of like
    stability; what is tried and found too long comes on top.
    """
    duration, method = model.scenario.scenario.duration, model.scenario.integrator
    if method.method == "rk4":
        return int(np.ceil(duration / method.step * (1.0 + 1e-9)))
    longest = step_limit(model.scenario, model.initial_state, model.surface).step
    return max(WINDOW, int(np.ceil(2.0 * duration / longest)))


def leash_steps(model: Model) -> int:
    """Twice the steps of RK4 that are stable while an anchor follows a sliding point on a taut leash.

    Across its way a leash of length L turns into it at the rate |V|/L, with L = r N/k: as stiff as friction is small.
    """
    contact = model.scenario.contact
    if not isinstance(contact, ContactAnchor) or contact.anchor_rule not in ("leash", "drag"):
        return 0
    duration = model.scenario.scenario.duration
    run = run_recorded(
        build(model.scenario.with_values({"record.interval": duration / MANY_FRAMES}), surface=model.surface)
    )
    frames, anchor, normals = run.frames, run.frames.anchor, run.frames.normal
    assert anchor is not None and normals is not None
    points = model.scenario.vehicle.tips - model.scenario.vehicle.hub.center
    rates = np.zeros(len(frames.time))
    for i, (state, modes) in enumerate(zip(frames.state, frames.modes, strict=True)):
        for j in np.flatnonzero(modes == MODE_TAUT):
            R_SB, normal = rotation_matrix(state[6:10]), normals[i, j]
            arm = R_SB @ points[j]
            velocity = state[3:6] + np.cross(R_SB @ state[10:13], arm)
            behind = state[:3] + arm - anchor[i, j]
            leash = np.linalg.norm(behind - normal * (behind @ normal))
            speed = np.linalg.norm(velocity - normal * (velocity @ normal))
            rates[i] = max(rates[i], speed / max(leash, 1e-300))
    return int(2.0 * np.trapezoid(rates, frames.time) / REAL_LIMIT)


def friction_number(model: Model, run: RecordedRun) -> float:
    """The step times the rate at which friction slows slow points [-], the largest under the loads that came.

    Of every step; RK4 is stable up to `REAL_LIMIT`. 0 with an adaptive method, which finds its own steps.
    """
    method, scenario = model.scenario.integrator, model.scenario
    if method.method != "rk4":
        return 0.0
    again = run_recorded(build(scenario.with_values({"record.interval": method.step}), surface=model.surface))
    law, vehicle = law_named(scenario.contact.law), scenario.vehicle
    states, loads, arms = again.frames.state, again.observed.normal_force, vehicle.tips - vehicle.hub.center
    largest = 0.0
    for i in np.flatnonzero(loads.max(axis=1) > 0.0):
        some, R_SB = loads[i] > 0.0, rotation_matrix(states[i, 6:10])
        normals = model.surface.ask(states[i, :3] + arms[some] @ R_SB.T)[1]
        if np.all(np.isfinite(normals)):
            sliding = loaded_points(vehicle, arms[some], normals @ R_SB, loads[i, some])
            largest = max(largest, method.step * law.friction_rate(scenario.contact, sliding))
    return largest


def finite(run: RecordedRun) -> list[str]:
    """Numbers that are none, in what a result holds; times of what did not happen are NaN by rule."""
    seen, end = run.observed, run.end
    named = {
        "state": run.frames.state, "force": seen.force, "gap": seen.gap, "energy": seen.energy, "peak": end.peak,
        "penetration": end.penetration, "energy_rise": end.energy_rise, "energy_rise_bound": end.energy_rise_bound,
    }  # fmt: skip
    return [f"{name} is not finite" for name, values in named.items() if not np.all(np.isfinite(values))]


def works(model: Model, run: RecordedRun) -> np.ndarray:
    """Integrals of all kinds of work [frame, kind] [J]."""
    return run.frames.state[:, model.assembly.layout.work_offset :]


def account_opening(model: Model, run: RecordedRun) -> float:
    """By how much energy and works differ, at most [J].

    Beyond the edge of a map there is no ground whose springs could hold anything: the last frame does not count there.
    """
    is_beyond = int(run.end.status[0]) == Outcome.off_map
    balance = run.observed.energy.sum(axis=1) - works(model, run).sum(axis=1)
    return float(np.abs(balance - balance[0])[: -1 if is_beyond else None].max(initial=0.0))


def work_error(model: Model, run: RecordedRun) -> float:
    """What the integrals of work may be wrong by [J], from another run that records steps one by one, or a few at once.

    Where a power jumps by J inside a step h, its integral is wrong by at most J h/3; twice the difference of a step's
    mean power to what lies between those of its neighbours adds up to at least J about it. With equal steps that is the
    third difference of the work. Adaptively, the tolerance of its size in every step comes on top.
    """
    method, duration = model.scenario.integrator, model.scenario.scenario.duration
    is_adaptive = method.method == "adaptive"
    interval = duration / MANY_FRAMES if is_adaptive else method.step
    again = run_recorded(build(model.scenario.with_values({"record.interval": interval}), surface=model.surface))
    found, steps = works(model, again), np.diff(again.frames.time)
    powers, middles = np.diff(found, axis=0) / steps[:, None], again.frames.time[:-1] + 0.5 * steps
    share = ((middles[1:-1] - middles[:-2]) / (middles[2:] - middles[:-2]))[:, None]
    between = powers[:-2] + share * (powers[2:] - powers[:-2])
    jumps = float((2.0 * np.abs(powers[1:-1] - between).sum(axis=1) * steps[1:-1]).sum()) / 3.0
    size = float(np.abs(works(model, run)).sum(axis=1).max())
    return jumps + (method.tolerance * run.end.steps[0] * size if is_adaptive else 0.0)


def written_down(model: Model, folder: Path) -> Path:
    """The scenario as a file that repeats the landing, beside the files of its ground."""
    file = folder / f"{model.scenario.scenario.name}.toml"
    file.write_bytes(scenario_toml(model.scenario, folder))
    return file


def check_landings(setting: Setting, seed: int, numbers: range, folder: Path) -> list[Landed]:
    """Runs landings of one setting; AssertionError with the scenario of those that are not as they must be."""
    landed = [run_landing(setting, seed, number, folder) for number in numbers]
    wrong = [(number, found) for number, found in zip(numbers, landed, strict=True) if found.problems]
    told = [
        f"landing {number} of seed {seed}, {setting}: {'; '.join(found.problems)}\n"
        f"planetfall run {written_down(found.model, folder)}"
        for number, found in wrong
    ]
    if wrong:
        told.append("the first of them:\n" + written_down(wrong[0][1].model, folder).read_text(encoding="utf-8"))
    assert not wrong, "\n".join(told)
    return landed
