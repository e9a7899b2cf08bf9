"""`planetfall movie`."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from planetfall.cli.terminal.console import progress_bar
from planetfall.errors import InputError

if TYPE_CHECKING:
    from planetfall.viewer.headless.movie import Film
    from planetfall.viewer.pack import Pack


def make_movie(
    folder: Path, out: Path | None, size: str, force: bool, at: float | None = None, **options: object
) -> None:
    """Writes a film of a run, or one picture of it: at a time [s], else at the first touch, else at the end."""
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
    film = placed_film(film, path, at, pack)
    picture_times(path, film, float(pack.arrays["time"][-1]))
    with progress_bar(path.name) as progress:
        count = write_film(pack, path, film, progress)
    print(f"Film     {path} ({count} picture{'s' if count > 1 else ''}, {path.stat().st_size / 1e6:.2f} MB)")


def placed_film(film: "Film", path: Path, at: float | None, pack: "Pack") -> "Film":
    """The film with the instant of its one picture, where it is one."""
    if path.suffix.lower() != ".png":
        if at is not None:
            raise InputError("--at", f"{path.name} is a film", "a .png with --at", "use --start and --end")
        return film
    if at is None and film.start > 0.0:
        return film
    touches = [event["time"] for event in pack.header["events"] if event["kind"] == "touch"]
    first = min(touches) if touches else float(pack.arrays["time"][-1])
    return replace(film, start=first if at is None else at)
