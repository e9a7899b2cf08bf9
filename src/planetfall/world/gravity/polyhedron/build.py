"""Putting a polyhedron's gravity on a device, and asking it everything that the formulas give."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.compute.slices import launch_in_slices
from planetfall.errors import InputError
from planetfall.world.gravity.model import GRAVITATIONAL_CONSTANT
from planetfall.world.gravity.on_device import GravityField
from planetfall.world.gravity.polyhedron.polyhedron import (
    GRAVITY_POLYHEDRON,
    Edge,
    PolyhedronFacet,
    PolyhedronParams,
    PolyhedronSums,
    polyhedron_sums,
)
from planetfall.world.shape.mass_properties import shape_properties

DENSITY_LOWEST, DENSITY_HIGHEST = 50.0, 25000.0
"""Densities [kg/m^3] that no solid body leaves (assumed: osmium has 22,600, the fluffiest comets some hundreds)."""


@dataclass(frozen=True)
class PolyhedronAnswer:
    """The exact field of a polyhedron at n points.

    Attributes:
        potential: [n] [m^2/s^2], negative, zero at infinity.
        acceleration: [n, 3] [m/s^2].
        gradient: [n, 3, 3] [1/s^2], d acceleration_i/d x_j; infinite on an edge.
        divergence: [n] [1/s^2], Laplacian of -U: -4 pi G rho inside, 0 outside, half of it on a facet.
        is_inside: [n] whether the divergence says so.
    """

    potential: np.ndarray
    acceleration: np.ndarray
    gradient: np.ndarray
    divergence: np.ndarray
    is_inside: np.ndarray


def polyhedron_field(
    vertices: np.ndarray,
    facets: np.ndarray,
    device: str,
    *,
    gm: float | None = None,
    density: float | None = None,
    center_S: np.ndarray | tuple[float, float, float] = (0.0, 0.0, 0.0),
    where: str = "gravity.shape",
    **facts: object,
) -> GravityField:
    """The exact field of a closed mesh of uniform density.

    Args:
        vertices: [vertex, 3] [m], body-fixed.
        facets: [facet, 3] vertex indices, counter-clockwise seen from outside.
        device: Warp device.
        gm: Gravitational parameter [m^3/s^2]; this or the density.
        density: [kg/m^3].
        center_S: Where the mesh's origin lies in the surface frame [m].
        where: The key that names the shape, for messages.
        facts: What is known of the shape, for people.
    """
    start_warp()
    found = shape_properties(vertices, facets)
    strength = strength_of(found.volume, gm, density, where)
    edges, rows = polyhedron_rows(vertices, facets)
    params = PolyhedronParams()
    params.center, params.strength = wp.vec3d(*center_S), strength
    params.edges = wp.array(edges, dtype=Edge, device=device)
    params.facets = wp.array(rows, dtype=PolyhedronFacet, device=device)
    known = {
        "facets": len(facets),
        "volume_m3": found.volume,
        "density_kg_m3": strength / GRAVITATIONAL_CONSTANT,
        "gm_m3_s2": strength * found.volume,
        "center_of_mass_m": [float(x) for x in found.center_of_mass],
    }
    return GravityField(GRAVITY_POLYHEDRON, params, device, {**known, **facts})


def strength_of(volume: float, gm: float | None, density: float | None, where: str = "gravity.shape") -> float:
    """G rho [1/s^2] from GM or density; refuses both, neither, and what no solid body can have.

    `where` is the key that names the shape, for messages.
    """
    if (gm is None) == (density is None):
        allowed = "either gravity.density [kg/m^3] or target.gm [m^3/s^2]"
        if gm is None:
            raise InputError("gravity.density", "missing", allowed)
        raise InputError(
            "gravity.density", f"both density and target.gm = {gm:.6g} m^3/s^2 are given", allowed,
            "leave out gravity.density; or, where target.gm comes with a built-in target.name, give a name of your own "
            "and with it what the built-in one brought along (planetfall show NAME prints it): target.spin_rate, and "
            "pole_deg, spin_axis or attitude where they matter",
        )  # fmt: skip
    strength = GRAVITATIONAL_CONSTANT * density if density is not None else float(gm) / volume  # pyright: ignore
    found = strength / GRAVITATIONAL_CONSTANT
    if DENSITY_LOWEST <= found <= DENSITY_HIGHEST:
        return strength
    allowed = f"{DENSITY_LOWEST:g} to {DENSITY_HIGHEST:g} kg/m^3"
    if density is not None:
        raise InputError("gravity.density", f"{density:g} kg/m^3", allowed, "give it in kg/m^3: 1 g/cm^3 is 1000")
    raise InputError(
        where, f"a volume of {volume:.4g} m^3 and target.gm = {gm:.6g} m^3/s^2 make a density of {found:.4g} kg/m^3",
        allowed, f"check the unit of length ({unit_advice(where, found < DENSITY_LOWEST)}), and that target.gm is this "
        "body's, in m^3/s^2",
    )  # fmt: skip


def unit_advice(where: str, is_too_large: bool = False) -> str:
    """What to do where the shape that a key names is a thousandth of what it should be, or a thousand times it."""
    if where == "terrain.half_sizes":
        return "it takes m"
    scale = "target.shape_scale" if where == "target.shape" else f"{where.partition('.')[0]}.scale"
    return f"a file in m needs {scale} = 1" if is_too_large else f"a file in km needs {scale} = 1000"


def polyhedron_rows(vertices: np.ndarray, facets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Structured arrays of edges and facets, with the fields of `polyhedron.Edge` and `polyhedron.PolyhedronFacet`.

    Raises:
        InputError: An edge does not have exactly two facets, wound alike, or a facet has no area.
    """
    vertices, facets = np.asarray(vertices, dtype=np.float64), np.asarray(facets, dtype=np.int64)
    corners = vertices[facets]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    doubled = np.linalg.norm(normals, axis=1)
    if not np.all(doubled > 0.0):
        raise InputError("gravity.shape", f"{int(np.sum(doubled <= 0))} facets have no area", advice="drop them")
    normals /= doubled[:, None]
    starts, ends = facets.ravel(), facets[:, [1, 2, 0]].ravel()
    along = vertices[ends] - vertices[starts]
    lengths = np.linalg.norm(along, axis=1)
    of_facet = np.repeat(normals, 3, axis=0)
    outward = np.cross(along / lengths[:, None], of_facet)
    dyads = of_facet[:, :, None] * outward[:, None, :]
    keys = np.minimum(starts, ends) * len(vertices) + np.maximum(starts, ends)
    order = _in_pairs(keys, starts < ends)
    first, second = order[::2], order[1::2]
    if len(order) % 2 or np.any(keys[first] != keys[second]) or np.any(starts[first] != ends[second]):
        raise InputError(
            "gravity.shape", "the mesh is not closed, or not wound alike", "two facets to every edge", "repair the mesh"
        )
    total = dyads[first] + dyads[second]
    total = 0.5 * (total + total.transpose(0, 2, 1))  # symmetric but for rounding
    edges: Any = np.zeros(len(first), dtype=Edge.numpy_dtype())
    edges["a"], edges["b"], edges["length"] = vertices[starts[first]], vertices[ends[first]], lengths[first]
    edges["diagonal"] = total[:, [0, 1, 2], [0, 1, 2]]
    edges["mixed"] = total[:, [0, 1, 0], [1, 2, 2]]
    rows: Any = np.zeros(len(facets), dtype=PolyhedronFacet.numpy_dtype())
    rows["a"], rows["b"], rows["c"] = corners.transpose(1, 0, 2)
    rows["normal"], rows["doubled"] = normals, doubled
    return edges, rows


