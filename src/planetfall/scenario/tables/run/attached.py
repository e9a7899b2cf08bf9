"""`[initial.attached]`: a vehicle that starts fixed to another, and when it is set free."""

from planetfall.scenario.tables.table import Table, UnitQuaternion, Vec3, choice, quantity
from planetfall.scenario.tables.vehicle.triggers import FlightTrigger


class Attached(Table):
    """Part of another vehicle until it is released: it moves with that one, adds to its mass, and feels nothing."""

    to: str = choice("name of the vehicle that carries it")
    position: Vec3 = quantity("m", "its centre of mass from that of the carrier, in the carrier's body frame")
    attitude: UnitQuaternion = quantity(
        "-", "quaternion x y z w from its body frame to the carrier's", (0.0, 0.0, 0.0, 1.0)
    )
    release: FlightTrigger | None = choice(
        "when it is set free, by the carrier's motion; by a phase of the flight, or never, if not given", None
    )
    separation_velocity: Vec3 = quantity(
        "m/s", "of it relative to the carrier at the release, in the carrier's body frame: springs", (0.0, 0.0, 0.0)
    )
