"""`planetfall report` of a single run."""

from pathlib import Path

from planetfall.cli.output.saving import not_made
from planetfall.cli.results.view import check_page, write_page
from planetfall.cli.terminal.console import progress_bar
from planetfall.errors import PlanetfallError


def report_run(folder: Path, path: Path, force: bool) -> Path:
    """Writes one page about a run."""
    from planetfall.record.run_folder import open_run
    from planetfall.report.page.run_page import run_page

    check_page(path, force)
    with progress_bar(folder.name):
        trajectory = open_run(folder)
        try:
            text = run_page(trajectory, str(folder))
        except PlanetfallError:
            raise
        except Exception as error:
            raise not_made(folder, "page", error) from error
    write_page(path, text, force)
    return path


def write_pdf(page: Path, pdf: Path) -> None:
    """Prints a page into a PDF file by the browser of this machine."""
    from planetfall.viewer.headless.browser import browser_tab

    try:
        with browser_tab(1000, 1400) as tab:
            tab.open(page, "document.readyState === 'complete'")
            pdf.write_bytes(tab.pdf())
    except OSError as error:
        raise PlanetfallError(f"{pdf}: cannot be written ({error.strerror or error})") from None
    print(f"PDF      {pdf}")
