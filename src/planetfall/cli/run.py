"""`planetfall run`."""

import json
import shlex
from pathlib import Path
from typing import Any

import typer

from planetfall.cli.console import print_note, progress_bar
from planetfall.cli.inputs import is_drive, scenario_with_sets
from planetfall.outcome import Outcome
from planetfall.record.store import Advice, check_target, save_run

FAILED = (Outcome.diverged.name, Outcome.step_refused.name, Outcome.controller_error.name, Outcome.sunk.name)
ADVICE = Advice("choose another folder with --out", "replace it with --force")


def run_scenario(
    name: str, sets: list[str], out: Path | None, device: str, force: bool, figures: bool, as_json: bool
) -> None:
    """Runs, saves, draws, and prints the summary; a rover drives."""
    if is_drive(name):
        from planetfall.cli.rover_drive import drive_scenario

        drive_scenario(name, sets, out, device, force, figures, as_json)
        return
    scenario = scenario_with_sets(name, sets)
    folder = out or free_folder(Path("runs"), scenario.name)
    check_target(folder, overwrite=force, advice=ADVICE)

    from planetfall.simulate import run

    drawn: list[Path] = []

    def draw(place: Path) -> None:
        from planetfall.report.figures import draw_figures

        drawn.extend(draw_figures(trajectory, place))

    with progress_bar(scenario.name) as progress:
        trajectory = run(scenario, device, progress=progress, note=print_note)
        folder = save_run(trajectory, folder, overwrite=force, draw=draw if figures else None, advice=ADVICE)
    if as_json:
        print(json.dumps({**trajectory.summary, "folder": str(folder)}, indent=2))
    else:
        print_summary(trajectory.summary, scenario.scenario.title)
        print(f"\nData     {folder / 'trajectory.nc'}, {folder / 'events.csv'}, {folder / 'summary.json'}")
        again = shlex.quote(str(folder / "scenario.toml"))
        print(f"Inputs   {folder / 'scenario.toml'} (run it again: planetfall run {again})")
        for path in drawn:
            print(f"Figure   {folder / path.name}")
    if trajectory.summary["outcome"] in FAILED:
        raise typer.Exit(1)


def print_summary(summary: dict[str, Any], title: str) -> None:
    """The summary for people: what happened, then the numbers by point."""
    print(title or summary["scenario"])
    print(f"Outcome  {summary['outcome']}: {summary['outcome_sentence']}")
    lines = {
        "Ended": (summary["end_s"], "s"),
        "Came to rest": (summary["rest_s"], "s"),
        "Final speed": (summary["final_speed_m_s"], "m/s"),
        "Slide, release to stop": (summary["slide_distance_m"], "m"),
        "Slide after the last bounce": (summary["slide_after_last_bounce_m"], "m"),
        "Deepest penetration": (summary["max_penetration_m"], "m"),
        "Energy account closes to": (summary["energy_closure_J"], "J"),
    }
    if summary["points"]:
        lines |= {
            "Stiffness K, per point": (summary["stiffness_N_m"], "N/m"),
            "Damping C, per point": (summary["damping_N_s_m"], "N s/m"),
        }
        frictions = {name: value for name, value in summary.items() if name.startswith("friction_")}
        lines |= {name.replace("_", ", ").capitalize(): (value, "") for name, value in frictions.items()}
    if "landed_s" in summary:
        lines["Landing detected"] = (summary["landed_s"], "s")
    for label, (value, unit) in lines.items():
        shown = value if isinstance(value, str) else "-" if value is None else f"{value:.6g}"
        print(f"  {label:<28} {shown} {unit}".rstrip())
    if summary["points"]:
        width = max(16, *(len(point) + 1 for point in summary["points"]))
        print(f"  {'Point':<{width}}{'first touch [s]':>16}{'peak N [N]':>14}{'final N [N]':>14}{'touchdowns':>12}")
        columns = ("first_touch_s", "peak_normal_force_N", "final_normal_force_N", "touchdowns")
        for point, *values in zip(summary["points"], *(summary[key] for key in columns), strict=True):
            touch, peak, final, count = values
            if count:
                print(f"  {point:<{width}}{_shown(touch, 6):>16}{_force(peak):>14}{_force(final):>14}{count:>12d}")
        n_apart = summary["touchdowns"].count(0)
        if n_apart:
            print(f"  {n_apart} of {len(summary['points'])} points never touched the ground")


def _force(value: float) -> str:
    """To a hundredth of a newton, and small ones to three digits."""
    return f"{value:.2f}" if value == 0.0 or value >= 1.0 else f"{value:.3g}"


def _shown(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def free_folder(parent: Path, name: str) -> Path:
    """runs/NAME, or the first of NAME-2, NAME-3, ... that does not exist."""
    folder, number = parent / name, 2
    while folder.exists():
        folder, number = parent / f"{name}-{number}", number + 1
    return folder
