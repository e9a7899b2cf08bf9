"""Baking the exact field of a polyhedron into grids, and measuring what that costs in accuracy."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from planetfall.compute.device import start_warp
from planetfall.errors import InputError
from planetfall.world.cache import Entry, cached, content_key
from planetfall.world.gravity.grid.errors import measured_errors
from planetfall.world.gravity.grid.grid import GRAVITY_GRID, GridLevel, GridParams
from planetfall.world.gravity.grid.nodes import continued_potentials
from planetfall.world.gravity.grid.probes import Probes, too_coarse, tried_spacing
from planetfall.world.gravity.harmonics.build import harmonics_params, shape_harmonics
from planetfall.world.gravity.harmonics.data import HarmonicsData
from planetfall.world.gravity.model import GRAVITATIONAL_CONSTANT
from planetfall.world.gravity.on_device import GravityField
from planetfall.world.gravity.polyhedron.build import polyhedron_field, strength_of
from planetfall.world.gravity.polyhedron.facet_tree_build import facet_tree
from planetfall.world.preparations import ESTIMATE, duration_words, telling
from planetfall.world.shape.mass_properties import shape_properties
from planetfall.world.terrain.sdf.mesh_distance import MeshDistance

VERSION = 4
"""Of what is baked: to be raised with every change that moves a bit of it."""
COARSER = 2.0
"""How much coarser a box is than the one inside it."""
MARGIN = 8
"""Cells, at least, between the body and a box's faces: the next box takes over three of its own cells from the body."""
COARSEST = 0.08
"""Largest spacing with which a box may take over, relative to the distance from the body's middle: the spline of a
field like 1/r is then right to 2e-4."""
RIM = 2
"""Cells over which a box's share falls."""
QUAD = 4
"""Coefficients that a GPU loads at a time: rows begin at multiples of it."""
FAR_DEGREE = 16
"""Degree of the harmonics beyond the last box, whose faces are at least one radius from the body."""
N_DRAWN = 2000
"""Nodes that are timed to tell how long the baking takes."""
MAX_NODES = 300_000_000
"""Nodes of all boxes together (assumed: 1.2 GB)."""


