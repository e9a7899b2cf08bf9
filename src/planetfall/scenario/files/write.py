"""Scenarios as TOML files that can be run again, wherever one stands."""

from pathlib import Path
from typing import TYPE_CHECKING

import tomli_w

from planetfall.scenario.files.paths import placed, relative_to
from planetfall.scenario.scenario import Scenario

if TYPE_CHECKING:  # landings do without the rovers' modules
    from planetfall.scenario.drive import DriveScenario

HEAD = "# Names of files are relative to the folder of this file; [files] tells where they were when it was written.\n"


def scenario_toml(scenario: "Scenario | DriveScenario", folder: Path) -> bytes:
    """The text of a file in a folder; files that it names are relative to the folder, or whole if they are far off."""
    files: dict[str, str] = {}
    place = relative_to(folder)

    def kept(name: str) -> str:
        short = place(name)
        if short != name:
            files[short] = name
        return short

    values = placed(scenario.to_dict(), type(scenario), kept)
    return (HEAD + tomli_w.dumps({**values, "files": files}) if files else tomli_w.dumps(values)).encode()
