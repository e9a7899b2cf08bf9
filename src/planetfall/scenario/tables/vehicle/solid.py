"""Uniform solids: their meshes and inertias in closed form, and points spread evenly over any mesh."""

import io
import logging
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

logging.getLogger("trimesh").addHandler(logging.NullHandler())  # or it prints tracebacks of what it gets over
MAX_BYTES = 256 * 2**20
"""Largest file of a vehicle's mesh."""
FLAT = 1e-12
"""Volume of a mesh, as a share of its longest side cubed, below which it encloses nothing but rounding."""
LARGEST = 1e9
"""Farthest vertex of a vehicle [m]."""

CANDIDATES_PER_POINT = 60
"""Places that are looked at for each point that is spread (assumed): fewer leave visible unevenness."""


@dataclass(frozen=True)
class Solid:
    """A solid about its middle; one from a mesh about its centre of mass.

    Attributes:
        vertices: [vertex, 3] [m], body frame: its corners, each once where it is none from a mesh.
        facets: [facet, 3] vertex indices, counter-clockwise seen from outside.
        gyration: Inertia over the mass of a uniform one [3, 3] [m^2].
    """

    vertices: np.ndarray
    facets: np.ndarray
    gyration: np.ndarray


def box(size: tuple[float, float, float]) -> Solid:
    """A box with edges along the axes [m]."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    facets = [(a, b, c) for a, b, c, _ in quads] + [(a, c, d) for a, _, c, d in quads]
    x, y, z = np.square(size)
    return Solid(0.5 * signs * np.array(size), np.array(facets), np.diag([y + z, x + z, x + y]) / 12.0)


def prism(diameter: float, height: float, sides: int) -> Solid:
    """A regular prism about z: `diameter` across opposite corners [m]."""
    radius = 0.5 * diameter
    axial = radius**2 * (2.0 + np.cos(2.0 * np.pi / sides)) / 6.0
    return _upright(radius, height, sides, axial)


def cylinder(diameter: float, height: float, sides: int) -> Solid:
    """A round cylinder about z [m]; its rims touch the ground with `sides` vertices each."""
    return _upright(0.5 * diameter, height, sides, 0.125 * diameter**2)


def _upright(radius: float, height: float, sides: int, axial: float) -> Solid:
    angle = 2.0 * np.pi * np.arange(sides) / sides
    ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    low, high = (np.column_stack([ring, np.full(sides, z)]) for z in (-0.5 * height, 0.5 * height))
    i = np.arange(sides)
    j = (i + 1) % sides
    fan = np.arange(1, sides - 1)
    facets = np.vstack(
        [
            np.column_stack([i, j, sides + j]),
            np.column_stack([i, sides + j, sides + i]),
            np.column_stack([0 * fan, fan + 1, fan]),
            np.column_stack([sides + 0 * fan, sides + fan, sides + fan + 1]),
        ]
    )
    across = 0.5 * axial + height**2 / 12.0
    return Solid(np.vstack([low, high]), facets, np.diag([across, across, axial]))


def mesh_solid(file: str, scale: float) -> Solid:
    """A closed mesh from a file with `scale` metres per unit, about its centre of mass, along the file's axes.

    Raises:
        ValueError: It cannot be read, or encloses nothing.
    """
    import trimesh
    from trimesh.resolvers import FilePathResolver

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what comes of a file is looked at below
            kind, beside = Path(file).suffix[1:].lower(), FilePathResolver(file)
            mesh = trimesh.load_mesh(io.BytesIO(_content(file)), file_type=kind, resolver=beside)
    except Exception as error:  # of many readers
        raise ValueError(f"file: {file} cannot be read as a mesh ({error})") from None
    if np.shape(getattr(mesh, "faces", ()))[1:] != (3,):
        raise ValueError(f"file: {file} holds no triangles")
    if not np.all(np.abs(mesh.vertices) * scale <= LARGEST):
        raise ValueError(f"file: the mesh of {file} is farther than {LARGEST:g} m from its origin, or has no place")
    if not isinstance(mesh, trimesh.Trimesh) or not mesh.is_watertight or not mesh.is_winding_consistent:
        raise ValueError(f"file: the mesh of {file} is not closed, so that it has no inside; close it")
    with np.errstate(all="ignore"):  # a flat mesh has no centre of mass; it is refused below
        volume = float(mesh.volume)
    if not abs(volume) > FLAT * float(np.ptp(mesh.vertices, axis=0).max()) ** 3:
        raise ValueError(f"file: the mesh of {file} encloses no volume; give a solid that has one")
    if volume < 0.0:
        mesh.invert()
    mesh.apply_scale(scale)
    inertia = np.asarray(mesh.moment_inertia) / mesh.volume
    return Solid(np.asarray(mesh.vertices) - mesh.center_mass, np.asarray(mesh.faces), 0.5 * (inertia + inertia.T))


def _content(file: str) -> bytes:
    path = Path(file).expanduser()
    if not path.is_file():
        raise ValueError("it is no file" if path.exists() else "there is no such file")
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"it is larger than {MAX_BYTES >> 20} MiB")
    return path.read_bytes()


def spread_points(vertices: np.ndarray, facets: np.ndarray, n: int, fixed: np.ndarray) -> np.ndarray:
    """Points spread evenly over a mesh: `fixed` ones first, then each where the surface is farthest from all others.

    Args:
        vertices: [vertex, 3] [m].
        facets: [facet, 3] vertex indices.
        n: How many points in all.
        fixed: [k, 3] [m] points that are among them, k <= n.

    Returns:
        [n, 3] [m]; the same for the same input.
    """
    places = _lattice(vertices, facets, CANDIDATES_PER_POINT * max(n, 8))
    chosen = [np.asarray(point, dtype=float) for point in fixed]
    if not chosen:
        chosen = [places[np.argmax(np.linalg.norm(places - places.mean(axis=0), axis=1))]]
    nearest = np.full(len(places), np.inf)
    for point in chosen:
        nearest = np.minimum(nearest, np.linalg.norm(places - point, axis=1))
    while len(chosen) < n:
        chosen.append(places[np.argmax(nearest)])
        nearest = np.minimum(nearest, np.linalg.norm(places - chosen[-1], axis=1))
    return np.array(chosen[:n])


def _lattice(vertices: np.ndarray, facets: np.ndarray, n: int) -> np.ndarray:
    """About n places on a mesh [m]: middles of equal small triangles of each facet, as many as its area asks for."""
    corners = np.asarray(vertices, dtype=float)[facets]
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    divisions = np.maximum(np.ceil(np.sqrt(n * areas / areas.sum())), 1).astype(int)
    return np.vstack([_middles(int(m)) @ triangle for triangle, m in zip(corners, divisions, strict=True)])


def _middles(m: int) -> np.ndarray:
    """Barycentric weights [m^2, 3] of the middles of a triangle's m^2 equal parts."""
    up = [(3 * i + 1, 3 * j + 1) for i in range(m) for j in range(m - i)]
    down = [(3 * i + 2, 3 * j + 2) for i in range(m - 1) for j in range(m - 1 - i)]
    weights = np.array(up + down, dtype=float) / (3 * m)
    return np.column_stack([weights, 1.0 - weights.sum(axis=1)])
