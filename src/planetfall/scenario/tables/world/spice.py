"""`[target.spice]`: attitude, spin and sun of the target from SPICE kernels at the target's epoch."""

from planetfall.scenario.files.paths import FileName
from planetfall.scenario.tables.table import Table, choice


class Spice(Table):
    """Kernels, and what is asked of them. Needs the extra `spice` (spiceypy)."""

    kernels: tuple[FileName, ...] = choice("files, in the order in which they are loaded; meta-kernels among them")
    body: str = choice("name or number of the target in the kernels; target.name if not given", "")
    frame: str = choice("its body-fixed frame; IAU_ and the name if not given", "")
    inertial: str = choice("name of the inertial axes", "J2000")
    has_sun: bool = choice("whether the direction to the sun is read, too, which needs ephemerides of both", True)
    of: str = choice("what the numbers in target were read for; Planetfall writes it", "")
