"""The verbs of `planetfall rover`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from planetfall.cli.terminal.options import Device, Json, Sets
from planetfall.cli.terminal.whole_help import WholeHelpGroup, drive_names

rover = typer.Typer(
    help="Rocker-bogie rovers: one pose, a drive along a path, a map of where they can go, a route.\n\n"
    "Example: planetfall rover drive lsr1-step",
    cls=WholeHelpGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[
    str,
    typer.Argument(metavar="NAME_OR_FILE", help="Built-in drive, or a .toml file.", autocompletion=drive_names),
]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for the results; a new one under runs/ by default.")]
Force = Annotated[bool, typer.Option("--force", help="Replace earlier results in that folder.")]
Figures = Annotated[bool, typer.Option(help="Draw figures.")]


@rover.command("list", help="List the built-in rovers and drives.\n\nExample: planetfall rover list")
def list_(as_json: Json = False) -> None:
    """`planetfall rover list`."""
    from planetfall.cli.rover.list import list_rovers

    list_rovers(as_json)


@rover.command(help="One pose: how the rover stands, what its wheels carry, and whether they hold.\n\n"
               "Example: planetfall rover pose lsr1-step --along 0.55")  # fmt: skip
def pose(
    name: Name,
    sets: Sets = [],  # noqa: B006
    along: Annotated[float, typer.Option(metavar="M", help="Distance along the path [m]; its start by default.")] = 0.0,
    at: Annotated[
        str | None, typer.Option(metavar="X,Y", help="Place of the rover's middle [m], in place of --along.")
    ] = None,
    heading: Annotated[
        float | None,
        typer.Option(
            "--heading-deg", help="With --at: clockwise from north (y of a turned map); 90, east, by default."
        ),
    ] = None,
    torques: Annotated[
        str | None,
        typer.Option(
            metavar="T,T,T,T,T,T", help="Commanded torques [N m]: rear, middle, front right, then left; or one for all."
        ),
    ] = None,
    method: Annotated[Literal["newton", "decoupled"], typer.Option(help="How the pose is found.")] = "newton",
    every: Annotated[bool, typer.Option("--every", help="Look for all poses of the place, from many starts.")] = False,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for figures; none are drawn without it.")] = None,
    as_json: Json = False,
) -> None:
    """`planetfall rover pose`."""
    from planetfall.cli.rover.pose import PoseRequest, show_pose

    show_pose(name, sets, PoseRequest(along, at, heading, torques, method, every), out, as_json)


@rover.command(help="Drive along the path: pose, loads, torques and margins at every step; write data and figures.\n\n"
               "Example: planetfall rover drive lsr1-boulders --set drive.goal=equal")  # fmt: skip
def drive(
    name: Name,
    sets: Sets = [],  # noqa: B006
    out: Out = None,
    device: Device = "cpu",
    force: Force = False,
    figures: Figures = True,
    check: Annotated[
        bool, typer.Option("--check", help="Repeat it with poses half as far apart; give differences.")
    ] = False,
    as_json: Json = False,
) -> None:
    """`planetfall rover drive`."""
    from planetfall.cli.rover.drive import drive_scenario

    drive_scenario(name, sets, out, device, force, figures, as_json, check)


@rover.command(help="Drive in a browser on this machine; change rover, ground and path while it drives.\n\n"
               "Example: planetfall rover live lsr1-step --offer my-map.tif --offer my-path.csv")  # fmt: skip
def live(
    name: Name,
    sets: Sets = [],  # noqa: B006
    files: Annotated[
        list[Path],
        typer.Option(
            "--offer",
            metavar="FILE",
            help="Drive (.toml), path (.csv), map or mesh that the page may choose; may be repeated.",
        ),
    ] = [],  # noqa: B006
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder that Save writes; a new one under runs/ each time by default.")
    ] = None,
    force: Force = False,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port on loopback; a free one by default.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
) -> None:
    """`planetfall rover live`."""
    from planetfall.cli.rover.live import live_drive

    live_drive(name, sets, files, out, force, port, browser)


@rover.command("map", help="Score every cell and heading of an elevation map; write GeoTIFF layers and a figure.\n\n"
               "Example: planetfall rover map msl-class-yard --headings 4 --every 4")  # fmt: skip
def map_(
    name: Name,
    sets: Sets = [],  # noqa: B006
    headings: Annotated[int, typer.Option(min=1, max=360, help="Number of headings, from north all around.")] = 8,
    every: Annotated[int, typer.Option(min=1, help="Take every so many nodes of the map.")] = 1,
    out: Out = None,
    device: Device = "cpu",
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads; all cores by default.")] = None,
    force: Force = False,
    figures: Figures = True,
    as_json: Json = False,
) -> None:
    """`planetfall rover map`."""
    from planetfall.cli.rover.map import map_scenario

    map_scenario(name, sets, headings, every, out, device, threads, force, figures, as_json)


@rover.command(help="Search a route over an elevation map from one place to another, and drive it to make sure.\n\n"
               "Example: planetfall rover route msl-class-yard --from=-14,-14 --to 14,4 --by energy")  # fmt: skip
def route(
    name: Name,
    sets: Sets = [],  # noqa: B006
    start: Annotated[
        str | None, typer.Option("--from", metavar="X,Y", help="Where it begins [m]; the first waypoint by default.")
    ] = None,
    end: Annotated[
        str | None, typer.Option("--to", metavar="X,Y", help="Where it ends [m]; the last waypoint by default.")
    ] = None,
    by: Annotated[
        Literal["energy", "time", "margin"],
        typer.Option(help="Least work of driving motors, least time, or largest least margin."),
    ] = "energy",
    every: Annotated[
        int | None,
        typer.Option(min=1, help="Use every N-th node of the map; by default about a wheel's diameter apart."),
    ] = None,
    out: Out = None,
    device: Device = "cpu",
    force: Force = False,
    figures: Figures = True,
    as_json: Json = False,
) -> None:
    """`planetfall rover route`."""
    from planetfall.cli.rover.route import RouteRequest, route_scenario

    route_scenario(name, sets, RouteRequest(start, end, by, every), out, device, force, figures, as_json)
