"""Folders of results that are not runs: written beside their place, and moved there when they are complete."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from planetfall.errors import InputError


def check_result_folder(folder: Path, force: bool, kind: str, endings: tuple[str, ...]) -> None:
    """Refuses a folder that holds anything but an earlier result of its kind, before any work is done.

    Args:
        folder: Where the result is to be.
        force: Whether an earlier one may be replaced.
        kind: What it is, in a word: "map".
        endings: Of the files that such results have.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError(str(folder), "is a file", f"a folder for the {kind}", "choose another with --out")
    others = [item.name for item in folder.iterdir() if item.suffix not in endings]
    if others:
        raise InputError(str(folder), f"holds other files ({others[0]})", advice="choose another with --out")
    if any(folder.iterdir()) and not force:
        raise InputError(str(folder), f"holds an earlier {kind}", advice="choose another with --out, or use --force")


def fill_result_folder(folder: Path, force: bool, write: Callable[[Path], list[Path]]) -> list[Path]:
    """Has a folder written beside its final place and moves it there when it is complete; returns its files."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            written = write(part)
            if folder.exists() and force:
                shutil.rmtree(folder)
            elif folder.exists():
                folder.rmdir()  # empty, as was checked
            part.chmod(0o755)
            part.rename(folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise InputError(str(folder), problem, advice="choose another with --out") from None
    return [folder / path.name for path in written]