@dataclass(frozen=True)
class Box:
    """A box of nodes: `origin` [m] of the first, `spacing` [m], `shape` in nodes."""

    origin: np.ndarray
    spacing: float
    shape: tuple[int, int, int]

    @property
    def n_nodes(self) -> int:
        """Nodes of it."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def size(self) -> np.ndarray:
        """Edges of the box [m]."""
        return (np.array(self.shape) - 1) * self.spacing


def grid_field(
    vertices: np.ndarray,
    facets: np.ndarray,
    device: str,
    *,
    spacing: float | None = None,
    gm: float | None = None,
    density: float | None = None,
    error_bound: float | None = None,
    center_S: np.ndarray | tuple[float, float, float] = (0.0, 0.0, 0.0),
    where: str = "gravity.shape",
    **facts: object,
) -> GravityField:
    """The baked field of a closed mesh of uniform density, from the cache where it is there.

    How far the baking is, is told to who listens (`world.preparations`).

    Args:
        vertices: [vertex, 3] [m], body-fixed.
        facets: [facet, 3] vertex indices, counter-clockwise seen from outside.
        device: Warp device.
        spacing: Of the finest box's nodes [m]; none for a hundredth of the longest extent.
        gm: Gravitational parameter [m^3/s^2]; this or the density.
        density: [kg/m^3].
        error_bound: Largest error that is accepted, relative to the mean gravity on the surface; none for any.
        center_S: Where the mesh's origin lies in the surface frame [m].
        where: The key that names the shape, for messages.
        facts: What is known of the shape, for people.

    Raises:
        InputError: The measured error is beyond the bound, or the grid would be too large.
    """
    start_warp()
    vertices, facets = np.ascontiguousarray(vertices, np.float64), np.ascontiguousarray(facets, np.int32)
    found = shape_properties(vertices, facets)
    strength = strength_of(found.volume, gm, density, where)
    spacing = float(np.ptp(vertices, axis=0).max()) / 100.0 if spacing is None else float(spacing)
    boxes = nested_boxes(vertices, spacing)
    kind = "cuda" if wp.get_device(device).is_cuda else "cpu"
    layout = [[box.origin.tolist(), box.spacing, box.shape] for box in boxes]
    key = content_key(version=[VERSION, FAR_DEGREE], device=kind, vertices=vertices, facets=facets, boxes=layout)
    entry = cached("gravity", key, lambda: _bake(vertices, facets, boxes, device, error_bound))
    _check_error(entry.facts, error_bound, boxes[0], vertices, facets, device)
    params = _params(entry, boxes, found.volume, device)
    params.strength, params.center, params.far.center = strength, wp.vec3d(*center_S), wp.vec3d(*center_S)
    known = {
        "density_kg_m3": strength / GRAVITATIONAL_CONSTANT,
        "gm_m3_s2": strength * found.volume,
        "spacing_m": spacing,
        "bytes": int(entry.arrays["coefficients"].nbytes),
    }
    return GravityField(GRAVITY_GRID, params, device, {**known, **entry.facts, **facts})


def drawn_nodes(boxes: list[Box], n: int) -> np.ndarray:
    """Nodes [n, 3] [m] drawn from those of all boxes, each as likely as any other."""
    random, starts = np.random.default_rng(2), np.cumsum([0, *(box.n_nodes for box in boxes)])
    drawn = random.integers(starts[-1], size=n)
    which = np.searchsorted(starts, drawn, side="right") - 1
    rows = zip(which, drawn, strict=True)
    return np.array([
        boxes[b].origin + boxes[b].spacing * np.array(np.unravel_index(i - starts[b], boxes[b].shape)) for b, i in rows
    ])  # fmt: skip


def nested_boxes(vertices: np.ndarray, spacing: float) -> list[Box]:
    """Boxes about a body, from the finest, until the faces of the last are one radius from it.

    Raises:
        InputError: They would have too many nodes.
    """
    boxes = _boxes(vertices, spacing)
    if sum(box.n_nodes for box in boxes) > MAX_NODES:
        raise InputError(
            "gravity.resolution", f"{spacing:g} m makes more than {MAX_NODES / 1e6:g} million nodes",
            advice=f"give at least {least_spacing(vertices):g} m",
        )  # fmt: skip
    return boxes


def _boxes(vertices: np.ndarray, spacing: float) -> list[Box]:
    """The boxes, up to the one with which they have too many nodes."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    radius, thin = float(np.linalg.norm(vertices, axis=1).max()), 0.5 * float((high - low).min())
    boxes: list[Box] = []
    step, margin = spacing, 0.0
    while margin < radius and sum(box.n_nodes for box in boxes) <= MAX_NODES:
        margin = max(MARGIN * step, COARSER * step / COARSEST - thin + RIM * step)
        cells = np.ceil((high - low + 2.0 * margin) / step)
        origin = 0.5 * (low + high) - 0.5 * cells * step
        boxes.append(Box(origin, step, tuple(int(c) + 1 for c in cells)))  # pyright: ignore[reportArgumentType]
        step *= COARSER
    return boxes


def least_spacing(vertices: np.ndarray) -> float:
    """The finest spacing [m], of two digits, that has no more nodes than there may be, to some per cent."""
    spacing = float(np.prod(np.ptp(vertices, axis=0)) / MAX_NODES) ** (1 / 3)
    while sum(box.n_nodes for box in _boxes(vertices, float(f"{spacing:.2g}"))) > MAX_NODES:
        spacing *= 1.05
    return float(f"{spacing:.2g}")


def _probes(vertices: np.ndarray, facets: np.ndarray, device: str) -> Probes:
    """The body, ready to be asked; of density 1/G: exact values divided by G rho."""
    exact = polyhedron_field(vertices, facets, device, density=1000.0)
    exact.params.strength = 1.0
    tree, distance = facet_tree(vertices, facets, device), MeshDistance(vertices, facets, device)
    return Probes(tree, distance, exact, vertices, facets)


def _bake(vertices: np.ndarray, facets: np.ndarray, boxes: list[Box], device: str, bound: float | None) -> Entry:
    """Spline coefficients of every box for G rho = 1, the far harmonics, and the measured errors.

    Raises:
        InputError: A few places tell that the error will be beyond the bound, before anything is baked.
    """
    probes, finest = _probes(vertices, facets, device), boxes[0]
    if bound is not None and (error := probes.error(finest.origin, finest.spacing)) > bound:
        raise too_coarse(finest.spacing, error, bound, _finer(probes, finest.spacing, error, bound))
    volume, total = shape_properties(vertices, facets).volume, sum(box.n_nodes for box in boxes)
    lasting = duration_words(total * probes.seconds_per_node(drawn_nodes(boxes, N_DRAWN)))
    tell = telling(f"baking the gravity of {len(facets)} facets into {total} nodes{ESTIMATE}{lasting}")
    tell(0.0)
    parts, before = [], 0
    for box in boxes:

        def told(share: float, start: int = before, box: Box = box) -> None:
            tell((start + share * box.n_nodes) / total)

        nodes = continued_potentials(probes.tree, probes.distance, box.origin, box.spacing, box.shape, told)
        parts.append(spline_coefficients(nodes).astype(np.float32).ravel())
        before += box.n_nodes
    tell(1.0)
    far = shape_harmonics(vertices, facets, volume, FAR_DEGREE)
    arrays = {"coefficients": np.concatenate(parts), "cosine": far.cosine, "sine": far.sine}
    facts = {"far_radius_m": far.radius, "levels": len(boxes), "nodes": total}
    params = _params(Entry(arrays, facts), boxes, volume, device)
    params.strength = 1.0
    baked = GravityField(GRAVITY_GRID, params, device)
    last = np.array([boxes[-1].origin, boxes[-1].origin + boxes[-1].size])
    return Entry(arrays, {**facts, **measured_errors(baked, probes.exact, vertices, facets, finest.spacing, last)})


