"""Whether a whole body can be what a scenario says it is: its size, its density, its spin, its axis."""

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.world.gravity_shape import GravityGrid, GravityPolyhedron
from planetfall.scenario.tables.world.target import Target
from planetfall.world.gravity.model import GRAVITATIONAL_CONSTANT
from planetfall.world.gravity.polyhedron.build import (
    DENSITY_HIGHEST,
    DENSITY_LOWEST,
    strength_of,
    unit_advice,
)
from planetfall.world.shape.mass_properties import ShapeProperties, axis_text, shape_properties
from planetfall.world.shape.shape_file import load_shape
from planetfall.world.shape.winding_number import windings_at
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
from planetfall.world.terrain.readers.meshes.winding import winding

AXIS_TOLERANCE = np.radians(1.0)
"""How far a spin axis may lie from an axis of inertia and still be taken for it [rad] (assumed)."""
OFFSET_TOLERANCE = 0.01
"""How far a centre of mass may lie from the spin axis, over the body's mean radius (assumed)."""
EQUAL_MOMENTS = 1e-6
"""Relative difference of two moments of inertia up to which every axis between theirs is one too (assumed)."""
SIZE_FACTOR = 10.0
"""By how much the mean radius of a shape may differ from target.radius, either way (assumed: units differ by more)."""
MOMENT_SHARE = 0.98
"""Moment of inertia about the spin axis, over the largest, below which the axis is remarked on (assumed: shape models
of Itokawa, Bennu, Ryugu, Eros, Phobos and 67P have 0.992 to 1 about their own axes, and 0.963 at most about x or y)."""
SMALL_RADIUS = 25.0
"""Mean radius [m] below which a body is remarked on (assumed): what a body of 25 km is taken for in the wrong unit."""


def body_notes(scenario: Scenario, found: ShapeProperties | MeshData | None) -> tuple[str, ...]:
    """What a user should know of a body of this shape, mass and spin: sentences.

    Args:
        scenario: The scenario.
        found: The shape of the ground; a mesh that may be a whole body; or nothing that is known.

    Raises:
        InputError: Its size or density is none that it can have, which a wrong unit of length makes (the density of a
            body by a formula is only remarked on); or it is asked to spin about an axis of inertia, and does not, or
            that cannot be told.
    """
    shape = _whole_body(scenario, found) if isinstance(found, MeshData) else found
    target = scenario.target
    if target.spins_about_principal_axis:
        _check_axis(target, shape or _other_shape(scenario))
    where, given = scenario.ground_key, getattr(scenario.gravity, "density", None)
    if shape is None or (where == "terrain.half_sizes" and target.frame == "L"):  # there it is a hill or a rock
        return ()
    _check_size(scenario, shape)
    axis = _another_axis(target, shape)
    if given is None and target.gm == 0.0:
        return axis if where == "terrain.half_sizes" else (*axis, *_small(shape, None, where))
    density = given or target.gm / (GRAVITATIONAL_CONSTANT * shape.volume)
    if where != "terrain.half_sizes":
        strength_of(shape.volume, None if given else target.gm, given, where)
    elif not DENSITY_LOWEST <= density <= DENSITY_HIGHEST:
        said = f"{where}: with target.gm they make {density:.4g} kg/m^3, which no solid body has; are they in m?"
        return (said, *axis)
    small = () if given is None else _small(shape, given, where)
    return (*axis, *small, *_thrown_off(target.spin_rate, density))


def _whole_body(scenario: Scenario, mesh: MeshData) -> ShapeProperties | None:
    """The properties of a mesh that is closed about the target's centre in frame P; others are sites or parts."""
    center = scenario.target.center_S
    if scenario.target.frame != "P" or not winding(mesh).is_closed:
        return None
    if windings_at(mesh.vertices, mesh.facets, center[None])[0] < 0.5:
        return None
    return shape_properties(mesh.vertices, mesh.facets)


def _other_shape(scenario: Scenario) -> ShapeProperties | None:
    """The shape of a body whose ground has none of its own: that of its gravity, or the target's."""
    gravity, target = scenario.gravity, scenario.target
    if isinstance(gravity, GravityPolyhedron | GravityGrid) and gravity.shape is not None:
        crossed = gravity.crossed_facets
        mesh = load_shape(gravity.shape, "gravity.shape", gravity.scale, gravity.center or "file", crossed=crossed)
    elif target.shape is not None:
        mesh = load_shape(target.shape, "target.shape", target.shape_scale)
    else:
        return None
    return shape_properties(mesh.vertices, mesh.facets)


