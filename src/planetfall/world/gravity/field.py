"""From a scenario's gravity table to a field on a device."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.compute.draft import Draft, draft_of
from planetfall.compute.parts_by_name import PartsByName
from planetfall.errors import InputError
from planetfall.scenario.files.files_read import remembered
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.world.gravity_shape import GravityGrid, GravityHarmonics, GravityPolyhedron
from planetfall.scenario.tables.world.target import Target
from planetfall.scenario.tables.world.terrain_sdf import TerrainSdf
from planetfall.world.gravity.model import GravityModel
from planetfall.world.gravity.on_device import GravityField
from planetfall.world.shape.made_shapes import is_made

MODELS: PartsByName[GravityModel] = PartsByName(
    {
        "uniform": "planetfall.world.gravity.uniform:GRAVITY_UNIFORM",
        "none": "planetfall.world.gravity.uniform:GRAVITY_UNIFORM",
        "point": "planetfall.world.gravity.point:GRAVITY_POINT",
        "j2": "planetfall.world.gravity.j2:GRAVITY_J2",
        "ellipsoid": "planetfall.world.gravity.ellipsoid:GRAVITY_ELLIPSOID",
        "harmonics": "planetfall.world.gravity.harmonics.harmonics:GRAVITY_HARMONICS",
        "polyhedron": "planetfall.world.gravity.polyhedron.polyhedron:GRAVITY_POLYHEDRON",
        "grid": "planetfall.world.gravity.grid.grid:GRAVITY_GRID",
    }
)
OWN_FILLS: dict[str, Callable[[Scenario], Mapping[str, Any]]] = {}
"""Of fields of the user's own, entered in `MODELS` as well: their numbers by member."""
INSIDE_SPHERE = 0.01
"""How far, in radii, below its reference sphere a start in a harmonic field is accepted (assumed: topography)."""
MANY_FACETS = 3000
"""From which on the cost of the exact field is told (assumed)."""
PER_FACET = 60e-9
"""Seconds that a facet takes at every stage, on one core (measured, docs/models/polyhedron-gravity.md)."""
SAME_BODY = 0.01
"""Relative difference of GM up to which a gravity file and target.gm are of one body (assumed)."""


def gravity_model(scenario: Scenario) -> GravityModel:
    """The field that a scenario asks for; none at all is a uniform field of zero."""
    return MODELS[scenario.gravity.model]


def gravity_params(scenario: Scenario, device: str = "cpu") -> Any:
    """The field's parameter struct, filled, its arrays on a device."""
    if isinstance(scenario.gravity, GravityHarmonics | GravityPolyhedron | GravityGrid):
        return gravity_field(scenario, device).params
    return plain_gravity(scenario).on_device(device)


def plain_gravity(scenario: Scenario) -> Draft:
    """The parameters of a field that is a few numbers."""
    gravity, target, params = scenario.gravity, scenario.target, Draft(gravity_model(scenario).params)
    if gravity.model in OWN_FILLS:
        return draft_of(params.struct, OWN_FILLS[gravity.model](scenario), f"gravity {gravity.model!r}")
    if gravity.model == "uniform":
        params.acceleration = gravity.acceleration * np.asarray(gravity.direction)
    if gravity.model in ("point", "j2", "ellipsoid"):
        params.gm, params.center = target.gm, target.center_S
    if gravity.model == "ellipsoid":
        params.squares = np.square(np.array(target.semi_axes, dtype=float))
    if gravity.model == "j2":
        params.j2, params.radius, params.axis = target.j2, target.radius, target.axis_S
    return params


def gravity_field(scenario: Scenario, device: str = "cpu") -> GravityField:
    """The field of a scenario, with what is known of it."""
    gravity = scenario.gravity
    if isinstance(gravity, GravityHarmonics):
        _check_there(gravity.file, "gravity.file")
        return _harmonics(gravity, scenario.target, device)
    if isinstance(gravity, GravityPolyhedron | GravityGrid):
        where = scenario.ground_key if gravity.shape is None else "gravity.shape"
        gravity = _with_shape(gravity, scenario)
        _check_there(str(gravity.shape), where)
        return _of_shape(gravity, where, scenario.target, device)
    return GravityField(gravity_model(scenario), gravity_params(scenario), device)


def acceleration_at(scenario: Scenario, position_S: np.ndarray) -> np.ndarray:
    """Gravity [m/s^2] at a point of the surface frame, evaluated with the engine's own function.

    Raises:
        InputError: The point is inside the sphere within which a harmonic field need not converge.
    """
    start_warp()
    is_plain = not isinstance(scenario.gravity, GravityHarmonics | GravityPolyhedron | GravityGrid)
    if is_plain and scenario.gravity.model not in OWN_FILLS:
        return np.array(gravity_model(scenario).acceleration(gravity_params(scenario), wp.vec3d(*position_S)))
    field = gravity_field(scenario)
    if isinstance(scenario.gravity, GravityHarmonics):
        _check_outside(field, scenario.target, np.asarray(position_S, dtype=float))
    return field.acceleration(position_S)[0]


