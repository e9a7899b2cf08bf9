"""`planetfall entry reference`, as the command line declares it."""

from pathlib import Path
from typing import Annotated

import typer

from planetfall.cli.terminal.options import TAKEN, Json, Sets
from planetfall.cli.terminal.whole_help import WholeHelpGroup

entry = typer.Typer(
    help="Look at the guidance of an entry.\n\nExample: planetfall entry reference msl-edl",
    cls=WholeHelpGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
)


@entry.callback()
def _verbs() -> None:
    """Keeps `reference` a verb of its own while it is the only one."""


@entry.command(help="Compute the reference of a scenario's entry guidance; print it, draw it, write it as CSV.\n\n"
               "Example: planetfall entry reference msl-edl --csv reference.csv")  # fmt: skip
def reference(
    name: Annotated[str, TAKEN],
    sets: Sets = [],  # noqa: B006
    csv: Annotated[Path | None, typer.Option(metavar="FILE.csv", help="Write every point of it as CSV.")] = None,
    out: Annotated[Path | None, typer.Option(help="PNG file; NAME-reference.png in this folder by default.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace those files.")] = False,
    as_json: Json = False,
) -> None:
    """`planetfall entry reference`."""
    from planetfall.cli.entry.reference import show_reference

    show_reference(name, sets, csv, out, force, as_json)
