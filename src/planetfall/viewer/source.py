"""What a folder has to show, read when it is asked for."""

from pathlib import Path

from planetfall.record.store import FILES, open_run
from planetfall.viewer.pack import Pack
from planetfall.viewer.scene import scene_of


def pack_of(folder: Path) -> Pack:
    """What a page shows of a folder."""
    return scene_of(open_run(folder))


class FolderSource:
    """The file of a folder's results; made again when the folder changes, so that a page can be loaded anew."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: tuple[tuple[int, ...], bytes] | None = None

    def __call__(self, run: int | None = None) -> bytes:
        """The file's bytes.

        Raises:
            InputError: The folder holds nothing that can be shown, or is just being written.
        """
        state = self._state()
        if self._made is None or self._made[0] != state:
            self._made = (state, pack_of(self.folder).to_bytes())
        return self._made[1]

    def _state(self) -> tuple[int, ...]:
        files = (self.folder / name for name in FILES)
        return tuple(file.stat().st_mtime_ns if file.is_file() else 0 for file in files)
