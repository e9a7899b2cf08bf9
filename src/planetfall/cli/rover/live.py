"""`planetfall rover live`."""

from pathlib import Path

from planetfall.cli.landing.run import free_folder
from planetfall.cli.output.saving import ADVICE
from planetfall.cli.results.view import announce
from planetfall.cli.terminal.console import print_note, progress_bar
from planetfall.cli.terminal.inputs import drive_with_sets
from planetfall.record.run_folder import check_target, save_run
from planetfall.record.trajectory import Trajectory
from planetfall.rover.drive.prepare import prepare
from planetfall.scenario.drive import DriveScenario


def live_drive(
    name: str, sets: list[str], files: list[Path], out: Path | None, force: bool, port: int, browser: bool
) -> None:
    """Serves a drive that is changed while it is looked at, until interrupted."""
    scenario = drive_with_sets(name, sets)
    if out is not None:
        check_target(out, overwrite=force, advice=ADVICE)
    own = [Path(name)] if name.endswith(".toml") else []

    from planetfall.simulate import drive
    from planetfall.viewer.live.live_connection import live_route
    from planetfall.viewer.rover.choices import offered
    from planetfall.viewer.rover.live import RoverLive
    from planetfall.viewer.rover.session import RoverSession
    from planetfall.viewer.server import Door, bound_socket, serve

    def save(trajectory: Trajectory[DriveScenario]) -> Path:
        folder = out or free_folder(Path("runs"), trajectory.scenario.name)
        saved = save_run(trajectory, folder, overwrite=force, advice=ADVICE)
        print(f"Saved    {saved}", flush=True)
        return saved

    with progress_bar(scenario.name):
        choices = offered([*own, *(file.expanduser() for file in files)])
        for note in prepare(scenario).notes:
            print_note(note)
        session = RoverLive(RoverSession(scenario, drive, choices, name if own else None), save)
    listener = bound_socket(port)
    door = Door(listener.getsockname()[1])

    async def started() -> None:
        announce(door.address, browser)

    try:
        serve(lambda _run: session.feed.whole(), listener, door, further=(live_route(session),), started=started)
    except KeyboardInterrupt:
        pass
    finally:
        listener.close()
