"""From a scenario's terrain table to a terrain on a device."""

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import warp as wp

from planetfall.errors import InputError
from planetfall.scenario.attitude import rotation_matrix
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.terrain import TerrainDem, TerrainMesh, TerrainPlane
from planetfall.scenario.terrain_procedural import TerrainProcedural
from planetfall.world.terrain.plane import TERRAIN_DISC, TERRAIN_PLANE
from planetfall.world.terrain.surface import Surface

if TYPE_CHECKING:
    from planetfall.world.terrain.procedural.generate import GeneratedTerrain

REACH_IN_SINKS = 2.0
"""How many sinks from the ground a mesh still measures gaps exactly."""


def make_surface(scenario: Scenario, device: str) -> Surface:
    """The terrain that a scenario asks for, on a device."""
    terrain = scenario.terrain
    if isinstance(terrain, TerrainPlane):
        return _plane(terrain, device)
    if isinstance(terrain, TerrainDem):
        return _dem(terrain, device)
    reach = REACH_IN_SINKS * scenario.contact.sink
    if isinstance(terrain, TerrainProcedural):
        return _procedural(terrain, reach, device)
    return _mesh(terrain, reach, device)


def _plane(plane: TerrainPlane, device: str) -> Surface:
    model = TERRAIN_PLANE if plane.radius is None else TERRAIN_DISC
    params = model.params()
    params.point, params.normal = wp.vec3d(*plane.point), wp.vec3d(*plane.outward)
    params.radius = np.inf if plane.radius is None else plane.radius
    return Surface(model, params, device)


def _dem(dem: TerrainDem, device: str) -> Surface:
    from planetfall.world.terrain.dem_build import dem_surface
    from planetfall.world.terrain.readers.load import load_terrain_file
    from planetfall.world.terrain.readers.raster import Raster, RasterReading
    from planetfall.world.terrain.readers.site import SiteLatLon, SitePixel

    site = None
    if dem.site_latlon_deg is not None:
        site = SiteLatLon(*dem.site_latlon_deg)
    if dem.site_pixel is not None:
        site = SitePixel(*dem.site_pixel)
    reading = RasterReading(spacing=dem.spacing, height_scale=dem.height_scale, height_offset=dem.height_offset)
    raster = load_terrain_file(dem.file, site, dem.half_width, raster=reading)
    if not isinstance(raster, Raster):
        raise InputError("terrain.file", f"{dem.file} is a mesh", advice="use terrain.model = 'mesh'")
    origin = np.array([raster.x_first, raster.y_first, 0.0])
    return dem_surface(raster.heights, origin, (raster.spacing_x, raster.spacing_y), device, source=raster.source)


def _mesh(table: TerrainMesh, reach: float, device: str) -> Surface:
    from planetfall.world.terrain.mesh_build import mesh_surface
    from planetfall.world.terrain.readers.load import MeshReading, arranged_mesh, load_terrain_file
    from planetfall.world.terrain.readers.mesh_data import MeshData, Placement, clean_mesh

    rotation = tuple(tuple(row) for row in rotation_matrix(np.asarray(table.rotation)).tolist())
    placement = Placement(scale=table.scale, rotation=rotation, offset=table.offset)
    reading = MeshReading(placement=placement, orientation=table.orientation)
    if table.file is None:
        written = clean_mesh("terrain", np.array(table.vertices), np.array(table.facets), "written in the scenario")
        mesh = arranged_mesh("terrain", written, reading)
    else:
        mesh = load_terrain_file(table.file, mesh=reading)
    if not isinstance(mesh, MeshData):
        raise InputError("terrain.file", f"{table.file} is a map", advice="use terrain.model = 'dem'")
    return mesh_surface(mesh.vertices, mesh.facets, device, reach=reach, source=mesh.source)


@lru_cache(maxsize=1)  # a run and its figures ask for the same ground
def _made(table: TerrainProcedural) -> "GeneratedTerrain":
    from planetfall.world.terrain.procedural.generate import generate

    return generate(table)


def _procedural(table: TerrainProcedural, reach: float, device: str) -> Surface:
    from planetfall.world.terrain.dem_build import dem_surface

    made = _made(table)  # type: ignore[arg-type]  frozen, hence hashable
    origin = np.array([made.x_first, made.y_first, 0.0])
    ground = dem_surface(made.heights, origin, (made.spacing, made.spacing), device, source=made.source)
    if made.rock_mesh is None:
        return ground
    from planetfall.world.terrain.combined_build import combined_surface
    from planetfall.world.terrain.mesh_build import mesh_surface

    rocks = mesh_surface(made.rock_mesh.vertices, made.rock_mesh.facets, device, reach=reach, source=made.source)
    return combined_surface(ground, rocks)
