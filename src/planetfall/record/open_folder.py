"""Results by what their folder holds."""

import warnings
from pathlib import Path

from planetfall.arguments import path_of
from planetfall.errors import IncompleteWarning
from planetfall.record.ensemble import Ensemble, is_ensemble, open_ensemble
from planetfall.record.run_folder import open_run
from planetfall.record.trajectory import Trajectory


def open_folder(folder: str | Path) -> Trajectory | Ensemble:
    """A run, or a campaign of runs; warns where runs of a campaign's plan have no row.

    Args:
        folder: What `save` or `planetfall run` wrote, or the `out` of a campaign.

    Returns:
        The `Trajectory` or the `Ensemble` that the folder holds.

    Raises:
        InputError: The folder holds neither, or something in it is damaged or does not agree; the message names it.

    Examples:
        >>> planetfall.open("campaign").data.sizes["run"]
        8
    """
    place = path_of("folder", folder).expanduser()
    if not is_ensemble(place):
        return open_run(place)
    opened = open_ensemble(place)
    if opened.gap:
        warnings.warn(opened.gap, IncompleteWarning, stacklevel=2)
    return opened
