"""`planetfall replay`."""

import json
from pathlib import Path

from planetfall.cli.console import progress_bar
from planetfall.cli.run import print_summary
from planetfall.record.store import check_target


def replay_run(
    folder: Path, run: int, out: Path | None, device: str | None, force: bool, figures: bool, as_json: bool
) -> None:
    """Repeats one run of a campaign with its full history; saves, draws, and prints its summary."""
    place = out or folder / "replays" / str(run)
    check_target(place, overwrite=force)

    from planetfall.campaign.replay import replay

    with progress_bar(f"run {run}") as progress:
        trajectory = replay(folder, run, device=device, progress=progress)
    trajectory.save(place, overwrite=force)
    drawn = []
    if figures:
        from planetfall.report.figures import draw_figures

        drawn = draw_figures(trajectory, place)
    if as_json:
        print(json.dumps({**trajectory.summary, "folder": str(place)}, indent=2))
        return
    print_summary(trajectory.summary, f"Run {run} of {folder}")
    if trajectory.summary["replay"]["equals_its_row"]:
        print("\nEnds in the very bits of its row.")
    print(f"\nData     {place / 'trajectory.nc'}, {place / 'events.csv'}, {place / 'summary.json'}")
    print(f"Inputs   {place / 'scenario.toml'} (run it again: planetfall run {place / 'scenario.toml'})")
    for path in drawn:
        print(f"Figure   {path}")
