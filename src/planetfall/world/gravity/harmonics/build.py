"""Putting a harmonic field on a device, and the harmonics of a polyhedron."""

from math import comb

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.errors import InputError
from planetfall.world.gravity.harmonics.data import HarmonicsData, checked
from planetfall.world.gravity.harmonics.harmonics import GRAVITY_HARMONICS, HarmonicsParams
from planetfall.world.gravity.on_device import GravityField
from planetfall.world.shape.mass_properties import shape_properties

ROUNDING = 1e-17
"""Share of a harmonic that its last digit does not show."""
CHUNK = 4096
"""Facets at a time: their numbers stay in a processor's cache."""


def harmonics_field(
    data: HarmonicsData,
    device: str,
    *,
    center_S: np.ndarray | tuple[float, float, float] = (0.0, 0.0, 0.0),
    R_PS: np.ndarray | None = None,
    **facts: object,
) -> GravityField:
    """The field of a set of coefficients; valid outside the sphere that holds all mass.

    Args:
        data: Coefficients, GM and reference radius.
        device: Warp device.
        center_S: The field's origin in the surface frame [m].
        R_PS: Rotation that takes surface components to the field's axes; none for the surface frame P itself.
        facts: What is known of it, for people.
    """
    start_warp()
    known = {
        "source": data.source,
        "degree": data.degree,
        "gm_m3_s2": data.gm,
        "valid_beyond_m": data.radius,
        "notes": list(data.notes),
    }
    params = harmonics_params(data, device, center_S, np.eye(3) if R_PS is None else R_PS)
    return GravityField(GRAVITY_HARMONICS, params, device, {**known, **facts})


def harmonics_params(
    data: HarmonicsData, device: str, center_S: np.ndarray | tuple[float, float, float], R_PS: np.ndarray
) -> HarmonicsParams:
    """The parameter struct, filled."""
    checked("gravity", data)
    params = HarmonicsParams()
    params.center, params.R_PS = wp.vec3d(*center_S), wp.mat33d(*np.asarray(R_PS, float).ravel())
    params.gm, params.radius = data.gm, data.radius
    params.degree, params.order = data.degree, data.order
    params.terms = wp.array(_terms(data), dtype=wp.vec4d, device=device)
    m = np.arange(1, data.order + 1)
    factors = np.sqrt((2 * m + 1) / (2 * m) * np.where(m == 1, 2.0, 1.0))
    params.diagonal = wp.array(np.concatenate([[1.0], factors]), dtype=wp.float64, device=device)
    return params


def _terms(data: HarmonicsData) -> np.ndarray:
    """Rows a, b, C, S by order, then degree (HolmesFeatherstone2002, Eq. 12)."""
    rows = []
    for m in range(data.order + 1):
        n = np.arange(m, data.degree + 1, dtype=float)
        with np.errstate(divide="ignore", invalid="ignore"):
            square = (n - m) * (n + m)
            a = np.sqrt((2 * n - 1) * (2 * n + 1) / square)
            b = np.sqrt((2 * n + 1) * (n + m - 1) * (n - m - 1) / (square * (2 * n - 3)))
        a[:1], b[:2] = 0.0, 0.0
        rows.append(np.column_stack([a, b, data.cosine[m:, m], data.sine[m:, m]]))
    return np.concatenate(rows)


