"""`planetfall view`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO, TypeVar

from planetfall.cli.output.out_file import write_whole
from planetfall.cli.output.saving import not_made
from planetfall.cli.terminal.console import progress_bar
from planetfall.errors import InputError, PlanetfallError

Made = TypeVar("Made")


def view_folder(folder: Path, export: Path | None, force: bool, port: int, browser: bool) -> None:
    """Serves a folder's results to a browser on this machine, or writes them as one page."""
    from planetfall.viewer.source import FolderSource, pack_of

    folder = folder.expanduser()
    if export is not None:
        from planetfall.viewer.page import page_with

        with progress_bar(folder.name):
            write_page(export, page_with(_told(folder, lambda: pack_of(folder))), force)
        return
    from planetfall.viewer.server import Door, bound_socket, serve

    source = FolderSource(folder, _replayed)
    with progress_bar(folder.name):
        _told(folder, source)  # whatever is wrong with the folder is said here, not in a browser
    listener = bound_socket(port)
    door = Door(listener.getsockname()[1])

    async def started() -> None:
        announce(door.address, browser)

    try:
        serve(source, listener, door, started=started)
    except KeyboardInterrupt:
        pass
    finally:
        listener.close()


def _told(folder: Path, make: Callable[[], Made]) -> Made:
    """What is made of a folder; whatever stands in the way is said in one paragraph."""
    try:
        return make()
    except PlanetfallError:
        raise
    except Exception as error:
        raise not_made(folder, "view", error) from error


def _replayed(folder: Path, run: int) -> Any:
    from planetfall.campaign.replay import replay

    return replay(folder, run)


def announce(address: str, browser: bool, to: TextIO | None = None) -> None:
    """Prints where the page is, and opens it."""
    print(f"Viewer   {address}\n         for this machine alone; Ctrl-C ends it", file=to, flush=True)
    if browser:
        import webbrowser

        webbrowser.open(address)


def check_page(path: Path, force: bool) -> None:
    """Refuses a name that no page may have, before any work is done."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(str(path), "is not the name of a page", "a file that ends in .html")
    if path.exists() and not force:
        raise InputError(str(path), "exists", advice="choose another name, or replace it with --force")


def write_page(path: Path, text: str, force: bool) -> None:
    """Writes an HTML file, whole or not at all, and says so."""
    path = path.expanduser()
    check_page(path, force)
    write_whole(path, text.encode())
    print(f"Page     {path} ({path.stat().st_size / 1e6:.2f} MB), opens in any browser, needs nothing else")
