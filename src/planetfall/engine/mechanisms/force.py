"""From a scenario's forces to what the kernel takes."""

from planetfall.compute.draft import Draft
from planetfall.scenario.scenario import Scenario
from planetfall.vehicle.forces import ForceSet, TabledForce


def force_params(scenario: Scenario, forces: ForceSet) -> Draft:
    """Head and tail, nested once per force, innermost first."""
    classes = [forces.params]
    for _ in scenario.forces:
        classes.append(classes[-1].vars["tail"].type)
    nested = Draft(classes[-1])
    for force, cls in zip(reversed(scenario.forces), reversed(classes[:-1]), strict=True):
        head, outer = Draft(TabledForce), Draft(cls)
        head.body = scenario.body_index(force.body)
        head.point_B, head.direction = force.point, force.direction
        head.times, head.magnitudes = force.times, force.magnitudes
        outer.head, outer.tail = head, nested
        nested = outer
    return nested
