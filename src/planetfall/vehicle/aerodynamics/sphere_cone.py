"""Modified Newtonian coefficients of a sphere-cone: a blunt nose, a cone tangent to it, a flat base.

Pressure is Cp (n.d)^2 on what faces the flow and zero elsewhere, with the outward normal n and the direction of flight
d [Anderson2006, Ch. 3]. Around the axis the normals of a ring make the same angle with it, so that a ring comes to two
integrals over the part of it that is lit,

    I0 = int (a + b cos f)^2 df        I1 = int (a + b cos f)^2 cos f df

With half-angle t, bluntness v = Rn/Rb, total angle of attack al, S = pi Rb^2 and Q = 1 - v^2 cos^2 t, up to al = t all
of it is lit and the sums are, divided by Cp,

    C_A = Q (sin^2 t cos^2 al + cos^2 t sin^2 al/2) + v^2 (cos^2 al (1 - sin^4 t)/2 + sin^2 al cos^4 t/4)
    C_N = sin al cos al (Q cos^2 t + v^2 cos^4 t/2)

Beyond, the cone's part is still a closed form, that of the nose is summed ring by ring. The normals of the nose meet in
its centre, those of the cone's rings on the axis, which gives the moments; what is in the lee of something else is not
shadowed, as no part of a sphere-cone can be. From behind, the flow meets the base.
"""

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.vehicle.aerodynamics.model import AeroCoefficients, AeroModel, symmetric_coefficients, total_angle
from planetfall.vehicle.aerodynamics.pressure import PressureParams, pressure_coefficient

N_NODES = 12
"""Nodes of Gauss's rule over the rings of a nose that is partly lit: enough for 1e-9 of its force."""
RuleVector = wp.types.vector(length=N_NODES, dtype=wp.float64)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(N_NODES)
RULE_NODES = wp.constant(RuleVector(*(0.5 * (_NODES + 1.0))))
RULE_WEIGHTS = wp.constant(RuleVector(*(0.5 * _WEIGHTS)))
PI = wp.constant(wp.float64(np.pi))
HALF_PI = wp.constant(wp.float64(0.5 * np.pi))


@wp.struct
class SphereConeParams:
    """A sphere-cone.

    `half_angle` [rad] with its `sine` and `cosine`; `bluntness`: nose over base radius; `nose_arm` [m]: where the
    nose's force acts behind the tip, its radius; `cone_arm` [m]: the same of the cone.
    """

    sine: wp.float64
    cosine: wp.float64
    half_angle: wp.float64
    bluntness: wp.float64
    nose_arm: wp.float64
    cone_arm: wp.float64
    pressure: PressureParams


@wp.func
def lit_ring(a: wp.float64, b: wp.float64) -> wp.vec2d:
    """I0 and I1 of a ring on which n.d = a + b cos f, with b >= 0."""
    two = wp.float64(2.0)
    if a >= b:
        return wp.vec2d(PI * (two * a * a + b * b), two * PI * a * b)
    if a <= -b:
        return wp.vec2d()
    cosine = -a / b
    f = wp.acos(cosine)
    sine = wp.sqrt(wp.float64(1.0) - cosine * cosine)
    square = f / two + sine * cosine / two  # int cos^2
    cube = sine - sine * sine * sine / wp.float64(3.0)  # int cos^3
    zeroth = a * a * f + two * a * b * sine + b * b * square
    first = a * a * sine + two * a * b * square + b * b * cube
    return wp.vec2d(two * zeroth, two * first)


# not inlined: sines and cosines of all nodes are long, and a kernel calls it from many places
@wp.func(inline=False)
def partly_lit_nose(low: wp.float64, high: wp.float64, cosine: wp.float64, sine: wp.float64) -> wp.vec2d:
    """C_A and C_N, over v^2 Cp, of the rings of the nose between two angles of their normals to the axis [rad].

    The squares of the rule's nodes are taken, since at `low`, where rings begin to be partly lit, what is lit grows by
    a square root.
    """
    out = wp.vec2d()
    for i in range(wp.static(N_NODES)):
        s = RULE_NODES[i]
        eta = low + (high - low) * s * s
        weight = wp.float64(2.0) * s * (high - low) * RULE_WEIGHTS[i] / PI
        c = wp.cos(eta)
        n = wp.sin(eta)
        ring = lit_ring(c * cosine, n * sine)
        out += wp.vec2d(weight * n * c * ring[0], weight * n * n * ring[1])
    return out


@wp.func
def nose_coefficients(body: wp.ref[SphereConeParams], cosine: wp.float64, sine: wp.float64) -> wp.vec2d:
    """C_A and C_N, over Cp, of the spherical nose."""
    one = wp.float64(1.0)
    s2 = body.sine * body.sine
    c2 = body.cosine * body.cosine
    out = wp.vec2d()
    if body.sine * cosine >= body.cosine * sine:
        out[0] = cosine * cosine * (one - s2 * s2) / wp.float64(2.0) + sine * sine * c2 * c2 / wp.float64(4.0)
        out[1] = sine * cosine * c2 * c2 / wp.float64(2.0)
    else:
        edge = HALF_PI - body.half_angle
        begins = wp.min(wp.abs(HALF_PI - wp.atan2(sine, cosine)), edge)
        if cosine > wp.float64(0.0):
            out += partly_lit_nose(wp.float64(0.0), begins, cosine, sine)
        out += partly_lit_nose(begins, edge, cosine, sine)
    return out * (body.bluntness * body.bluntness)


@wp.func
def sphere_cone_coefficients(
    body: wp.ref[SphereConeParams], mach: wp.float64, direction_A: wp.vec3d
) -> AeroCoefficients:
    """Coefficients of a sphere-cone about its tip, at any angle of attack."""
    flow = total_angle(direction_A)
    nose = nose_coefficients(body, flow.cosine, flow.sine)
    ring = lit_ring(body.sine * flow.cosine, body.cosine * flow.sine)
    share = wp.float64(1.0) - body.bluntness * body.bluntness * body.cosine * body.cosine
    share = share / (wp.float64(2.0) * PI)
    cone = wp.vec2d(share * ring[0], share * ring[1] * body.cosine / body.sine)
    base = wp.min(flow.cosine, wp.float64(0.0))
    cp = pressure_coefficient(body.pressure, mach)
    axial = cp * (nose[0] + cone[0] - base * base)
    normal = cp * (nose[1] + cone[1])
    moment = -cp * (nose[1] * body.nose_arm + cone[1] * body.cone_arm)
    return symmetric_coefficients(flow, axial, normal, moment)


AERO_SPHERE_CONE = AeroModel("sphere-cone", SphereConeParams, sphere_cone_coefficients)


def sphere_cone_params(half_angle: float, nose_radius: float, base_radius: float, pressure: Draft) -> Draft:
    """Parameters of a sphere-cone: half-angle [rad], radii [m]."""
    out = Draft(SphereConeParams)
    out.half_angle, out.sine, out.cosine = half_angle, float(np.sin(half_angle)), float(np.cos(half_angle))
    out.bluntness, out.nose_arm, out.pressure = nose_radius / base_radius, nose_radius, pressure
    joint = nose_radius * out.cosine
    mean = 2 / 3 * (base_radius**3 - joint**3) / (base_radius**2 - joint**2) if base_radius > joint else joint
    # a ring of radius r lies (r - r_joint)/tan t behind the joint; its normals meet r tan t farther behind
    behind = nose_radius * (1 - out.sine) + (mean - joint) * out.cosine / out.sine
    out.cone_arm = float(behind + mean * out.sine / out.cosine)
    return out
