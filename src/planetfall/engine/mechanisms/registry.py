"""Every kind of mechanism, and which of them a scenario has."""

from collections.abc import Callable

from planetfall.engine.mechanisms.force import forces_of
from planetfall.engine.structure.mechanism import Mechanism
from planetfall.scenario.scenario import Scenario

KINDS: tuple[Callable[[Scenario], Mechanism | None], ...] = (forces_of,)
"""Each gives the mechanism of a scenario, or None where it has none of that kind. Their order is that of the state."""


def mechanisms_of(scenario: Scenario) -> tuple[Mechanism, ...]:
    """The mechanisms of a scenario, in the order of its state."""
    found = (kind(scenario) for kind in KINDS)
    return tuple(mechanism for mechanism in found if mechanism is not None)
