"""What a mesh encloses: each place once, or is the surface open, doubled, nested, folded or crossed?

A volume, a mass and their gravity are sums over facets, so that what two surfaces enclose counts twice. Edges that pass
through facets tell where surfaces cross (`self_crossing`), winding numbers which facets have no outside on their outer
side (`winding_number`). A shell inside another that is wound the other way round encloses a cavity: both hold there.
"""

from dataclasses import dataclass, replace

import numpy as np

from planetfall.errors import InputError
from planetfall.world.shape.self_crossing import crossed_facets
from planetfall.world.shape.winding_number import windings_at
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
from planetfall.world.terrain.readers.meshes.winding import (
    body_of_facets,
    body_volumes,
    repeated_facets,
    turned,
    winding,
)

OFF = 0.25
"""By how much a winding number may be off 1/2: dipoles are off by 0.05, what is wrong by 1/2 or more (assumed)."""
NEAR_VERTEX = 0.01
"""How far from a vertex, on the way to the middle of its facet, its surroundings are looked at (assumed)."""


@dataclass(frozen=True)
class Sides:
    """Winding numbers on a surface.

    Attributes:
        middle: [facet] In the middle of each: 1/2 where one side is outside and the other inside.
        is_wrong: [facet] Whether it is something else, there or close to a corner.
    """

    middle: np.ndarray
    is_wrong: np.ndarray


def sides_of(mesh: MeshData) -> Sides:
    """Winding numbers in the middle of each facet, and beside each vertex on the first facet that has it.

    Two bodies that overlap have a vertex of one in the other, or an edge that passes through a facet.
    """
    middles = mesh.vertices[mesh.facets].mean(axis=1)
    vertices, first = np.unique(mesh.facets, return_index=True)
    facet = first // 3
    beside = (1.0 - NEAR_VERTEX) * mesh.vertices[vertices] + NEAR_VERTEX * middles[facet]
    found = windings_at(mesh.vertices, mesh.facets, np.vstack([middles, beside]))
    is_off = np.abs(found - 0.5) > OFF
    is_wrong = is_off[: len(middles)].copy()
    is_wrong[facet[is_off[len(middles) :]]] = True
    return Sides(found[: len(middles)], is_wrong)


