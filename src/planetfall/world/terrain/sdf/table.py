"""From a scenario's `[terrain]` with `model = "sdf"` to a field on a device."""

from collections.abc import Callable
from typing import Any

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.tables.world.terrain_sdf import SdfNoise, SdfRocks, TerrainSdf
from planetfall.world.shape.mass_properties import ShapeProperties, shape_properties, solid_properties
from planetfall.world.shape.shape_file import load_shape
from planetfall.world.terrain.noise.build import Noise, noise_statistics
from planetfall.world.terrain.noise.regions import Region, region_amplitudes
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
from planetfall.world.terrain.sdf.analytic import AnalyticShape, sdf_from_shape
from planetfall.world.terrain.sdf.build import sdf_from_mesh
from planetfall.world.terrain.sdf.rocks import Boulders, scatter_boulders
from planetfall.world.terrain.surface import Surface

NODES_ALONG = 200
"""Nodes along the longest extent where no resolution is given (assumed): 25 m for 67P, as in VanWal2017."""
HOLE_IN_NODES = 2.0
"""Largest hole that is left open, in distances of nodes: the field does not resolve it."""
NODES_ACROSS = 3.0
"""Node distances that the smallest boulder must be wide; less draws something else (assumed)."""
NOISE_REACH = 0.5
"""How far noise may move the surface, in smallest extents of the body: as far as its middle. Beyond that noise could
swallow the body whole, and bricks would fill all of its inside and more than that around it."""


def sdf_of_table(
    table: TerrainSdf, device: str, where: str = "terrain.file", look: Callable[[ShapeProperties], None] | None = None
) -> Surface:
    """The terrain of a table, built or read from the cache.

    Args:
        table: The table, with a file or a shape.
        device: Warp device.
        where: The key that names the file, for messages.
        look: Shown the body before its field is built, which may take long, or not fit.
    """
    if table.file is None:
        half = table.half_sizes or (1.0, 1.0, 1.0)  # checked by the table
        shape = AnalyticShape(str(table.shape), half)
        if look is not None:
            look(solid_properties(shape.name, half))
        spacing = table.resolution or float(np.ptp(shape.bounds, axis=0).max()) / NODES_ALONG
        return sdf_from_shape(shape, device, spacing=spacing, noise=noise_of(table.noise, shape.bounds))
    mesh = _mesh(table.file, table, where)
    body = shape_properties(mesh.vertices, mesh.facets)
    if look is not None:
        look(body)
    spacing = table.resolution or float(np.ptp(mesh.vertices, axis=0).max()) / NODES_ALONG
    noise, rocks = noise_of(table.noise, mesh.bounds), boulders_of(table.rocks, mesh, spacing)
    facts = {"source": mesh.source, "mean_radius_m": body.mean_radius, **_frame_facts(mesh)}
    facts["notes"] = (*mesh.notes, *_cell_notes(mesh, spacing))
    return sdf_from_mesh(mesh.vertices, mesh.facets, device, spacing=spacing, noise=noise, boulders=rocks, **facts)


def _frame_facts(mesh: MeshData) -> dict[str, list[Any]]:
    """Where the frame of a run lies in that of the file, if it was moved or turned."""
    facts = {"origin_in_file_m": list(mesh.origin_in_file), "axes_in_file": [list(row) for row in mesh.axes_in_file]}
    return {key: value for key, value in facts.items() if value}


def _cell_notes(mesh: MeshData, spacing: float) -> tuple[str, ...]:
    """A sentence where the field does not show the facets that the file has."""
    corners = mesh.vertices[mesh.facets]
    edge = float(np.median(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)))
    if spacing <= edge:
        return ()
    return (
        f"cells of {spacing:.3g} m are larger than the facets' edges ({edge:.3g} m, the median): the ground is "
        f"smoother than the file; terrain.resolution = {edge:.2g} shows them, a coarser mesh loses nothing",
    )


def _mesh(file: str, table: TerrainSdf, where: str) -> MeshData:
    """The closed mesh of a table; holes that the field does not resolve are left open."""
    hole = HOLE_IN_NODES * table.resolution if table.resolution is not None else 0.0
    share = HOLE_IN_NODES / NODES_ALONG if table.resolution is None else 0.0
    return load_shape(file, where, table.scale, table.center, hole, hole_share=share, crossed=table.crossed_facets)


def boulders_of(table: SdfRocks, mesh: MeshData, spacing: float) -> tuple[np.ndarray, np.ndarray] | None:
    """The boulders of a table on a mesh, or None.

    Raises:
        InputError: The field could not hold the smallest of them.
    """
    if table.density == 0.0:
        return None
    if table.diameter_min < NODES_ACROSS * spacing:
        raise InputError(
            "terrain.rocks.diameter_min", f"{table.diameter_min:g} m with nodes {spacing:.3g} m apart",
            f"at least {NODES_ACROSS * spacing:.3g} m", "lower terrain.resolution, or leave smaller ones to noise",
        )  # fmt: skip
    law = Boulders(
        table.density, table.reference_diameter, table.exponent, table.diameter_min, table.diameter_max,
        table.height_ratio, table.buried, table.seed,
    )  # fmt: skip
    return scatter_boulders(mesh.vertices, mesh.facets, law)


def noise_of(table: SdfNoise, bounds: np.ndarray) -> Noise | None:
    """The noise of a table over a body, or None where its amplitude is zero everywhere.

    Raises:
        InputError: It is steeper than its own limit, or reaches farther than the body is thick.
    """
    if table.amplitude == 0.0 and not any(region.amplitude for region in table.regions):
        return None
    given = {"octaves": table.octaves, "gain": table.gain, "lacunarity": table.lacunarity, "seed": table.seed}
    largest = max(table.amplitude, *(region.amplitude for region in table.regions), 0.0)
    noise = Noise(largest, table.wavelength, **given)
    _check_noise(noise, table.slope_limit, NOISE_REACH * float(np.ptp(bounds, axis=0).min()))
    if not table.regions:
        return noise
    regions = [Region(np.array(region.center), region.radius, region.amplitude) for region in table.regions]
    reached = bounds + np.outer([-1.0, 1.0], np.full(3, noise_statistics(noise).bound))
    grid, origin, steps = region_amplitudes(reached, table.amplitude, regions)
    return Noise(grid, table.wavelength, **given, origin=origin, spacing=steps)


def _check_noise(noise: Noise, slope_limit: float, reach: float) -> None:
    """Refuses noise that is too steep, or that could move the surface by more than `reach` [m]."""
    found = noise_statistics(noise)
    if found.slope_deviation > slope_limit:
        raise InputError(
            "terrain.noise",
            f"its root mean square slope is {found.slope_deviation:.3g}",
            f"slope_limit = {slope_limit:g}",
            "lower amplitude, gain, lacunarity or octaves, or lengthen the wavelength",
        )
    if found.bound > reach:
        largest = reach / found.bound * float(noise.amplitudes.max())
        raise InputError(
            "terrain.noise", f"it can move the surface by {found.bound:.4g} m",
            f"at most half the smallest extent of the body, {reach:.4g} m: noise that reaches its middle leaves none",
            "is the shape's unit right (a file in km needs target.shape_scale or terrain.scale = 1000)? or give "
            f"amplitudes of at most {largest:.3g} m, fewer octaves or a lower gain",
        )  # fmt: skip
