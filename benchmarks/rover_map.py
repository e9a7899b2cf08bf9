"""Times pose and best forces of a rocker-bogie over an elevation map: places per second, compile time apart.

python benchmarks/rover_map.py [--device cpu] [--places 100000] [--threads 1] [--rover lsr-1] [--cell 0.1]
"""

import argparse
import time

import numpy as np

from planetfall.rover.forces import VERDICTS
from planetfall.rover.model import rover_model
from planetfall.rover.newton import POSE_SAYS
from planetfall.rover.score import scores
from planetfall.rover.statics import soil_of
from planetfall.scenario.rover import SoilCoulomb
from planetfall.scenario.rover_library import load_rover
from planetfall.world.terrain.dem_build import dem_surface


def ground(n: int, spacing: float, device: str):
    """Waves of 1 to 4 m with slopes of up to 30 degrees, and a centimetre of roughness."""
    rng = np.random.default_rng(0)
    along = (np.arange(n) - (n - 1) / 2) * spacing
    x, y = np.meshgrid(along, along)
    heights = rng.normal(size=(n, n)) * 0.01
    for _ in range(40):
        k, angle, phase = 2 * np.pi / rng.uniform(1.0, 4.0), *rng.uniform(0, 2 * np.pi, 2)
        heights += 0.02 * np.cos(k * (np.cos(angle) * x + np.sin(angle) * y) + phase)
    return dem_surface(heights, np.array([along[0], along[0], 0.0]), (spacing, spacing), device)


def main() -> None:
    """Prints one line per figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--places", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rover", default="lsr-1")
    parser.add_argument("--cell", type=float, default=0.1, help="spacing of the map [m]")
    given = parser.parse_args()
    rover = rover_model(load_rover(given.rover))
    surface = ground(500, given.cell, given.device)
    soil = soil_of(SoilCoulomb(law="coulomb", friction=0.8), rover, given.device)
    rng = np.random.default_rng(1)
    half = 500 * given.cell / 2 - 3.0
    places = np.column_stack([rng.uniform(-half, half, (given.places, 2)), rng.uniform(-np.pi, np.pi, given.places)])
    start = time.perf_counter()
    scores(rover, surface, soil, 3.71, places[:16])
    print(f"rover_map.compile_s {time.perf_counter() - start:.2f}")
    for goal in ("least slip", "least effort"):
        start, cpu = time.perf_counter(), time.process_time()
        found = scores(rover, surface, soil, 3.71, places, goal, given.threads)
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
        name = goal.replace(" ", "_")
        print(f"rover_map.{name}.places_per_s {given.places / wall:.0f}")
        print(f"rover_map.{name}.places_per_cpu_s {given.places / cpu:.0f}")
        for code, count in zip(*np.unique(found["status"], return_counts=True), strict=True):
            print(f"  pose {count:9d}  {POSE_SAYS[int(code)]}")
        for code, count in zip(*np.unique(found["verdict"], return_counts=True), strict=True):
            print(f"  rover {count:8d}  {VERDICTS[int(code)]}")


if __name__ == "__main__":
    main()
