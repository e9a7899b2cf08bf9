"""`planetfall export`."""

from pathlib import Path
from typing import Any

from planetfall.cli.terminal.console import print_note, progress_bar
from planetfall.errors import InputError


def export_folder(folder: Path, to: str, out: Path | None, force: bool, options: dict[str, Any]) -> None:
    """Writes what a folder holds in the format of another program, and says what was written."""
    from planetfall.exports.formats import check_export, export, format_named
    from planetfall.record.ensemble import is_ensemble, open_ensemble
    from planetfall.record.run_folder import open_run

    kind, folder = format_named(to), folder.expanduser()
    path = (Path(f"{folder.resolve().name}{kind.suffix}") if out is None else out).expanduser()
    check_export(path, kind, overwrite=force)
    if is_ensemble(folder):
        result = open_ensemble(folder)
        if result.gap:
            print_note(result.gap)
    else:
        result = open_run(folder)
    given = {name: value for name, value in options.items() if value is not None}
    unused = sorted(given.keys() - USED[to])
    if unused:
        raise InputError(
            f"--{unused[0].replace('_', '-')}", f"has no meaning for the format {to}", advice="leave it out"
        )
    with progress_bar(folder.name):
        written = export(result, to, path, overwrite=force, **given)
    size = sum(file.stat().st_size for file in written)
    pieces = f" and {len(written) - 1} files in {written[1].parent}" if len(written) > 1 else ""
    print(f"Export   {written[0]}{pieces} ({size / 1e6:.2f} MB): {kind.meaning}")


_TIMED = {"epoch", "time_system", "frame", "frame_name", "body"}
USED = {"oem": _TIMED, "aem": _TIMED, "vtk": {"frames"}, "gltf": {"frames"}, "csv": set(), "geotiff": {"cell"}}
"""The options that a format heeds."""