def _check_size(scenario: Scenario, shape: ShapeProperties) -> None:
    """Refuses a body of another size than the target has, or, where no mass is given, smaller than the vehicle."""
    where, radius, expected = scenario.ground_key, shape.mean_radius, scenario.target.radius
    if scenario.target.frame == "P" and expected > 0.0 and not 1.0 / SIZE_FACTOR <= radius / expected <= SIZE_FACTOR:
        raise InputError(
            where, f"has a mean radius of {radius:.4g} m, target.radius is {expected:.4g} m",
            f"the same within a factor of {SIZE_FACTOR:g}",
            f"check the unit of length ({unit_advice(where, radius > expected)}), or the target",
        )  # fmt: skip
    if scenario.target.gm > 0.0 and getattr(scenario.gravity, "density", None) is None:
        return  # the mass tells
    for vehicle in scenario.vehicles:
        reach = max((float(np.linalg.norm(tip - vehicle.hub.center)) for tip in vehicle.tips), default=0.0)
        if radius < reach:
            raise InputError(
                where, f"has a mean radius of {radius:.4g} m, and {vehicle.name} reaches {reach:.4g} m from its centre",
                "a target larger than what lands on it", f"check the unit of length ({unit_advice(where)})",
            )  # fmt: skip


def _small(shape: ShapeProperties, density: float | None, where: str) -> tuple[str, ...]:
    """A remark on a body that is smaller than those that are visited, where no mass tells whether its unit is right."""
    radius, escape = shape.mean_radius, ""
    if radius >= SMALL_RADIUS:
        return ()
    if density is not None:
        speed = np.sqrt(2.0 * GRAVITATIONAL_CONSTANT * density * shape.volume / radius)
        escape = f", from which {speed:.2g} m/s are enough to escape"
    return (
        f"{where}: a body with a mean radius of {radius:.3g} m{escape}; is the unit of length right "
        f"({unit_advice(where)})?",
    )


def _thrown_off(spin_rate: float, density: float) -> tuple[str, ...]:
    """A remark on a spin that gravity does not hold together: Omega^2 > 4 pi G rho/3."""
    needed = 3.0 * spin_rate**2 / (4.0 * np.pi * GRAVITATIONAL_CONSTANT)
    if needed <= density:
        return ()
    period = 2.0 * np.pi / abs(spin_rate) / 3600.0
    return (
        f"target.spin_rate: a ball of {density:.4g} kg/m^3 that turns once in {period:.3g} h throws off its "
        f"ground at the equator ({needed:.4g} kg/m^3 would hold it); check the spin rate, and the unit of the shape",
    )


def _another_axis(target: Target, shape: ShapeProperties) -> tuple[str, ...]:
    """A remark on a spin about another axis than that of the largest moment, which friction leads a free body to."""
    if target.frame != "P" or target.spin_rate == 0.0:
        return ()
    axis, largest = target.axis_S, shape.axes[2]
    share = float(axis @ shape.inertia @ axis) / float(shape.moments[2])
    if share >= MOMENT_SHARE:
        return ()
    angle = np.degrees(np.arccos(min(abs(float(axis @ largest)), 1.0)))
    return (
        f"target.spin_axis: the shape turns about an axis that lies {angle:.3g} deg from that of its largest moment of "
        f"inertia, {axis_text(largest)}, about which bodies turn unless they tumble; if the file has another axis up "
        "than z, terrain.center = 'principal' turns it",
    )


def _check_axis(target: Target, shape: ShapeProperties | None) -> None:
    """Refuses an axis of rotation that is none of the axes of inertia, or passes the centre of mass by."""
    advice = "or set target.spins_about_principal_axis = false"
    if shape is None:
        raise InputError(
            "target.spins_about_principal_axis", "true, but no closed shape of the whole body is known",
            "a target with a shape", f"give target.shape, {advice}",
        )  # fmt: skip
    axis, limit = target.axis_S, np.degrees(AXIS_TOLERANCE)
    angle = _off_axis(axis, shape)
    if angle > AXIS_TOLERANCE:
        named = ", ".join(f"[{', '.join(f'{x:.6f}' for x in row)}]" for row in shape.axes)
        raise InputError(
            "target.spin_axis", f"lies {np.degrees(angle):.3g} deg from the nearest axis of inertia of the shape, so "
            "that a free body would not keep it", f"one of {named}, to within {limit:g} deg",
            f"give one of these, set terrain.center = 'principal', {advice}",
        )  # fmt: skip
    arm = shape.center_of_mass - target.center_S
    offset, radius = float(np.linalg.norm(arm - axis * (axis @ arm))), shape.mean_radius
    if offset > OFFSET_TOLERANCE * radius:
        raise InputError(
            "target.spin_axis", f"passes the shape's centre of mass, {np.round(shape.center_of_mass, 3).tolist()} m, "
            f"at {offset:.4g} m, so that a free body would not keep it", f"at most {OFFSET_TOLERANCE * radius:.4g} m",
            f"set terrain.center = 'mass' or 'principal' (gravity.center for a shape of its own), {advice}",
        )  # fmt: skip


def _off_axis(axis: np.ndarray, shape: ShapeProperties) -> float:
    """Angle [rad] between an axis and the nearest axis of inertia; equal moments have a whole plane of them, or all."""
    along = (shape.axes @ axis) ** 2
    is_equal = np.abs(shape.moments[:, None] - shape.moments) <= EQUAL_MOMENTS * shape.moments[2]
    return float(np.arccos(np.sqrt(np.clip((is_equal * along).sum(axis=1), 0.0, 1.0))).min())
