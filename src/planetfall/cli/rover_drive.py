"""`planetfall rover drive`."""

import shlex
from pathlib import Path
from typing import Any

from planetfall.cli.console import print_note, progress_bar
from planetfall.cli.inputs import drive_with_sets
from planetfall.cli.run import free_folder
from planetfall.cli.saving import ADVICE, save_with_figures
from planetfall.record.plain_json import json_text
from planetfall.record.store import check_target


def drive_scenario(
    name: str, sets: list[str], out: Path | None, device: str, force: bool, figures: bool, as_json: bool
) -> None:
    """Drives, saves, draws, and prints the summary."""
    scenario = drive_with_sets(name, sets)
    folder = out or free_folder(Path("runs"), scenario.name)
    check_target(folder, overwrite=force, advice=ADVICE)

    from planetfall.simulate import drive

    with progress_bar(scenario.name):
        trajectory = drive(scenario, device, note=print_note)
        saved = save_with_figures(trajectory, folder, force=force, figures=figures)
    if as_json:
        print(json_text({**trajectory.summary, "folder": saved.folder}))
        saved.check()
        return
    saved.check()
    _print_summary(trajectory.summary, scenario.scenario.title)
    print(f"\nData     {folder / 'trajectory.nc'}, {folder / 'events.csv'}, {folder / 'summary.json'}")
    again = shlex.quote(str(folder / "scenario.toml"))
    print(f"Inputs   {folder / 'scenario.toml'} (drive it again: planetfall rover drive {again})")
    for path in saved.figures:
        print(f"Figure   {path}")


def _print_summary(summary: dict[str, Any], title: str) -> None:
    """How far it came and why no further, the extremes, and the wheels."""
    print(title or summary["scenario"])
    print(f"Outcome  {summary['outcome']}: {summary['outcome_sentence']}")
    print(f"         It {summary['says']}.")
    lines = {
        "Torques chosen for": (summary["goal"], ""),
        "Time at the last pose": (summary["end_s"], "s"),
        "Least stability margin": (summary["least_margin_stability"], "of its flat value"),
        "Least unloading margin": (summary["least_margin_unloading"], "of its flat value"),
        "Work of driving motors": (summary["positive_work_J"], "J, without regeneration"),
        "Work of braking motors": (summary["regenerated_work_J"], "J, if all of it were regenerated"),
        "Net work of the motors": (summary["motor_work_J"], f"J, to about {summary['motor_work_error_J']:.2g} J"),
        "Weight times rise": (summary["rise_J"], "J"),
        "Work of rolling resistance": (summary["rolling_work_J"], "J"),
        "Work of the ground, skidding": (summary["contact_work_J"], "J"),
        "Energy account closes to": (summary["energy_closure_J"], "J"),
        "Peak power": (summary["peak_power_W"], "W, of all motors that drive"),
    }
    for label, (value, unit) in lines.items():
        shown = value if isinstance(value, str) else "-" if value is None else f"{round(value, 9) + 0.0:.6g}"
        print(f"  {label:<30} {shown} {unit}".rstrip())
    header = ("load [N]", "torque [N m]", "lateral [N]", "saturation", "slip ratio", "friction")
    print(f"  {'Wheel, largest':<16}" + "".join(f"{word:>14}" for word in header))
    keys = (
        "peak_normal_force_N", "peak_torque_N_m", "peak_lateral_force_N", "peak_saturation", "peak_slip_ratio",
        "peak_friction_needed",
    )  # fmt: skip
    for wheel, *values in zip(summary["points"], *(summary[key] for key in keys), strict=True):
        print(f"  {wheel:<16}" + "".join(f"{round(value, 9) + 0.0:>14.4g}" for value in values))
