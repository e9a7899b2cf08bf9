"""Draws the figures of the page on signed distance fields.

    .venv/bin/python tools/distance_figures.py            # rewrites docs/assets/distance-*.svg

Two lobes of 5 km, 5120 facets, a field of 50 m; noise of 6 m and 60 m wavelength near the end of the larger lobe.
"""

import tempfile
from pathlib import Path

import numpy as np
import trimesh

from planetfall.report.ground.distance_figures import draw_octaves, draw_section
from planetfall.world.terrain.noise.build import Noise
from planetfall.world.terrain.sdf.build import sdf_from_mesh

ASSETS = Path(__file__).parent.parent / "docs" / "assets"


def two_lobes() -> tuple[np.ndarray, np.ndarray]:
    """A comet in outline."""
    made = trimesh.creation.icosphere(4)
    v = np.array(made.vertices)
    waist = 0.45 + 0.55 * v[:, 0] ** 2 + 0.12 * v[:, 0]
    return np.column_stack([2500.0 * v[:, 0], 1600.0 * waist * v[:, 1], 1400.0 * waist * v[:, 2]]), np.array(made.faces)


def main() -> None:
    """Draws into a folder of its own and keeps the SVGs."""
    mesh = two_lobes()
    smooth = sdf_from_mesh(*mesh, "cpu", spacing=50.0)
    above = np.array([[1700.0, 0.0, 5000.0]])
    place = above[0] - [0.0, 0.0, smooth.cast(above, np.array([[0.0, 0.0, -1.0]]), 1e4)[0][0]]
    octaves = {
        f"{n} octave{'s' if n > 1 else ''}": sdf_from_mesh(
            *mesh, "cpu", spacing=50.0, noise=Noise(6.0, 60.0, octaves=n, gain=0.5, seed=4)
        )
        for n in (1, 3, 6)
    }
    with tempfile.TemporaryDirectory() as folder:
        drawn = {
            "section": draw_section(smooth, 2800.0, 1000.0, Path(folder)),
            "octaves": draw_octaves(octaves, place, 120.0, Path(folder)),
        }
        for name, png in drawn.items():
            svg = png.with_suffix(".svg").read_text(encoding="utf-8")
            lines = [line.rstrip() for line in svg.splitlines()]
            (ASSETS / f"distance-{name}.svg").write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
