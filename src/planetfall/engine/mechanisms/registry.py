"""Every kind of mechanism, and which of them a scenario has."""

from collections.abc import Callable

from planetfall.engine.mechanisms.air.parachute import parachutes_of
from planetfall.engine.mechanisms.anchors import anchors_of
from planetfall.engine.mechanisms.connections.separation import attachments_of
from planetfall.engine.mechanisms.connections.tether import tethers_of
from planetfall.engine.mechanisms.force import forces_of
from planetfall.engine.mechanisms.inside.eccentric_arm import arms_of
from planetfall.engine.mechanisms.inside.flywheel import flywheels_of
from planetfall.engine.mechanisms.inside.propulsion import engines_of
from planetfall.engine.mechanisms.own_force import own_mechanisms
from planetfall.engine.structure.mechanism import Mechanism
from planetfall.scenario.scenario import Scenario


def aerodynamics_of(scenario: Scenario) -> tuple[Mechanism, ...]:
    """The aerodynamics of a scenario's vehicles; loading its code takes as long as a short run."""
    if all(vehicle.aerodynamics is None for vehicle in scenario.vehicles):
        return ()
    from planetfall.engine.mechanisms.air import aerodynamics

    return aerodynamics.aerodynamics_of(scenario)


KINDS: tuple[Callable[[Scenario], Mechanism | tuple[Mechanism, ...] | None], ...] = (
    arms_of,
    engines_of,
    tethers_of,
    forces_of,
    flywheels_of,
    aerodynamics_of,
    parachutes_of,
    own_mechanisms,
    anchors_of,
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
