"""Planetfall: landing on, bouncing across, hopping over and driving on other worlds.

    import planetfall

    planetfall.scenarios()                 # what is built in
    scenario = planetfall.load("msl-drop").with_values({"contact.rest_penetration": 0.02})
    trajectory = planetfall.run(scenario)
    trajectory.data.contact_normal_force   # an xarray.Dataset with units and frames
    trajectory.plot("normal_force")        # matplotlib's axes; plot_kinds() lists the figures
    trajectory.view()                      # the replay, in a notebook or in the browser
    trajectory.save("runs/soft-ground")

Everything heavy is imported when it is first used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planetfall import tables
    from planetfall.analysis.run.start_conventions import start_conventions
    from planetfall.campaign.campaign import montecarlo, resume
    from planetfall.errors import InputError, PlanetfallError, RunError
    from planetfall.exports.formats import export
    from planetfall.outcome import Outcome
    from planetfall.plugins import register
    from planetfall.record.ensemble import Ensemble
    from planetfall.record.open_folder import open_folder as open
    from planetfall.record.trajectory import Trajectory
    from planetfall.scenario import Scenario, library_names, load
    from planetfall.scenario.catalog import Catalog, scenarios
    from planetfall.scenario.drive import DriveScenario, load_drive
    from planetfall.simulate import drive, run

__version__ = "0.1.0"

__all__ = [
    "Catalog",
    "DriveScenario",
    "Ensemble",
    "InputError",
    "Outcome",
    "PlanetfallError",
    "RunError",
    "Scenario",
    "Trajectory",
    "drive",
    "export",
    "library_names",
    "load",
    "load_drive",
    "montecarlo",
    "open",
    "register",
    "resume",
    "run",
    "scenarios",
    "start_conventions",
    "tables",
]

_HOMES = {
    "Catalog": ("planetfall.scenario.catalog", "Catalog"),
    "scenarios": ("planetfall.scenario.catalog", "scenarios"),
    "start_conventions": ("planetfall.analysis.run.start_conventions", "start_conventions"),
    "InputError": ("planetfall.errors", "InputError"),
    "PlanetfallError": ("planetfall.errors", "PlanetfallError"),
    "RunError": ("planetfall.errors", "RunError"),
    "Outcome": ("planetfall.outcome", "Outcome"),
    "Scenario": ("planetfall.scenario", "Scenario"),
    "library_names": ("planetfall.scenario", "library_names"),
    "load": ("planetfall.scenario", "load"),
    "DriveScenario": ("planetfall.scenario.drive", "DriveScenario"),
    "drive": ("planetfall.simulate", "drive"),
    "export": ("planetfall.exports.formats", "export"),
    "load_drive": ("planetfall.scenario.drive", "load_drive"),
    "Trajectory": ("planetfall.record.trajectory", "Trajectory"),
    "Ensemble": ("planetfall.record.ensemble", "Ensemble"),
    "open": ("planetfall.record.open_folder", "open_folder"),
    "montecarlo": ("planetfall.campaign.campaign", "montecarlo"),
    "register": ("planetfall.plugins", "register"),
    "resume": ("planetfall.campaign.campaign", "resume"),
    "run": ("planetfall.simulate", "run"),
}


def __dir__() -> list[str]:
    return sorted([*__all__, "__doc__", "__version__"])


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'planetfall' has no attribute {name!r}")
    from importlib import import_module

    if name == "tables":
        return import_module("planetfall.tables")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)
