"""The sum of contact over the points of a body, and what a resultant law adds to it (VanWal2017, Section 4)."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.fused import crossed, length_of, plus_crossed, plus_scaled, plus_turned, turned_back
from planetfall.contact.model import PointContact, PointResultant, ResultantForce
from planetfall.engine.body.free_motion import body_rates, mobility, turning
from planetfall.engine.body.mass_properties import inertia_matrices
from planetfall.engine.contact.terrain_query import ground_finder
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState
from planetfall.vehicle.mass import MassProperties
from planetfall.world.terrain.model import Ground, TerrainView


@wp.struct
class ContactSum:
    """Contact of one body, in its own axes.

    `force` [N]; `torque` [N m] about its centre of mass; the powers [W]. An evaluation between steps also counts the
    points that are `loaded`, those of them that are `moving` or `sliding`, finds the worst terrain `status`, and adds
    up the `elastic` energy [J] that the ground stores and that [J] which renewing a law's memory has `booked`. Of a law
    with a resultant, `load`: the sum of normal forces [N]. Where bodies may crash, `hit`: the largest speed [m/s] of
    points that have just touched the ground, or do so in the coming step of fixed length, `hit_point`, whose it was,
    and how long until then, `ahead` [s].
    """

    force: wp.vec3d
    torque: wp.vec3d
    damper_power: wp.float64
    friction_power: wp.float64
    memory_power: wp.float64
    rolling_power: wp.float64
    elastic: wp.float64
    booked: wp.float64
    load: wp.float64
    hit: wp.float64
    ahead: wp.float64
    hit_point: wp.int32
    loaded: wp.int32
    moving: wp.int32
    sliding: wp.int32
    status: wp.int32


@wp.struct
class PointTally:
    """Sums over the points for a resultant law: `load` [N], `depth` [m], and `arm` times depth [m^2].

    `n`: number of points that feel a force.
    """

    load: wp.float64
    depth: wp.float64
    arm: wp.vec3d
    n: wp.int32


@wp.func
def tallied(tally: PointTally, point: PointContact, point_B: wp.vec3d) -> PointTally:
    """With one more point."""
    out = tally
    out.load += point.normal_force
    out.depth += point.depth
    out.arm = plus_scaled(out.arm, point_B, point.depth)
    if point.normal_force != wp.float64(0.0):
        out.n += 1
    return out


@lru_cache
def point_adder(has_resultant: bool, has_memory: bool = False) -> Any:
    """`@wp.func (sum, tally, point, point_B)`: adds what the ground does to one more point."""

    @wp.func
    def add(out: wp.ref[ContactSum], tally: wp.ref[PointTally], point: wp.ref[PointContact], point_B: wp.vec3d):
        out.force += point.force
        out.torque = plus_crossed(out.torque, point_B, point.force)
        out.damper_power += point.damper_power
        out.friction_power += point.friction_power
        if wp.static(has_memory):
            out.memory_power += point.memory_power
        if wp.static(has_resultant):
            tally = tallied(tally, point, point_B)

    return add


@wp.struct
class BodyFriction:
    """Friction of a whole body in its own axes: `arm` [m], what the law says, and the power [W] of each part."""

    arm: wp.vec3d
    force: ResultantForce
    friction_power: wp.float64
    rolling_power: wp.float64
    slip: wp.float64


@wp.func
def with_resultant(out: ContactSum, found: BodyFriction) -> ContactSum:
    """A sum of normal forces with friction and rolling resistance."""
    total = out
    total.force += found.force.friction + found.force.rolling_force
    total.torque = plus_crossed(total.torque, found.arm, found.force.friction) + found.force.rolling_torque
    total.friction_power += found.friction_power
    total.rolling_power += found.rolling_power
    return total


@lru_cache
def resultant_force(assembly: Assembly, i_body: int, view: TerrainView | None = None) -> Any:
    """`@wp.func (params, state, applied, below, normal forces, tally, run) -> BodyFriction`.

    `below`: the ground as the body sees it, of the kind of `view` if not `Ground`. None for laws without a resultant.
    """
    applied_type = assembly.plan.applied_forces
    if assembly.law.resultant is None:
        return None
    params, ground_at = assembly.params, ground_finder(assembly, view)
    law_resultant, turn, has_torques = assembly.law_resultant, turning(assembly), assembly.has_torques
    below_type = Ground if view is None else view.params
    _, inertia, inverse = inertia_matrices(assembly)
    moves, loses_mass, yields = assembly.moves_center(i_body), assembly.loses_mass(i_body), assembly.yields
    rates_of, mobility_of = body_rates(assembly, i_body), mobility(assembly, i_body)

    @wp.func(inline=assembly.plan.inlining_of_fields)
    def resultant_of(
        p: wp.ref[params], state: wp.ref[BodyState], applied: wp.ref[applied_type], below: wp.ref[below_type],
        normal: wp.ref[ContactSum], tally: wp.ref[PointTally], run: int,
    ) -> BodyFriction:  # fmt: skip
        b = wp.static(i_body)
        g = PointResultant()
        g.load = tally.load
        g.arm = tally.arm * (wp.float64(1.0) / tally.depth)
        normal_B = wp.vec3d(normal.force)
        if tally.n > 1:  # one point alone is where the friction acts, and its force is along the normal there
            ground = ground_at(p, below, plus_turned(state.position, state.R_SB, g.arm), run)
            normal_B = turned_back(state.R_SB, ground.normal)
        g.normal = normal_B * (wp.float64(1.0) / length_of(normal_B))
        g.omega = state.omega_B
        turning_velocity = crossed(g.omega, g.arm)
        velocity = turned_back(state.R_SB, state.velocity)
        g.velocity = velocity + turning_velocity
        falling = wp.vec3d()
        properties = MassProperties()
        if wp.static(loses_mass):
            properties = applied.properties
        if wp.static(moves):
            rates = rates_of(p, b, state, applied, normal.force, normal.torque, properties)
            g.spin_up = rates.turning
            falling = turned_back(state.R_SB, rates.acceleration)
        else:
            torque_B = wp.vec3d(normal.torque)
            if wp.static(has_torques):
                torque_B += applied.torque_B
            g.spin_up = turn(p, b, state, torque_B)
            falling = plus_scaled(turned_back(state.R_SB, applied.acceleration), normal.force, p.mass_inverse[b])
        g.drift = plus_crossed(plus_crossed(falling, g.spin_up, g.arm), g.omega, turning_velocity)
        g.mass = p.mass[b]
        g.mass_inverse = p.mass_inverse[b]
        if wp.static(loses_mass):
            g.mass = properties.mass
            g.mass_inverse = wp.float64(1.0) / properties.mass
        if wp.static(yields):
            response = mobility_of(p, b, state, properties)
            g.inertia = response.inertia_free
            g.inertia_inverse = response.inertia_inverse
            g.give = response.give
            g.couple = response.couple
        else:
            g.inertia = inertia(p, b)
            g.inertia_inverse = inverse(p, b)
        out = BodyFriction()
        out.arm = g.arm
        out.force = law_resultant(p.law, g)
        out.friction_power = wp.dot(out.force.friction, g.velocity)
        out.rolling_power = wp.dot(out.force.rolling_torque, g.omega) + wp.dot(out.force.rolling_force, velocity)
        out.slip = out.force.slip
        return out

    return resultant_of


@lru_cache
def resultant_adder(assembly: Assembly, i_body: int, view: TerrainView | None = None) -> Any:
    """`@wp.func (sum, params, state, applied, below, tally, run) -> slip`: completes a sum of normal forces.

    Arguments as of `resultant_force`; the slip is 0 where no point is loaded. None for laws without a resultant.
    """
    if assembly.law.resultant is None:
        return None
    params, applied_type = assembly.params, assembly.plan.applied_forces
    resultant_of, below_type = resultant_force(assembly, i_body, view), Ground if view is None else view.params

    @wp.func
    def add(
        out: wp.ref[ContactSum], p: wp.ref[params], state: wp.ref[BodyState], applied: wp.ref[applied_type],
        below: wp.ref[below_type], tally: wp.ref[PointTally], run: int,
    ) -> wp.float64:  # fmt: skip
        slip = wp.float64(0.0)
        if tally.load > wp.float64(0.0) and tally.depth > wp.float64(0.0):
            found = resultant_of(p, state, applied, below, out, tally, run)
            out = with_resultant(out, found)
            out.load = tally.load
            slip = found.slip
        return slip

    return add
