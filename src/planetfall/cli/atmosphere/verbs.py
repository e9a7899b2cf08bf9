"""`planetfall atmosphere show` and `plot`, as the command line declares them."""

from pathlib import Path
from typing import Annotated

import typer

from planetfall.cli.terminal.options import Json, Sets
from planetfall.cli.terminal.whole_help import WholeHelpGroup

atmosphere = typer.Typer(
    help="Look at air over height: of a model, of a table file, of a scenario.\n\n"
    "Example: planetfall atmosphere show mars",
    cls=WholeHelpGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
)
Source = Annotated[
    str,
    typer.Argument(
        metavar="NAME_OR_FILE", help="us1976 or mars; a table (CSV, Mars-GRAM, AMAT); or a scenario, built in or .toml."
    ),
]
Heights = Annotated[
    str | None, typer.Option(metavar="M,M,...", help="Heights over the ellipsoid [m]; some over its range by default.")
]


@atmosphere.command(help="Print density, pressure, temperature, speed of sound and wind at heights.\n\n"
                    "Example: planetfall atmosphere show mars --heights 0,10000,125000 "
                    "--set atmosphere.density_factor=0.8")  # fmt: skip
def show(name: Source, heights: Heights = None, sets: Sets = [], as_json: Json = False) -> None:  # noqa: B006
    """`planetfall atmosphere show`."""
    from planetfall.cli.atmosphere.show import show_air

    show_air(name, heights, sets, as_json)


@atmosphere.command(help="Draw density, temperature and wind over height into a PNG file.\n\n"
                    "Example: planetfall atmosphere plot us1976 --out air.png")  # fmt: skip
def plot(
    name: Source,
    sets: Sets = [],  # noqa: B006
    out: Annotated[Path | None, typer.Option(help="PNG file; NAME-air.png in this folder by default.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace that file.")] = False,
) -> None:
    """`planetfall atmosphere plot`."""
    from planetfall.cli.atmosphere.show import plot_air

    plot_air(name, sets, out, force)
