"""`planetfall replay`."""

import shlex
from pathlib import Path

from planetfall.cli.landing.run import print_energy_notes, print_summary
from planetfall.cli.output.saving import ADVICE, save_with_figures
from planetfall.cli.terminal.console import progress_bar
from planetfall.record.files.plain_json import json_text
from planetfall.record.run_folder import check_target


def replay_run(
    folder: Path, run: int, out: Path | None, device: str | None, force: bool, figures: bool, as_json: bool
) -> None:
    """Repeats one run of a campaign with its full history; saves, draws, and prints its summary."""
    place = out or folder / "replays" / str(run)
    check_target(place, overwrite=force, advice=ADVICE)

    from planetfall.campaign.replay import replay

    with progress_bar(f"run {run}") as progress:
        trajectory = replay(folder, run, device=device, progress=progress)
        saved = save_with_figures(trajectory, place, force=force, figures=figures)
    if as_json:
        print(json_text({**trajectory.summary, "folder": saved.folder}))
        saved.check()
        return
    saved.check()
    print_summary(trajectory.summary, f"Run {run} of {folder}", trajectory.scenario.scenario.duration)
    print_energy_notes(trajectory)
    if trajectory.summary["replay"]["equals_its_row"]:
        print("\nIdentical to the campaign's row, bit for bit.")
    print(f"\nData     {place / 'trajectory.nc'}, {place / 'events.csv'}, {place / 'summary.json'}")
    again = shlex.quote(str(place / "scenario.toml"))
    print(f"Inputs   {place / 'scenario.toml'} (run it again: planetfall run {again})")
    for path in saved.figures:
        print(f"Figure   {path}")
