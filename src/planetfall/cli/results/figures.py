"""`planetfall figures`."""

from pathlib import Path

from planetfall.cli.output.saving import draw_all
from planetfall.cli.terminal.console import progress_bar
from planetfall.errors import InputError, PlanetfallError
from planetfall.record.run_folder import open_run


def redraw(folder: Path, out: Path | None) -> None:
    """Draws the figures of a saved run, into its folder or into another one."""
    trajectory = open_run(folder)
    place = folder if out is None else out
    place = place.expanduser()
    try:
        place.mkdir(parents=True, exist_ok=True)
        with progress_bar(folder.name):
            drawn = draw_all(trajectory, place)
    except OSError as error:
        advice = "choose another folder with --out"
        raise InputError(str(place), f"cannot be written ({error.strerror or error})", advice=advice) from None
    except Exception as error:
        raise PlanetfallError(f"{folder}: not every figure could be drawn ({type(error).__name__}: {error})") from error
    for path in drawn:
        print(f"Figure   {path}")
