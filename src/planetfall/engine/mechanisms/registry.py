"""Every kind of mechanism, and which of them a scenario has."""

from collections.abc import Callable

from planetfall.engine.mechanisms.aerodynamics import aerodynamics_of
from planetfall.engine.mechanisms.attachment import attachments_of
from planetfall.engine.mechanisms.flywheel import flywheels_of
from planetfall.engine.mechanisms.force import forces_of
from planetfall.engine.mechanisms.own_force import own_mechanisms
from planetfall.engine.mechanisms.parachute import parachutes_of
from planetfall.engine.structure.mechanism import Mechanism
from planetfall.scenario.scenario import Scenario

KINDS: tuple[Callable[[Scenario], Mechanism | tuple[Mechanism, ...] | None], ...] = (
    forces_of,
    flywheels_of,
    aerodynamics_of,
    parachutes_of,
    own_mechanisms,
    attachments_of,  # last: it puts what is carried where the others have left the carrier
)
"""Each gives the mechanisms of a kind that a scenario has: none, one, or several. Their order is that of the state."""


def mechanisms_of(scenario: Scenario) -> tuple[Mechanism, ...]:
    """The mechanisms of a scenario, in the order of its state."""
    out: list[Mechanism] = []
    for kind in KINDS:
        found = kind(scenario)
        out.extend(found if isinstance(found, tuple) else () if found is None else (found,))
    return tuple(out)
