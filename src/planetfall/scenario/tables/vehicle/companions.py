"""`[[companions]]`: further vehicles in the same run, each a rigid body with a start of its own."""

from planetfall.scenario.tables.run.initial import Initial
from planetfall.scenario.tables.table import Table, choice
from planetfall.scenario.tables.vehicle.vehicle import Vehicle


class Companion(Table):
    """A vehicle beside the first; the contact law is shared, its stiffness follows from each one's own mass."""

    vehicle: Vehicle = choice("the vehicle, with the keys of [vehicle]; a built-in name fills in what is not given")
    initial: Initial = choice("start of this vehicle, with the keys of [initial]", Initial())