def _in_pairs(keys: np.ndarray, is_forward: np.ndarray) -> np.ndarray:
    """Half edges in an order in which those of an edge follow each other.

    Where bodies touch along an edge it has four: one that runs forward is then followed by one that runs back. Which
    ones make a pair does not matter, since the field is a sum over facets.
    """
    order = np.argsort(keys, kind="stable")
    if not np.any(keys[order][2:] == keys[order][:-2]):
        return order
    ways = np.lexsort([is_forward, keys])
    is_new = np.ones(len(ways), dtype=bool)
    is_new[1:] = (keys[ways][1:] != keys[ways][:-1]) | (is_forward[ways][1:] != is_forward[ways][:-1])
    places = np.arange(len(ways))
    rank = np.empty(len(ways), dtype=np.int64)
    rank[ways] = places - np.maximum.accumulate(np.where(is_new, places, 0))
    return np.lexsort([rank, keys])


def ask_polyhedron(field: GravityField, positions_S: np.ndarray) -> PolyhedronAnswer:
    """Everything that the formulas give, at positions [n, 3] [m] of the surface frame."""
    if field.model is not GRAVITY_POLYHEDRON:
        raise InputError("gravity.model", f"{field.model.name!r} has no gradient", "'polyhedron'")
    positions = wp.array(np.atleast_2d(np.asarray(positions_S, float)), dtype=wp.vec3d, device=field.device)
    found = wp.zeros(len(positions), dtype=PolyhedronSums, device=field.device)
    launch_in_slices(_sums_kernel(), len(positions), [field.params, positions], [found], field.device)
    rows, strength = found.numpy(), float(field.params.strength)
    gradient = np.empty((len(rows), 3, 3))
    for k, (i, j) in enumerate(((0, 1), (1, 2), (0, 2))):
        gradient[:, k, k] = rows["diagonal"][:, k]
        gradient[:, i, j] = gradient[:, j, i] = rows["mixed"][:, k]
    return PolyhedronAnswer(
        rows["potential"] * strength,
        rows["acceleration"] * strength,
        gradient * strength,
        rows["divergence"] * strength,
        rows["divergence"] < -2.0 * np.pi,
    )


@lru_cache
def _sums_kernel() -> Any:
    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def sums(
        field: PolyhedronParams, positions: wp.array(dtype=wp.vec3d), first: int, out: wp.array(dtype=PolyhedronSums)
    ):
        i = wp.tid() + first
        out[i] = polyhedron_sums(field, positions[i])

    return sums
