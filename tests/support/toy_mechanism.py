"""A mechanism that only tests know: drag in proportion to speed, with states, variables and an account of its own."""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.engine.structure.mechanism import Mechanism, RecordedVariable, StateSlot
from planetfall.engine.structure.run_params import StepParams
from planetfall.engine.structure.start import Start
from planetfall.engine.structure.work_accounts import WorkAccount
from planetfall.scenario.scenario import Scenario
from planetfall.vehicle.body import BodyState, Wrench
from planetfall.world.environment import Environment

COEFFICIENT = 25.0  # [N s/m]
HEAT, FASTEST = 0, 1
SIZE = 2
WORK_DRAG = WorkAccount("work_drag", "work of the drag on the vehicle", puts_in=False)


@wp.struct
class DragParams:
    """Its `coefficient` [N s/m]."""

    coefficient: wp.float64


def drag_of(scenario: Scenario) -> Mechanism:
    """On every body of any scenario."""
    return drag(len(scenario.vehicles))


@lru_cache
def drag(n_bodies: int) -> Mechanism:
    """F = -c v at the reference point; heat' = c v^2 [W]; and the largest speed of all steps."""

    def fill(scenario: Scenario, start: Start) -> Draft:
        out = Draft(DragParams)
        out.coefficient = COEFFICIENT
        return out

    return Mechanism(
        name="drag",
        params=DragParams,
        fill=fill,
        reads=(),
        n_states=SIZE * n_bodies,
        initial=lambda scenario: np.zeros(SIZE * n_bodies),
        rates=drag_rates,
        wrench=drag_wrench,
        account=WORK_DRAG,
        after_step=drag_after_step,
        error=drag_error,
        variables=(
            RecordedVariable("drag_force", "N", "drag", "S", 3),
            RecordedVariable("heat", "J", "heat that the drag has made"),
            RecordedVariable("fastest", "m/s", "largest speed so far"),
            RecordedVariable("gravity_here", "m/s^2", "gravity", "S", 3),
        ),
        observe=drag_observe,
        rounds_alike=True,
    )


@lru_cache
def drag_wrench(slot: StateSlot) -> Any:
    vector = slot.vector

    @wp.func
    def wrench(
        p: wp.ref[DragParams], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
        state: wp.ref[BodyState], environment: wp.ref[Environment],
    ) -> Wrench:  # fmt: skip
        out = Wrench()
        out.force = state.velocity * (-p.coefficient)
        return out

    return wrench


@lru_cache
def drag_rates(slot: StateSlot) -> Any:
    vector, offset = slot.vector, slot.offset

    @wp.func
    def rates(
        dy: wp.ref[vector], p: wp.ref[DragParams], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
        state: wp.ref[BodyState], environment: wp.ref[Environment],
    ):  # fmt: skip
        dy[offset + b * SIZE + HEAT] = p.coefficient * wp.length_sq(state.velocity)
        dy[offset + b * SIZE + FASTEST] = wp.float64(0.0)

    return rates


@lru_cache
def drag_after_step(slot: StateSlot) -> Any:
    vector, offset = slot.vector, slot.offset

    @wp.func
    def after_step(
        y: wp.ref[vector], p: wp.ref[DragParams], b: int, t: wp.float64, state: wp.ref[BodyState],
        environment: wp.ref[Environment],
    ):  # fmt: skip
        o = offset + b * SIZE + FASTEST
        y[o] = wp.max(y[o], wp.length(state.velocity))

    return after_step


@lru_cache
def drag_error(slot: StateSlot) -> Any:
    vector, offset = slot.vector, slot.offset

    @wp.func
    def worst(p: wp.ref[DragParams], y: wp.ref[vector], error: wp.ref[vector], step: StepParams) -> wp.float64:
        return wp.abs(error[offset + HEAT])

    return worst


@lru_cache
def drag_observe(slot: StateSlot) -> Any:
    vector, offset = slot.vector, slot.offset

    @wp.func
    def observe(
        p: wp.ref[DragParams], y: wp.ref[vector], b: int, t: wp.float64, state: wp.ref[BodyState],
        environment: wp.ref[Environment], values: wp.array2d(dtype=wp.float64), frame: int, column: int,
    ):  # fmt: skip
        for i in range(3):
            values[frame, column + i] = -p.coefficient * state.velocity[i]
            values[frame, column + 5 + i] = environment.gravity[i]
        values[frame, column + 3] = y[offset + b * SIZE + HEAT]
        values[frame, column + 4] = y[offset + b * SIZE + FASTEST]

    return observe
