"""Draws the figure of the page on campaigns that shows settling over one parameter after the other.

    .venv/bin/python tools/settling_figure.py            # rewrites docs/assets/settling-sweeps.svg

It runs 4,400 boxes to rest, some minutes on two cores.
"""

import tempfile
from pathlib import Path
from typing import Any

import planetfall
from planetfall.analysis.campaign.settling import Sweep, sweep_between, sweeps_of
from planetfall.report.campaign.settling_figure import draw_settling

ASSETS = Path(__file__).parent.parent / "docs" / "assets"
N, N_NOISE, SEED = 800, 100, 1
CUBE = {"vehicle.inertia": [0.008, 0.008, 0.008]}
NO_SWEEP = {"dispersions.contact": {}}
SAME = {"distribution": "equal", "to": "vehicle.inertia.0.0"}
GROUND = {
    "terrain.model": "sdf", "terrain.shape": "box", "terrain.half_sizes": [60.0, 60.0, 4.0], "terrain.resolution": 1.0,
    "initial.position": [0.0, 0.0, 4.5],
}  # fmt: skip
AMPLITUDES = (0.0, 0.01, 0.02, 0.04)


def grid(key: str, *steps: float) -> dict[str, Any]:
    """The settings that step through a key and nothing else."""
    return {**NO_SWEEP, f"dispersions.{key}": {"distribution": "grid", "steps": list(steps)}}


SWEEPS: tuple[dict[str, Any], ...] = (
    {},
    grid("contact.friction", 0.2, 0.4, 0.6, 0.8),
    {**CUBE, **grid("vehicle.shape.center_of_mass.2", 0.0, 0.02, 0.04, 0.06)},
    {
        **CUBE, **grid("vehicle.inertia.0.0", 0.002, 0.004, 0.008, 0.012),
        "dispersions.vehicle.inertia.1.1": SAME, "dispersions.vehicle.inertia.2.2": SAME,
    },
    grid("vehicle.shape.size.2", 0.05, 0.1, 0.2, 0.4),
)  # fmt: skip


def main() -> None:
    """Runs the sweeps, draws them into a folder of its own and keeps the SVG."""
    scenario = planetfall.load("settle-sweep")
    sweeps = [
        sweep for values in SWEEPS for sweep in sweeps_of(planetfall.montecarlo(scenario.with_values(values), N, SEED))
    ]
    sweeps.append(noise(scenario))
    with tempfile.TemporaryDirectory() as folder:
        drawn = draw_settling(sweeps, Path(folder), "settling-sweeps").with_suffix(".svg")
        lines = [line.rstrip() for line in drawn.read_text(encoding="utf-8").splitlines()]
    (ASSETS / drawn.name).write_text("\n".join([*lines, ""]), encoding="utf-8")
    for sweep in sweeps:
        print(sweep.key, *sweep.steps, sep="\n    ")


def noise(scenario: planetfall.Scenario) -> Sweep:
    """One campaign per amplitude."""
    campaigns = {}
    for amplitude in AMPLITUDES:
        rough = {"terrain.noise": {"amplitude": amplitude, "wavelength": 1.0, "octaves": 3}}
        changed = scenario.with_values({**NO_SWEEP, **GROUND, **rough})
        campaigns[f"{amplitude:g} m"] = planetfall.montecarlo(changed, N_NOISE, SEED)
    return sweep_between(campaigns)


if __name__ == "__main__":
    main()