def _finer(probes: Probes, spacing: float, error: float, bound: float) -> float | None:
    """A spacing that was looked at and keeps the bound."""
    least = least_spacing(probes.vertices)
    return tried_spacing(probes, lambda s: _boxes(probes.vertices, s)[0].origin, spacing, error, bound, least)


def spline_coefficients(values: np.ndarray) -> np.ndarray:
    """Coefficients of the uniform cubic B-spline through values [i, j, k]: two more along each axis.

    At its ends the third derivative is continuous across the first inner node ("not a knot"), so that the order of the
    interpolation holds up to the faces.
    """
    found = np.asarray(values, dtype=np.float64)
    for axis in range(3):
        n = found.shape[axis]
        matrix = np.diag(np.full(n + 2, 4 / 6)) + np.diag(np.full(n + 1, 1 / 6), 1) + np.diag(np.full(n + 1, 1 / 6), -1)
        matrix[[0, -1]] = 0.0
        matrix[0, :5] = matrix[-1, -5:] = [1.0, -4.0, 6.0, -4.0, 1.0]
        moved = np.moveaxis(found, axis, 0)
        flat = np.zeros((n + 2, moved[0].size))
        flat[1:-1] = moved.reshape(n, -1)
        solved = splu(csc_array(matrix)).solve(flat)
        found = np.moveaxis(solved.reshape(n + 2, *moved.shape[1:]), 0, axis)
    return np.ascontiguousarray(found)


def _params(entry: Entry, boxes: list[Box], volume: float, device: str) -> GridParams:
    """The parameter struct for G rho = 1 about the origin."""
    rows: Any = np.zeros(len(boxes), dtype=GridLevel.numpy_dtype())
    taken, start, padded = 0, 0, []
    for row, box in zip(rows, boxes, strict=True):
        row["origin"], row["half"] = box.origin, 0.5 * box.size
        row["middle"] = box.origin + 0.5 * box.size
        row["inverse"], row["per_rim"] = 1.0 / box.spacing, 1.0 / (RIM * box.spacing)
        row["n_x"], row["n_y"], row["n_z"] = box.shape
        n_x, n_y, n_z = np.array(box.shape) + 2
        row["start"], row["row"] = start, QUAD * -(-n_z // QUAD)
        own = entry.arrays["coefficients"][taken : taken + n_x * n_y * n_z].reshape(n_x, n_y, n_z)
        padded.append(np.pad(own, [(0, 0), (0, 0), (0, row["row"] - n_z)]).ravel())
        taken, start = taken + own.size, start + padded[-1].size
    params = GridParams()
    params.levels = wp.array(rows, dtype=GridLevel, device=device)
    # the last row is read from four on, too
    params.coefficients = wp.array(np.concatenate([*padded, np.zeros(QUAD)]), dtype=wp.float32, device=device)
    far = HarmonicsData(volume, entry.facts["far_radius_m"], entry.arrays["cosine"], entry.arrays["sine"], "far")
    params.far = harmonics_params(far, device, (0.0, 0.0, 0.0), np.eye(3))
    return params


def _check_error(
    facts: dict[str, Any], bound: float | None, finest: Box, vertices: np.ndarray, facets: np.ndarray, device: str
) -> None:
    """Refuses a grid whose measured error is beyond the bound."""
    worst = max(facts[f"error_{where}_max"] for where in ("surface", "near", "beyond"))
    if bound is not None and worst > bound:
        finer = _finer(_probes(vertices, facets, device), finest.spacing, worst, bound)
        rms = f" (rms on the surface {facts['error_surface_rms']:.2g})"
        raise too_coarse(finest.spacing, worst, bound, finer, rms)
