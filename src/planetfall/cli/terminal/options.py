"""Options that several verbs share."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Sets = Annotated[
    list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the scenario; may be repeated.")
]
Device = Annotated[str, typer.Option("--device", help="cpu, or a CUDA device such as cuda:0.")]
