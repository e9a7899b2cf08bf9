"""`planetfall run --live`."""

import sys
import threading
import time
from contextlib import ExitStack, closing

from planetfall.cli.landing.run import LiveOptions, RunOutput, run_and_save
from planetfall.cli.results.view import announce
from planetfall.errors import InputError, PlanetfallError
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.scenario import Scenario
from planetfall.viewer.live.live_connection import PERIOD, live_route
from planetfall.viewer.live.live_run import LiveRun, checked_pace
from planetfall.viewer.server import Door, Source, bound_socket, serving


def run_live(scenario: Scenario, target: RunOutput, device: str, options: LiveOptions) -> Trajectory:
    """Runs a scenario while pages look on, writes its folder as usual, and serves the replay until interrupted."""
    from planetfall.simulate import trajectory_of

    pace = pace_of(options.pace)
    listener = bound_socket(options.port)
    with closing(listener), ExitStack() as stack:
        door = Door(listener.getsockname()[1])

        def ready() -> None:
            source = feed_source(session)
            stack.enter_context(serving(source, listener, door, further=(live_route(session),)))
            announce(door.address, options.browser, sys.stderr if target.as_json else sys.stdout)

        session = LiveRun(scenario, trajectory_of, pace, ready)
        try:
            trajectory = run_and_save(scenario, target, device, session)
        except BaseException as error:
            # Errors of ours say whether data were written; an interrupt before that leaves nothing.
            session.fail(str(error) if isinstance(error, PlanetfallError) else "The run was given up.")
            time.sleep(3 * PERIOD)  # so that pages get to know
            raise
        try:
            session.finish(trajectory, f"{trajectory.summary['outcome_sentence']} Results are in {target.folder}.")
            threading.Event().wait()
        except KeyboardInterrupt:
            pass  # the run is saved: this is how looking at it ends, even before pages have the whole of it
    return trajectory


def pace_of(text: str) -> float | None:
    """Simulated over real time; None for as fast as it can.

    Raises:
        InputError: It is neither a number that may be asked for nor `max`.
    """
    if text == "max":
        return None
    try:
        return checked_pace(float(text))
    except (ValueError, InputError):
        raise InputError(f"--pace {text}", "is not a pace", "simulated over real time, 0.001 to 1e6, or max") from None


def feed_source(session: LiveRun) -> Source:
    """The file of the session's scene."""

    def source(run: int | None) -> bytes:
        if run is not None:
            raise InputError(f"run {run}", "this is a single run, not a campaign")
        return session.feed.whole()

    return source
