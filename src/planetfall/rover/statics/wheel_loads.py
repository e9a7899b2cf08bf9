"""What the wheels of a standing rover carry and pull: for commanded torques, or for the best ones."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.rover.kinematics.newton import POSE_RETRIED, Pose
from planetfall.rover.kinematics.stance import Place, wheel_level
from planetfall.rover.params import ANCHOR, LinkParams, Posture, levelled, posture_of, vec6d
from planetfall.rover.soil.model import SoilLaw
from planetfall.rover.statics.balance import (
    BodyLoad,
    BodyParams,
    Contacts,
    SideSystem,
    Split,
    body_load,
    contacts_of,
    side_middle,
    side_system,
    split_load,
)
from planetfall.rover.statics.controllers import equal_forces, fuzzy_forces
from planetfall.rover.statics.margins import PolygonParams, stability, unloading
from planetfall.rover.statics.torques import (
    NOISE,
    ROUNDING,
    STRONGEST,
    SideForces,
    SideLimits,
    least_effort,
    least_share,
    side_plan,
    wheel_share,
)
from planetfall.rover.statics.verdict import NO_POSE, Loads, judged, needed_friction, used_friction, used_traction

GOAL_COMMANDED = wp.constant(0)
GOAL_LEAST_SLIP = wp.constant(1)
GOAL_LEAST_EFFORT = wp.constant(2)
GOAL_EQUAL = wp.constant(3)
GOAL_FUZZY = wp.constant(4)
GOALS = {"commanded": 0, "least slip": 1, "least effort": 2, "equal": 3, "fuzzy": 4}
"""How tractions are chosen."""

MOST_TANGENTS = wp.constant(30)
"""How often a soil law that is not linear is asked again."""
MOST_PASSES = wp.constant(40)
"""How often the split between the sides is corrected for what `extra_moments` finds."""


@wp.struct
class Task:
    """What is asked.

    `goal`, one of GOAL_*; `command` [N]: gross tractions, where commanded, in the kernels' order; `motor` [N]: the most
    that a motor can make at the rim.
    """

    goal: wp.int32
    command: vec6d
    motor: wp.float64


@wp.struct
class Moments:
    """Roll and yaw moments [N m] that forces have beyond those of one resultant per side and equal lateral forces."""

    roll: wp.float64
    yaw: wp.float64


@wp.func
def fixed_point(x0: wp.float64, y0: wp.float64, x1: wp.float64, y1: wp.float64) -> wp.float64:
    """Where y = x on the line through two points of a slowly changing y(x); y_1 where they make no such line."""
    slope = wp.float64(0.0)
    if x1 != x0:
        slope = (y1 - y0) / (x1 - x0)
    if wp.abs(slope) > wp.float64(0.5):
        return y1
    return (y1 - slope * x1) / (wp.float64(1.0) - slope)


@wp.func
def lateral_forces(contacts: Contacts, normal: vec6d, mean: wp.float64) -> vec6d:
    """Lateral forces N (a + b x) [N] with the sum and the yaw moment that six equal ones [N] would have.

    In proportion to the loads, so that a wheel without load holds nothing. Where all load is on one axle, b = 0.
    """
    zero = wp.float64(0.0)
    carried = zero
    first = zero
    second = zero
    sum_x = zero
    for i in range(6):
        n = wp.max(normal[i], zero)
        x = contacts.x[i]
        carried += n
        first += n * x
        second += n * x * x
        sum_x += x
    out = vec6d(mean, mean, mean, mean, mean, mean)
    if carried > zero:
        middle = first / carried
        spread = second - first * middle
        a = wp.float64(6.0) * mean / carried
        b = zero
        if spread > wp.float64(1.0e-9) * second:
            b = mean * (sum_x - wp.float64(6.0) * middle) / spread
        for i in range(6):
            out[i] = wp.max(normal[i], zero) * (a + b * (contacts.x[i] - middle))
    return out


@wp.func
def extra_moments(contacts: Contacts, loads: Loads, split: Split) -> Moments:
    """What `split_load` cannot know: wheels off their side's mean plane, and lateral forces that are not all alike."""
    out = Moments()
    i = int(0)
    while i < 6:
        off = contacts.y[i] - side_middle(contacts, i // 3)
        s = contacts.sine[i]
        c = contacts.cosine[i]
        out.roll += off * (loads.normal[i] * c + loads.traction[i] * s)
        out.yaw -= off * (loads.traction[i] * c - loads.normal[i] * s)
        aside = loads.lateral[i] - split.lateral
        out.roll -= contacts.z[i] * aside
        out.yaw += contacts.x[i] * aside
        i += 1
    return out


@wp.func
def residuals(loads: Loads, contacts: Contacts, load: BodyLoad) -> Moments:
    """Thrust [N] (in `roll`) and yaw moment [N m] that the wheels leave unbalanced."""
    out = Moments()
    out.roll = load.force[0]
    out.yaw = load.moment[2]
    i = int(0)
    while i < 6:
        forward = loads.traction[i] * contacts.cosine[i] - loads.normal[i] * contacts.sine[i]
        out.roll += forward
        out.yaw += contacts.x[i] * loads.lateral[i] - contacts.y[i] * forward
        i += 1
    return out


@lru_cache
def forces_func(law: SoilLaw) -> Any:
    """`@wp.func (links, polygon, body, soil, place, pose, task) -> Loads` for a soil law."""
    soil_params, grip_of, sinkage_of, slip_of = law.params, law.grip, law.sinkage, law.slip
    is_linear = int(law.is_linear)
    is_coulomb = int(law.name == "coulomb")

    @wp.func(inline=False)
    def limits_of(
        soil: soil_params, place: Place, posture: Posture, contacts: Contacts, anchor: wp.vec3d, side: int,
        load: wp.vec3d, motor: wp.float64,
    ) -> SideLimits:  # fmt: skip
        """What a side's wheels can do at the loads that are expected."""
        out = SideLimits()
        out.motor = motor
        k = int(0)
        while k < 3:
            i = 3 * side + k
            level = levelled(posture, contacts.x[i], contacts.y[i], contacts.z[i]) - anchor
            across = place.heading * level[0] + place.left * level[1]
            grip = grip_of(soil, place.x + across[0], place.y + across[1], load[k])
            out.hold[k] = grip.hold
            out.hold_per_load[k] = grip.hold_per_load
            out.drag[k] = grip.drag
            out.drag_per_load[k] = grip.drag_per_load
            k += 1
        return out

    @wp.func(inline=False)
    def best_forces(
        system: SideSystem, limits: SideLimits, forward: wp.float64, goal: int, slack: wp.float64
    ) -> SideForces:
        """The goal's tractions; where they cannot hold with these motors, the least slip with strong ones."""
        if goal == GOAL_EQUAL:
            return equal_forces(system, limits, forward, NOISE * slack)
        if goal == GOAL_FUZZY:
            return fuzzy_forces(system, limits, forward, NOISE * slack)
        plan = side_plan(system, forward)
        if goal == GOAL_LEAST_EFFORT:
            found = least_effort(system, plan, limits, limits.motor, slack)
            if found.is_feasible == 1:
                return found
        found = least_share(system, plan, limits, forward, limits.motor, slack)
        if found.is_feasible == 0 or found.share > wp.float64(1.0):
            found = least_share(system, plan, limits, forward, STRONGEST * slack / ROUNDING, slack)
            if found.is_feasible == 0:  # a wheel lifts whatever the motors do: shown for equal torques
                return equal_forces(system, limits, forward, NOISE * slack)
        return found

    @wp.func(inline=False)
    def chosen(
        soil: soil_params, place: Place, posture: Posture, contacts: Contacts, anchor: wp.vec3d, side: int,
        system: SideSystem, forward: wp.float64, lift: wp.float64, task: Task,
    ) -> SideForces:  # fmt: skip
        """The best forces of a side, with the soil's tangents taken at the loads that come out."""
        third = lift / wp.float64(3.0)
        load = wp.vec3d(third, third, third)
        found = SideForces()
        k = int(0)
        while k < MOST_TANGENTS:
            limits = limits_of(soil, place, posture, contacts, anchor, side, load, task.motor)
            found = best_forces(system, limits, forward, task.goal, ROUNDING * lift)
            if wp.static(is_linear == 1):
                return found
            change = wp.length(found.load - load)
            if not (change > wp.float64(1.0e-11) * lift):
                return found
            load = found.load
            k += 1
        return found

    @wp.func(inline=False)
    def commanded(
        soil: soil_params, place: Place, posture: Posture, contacts: Contacts, anchor: wp.vec3d, side: int,
        system: SideSystem, lift: wp.float64, task: Task,
    ) -> SideForces:  # fmt: skip
        """Loads for gross tractions that are given, with the resistance of the loads that come out."""
        out = SideForces()
        gross = wp.vec3d(task.command[3 * side], task.command[3 * side + 1], task.command[3 * side + 2])
        out.traction = gross
        out.load = system.still + system.gain * out.traction
        k = int(0)
        while wp.static(is_linear == 0) and k < MOST_TANGENTS:
            limits = limits_of(soil, place, posture, contacts, anchor, side, out.load, task.motor)
            out.traction = gross - limits.drag - wp.cw_mul(limits.drag_per_load, out.load)
            load = system.still + system.gain * out.traction
            if not (wp.length(load - out.load) > wp.float64(1.0e-13) * wp.abs(lift)):
                k = MOST_TANGENTS
            out.load = load
            k += 1
        return out

    @wp.func(inline=False)
    def forces_at(
        links: LinkParams, soil: soil_params, place: Place, posture: Posture, contacts: Contacts, load: BodyLoad,
        split: Split, task: Task,
    ) -> Loads:  # fmt: skip
        """Forces of all wheels for one split of the load."""
        out = Loads()
        anchor = wheel_level(links, posture, ANCHOR)
        moment_up = -load.moment[1] * wp.float64(0.5)
        side = int(0)
        while side < 2:
            lift = wp.where(side == 0, split.right_z, split.left_z)
            forward = wp.where(side == 0, split.right_x, split.left_x)
            system = side_system(links, posture, contacts, side, lift, moment_up)
            i = 3 * side
            found = SideForces()
            if task.goal == GOAL_COMMANDED:
                found = commanded(soil, place, posture, contacts, anchor, side, system, lift, task)
            else:
                found = chosen(soil, place, posture, contacts, anchor, side, system, forward, wp.abs(lift), task)
            limits = limits_of(soil, place, posture, contacts, anchor, side, found.load, task.motor)
            for k in range(3):
                n = found.load[k]
                gross = found.traction[k] + limits.drag[k] + limits.drag_per_load[k] * n
                out.normal[i + k] = n
                out.traction[i + k] = found.traction[k]
                out.gross[i + k] = gross
                out.slip_ratio[i + k] = wheel_share(limits, n, found.traction[k], k, ROUNDING * NOISE * wp.abs(lift))
                out.saturation[i + k] = wp.abs(gross) / task.motor
                out.sinkage[i + k] = sinkage_of(soil, n)
                out.slip[i + k] = slip_of(soil, n, gross)
                # until the lateral forces are known: the coefficient, and the traction that the ground can give [N]
                out.friction_needed[i + k] = limits.hold_per_load[k]
                out.friction_used[i + k] = limits.hold[k] + limits.hold_per_load[k] * n
            side += 1
        out.lateral = lateral_forces(contacts, out.normal, split.lateral)
        return out

    @wp.func
    def forces(
        links: LinkParams,
        polygon: PolygonParams,
        body: BodyParams,
        soil: soil_params,
        place: Place,
        pose: Pose,
        task: Task,
    ) -> Loads:
        out = Loads()
        out.verdict = NO_POSE
        out.culprit = wp.int32(-1)
        if pose.status > POSE_RETRIED:
            return out
        posture = posture_of(pose.q)
        contacts = contacts_of(links, posture, pose.stance)
        load = body_load(body, posture, (pose.q[1] + pose.q[3]) * wp.float64(0.5))
        split = Split()
        given = Moments()
        given_before = Moments()
        found_before = Moments()
        k = int(0)
        while k < MOST_PASSES:
            split = split_load(load, contacts, given.roll, given.yaw)
            out = forces_at(links, soil, place, posture, contacts, load, split, task)
            found = extra_moments(contacts, out, split)
            change = wp.abs(found.roll - given.roll) + wp.abs(found.yaw - given.yaw)
            ahead = Moments()
            ahead.roll = fixed_point(given_before.roll, found_before.roll, given.roll, found.roll)
            ahead.yaw = fixed_point(given_before.yaw, found_before.yaw, given.yaw, found.yaw)
            given_before = given
            found_before = found
            given = ahead
            k += 1
            if not (change > wp.float64(1.0e-12) * body.weight * links.radius):
                k = MOST_PASSES
        friction = out.friction_needed
        noise = ROUNDING * NOISE * (wp.abs(split.right_z) + wp.abs(split.left_z))
        for i in range(6):
            out.friction_needed[i] = needed_friction(pose.stance, contacts, out, i, noise)
            if wp.static(is_coulomb == 1):
                out.friction_used[i] = used_friction(out.friction_needed[i], friction[i])
            else:
                out.friction_used[i] = used_traction(out.gross[i], out.lateral[i], out.friction_used[i], noise)
        left = residuals(out, contacts, load)
        out.thrust = left.roll
        out.yaw = left.yaw
        out.stability = stability(polygon, contacts, load)
        out.unloading = unloading(links, polygon, posture, contacts, load, split)
        return judged(out, contacts, split, friction, wp.static(is_coulomb))

    return forces
