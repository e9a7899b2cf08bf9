"""Rays per second against a mesh and an elevation map: on all cores against Embree, or on a GPU.

    .venv/bin/python benchmarks/terrain_rays.py [--mesh FILE] [--rays 1000000] [--rounds 5]
    .venv/bin/python benchmarks/terrain_rays.py --device cuda:0 --rays 1000000 3000000 10000000

Without a file the mesh is made here: a million rough facets. Two sets of rays: `down`, from 5 to 50 cells over the
ground within 30 degrees of straight down, and `grazing`, from two cells over it and 1 to 10 degrees below the horizon;
their order is random. On a CPU the peer is Embree in float32 through trimesh (`embreex`), which uses one core:
`facets` asks it which facets are hit, `ranges` where as well, which is what ours answers. Ours is timed from arrays on
the host to arrays on the host. On a GPU the rays lie on the device already; `sorted` has them in the order of
`world.terrain.sweep`. Compile and build times are apart. Prints `case.metric value`.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import warp as wp
from terrain_contact import grid_mesh, heights

from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.mesh.build import mesh_surface
from planetfall.world.terrain.readers.load import load_terrain_file
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
from planetfall.world.terrain.surface import Surface, _ray_kernel
from planetfall.world.terrain.sweep import neighbour_order

N_NODES, SPACING = 708, 0.05
Rays = tuple[np.ndarray, np.ndarray]


def mesh_of(file: Path | None) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [m] and facets of a file, or of the made ground."""
    if file is None:
        along = (np.arange(N_NODES) - (N_NODES - 1) / 2) * SPACING
        return grid_mesh(along, heights(N_NODES, SPACING, is_rough=True))
    found = load_terrain_file(file)
    if not isinstance(found, MeshData):
        raise SystemExit(f"{file} is no mesh")
    return found.vertices, found.facets


def down(aims: np.ndarray, cell: float, rng: np.random.Generator) -> Rays:
    """Rays that would meet a point of the ground if nothing were in between."""
    n = len(aims)
    z, turn = -rng.uniform(np.cos(np.radians(30.0)), 1.0, n), rng.uniform(0.0, 2.0 * np.pi, n)
    across = np.sqrt(1.0 - z * z)
    directions = np.column_stack([across * np.cos(turn), across * np.sin(turn), z])
    return aims - directions * rng.uniform(5.0, 50.0, (n, 1)) * cell, directions


def grazing(aims: np.ndarray, cell: float, rng: np.random.Generator) -> Rays:
    """Rays that start low over the ground and run along it."""
    n = len(aims)
    dip, turn = np.radians(rng.uniform(1.0, 10.0, n)), rng.uniform(0.0, 2.0 * np.pi, n)
    directions = np.column_stack([np.cos(dip) * np.cos(turn), np.cos(dip) * np.sin(turn), -np.sin(dip)])
    return aims + np.array([0.0, 0.0, 2.0 * cell]), directions


def ray_sets(vertices: np.ndarray, facets: np.ndarray, n: int) -> dict[str, Rays]:
    """Both sets, aimed at facets drawn from one seed."""
    rng = np.random.default_rng(2)
    a, b, c = (vertices[facets[:, k]] for k in range(3))
    cell = float(np.median(np.linalg.norm(b - a, axis=1)))
    pick = rng.integers(len(facets), size=n)
    aims = (a[pick] + b[pick] + c[pick]) / 3.0
    return {"down": down(aims, cell, rng), "grazing": grazing(aims, cell, rng)}


def on_host(surface: Surface, vertices: np.ndarray, facets: np.ndarray, n: int, rounds: int) -> None:
    """Ours and Embree in turn, and how far they agree."""
    from trimesh import Trimesh
    from trimesh.ray.ray_pyembree import RayMeshIntersector

    begin = time.perf_counter()
    peer = RayMeshIntersector(Trimesh(vertices, facets, process=False))
    peer.intersects_first(vertices[:1], np.array([[0.0, 0.0, -1.0]]))  # builds its tree
    print(f"embree.build_s {time.perf_counter() - begin:.2f}")
    size = float(np.abs(vertices).max())
    for name, (origins, directions) in ray_sets(vertices, facets, n).items():
        contestants: dict[str, Callable[[], object]] = {
            "planetfall": lambda o=origins, d=directions: surface.cast(o, d, 10.0 * size),
            "embree_facets": lambda o=origins, d=directions: peer.intersects_first(o, d),
            "embree_ranges": lambda o=origins, d=directions: peer.intersects_id(
                o, d, multiple_hits=False, return_locations=True
            ),
        }
        walls, cpus = ({key: [] for key in contestants} for _ in range(2))
        for _ in range(rounds):
            for key, once in contestants.items():
                wall, cpu = time.perf_counter(), time.process_time()
                once()
                walls[key].append(time.perf_counter() - wall)
                cpus[key].append(time.process_time() - cpu)
        for key in contestants:
            rate, cost = n / np.median(walls[key]), np.median(cpus[key]) / n
            print(f"{name}.{key}.rays_per_s {rate:.4g}   cpu_us_per_ray {1e6 * cost:.3f}")
        for key in ("embree_facets", "embree_ranges"):
            each = np.array(walls[key]) / np.array(walls["planetfall"])
            print(f"{name}.ratio_to.{key} {np.median(each):.2f}   rounds {each.min():.2f} to {each.max():.2f}")
        agreement(name, surface, peer, (origins, directions), (vertices, facets))


