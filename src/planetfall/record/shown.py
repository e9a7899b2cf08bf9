"""What every result can do to be looked at; what is shown is made by layers above this one, found by name."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from planetfall.arguments import path_of
from planetfall.scenario.card import display

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Shown:
    """A result that can be plotted, viewed and reported on, and that a notebook shows as a card."""

    def _repr_html_(self) -> str:
        """The card that a notebook shows."""
        return display("cards").result_card(self)

    def plot_kinds(self) -> list[str]:
        """Names of the figures that this result has, as `plot` takes them.

        Examples:
            >>> planetfall.open("campaign").plot_kinds()
            ['outcomes', 'spreads', 'landing']
        """
        return list(display("plot_by_name").figures_of(self))

    def plot(self, kind: str | None = None) -> "Axes | Any":
        """Draws one of the result's figures with matplotlib.

        Args:
            kind: Name of the figure, one of `plot_kinds()`; the most telling one if not given: the track of a landing,
                the altitude over the speed of an entry, the plan of a drive, the landing points of a campaign.

        Returns:
            The `matplotlib.axes.Axes`, or an array of them where the figure has several. The figure is pyplot's current
            one: a notebook shows it below the cell, `matplotlib.pyplot.show()` in a window, and
            `axes.figure.savefig(file)` writes it.

        Raises:
            InputError: There is no figure of that name; the message names the nearest ones, and all that there are.

        Examples:
            >>> axes = planetfall.open("campaign").plot("outcomes")
            >>> axes.figure.savefig("outcomes.png")
        """
        return display("plot_by_name").plot(self, kind)

    def view(self, file: str | Path | None = None, *, height: int = 640, overwrite: bool = False) -> Any:
        """Shows the result in three dimensions: a run as a replay, a campaign as the places where its runs ended.

        Args:
            file: A name that ends in .html: the page is written there, and needs nothing but itself. If not given, the
                page is shown inside a notebook; elsewhere it is written to a temporary file and opened in the browser.
            height: Height in a notebook [px].
            overwrite: Whether a file that is there may be replaced.

        Returns:
            The page, which a notebook shows; its `file` is where it was written, or None.

        Examples:
            >>> planetfall.open("campaign").view("places.html").file.name
            'places.html'
        """
        return display("pages").view(self, _file(file), height, overwrite)

    def report(self, file: str | Path | None = None, *, height: int = 640, overwrite: bool = False) -> Any:
        """Makes one page of the result: summary, limits, energy, figures, events and inputs, with the replay inside.

        Args:
            file: As `view` takes it.
            height: Height in a notebook [px].
            overwrite: Whether a file that is there may be replaced.

        Returns:
            The page, which a notebook shows; its `file` is where it was written, or None.

        Examples:
            >>> planetfall.open("campaign").report("campaign.html").file.name
            'campaign.html'
        """
        return display("pages").report(self, _file(file), height, overwrite)


def _file(file: str | Path | None) -> Path | None:
    return None if file is None else path_of("file", file).expanduser()
