"""The extra forces of a scenario, pushes and thrusters, each a mechanism on its body."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.draft import Draft
from planetfall.engine.structure.mechanism import Mechanism, StateSlot
from planetfall.engine.structure.start import Start
from planetfall.engine.structure.work_accounts import WORK_EXTERNAL
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.vehicle.forces import TabledForceKeys
from planetfall.vehicle.body import BodyState, Wrench
from planetfall.vehicle.forces import TabledForce, force_named, tabled_break
from planetfall.world.environment import Environment


def forces_of(scenario: Scenario) -> tuple[Mechanism, ...]:
    """Those that follow a table over time; the others are the user's own (`own_force`)."""
    return tuple(
        force_mechanism(force.kind, i, scenario.body_index(force.body))
        for i, force in enumerate(scenario.forces)
        if isinstance(force, TabledForceKeys)
    )


@lru_cache
def force_mechanism(kind: str, i: int, body: int) -> Mechanism:
    """The i-th force of a scenario, of some kind, on a body."""
    wrench_of = force_named(kind)

    @lru_cache
    def wrench(slot: StateSlot) -> Any:
        vector = slot.vector

        @wp.func
        def wrench_on(
            p: wp.ref[TabledForce], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
            state: wp.ref[BodyState], environment: wp.ref[Environment],
        ) -> Wrench:  # fmt: skip
            return wrench_of(p, t, t_branch, state)

        return wrench_on

    def fill(scenario: Scenario, start: Start) -> Draft:
        out, force = Draft(TabledForce), scenario.forces[i]
        assert isinstance(force, TabledForceKeys)
        out.point_B, out.direction = force.point, force.direction
        out.times, out.magnitudes = force.times, force.magnitudes
        return out

    return Mechanism(
        name="forces",
        params=TabledForce,
        fill=fill,
        reads=("forces.",),
        wrench=wrench,
        account=WORK_EXTERNAL,
        next_break=lambda slot: tabled_break,
        acts_on=(body,),
        rounds_alike=True,
    )
