"""Coasting: long steps of a body too far from the ground to touch it, path and rotation integrated apart.

In free flight nothing couples the two. A tumbling body that goes by whole steps takes them as short as its rotation
needs, and each costs gravity and the ground.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import warp as wp

from planetfall.contact.model import ContactMemory
from planetfall.engine.body.applied_forces import applied_forces
from planetfall.engine.contact.terrain_query import ground_query
from planetfall.engine.motion.torque_free_rotation import STANDING, free_turning
from planetfall.engine.solver.dopri5 import stepping
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.link_wrenches import link_wrenches_vector
from planetfall.engine.structure.run_params import StepParams
from planetfall.vehicle.body import BodyState

path_vector = wp.types.vector(length=6, dtype=wp.float64)
SHARE = wp.constant(wp.float64(0.9))
"""Of the free path, what a coast aims at: gravity at its end may be stronger than at its start."""
GAIN = wp.constant(wp.float64(2.0))
"""A coast is worth its while where it goes this many times as far as a whole step (assumed)."""


class Coasts(NamedTuple):
    """What a kernel that coasts calls.

    `path(params, y, step [s], memory, run) -> free path length [m]`, 0 where whole steps do as well;
    `coast_time(params, y, slope, path) -> time [s]` in which it is flown, by the present speed and acceleration;
    `coast(t, h, t_branch, y, slope, params, memory, run) -> Coast`.
    """

    path: Any
    coast_time: Any
    coast: Any


@wp.func
def length_of(v: path_vector, o: int) -> wp.float64:
    """Length of three components from `o` on."""
    return wp.length(wp.vec3d(v[o], v[o + 1], v[o + 2]))


@wp.func
def path_error(s: StepParams, h: wp.float64, y: path_vector, error: path_vector) -> wp.float64:
    """Error of a path over what the tolerance allows, measured as that of a whole step is."""
    speed = length_of(y, 3)
    worst = wp.max(length_of(error, 0) / (s.length + speed * h), length_of(error, 3) / (s.speed + speed))
    if not wp.isfinite(wp.dot(error, error)):
        return wp.float64(1.0e30)
    return worst / s.tolerance


@wp.func
def leave(y: wp.ref[path_vector]):
    """A path has no quaternion to keep at unit length."""
    return


def path_stepping(assembly: Assembly) -> Any:
    """The `stepping` of position and velocity alone."""
    params, vector, applied_of = assembly.params, assembly.layout.vector, applied_forces(assembly, 0)
    link_wrenches_type = link_wrenches_vector(assembly.n_bodies)

    @wp.func
    def rate(
        dy: wp.ref[path_vector], t: wp.float64, t_branch: wp.float64, y: wp.ref[path_vector], p: wp.ref[params],
        memory: wp.ref[ContactMemory], run: int,
    ):  # fmt: skip
        state = BodyState()
        state.position = wp.vec3d(y[0], y[1], y[2])
        state.velocity = wp.vec3d(y[3], y[4], y[5])
        nothing = vector()
        no_rates = vector()
        no_link_wrenches = link_wrenches_type()
        acceleration = applied_of(no_rates, t, t_branch, nothing, p, 0, state, no_link_wrenches).acceleration
        for i in range(3):
            dy[i] = y[3 + i]
            dy[3 + i] = acceleration[i]

    return stepping(params, path_vector, rate, leave)


def free_path(assembly: Assembly) -> Any:
    """`@wp.func (params, y, step [s], memory, run) -> how far [m] the body may go and not touch the ground`.

    In any direction, with any rotation. 0 where a whole step of the given length goes about as far, and where the run
    monitors the body's tilt. And 0 for a body that touched when the step began: its centre is no higher than its extent
    and the path of that step, less `step.length`, which is not worth a coast.
    """
    params, vector, query = assembly.params, assembly.layout.vector, ground_query(assembly)
    steepness = assembly.terrain.steepness

    @wp.func
    def path(
        p: wp.ref[params], y: wp.ref[vector], step: wp.float64, memory: wp.ref[ContactMemory], run: int
    ) -> wp.float64:
        if p.end.cos_overturn >= wp.float64(-1.0) or memory.n_listed[0, run] > 0:
            return wp.float64(0.0)
        steep = steepness(p.terrain)
        ground = query(p, wp.vec3d(y[0], y[1], y[2]), -1, -1)
        free = wp.min(ground.gap / steep[0], steep[1]) - p.step.length
        if free > GAIN * step * wp.length(wp.vec3d(y[3], y[4], y[5])):
            return free
        return wp.float64(0.0)

    return path


@lru_cache
def coasts(assembly: Assembly) -> Coasts:
    """The functions of an assembly that `coasts`."""
    params, vector = assembly.params, assembly.layout.vector
    step_path, turn = path_stepping(assembly), free_turning(assembly)

    @wp.struct
    class Coast:
        y: vector
        error: wp.float64  # of the path, over what the tolerance allows
        path: wp.float64  # length of the path, at most [m]
        is_done: wp.int32  # 0 where the turning was given up

    @wp.func
    def coast_time(p: wp.ref[params], y: wp.ref[vector], slope: wp.ref[vector], path: wp.float64) -> wp.float64:
        speed = wp.length(wp.vec3d(y[3], y[4], y[5]))
        acceleration = wp.length(wp.vec3d(slope[3], slope[4], slope[5]))
        aimed = SHARE * path
        root = wp.sqrt(speed * speed + wp.float64(2.0) * acceleration * aimed)
        return wp.min(p.step.step, wp.float64(2.0) * aimed / wp.max(speed + root, STANDING))

    @wp.func
    def coast(
        t: wp.float64, h: wp.float64, branch: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], p: wp.ref[params],
        memory: wp.ref[ContactMemory], run: int,
    ) -> Coast:  # fmt: skip
        start = path_vector(y[0], y[1], y[2], y[3], y[4], y[5])
        slope = path_vector(k1[0], k1[1], k1[2], k1[3], k1[4], k1[5])
        tried = step_path(t, h, branch, start, slope, p, memory, run)
        turned = turn(h, wp.quatd(y[6], y[7], y[8], y[9]), wp.vec3d(y[10], y[11], y[12]), p)
        out = Coast()
        out.y = y
        for k in range(6):
            out.y[k] = tried.y[k]
        for k in range(4):
            out.y[6 + k] = turned.q[k]
        for k in range(3):
            out.y[10 + k] = turned.omega_B[k]
        out.error = path_error(p.step, h, start, tried.error)
        fastest = wp.max(length_of(start, 3), length_of(tried.y, 3))
        acceleration = wp.max(length_of(slope, 3), length_of(tried.slope, 3))
        out.path = h * (fastest + wp.float64(0.5) * h * acceleration)
        out.is_done = turned.is_done
        return out

    return Coasts(free_path(assembly), coast_time, coast)
