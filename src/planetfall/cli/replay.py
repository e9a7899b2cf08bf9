"""`planetfall replay`."""

import json
import shlex
from pathlib import Path

from planetfall.cli.console import progress_bar
from planetfall.cli.run import ADVICE, print_summary
from planetfall.record.store import check_target, save_run


def replay_run(
    folder: Path, run: int, out: Path | None, device: str | None, force: bool, figures: bool, as_json: bool
) -> None:
    """Repeats one run of a campaign with its full history; saves, draws, and prints its summary."""
    place = out or folder / "replays" / str(run)
    check_target(place, overwrite=force, advice=ADVICE)

    from planetfall.campaign.replay import replay

    drawn: list[Path] = []

    def draw(made: Path) -> None:
        from planetfall.report.figures import draw_figures

        drawn.extend(draw_figures(trajectory, made))

    with progress_bar(f"run {run}") as progress:
        trajectory = replay(folder, run, device=device, progress=progress)
        place = save_run(trajectory, place, overwrite=force, draw=draw if figures else None, advice=ADVICE)
    if as_json:
        print(json.dumps({**trajectory.summary, "folder": str(place)}, indent=2))
        return
    print_summary(trajectory.summary, f"Run {run} of {folder}")
    if trajectory.summary["replay"]["equals_its_row"]:
        print("\nThe very bits of its row.")
    print(f"\nData     {place / 'trajectory.nc'}, {place / 'events.csv'}, {place / 'summary.json'}")
    again = shlex.quote(str(place / "scenario.toml"))
    print(f"Inputs   {place / 'scenario.toml'} (run it again: planetfall run {again})")
    for path in drawn:
        print(f"Figure   {place / path.name}")
