"""Pages of results: inside a notebook, in a file, or in the browser."""

import html
import tempfile
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planetfall.display.surroundings import in_notebook
from planetfall.errors import InputError
from planetfall.record.ensemble import Ensemble

if TYPE_CHECKING:
    from planetfall.record.trajectory import Trajectory


@dataclass(frozen=True, repr=False)
class ShownPage:
    """A page that needs nothing but itself; a notebook shows it in a frame.

    Attributes:
        html: The page.
        file: Where it was written; None if it was not.
        height: Of the frame in a notebook [px].
    """

    html: str
    file: Path | None = None
    height: int = 640

    def __repr__(self) -> str:
        size = f"{len(self.html.encode()) / 1e6:.2f} MB"
        return f"<page of {size}, not written>" if self.file is None else f"<page {self.file}, {size}>"

    def _repr_html_(self) -> str:
        """A frame that holds the page itself, so that a saved notebook shows it without any file."""
        style = "width: 100%; border: 1px solid #8886; border-radius: 6px"
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" style="{style}; height: {self.height}px" '
            'title="Planetfall" allowfullscreen></iframe>'
        )


def view(result: "Trajectory[Any] | Ensemble", file: Path | None, height: int, overwrite: bool) -> ShownPage:
    """The replay of a run, or where the runs of a campaign ended."""
    _check(file, overwrite)
    from planetfall.viewer.page import page_with

    if isinstance(result, Ensemble):
        from planetfall.viewer.scene.campaign_scene import campaign_scene

        return _shown(page_with(campaign_scene(result)), result.scenario.name, file, height)
    from planetfall.viewer.scene.scene import scene_of

    return _shown(page_with(scene_of(result)), result.scenario.name, file, height)


def report(result: "Trajectory[Any] | Ensemble", file: Path | None, height: int, overwrite: bool) -> ShownPage:
    """The page about a run or a campaign."""
    _check(file, overwrite)
    if isinstance(result, Ensemble):
        from planetfall.report.page.ensemble_page import ensemble_page

        return _shown(ensemble_page(result), f"{result.scenario.name}-report", file, height)
    from planetfall.report.page.run_page import run_page

    return _shown(run_page(result), f"{result.scenario.name}-report", file, height)


def _check(file: Path | None, overwrite: bool) -> None:
    """Refuses a name that no page may have, before any work is done."""
    if file is None:
        return
    if file.suffix.lower() not in (".html", ".htm"):
        raise InputError(str(file), "is not the name of a page", "a file that ends in .html")
    if file.exists() and not overwrite:
        raise InputError(str(file), "exists", advice="choose another name, or pass overwrite=True to replace it")


def _shown(text: str, name: str, file: Path | None, height: int) -> ShownPage:
    """In a notebook as it is; elsewhere as a file, which the browser opens if nobody named it."""
    if file is None and in_notebook():
        return ShownPage(text, None, height)
    place = Path(tempfile.mkdtemp(prefix="planetfall-")) / f"{name}.html" if file is None else file
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(str(place), f"cannot be written ({error.strerror or error})", advice="name another") from None
    if file is None and not webbrowser.open(place.as_uri()):
        print(f"No browser could be opened; the page is {place}")
    return ShownPage(text, place, height)
