"""A file named by `--out`: refused before any work where it cannot be, written whole or not at all."""

import os
from pathlib import Path

from planetfall.errors import InputError


def check_out_file(out: Path, suffix: str, force: bool | None = None) -> None:
    """Refuses a place that cannot be or is taken, before any work is done.

    Args:
        out: The file.
        suffix: How its name must end.
        force: Whether a file that is there may be replaced; None for a command that has no `--force`.
    """
    if out.suffix.lower() != suffix:
        raise InputError(f"--out {out}", f"is no {suffix[1:].upper()} file", f"a name that ends in {suffix}")
    if out.is_dir():
        example = f"for example --out {out / f'out{suffix}'}"
        raise InputError(f"--out {out}", "is a folder", "the name of a file", example)
    if out.exists() and not force:
        replaced = "" if force is None else ", or replace it with --force"
        raise InputError(str(out), "exists", advice=f"choose another file with --out{replaced}")
    parent = next(place for place in out.absolute().parents if place.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        raise InputError(str(out), f"cannot be made: {parent} is not a folder that can be written", advice="use --out")


def write_whole(out: Path, data: bytes) -> None:
    """Writes a file, and folders above it; an earlier one is replaced in one go."""
    part: Path | None = None
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        part = out.with_name(f".{out.name}-{os.getpid()}")
        part.write_bytes(data)
        part.replace(out)
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise InputError(str(out), problem, advice="name another place") from None
    finally:
        if part is not None:
            part.unlink(missing_ok=True)
