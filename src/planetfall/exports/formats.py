"""`planetfall.export`: which formats there are, what each can hold, and files that are written whole or not at all."""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planetfall.arguments import described, path_of
from planetfall.errors import InputError
from planetfall.exports.ccsds import aem_text, oem_text
from planetfall.exports.epochs import Epoch, epoch_of
from planetfall.exports.geotiff import write_geotiff
from planetfall.exports.gltf import write_gltf
from planetfall.exports.motion import BodyMotion, motion_of
from planetfall.exports.tables import write_campaign_csv, write_run_csv
from planetfall.exports.vtk import pieces_of, write_vtk
from planetfall.record.ensemble import Ensemble
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.files.changed_keys import full_title

FRAMES_SHOWN = {"vtk": 300, "gltf": 2000}
"""Instants that a file for a 3-D program gets where no number is given (assumed)."""


@dataclass(frozen=True)
class ExportOptions:
    """What a format leaves open.

    Attributes:
        epoch: Instant of time zero, ISO 8601; that of the scenario if not given (oem, aem).
        time_system: Of the epoch; that of the scenario if not given (oem, aem).
        frame: "surface" or "inertial" (oem, aem).
        frame_name: What other programs call that frame (oem, aem).
        body: Which vehicle, where there are several (oem, aem).
        frames: Most instants (vtk, gltf).
        cell: Side of a cell [m] (geotiff).
    """

    epoch: str | None = None
    time_system: str | None = None
    frame: str = "surface"
    frame_name: str | None = None
    body: str | None = None
    frames: int | None = None
    cell: float | None = None


WriteRun = Callable[[Trajectory[Any], Path, ExportOptions], list[Path]]


@dataclass(frozen=True)
class ExportFormat:
    """A format.

    Attributes:
        suffix: Of its file.
        meaning: What it is, for people.
        run: Writes a run, or None where runs have no such file.
        campaign: Writes a campaign, or None.
    """

    suffix: str
    meaning: str
    run: WriteRun | None = None
    campaign: Callable[[Ensemble, Path, ExportOptions], list[Path]] | None = None


def _message(
    text: Callable[[BodyMotion, Epoch, str], str],
) -> Callable[[Trajectory[Any], Path, ExportOptions], list[Path]]:
    def write(trajectory: Trajectory[Any], out: Path, options: ExportOptions) -> list[Path]:
        motion = motion_of(trajectory, options.frame, options.frame_name, options.body)
        target = trajectory.scenario.target
        epoch = epoch_of(options.epoch or target.epoch, options.time_system or target.time_system, "epoch")
        out.write_text(text(motion, epoch, full_title(trajectory.scenario)), encoding="ascii")
        return [out]

    return write


FORMATS = {
    "oem": ExportFormat(".oem", "CCSDS orbit ephemeris message of a run", _message(oem_text)),
    "aem": ExportFormat(".aem", "CCSDS attitude ephemeris message of a run", _message(aem_text)),
    "vtk": ExportFormat(
        ".pvd", "ParaView collection of a run: ground, track, bodies, contact forces",
        lambda run, out, options: write_vtk(run, out, options.frames or FRAMES_SHOWN["vtk"]),
    ),
    "gltf": ExportFormat(
        ".glb", "animated glTF 2.0 scene of a run",
        lambda run, out, options: write_gltf(run, out, options.frames or FRAMES_SHOWN["gltf"]),
    ),
    "csv": ExportFormat(
        ".csv", "table of a run (a row per instant) or of a campaign (a row per run)",
        lambda run, out, options: write_run_csv(run, out),
        lambda runs, out, options: write_campaign_csv(runs, out),
    ),
    "geotiff": ExportFormat(
        ".tif", "landing places of a campaign, counted by cell and outcome",
        campaign=lambda runs, out, options: write_geotiff(runs, out, options.cell),
    ),
}  # fmt: skip
"""By the name that `--to` takes."""


