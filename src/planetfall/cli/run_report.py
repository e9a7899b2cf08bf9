"""`planetfall report` of a single run."""

from pathlib import Path

from planetfall.cli.console import progress_bar
from planetfall.cli.view import write_page
from planetfall.errors import InputError, PlanetfallError


def report_run(folder: Path, out: Path | None, pdf: Path | None, force: bool) -> None:
    """Writes one page about a run and, where asked, the same as PDF."""
    from planetfall.record.store import open_run
    from planetfall.report.run_page import run_page

    path = out or Path(f"{folder.expanduser().resolve().name}-report.html")
    if pdf is not None and pdf.expanduser().exists() and not force:
        raise InputError(str(pdf), "exists", advice="choose another name, or replace it with --force")
    with progress_bar(folder.name):
        text = run_page(open_run(folder), str(folder))
    write_page(path, text, force)
    if pdf is not None:
        write_pdf(path, pdf.expanduser())


def write_pdf(page: Path, pdf: Path) -> None:
    """Prints a page into a PDF file by the browser of this machine."""
    from planetfall.viewer.browser import browser_tab

    try:
        with browser_tab(1000, 1400) as tab:
            tab.open(page, "document.readyState === 'complete'")
            pdf.write_bytes(tab.pdf())
    except OSError as error:
        raise PlanetfallError(f"{pdf}: cannot be written ({error.strerror or error})") from None
    print(f"PDF      {pdf}")
