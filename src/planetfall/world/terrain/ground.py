"""From a scenario's terrain table to a terrain on a device."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from planetfall.compute.draft import Draft
from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.contact.anchor import ContactAnchor
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.scenario.tables.world.target import Target
from planetfall.scenario.tables.world.terrain import Terrain, TerrainEllipsoid, TerrainMesh
from planetfall.scenario.tables.world.terrain_parts import DemPart, MeshPart, PlanePart
from planetfall.scenario.tables.world.terrain_procedural import TerrainProcedural
from planetfall.scenario.tables.world.terrain_sdf import TerrainSdf
from planetfall.world.planet import planet_params
from planetfall.world.terrain.on_planet import map_params, on_planet
from planetfall.world.terrain.plane import TERRAIN_DISC, TERRAIN_PLANE, PlaneParams
from planetfall.world.terrain.surface import Surface

if TYPE_CHECKING:
    from planetfall.world.shape.mass_properties import ShapeProperties
    from planetfall.world.terrain.procedural.generate import GeneratedTerrain
    from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
    from planetfall.world.terrain.readers.rasters.raster import RasterReading, RasterSite
    from planetfall.world.terrain.readers.rasters.site import Site

Look = Callable[["ShapeProperties | MeshData | None"], None]
"""Shown what is known of a whole body: its properties, a mesh that may be one, or nothing."""

OWN_TERRAINS: dict[type, Callable[[Any, str], Surface]] = {}
"""Of terrains of the user's own, by table: the surface on a device."""
REACH_IN_SINKS = 2.0
"""How many sinks from the ground a mesh still measures gaps exactly."""
FILLET_IN_SINKS = 0.01
"""Width of the corners of combined ground, where the scenario gives none (assumed; `docs/models/terrain.md`)."""


def make_surface(scenario: Scenario, device: str) -> Surface:
    """The terrain that a scenario asks for, on a device; a whole body is first looked at for what cannot be."""
    notes: list[str] = []

    def look(found: "ShapeProperties | MeshData | None") -> None:
        from planetfall.world.shape.plausible import body_notes

        notes.extend(body_notes(scenario, found))

    ground = scenario.ground
    if isinstance(ground, TerrainEllipsoid):
        return _ellipsoid(ground, scenario.target, device)
    if scenario.target.spins_about_principal_axis and not isinstance(ground, TerrainSdf | TerrainMesh):
        look(None)
    sink = scenario.contact.sink
    # that law feels one plane at a time, and changes between planes with a width of its own
    fillet = 0.0 if isinstance(scenario.contact, ContactAnchor) else FILLET_IN_SINKS * sink
    surface = surface_of(ground, REACH_IN_SINKS * sink, device, scenario.ground_key, look, fillet)
    box = map_box(surface, ground)
    if scenario.target.site is not None and box is not None:
        surface = _on_planet(surface, scenario.target, box)
    if not notes:
        return surface
    return replace(surface, facts={**surface.facts, "notes": (*surface.facts.get("notes", ()), *notes)})


def surface_of(
    terrain: Terrain, reach: float, device: str, shape_key: str = "terrain.file", look: Look | None = None,
    fillet: float = 0.0,
) -> Surface:  # fmt: skip
    """A terrain on a device.

    Args:
        terrain: The table.
        reach: How far from a mesh gaps are measured exactly [m].
        device: Warp device.
        shape_key: The key that names the shape of a whole body, for messages.
        look: Shown what is known of the body before anything is built.
        fillet: Width of the corners of combined ground [m], where the table gives none.
    """
    if isinstance(terrain, TerrainEllipsoid):
        raise InputError("terrain.model", "'ellipsoid' is ground for flights over a target", "a plane, map or mesh")
    if (given := getattr(terrain, "fillet", None)) is not None:
        fillet = given
    if fillet > 0.5 * reach:  # farther from a mesh only a bound of its distance is known, which a fillet would lower
        raise InputError(
            "terrain.fillet", f"{fillet:g} m is too wide: meshes are measured to {reach:g} m from them",
            f"at most {0.5 * reach:g} m", "a hundredth of the depth at rest does",
        )  # fmt: skip
    base = _part(terrain, "terrain", reach, device, shape_key, look, fillet)
    if not terrain.added:
        return base
    from planetfall.world.terrain.combined_build import combined_surface

    parts = enumerate(terrain.added)
    added = [_part(part, f"terrain.added.{i}", reach, device) for i, part in parts]
    return combined_surface(base, *added, fillet=fillet)


