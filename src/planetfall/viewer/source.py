"""What a folder has to show, read when it is asked for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from planetfall.errors import InputError
from planetfall.record.ensemble import PLAN, is_ensemble, open_ensemble
from planetfall.record.files.schema import FILES
from planetfall.record.files.shards import RUNS
from planetfall.record.run_folder import open_run
from planetfall.record.trajectory import Trajectory
from planetfall.viewer.pack import Pack
from planetfall.viewer.scene.scene import scene_of

Replayer = Callable[[Path, int], Trajectory[Any]]
"""Repeats one run of a campaign."""


def pack_of(folder: Path) -> Pack:
    """What a page shows of a folder: a run, or where the runs of a campaign ended."""
    if is_ensemble(folder):
        from planetfall.viewer.scene.campaign_scene import campaign_scene

        return campaign_scene(open_ensemble(folder))
    return scene_of(open_run(folder))


class FolderSource:
    """The file of a folder's results; made again when the folder changes, so that a page can be loaded anew."""

    def __init__(self, folder: Path, replayer: Replayer | None = None) -> None:
        self.folder, self.replayer = folder, replayer
        self._made: tuple[tuple[int, ...], bytes] | None = None

    def __call__(self, run: int | None = None) -> bytes:
        """The file's bytes, of the folder or of one run of its campaign.

        Raises:
            InputError: The folder holds nothing that can be shown, or is just being written.
        """
        if run is not None:
            if self.replayer is None or not is_ensemble(self.folder):
                raise InputError(f"run {run}", "this folder is a single run, not a campaign")
            return scene_of(self.replayer(self.folder, run)).to_bytes()
        state = self._state()
        if self._made is None or self._made[0] != state:
            self._made = (state, pack_of(self.folder).to_bytes())
        return self._made[1]

    def _state(self) -> tuple[int, ...]:
        files = (self.folder / name for name in (*FILES, PLAN, RUNS))
        return tuple(file.stat().st_mtime_ns if file.exists() else 0 for file in files)
