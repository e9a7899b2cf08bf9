"""`planetfall rover map`."""

import json
import shutil
import tempfile
from pathlib import Path

import numpy as np

from planetfall.cli.console import print_note, progress_bar
from planetfall.cli.inputs import drive_with_sets
from planetfall.cli.run import free_folder
from planetfall.errors import InputError
from planetfall.rover.forces import VERDICTS
from planetfall.rover.prepare import prepare
from planetfall.rover.traverse import MapScores, score_map


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
    _check_target(folder, force)
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
        written = _write(found, heights, folder, figures, force)
    counts = {text.partition(":")[0]: int((found.verdict == code).sum()) for code, text in VERDICTS.items()}
    if as_json:
        values = {"scenario": scenario.name, "places": found.verdict.size, "verdicts": counts}
        print(json.dumps({**values, "files": list(map(str, written))}, indent=2))
        return
    print(f"{scenario.scenario.title}: {len(found.y)} x {len(found.x)} places, {n_headings} headings")
    for text, count in counts.items():
        print(f"  {text:<14}{count:>10d}  {100.0 * count / found.verdict.size:6.2f} %")
    for path in written:
        print(f"{'Figure' if path.suffix == '.png' else 'Layer':<8} {path}")


def _check_target(folder: Path, force: bool) -> None:
    """Refuses a folder that holds anything but an earlier map, before any work is done."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError(str(folder), "is a file", "a map is a folder", "choose another with --out")
    others = [item.name for item in folder.iterdir() if item.suffix not in (".tif", ".png", ".svg")]
    if others:
        raise InputError(str(folder), f"holds other files ({others[0]})", advice="choose another with --out")
    if any(folder.iterdir()) and not force:
        raise InputError(str(folder), "holds an earlier map", advice="choose another with --out, or use --force")


def _write(found: MapScores, heights: np.ndarray, folder: Path, figures: bool, force: bool) -> list[Path]:
    """Writes beside the final place and moves the folder there when it is complete."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            written = found.save(part)
            if figures:
                from planetfall.report.rover import draw_map

                written.append(draw_map(found, heights, part))
            if folder.exists() and force:
                shutil.rmtree(folder)
            elif folder.exists():
                folder.rmdir()  # empty, as was checked
            part.chmod(0o755)
            part.rename(folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise InputError(str(folder), problem, advice="choose another with --out") from None
    return [folder / path.name for path in written]