def weighed_at(scenario: Scenario, positions_S: np.ndarray) -> np.ndarray:
    """Where gravity is taken by which stiffness and loads are scaled [..., 3] [m]: where vehicles start.

    Of a target with a site it is the site: a vehicle that starts in space weighs less there than where it lands.
    """
    return positions_S if scenario.target.site is None else np.zeros_like(positions_S)


def _check_outside(field: GravityField, target: Target, position_S: np.ndarray) -> None:
    radius, distance = field.facts["valid_beyond_m"], float(np.linalg.norm(position_S - target.center_S))
    if distance < (1.0 - INSIDE_SPHERE) * radius:
        raise InputError(
            "gravity.model", f"the harmonics need not converge {distance:.6g} m from the centre, inside their "
            f"reference sphere of {radius:.6g} m", "a start outside it", "use 'polyhedron' or 'grid' near the surface",
        )  # fmt: skip


def _check_there(file: str, where: str) -> None:
    """Refuses a file that is not there under the key that names it."""
    if is_made(file):
        return
    try:
        Path(file).stat()
    except (OSError, ValueError) as error:
        raise InputError(where, f"{file} cannot be opened ({error})", "a readable file") from None


def _with_shape(gravity: GravityPolyhedron | GravityGrid, scenario: Scenario) -> GravityPolyhedron | GravityGrid:
    """The table with a shape of its own; without one it is that of the terrain, placed as the terrain is."""
    if scenario.target.frame != "P":
        raise InputError(
            "target.frame", f"{scenario.target.frame!r} has other axes than the shape of gravity.model = "
            f"{gravity.model!r}", "'P'", "set target.frame = 'P'",
        )  # fmt: skip
    ground = scenario.ground
    terrain = ground if isinstance(ground, TerrainSdf) and ground.file is not None else None
    if gravity.shape is not None:  # of its own, but in the axes that the ground has
        center = gravity.center or ("file" if terrain is None else terrain.center)
        return gravity.model_copy(update={"center": center})
    if terrain is None:
        raise InputError(
            "gravity.shape", "missing, and the terrain is no closed mesh from a file", "a closed mesh", "name one"
        )
    own = {"scale": terrain.scale, "center": terrain.center, "crossed_facets": terrain.crossed_facets}
    return gravity.model_copy(update={"shape": terrain.file, **own})


@remembered(maxsize=4)  # building a scenario asks for its weight several times
def _of_shape(gravity: GravityPolyhedron | GravityGrid, where: str, target: Target, device: str) -> GravityField:
    from planetfall.world.gravity.grid.build import grid_field
    from planetfall.world.gravity.polyhedron.build import polyhedron_field
    from planetfall.world.shape.shape_file import load_shape

    shape, crossed = str(gravity.shape), gravity.crossed_facets
    mesh = load_shape(shape, where, gravity.scale, gravity.center or "file", crossed=crossed, is_coarse=True)
    given = {"gm": target.gm if target.gm > 0.0 else None, "density": gravity.density, "where": where}
    facts = {"source": mesh.source, "notes": list(mesh.notes)}
    if isinstance(gravity, GravityPolyhedron):
        facts["notes"] += _cost_notes(len(mesh.facets))
        return polyhedron_field(mesh.vertices, mesh.facets, device, **given, **facts)
    spacing, bound = gravity.resolution, gravity.error_bound
    return grid_field(mesh.vertices, mesh.facets, device, spacing=spacing, error_bound=bound, **given, **facts)


def _cost_notes(n_facets: int) -> list[str]:
    """What the exact field costs, where that is much."""
    if n_facets < MANY_FACETS:
        return []
    return [
        f"gravity.model = 'polyhedron' sums {n_facets} facets at every stage of every step, some "
        f"{1e3 * PER_FACET * n_facets:.2g} ms on a CPU core; 'grid' is baked once, in a minute or so, and then takes "
        "a thousandth of it or less, to an error that is measured and told"
    ]


@remembered(maxsize=4)
def _harmonics(gravity: GravityHarmonics, target: Target, device: str) -> GravityField:
    from planetfall.world.gravity.harmonics.build import harmonics_field, site_axes
    from planetfall.world.gravity.harmonics.data import truncated
    from planetfall.world.gravity.readers.load import load_gravity_file

    data = truncated(load_gravity_file(gravity.file, gravity.unit, gravity.degree), gravity.degree, gravity.order)
    if target.gm > 0.0 and abs(data.gm / target.gm - 1.0) > SAME_BODY:
        raise InputError(
            "gravity.file", f"its GM is {data.gm:.6g} m^3/s^2, target.gm is {target.gm:.6g}", "the same body in both",
            "is the unit of its header right (gravity.unit)?",
        )  # fmt: skip
    R_PS = None
    if target.frame == "L":
        if gravity.longitude_deg is None:
            raise InputError(
                "gravity.longitude_deg", "missing: in frame L the field has to know where it is looked at from",
                "the east longitude of the site", "or set target.frame = 'P'",
            )  # fmt: skip
        R_PS = site_axes(target.axis_S, -target.center_S, float(np.radians(gravity.longitude_deg)))
    return harmonics_field(data, device, center_S=target.center_S, R_PS=R_PS)
