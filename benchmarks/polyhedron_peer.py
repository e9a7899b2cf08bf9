"""Exact gravity of a polyhedron on one core beside `polyhedral-gravity`, in the same process and interleaved rounds.

    python benchmarks/polyhedron_peer.py [--shape FILE --scale 1000] [--points 100]

Needs the extra `bench`. Without a shape, a ball of 5,120 facets is taken. The peer gives potential,
acceleration and gradient at once; ours is timed for all of that, and for the acceleration alone, which is what a step
takes. The time is the thread's own; the best of the rounds counts. Prints `name.metric value`.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polyhedral_gravity as peer
import trimesh
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.world.gravity.polyhedron.build import _sums_kernel, polyhedron_field
from planetfall.world.gravity.polyhedron.polyhedron import PolyhedronParams, PolyhedronSums, polyhedron_acceleration
from planetfall.world.shape.shape_file import load_shape

DENSITY, ROUNDS = 1000.0, 8


@wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
def accelerations(
    field: PolyhedronParams, positions: wp.array(dtype=wp.vec3d), first: int, out: wp.array(dtype=wp.vec3d)
):
    """Acceleration alone."""
    i = wp.tid() + first
    out[i] = polyhedron_acceleration(field, positions[i])


def thread_time(work: Callable[[], Any]) -> float:
    """Seconds of this thread."""
    begun = time.thread_time()
    work()
    return time.thread_time() - begun


def main() -> None:
    """Times both and compares what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", type=Path)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--points", type=int, default=100)
    options = parser.parse_args()
    start_warp()
    made = trimesh.creation.icosphere(4, 1000.0)
    vertices, facets = np.array(made.vertices), np.array(made.faces)
    if options.shape is not None:
        found = load_shape(options.shape, "--shape", options.scale)
        vertices, facets = found.vertices, found.facets
    rng, size = np.random.default_rng(0), float(np.ptp(vertices, axis=0).max())
    way = rng.normal(size=(options.points, 3))
    points = way / np.linalg.norm(way, axis=1)[:, None] * rng.uniform(0.6, 2.0, (options.points, 1)) * size
    theirs = peer.GravityEvaluable(
        peer.Polyhedron((vertices, facets), DENSITY, integrity_check=peer.PolyhedronIntegrity.DISABLE)
    )
    field = polyhedron_field(vertices, facets, "cpu", density=DENSITY)
    places = wp.array(points, dtype=wp.vec3d, device="cpu")
    sums = wp.zeros(len(points), dtype=PolyhedronSums, device="cpu")
    pulls = wp.zeros(len(points), dtype=wp.vec3d, device="cpu")
    works: dict[str, Callable[[], Any]] = {
        "polyhedral_gravity": lambda: theirs(points, parallel=False),
        "planetfall_all": lambda: wp.launch(_sums_kernel(), len(points), [field.params, places, 0], [sums]),
        "planetfall_acceleration": lambda: wp.launch(accelerations, len(points), [field.params, places, 0], [pulls]),
    }
    for work in works.values():
        work()  # compiles
    times = {name: min(thread_time(work) for _ in range(ROUNDS)) / len(points) for name, work in works.items()}
    print(f"polyhedron.facets {len(facets)}")
    for name, taken in times.items():
        print(f"{name}.us_per_point {1e6 * taken:.6g}")
        print(f"{name}.times_faster {times['polyhedral_gravity'] / taken:.4g}")
    expected = np.array([row[1] for row in theirs(points, parallel=False)])
    off = np.linalg.norm(pulls.numpy() - expected, axis=1) / np.linalg.norm(expected, axis=1)
    print(f"agreement.largest_relative_difference {off.max():.3g}")


if __name__ == "__main__":
    main()
