"""Newtonian coefficients against quadrature, printed numbers and each other; PCHIP against SciPy; trim angles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from planetfall.compute.draft import Draft
from planetfall.errors import InputError
from planetfall.vehicle.aerodynamics.coefficient_table import (
    AERO_TABLE_SIDED,
    AERO_TABLE_SYMMETRIC,
    SidedTableParams,
    SymmetricTableParams,
)
from planetfall.vehicle.aerodynamics.drag_coefficient import AERO_DRAG, DragParams
from planetfall.vehicle.aerodynamics.facets import AERO_FACETS, facets_params
from planetfall.vehicle.aerodynamics.pressure import PressureParams
from planetfall.vehicle.aerodynamics.sphere_cone import AERO_SPHERE_CONE, sphere_cone_params
from planetfall.vehicle.aerodynamics.trim import coefficients_at, directions_at, trim_angle

HALF_ANGLE, NOSE, BASE = np.radians(70.0), 1.125, 2.25
"""The published forebody of Viking and MSL: 70 deg, Rn/Rb = 1/2, 4.5 m."""


def unit_pressure() -> Draft:
    """Coefficients over Cp."""
    out = Draft(PressureParams)
    out.mach, out.coefficient = [0.0], [1.0]
    return out


def sphere_cone(half_angle: float = HALF_ANGLE, nose: float = NOSE, base: float = BASE) -> Draft:
    return sphere_cone_params(half_angle, nose, base, unit_pressure())


def axial_normal_moment(model, params: Draft, alpha: np.ndarray) -> np.ndarray:
    """C_A, C_N and the moment [m], nose up, at angles of attack [rad]."""
    force, moment = coefficients_at(model, params, np.ones(len(alpha)), directions_at(alpha))
    np.testing.assert_allclose(force[:, 1], 0.0, atol=1e-15)
    return np.stack([-force[:, 0], -force[:, 2], moment[:, 1]], axis=1)


def quadrature(half_angle: float, nose: float, base: float, alpha: float) -> np.ndarray:
    """The same three by brute force: a fine midpoint rule over the surface of nose, cone and base."""
    n_f, n_s = 1440, 1200
    f = (np.arange(n_f) + 0.5) * 2 * np.pi / n_f
    d = np.array([np.cos(alpha), 0.0, np.sin(alpha)])
    total = np.zeros(3)

    def add(x: np.ndarray, r: np.ndarray, n_x: np.ndarray, n_r: np.ndarray, area: np.ndarray) -> None:
        normal = np.stack(np.broadcast_arrays(n_x[:, None], n_r[:, None] * np.cos(f), n_r[:, None] * np.sin(f)), -1)
        place = np.stack(np.broadcast_arrays(-x[:, None], r[:, None] * np.cos(f), r[:, None] * np.sin(f)), -1)
        facing = np.maximum(normal @ d, 0.0)
        force = -normal * (facing**2 * area[:, None] / n_f)[:, :, None]
        pitch = place[..., 2] * force[..., 0] - place[..., 0] * force[..., 2]
        total[:] += np.array([-force[..., 0].sum(), -force[..., 2].sum(), pitch.sum()]) / (np.pi * base**2)

    eta = (np.arange(n_s) + 0.5) / n_s * (np.pi / 2 - half_angle)
    ring = 2 * np.pi * nose**2 * np.sin(eta) * (np.pi / 2 - half_angle) / n_s
    add(nose * (1 - np.cos(eta)), nose * np.sin(eta), np.cos(eta), np.sin(eta), ring)
    joint = nose * np.cos(half_angle)
    r = joint + (np.arange(n_s) + 0.5) / n_s * (base - joint)
    x = nose * (1 - np.sin(half_angle)) + (r - joint) / np.tan(half_angle)
    ones = np.ones(n_s)
    strip = 2 * np.pi * r * (base - joint) / n_s / np.sin(half_angle)
    add(x, r, np.sin(half_angle) * ones, np.cos(half_angle) * ones, strip)
    end = nose * (1 - np.sin(half_angle)) + (base - joint) / np.tan(half_angle)
    r = (np.arange(n_s) + 0.5) / n_s * base
    add(end * ones, r, -ones, 0.0 * ones, 2 * np.pi * r * base / n_s)
    return total


@pytest.mark.parametrize(("half_angle_deg", "nose"), [(70.0, 1.125), (45.0, 0.5), (20.0, 1.0)])
def test_sphere_cone_is_the_integral_of_its_pressure_at_every_angle(half_angle_deg: float, nose: float) -> None:
    """Lit wholly, partly, from the side and from behind; the midpoint rule's error is of order (step)^2, here 1e-6."""
    alpha = np.radians([0.0, 16.0, 40.0, 69.0, 75.0, 90.0, 120.0, 160.0, 180.0])
    half_angle = np.radians(half_angle_deg)
    found = axial_normal_moment(AERO_SPHERE_CONE, sphere_cone(half_angle, nose), alpha)
    expected = np.array([quadrature(half_angle, nose, BASE, a) for a in alpha])
    np.testing.assert_allclose(found, expected, atol=3e-6)


