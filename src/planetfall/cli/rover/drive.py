"""`planetfall rover drive`."""

import shlex
from pathlib import Path
from typing import Any

from planetfall.analysis.accuracy.checked import Checked
from planetfall.cli.landing.run import free_folder, print_check, print_line, print_outcome
from planetfall.cli.output.saving import ADVICE, run_kept, save_with_figures
from planetfall.cli.terminal.console import print_note, progress_bar
from planetfall.cli.terminal.inputs import drive_with_sets
from planetfall.record.files.plain_json import json_text
from planetfall.record.run_folder import check_target
from planetfall.scenario.files.changed_keys import full_title

WIDTH = 30
"""Of the labels."""
NOISE = 1e-10
"""Share of the largest force or work below which one is printed as zero: differences of equal numbers leave it."""


def drive_scenario(
    name: str, sets: list[str], out: Path | None, device: str, force: bool, figures: bool, as_json: bool,
    check: bool = False,
) -> None:  # fmt: skip
    """Drives, saves, draws, and prints the summary."""
    scenario = drive_with_sets(name, sets)
    folder = out or free_folder(Path("runs"), scenario.name)
    check_target(folder, overwrite=force, advice=ADVICE)

    from planetfall.simulate import drive

    with progress_bar(scenario.name):
        with run_kept(folder, force):
            trajectory = drive(scenario, device, note=print_note, check=check)
        saved = save_with_figures(trajectory, folder, force=force, figures=figures)
    if as_json:
        print(json_text({**trajectory.summary, "folder": saved.folder}))
        saved.check()
        return
    saved.check()
    _print_summary(trajectory.summary, full_title(scenario))
    print(f"\nData     {folder / 'trajectory.nc'}, {folder / 'events.csv'}, {folder / 'summary.json'}")
    again = shlex.quote(str(folder / "scenario.toml"))
    print(f"Inputs   {folder / 'scenario.toml'} (drive it again: planetfall rover drive {again})")
    for path in saved.figures:
        print(f"Figure   {path}")


def _print_summary(summary: dict[str, Any], title: str) -> None:
    """How far it came and why no further, the extremes, and the wheels, each number in the digits that are true."""
    checked = Checked(summary)
    print_outcome(summary, title, checked)
    print(f"         It {summary['says']}.")
    if checked.is_checked and summary["driven_m"] < summary["path_m"]:
        note = "m along the path; a narrower edge between poses may end it sooner"
        print_line("Place of the stop", checked.text("driven_m", summary["driven_m"]), note, WIDTH)
    print_line("Torques chosen for", summary["goal"], "", WIDTH)
    lines = {
        "Time at the last pose": ("end_s", f"s, {_speed(summary)}"),
        "Least stability margin": ("least_margin_stability", "of its flat value"),
        "Least unloading margin": ("least_margin_unloading", "of its flat value"),
        "Work of driving motors": ("positive_work_J", "J, without regeneration"),
        "Work of braking motors": ("regenerated_work_J", "J, if all of it were regenerated"),
        "Net work of the motors": ("motor_work_J", f"J, to about {summary['motor_work_error_J']:.2g} J"),
        "Weight times rise": ("rise_J", "J"),
        "Work of rolling resistance": ("rolling_work_J", "J"),
        "Work of the ground, skidding": ("contact_work_J", "J"),
        "Work of the soil, slip": ("slip_work_J", "J"),
        "Energy account closes to": ("energy_closure_J", "J"),
        "Peak power": ("peak_power_W", "W, of all motors that drive"),
    }
    works = [abs(summary[key]) for key, unit in lines.values() if key.endswith("_J")]
    for label, (key, unit) in lines.items():
        value = _without_noise(summary[key], max(works)) if key.endswith("_J") else summary[key]
        print_line(label, checked.text(key, value), unit, WIDTH)
    header = ("load [N]", "torque [N m]", "lateral [N]", "saturation", "slip ratio", "needs mu", "friction used")
    keys = (
        "peak_normal_force_N", "peak_torque_N_m", "peak_lateral_force_N", "peak_saturation", "peak_slip_ratio",
        "peak_friction_needed", "peak_friction_used",
    )  # fmt: skip
    most = max(summary["peak_normal_force_N"])
    forces = {key: [_without_noise(value, most) for value in summary[key]] for key in keys}
    cells = [[checked.text(key, value, i) for i, value in enumerate(values)] for key, values in forces.items()]
    width = max(15, *(len(cell) + 2 for column in cells for cell in column))
    print(f"  {'Wheel, largest':<16}" + "".join(f"{word:>{width}}" for word in header))
    for wheel, *row in zip(summary["points"], *cells, strict=True):
        print(f"  {wheel:<16}" + "".join(f"{cell:>{width}}" for cell in row))
    print_check(checked)


def _speed(summary: dict[str, Any]) -> str:
    """The speed from which times and powers follow."""
    later = any("rover.speed" in change["values"] for change in summary["changes"])
    return f"at {summary['speed_m_s']:g} m/s horizontal{' at first' if later else ''} (rover.speed)"


def _without_noise(value: float, largest: float) -> float:
    """Zero in place of what is left of equal numbers of the largest one's size."""
    return 0.0 if abs(value) <= NOISE * largest else value
