"""Parameters that may be changed while a run is live, and what a change does to the account of energy.

Safe are numbers that only enter forces: friction, damping and stiffness of the contact law, and the strength of uniform
gravity where nothing aboard was given it. A launch begins with an evaluation of the state that judges every contact
anew, so a run goes on under a changed law as one that starts in that state would. What is part of the state (mass,
lengths, places of points), of the ground or of the method stays.

A change moves stored energy without a force that does work. The difference at the instant of the change is booked, so
that the account still closes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from planetfall.contact.laws import law_named, law_params
from planetfall.engine.build import Model, check_start
from planetfall.engine.observe import observe
from planetfall.engine.parameters import step_params
from planetfall.engine.state.result import Frames, Observed
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.errors import InputError
from planetfall.scenario.dispersions.keys import place_of
from planetfall.scenario.scenario import Scenario
from planetfall.world.gravity.field import acceleration_at, gravity_params, weighed_at

GRAVITY = "gravity.acceleration"


@dataclass(frozen=True)
class Law:
    """A model from a time [s] on."""

    since: float
    model: Model


def changeable_keys(scenario: Scenario) -> list[str]:
    """Keys of a scenario that may change while it runs."""
    has_points = any(vehicle.points for vehicle in scenario.vehicles)
    keys = [f"contact.{name}" for name in law_named(scenario.contact.law).live_keys] if has_points else []
    keys = [key for key in keys if place_of(scenario, key).nominal is not None]
    knows_gravity = scenario.flight is not None or scenario.detector is not None or bool(scenario.sensors)
    return [*keys, *([GRAVITY] if scenario.gravity.model == "uniform" and not knows_gravity else [])]


def changed_model(model: Model, values: Mapping[str, float]) -> Model:
    """The model of a run with some of its parameters changed; all else, and all that is large, is shared.

    Raises:
        InputError: A key may not change, or a value is refused as it would be in a scenario file.
    """
    legal = changeable_keys(model.scenario)
    for key in values:
        if key not in legal:
            allowed = f"one of {', '.join(legal)}" if legal else "no change, since this scenario allows none"
            raise InputError(key, "cannot change during a run", allowed)
    scenario = model.scenario.with_values(values, "a change during the run")
    states = model.initial_state.reshape(-1, BODY_SIZE)
    check_start(scenario, states, model.surface)
    return replace(model, scenario=scenario, params=_changed_params(model, scenario, GRAVITY in values))


def _changed_params(model: Model, scenario: Scenario, has_new_gravity: bool) -> Any:
    """What `build` would make of the scenario, with the parts that no change reaches taken from the model."""
    params = model.assembly.params()
    for name in model.params._cls.vars:
        setattr(params, name, getattr(model.params, name))
    gravity = float(np.linalg.norm(acceleration_at(scenario, weighed_at(scenario, model.initial_state[:3]))))
    params.law = law_params(scenario, gravity).on_device(model.device)
    if has_new_gravity:
        params.gravity = gravity_params(scenario, model.device)
        params.step = step_params(scenario, gravity).on_device(model.device)
    return params


def stored_change(before: Model, after: Model, now: Frames) -> float:
    """By how much stored energy [J] differs between two laws in a state, the last frame of `now`."""
    seen = observe(before, now)
    if not before.assembly.law.is_anchored:
        # modes are those of the last evaluation, a step ago; whether a point is in the ground decides what is stored
        modes = np.where(seen.gap < 0.0, np.maximum(now.modes, 1), 0)
        now = replace(now, modes=modes.astype(now.modes.dtype))
        seen = observe(before, now)
    return float(observe(after, now).energy[-1].sum() - seen.energy[-1].sum())


def observe_by(laws: list[Law], frames: Frames) -> Observed:
    """Evaluates on every frame the model that held then: from its instant on, a change holds."""
    if len(laws) == 1:
        return observe(laws[0].model, frames)
    which = np.searchsorted([law.since for law in laws[1:]], frames.time, side="right")
    parts = [observe(law.model, _some(frames, which == i)) for i, law in enumerate(laws) if np.any(which == i)]
    return _joined(parts)


def _some(frames: Frames, chosen: np.ndarray) -> Frames:
    given = {part.name: getattr(frames, part.name) for part in fields(frames)}
    return replace(frames, **{name: values[chosen] for name, values in given.items() if values is not None})


def _joined(parts: list[Any]) -> Any:
    """Arrays of several parts, one after the other, in one object of their kind."""
    first = parts[0]
    out: dict[str, Any] = {}
    for part in fields(first):
        values = [getattr(each, part.name) for each in parts]
        if isinstance(values[0], np.ndarray):
            out[part.name] = np.concatenate(values)
        else:
            out[part.name] = None if values[0] is None else _joined(values)
    return type(first)(**out)
