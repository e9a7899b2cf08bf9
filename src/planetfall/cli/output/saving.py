"""How the verbs write a run folder: the data first, then the figures, then what went wrong."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planetfall.errors import PlanetfallError
from planetfall.record.run_folder import Advice, save_run
from planetfall.record.trajectory import Trajectory

WRITES_HELP = "_update_set_signature_and_docstring"
"""The method by which Matplotlib's classes write their help."""
ADVICE = Advice("choose another folder with --out", "replace it with --force")


@dataclass(frozen=True)
class SavedRun:
    """A run folder that is written.

    Attributes:
        folder: The folder.
        figures: PNG files in it.
        problem: What could not be made, where the data lie, and the command that makes it again; empty if all is well.
    """

    folder: Path
    figures: list[Path]
    problem: str = ""

    def check(self) -> None:
        """Raises the problem, if there is one: called last, when everything that there is has been shown."""
        if self.problem:
            raise PlanetfallError(self.problem)


def save_with_figures(trajectory: Trajectory[Any], folder: Path, *, force: bool, figures: bool) -> SavedRun:
    """Writes the data of a run, then draws its figures; a fault after the data costs only what it spoils."""
    folder = save_run(trajectory, folder, overwrite=force, advice=ADVICE)
    problems = list(trajectory.summary.get("problems", ()))
    if problems:
        again = shlex.quote(str(folder / "scenario.toml"))
        return SavedRun(
            folder, [],
            f"{folder}: the data are written, but {'; '.join(problems)}; "
            f"run it again with a version that is mended: planetfall run {again}",
        )  # fmt: skip
    if not figures:
        return SavedRun(folder, [])
    again = f"planetfall figures {shlex.quote(str(folder))}"
    try:
        return SavedRun(folder, draw_all(trajectory, folder))
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"the data are in {folder}; draw the figures with {again}") from None
    except Exception as error:
        problem = f"not every figure could be drawn ({type(error).__name__}: {error})"
        return SavedRun(folder, [], f"{folder}: the data are written, but {problem}; draw them again with {again}")


@contextmanager
def run_kept(folder: Path, force: bool) -> Iterator[None]:
    """Writes a run whose check is interrupted inside: the run itself is whole."""
    from planetfall.simulate import CheckInterrupt

    try:
        yield
    except CheckInterrupt as interrupt:
        save_run(interrupt.trajectory, folder, overwrite=force, advice=ADVICE)
        raise KeyboardInterrupt(f"the run, without its check, is in {folder}") from None


def not_made(folder: Path, what: str, error: Exception) -> PlanetfallError:
    """What to say where a page or view of a folder could not be made; the data in the folder are whole all the same."""
    again = {"page": "report", "view": "view"}[what]
    return PlanetfallError(
        f"{folder}: the data are safe, but the {what} could not be made of them ({type(error).__name__}: {error}); "
        f"make it again with planetfall {again} {shlex.quote(str(folder))}, once that is fixed"
    )


def draw_all(trajectory: Trajectory[Any], folder: Path) -> list[Path]:
    """Draws the figures of a run or of a rover's drive; returns the PNG files."""
    leave_out_help_texts()
    from planetfall.report.result_figures import draw_result

    return draw_result(trajectory, folder)


def leave_out_help_texts() -> None:
    """For the time of this process, which shows none of them: a third of loading Matplotlib is writing its help.

    Of each class it writes a list of what its `set` takes; whether `set` takes it does not depend on that.
    """
    from matplotlib.artist import Artist

    if hasattr(Artist, WRITES_HELP):  # a name of its own that may change, with which only the time goes
        setattr(Artist, WRITES_HELP, classmethod(lambda cls: None))
