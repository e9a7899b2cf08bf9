"""What is simulated: frozen, validated input objects, the same from TOML and from Python."""

from planetfall.scenario.files.load import library_names, load
from planetfall.scenario.scenario import Scenario

__all__ = ["Scenario", "library_names", "load"]
