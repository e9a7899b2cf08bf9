"""Whether mass and inertia of a vehicle can be those of something inside its outer form."""

import numpy as np

from planetfall.scenario.tables.vehicle.vehicle import Vehicle

ROUNDING = 1e-9
"""Distance over size that is taken for none."""


def form_notes(vehicle: Vehicle) -> list[str]:
    """What to say of a centre of mass outside `vehicle.shape`, or of an inertia that no mass inside it has: sentences.

    Parts that the form leaves out, such as panels, may explain both, so that neither is refused.
    """
    shape = vehicle.shape
    if shape is None:
        return []
    corners = shape.solid.vertices - np.asarray(shape.center_of_mass)
    outside = float(np.maximum(corners.min(axis=0), -corners.max(axis=0)).max())
    if outside > ROUNDING * float(np.ptp(corners, axis=0).max()):
        return [
            f"vehicle.shape.center_of_mass: {list(shape.center_of_mass)} m lies {outside:.3g} m outside the "
            f"{shape.kind}; it counts from the middle of the solid, along its axes"
        ]
    most = vehicle.mass * float((corners**2).sum(axis=1).max())
    found = 0.5 * float(np.trace(np.asarray(vehicle.inertia)))  # the sum of m r^2
    if found <= (1.0 + ROUNDING) * most:
        return []
    return [
        f"vehicle.inertia: {vehicle.mass:g} kg inside vehicle.shape have principal moments that add up to "
        f"{2.0 * most:.3g} kg m^2 at most, and these add up to {2.0 * found:.3g}; is their unit kg m^2?"
    ]
