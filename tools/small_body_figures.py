"""Draws the figures of the pages on distributed contact, on the eccentric arm and on flywheels.

    .venv/bin/python tools/small_body_figures.py      # docs/assets/: cube-*.svg, mascot-hop-arm.svg, hedgehog-*.svg

After VanWal2017, Figures 8 to 10: a cube in the gravity of Phobos, 67P and Itokawa; its settling; one impact on one
corner; a slide in which four corners touch, for several widths of the transition from slip to stick.
"""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import planetfall
from planetfall.record.trajectory import Trajectory
from planetfall.report.run.arm_figure import draw_arm
from planetfall.report.run.energy_figure import draw_energy
from planetfall.report.run.flywheel_figure import draw_flywheels
from planetfall.report.run.small_body_figures import draw_hops, draw_sliding, draw_velocities

ASSETS = Path(__file__).parent.parent / "docs" / "assets"
SLIDE = {
    "scenario.duration": 0.16,
    "record.interval": 0.0005,
    "initial.position": [0.0, 0.0, 0.1007],
    "initial.velocity": [0.0, 0.005, -0.03],
    "initial.attitude": [0.0027, -0.0008, 0.0, 0.9999960],
    "initial.angular_velocity": [0.0, 0.0, -0.043],
}
"""A cube that lands almost flat, so that one corner after the other touches while it slides."""
IMPACT = slice(5.1, 5.6)
"""Time [s] of the first impact in the gravity of Phobos."""
TOLERANCES = (1e-2, 3e-3, 1e-3, 3e-4)
"""v* [m/s] of the slide."""


def run(name: str, values: dict[str, Any]) -> Trajectory:
    """A scenario of the library with other values."""
    return planetfall.run(planetfall.load(name).with_values(values))


def main() -> None:
    """Draws into a folder of its own and keeps the SVGs."""
    cubes = {body: run(f"cube-{body}", {}) for body in ("phobos", "67p", "itokawa")}
    settling = run("cube-phobos", {"record.interval": 0.02})
    impact = run("cube-phobos", {"scenario.duration": IMPACT.stop, "record.interval": 0.002})
    impact = replace(impact, data=impact.data.sel(time=IMPACT))
    slides = {f"v* = {v:g} m/s": run("cube-phobos", {**SLIDE, "contact.slip_speed": v}) for v in TOLERANCES}
    hop = run("mascot-hop", {"scenario.duration": 2.0, "record.interval": 0.002})
    braked = run("hedgehog-hop", {"scenario.duration": 2.5, "record.interval": 0.005})
    tumbling = run("hedgehog-hop", {})
    with tempfile.TemporaryDirectory() as name:
        folder, other = Path(name), Path(name) / "hedgehog"
        other.mkdir()
        drawn = {
            "cube-hops": draw_hops({f"cube-{body}": found for body, found in cubes.items()}, folder),
            "cube-velocities": draw_velocities(settling, folder),
            "cube-sliding": draw_sliding(slides, folder),
            "cube-energy": draw_energy(impact, folder),
            "mascot-hop-arm": draw_arm(hop, folder)[0],
            "hedgehog-flywheels": draw_flywheels(braked, other)[0],
            "hedgehog-energy": draw_energy(tumbling, other),
        }
        for asset, png in drawn.items():
            svg = png.with_suffix(".svg").read_text(encoding="utf-8")
            lines = [line.rstrip() for line in svg.splitlines()]
            (ASSETS / f"{asset}.svg").write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
