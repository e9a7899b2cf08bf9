"""What every folder of results has: the names of its files, its schema, and the versions it was made with.

The schema is a number that tells later versions how to read the folder.

| schema | written by | difference |
|---|---|---|
| none | Planetfall 0.1.0 | no `schema`, no checksums of runs, no digest of a campaign's plan |
| 1 | later ones | |

The schema is raised whenever a later version could misread what an earlier one wrote, or the other way round.
"""

from importlib import import_module
from typing import Any

from planetfall.errors import InputError

SCENARIO, TRAJECTORY, SUMMARY, EVENTS = "scenario.toml", "trajectory.nc", "summary.json", "events.csv"
"""Files of a run folder."""
FILES = (SCENARIO, TRAJECTORY, SUMMARY, EVENTS)
DATA = (SCENARIO, TRAJECTORY, EVENTS)
"""Files whose checksums the summary keeps."""
FIGURES = (".png", ".svg")
"""How names of figures in it end."""
PLAN = "campaign.json"
"""What a folder of many runs has besides."""
SCHEMA = 1
KEY = "schema"
MODULES = {"planetfall": "planetfall", "warp-lang": "warp", "numpy": "numpy", "scipy": "scipy"}
"""Packages whose versions decide the last bits of a result, and the modules that know theirs."""


def checked_schema(found: Any, where: str) -> int:
    """The schema that a file declares; 0 where it declares none, as the first release did.

    Raises:
        InputError: It is no such number, or that of a later version.
    """
    if found is None:
        return 0
    if hasattr(found, "item") and getattr(found, "size", 0) == 1:
        found = found.item()  # attributes of NetCDF files are arrays
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        raise InputError(where, f"is damaged: its schema is {str(found)[:40]!r}", "a whole number from 1")
    if found > SCHEMA:
        raise InputError(
            where, f"was written by a newer version of Planetfall (schema {found})",
            f"a schema up to {SCHEMA}", "install a newer Planetfall: pip install -U planetfall",
        )  # fmt: skip
    return found


def versions_of(*packages: str) -> dict[str, str]:
    """Versions of the code that runs, also where it runs from a folder that no installer knows."""
    return {name: str(import_module(MODULES[name]).__version__) for name in packages}
