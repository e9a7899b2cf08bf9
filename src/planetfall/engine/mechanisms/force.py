"""The extra forces of a scenario, pushes and thrusters, as a mechanism."""

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
from planetfall.vehicle.forces import ForceSet, TabledForce, force_set
from planetfall.world.environment import Environment


def forces_of(scenario: Scenario) -> Mechanism | None:
    """The forces of a scenario; None where it has none."""
    tabled = tabled_forces(scenario)
    return forces_mechanism(tuple(force.kind for force in tabled)) if tabled else None


def tabled_forces(scenario: Scenario) -> list[TabledForceKeys]:
    """Those that follow a table over time; the others are the user's own (`own_force`)."""
    return [force for force in scenario.forces if isinstance(force, TabledForceKeys)]


@lru_cache
def forces_mechanism(kinds: tuple[str, ...]) -> Mechanism:
    """Forces of some kinds, in order."""
    forces = force_set(kinds)
    params, total = forces.params, forces.wrench

    @lru_cache
    def wrench(slot: StateSlot) -> Any:
        vector = slot.vector

        @wp.func
        def wrench_on(
            p: wp.ref[params], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
            state: wp.ref[BodyState], environment: wp.ref[Environment],
        ) -> Wrench:  # fmt: skip
            return total(p, b, t, t_branch, state)

        return wrench_on

    def fill(scenario: Scenario, start: Start) -> Draft:
        return force_params(scenario, forces)

    return Mechanism(
        name="forces",
        params=params,
        fill=fill,
        reads=("forces.",),
        wrench=wrench,
        account=WORK_EXTERNAL,
        next_break=lambda slot: forces.next_break,
        rounds_alike=True,
    )


def force_params(scenario: Scenario, forces: ForceSet) -> Draft:
    """Head and tail, nested once per force, innermost first."""
    classes = [forces.params]
    for _ in tabled_forces(scenario):
        classes.append(classes[-1].vars["tail"].type)
    nested = Draft(classes[-1])
    for force, cls in zip(reversed(tabled_forces(scenario)), reversed(classes[:-1]), strict=True):
        head, outer = Draft(TabledForce), Draft(cls)
        head.body = scenario.body_index(force.body)
        head.point_B, head.direction = force.point, force.direction
        head.times, head.magnitudes = force.times, force.magnitudes
        outer.head, outer.tail = head, nested
        nested = outer
    return nested
