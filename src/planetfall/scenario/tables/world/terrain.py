"""`[terrain]`: the ground; any terrain may have others added to it."""

from typing import Annotated, Literal

from planetfall.scenario.tables.open_union import OpenUnion
from planetfall.scenario.tables.table import Table, choice, quantity
from planetfall.scenario.tables.world.terrain_parts import ADDED, FILLET, DemPart, MeshPart, Part, PlanePart
from planetfall.scenario.tables.world.terrain_procedural import TerrainProcedural
from planetfall.scenario.tables.world.terrain_sdf import TerrainSdf


class TerrainPlane(PlanePart):
    """A plane, given by slope and aspect or by its normal."""

    added: tuple[Part, ...] = choice(ADDED, ())
    fillet: float | None = quantity("m", FILLET, None, ge=0)


class TerrainDem(DemPart):
    """A digital elevation map from a file: two exact facets per cell."""

    added: tuple[Part, ...] = choice(ADDED, ())
    fillet: float | None = quantity("m", FILLET, None, ge=0)


class TerrainMesh(MeshPart):
    """A triangle mesh, from a file or written out, placed by scale, rotation and offset, in this order."""

    added: tuple[Part, ...] = choice(ADDED, ())
    fillet: float | None = quantity("m", FILLET, None, ge=0)


class TerrainEllipsoid(Table):
    """Ground at one height over the target's ellipsoid, all around it; needs target.radius."""

    model: Literal["ellipsoid"] = choice("kind of ground: plane | dem | mesh | procedural | sdf | ellipsoid")
    height: float = quantity("m", "height of the ground over the target's ellipsoid", 0.0)

    @property
    def added(self) -> tuple[Part, ...]:
        """Nothing can be added to it."""
        return ()


Terrain = Annotated[
    TerrainPlane | TerrainDem | TerrainMesh | TerrainProcedural | TerrainSdf | TerrainEllipsoid,
    OpenUnion("terrain"),
]
