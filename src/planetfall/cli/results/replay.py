"""`planetfall replay`."""

import shlex
from dataclasses import asdict
from pathlib import Path

from planetfall.analysis.run.validity import model_notes
from planetfall.cli.landing.run import print_energy_notes, print_summary
from planetfall.cli.output.saving import ADVICE, save_with_figures
from planetfall.cli.terminal.console import progress_bar
from planetfall.record.files.plain_json import json_text
from planetfall.record.run_folder import check_target

SHOWN = 5
"""Runs that are told one by one; of more the first."""


def replay_timed_out(folder: Path, device: str | None, as_json: bool) -> None:
    """Repeats the runs of a campaign that timed out; prints what kept them from rest, and what would count as rest."""
    from planetfall.campaign.timed_out import timed_out_runs

    with progress_bar("runs that timed out") as progress:
        found = timed_out_runs(folder, device=device, progress=progress)
    if as_json:
        print(json_text(asdict(found) | {"moving": {str(run): why for run, why in found.moving.items()}}))
        return
    of_those = "" if found.n_repeated == found.n_timed_out else f"; of the first {found.n_repeated} of them"
    print(f"{found.n_timed_out} of {found.n_runs} runs timed out{of_those}")
    if found.creeping:
        keys = " and ".join(f"{key} = {value:g}" for key, value in found.counts_as_rest.items())
        most = " and ".join(f"run {run} needs that {key.partition('.')[2]}" for key, run in found.neediest.items())
        print(f"Creep    {len(found.creeping)} creep, or roll, steadily; if that counts as rest, use {keys} ({most})")
    if found.moving:
        print(f"Other    {len(found.moving)} timed out, each for a reason of its own:")
    for run, sentence in list(found.moving.items())[:SHOWN]:
        print(f"           run {run}: {sentence}")
    if len(found.moving) > SHOWN:
        print(f"           and {len(found.moving) - SHOWN} more; --json has all of them")


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
    notes = model_notes(trajectory.scenario, trajectory.data, trajectory.summary)
    print_summary(trajectory.summary, f"Run {run} of {folder}", trajectory.scenario.scenario.duration, notes)
    print_energy_notes(trajectory)
    if trajectory.summary["replay"]["equals_its_row"]:
        print("\nIdentical to the campaign's row, bit for bit.")
    print(f"\nData     {place / 'trajectory.nc'}, {place / 'events.csv'}, {place / 'summary.json'}")
    again = shlex.quote(str(place / "scenario.toml"))
    print(f"Inputs   {place / 'scenario.toml'} (run it again: planetfall run {again})")
    for path in saved.figures:
        print(f"Figure   {path}")
