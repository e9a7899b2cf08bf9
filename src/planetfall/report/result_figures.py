"""Every figure of a result, whatever it is: a run, a rover's drive, a campaign."""

from pathlib import Path
from typing import Any

from planetfall.record.ensemble import Ensemble
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.scenario import Scenario


def draw_result(result: Trajectory[Any] | Ensemble, folder: Path = Path()) -> list[Path]:
    """Draws them as PNG and SVG into a folder, unless they are kept (`style.kept_figures`); returns the PNG files."""
    if isinstance(result, Ensemble):
        from planetfall.report.campaign.ensemble_figures import draw_ensemble

        return draw_ensemble(result, folder)
    if not isinstance(result.scenario, Scenario):  # a drive
        from planetfall.report.rover.drive_figures import draw_drive

        return draw_drive(result, folder)
    from planetfall.report.run.run_figures import draw_figures

    return draw_figures(result, folder)
