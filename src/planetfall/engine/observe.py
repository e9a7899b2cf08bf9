"""What the models say of recorded states: gaps, forces, modes, energies, by the same functions that moved them."""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.contact.model import ContactMemory, PointContact
from planetfall.engine.assembly import KERNEL_OPTIONS, Assembly
from planetfall.engine.build import Model
from planetfall.engine.dynamics import body_inertia
from planetfall.engine.held_sum import hold_of
from planetfall.engine.result import Frames, Observed
from planetfall.engine.sight import seen_from_body
from planetfall.vehicle.body import BodyState
from planetfall.world.terrain.model import Ground

ENERGY_KINETIC, ENERGY_GRAVITY, ENERGY_ELASTIC = 0, 1, 2


@wp.struct
class Views:
    """Outputs, [frame, point] and [frame, kind of energy]."""

    gap: wp.array2d(dtype=wp.float64)
    force: wp.array2d(dtype=wp.vec3d)
    normal_force: wp.array2d(dtype=wp.float64)
    friction_force: wp.array2d(dtype=wp.float64)
    mode: wp.array2d(dtype=wp.int32)
    energy: wp.array2d(dtype=wp.float64)


@lru_cache
def body_energy(assembly: Assembly) -> Any:
    """`@wp.func (params, body index, state) -> (kinetic, potential, 0)` [J].

    In a rotating frame the potential has the centrifugal part of the whole rigid body, so that the sum is conserved in
    free motion (the Jacobi integral).
    """
    params, potential, has_spin = assembly.params, assembly.gravity.potential, assembly.has_spin
    inertia_apply, _ = body_inertia(assembly)

    @wp.func
    def energy(p: params, b: int, state: BodyState) -> wp.vec3d:
        half = wp.float64(0.5)
        kinetic = half * p.mass[b] * wp.length_sq(state.velocity)
        kinetic += half * wp.dot(state.omega_B, inertia_apply(p, b, state.omega_B))
        held = p.mass[b] * potential(p.gravity, state.position)
        if wp.static(has_spin):
            spin_B = wp.transpose(state.R_SB) * p.frame.omega
            r = state.position - p.frame.center
            held -= half * p.mass[b] * wp.length_sq(wp.cross(p.frame.omega, r))
            held -= half * wp.dot(spin_B, inertia_apply(p, b, spin_B))
        return wp.vec3d(kinetic, held, wp.float64(0.0))

    return energy


@lru_cache
def observed_contact(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, state, memory, ground, velocity, point, frame) -> PointContact`, in body axes."""
    params, is_remembering = assembly.params, assembly.law.is_remembering
    law = assembly.law_held if is_remembering else assembly.law_contact

    @wp.func
    def contact(
        p: params, state: BodyState, memory: ContactMemory, ground: Ground, velocity: wp.vec3d, j: int, i: int
    ) -> PointContact:
        if wp.static(is_remembering):
            position = state.position + state.R_SB * p.points_B[j]
            point = law(p.law, wp.static(i_body), hold_of(memory, j, i), position, state.R_SB * velocity)
            point.force = wp.transpose(state.R_SB) * point.force
            return point
        else:
            return law(p.law, wp.static(i_body), memory.modes[j, i], ground, velocity)

    return contact


@lru_cache
def observe_body(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, y, memory, frame, views) -> energies [J]` of this body and those after it.

    The frames take the place of runs in the memory.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body

    if i_body == assembly.n_bodies:

        @wp.func
        def none(p: params, y: vector, memory: ContactMemory, i: int, views_out: Views) -> wp.vec3d:
            return wp.vec3d()

        return none
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    reported, contact_of = assembly.law.reported, observed_contact(assembly, i_body)
    energy, rest = body_energy(assembly), observe_body(assembly, i_body + 1)
    look_down, ground_of = seen_from_body(assembly)

    @wp.func
    def see(p: params, y: vector, memory: ContactMemory, i: int, views_out: Views) -> wp.vec3d:
        state = body_state(y, wp.static(i_body))
        total = rest(p, y, memory, i, views_out) + energy(p, wp.static(i_body), state)
        below = look_down(p, state)
        velocity_B = wp.transpose(state.R_SB) * state.velocity
        j = int(wp.static(first))
        while j < wp.static(last):
            point_B = p.points_B[j]
            ground = ground_of(p, state, below, j, -1)
            velocity = velocity_B + wp.cross(state.omega_B, point_B)
            point = contact_of(p, state, memory, ground, velocity, j, i)
            views_out.gap[i, j] = ground.gap
            views_out.force[i, j] = state.R_SB * point.force
            views_out.normal_force[i, j] = point.normal_force
            views_out.friction_force[i, j] = point.friction_force
            views_out.mode[i, j] = reported(memory.modes[j, i])
            total += wp.vec3d(wp.float64(0.0), wp.float64(0.0), point.elastic)
            j += 1
        return total

    return see


@lru_cache
def observe_kernel(assembly: Assembly) -> Any:
    """One thread per frame."""
    params, vector, see = assembly.params, assembly.layout.vector, observe_body(assembly, 0)

    @wp.kernel(**KERNEL_OPTIONS)
    def observe(p: params, states: wp.array(dtype=vector), memory: ContactMemory, views_out: Views):
        i = wp.tid()
        total = see(p, states[i], memory, i, views_out)
        for k in range(3):
            views_out.energy[i, k] = total[k]

    return observe


def observe(model: Model, frames: Frames) -> Observed:
    """Evaluates the models on every frame of a run."""
    n, n_points, device = len(frames.time), model.assembly.n_points, model.device
    shape = (n, n_points)
    views = Views()
    views.gap, views.normal_force, views.friction_force = (
        wp.zeros(shape, dtype=wp.float64, device=device) for _ in range(3)
    )
    views.force, views.mode = (
        wp.zeros(shape, dtype=wp.vec3d, device=device),
        wp.zeros(shape, dtype=wp.int32, device=device),
    )
    views.energy = wp.zeros((n, 3), dtype=wp.float64, device=device)
    states = wp.array(np.ascontiguousarray(frames.state), dtype=model.assembly.layout.vector, device=device)
    memory = _memory(frames, device)
    wp.launch(observe_kernel(model.assembly), n, inputs=[model.params, states, memory], outputs=[views], device=device)
    return Observed(
        gap=views.gap.numpy(),
        force=views.force.numpy().reshape(n, n_points, 3),
        normal_force=views.normal_force.numpy(),
        friction_force=views.friction_force.numpy(),
        mode=views.mode.numpy(),
        energy=views.energy.numpy(),
    )


def _memory(frames: Frames, device: str) -> ContactMemory:
    """The recorded memories, [point, frame]."""
    memory = ContactMemory()
    memory.modes = wp.array(np.ascontiguousarray(frames.modes.T, dtype=np.int32), dtype=wp.int32, device=device)
    if frames.anchor is not None and frames.normal is not None:
        memory.anchor, memory.normal = (
            wp.array(np.ascontiguousarray(values.swapaxes(0, 1)), dtype=wp.vec3d, device=device)
            for values in (frames.anchor, frames.normal)
        )
        memory.facet = wp.full(frames.modes.T.shape, -1, dtype=wp.int32, device=device)
    return memory
