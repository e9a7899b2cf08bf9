"""Two laws that differ only in what a function computes must not share a kernel, in one process or by its cache.

Warp names a compiled module by a hash of the source it can find. A function that it does not find is not hashed, and a
kernel compiled before that function changed is served in its place, silently. Here the ground pushes back with twice
the force of the marker law: the block must stand half as deep.
"""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

import planetfall
from planetfall.contact.marker import CONTACT_MARKER
from planetfall.contact.model import PointContact
from planetfall.engine.build import build
from planetfall.engine.run import run_batch
from planetfall.world.terrain.model import Ground

SINK = 0.01  # [m]


@lru_cache
def doubled(params: Any) -> Any:
    """The marker law's contact with twice the force."""
    single = CONTACT_MARKER.contact(params)

    @wp.func
    def contact(law: params, body: int, mode: wp.int32, ground: Ground, velocity: wp.vec3d) -> PointContact:
        out = single(law, body, mode, ground, velocity)
        out.force = out.force * wp.float64(2.0)
        return out

    return contact


def test_a_changed_contact_law_is_compiled_anew() -> None:
    """At rest, 5 s on: the sinks are fixed points of RK4, exact to the rounding of heights of 0.2 m."""
    scenario = planetfall.load("sink-flat").with_values({"integrator": {"method": "rk4", "step": 1e-3}})
    model = build(scenario, is_recorded=False)
    stiffer = replace(model, assembly=replace(model.assembly, law=replace(CONTACT_MARKER, contact=doubled)))
    heights = [run_batch(which, which.initial_state[None]).state[0, 2] for which in (model, stiffer)]
    np.testing.assert_allclose(heights, [0.2 - SINK, 0.2 - SINK / 2.0], rtol=0.0, atol=1e-15)
