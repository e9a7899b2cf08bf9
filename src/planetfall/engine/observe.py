"""What the models say of recorded states: gaps, forces, modes, energies, by the same functions that moved them."""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.fused import plus_crossed, turned_back
from planetfall.compute.struct_arrays import allocate
from planetfall.contact.model import CONTACT_NONE, CONTACT_STATIC, ContactMemory
from planetfall.engine.body.applied_forces import applied_forces
from planetfall.engine.body.environment import environment_of
from planetfall.engine.body.mass_properties import inner_state
from planetfall.engine.build import Model
from planetfall.engine.contact.point_loop import contact_in_mode
from planetfall.engine.contact.resultant import ContactSum, PointTally, point_adder, resultant_force
from planetfall.engine.contact.terrain_query import NOWHERE, ground_in_body_axes
from planetfall.engine.mechanisms.chain import (
    all_mechanisms,
    columns_of_free,
    observe_mechanisms,
    observe_parts_of_mechanisms,
)
from planetfall.engine.motion.body_energy import body_energy
from planetfall.engine.motion.equations import inner_rates
from planetfall.engine.state.result import BodyFrictions, Frames, Observed
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.code_plan import KERNEL_OPTIONS
from planetfall.vehicle.body import BodyState


@wp.struct
class Views:
    """Outputs, [frame, point], [frame, kind of energy], [frame, body], most by resultant laws.

    `mechanisms`: [frame, column] of their variables.
    """

    gap: wp.array2d(dtype=wp.float64)
    force: wp.array2d(dtype=wp.vec3d)
    normal_force: wp.array2d(dtype=wp.float64)
    friction_force: wp.array2d(dtype=wp.float64)
    mode: wp.array2d(dtype=wp.int32)
    energy: wp.array2d(dtype=wp.float64)
    body_energy: wp.array2d(dtype=wp.vec3d)
    mechanisms: wp.array2d(dtype=wp.float64)
    application_point: wp.array2d(dtype=wp.vec3d)
    friction: wp.array2d(dtype=wp.vec3d)
    rolling_torque: wp.array2d(dtype=wp.vec3d)
    rolling_force: wp.array2d(dtype=wp.vec3d)


@lru_cache
def observed_friction(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, t, y, state, normal forces, tally, frame, views)`, of resultant laws; surface frame."""
    if assembly.law.resultant is None:
        return None
    params, applied_of = assembly.params, applied_forces(assembly, i_body)
    resultant_of = resultant_force(assembly, i_body)
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    vector, fill_inner, ground_below = assembly.layout.vector, inner_rates(assembly), ground_in_body_axes(assembly)[0]

    @wp.func
    def note(
        p: wp.ref[params],
        t: wp.float64,
        y: wp.ref[vector],
        state: BodyState,
        normal: ContactSum,
        tally: PointTally,
        i: int,
        views_out: Views,
    ):
        if tally.load > wp.float64(0.0) and tally.depth > wp.float64(0.0):
            slope = vector()
            link_wrenches = fill_inner(slope, t, t, y, p)
            applied = applied_of(slope, t, t, y, p, wp.static(i_body), state, link_wrenches)
            below = ground_below(p, state)
            found = resultant_of(p, state, applied, below, normal, tally, -1)
            views_out.application_point[i, wp.static(i_body)] = state.position + state.R_SB * found.arm
            views_out.friction[i, wp.static(i_body)] = state.R_SB * found.force.friction
            views_out.rolling_torque[i, wp.static(i_body)] = state.R_SB * found.force.rolling_torque
            views_out.rolling_force[i, wp.static(i_body)] = state.R_SB * found.force.rolling_force
            if found.slip < wp.float64(0.5):
                for j in range(wp.static(first), wp.static(last)):
                    if views_out.mode[i, j] != CONTACT_NONE:
                        views_out.mode[i, j] = CONTACT_STATIC

    return note


@lru_cache
def observe_parts(assembly: Assembly) -> Any:
    """`@wp.func (params, t, y, memory, frame, views) -> energies [J]` of what is between bodies."""
    params, vector, see_parts = assembly.params, assembly.layout.vector, observe_parts_of_mechanisms(assembly)
    stored = all_mechanisms(assembly, "stored")

    @wp.func
    def see(
        p: wp.ref[params], t: wp.float64, y: wp.ref[vector], memory: wp.ref[ContactMemory], i: int, views_out: Views
    ) -> wp.vec3d:
        see_parts(p.mechanisms, y, t, views_out.mechanisms, i)
        return wp.vec3d(wp.float64(0.0), wp.float64(0.0), stored(p.mechanisms, y, t))

    return see


@lru_cache
def observe_body(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, t, y, memory, frame, views) -> energies [J]` of this body and those after it.

    The frames take the place of runs in the memory.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body

    if i_body == assembly.n_bodies:
        return observe_parts(assembly)
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    reported, contact_of = assembly.law.reported, contact_in_mode(assembly, i_body)
    energy, rest = body_energy(assembly, i_body), observe_body(assembly, i_body + 1)
    inner = inner_state(assembly, i_body)
    has_variables, see_mechanisms = assembly.n_columns > 0, observe_mechanisms(assembly)
    environment_at = environment_of(assembly, i_body)
    has_resultant, note_friction = assembly.law.resultant is not None, observed_friction(assembly, i_body)
    add = point_adder(has_resultant)
    (ground_below, ground_of), keeps_dent = ground_in_body_axes(assembly), assembly.law.keeps_dent
    leaves_out = assembly.has_configured_points
    of_free, carrier_of = columns_of_free(assembly, i_body), all_mechanisms(assembly, "carrier")
    hides = assembly.is_attachable(i_body) and bool(of_free)
    hidden = wp.types.vector(length=max(len(of_free), 1), dtype=wp.int32)(*(of_free or (0,)))

    @wp.func
    def see(
        p: wp.ref[params], t: wp.float64, y: wp.ref[vector], memory: wp.ref[ContactMemory], i: int, views_out: Views
    ) -> wp.vec3d:
        state = inner(p, y, wp.static(i_body), body_state(y, wp.static(i_body)))
        total = rest(p, t, y, memory, i, views_out)
        of_body = energy(p, y, wp.static(i_body), state)
        below = ground_below(p, state)
        velocity_B = turned_back(state.R_SB, state.velocity)
        normal = ContactSum()
        tally = PointTally()
        j = int(wp.static(first))
        while j < wp.static(last):
            point_B = p.points_B[j]
            ground = ground_of(p, state, below, j, -1)
            velocity = plus_crossed(velocity_B, state.omega_B, point_B)
            if wp.static(keeps_dent):
                ground.dent = memory.dent[j, i]
            point = contact_of(p, state, memory, ground, velocity, j, i)
            views_out.gap[i, j] = ground.gap
            if wp.static(leaves_out):
                if ground.gap == NOWHERE:
                    views_out.gap[i, j] = wp.float64(wp.nan)
            views_out.force[i, j] = state.R_SB * point.force
            views_out.normal_force[i, j] = point.normal_force
            views_out.friction_force[i, j] = point.friction_force
            views_out.mode[i, j] = reported(memory.modes[j, i])
            of_body += wp.vec3d(wp.float64(0.0), wp.float64(0.0), point.elastic)
            if wp.static(has_resultant):
                add(normal, tally, point, point_B)
            j += 1
        if wp.static(has_resultant):
            note_friction(p, t, y, state, normal, tally, i, views_out)
        if wp.static(has_variables):
            environment = environment_at(p, y, state)
            see_mechanisms(p.mechanisms, y, wp.static(i_body), t, state, environment, views_out.mechanisms, i)
        if wp.static(hides):
            if carrier_of(p.mechanisms, y, wp.static(i_body)) >= 0:
                for k in range(wp.static(len(of_free))):
                    views_out.mechanisms[i, hidden[k]] = wp.float64(wp.nan)
        views_out.body_energy[i, wp.static(i_body)] = of_body
        return total + of_body

    return see