def export(
    result: Trajectory[Any] | Ensemble, to: str, out: str | Path, *, overwrite: bool = False, **options: Any
) -> list[Path]:
    """Writes a run or a campaign in the format of another program.

    Args:
        result: What `planetfall.run`, `planetfall.montecarlo` or `planetfall.open` gives.
        to: A name of `FORMATS`.
        out: The file; its name ends as the format asks. `vtk` writes a folder of pieces beside it.
        overwrite: Whether earlier files of this name may be replaced.
        options: Fields of `ExportOptions`.

    Returns:
        The files; the one to open is the first.

    Raises:
        InputError: The format is not known, cannot hold this result, or lacks something; or the file cannot be written.

    Examples:
        >>> planetfall.export(planetfall.open("campaign"), "csv", "rows.csv")[0].name
        'rows.csv'
    """
    kind = format_named(to)
    path = path_of("out", out).expanduser()
    check_export(path, kind, overwrite=overwrite)
    unknown = sorted(options.keys() - ExportOptions.__dataclass_fields__.keys())
    if unknown:
        known = ", ".join(ExportOptions.__dataclass_fields__)
        raise InputError(unknown[0], "is not an option of an export", f"one of {known}")
    if not isinstance(result, Trajectory | Ensemble):
        raise InputError("result", f"got {described(result)}", "what planetfall.run, montecarlo or open gives")
    write = kind.campaign if isinstance(result, Ensemble) else kind.run
    if write is None:
        what, other = ("a campaign", "runs") if isinstance(result, Ensemble) else ("a single run", "campaigns")
        fitting = ", ".join(name for name, other in FORMATS.items() if _holds(other, result))
        raise InputError(f"to {to}", f"is a format for {other}, and this is {what}", f"one of {fitting}")
    settings = ExportOptions(**options)
    if settings.frames is not None and settings.frames < 1:
        raise InputError("frames", f"{settings.frames}", "at least 1")
    return _whole(path, lambda part: write(result, part, settings))  # type: ignore[arg-type]


def format_named(name: str) -> ExportFormat:
    """The format of a name.

    Raises:
        InputError: There is none; the message lists those that there are.
    """
    if name not in FORMATS:
        raise InputError(f"--to {name}", "is not a format that Planetfall writes", f"one of {', '.join(FORMATS)}")
    return FORMATS[name]


def check_export(path: Path, kind: ExportFormat, *, overwrite: bool) -> None:
    """Refuses a place that cannot be or is taken, before any work is done."""
    if path.suffix.lower() != kind.suffix:
        raise InputError(f"--out {path}", f"does not end in {kind.suffix}", f"a name that ends in {kind.suffix}")
    if path.is_dir():
        raise InputError(f"--out {path}", "is a folder", "the name of a file")
    for place in _places(path):
        if place.exists() and not overwrite:
            raise InputError(str(place), "exists", advice="choose another name with --out, or replace it with --force")
        others = [item.name for item in place.iterdir() if item.suffix != ".vtp"] if place.is_dir() else []
        if others:
            raise InputError(str(place), f"holds other files ({others[0]})", advice="choose another name with --out")


def _holds(kind: ExportFormat, result: object) -> bool:
    return (kind.campaign if isinstance(result, Ensemble) else kind.run) is not None


def _places(path: Path) -> list[Path]:
    """The file, and the folder of its pieces where the format has one."""
    return [path, pieces_of(path)] if path.suffix.lower() == ".pvd" else [path]


def _whole(path: Path, write: Callable[[Path], list[Path]]) -> list[Path]:
    """Has files written in a folder beside their place and moves them there when all are complete."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f".{path.stem}-", dir=path.parent))
        try:
            written = write(part / path.name)
            for place in reversed(_places(path)):  # the file to open last, when its pieces are there
                if place.is_dir():
                    shutil.rmtree(place)
                (part / place.name).replace(place)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise InputError(str(path), problem, advice="name another place with --out") from None
    return [path.parent / file.relative_to(part) for file in written]