def shape_harmonics(vertices: np.ndarray, facets: np.ndarray, gm: float, degree: int) -> HarmonicsData:
    """Coefficients of a closed mesh of uniform density, about its own origin.

    Solid harmonics are homogeneous polynomials of the degree n, so the integral over the tetrahedron between a facet
    and the origin is 1/(n + 3) of one over the facet, which a product of Gauss rules takes exactly.

    Args:
        vertices: [vertex, 3] [m].
        facets: [facet, 3] vertex indices, counter-clockwise seen from outside.
        gm: Gravitational parameter [m^3/s^2].
        degree: Largest degree.
    """
    found = shape_properties(vertices, facets)
    radius = found.radius
    corners = np.asarray(vertices, float)[facets] / radius
    sixfold = np.einsum("fi,fi->f", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    sums = np.zeros((degree + 1, degree + 1), dtype=complex)
    places, weights = _triangle_rule(_degree_needed(corners, degree))
    for start in range(0, len(corners), CHUNK):
        a, b, c = corners[start : start + CHUNK].transpose(1, 0, 2)
        own = sixfold[start : start + CHUNK].astype(complex)
        for (v, w), weight in zip(places, weights, strict=True):
            for m, column in _solid_harmonics(a * (1.0 - v - w) + b * v + c * w, degree):
                sums[m:, m] += weight * np.einsum("nf,f->n", column, own)
    n = np.arange(degree + 1)[:, None]
    sums /= (n + 3) * (2 * n + 1) * found.volume / radius**3
    sums[0, 0] = 1.0
    return HarmonicsData(gm, radius, np.real(sums).copy(), np.imag(sums).copy(), "harmonics of a shape")


def _degree_needed(corners: np.ndarray, degree: int) -> int:
    """Degree in the place on a facet up to which its integrals have to be exact, for the facets of `corners` / radius.

    About its middle, a polynomial of degree n within the unit ball has terms of degree k that are at most binom(n, k)
    s^k, with s the facet's size: for small facets those of high degree are less than rounding.
    """
    size = float(np.linalg.norm(corners - corners.mean(axis=1, keepdims=True), axis=2).max())
    kept = [k for k in range(degree + 1) if comb(degree, k) * size**k > ROUNDING]
    return max(kept)


def _triangle_rule(degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (v, w) and weights of the unit triangle, exact for polynomials up to a degree; weights add up to 1/2."""
    x, wx = np.polynomial.legendre.leggauss(degree // 2 + 2)
    x, wx = 0.5 * (x + 1.0), 0.5 * wx
    v, across = np.meshgrid(x, x, indexing="ij")
    weight = np.outer(wx * (1.0 - x), wx)
    return np.column_stack([v.ravel(), ((1.0 - v) * across).ravel()]), weight.ravel()


def _solid_harmonics(points: np.ndarray, degree: int):
    """For each order m: fully normalised r^n P_nm (cos m lon + i sin m lon), complex [n - m, point]."""
    x, y, z = points.T
    square = np.sum(points**2, axis=1)
    top = np.ones(len(points), dtype=complex)
    for m in range(degree + 1):
        if m:
            top = top * (x + 1j * y) * np.sqrt((2 * m + 1) / (2 * m) * (2.0 if m == 1 else 1.0))
        column = [top]
        for n in range(m + 1, degree + 1):
            a = np.sqrt((2 * n - 1) * (2 * n + 1) / ((n - m) * (n + m)))
            value = a * z * column[-1]
            if n > m + 1:
                b = np.sqrt((2 * n + 1) * (n + m - 1) * (n - m - 1) / ((n - m) * (n + m) * (2 * n - 3)))
                value = value - b * square * column[-2]
            column.append(value)
        yield m, np.array(column)


def site_axes(spin_axis_S: np.ndarray, up_S: np.ndarray, longitude: float) -> np.ndarray:
    """R_PS of a site: from its local axes to body-fixed ones, z along the spin axis, x in the prime meridian.

    Args:
        spin_axis_S: Unit axis of rotation, surface frame.
        up_S: From the body's centre to the site, surface frame.
        longitude: East longitude of the site [rad].
    """
    z = np.asarray(spin_axis_S, float)
    meridian = np.asarray(up_S, float) - z * float(np.dot(up_S, z))
    length = float(np.linalg.norm(meridian))
    if length < 1e-9 * float(np.linalg.norm(up_S)):
        raise InputError("gravity.longitude_deg", "the site lies on the spin axis, where longitude has no meaning")
    outward = meridian / length
    east = np.cross(z, outward)
    x = outward * np.cos(longitude) - east * np.sin(longitude)
    return np.array([x, np.cross(z, x), z])