@lru_cache
def observe_kernel(assembly: Assembly) -> Any:
    """One thread per frame."""
    params, vector, see = assembly.params, assembly.layout.vector, observe_body(assembly, 0)

    @wp.kernel(**KERNEL_OPTIONS)
    def observe(
        p: params,
        times: wp.array(dtype=wp.float64),
        states: wp.array(dtype=vector),
        memory: ContactMemory,
        views_out: Views,
    ):
        i = wp.tid()
        total = see(p, times[i], states[i], memory, i, views_out)
        for k in range(3):
            views_out.energy[i, k] = total[k]

    return observe


def observe(model: Model, frames: Frames) -> Observed:
    """Evaluates the models on every frame of a run."""
    n, n_points, device = len(frames.time), model.assembly.n_points, model.device
    views = Views()
    has_resultant, per_body = model.assembly.law.resultant is not None, (n, model.assembly.n_bodies)
    allocate(views, (n, n_points), device, gap=0, force=0, normal_force=0, friction_force=0, mode=0)
    allocate(views, (n, 3), device, energy=0)
    allocate(views, per_body, device, body_energy=0)
    if has_resultant:
        allocate(views, per_body, device, application_point=np.nan, friction=0, rolling_torque=0, rolling_force=0)
    allocate(views, (n, model.assembly.n_columns), device, mechanisms=0)
    states = wp.array(np.ascontiguousarray(frames.state), dtype=model.assembly.layout.vector, device=device)
    memory = _memory(frames, device)
    times = wp.array(frames.time, dtype=wp.float64, device=device)
    wp.launch(
        observe_kernel(model.assembly), n, inputs=[model.params, times, states, memory], outputs=[views], device=device
    )
    return Observed(
        gap=views.gap.numpy(),
        force=views.force.numpy().reshape(n, n_points, 3),
        normal_force=views.normal_force.numpy(),
        friction_force=views.friction_force.numpy(),
        mode=views.mode.numpy(),
        energy=views.energy.numpy(),
        body_energy=views.body_energy.numpy().reshape(*per_body, 3),
        mechanisms=views.mechanisms.numpy(),
        friction=_body_friction(views) if has_resultant else None,
    )


def _memory(frames: Frames, device: str) -> ContactMemory:
    """The recorded memories, [point, frame]."""
    memory = ContactMemory()
    memory.modes = wp.array(np.ascontiguousarray(frames.modes.T, dtype=np.int32), dtype=wp.int32, device=device)
    if frames.dent is not None:
        memory.dent = wp.array(np.ascontiguousarray(frames.dent.T), dtype=wp.float64, device=device)
    if frames.anchor is not None and frames.normal is not None:
        memory.anchor, memory.normal = (
            wp.array(np.ascontiguousarray(values.swapaxes(0, 1)), dtype=wp.vec3d, device=device)
            for values in (frames.anchor, frames.normal)
        )
        memory.facet = wp.full(frames.modes.T.shape, -1, dtype=wp.int32, device=device)
    return memory


def _body_friction(views: Views) -> BodyFrictions:
    return BodyFrictions(
        application_point=views.application_point.numpy(),
        force=views.friction.numpy(),
        rolling_torque=views.rolling_torque.numpy(),
        rolling_force=views.rolling_force.numpy(),
    )
