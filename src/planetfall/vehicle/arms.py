"""An eccentric arm inside a body: a mass that a motor swings about an axis fixed in the body.

The body's frame has its origin O where the centre of mass is at the start with the arm at angle zero; what engines burn
moves that centre to c_0, and makes I_0 of the inertia. With m the mass of everything, m_a that of the arm, J its
inertia about its own line along the axis a, p the pivot, u(theta) = p + rho(theta) the place of the mass, u' = a x rho
and u'' = -rho its derivatives by the angle, and S(r) = r.r 1 - r r^T:

    c = c_0 + (m_a/m) (u - u_0)                              centre of mass from O
    I = I_0 + m_a (S(u) - S(u_0)) - m S(c) + m S(c_0)        inertia about it, arm locked
    b = J a + m_a (u - c) x u'                               angular momentum about it per speed of the arm
    d = J + m_a (m - m_a)/m |rho|^2                          inertia of the arm about the axis, the body free to yield

Angular momentum about the centre of mass and kinetic energy are, with omega* the body's inertial rate and s the arm's
speed relative to it,

    H = I omega* + s b
    T = m v_c^2/2 + omega*.I omega*/2 + s omega*.b + d s^2/2

and with F and L (about c) what acts on the body but gravity, tau the motor's torque, Lagrange's equations give

    I omega*' + b s' = L - omega* x H - s I_theta omega* - s^2 b_theta
    b.omega*' + d s' = tau + omega*.I_theta omega*/2 - F.c_theta

since with the centre of mass held, the body yields by -c_theta as the arm turns.
"""

import warp as wp

from planetfall.vehicle.mass import spread


@wp.struct
class ArmParams:
    """The arms of a scenario's vehicles, arrays [body], mass 0 where there is none; plans [row, body]."""

    mass: wp.array(dtype=wp.float64)  # m_a [kg]
    pivot_B: wp.array(dtype=wp.vec3d)  # p [m]
    axis_B: wp.array(dtype=wp.vec3d)  # a
    direction_B: wp.array(dtype=wp.vec3d)  # of rho at angle zero
    length: wp.array(dtype=wp.float64)  # |rho| [m]
    inertia: wp.array(dtype=wp.float64)  # J [kg m^2]
    rows: wp.array(dtype=wp.int32)
    times: wp.array2d(dtype=wp.float64)  # [s]
    torques: wp.array2d(dtype=wp.float64)  # [N m]
    angles: wp.array2d(dtype=wp.float64)  # [rad]
    stiffness: wp.array(dtype=wp.float64)  # [N m/rad]
    damping: wp.array(dtype=wp.float64)  # [N m s/rad]
    torque_max: wp.array(dtype=wp.float64)  # [N m], or infinite


@wp.struct
class ArmGeometry:
    """A body's mass properties with its arm at an angle; `_by` marks derivatives by the angle.

    `center` c [m]; `shift` I - I_0 [kg m^2]; `offset` b [kg m^2]; `resistance` d [kg m^2]; `bend` c_thetatheta [m].
    """

    center: wp.vec3d
    center_by: wp.vec3d
    bend: wp.vec3d
    shift: wp.mat33d
    shift_by: wp.mat33d
    offset: wp.vec3d
    offset_by: wp.vec3d
    resistance: wp.float64


@wp.func
def spread_by(r: wp.vec3d, way: wp.vec3d) -> wp.mat33d:
    """How the inertia of a unit mass at r changes as r moves along `way`: the derivative of S."""
    two = wp.float64(2.0)
    return wp.identity(n=3, dtype=wp.float64) * (two * wp.dot(r, way)) - wp.outer(r, way) - wp.outer(way, r)


@wp.func
def arm_geometry(arms: ArmParams, b: int, mass: wp.float64, first_center: wp.vec3d, angle: wp.float64) -> ArmGeometry:
    """Mass properties of body b, of a mass [kg] in all, with its arm at an angle [rad], from c_0 [m] at angle zero."""
    axis = arms.axis_B[b]
    first = arms.direction_B[b] * arms.length[b]
    rho = first * wp.cos(angle) + wp.cross(axis, first) * wp.sin(angle)
    share = arms.mass[b] / mass
    u_0 = arms.pivot_B[b] + first
    u = arms.pivot_B[b] + rho
    u_by = wp.cross(axis, rho)
    out = ArmGeometry()
    out.center = first_center + (u - u_0) * share
    out.center_by = u_by * share
    out.bend = -rho * share
    out.shift = (spread(u) - spread(u_0)) * arms.mass[b] - spread(out.center) * mass + spread(first_center) * mass
    out.shift_by = spread_by(u, u_by) * arms.mass[b] - spread_by(out.center, out.center_by) * mass
    out.offset = axis * arms.inertia[b] + wp.cross(u - out.center, u_by) * arms.mass[b]
    out.offset_by = -wp.cross(u - out.center, rho) * arms.mass[b]
    out.resistance = arms.inertia[b] + arms.mass[b] * (wp.float64(1.0) - share) * wp.length_sq(rho)
    return out


@wp.func
def plan_row(arms: ArmParams, b: int, t: wp.float64) -> int:
    """Row of the plan whose line holds at t [s], the first and the last one beyond its ends."""
    row = int(0)
    while row < arms.rows[b] - 2 and t > arms.times[row + 1, b]:
        row += 1
    return row


@wp.func
def arm_torque(
    arms: ArmParams, b: int, t: wp.float64, t_branch: wp.float64, angle: wp.float64, speed: wp.float64
) -> wp.float64:
    """Torque [N m] of the motor on the arm, on the lines of the plan on both sides of t_branch."""
    n = arms.rows[b]
    if n < 2:
        return wp.float64(0.0)
    row = plan_row(arms, b, t_branch)
    span = arms.times[row + 1, b] - arms.times[row, b]
    along = (t - arms.times[row, b]) / span
    torque = arms.torques[row, b] + along * (arms.torques[row + 1, b] - arms.torques[row, b])
    turn = arms.angles[row + 1, b] - arms.angles[row, b]
    wanted = arms.angles[row, b] + along * turn
    pace = turn / span
    if t_branch < arms.times[0, b] or t_branch > arms.times[n - 1, b]:
        torque = wp.float64(0.0)
        pace = wp.float64(0.0)
        wanted = arms.angles[0, b] if t_branch < arms.times[0, b] else arms.angles[n - 1, b]
    torque += arms.stiffness[b] * (wanted - angle) + arms.damping[b] * (pace - speed)
    return wp.clamp(torque, -arms.torque_max[b], arms.torque_max[b])


@wp.func
def arm_break(arms: ArmParams, b: int, t: wp.float64) -> wp.float64:
    """First instant after t [s] at which the plan of body b's arm has a kink, or a time far beyond any run."""
    row = int(0)
    while row < arms.rows[b]:
        if arms.times[row, b] > t:
            return arms.times[row, b]
        row += 1
    return wp.float64(1.0e300)
