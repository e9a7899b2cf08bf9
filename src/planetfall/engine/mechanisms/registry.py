"""Every kind of mechanism, and which of them a scenario has."""

from collections.abc import Callable
from importlib import import_module

from planetfall.engine.mechanisms.anchors import anchors_of
from planetfall.engine.mechanisms.own_force import own_mechanisms
from planetfall.engine.structure.mechanism import Mechanism
from planetfall.scenario.scenario import Scenario

Found = Mechanism | tuple[Mechanism, ...] | None
"""The mechanisms of a kind that a scenario has."""


def _where(has: Callable[[Scenario], bool], module: str, function: str) -> Callable[[Scenario], Found]:
    """A kind whose module is loaded where a scenario has some of it: loading them all takes as long as a short run."""

    def found(scenario: Scenario) -> Found:
        if not has(scenario):
            return None
        return getattr(import_module(f"{__package__}.{module}"), function)(scenario)

    return found


def _aboard(key: str) -> Callable[[Scenario], bool]:
    """Whether a vehicle has something: an entry of a list, or a table."""
    return lambda scenario: any(getattr(vehicle, key) for vehicle in scenario.vehicles)


KINDS: tuple[Callable[[Scenario], Found], ...] = (
    _where(_aboard("arm"), "inside.eccentric_arm", "arms_of"),
    _where(_aboard("engines"), "inside.engines", "engines_of"),
    _where(lambda scenario: bool(scenario.tethers), "connections.tether", "tethers_of"),
    _where(lambda scenario: bool(scenario.forces), "force", "forces_of"),
    _where(_aboard("flywheels"), "inside.flywheel", "flywheels_of"),
    _where(_aboard("aerodynamics"), "air.aerodynamics", "aerodynamics_of"),
    _where(_aboard("parachutes"), "air.parachute", "parachutes_of"),
    _where(lambda s: _aboard("aerodynamics")(s) or _aboard("parachutes")(s), "air.air_load", "air_load_of"),
    own_mechanisms,
    anchors_of,
    # last: it puts what is carried where the others have left the carrier
    _where(lambda scenario: max(scenario.carriers) >= 0, "connections.attachment", "attachments_of"),
)
"""Each gives the mechanisms of a kind that a scenario has: none, one, or several. Their order is that of the state."""


def mechanisms_of(scenario: Scenario) -> tuple[Mechanism, ...]:
    """The mechanisms of a scenario, in the order of its state."""
    out: list[Mechanism] = []
    for kind in KINDS:
        found = kind(scenario)
        out.extend(found if isinstance(found, tuple) else () if found is None else (found,))
    return tuple(out)