def test_a_nose_that_is_partly_lit_joins_the_closed_form() -> None:
    """On both sides of the angle beyond which part of the nose is in the lee."""
    angles = HALF_ANGLE + np.array([-1e-7, 1e-7])
    found = axial_normal_moment(AERO_SPHERE_CONE, sphere_cone(), angles)
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)
    fine = HALF_ANGLE + np.array([-1e-10, 1e-10])
    found = axial_normal_moment(AERO_SPHERE_CONE, sphere_cone(), fine)
    np.testing.assert_allclose(found[0], found[1], atol=2e-9)


def test_printed_numbers_of_the_70_degree_cone() -> None:
    """C_A(0) .88473; at 16 deg .82189 and .030541, x_cp 1.0352 D, C_D .79847, |C_L| .19719, L/D .2470 (over Cp)."""
    (axial, _, _), (ca, cn, moment) = axial_normal_moment(AERO_SPHERE_CONE, sphere_cone(), np.radians([0.0, 16.0]))
    assert axial == pytest.approx(0.88473, abs=5e-6)
    assert (ca, cn) == pytest.approx((0.82189, 0.030541), abs=5e-6)
    assert -moment / cn / (2 * BASE) == pytest.approx(1.0352, abs=5e-5)
    s, c = np.sin(np.radians(16.0)), np.cos(np.radians(16.0))
    drag, lift = ca * c + cn * s, cn * c - ca * s
    assert (drag, -lift, -lift / drag) == pytest.approx((0.79847, 0.19719, 0.2470), abs=5e-5)


def test_a_sphere_has_half_of_the_stagnation_pressure_as_drag() -> None:
    sphere = sphere_cone(np.radians(1e-4), BASE, BASE)
    assert axial_normal_moment(AERO_SPHERE_CONE, sphere, np.zeros(1))[0, 0] == pytest.approx(0.5, abs=1e-9)


def revolved(n_f: int, n_s: int) -> np.ndarray:
    """Corners [facet, 3, 3] of the 70 degree cone with its base, from its tip, outward side anticlockwise."""
    eta = np.linspace(0.0, np.pi / 2 - HALF_ANGLE, n_s)
    joint, x0 = NOSE * np.cos(HALF_ANGLE), NOSE * (1 - np.sin(HALF_ANGLE))
    r_cone = np.linspace(joint, BASE, n_s)[1:]
    r = np.concatenate([NOSE * np.sin(eta), r_cone, [0.0]])
    x = np.concatenate([NOSE * (1 - np.cos(eta)), x0 + (r_cone - joint) / np.tan(HALF_ANGLE)])
    x = np.append(x, x[-1])
    f = np.arange(n_f) * 2 * np.pi / n_f
    grid = np.stack(np.broadcast_arrays(-x[:, None], r[:, None] * np.cos(f), r[:, None] * np.sin(f)), -1)
    near, far = grid[:-1], grid[1:]
    near_next, far_next = np.roll(near, -1, axis=1), np.roll(far, -1, axis=1)
    triangles = [np.stack([near, far, far_next], 2), np.stack([near, far_next, near_next], 2)]
    corners = np.concatenate([part.reshape(-1, 3, 3) for part in triangles])
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return corners[np.linalg.norm(across, axis=1) > 1e-12]


def test_a_mesh_of_the_cone_has_its_coefficients() -> None:
    """A polygon of n sides is smaller than its circle by (2 pi^2/3)/n^2 = 2e-4 at n = 180."""
    mesh = facets_params(revolved(180, 60), np.pi * BASE**2, unit_pressure())
    alpha = np.radians([0.0, 16.0, 60.0, 100.0, 170.0])
    found = axial_normal_moment(AERO_FACETS, mesh, alpha)
    np.testing.assert_allclose(found, axial_normal_moment(AERO_SPHERE_CONE, sphere_cone(), alpha), atol=6e-4)


def test_stagnation_pressure_behind_a_normal_shock() -> None:
    """The limits of high Mach numbers, the join at Mach 1, and the incompressible limit."""
    direction = directions_at(np.zeros(1))
    for gamma, limit in ((1.4, 1.839), (1.33, 1.863), (1.15, 1.931)):
        pressure = Draft(PressureParams)
        pressure.gamma = gamma
        sphere = sphere_cone_params(np.radians(1e-4), 1.0, 1.0, pressure)

        def cp(mach: float, sphere: Draft = sphere) -> float:
            return -2.0 * coefficients_at(AERO_SPHERE_CONE, sphere, np.array([mach]), direction)[0][0, 0]

        assert cp(1e3) == pytest.approx(limit, abs=6e-4)
        assert cp(1.0 - 1e-9) == pytest.approx(cp(1.0 + 1e-9), abs=1e-8)
        assert cp(1.0) == pytest.approx(2 / gamma * (((gamma + 1) / 2) ** (gamma / (gamma - 1)) - 1), rel=1e-8)
        assert cp(0.01 - 1e-9) == pytest.approx(cp(0.01 + 1e-9), abs=1e-10)
        assert cp(0.0) == pytest.approx(1.0, abs=1e-8)


