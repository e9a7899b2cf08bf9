"""Options that several verbs share."""

from typing import Annotated

import typer

from planetfall.cli.terminal.whole_help import scenario_names

TAKEN = typer.Argument(
    metavar="NAME_OR_FILE", help="Built-in scenario, or a .toml file.", autocompletion=scenario_names
)
"""What a verb takes that runs or shows a scenario."""
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Sets = Annotated[
    list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the scenario; may be repeated.")
]
Device = Annotated[str, typer.Option("--device", help="cpu, or a CUDA device such as cuda:0.")]
