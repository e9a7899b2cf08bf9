"""Times the viewer with software GL: from the command to a drawn scene, and pictures a second while it is used.

python benchmarks/viewer_open.py [mesh frames map comet field campaign] [--seconds 3]

`mesh`: a terrain of a million facets. `frames`: a record of 100,000 frames. `map`: a GeoTIFF of 4000 x 4000 nodes.
`comet`: the shape of 67P, where PLANETFALL_SHARED_DATA has it, as a mesh. `field`: the same as a signed distance field.
`campaign`: 150,000 landing points. Each is opened served, as `planetfall view` does, and from an exported file.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

import planetfall
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.viewer.headless.browser import FLAGS, find_browser

COMET, METRES = "shapes/67p/67p-16k_visnav.obj", 1000.0
"""A shape of 32,000 facets, and metres per unit of its file."""
BLOCK: dict[str, Any] = {
    "gravity": {"model": "uniform", "acceleration": 3.7},
    "vehicle": {"name": "block"},
    "contact": {
        "law": "marker", "rest_penetration": 0.005, "damping_ratio": 0.3, "breakaway_angle_deg": 32.0,
        "sliding_angle_deg": 27.0, "breakaway_speed": 0.05, "sliding_speed": 0.1, "mass_share": "per-point",
    },
    "integrator": {"method": "rk4", "step": 5e-4},
}  # fmt: skip
HOPPER: dict[str, Any] = {
    "target": {"name": "67p", "frame": "P"},
    "gravity": {"model": "point"},
    "vehicle": {"name": "cube"},
    "contact": {
        "law": "distributed",
        "stiffness": 250.0,
        "damping": 14.0,
        "friction": 0.5,
        "slip_speed": 0.05,
        "roll_rate": 0.5,
    },
    "integrator": {"method": "rk4", "step": 1e-3},
}
ORBIT = """async (seconds) => {
  const page = window.planetfall, view = page.view ?? page;
  const before = view.n_drawn, start = performance.now();
  while (performance.now() - start < 1000 * seconds) {
    view.camera.position.applyAxisAngle(view.camera.up, 0.01);
    (view.orbit ?? page.orbit).update();
    view.isDirty = true;
    await new Promise(requestAnimationFrame);
  }
  return (performance.now() - start) / (view.n_drawn - before);
}"""
POINT = """() => {
  const { points, camera } = window.planetfall, start = performance.now();
  for (let i = 0; i < 20; i++) points.near(20 * i, 300, 12, camera, 980, 724);
  return (performance.now() - start) / 20;
}"""
PLAY = """async (seconds) => {
  const { view, replay: { playback } } = window.planetfall;
  playback.seek(playback.start);
  playback.speed = (playback.end - playback.start) / (1.5 * seconds);
  const before = view.n_drawn, start = performance.now();
  playback.toggle();
  await new Promise((done) => setTimeout(done, 1000 * seconds));
  playback.toggle();
  return (performance.now() - start) / (view.n_drawn - before);
}"""


def waves(n: int, spacing: float) -> np.ndarray:
    """Heights [m] of rough ground with n nodes each way."""
    draw = np.random.default_rng(0)
    along = (np.arange(n) - (n - 1) / 2) * spacing
    x, y = np.meshgrid(along, along)
    heights = np.zeros((n, n))
    for length in np.geomspace(4 * spacing, 0.4 * n * spacing, 24):
        angle, phase = draw.uniform(0, 2 * np.pi, 2)
        heights += 0.02 * length * np.cos(2 * np.pi / length * (np.cos(angle) * x + np.sin(angle) * y) + phase)
    return heights


def run_into(folder: Path, tables: dict[str, Any]) -> Path:
    """Runs a scenario and keeps it."""
    planetfall.run(scenario_from_dict(tables)).save(folder)
    return folder


def mesh(folder: Path) -> Path:
    """A block on a mesh of 1.0e6 facets."""
    import trimesh

    n, spacing = 708, 0.5
    heights = waves(n, spacing)
    columns, rows = np.meshgrid(np.arange(n), np.arange(n))
    places = np.column_stack([(part.ravel() - (n - 1) / 2) * spacing for part in (columns, rows)] + [heights.ravel()])
    first = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    facets = [np.column_stack([first, first + 1, first + n + 1]), np.column_stack([first, first + n + 1, first + n])]
    path = folder / "ground.ply"
    trimesh.Trimesh(places, np.concatenate(facets), process=False).export(path)
    above = {"position": [0.0, 0.0, float(heights[n // 2, n // 2]) + 2.0], "velocity": [1.0, 0.5, 0.0]}
    tables = {"scenario": {"name": "mesh", "duration": 4.0}, "terrain": {"model": "mesh", "file": str(path)}}
    return run_into(folder / "run", {**BLOCK, **tables, "initial": above, "record": {"interval": 0.02}})


def frames(folder: Path) -> Path:
    """A block that bounces and slides, with 100,000 frames."""
    tables = {
        "scenario": {"name": "frames", "duration": 100.0},
        "terrain": {"model": "plane", "slope_deg": 5.0},
        "initial": {"height": 1.0, "angular_velocity": [0.5, 0.2, 0.0]},
        "record": {"interval": 0.001},
    }
    return run_into(folder / "run", {**BLOCK, **tables})


def large_map(folder: Path) -> Path:
    """A block on a GeoTIFF of 16 million nodes."""
    import rasterio
    from rasterio.transform import from_origin

    n, path = 4000, folder / "map.tif"
    heights = waves(n, 1.0).astype(np.float32)
    with rasterio.open(
        path, "w", driver="GTiff", height=n, width=n, count=1, dtype="float32",
        transform=from_origin(0.0, n, 1.0, 1.0), crs="EPSG:32633",
    ) as file:  # fmt: skip
        file.write(heights, 1)
    tables = {"scenario": {"name": "map", "duration": 4.0}, "terrain": {"model": "dem", "file": str(path)}}
    start = {"height": 2.0, "velocity": [1.0, 0.5, 0.0]}
    return run_into(folder / "run", {**BLOCK, **tables, "initial": start, "record": {"interval": 0.02}})


def on_comet(folder: Path, terrain: dict[str, Any]) -> Path:
    """A cube that falls onto the comet along its x axis."""
    from planetfall.world.terrain.readers.load import load_terrain_file
    from planetfall.world.terrain.readers.meshes.mesh_data import MeshData

    file = Path(os.environ.get("PLANETFALL_SHARED_DATA", "")) / COMET
    shape = load_terrain_file(str(file))
    assert isinstance(shape, MeshData)
    top = METRES * float(shape.vertices[:, 0].max())
    tables = {
        "scenario": {"name": "comet", "duration": 200.0},
        "terrain": {**terrain, "file": str(file), "scale": METRES},
        "initial": {"position": [top + 20.0, 0.0, 0.0], "velocity": [-0.3, 0.0, 0.0]},
        "record": {"interval": 0.2},
    }
    return run_into(folder / "run", {**HOPPER, **tables})


def comet(folder: Path) -> Path:
    """67P as a mesh."""
    return on_comet(folder, {"model": "mesh"})


def field(folder: Path) -> Path:
    """67P as a signed distance field."""
    return on_comet(folder, {"model": "sdf"})


def campaign(folder: Path) -> Path:
    """Boxes thrown onto level ground, 150,000 of them."""
    scenario = planetfall.load("box-bench").with_values(
        {
            "scenario.duration": 0.2,
            "dispersions.initial.velocity.0": {"distribution": "normal", "sigma": 1.0},
            "dispersions.initial.velocity.1": {"distribution": "normal", "sigma": 1.0},
        }
    )
    planetfall.montecarlo(scenario, n=150_000, seed=1, out=folder / "run")
    return folder / "run"


CASES: dict[str, Callable[[Path], Path]] = {
    "mesh": mesh, "frames": frames, "map": large_map, "comet": comet, "field": field, "campaign": campaign,
}  # fmt: skip


def until_drawn(page: Page, address: str, since: float) -> float:
    """Seconds from `since` until the scene is drawn."""
    page.goto(address)
    while not page.evaluate("Boolean(window.planetfall && window.planetfall.isReady)"):
        time.sleep(0.02)
    page.screenshot()  # the picture is on the screen, not only asked for
    return time.perf_counter() - since


def used(page: Page, name: str, seconds: float) -> None:
    """Prints milliseconds a picture while the scene is turned and while it plays."""
    print(f"viewer.{name}.turning_ms {page.evaluate(ORBIT, seconds):.0f}")
    if page.evaluate("Boolean(window.planetfall.points)"):
        print(f"viewer.{name}.pointing_ms {page.evaluate(POINT):.1f}")
    if page.evaluate("Boolean(window.planetfall.replay && window.planetfall.replay.playback)"):
        print(f"viewer.{name}.playing_ms {page.evaluate(PLAY, seconds):.0f}")


def children_s() -> float:
    """Seconds of processor time that ended child processes took, whatever else the machine does."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(name: str, run: Path, browser: Browser, seconds: float) -> None:
    """Opens a folder both ways."""
    words = [sys.executable, "-m", "planetfall", "view", str(run)]
    start = time.perf_counter()
    viewer = subprocess.Popen([*words, "--no-browser"], stdout=subprocess.PIPE, text=True)
    assert viewer.stdout is not None
    address = re.search(r"http://\S+", viewer.stdout.readline())
    assert address is not None
    ready = time.perf_counter() - start
    page = browser.new_page(viewport={"width": 1280, "height": 760})
    print(f"viewer.{name}.served_s {until_drawn(page, address[0], start):.2f}  of which_to_the_address {ready:.2f}")
    used(page, name, seconds)
    page.close()
    viewer.terminate()
    viewer.wait()
    file, start, spent = run.parent / f"{name}.html", time.perf_counter(), children_s()
    subprocess.run([*words, "--export", str(file), "--force"], check=True, stdout=subprocess.DEVNULL)
    print(f"viewer.{name}.export_s {time.perf_counter() - start:.2f}  cpu_s {children_s() - spent:.2f}")
    print(f"viewer.{name}.file_MB {file.stat().st_size / 1e6:.2f}")
    page = browser.new_page(viewport={"width": 1280, "height": 760})
    print(f"viewer.{name}.file_s {until_drawn(page, file.as_uri(), time.perf_counter()):.2f}")
    page.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="case")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--keep", type=Path, help="folder for the runs, which are made again otherwise")
    given = parser.parse_args()
    program = find_browser()
    if program is None:
        raise SystemExit("no Chromium on this machine")
    with tempfile.TemporaryDirectory() as made, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=[*FLAGS[1:], "--no-sandbox"])
        for name in given.cases:
            folder = (given.keep or Path(made)) / name
            folder.mkdir(parents=True, exist_ok=True)
            run = folder / "run"
            if not run.exists():
                start = time.perf_counter()
                CASES[name](folder)
                print(f"viewer.{name}.simulated_s {time.perf_counter() - start:.1f}")
            timed(name, run, browser, given.seconds)
        browser.close()


if __name__ == "__main__":
    main()
