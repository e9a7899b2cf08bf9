"""Times pose and best forces of a rocker-bogie over an elevation map: places per second, compile time apart.

python benchmarks/rover_map.py [--device cpu] [--places 100000] [--threads 1] [--rover lsr-1] [--cell 0.1]
python benchmarks/rover_map.py --file MAP.tif [--headings 16] [--threads 2] [--rover msl-class]

The first scores random places of rough ground that it makes, the second every node of a map at all headings.
"""

import argparse
import time

import numpy as np

from planetfall.rover.kinematics.newton import POSE_SAYS
from planetfall.rover.model import rover_model
from planetfall.rover.statics.statics import soil_of
from planetfall.rover.statics.verdict import VERDICTS
from planetfall.rover.traversability.score import scores
from planetfall.rover.traversability.traverse import score_map
from planetfall.scenario.files.rover_library import load_rover
from planetfall.scenario.tables.rover import SoilCoulomb
from planetfall.scenario.tables.world.terrain import TerrainDem
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.ground import surface_of


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


def file_map(given: argparse.Namespace) -> None:
    """Scores every node of a file at all headings."""
    rover = rover_model(load_rover(given.rover))
    surface = surface_of(TerrainDem(model="dem", file=given.file), rover.table.wheels.radius, given.device)
    soil = soil_of(SoilCoulomb(law="coulomb", friction=0.8), rover, given.device)
    headings = np.arange(given.headings) * 360.0 / given.headings
    score_map(rover, surface, soil, 3.71, headings[:1], every=100)
    start, cpu = time.perf_counter(), time.process_time()
    found = score_map(rover, surface, soil, 3.71, headings, threads=given.threads)
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    print(f"rover_map.file.{given.rover}.places {found.verdict.size}")
    print(f"rover_map.file.{given.rover}.wall_s {wall:.1f}")
    print(f"rover_map.file.{given.rover}.cpu_s {cpu:.1f}")
    counted(found.verdict, VERDICTS, "rover")


def counted(codes: np.ndarray, says: dict[int, str], what: str) -> None:
    """Prints how often each code occurs: a fast wrong answer must show."""
    for code, count in zip(*np.unique(codes, return_counts=True), strict=True):
        print(f"  {what} {count:9d}  {says[int(code)]}")


def main() -> None:
    """Prints one line per figure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--places", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rover", default="lsr-1")
    parser.add_argument("--cell", type=float, default=0.1, help="spacing of the map [m]")
    parser.add_argument("--file", help="a map whose every node is scored")
    parser.add_argument("--headings", type=int, default=16)
    given = parser.parse_args()
    if given.file:
        file_map(given)
        return
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
        counted(found["status"], POSE_SAYS, "pose")
        counted(found["verdict"], VERDICTS, "rover")


if __name__ == "__main__":
    main()
