"""The verbs."""

from pathlib import Path
from typing import Annotated

import typer

from planetfall.cli.atmosphere.verbs import atmosphere
from planetfall.cli.entry.verbs import entry
from planetfall.cli.rover.verbs import rover
from planetfall.cli.terminal.options import TAKEN, Device, Json, Sets
from planetfall.cli.terminal.whole_help import WholeHelpGroup
from planetfall.cli.terrain.verbs import terrain

app = typer.Typer(
    name="planetfall",
    help="Landing on, bouncing across, hopping over and driving on other worlds.\n\n"
    "Example: planetfall run msl-drop --out runs/drop",
    cls=WholeHelpGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Name = Annotated[str, TAKEN]


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        from planetfall import __version__

        typer.echo(f"planetfall {__version__}")
        raise typer.Exit


@app.command("list", help="List what is built in: scenarios, vehicles, bodies.\n\nExample: planetfall list")
def list_(as_json: Json = False) -> None:
    """`planetfall list`."""
    from planetfall.cli.landing.show import list_library

    list_library(as_json)


@app.command(help="Show a scenario: every key with its value, unit and meaning, and what follows from them.\n\n"
             "Or a built-in body, vehicle, terrain or rover, by the name that planetfall list gives it.\n\n"
             "Example: planetfall show msl-drop --set contact.rest_penetration=0.02")  # fmt: skip
def show(name: Name, sets: Sets = [], as_json: Json = False) -> None:  # noqa: B006
    """`planetfall show`."""
    from planetfall.cli.landing.show import show as show_by_name

    show_by_name(name, sets, as_json)


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
    check: Annotated[
        bool, typer.Option("--check", help="Repeat it at half the step or a tenth of the tolerance; give differences.")
    ] = False,
    changes: Annotated[
        Path | None, typer.Option("--changes", metavar="DIR", help="Make again the changes made during a live run.")
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Show it in a browser while it runs, with sliders.")] = False,
    pace: Annotated[
        str | None, typer.Option(metavar="N", help="Live: simulated over real time, or max; 1 by default.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Live: port on loopback; a free one by default.")
    ] = None,
    browser: Annotated[bool, typer.Option(help="Live: open a browser.")] = True,
    as_json: Json = False,
) -> None:
    """`planetfall run`."""
    from planetfall.cli.landing.run import live_options, run_scenario

    shown = live_options(live, pace, port, browser)
    run_scenario(name, sets, out, device, force, figures, as_json, changes, shown, check)


@app.command(help="Draw the figures of a saved run or drive again.\n\n"
             "Example: planetfall figures runs/msl-drop")  # fmt: skip
def figures(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run.")],
    out: Annotated[Path | None, typer.Option("--out", help="Folder for the figures; the run's by default.")] = None,
) -> None:
    """`planetfall figures`."""
    from planetfall.cli.results.figures import redraw

    redraw(folder, out)


@app.command(help="Look at a run or a campaign in a browser on this machine, or write one page that can be mailed.\n\n"
             "Example: planetfall view runs/msl-drop --export msl-drop.html")  # fmt: skip
def view(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run or of a campaign.")],
    export: Annotated[
        Path | None,
        typer.Option("--export", "--out", metavar="FILE.html", help="Write one page and stop; serve nothing."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace that page.")] = False,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port on loopback; a free one by default.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
) -> None:
    """`planetfall view`."""
    from planetfall.cli.results.view import view_folder

    view_folder(folder, export, force, port, browser)


@app.command(help="Film the replay of a run, by a Chromium without a window: MP4, GIF, or one PNG.\n\n"
             "Example: planetfall movie runs/msl-drop --out drop.gif --speed 0.5 --fps 10")  # fmt: skip
def movie(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run.")],
    out: Annotated[Path | None, typer.Option("--out", help=".mp4, .gif or .png; NAME.mp4 by default.")] = None,
    speed: Annotated[float, typer.Option(min=1e-4, max=1e6, help="Simulated over shown time.")] = 1.0,
    fps: Annotated[int, typer.Option(min=1, max=120, help="Pictures a second.")] = 25,
    at: Annotated[
        float | None,
        typer.Option(min=0.0, help="PNG: its simulated time [s]; the first touch by default, or else the end."),
    ] = None,
    start: Annotated[float, typer.Option(min=0.0, help="First simulated time [s].")] = 0.0,
    end: Annotated[float | None, typer.Option(help="Last simulated time [s]; that of the run by default.")] = None,
    size: Annotated[str, typer.Option(metavar="WxH", help="Pixels.")] = "1280x720",
    camera: Annotated[str, typer.Option(help="overview, close, side, above, ground, aboard, descent.")] = "overview",
    follow: Annotated[bool, typer.Option(help="Go along with the vehicle.")] = False,
    plots: Annotated[bool, typer.Option(help="Show plots beside the scene.")] = True,
    force: Annotated[bool, typer.Option("--force", help="Replace that file.")] = False,
) -> None:
    """`planetfall movie`."""
    from planetfall.cli.results.movie import make_movie

    options = {"speed": speed, "fps": fps, "start": start, "end": end, "camera": camera}
    make_movie(folder, out, size, force, at, **options, is_following=follow, has_plots=plots)


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
    from planetfall.cli.landing.steepen import steepen_table

    steepen_table(name, sets, within, halvings, as_json)


@app.command(help="Find the flywheel speeds with which a hopper comes to rest nearest to a place.\n\n"
             "Runs hops of many momenta and headings to rest, in rounds, each about the best of the one before; then "
             "runs the best again with errors of speed and heading.\n\n"
             "Example: planetfall hop hedgehog-hop --to 12,5,0 --out to-the-rock.toml")  # fmt: skip
def hop(
    name: Name,
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="X,Y,Z", help="Where to come to rest [m], surface frame: the ground over or under it."
        ),
    ],
    sets: Sets = [],  # noqa: B006
    within: Annotated[
        float | None,
        typer.Option(
            min=0.0, help="Miss [m] that is still good; a tenth of the way, or the vehicle's size, by default."
        ),
    ] = None,
    robust: Annotated[
        bool, typer.Option("--robust", help="Of the hops that come so near, take the one that errors spoil least.")
    ] = False,
    speed_error: Annotated[
        float, typer.Option(min=0.0, help="Error of the flywheels' speed [%], standard deviation.")
    ] = 1.0,
    heading_error: Annotated[
        float, typer.Option(min=0.0, help="Error of the heading [deg], standard deviation.")
    ] = 1.0,
    out: Annotated[Path | None, typer.Option("--out", help="Write the scenario with this hop to a .toml file.")] = None,
    device: Device = "cpu",
    as_json: Json = False,
) -> None:
    """`planetfall hop`."""
    from planetfall.cli.landing.hop import Wish, plan_a_hop

    plan_a_hop(name, sets, Wish(to, within, robust, speed_error, heading_error), out, device, as_json)


@app.command(help="Time the engine on a scenario as a batch: compile, build and run time separately.\n\n"
             "Example: planetfall bench box-bench -n 1000 --device cpu --threads 2")  # fmt: skip
def bench(
    name: Name = "box-bench",
    sets: Sets = [],  # noqa: B006
    n: Annotated[int, typer.Option("-n", min=1, max=10_000_000, help="Number of trajectories.")] = 256,
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads; all cores by default.")] = None,
    device: Device = "cpu",
    as_json: Json = False,
) -> None:
    """`planetfall bench`."""
    from planetfall.cli.landing.bench import bench_scenario

    bench_scenario(name, sets, n, threads, device, as_json)


@app.command(help="Run a scenario many times, each run with its own draw of what [dispersions] names.\n\n"
             "Example: planetfall montecarlo msl-dispersed -n 500 --seed 1 --out runs/dispersed")  # fmt: skip
def montecarlo(
    name: Annotated[str | None, TAKEN] = None,
    n: Annotated[
        int | None, typer.Option("-n", min=1, help="Number of runs; with --until, the largest; not needed for sweeps.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of all that is drawn; 0 by default.")] = None,
    sets: Sets = [],  # noqa: B006
    out: Annotated[
        Path | None, typer.Option("--out", help="New folder for the results; one under runs/ by default.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="DIR", help="Go on with the campaign in this folder.")
    ] = None,
    sampling: Annotated[
        str, typer.Option(help="random, latin-hypercube, sobol, or saltelli (for Sobol indices).")
    ] = "random",
    until: Annotated[
        str, typer.Option(metavar="RULE", help="Stop when enough is known: 'P(outcome=overturned) +- 0.005'.")
    ] = "",
    shard_size: Annotated[int | None, typer.Option(help="Runs that are made safe together.")] = None,
    device: Annotated[str | None, typer.Option("--device", help="cpu, or a CUDA device such as cuda:0.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads; all cores by default.")] = None,
    executor: Annotated[str, typer.Option(help="local: this process; dask: a cluster of workers.")] = "local",
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Of a Dask scheduler; a cluster here if not given.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Dask workers of a cluster here.")] = None,
    as_json: Json = False,
) -> None:
    """`planetfall montecarlo`."""
    from planetfall.cli.landing.montecarlo import run_campaign

    options = {"n": n, "seed": seed, "sampling": sampling, "until": until, "shard_size": shard_size, "device": device}
    run_by = {"kind": executor, "scheduler": scheduler, "workers": workers, "threads": threads}
    run_campaign(name, resume, sets, out, options, run_by, as_json)


@app.command(help="Repeat one run of a campaign alone, with its full history; it equals its row, bit for bit.\n\n"
             "With --timed-out: all that timed out, for what kept them from rest and which limits count as rest.\n\n"
             "Example: planetfall replay runs/dispersed 123")  # fmt: skip
def replay(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the campaign.")],
    run: Annotated[int | None, typer.Argument(metavar="RUN", help="Which run, counted from 0.")] = None,
    timed_out: Annotated[
        bool, typer.Option("--timed-out", help="In place of RUN: the runs that timed out, a hundred at most; no files.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the results; replays/RUN in the campaign's by default.")
    ] = None,
    device: Annotated[str | None, typer.Option("--device", help="The campaign's own by default.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier replay in that folder.")] = False,
    figures: Annotated[bool, typer.Option(help="Draw figures.")] = True,
    as_json: Json = False,
) -> None:
    """`planetfall replay`."""
    from planetfall.cli.results.replay import replay_run, replay_timed_out

    if (run is None) != timed_out:
        from planetfall.errors import InputError

        raise InputError("RUN", "give either the number of a run or --timed-out")
    if run is None:
        replay_timed_out(folder, device, as_json)
        return
    replay_run(folder, run, out, device, force, figures, as_json)


@app.command(help="Write one page about a run (summary, limits, energy, figures, events, inputs, replay), or about a "
             "campaign (outcomes, distributions, landing ellipse, convergence, sensitivity).\n\n"
             "Example: planetfall report runs/msl-drop --pdf msl-drop.pdf")  # fmt: skip
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run or of a campaign.")],
    against: Annotated[
        list[Path] | None,
        typer.Option("--against", metavar="DIR", help="Another campaign to compare a campaign with; may be repeated."),
    ] = None,
    of: Annotated[
        list[str] | None,
        typer.Option(
            "--of",
            metavar="COLUMN",
            help="For a campaign: also the distribution of this result and its sensitivity; may be repeated.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The page; by default NAME-report.html beside the folder DIR, whose name is NAME."),
    ] = None,
    pdf: Annotated[Path | None, typer.Option("--pdf", help="The same as PDF, printed by Chromium.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
) -> None:
    """`planetfall report`."""
    from planetfall.cli.results.report import report_folder

    report_folder(folder, against or [], of or [], out, pdf, force)


@app.command(help="Write a run or a campaign in the format of another program.\n\n"
             "Of a run: oem and aem (CCSDS), vtk (ParaView), gltf, csv; of a campaign: csv, geotiff.\n\n"
             "Example: planetfall export runs/msl-drop --to vtk --out msl-drop.pvd")  # fmt: skip
def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run or of a campaign.")],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="oem, aem, vtk, gltf, csv or geotiff.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The file; named after DIR by default.")
    ] = None,
    epoch: Annotated[
        str | None, typer.Option(metavar="TIME", help="oem, aem: instant of time zero; target.epoch by default.")
    ] = None,
    time_system: Annotated[
        str | None, typer.Option(help="oem, aem: UTC, TAI, TT or TDB; target.time_system by default.")
    ] = None,
    frame: Annotated[
        str | None, typer.Option(help="oem, aem: surface (the default), or inertial, from the target's centre.")
    ] = None,
    frame_name: Annotated[
        str | None, typer.Option(metavar="NAME", help="oem, aem: what other programs call that frame.")
    ] = None,
    body: Annotated[
        str | None, typer.Option(metavar="NAME", help="oem, aem: which vehicle, where there are several.")
    ] = None,
    frames: Annotated[
        int | None, typer.Option(min=1, help="vtk, gltf: most instants; peaks of force are kept.")
    ] = None,
    cell: Annotated[float | None, typer.Option(help="geotiff: side of a cell on the ground [m].")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
) -> None:
    """`planetfall export`."""
    from planetfall.cli.results.export import export_folder

    options = {"epoch": epoch, "time_system": time_system, "frame": frame, "frame_name": frame_name}
    export_folder(folder, to, out, force, {**options, "body": body, "frames": frames, "cell": cell})


app.add_typer(terrain, name="terrain")
app.add_typer(atmosphere, name="atmosphere")
app.add_typer(entry, name="entry")
app.add_typer(rover, name="rover")
