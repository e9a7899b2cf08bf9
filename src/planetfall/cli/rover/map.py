"""`planetfall rover map`."""

import json
from pathlib import Path

import numpy as np

from planetfall.cli.landing.run import free_folder
from planetfall.cli.output.result_folder import check_result_folder, fill_result_folder
from planetfall.cli.terminal.console import print_note, progress_bar
from planetfall.cli.terminal.inputs import drive_with_sets
from planetfall.rover.drive.prepare import prepare
from planetfall.rover.statics.verdict import VERDICTS
from planetfall.rover.traversability.traverse import MapScores, score_map
from planetfall.scenario.files.changed_keys import changes_text, full_title, title_of

OFF_MAP = "off the map"
"""Poses at the rim, where a wheel would leave the map."""


def map_scenario(
    name: str,
    sets: list[str],
    n_headings: int,
    every: int,
    out: Path | None,
    device: str,
    threads: int | None,
    force: bool,
    figures: bool,
    as_json: bool,
) -> None:
    """Scores, saves, draws, and prints what stops the rover how often."""
    scenario = drive_with_sets(name, sets)
    folder = (out or free_folder(Path("runs"), f"{scenario.name}-map")).expanduser()
    check_result_folder(folder, force, "map", (".tif", ".png", ".svg"))
    ready = prepare(scenario, device)
    for note in ready.notes:
        print_note(note)
    headings = np.arange(n_headings) * 360.0 / n_headings
    goal = "least effort" if scenario.drive.goal == "least effort" else "least slip"
    with progress_bar(scenario.name) as progress:
        found = score_map(
            ready.rover, ready.surface, ready.soil, ready.gravity, headings, every, goal, threads, progress
        )
        heights = ready.surface.params.heights.numpy()[::every, ::every]
        written = fill_result_folder(
            folder,
            force,
            lambda part: _write(found, heights, part, figures, changes_text(scenario), title_of(scenario)),
        )
    counts = _counts(found)
    if as_json:
        values = {"scenario": scenario.name, "places": found.verdict.size, "verdicts": counts}
        print(json.dumps({**values, "files": list(map(str, written))}, indent=2))
        return
    print(f"{full_title(scenario)}: {len(found.y)} x {len(found.x)} places, {n_headings} headings")
    rest = max(found.verdict.size - counts[OFF_MAP], 1)
    for text, count in counts.items():
        share = f"{100.0 * count / rest:6.2f} %" if text != OFF_MAP else "not in the shares"
        print(f"  {text:<14}{count:>10d}  {share}")
    for path in written:
        print(f"{'Figure' if path.suffix == '.png' else 'Layer':<8} {path}")


def _counts(found: MapScores) -> dict[str, int]:
    """How often there is each verdict; poses that would leave the map are counted apart."""
    inside = found.verdict[~found.is_off_map]
    counts = {text.partition(":")[0]: int((inside == code).sum()) for code, text in VERDICTS.items()}
    return {**counts, OFF_MAP: int(found.is_off_map.sum())}


def _write(found: MapScores, heights: np.ndarray, folder: Path, figures: bool, changed: str, title: str) -> list[Path]:
    written = found.save(folder)
    if figures:
        from planetfall.report.rover.pose_figures import draw_map
        from planetfall.report.style import below_figures

        with below_figures(changed):
            written.append(draw_map(found, heights, folder, title=title))
    return written
