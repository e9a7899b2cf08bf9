"""The saved places of an anchored contact law as numbers of the state, where a method locates events.

The law moves them (`engine.motion.anchors`), three numbers for each contact point, surface frame [m].
"""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.compute.in_place import number
from planetfall.contact.laws import law_named
from planetfall.engine.structure.mechanism import Mechanism, StateSlot
from planetfall.engine.structure.run_params import StepParams
from planetfall.engine.structure.start import Start
from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario


def anchors_of(scenario: Scenario) -> Mechanism | None:
    """The saved places of a scenario; None where they change once per step, or the law saves none."""
    law = law_named(scenario.contact.law)
    if not law.is_anchored or scenario.integrator.method != "adaptive":
        return None
    if law.located is None:
        raise InputError(
            "integrator.method",
            f"the memory of contact.law = {law.name!r} changes once per step, which makes the step part of the law",
            "'rk4'", "use method = 'rk4', or give the law its limit for ever shorter steps (located)",
        )  # fmt: skip
    return anchors_mechanism(sum(len(vehicle.points) for vehicle in scenario.vehicles))


@wp.struct
class AnchorCount:
    """`count` of the saved places; a struct needs a member."""

    count: wp.int32


@lru_cache
def anchors_mechanism(n_points: int) -> Mechanism:
    """Of so many contact points."""

    @lru_cache
    def error(slot: StateSlot) -> Any:
        vector, first = slot.vector, slot.offset

        @wp.func
        def worst(p: wp.ref[AnchorCount], y: wp.ref[vector], errors: wp.ref[vector], step: StepParams) -> wp.float64:
            out = wp.float64(0.0)
            j = int(0)
            while j < p.count:
                o = wp.static(first) + 3 * j
                out = wp.max(out, wp.length(wp.vec3d(number(errors[o]), number(errors[o + 1]), number(errors[o + 2]))))
                j += 1
            return out / step.length

        return worst

    def fill(scenario: Scenario, start: Start) -> Draft:
        draft = Draft(AnchorCount)
        draft.count = n_points
        return draft

    return Mechanism(
        name="anchors",
        params=AnchorCount,
        fill=fill,
        reads=(),
        n_states=3 * n_points,
        initial=lambda scenario: np.zeros(3 * n_points),
        error=error,
        holds_anchors=True,
        rounds_alike=True,
    )
