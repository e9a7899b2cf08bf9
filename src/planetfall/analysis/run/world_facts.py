"""What is known of a ground and a gravity field once they are made: sizes, bounds and measured errors."""

from typing import Any

from planetfall.engine.build import Model

LEFT_OUT = frozenset({"notes", "parts", "cache", "build_s", "bytes", "bricks", "box", "levels", "nodes"})
"""What is said elsewhere, or is of a computer rather than of the world."""
PLAIN = (str, int, float, bool, list, dict, type(None))
"""Facts that people can read as they are."""


def world_facts(model: Model) -> dict[str, Any]:
    """For a summary: `ground` and `gravity`, each where something is known of it that is not in the scenario."""
    facts = {"ground": model.surface.facts, "gravity": model.gravity_facts}
    kept = {
        part: {key: _for_people(value) for key, value in known.items() if key not in LEFT_OUT}
        for part, known in facts.items()
    }
    return {part: known for part, known in kept.items() if known}


def _for_people(value: Any) -> Any:
    """A site in degrees, as `terrain info` has it; everything else as it is."""
    if type(value) in PLAIN:
        return value
    from planetfall.world.terrain.readers.rasters.raster import RasterSite  # here, or others would wait for it

    return value.values() if isinstance(value, RasterSite) else value
