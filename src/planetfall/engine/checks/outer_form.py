"""Whether mass and inertia of a vehicle can be those of something of its size: of its outer form, or of its points."""

import numpy as np

from planetfall.scenario.tables.vehicle.vehicle import Vehicle

ROUNDING = 1e-9
"""Distance over size that is taken for none."""

TELLING = 3
"""Contact points from which on they tell how large a vehicle is."""
TOO_COMPACT, TOO_WIDE = 1.0 / 30.0, 10.0
"""Radius of gyration over the distance of the farthest contact point, beyond which a unit is probably wrong (assumed:
vehicles of the library have 0.2 to 1.2; kg mm^2 for kg m^2 is a factor of 1000, inches for metres one of 39)."""


def form_notes(vehicle: Vehicle) -> list[str]:
    """What to say of a centre of mass outside `vehicle.shape`, or of an inertia that no mass inside it has: sentences.

    Parts that the form leaves out, such as panels, may explain both, so that neither is refused. Without a shape the
    contact points tell how large a vehicle is.
    """
    shape = vehicle.shape
    if shape is None:
        return _beside_points(vehicle)
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


def _beside_points(vehicle: Vehicle) -> list[str]:
    """What to say of an inertia that is far too large or too small for where the contact points are: a unit, mostly."""
    if vehicle.extent == 0.0 or len(vehicle.points) < TELLING:
        return []
    gyration = float(np.sqrt(np.linalg.eigvalsh(np.asarray(vehicle.inertia))[-1] / vehicle.mass))
    if TOO_COMPACT < gyration / vehicle.extent < TOO_WIDE:
        return []
    return [
        f"the radius of gyration of {vehicle.name} is {float(f'{gyration:.3g}'):g} m, and its farthest contact point "
        f"is {vehicle.extent:.3g} m from its centre of mass: is vehicle.inertia in kg m^2, and are the points in m?"
    ]
