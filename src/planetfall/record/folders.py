"""Results by what their folder holds."""

from pathlib import Path

from planetfall.arguments import path_of
from planetfall.record.ensemble import Ensemble, is_ensemble, open_ensemble
from planetfall.record.store import open_run
from planetfall.record.trajectory import Trajectory


def open_folder(folder: str | Path) -> Trajectory | Ensemble:
    """A run, or a campaign of runs."""
    place = path_of("folder", folder).expanduser()
    return open_ensemble(place) if is_ensemble(place) else open_run(place)
