"""Draws the figures of the page on the rocker-bogie rover.

    .venv/bin/python tools/rover_figures.py            # rewrites docs/assets/lsr1-*.svg

A rover with one wheel on a step; the error of the paper's decoupled method over 10,000 poses; the least friction with
which a ditch is crossed, over its width. Prints the numbers that the page quotes.
"""

import tempfile
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from planetfall.report.rover.pose_figures import draw_side_view
from planetfall.report.style import COLORS, curve, label_axes, new_figure
from planetfall.rover.drive.drive import Stretch, drive
from planetfall.rover.drive.path import sample_path
from planetfall.rover.kinematics.forward import joints_of
from planetfall.rover.kinematics.poses import find_poses
from planetfall.rover.model import RoverModel, rover_model
from planetfall.rover.statics.statics import find_forces, soil_of
from planetfall.scenario.files.rover_library import load_rover
from planetfall.scenario.tables.rover import SoilCoulomb
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.surface import Surface

ASSETS = Path(__file__).parent.parent / "docs" / "assets"
CELL, DEPTHS = 0.01, (0.05, 0.10, 0.30)
WIDTHS = np.arange(0.02, 0.82, 0.02)


def lsr1(**values: float) -> RoverModel:
    """The built-in LSR-1 with some keys changed."""
    return rover_model(load_rover("lsr-1", {key.replace("__", "."): value for key, value in values.items()}))


def square_map(heights: np.ndarray, spacing: float) -> Surface:
    """A map about the origin."""
    half = (len(heights) - 1) * spacing / 2
    return dem_surface(heights, np.array([-half, -half, 0.0]), (spacing, spacing), "cpu")


def save(figure: Figure, name: str) -> None:
    """Writes an SVG of the documentation."""
    figure.savefig(ASSETS / f"{name}.svg", metadata={"Date": None})


def draw_step() -> None:
    """The example at the top of the page."""
    rover, x = lsr1(), np.linspace(-2, 2, 401)
    ground = square_map(np.where((x > 0) & (x[:, None] < 0), 0.08, 0.0), CELL)
    poses = find_poses(rover, ground, [-0.46, -0.30, 0.0])
    forces = find_forces(poses, soil_of(SoilCoulomb(law="coulomb", friction=0.8), rover), 9.81)
    with tempfile.TemporaryDirectory() as folder:
        drawn = draw_side_view(poses, forces, ground, Path(folder), "lsr1-step", title="LSR-1 at a step")
        (ASSETS / "lsr1-step.svg").write_bytes(drawn.with_suffix(".svg").read_bytes())


def smooth_ground(n: int = 401, spacing: float = 0.05) -> Surface:
    """Waves of 1.2 to 4.8 m, 5 cm rms, with slopes of up to 21 degrees."""
    rng = np.random.default_rng(0)
    along = (np.arange(n) - (n - 1) / 2) * spacing
    x, y = np.meshgrid(along, along)
    k, (angle, phase) = 2 * np.pi / (1.2 * rng.uniform(1.0, 4.0, 40)), rng.uniform(0, 2 * np.pi, (2, 40))
    waves = [np.cos(k[i] * (np.cos(angle[i]) * x + np.sin(angle[i]) * y) + phase[i]) for i in range(40)]
    return square_map(np.sum(waves, axis=0) * 0.05 / np.sqrt(20.0), spacing)


def draw_histogram() -> None:
    """Places of the wheels by the decoupled method against Newton's, in percent of the wheel's diameter."""
    rover, ground, rng = lsr1(), smooth_ground(), np.random.default_rng(1)
    places = (2 * rng.random((10_000, 3)) - 1) * [8.5, 8.5, np.pi]
    newton = find_poses(rover, ground, places)
    assert (newton.status == 0).all()
    figure, axes = new_figure(7.2, 3.6)
    bins = np.logspace(-6, 1, 71)
    for i, passes in enumerate((1, 2)):
        found = find_poses(rover, ground, places, "decoupled", passes)
        off = np.linalg.norm(joints_of(found).wheel_L - joints_of(newton).wheel_L, axis=2).max(axis=1)
        percent = 100 * off / (2 * rover.table.wheels.radius)
        print(f"decoupled, {passes} passes: mean {percent.mean():.4f} %, largest {percent.max():.4f} %, iterations "
              f"at most {found.iterations.max()}, Newton's at most {newton.iterations.max()}")  # fmt: skip
        label = "1 pass" if passes == 1 else "2 passes"
        axes.hist(np.maximum(percent, bins[0]), bins=bins.tolist(), color=COLORS[i], alpha=0.65, label=label)
    axes.axvline(1.0, color="0.3", linewidth=0.8)
    axes.set_xscale("log")
    label_axes(
        axes, "error of the worst wheel's place [% of its diameter]", "poses",
        "Decoupled method against Newton, 10,000 poses",
    )  # fmt: skip
    save(figure, "lsr1-decoupled")


def least_friction(width: float, depth: float) -> float:
    """Least friction with which every pose across a ditch holds, with any motors; NaN where the rover has no pose."""
    rover, along = lsr1(wheels__torque_max=1e3), (np.arange(401) - 200) * CELL
    ground = square_map(np.tile(np.where(np.abs(along) < width / 2 - CELL / 2, -depth, 0.0), (401, 1)), CELL)
    path = sample_path([(-1.3, 0.0), (1.3, 0.0)], CELL / 2)
    run = drive(ground, path, [Stretch(0.0, rover, soil_of(SoilCoulomb(law="coulomb", friction=1.0), rover))], 9.81)
    if not (run.of_poses("status") <= 1).all():
        return np.nan
    return float(run.of_forces("slip_ratio").max())


def draw_ditch() -> None:
    """The paper's question: can it cross a ditch without being trapped."""
    figure, axes = new_figure(7.2, 4.2)
    for i, depth in enumerate(DEPTHS):
        needed = np.array([least_friction(width, depth) for width in WIDTHS])
        axes.plot(WIDTHS, np.minimum(needed, 2.0), label=f"{depth:g} m deep", **curve(i))
        print(f"ditch {depth:g} m deep:", np.round(needed, 3).tolist())
    axes.set_ylim(0.0, 1.5)
    title = "LSR-1 across a ditch: above the line it crosses"
    label_axes(axes, "width of the ditch [m]", "least friction to cross it [-]", title)
    save(figure, "lsr1-ditch")


def main() -> None:
    """Draws all of them."""
    draw_step()
    draw_histogram()
    draw_ditch()


if __name__ == "__main__":
    main()
