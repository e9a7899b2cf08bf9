"""The accounts of work [J] from which the energy of a run is explained, by the names that they have in datasets.

A recorded run keeps an integral of every account in its state; one that is not recorded keeps those alone that can put
energy in, which is all that has a say in whether energy rises. A mechanism may bring an account of its own.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class WorkAccount:
    """Work on the vehicles by one cause.

    Attributes:
        name: Of the variable in a dataset: `work_` and the cause.
        meaning: Its `long_name`.
        puts_in: Whether this cause can put energy in; one that only takes, such as friction, cannot.
    """

    name: str
    meaning: str
    puts_in: bool

    def __post_init__(self) -> None:
        if not (self.name.startswith("work_") and self.name.isidentifier()):
            raise ValueError(f"work account {self.name!r}: a name of an account is 'work_' and its cause")


WORK_DAMPER = WorkAccount("work_damper", "work of the ground's dampers on the vehicle", puts_in=False)
WORK_FRICTION = WorkAccount("work_friction", "work of friction on the vehicle", puts_in=False)
WORK_EXTERNAL = WorkAccount("work_external", "work of the scenario's forces on the vehicle", puts_in=True)
WORK_ANCHOR = WorkAccount("work_anchor", "energy that saved places made or lost", puts_in=True)
WORK_ROLLING = WorkAccount("work_rolling", "work of rolling resistance on the vehicle", puts_in=False)
WORK_CRASH = WorkAccount("work_crash", "energy of discarded vehicles that their crashes took", puts_in=False)
ACCOUNTS = (WORK_DAMPER, WORK_FRICTION, WORK_EXTERNAL, WORK_ANCHOR, WORK_ROLLING, WORK_CRASH)
"""Those of every recorded run, in the order of the state; the accounts of its mechanisms follow."""
