"""Scenarios as TOML files that can be run again, wherever one stands."""

from pathlib import Path

import tomli_w

from planetfall.scenario.drive import DriveScenario
from planetfall.scenario.paths import placed, relative_to
from planetfall.scenario.scenario import Scenario


def scenario_toml(scenario: Scenario | DriveScenario, folder: Path) -> bytes:
    """The text of a file in a folder; files that it names are relative to the folder, or whole if they are far off."""
    where: list[str] = []
    place = relative_to(folder)

    def noted(name: str) -> str:
        short = place(name)
        if short != name:
            where.append(f"# {short!r} was {name!r} when this was written.\n")
        return short

    values = placed(scenario.to_dict(), type(scenario), noted)
    head = ["# Names of files are relative to the folder of this file.\n", *dict.fromkeys(where)] if where else []
    return ("".join(head) + tomli_w.dumps(values)).encode()
