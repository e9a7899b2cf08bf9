"""Whether a whole body can be what a scenario says it is: its density, its spin, its axis."""

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario
from planetfall.world.gravity.constants import GRAVITATIONAL_CONSTANT
from planetfall.world.gravity.polyhedron_build import strength_of
from planetfall.world.shape import ShapeProperties

AXIS_TOLERANCE = np.radians(1.0)
"""How far a spin axis may lie from an axis of inertia and still be taken for it [rad] (assumed)."""


def body_notes(scenario: Scenario, shape: ShapeProperties) -> tuple[str, ...]:
    """What a user should know of a body of this shape, mass and spin: sentences.

    Raises:
        InputError: Its density is none that a solid body has, which a wrong unit of length makes; or it is asked to
            spin about an axis of inertia, and does not.
    """
    target = scenario.target
    density = getattr(scenario.gravity, "density", None)
    if target.gm > 0.0 and density is None:
        density = strength_of(shape.volume, target.gm, None) / GRAVITATIONAL_CONSTANT
    if target.spins_about_principal_axis:
        _check_axis(np.asarray(target.spin_axis), shape)
    if density is None or target.spin_rate == 0.0:
        return ()
    needed = 3.0 * target.spin_rate**2 / (4.0 * np.pi * GRAVITATIONAL_CONSTANT)
    if needed <= density:
        return ()
    period = 2.0 * np.pi / abs(target.spin_rate) / 3600.0
    return (
        f"target.spin_rate: a ball of {density:.4g} kg/m^3 that turns once in {period:.3g} h throws off its "
        f"ground at the equator ({needed:.4g} kg/m^3 would hold it); check the spin rate, and the unit of the shape",
    )


def _check_axis(axis: np.ndarray, shape: ShapeProperties) -> None:
    """Refuses an axis of rotation that is none of the axes of inertia."""
    angles = np.degrees(np.arccos(np.clip(np.abs(shape.axes @ axis), 0.0, 1.0)))
    if angles.min() > np.degrees(AXIS_TOLERANCE):
        named = ", ".join(f"[{', '.join(f'{x:.6f}' for x in row)}]" for row in shape.axes)
        raise InputError(
            "target.spin_axis", f"lies {angles.min():.3g} deg from the nearest axis of inertia of the shape, so that a "
            "free body would not keep it", f"one of {named}, to within {np.degrees(AXIS_TOLERANCE):g} deg",
            "give one of these, set terrain.center = 'principal', or target.spins_about_principal_axis = false",
        )  # fmt: skip