def _part(
    part: PlanePart | DemPart | MeshPart | TerrainProcedural | TerrainSdf,
    key: str,
    reach: float,
    device: str,
    shape_key: str = "terrain.file",
    look: Look | None = None,
    fillet: float = 0.0,
) -> Surface:
    if (own := OWN_TERRAINS.get(type(part))) is not None:
        return own(part, device)
    if isinstance(part, PlanePart):
        return _plane(part, device)
    if isinstance(part, DemPart):
        return _dem(part, key, device)
    if isinstance(part, TerrainProcedural):
        return _procedural(part, reach, device, fillet)
    if isinstance(part, TerrainSdf):
        from planetfall.world.terrain.sdf.table import sdf_of_table

        return sdf_of_table(part, device, shape_key, look)
    if isinstance(part, MeshPart):
        return _mesh(part, key, reach, device, look)
    raise TypeError(f"{type(part).__name__}: no terrain is registered for this table; enter it in OWN_TERRAINS")


def _ellipsoid(table: TerrainEllipsoid, target: Target, device: str) -> Surface:
    from planetfall.world.terrain.ellipsoid import (  # here, or others would wait for it
        TERRAIN_ELLIPSOID,
        EllipsoidGroundParams,
    )

    params = Draft(EllipsoidGroundParams)
    params.planet, params.height = planet_params(target), table.height
    return Surface(TERRAIN_ELLIPSOID, params.on_device(device), device)


def map_box(surface: Surface, ground: Terrain) -> np.ndarray | None:
    """Lowest and highest corner [2, 3] [m] of ground that ends somewhere; None of a plane without end."""
    if not isinstance(ground, PlanePart):
        return surface.box
    if ground.radius is None:
        return None
    half = ground.radius * np.sqrt(np.maximum(0.0, 1.0 - ground.outward**2))
    box = np.array([ground.point - half, ground.point + half])
    if surface.box is None:
        return box
    return np.array([np.minimum(box[0], surface.box[0]), np.maximum(box[1], surface.box[1])])


def _on_planet(surface: Surface, target: Target, box: np.ndarray) -> Surface:
    """A map as one on a planet: far from it nothing is off the map."""
    model = on_planet(surface.model)
    params = model.params()
    around = map_params(model, None, target, box)
    params.base = surface.params
    for name, value in around.values.items():
        if name != "base":
            setattr(params, name, value.on_device(surface.device) if isinstance(value, Draft) else value)
    return replace(surface, model=model, params=params, map=surface)


def _plane(plane: PlanePart, device: str) -> Surface:
    model = TERRAIN_PLANE if plane.radius is None else TERRAIN_DISC
    return Surface(model, plane_params(plane).on_device(device), device)


def plane_params(plane: PlanePart) -> Draft:
    """`PlaneParams` of a table."""
    params = Draft(PlaneParams)
    params.point, params.normal = plane.point, plane.outward
    params.radius = np.inf if plane.radius is None else plane.radius
    return params


def _dem(dem: DemPart, key: str, device: str) -> Surface:
    from planetfall.world.terrain.dem.build import dem_surface
    from planetfall.world.terrain.readers.load import load_terrain_file
    from planetfall.world.terrain.readers.rasters.raster import Raster

    site, reading = dem_reading(dem)
    raster = load_terrain_file(_there(dem.file, key), site, dem.half_width, raster=reading)
    if not isinstance(raster, Raster):
        raise InputError(f"{key}.file", f"{dem.file} is a mesh", advice=f"use {key}.model = 'mesh'")
    origin, spacing = np.array([raster.x_first, raster.y_first, 0.0]), (raster.spacing_x, raster.spacing_y)
    notes = raster.notes
    if raster.n_holes:
        notes = (*notes, f"{raster.n_holes} of {raster.heights.size} pixels have no data and are holes")
    notes = _named(raster.source, notes)
    known = {"source": raster.source, "notes": notes}
    if raster.crs is not None:
        known |= {"crs": raster.crs, "site": raster.site}
    return dem_surface(raster.heights, origin, spacing, device, gap=dem.gap, **known)


def dem_reading(dem: DemPart) -> "tuple[Site | None, RasterReading]":
    """Where the origin of a map is to be, and how its file is read."""
    from planetfall.world.terrain.readers.rasters.raster import RasterReading
    from planetfall.world.terrain.readers.rasters.site import SiteLatLon, SitePixel

    site = None
    if dem.site_latlon_deg is not None:
        site = SiteLatLon(*dem.site_latlon_deg)
    if dem.site_pixel is not None:
        site = SitePixel(*dem.site_pixel)
    reading = RasterReading(
        spacing=dem.spacing, metres=dem.metres, band=dem.band, nodata=dem.nodata, height_scale=dem.height_scale,
        height_offset=dem.height_offset,
    )  # fmt: skip
    return site, reading


