"""The verbs."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="planetfall",
    help="Landing on, bouncing across, hopping over and driving on other worlds.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Sets = Annotated[
    list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the scenario; may be repeated.")
]
Device = Annotated[str, typer.Option("--device", help="cpu, or a CUDA device such as cuda:0.")]
Name = Annotated[str, typer.Argument(metavar="NAME_OR_FILE", help="Built-in scenario, or a .toml file.")]


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        from planetfall import __version__

        typer.echo(f"planetfall {__version__}")
        raise typer.Exit


@app.command("list", help="List what is built in: scenarios, vehicles, bodies.\n\nExample: planetfall list")
def list_(as_json: Json = False) -> None:
    """`planetfall list`."""
    from planetfall.cli.show import list_library

    list_library(as_json)


@app.command(help="Show a scenario: every key with its value, unit and meaning, and what follows from them.\n\n"
             "Example: planetfall show msl-drop --set contact.rest_penetration=0.02")  # fmt: skip
def show(name: Name, sets: Sets = [], as_json: Json = False) -> None:  # noqa: B006
    """`planetfall show`."""
    from planetfall.cli.show import show_scenario

    show_scenario(name, sets, as_json)


@app.command(help="Run a scenario; print its summary; write data and figures.\n\n"
             "Example: planetfall run msl-drop --set terrain.slope_deg=25 --out runs/steeper")  # fmt: skip
def run(
    name: Name,
    sets: Sets = [],  # noqa: B006
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the results; a new one under runs/ by default.")
    ] = None,
    device: Device = "cpu",
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier run in that folder.")] = False,
    figures: Annotated[bool, typer.Option(help="Draw figures.")] = True,
    as_json: Json = False,
) -> None:
    """`planetfall run`."""
    from planetfall.cli.run import run_scenario

    run_scenario(name, sets, out, device, force, figures, as_json)


@app.command(help="Choose V1 in the MSL paper's spirit: steepen the friction table until the result stays the same.\n\n"
             "Runs with the adaptive method, whatever the scenario has: a steeper table would need a new step.\n\n"
             "Example: planetfall steepen msl-drop --within 0.02")  # fmt: skip
def steepen(
    name: Name,
    sets: Sets = [],  # noqa: B006
    within: Annotated[
        float, typer.Option(min=1e-9, max=1.0, help="Relative change of slide and peak forces that counts as none.")
    ] = 0.01,
    halvings: Annotated[int, typer.Option(min=1, max=30, help="How often V1 may be halved.")] = 8,
    as_json: Json = False,
) -> None:
    """`planetfall steepen`."""
    from planetfall.cli.steepen import steepen_table

    steepen_table(name, sets, within, halvings, as_json)


@app.command(help="Time the engine on a scenario as a batch: compile, build and run time apart.\n\n"
             "Example: planetfall bench box-bench -n 1000 --device cpu --threads 2")  # fmt: skip
def bench(
    name: Name = "box-bench",
    sets: Sets = [],  # noqa: B006
    n: Annotated[int, typer.Option("-n", min=1, help="Number of trajectories.")] = 256,
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads; all cores by default.")] = None,
    device: Device = "cpu",
    as_json: Json = False,
) -> None:
    """`planetfall bench`."""
    from planetfall.cli.bench import bench_scenario

    bench_scenario(name, sets, n, threads, device, as_json)