def check_closed(mesh: MeshData, where: str, hole: float = 0.0) -> None:
    """Refuses a mesh that encloses no volume, or is open by more than holes of the extent `hole` [m]."""
    found = winding(mesh)
    if found.n_boundary_edges:
        largest = _largest_opening(mesh)
        if largest > hole:
            allowed = f"holes of up to {hole:.4g} m" if hole else "a closed mesh: gravity takes no holes"
            advice = ", give a larger terrain.resolution (holes of two node distances are left open), or use "
            advice = f"{advice}terrain.model = 'mesh' for an open sheet" if hole else ""
            raise InputError(
                where, f"{mesh.source} is open: {found.n_boundary_loops} openings, the largest {largest:.4g} m wide",
                allowed, f"close the mesh{advice}",
            )  # fmt: skip
    if found.n_reversed_edges:
        raise InputError(
            where, f"{mesh.source}: {found.n_reversed_edges} edges have facets wound against each other",
            "consistent winding", "repair the mesh",
        )  # fmt: skip
    corners = mesh.vertices[mesh.facets]
    volume = float(np.einsum("fi,fi->f", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum()) / 6.0
    if not volume > 0.0:
        raise InputError(
            where,
            f"{mesh.source} encloses a volume of {volume:.4g} m^3",
            "a positive volume",
            "reverse the winding of its facets",
        )


def _largest_opening(mesh: MeshData) -> float:
    """Largest extent of a connected rim of open edges [m]."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    half = mesh.facets[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    edges, counts = np.unique(np.sort(half, axis=1), axis=0, return_counts=True)
    rims = edges[counts == 1]
    used, local = np.unique(rims, return_inverse=True)
    start, end = local.reshape(-1, 2).T
    graph = coo_array((np.ones(len(start)), (start, end)), shape=(len(used), len(used)))
    n_rims, rim = connected_components(graph, directed=False)
    points = mesh.vertices[used]
    return max(float(np.linalg.norm(np.ptp(points[rim == i], axis=0))) for i in range(n_rims))


def check_once(mesh: MeshData, where: str) -> None:
    """Refuses a mesh that has facets twice: they would count twice, and tell no inside from an outside."""
    if n_repeated := repeated_facets(mesh.facets):
        raise InputError(
            where, f"{mesh.source}: {n_repeated} of {len(mesh.facets)} facets have the same corners as another",
            "each facet once", "remove the copies (a file written twice, or walls without thickness)",
        )  # fmt: skip


def enclosing(as_filed: MeshData, outward: MeshData, where: str, accepted: int) -> MeshData:
    """A mesh that encloses each place once.

    Args:
        as_filed: The mesh with the winding of its file.
        outward: The same, each closed part with its normals outward.
        where: The key that names it, for messages.
        accepted: Facets that may be crossed, and facets that may lie on the wrong side.

    Returns:
        The mesh with cavities wound as such, and a remark where facets cross.

    Raises:
        InputError: A part lies inside another and is wound like it, or more facets cross than are accepted.
    """
    sides, mesh = sides_of(outward), outward
    if sides.is_wrong.any():
        mesh = _with_cavities(as_filed, outward, sides)
        if mesh is not outward:
            sides = sides_of(mesh)
        _check_nested(mesh, sides, where)
    return _uncrossed(mesh, np.flatnonzero(sides.is_wrong), where, accepted)


def _inner_parts(mesh: MeshData, sides: Sides) -> tuple[np.ndarray, np.ndarray]:
    """Number of each facet's connected part, and for each part whether it lies inside another as a whole."""
    body = body_of_facets(mesh.facets)
    is_inner = np.ones(int(body.max()) + 1, dtype=bool)
    is_inner[body[sides.middle < 1.0 + OFF]] = False
    return body, is_inner


def _with_cavities(as_filed: MeshData, outward: MeshData, sides: Sides) -> MeshData:
    """The mesh with those inner parts turned inward that the file winds against the whole."""
    body, is_inner = _inner_parts(outward, sides)
    filed, out = (body_volumes(mesh.vertices, mesh.facets, body) for mesh in (as_filed, outward))
    is_against = filed * np.sign(filed.sum()) < -0.5 * out  # the whole file may be inside out
    is_cavity = is_inner & is_against
    if not is_cavity.any():
        return outward
    note = f"{int(is_cavity.sum())} inner shells are wound against the outer one: cavities"
    facets = turned(outward.facets, is_cavity[body])
    return replace(outward, facets=facets, remarks=(*outward.remarks, note))


def _check_nested(mesh: MeshData, sides: Sides, where: str) -> None:
    """Refuses a part inside another that is wound like it: its volume and mass would count twice."""
    body, is_inner = _inner_parts(mesh, sides)
    if not is_inner.any():
        return
    facets = np.flatnonzero(is_inner[body])
    place = np.round(mesh.vertices[mesh.facets[facets[0]]].mean(axis=0), 3).tolist()
    raise InputError(
        where, f"{mesh.source}: {int(is_inner.sum())} closed shells of {len(facets)} facets lie inside another and are "
        f"wound like it, so that what they enclose would count twice; the first is at {place} m",
        "shells side by side, or inner ones wound inward (cavities)", "remove the inner shells, or turn them",
    )  # fmt: skip


def _uncrossed(mesh: MeshData, wrong: np.ndarray, where: str, accepted: int) -> MeshData:
    """The mesh, with a remark where facets cross; refuses one that passes through itself more than is accepted."""
    pairs = crossed_facets(mesh.vertices, mesh.facets)
    number = max(len(pairs), len(wrong))
    if number == 0:
        return mesh
    first = pairs[0][0] if len(pairs) else wrong[0]
    place = np.round(mesh.vertices[mesh.facets[first]].mean(axis=0), 3).tolist()
    found = f"{_counted(len(pairs), len(wrong), len(mesh.facets))}, the first near {place} m"
    if number > accepted:
        named = f"facets {pairs[0][0]} and {pairs[0][1]}" if len(pairs) else f"facet {first}"
        table = where.partition(".")[0].replace("target", "terrain")
        raise InputError(
            where, f"{mesh.source} passes through itself: {found} ({named}, counted from 0)",
            f"at most {accepted} such facets",
            "repair the mesh (what overlaps counts twice in volume and mass), or accept its folds with "
            f"{table}.crossed_facets = {number}",
        )  # fmt: skip
    return replace(mesh, remarks=(*mesh.remarks, found))


def _counted(n_crossed: int, n_wrong: int, n_facets: int) -> str:
    """How many facets are wrong, in words."""
    crossed = f"{n_crossed} of {n_facets} facets are crossed by others"
    wrong = f"{n_wrong} of {n_facets} facets do not part outside from inside"
    return " and ".join(words for words, n in ((crossed, n_crossed), (wrong, n_wrong)) if n)