def map_place(dem: DemPart, key: str = "terrain") -> "tuple[str, RasterSite] | None":
    """Coordinate system (WKT) of a map's file and the origin of the surface frame in it; None where it has none.

    Nothing but the head of the file is read.
    """
    from planetfall.world.terrain.readers.load import open_map

    site, reading = dem_reading(dem)
    with open_map(_there(dem.file, key), site, dem.half_width, reading) as opened:
        return None if opened.crs is None else (opened.crs, opened.site)


def _there(file: str, key: str) -> str:
    """The name of a file that is there; what is wrong with one that is not is said of the key that names it."""
    from planetfall.world.terrain.readers.source_file import checked_file

    try:
        checked_file(file)
    except InputError as error:
        raise InputError(f"{key}.file", f"{file}: {error.problem}", error.allowed, error.advice) from None
    return file


def mesh_of(table: MeshPart, key: str = "terrain") -> "MeshData":
    """The mesh of a table as its file has it, placed and oriented."""
    from planetfall.world.terrain.readers.load import MeshReading, arranged_mesh, load_terrain_file
    from planetfall.world.terrain.readers.meshes.mesh_data import MeshData, Placement, clean_mesh

    rotation = tuple(tuple(row) for row in rotation_matrix(np.asarray(table.rotation)).tolist())
    placement = Placement(scale=table.scale, rotation=rotation, offset=table.offset)
    reading = MeshReading(placement=placement, orientation=table.orientation, up=table.up)
    if table.file is None:
        written = clean_mesh("terrain", np.array(table.vertices), np.array(table.facets), "written in the scenario")
        mesh = arranged_mesh("terrain", written, reading)
    else:
        mesh = load_terrain_file(_there(table.file, key), mesh=reading)
    if not isinstance(mesh, MeshData):
        raise InputError(f"{key}.file", f"{table.file} is a map", advice=f"use {key}.model = 'dem'")
    return mesh


def _mesh(table: MeshPart, key: str, reach: float, device: str, look: Look | None = None) -> Surface:
    from planetfall.world.terrain.mesh.build import mesh_surface

    mesh = mesh_of(table, key)
    if look is not None:
        look(mesh)
    _check_winding(mesh, table, key)
    notes = _named(mesh.source, mesh.notes)
    return mesh_surface(mesh.vertices, mesh.facets, device, reach=reach, source=mesh.source, notes=notes)


def _check_winding(mesh: "MeshData", table: MeshPart, key: str) -> None:
    """Refuses a mesh that cannot be ground as it is wound, unless it is the base and is not to be looked at.

    Nothing that is added may hold the world: only the base can be a cave.
    """
    from planetfall.world.terrain.readers.meshes.winding import inside_out, reversed_edges

    where, is_base = f"{key}.orientation", key == "terrain"
    source = table.file or "the facets written out"
    unless = f", or {where} = 'unchecked' where it is meant so"
    if (n_inside_out := inside_out(mesh)) and not (is_base and table.orientation == "unchecked"):
        raise InputError(
            where, f"closed bodies with normals that point into them, so that all around is solid: {n_inside_out}, in "
            f"{source}", "normals that leave the ground",
            f"use {where} = 'up', which turns them{unless if is_base else ''}",
        )  # fmt: skip
    if table.orientation == "keep" and (n_edges := reversed_edges(mesh)):
        raise InputError(
            where, f"{n_edges} edges join facets that are wound against each other or overlap, in {source}: some face "
            "into the ground", "consistent winding",
            f"use {where} = 'up', which makes the winding consistent where that is possible{unless}",
        )  # fmt: skip


def _named(source: str, notes: tuple[str, ...]) -> tuple[str, ...]:
    """Notes of a reader, each with the file that it is about."""
    return tuple(f"{source}: {note}" for note in notes)


@lru_cache(maxsize=1)  # a run and its figures ask for the same ground
def _made(table: TerrainProcedural) -> "GeneratedTerrain":
    from planetfall.world.terrain.procedural.generate import generate

    return generate(table)


def _procedural(table: TerrainProcedural, reach: float, device: str, fillet: float) -> Surface:
    from planetfall.world.terrain.dem.build import dem_surface

    made = _made(table)  # type: ignore[arg-type]  frozen, hence hashable
    origin = np.array([made.x_first, made.y_first, 0.0])
    ground = dem_surface(made.heights, origin, (made.spacing, made.spacing), device, gap=table.gap, source=made.source)
    if made.rock_mesh is None:
        return ground
    from planetfall.world.terrain.combined_build import combined_surface
    from planetfall.world.terrain.mesh.build import mesh_surface

    rocks = mesh_surface(made.rock_mesh.vertices, made.rock_mesh.facets, device, reach=reach, source=made.source)
    return combined_surface(ground, rocks, fillet=fillet)
