"""What a result was made with."""

from importlib import import_module

MODULES = {"planetfall": "planetfall", "warp-lang": "warp", "numpy": "numpy", "scipy": "scipy"}
"""Packages whose versions decide the last bits of a result, and the modules that know theirs."""


def versions_of(*packages: str) -> dict[str, str]:
    """Versions of the code that runs, also where it runs from a folder that no installer knows."""
    return {name: str(import_module(MODULES[name]).__version__) for name in packages}
