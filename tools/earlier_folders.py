"""Writes small folders of results with the Planetfall that is imported: kept as tests that later versions open them.

    git worktree add /tmp/earlier v0.1.0
    PYTHONPATH=/tmp/earlier/src .venv/bin/python tools/earlier_folders.py tests/data/folders-0.1.0.tar.xz

The archive holds a run, the run of a body without contact points, a rover's drive, a campaign, a campaign that was
interrupted, one that a stop rule ended, and the replay of a run. `numbers.json` in it says what they hold, by the
version that wrote them, so that a test can compare what a later version reads.
"""

import argparse
import json
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import planetfall

SLIDE: dict[str, Any] = {
    "scenario.duration": 2.0, "gravity.acceleration": 3.7, "contact.mass_share": "whole",
    "vehicle": {
        "name": "point", "mass": 10.0, "inertia": [1.0, 1.0, 1.0],
        "points": [{"name": "foot", "position": [0.0, 0.0, 0.0]}],
    },
    "contact.breakaway_angle_deg": 26.0, "contact.sliding_angle_deg": 26.0,
    "contact.breakaway_speed": 0.01, "contact.sliding_speed": 0.02,
    "initial": {"position": [0.0, 0.0, -0.01], "velocity": [1.2, 0.0, 0.0]},
    "integrator.method": "rk4", "integrator.step": 4e-3,
    "dispersions": {"initial.velocity.0": {"distribution": "normal", "sigma": 0.15}},
}  # fmt: skip
"""A point that slides to a stop."""


def write_all(place: Path) -> dict[str, Any]:
    """Writes every folder; returns what each holds in a few numbers."""
    runs = {
        "run": planetfall.run(
            planetfall.load("msl-drop").with_values({"scenario.duration": 0.8, "record.interval": 0.05})
        ),
        "free-top": planetfall.run(planetfall.load("free-top").with_values({"scenario.duration": 0.2})),
        "drive": planetfall.drive(planetfall.load_drive("lsr1-flat")),
    }
    for name, made in runs.items():
        made.save(place / name)
    scenario = planetfall.load("sink-flat").with_values(SLIDE)
    for name, options in {"campaign": {"n": 20}, "stopped": {"n": 200, "until": "mean(distance_m) +- 0.05"}}.items():
        planetfall.montecarlo(scenario, **options, seed=3, shard_size=5, out=place / name)
    planetfall.montecarlo(scenario, n=20, seed=3, shard_size=5, out=place / "unfinished")
    sorted((place / "unfinished" / "runs").iterdir())[2].unlink()
    summary = json.loads((place / "unfinished" / "summary.json").read_text(encoding="utf-8"))
    summary = {
        key: summary[key] for key in ("scenario", "title", "n_planned", "seed", "sampling", "estimate", "counts")
    }
    text = json.dumps({**summary, "n_runs": 15, "is_complete": False})
    (place / "unfinished" / "summary.json").write_text(text, encoding="utf-8")
    from planetfall.campaign.replay import replay

    replay(place / "campaign", 7).save(place / "campaign" / "replays" / "7")
    return {name: numbers(place / name) for name in (*runs, "campaign", "stopped", "unfinished", "campaign/replays/7")}


def numbers(folder: Path) -> dict[str, Any]:
    """What a folder holds, in a few numbers."""
    opened: Any = planetfall.open(folder)
    if isinstance(opened, planetfall.Ensemble):
        return {"distance_m": opened.data.distance_m.values.tolist(), "seed": opened.campaign["seed"]}
    events = [(event.time, event.kind, event.point) for event in opened.events]
    return {
        "outcome": opened.summary["outcome"], "events": events, "time": opened.data.time.values[-1].item(),
        "position": opened.data.position.values[-1, 0].tolist(), "mass": opened.data.mass.values[0, 0].item(),
    }  # fmt: skip


def main() -> None:
    """Writes the archive that is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path, help="the .tar.xz to be written")
    archive = parser.parse_args().archive
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "folders"
        found = write_all(place)
        (place / "numbers.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
        for lock in place.rglob("lock"):
            lock.unlink()
        with tarfile.open(archive, "w:xz", preset=9) as out:
            out.add(place, arcname=".")
    print(f"{archive}: {archive.stat().st_size / 1000:.0f} kB, by Planetfall {planetfall.__version__}", file=sys.stderr)


if __name__ == "__main__":
    main()
