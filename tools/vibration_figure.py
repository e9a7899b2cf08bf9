"""Draws the figure of the page on sensors: sink height against IMU vibration against step.

    .venv/bin/python tools/vibration_figure.py            # rewrites docs/assets/vibration.svg

The block of `sink-flat`, dropped 10 cm and turning a little, with an IMU; damping ratio 0.1 as in the Morpheus paper.
"""

import tempfile
from pathlib import Path

import planetfall
from planetfall.report.run.vibration import vibration_figure

ASSETS = Path(__file__).parent.parent / "docs" / "assets"
SINKS = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2)  # [m]
STEPS = (1e-2, 5e-3, 2e-3, 1e-3)  # [s]
LANDING = {
    "scenario.duration": 6.0,
    "contact.damping_ratio": 0.1,
    "initial.height": 0.3,
    "initial.angular_velocity": [0.05, 0.1, 0.0],
    "record.interval": 0.1,
    "sensors": [{"kind": "imu", "name": "imu", "rate": 100.0, "position": [0.3, 0.2, 0.1]}],
}


def main() -> None:
    """Draws into a folder of its own and keeps the SVG."""
    with tempfile.TemporaryDirectory() as folder:
        drawn = vibration_figure(planetfall.load("sink-flat").with_values(LANDING), SINKS, STEPS, Path(folder))
        svg = drawn.with_suffix(".svg").read_text(encoding="utf-8")
    lines = [line.rstrip() for line in svg.splitlines()]
    (ASSETS / "vibration.svg").write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
