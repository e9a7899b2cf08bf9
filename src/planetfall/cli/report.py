"""`planetfall report`."""

from pathlib import Path

from planetfall.errors import InputError


def report_campaign(folder: Path, against: Path | None, out: Path | None) -> None:
    """Makes one page of a campaign."""
    from planetfall.record.ensemble import Ensemble
    from planetfall.record.folders import open_folder

    opened = [open_folder(place) for place in (folder, against) if place is not None]
    ensembles = [result for result in opened if isinstance(result, Ensemble)]
    if len(ensembles) < len(opened):
        single = folder if not isinstance(opened[0], Ensemble) else against
        raise InputError(str(single), "is a single run, whose figures lie beside it", "a campaign's folder")
    from planetfall.report.ensemble_page import write_page

    path = out or folder / "report.html"
    try:
        write_page(ensembles[0], path, *ensembles[1:], other_name=str(against or ""))
    except OSError as error:
        raise InputError(str(path), f"cannot be written ({error.strerror or error})", advice="give --out") from None
    print(f"Report   {path}")
