"""`planetfall movie`."""

import re
from dataclasses import replace
from pathlib import Path

from planetfall.cli.terminal.console import progress_bar
from planetfall.errors import InputError


def make_movie(folder: Path, out: Path | None, size: str, force: bool, **options: object) -> None:
    """Writes a film of a run."""
    from planetfall.viewer.headless.movie import Film, check_film, picture_times, write_film
    from planetfall.viewer.source import pack_of

    match = re.fullmatch(r"(\d{2,4})x(\d{2,4})", size)
    if match is None:
        raise InputError("--size", f"{size!r} is not a size", "WxH, of two to four digits each", "for example 1280x720")
    film = replace(Film(width=int(match[1]), height=int(match[2])), **options)  # type: ignore[arg-type]
    path = (out or Path(f"{folder.expanduser().resolve().name}.mp4")).expanduser()
    check_film(path, film)
    if path.exists() and not force:
        raise InputError(str(path), "exists", advice="choose another name with --out, or replace it with --force")
    pack = pack_of(folder.expanduser())
    if pack.header["kind"] != "run":
        raise InputError(str(folder), str(pack.header.get("problem", "is not a single run")), "a folder of one run")
    picture_times(path, film, float(pack.arrays["time"][-1]))
    with progress_bar(path.name) as progress:
        count = write_film(pack, path, film, progress)
    print(f"Film     {path} ({count} picture{'s' if count > 1 else ''}, {path.stat().st_size / 1e6:.2f} MB)")