def drag_table(nodes, values, at) -> np.ndarray:
    params = Draft(DragParams)
    params.mach, params.drag = nodes, values
    return -coefficients_at(AERO_DRAG, params, np.asarray(at), directions_at(np.zeros(len(at))))[0][:, 0]


@pytest.mark.parametrize("n", [2, 3, 4, 11])
def test_pchip_is_that_of_scipy_and_held_outside(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(20):
        nodes, values = np.cumsum(rng.uniform(0.1, 2.0, n)), rng.normal(size=n).round(1)
        inside = np.linspace(nodes[0], nodes[-1], 301)
        expected = PchipInterpolator(nodes, values)(inside) if n > 2 else np.interp(inside, nodes, values)
        np.testing.assert_allclose(drag_table(nodes, values, inside), expected, atol=1e-12)
        outside = drag_table(nodes, values, [nodes[0] - 1.0, nodes[-1] + 1.0])
        np.testing.assert_allclose(outside, [values[0], values[-1]], atol=1e-12)


def test_one_node_is_a_constant() -> None:
    np.testing.assert_array_equal(drag_table([1.0], [0.7], [0.0, 1.0, 30.0]), 0.7)


def test_a_table_in_two_variables_is_pchip_in_each() -> None:
    rng = np.random.default_rng(1)
    mach, alpha = np.array([0.0, 0.5, 1.0, 2.0, 5.0]), np.radians([0.0, 5.0, 10.0, 20.0, 40.0, 180.0])
    values = rng.normal(size=(3, 5, 6))
    values[1:, :, 0] = 0.0
    params = Draft(SymmetricTableParams)
    params.mach, params.alpha, params.entries, params.length = mach, alpha, values.ravel(), 2.0
    m, a = rng.uniform(0.0, 5.0, 40), rng.uniform(0.0, np.pi, 40)
    force, moment = coefficients_at(AERO_TABLE_SYMMETRIC, params, m, directions_at(a))
    along = PchipInterpolator(alpha, values, axis=2)(a)
    expected = np.array([PchipInterpolator(mach, along[:, :, i], axis=1)(m[i]) for i in range(40)])
    np.testing.assert_allclose(np.stack([-force[:, 0], -force[:, 2], moment[:, 1] / 2.0], 1), expected, atol=1e-12)


def test_a_table_over_alpha_and_beta_is_pchip_in_each() -> None:
    rng = np.random.default_rng(2)
    mach, alpha, beta = np.array([0.0, 1.0, 3.0]), np.radians([-20.0, 0.0, 10.0, 30.0]), np.radians([-9.0, 0.0, 9.0])
    values = rng.normal(size=(6, 3, 4, 3))
    params = Draft(SidedTableParams)
    params.mach, params.alpha, params.beta, params.entries = mach, alpha, beta, values.ravel()
    params.lengths = (2.0, 3.0, 4.0)
    m, a, b = rng.uniform(0.0, 3.0, 20), rng.uniform(alpha[0], alpha[-1], 20), rng.uniform(beta[0], beta[-1], 20)
    force, moment = coefficients_at(AERO_TABLE_SIDED, params, m, directions_at(a, b))
    for i in range(20):
        plane = PchipInterpolator(beta, values, axis=3)(b[i])
        line = PchipInterpolator(alpha, plane, axis=2)(a[i])
        expected = PchipInterpolator(mach, line, axis=1)(m[i]) * [1.0, 1.0, 1.0, 2.0, 3.0, 4.0]
        np.testing.assert_allclose(np.concatenate([force[i], moment[i]]), expected, atol=1e-12)


def test_trim_by_an_offset_of_the_centre_of_mass() -> None:
    """x_cm .30 D and z_cm .0273 D trim the 70 degree cone at 16 deg: z_cm C_A = (x_cp - x_cm) C_N."""
    diameter = 2 * BASE
    (ca, cn, moment) = axial_normal_moment(AERO_SPHERE_CONE, sphere_cone(), np.radians([16.0]))[0]
    offset = (-moment / cn - 0.30 * diameter) * cn / ca
    assert offset / diameter == pytest.approx(0.0273, abs=5e-5)
    tip_from_center = np.array([0.30 * diameter, 0.0, -offset])
    found = trim_angle(AERO_SPHERE_CONE, sphere_cone(), 20.0, tip_from_center)
    assert np.degrees(found) == pytest.approx(16.0, abs=1e-9)


def test_a_centre_of_mass_behind_the_centre_of_pressure_has_no_trim() -> None:
    with pytest.raises(InputError, match="no angle of attack between"):
        trim_angle(AERO_SPHERE_CONE, sphere_cone(), 20.0, np.array([2.0 * 2 * BASE, 0.0, 0.0]))
