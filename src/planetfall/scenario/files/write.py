"""Scenarios as TOML files that can be run again, wherever one stands."""

from pathlib import Path

import tomli_w

from planetfall.scenario.drive import DriveScenario
from planetfall.scenario.files.paths import placed, relative_to
from planetfall.scenario.scenario import Scenario

HEAD = "# Names of files are relative to the folder of this file; [files] tells where they were when it was written.\n"


def scenario_toml(scenario: Scenario | DriveScenario, folder: Path) -> bytes:
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
