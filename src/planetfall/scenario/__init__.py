"""What is simulated: frozen, validated input objects, the same from TOML and from Python."""

from planetfall.scenario.files.built_in import library_names
from planetfall.scenario.files.load import load
from planetfall.scenario.scenario import Scenario

__all__ = ["Scenario", "library_names", "load"]
