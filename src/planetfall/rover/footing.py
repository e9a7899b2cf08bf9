"""Which disc query belongs to which terrain."""

from dataclasses import dataclass
from typing import Any

from planetfall.errors import InputError
from planetfall.rover.disc import disc_on_bounded_plane, disc_on_plane
from planetfall.rover.disc_dem import disc_on_dem
from planetfall.rover.disc_mesh import disc_on_mesh
from planetfall.world.terrain.dem import DemParams
from planetfall.world.terrain.mesh import MeshParams
from planetfall.world.terrain.plane import PlaneParams
from planetfall.world.terrain.surface import Surface


@dataclass(frozen=True)
class Footing:
    """A terrain as the rover's kernels take it.

    Attributes:
        name: Name of the terrain; part of the kernel cache key.
        params: `@wp.struct` class that holds the terrain.
        rest: `@wp.func (params, Disc) -> Rest`.
    """

    name: str
    params: Any
    rest: Any


FOOTINGS = {
    footing.name: footing
    for footing in (
        Footing("plane", PlaneParams, disc_on_plane),
        Footing("disc", PlaneParams, disc_on_bounded_plane),
        Footing("dem", DemParams, disc_on_dem),
        Footing("mesh", MeshParams, disc_on_mesh),
    )
}


def footing_of(surface: Surface) -> Footing:
    """The disc query of a terrain."""
    if surface.model.name not in FOOTINGS:
        raise InputError(
            "terrain.model", f"a rover cannot drive on {surface.model.name!r}", f"allowed: {', '.join(FOOTINGS)}"
        )
    return FOOTINGS[surface.model.name]
