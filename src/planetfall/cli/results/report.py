"""`planetfall report`."""

from pathlib import Path

from planetfall.cli.output.saving import not_made
from planetfall.cli.results.run_report import report_run, write_pdf
from planetfall.cli.results.view import check_page
from planetfall.cli.terminal.console import print_note
from planetfall.errors import InputError, PlanetfallError


def report_folder(
    folder: Path, against: list[Path], of: list[str], out: Path | None, pdf: Path | None, force: bool
) -> None:
    """Makes one page of what a folder holds: a campaign, or a single run."""
    from planetfall.record.ensemble import is_ensemble

    if pdf is not None and pdf.suffix.lower() != ".pdf":
        raise InputError(f"--pdf {pdf}", "is not the name of a PDF", "a file that ends in .pdf")
    if pdf is not None and pdf.expanduser().exists() and not force:
        raise InputError(str(pdf), "exists", advice="choose another name, or replace it with --force")
    if is_ensemble(folder.expanduser()):
        page = report_campaign(folder, against, of, page_of(folder, out), force)
    else:
        if against or of:
            raise InputError("--against" if against else "--of", f"{folder} is a single run", "a campaign")
        page = report_run(folder, page_of(folder, out), force)
    if pdf is not None:
        write_pdf(page, pdf.expanduser())


def page_of(folder: Path, out: Path | None) -> Path:
    """The page about a run or a campaign: NAME-report.html beside its folder NAME, where nothing else is asked for.

    Not inside, where only results are, and not where somebody happens to be.
    """
    if out is not None:
        return out.expanduser()
    place = folder.expanduser()
    name = f"{place.resolve().name}-report.html"
    return place.resolve().parent / name if place.name in ("", "..") else place.parent / name


def report_campaign(folder: Path, against: list[Path], of: list[str], path: Path, force: bool) -> Path:
    """Makes one page of a campaign."""
    from planetfall.record.ensemble import is_ensemble, open_ensemble
    from planetfall.record.run_folder import open_run

    check_page(path, force)
    ensembles = []
    for place in (folder.expanduser(), *(other.expanduser() for other in against)):
        if not is_ensemble(place):
            open_run(place)  # which refuses what is no run either
            raise InputError(str(place), "is a single run", "a campaign's folder")
        ensembles.append(open_ensemble(place))
        if ensembles[-1].gap:
            print_note(ensembles[-1].gap)
    from planetfall.report.page.ensemble_page import write_page

    try:
        write_page(ensembles[0], path, dict(zip(map(str, against), ensembles[1:], strict=True)), of, str(folder))
    except OSError as error:
        raise InputError(str(path), f"cannot be written ({error.strerror or error})", advice="give --out") from None
    except PlanetfallError:
        raise
    except Exception as error:
        raise not_made(folder, "page", error) from error
    print(f"Report   {path}")
    return path
