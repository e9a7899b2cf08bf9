"""`[terrain]`: the ground; any terrain may have others added to it."""

from typing import Annotated

from pydantic import Field

from planetfall.scenario.tables.table import choice
from planetfall.scenario.tables.world.terrain_parts import ADDED, DemPart, MeshPart, Part, PlanePart
from planetfall.scenario.tables.world.terrain_procedural import TerrainProcedural
from planetfall.scenario.tables.world.terrain_sdf import TerrainSdf


class TerrainPlane(PlanePart):
    """A plane, given by slope and aspect or by its normal."""

    added: tuple[Part, ...] = choice(ADDED, ())


class TerrainDem(DemPart):
    """A digital elevation map from a file: two exact facets per cell."""

    added: tuple[Part, ...] = choice(ADDED, ())


class TerrainMesh(MeshPart):
    """A triangle mesh, from a file or written out, placed by scale, rotation and offset, in this order."""

    added: tuple[Part, ...] = choice(ADDED, ())


Terrain = Annotated[
    TerrainPlane | TerrainDem | TerrainMesh | TerrainProcedural | TerrainSdf, Field(discriminator="model")
]