def agreement(name: str, surface: Surface, peer: object, rays: Rays, mesh: tuple[np.ndarray, np.ndarray]) -> None:
    """How many rays hit the same facet, and how far the ranges of those differ."""
    origins, directions = rays
    vertices, facets = mesh
    ranges, hit = surface.cast(origins, directions, 10.0 * float(np.abs(vertices).max()))
    theirs, ray, places = peer.intersects_id(origins, directions, multiple_hits=False, return_locations=True)  # type: ignore[attr-defined]
    seen = np.full(len(origins), -1)
    seen[ray] = theirs
    same = np.flatnonzero(hit[ray] == theirs)
    a, b, c = (vertices[facets[theirs[same], k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    slope = np.abs(np.sum(normals * directions[ray[same]], axis=1)) / np.linalg.norm(normals, axis=1)
    apart = np.abs(np.linalg.norm(places[same] - origins[ray[same]], axis=1) - ranges[ray[same]])
    shares = np.mean(hit >= 0), np.mean(seen >= 0), np.mean(hit == seen)
    print(f"{name}.hits planetfall {shares[0]:.6f} embree {shares[1]:.6f} same_facet {shares[2]:.6f}")
    print(f"{name}.ranges_differ_by_at_most_m {apart.max():.2g}   across_the_facet_m {(apart * slope).max():.2g}")


def on_device(surface: Surface, sets: dict[str, Rays], device: str, rounds: int, kind: str) -> None:
    """Launches alone, rays and answers on the device."""
    kernel = _ray_kernel(surface.model)
    begin = time.perf_counter()
    wp.load_module(kernel.module, device=device)
    print(f"{kind}.compile_s {time.perf_counter() - begin:.2f}")
    for name, (origins, directions) in sets.items():
        n = len(origins)
        order = neighbour_order(origins, directions)
        for order_name, chosen in {"random": np.arange(n), "sorted": np.arange(n) if order is None else order}.items():
            rows = [wp.array(rows[chosen], dtype=wp.vec3d, device=device) for rows in (origins, directions)]
            ranges = wp.zeros(n, dtype=wp.float64, device=device)
            facets = wp.zeros(n, dtype=wp.int32, device=device)
            times = []
            for _ in range(rounds + 1):
                wp.synchronize()
                begin = time.perf_counter()
                wp.launch(kernel, n, inputs=[surface.params, *rows, 1e6], outputs=[ranges, facets], device=device)
                wp.synchronize()
                times.append(time.perf_counter() - begin)
            hits = float(np.mean(facets.numpy() >= 0))
            rate = n / np.median(times[1:])
            print(f"{kind}.{name}.{order_name}.{n}.rays_per_s {rate:.4g}   hits {hits:.4f}", flush=True)


def main() -> None:
    """Makes the ground and runs what the device asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mesh", type=Path, help="a mesh file; without, a made one")
    parser.add_argument("--rays", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    vertices, facets = mesh_of(options.mesh)
    begin = time.perf_counter()
    surface = mesh_surface(vertices, facets, options.device, reach=0.01)
    print(f"mesh.facets {len(facets)}   build_s {time.perf_counter() - begin:.2f}")
    if options.device == "cpu":
        begin = time.perf_counter()
        wp.load_module(_ray_kernel(surface.model).module, device="cpu")
        print(f"mesh.compile_s {time.perf_counter() - begin:.2f}")
        for n in options.rays:
            on_host(surface, vertices, facets, n, options.rounds)
        return
    z = heights(N_NODES, SPACING, is_rough=True)
    west = -0.5 * (N_NODES - 1) * SPACING
    dem = dem_surface(z, np.array([west, west, 0.0]), (SPACING, SPACING), options.device)
    made = mesh_of(None)
    for n in options.rays:
        on_device(surface, ray_sets(vertices, facets, n), options.device, options.rounds, "mesh")
        on_device(dem, ray_sets(*made, n), options.device, options.rounds, "dem")


if __name__ == "__main__":
    main()
