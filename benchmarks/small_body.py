"""Distance fields and gravity of a whole body: time to build, bytes, time per query, on a CPU or a CUDA device.

    python benchmarks/small_body.py [--device cuda:0] [--shape FILE --scale 1000] [--resolutions 25 5]

Without a shape, two lobes of 5 km with 20,480 facets are made. Builds are from nothing: no cache is read. Compile time
is apart. On CUDA the answers are compared with those of the CPU. Prints `name.metric value`.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.world.gravity.grid.build import grid_field
from planetfall.world.gravity.harmonics.build import harmonics_field, shape_harmonics
from planetfall.world.gravity.on_device import GravityField
from planetfall.world.gravity.polyhedron.build import polyhedron_field
from planetfall.world.shape.shape_file import load_shape
from planetfall.world.terrain.noise.build import Noise
from planetfall.world.terrain.sdf.build import build_field, layout_about, sdf_surface
from planetfall.world.terrain.sdf.mesh_distance import MeshDistance
from planetfall.world.terrain.surface import Surface, _ask_kernel, _ray_kernel

Mesh = tuple[np.ndarray, np.ndarray]
N_QUERIES = 1_000_000


def two_lobes(subdivisions: int) -> Mesh:
    """A comet in outline: 5 km long, a neck off its middle."""
    made = trimesh.creation.icosphere(subdivisions)
    v = np.array(made.vertices)
    waist = 0.45 + 0.55 * v[:, 0] ** 2 + 0.12 * v[:, 0]
    shaped = np.column_stack([2500.0 * v[:, 0], 1600.0 * waist * v[:, 1], 1400.0 * waist * v[:, 2]])
    return shaped, np.array(made.faces)


def tell(name: str, value: float) -> None:
    """One line."""
    print(f"{name} {value:.6g}", flush=True)


def seconds(work: Callable[[], Any], device: str, repeats: int = 3) -> float:
    """The shortest of some times, after one that compiles."""
    times = []
    for _ in range(repeats + 1):
        wp.synchronize_device(device)
        begun = time.perf_counter()
        work()
        wp.synchronize_device(device)
        times.append(time.perf_counter() - begun)
    return min(times[1:])


def places(mesh: Mesh, spread: float, n: int) -> np.ndarray:
    """Points about the surface, up to `spread` [m] off their facets."""
    rng, (vertices, facets) = np.random.default_rng(0), mesh
    corners = vertices[facets[rng.integers(len(facets), size=n)]]
    on_facets = np.einsum("nc,nci->ni", rng.dirichlet([1.0, 1.0, 1.0], n), corners)
    return on_facets + rng.uniform(-spread, spread, (n, 3))


def query_time(surface: Surface, points: np.ndarray) -> float:
    """Time of one gap [ns], one thread on a CPU."""
    device, n = surface.device, len(points)
    p = wp.array(points, dtype=wp.vec3d, device=device)
    outputs = [wp.zeros(n, dtype=kind, device=device) for kind in (wp.float64, wp.vec3d, wp.int32, wp.int32)]
    kernel = _ask_kernel(surface.model)
    return seconds(lambda: wp.launch(kernel, n, [surface.params, p], outputs, device=device), device) / n * 1e9


def ray_time(surface: Surface, points: np.ndarray) -> float:
    """Time of one ray from 10 km out to the surface [ns], one thread on a CPU."""
    device, n = surface.device, len(points)
    away = points / np.linalg.norm(points, axis=1)[:, None]
    rays = [wp.array(a, dtype=wp.vec3d, device=device) for a in (1e4 * away, -away)]
    outputs = [wp.zeros(n, dtype=kind, device=device) for kind in (wp.float64, wp.int32)]
    inputs = [surface.params, *rays, wp.float64(2e4)]
    kernel = _ray_kernel(surface.model)
    return seconds(lambda: wp.launch(kernel, n, inputs, outputs, device=device), device) / n * 1e9


def fields(mesh: Mesh, resolution: float, device: str) -> None:
    """Distance fields: build, bytes, queries with and without noise."""
    source = MeshDistance(*mesh, device)
    source.sample(np.zeros(3), 1.0, np.zeros((64, 3), int))  # compiles
    source.at(np.zeros((64, 3)))
    layout, name = layout_about(source.bounds, resolution), f"sdf_{resolution:g}m"
    begun = time.perf_counter()
    entry = build_field(source, layout)
    tell(f"{name}.build_s", time.perf_counter() - begun)
    tell(f"{name}.bytes", sum(array.nbytes for array in entry.arrays.values()))
    tell(f"{name}.dense_bytes", 4.0 * float(np.prod([8.0 * n + 1.0 for n in layout.cells])))
    points = places(mesh, 0.5 * resolution, N_QUERIES)
    smooth = sdf_surface(entry, layout, device)
    tell(f"{name}.gap_ns", query_time(smooth, points))
    tell(f"{name}.ray_ns", ray_time(smooth, points[:100_000]))
    for octaves in (1, 4, 8):
        noise = Noise(0.05, 5.0, octaves=octaves)
        rough = sdf_surface(entry, layout, device, noise)
        near = places(mesh, 0.1, N_QUERIES)
        tell(f"{name}.gap_noise_{octaves}_ns", query_time(rough, near))
    if device != "cpu":
        here = sdf_surface(build_field(MeshDistance(*mesh, "cpu"), layout), layout, "cpu")
        gaps = [surface.ask(points[:100_000])[0] for surface in (smooth, here)]
        tell(f"{name}.largest_difference_to_cpu_m", float(np.abs(gaps[0] - gaps[1]).max()))


def field_time(field: GravityField, points: np.ndarray) -> float:
    """Time of potential and acceleration at a point [ns], all cores."""
    return seconds(lambda: field.at(points), field.device) / len(points) * 1e9


def gravity(mesh: Mesh, resolution: float, device: str) -> None:
    """Exact, baked and harmonic gravity."""
    points = places(mesh, resolution, N_QUERIES)
    few = points[: 2_000 if device == "cpu" else 100_000]
    exact = polyhedron_field(*mesh, device, density=500.0)
    tell("polyhedron.facets", len(mesh[1]))
    tell("polyhedron.ns_per_facet", field_time(exact, few) / len(mesh[1]))
    grid_field(*two_lobes(1), device, density=500.0, spacing=500.0)  # compiles
    begun = time.perf_counter()
    baked = grid_field(*mesh, device, density=500.0, spacing=resolution)
    tell(f"grid_{resolution:g}m.bake_s", time.perf_counter() - begun)
    for key, value in baked.facts.items():
        if key in ("nodes", "bytes") or key.startswith("error_"):
            tell(f"grid_{resolution:g}m.{key}", value)
    tell(f"grid_{resolution:g}m.ns", field_time(baked, points))
    series = harmonics_field(shape_harmonics(*mesh, 666.0, 16), device)
    tell("harmonics_16.ns", field_time(series, 3.0 * points))
    if device != "cpu":
        here = polyhedron_field(*mesh, "cpu", density=500.0).acceleration(few[:500])
        off = np.linalg.norm(exact.acceleration(few[:500]) - here, axis=1) / np.linalg.norm(here, axis=1)
        tell("polyhedron.largest_difference_to_cpu", float(off.max()))


def main() -> None:
    """Times everything once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--shape", type=Path)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--gravity-shape", type=Path, help="coarser shape for gravity")
    parser.add_argument("--resolutions", type=float, nargs="+", default=[25.0, 5.0])
    parser.add_argument("--gravity-resolution", type=float, default=50.0)
    parser.add_argument("--skip", choices=["fields", "gravity"], nargs="*", default=[])
    options = parser.parse_args()
    start_warp()
    mesh, coarse = two_lobes(5), two_lobes(4)
    if options.shape is not None:
        found = load_shape(options.shape, "--shape", options.scale)
        mesh = coarse = (found.vertices, found.facets)
    if options.gravity_shape is not None:
        found = load_shape(options.gravity_shape, "--gravity-shape", options.scale)
        coarse = (found.vertices, found.facets)
    with tempfile.TemporaryDirectory() as folder, _cache_at(folder):
        if "fields" not in options.skip:
            for resolution in options.resolutions:
                fields(mesh, resolution, options.device)
        if "gravity" not in options.skip:
            gravity(coarse, options.gravity_resolution, options.device)


def _cache_at(folder: str) -> Any:
    from unittest.mock import patch

    return patch.dict("os.environ", PLANETFALL_CACHE=folder)


if __name__ == "__main__":
    main()
