"""A force of one's own: drag in proportion to the velocity relative to the ground, as of a magnetic brake or thick gas.

    F = -c v        L = -e omega

Named in a scenario by `plugins = ["linear_drag.py"]`, it is added by `[[forces]] kind = "linear-drag"`.
"""

from typing import Any, Literal

import warp as wp

from planetfall.plugins import BodyState, Environment, ForceModel, Table, Wrench, choice, quantity, register


class LinearDragKeys(Table):
    """What a scenario gives under `[[forces]]`: the first key selects the force, `body` names its vehicle."""

    kind: Literal["linear-drag"] = choice("name of the force")
    body: str | None = choice("name of the vehicle it acts on; the first if not given", None)
    coefficient: float = quantity("N s/m", "c: force over velocity", ge=0)
    turning: float = quantity("N m s", "e: torque over angular velocity", 0.0, ge=0)


@wp.struct
class LinearDragParams:
    """Every number of the force; none is in the code, or a changed one would not be noticed."""

    coefficient: wp.float64  # c [N s/m]
    turning: wp.float64  # e [N m s]


@wp.func
def wrench(
    p: wp.ref[LinearDragParams], t: wp.float64, state: wp.ref[BodyState], environment: wp.ref[Environment]
) -> Wrench:
    """Force in the surface frame, torque in body axes."""
    out = Wrench()
    out.force = state.velocity * -p.coefficient
    out.torque_B = state.omega_B * -p.turning
    return out


def fill(keys: LinearDragKeys) -> dict[str, Any]:
    """The numbers by member of the struct."""
    return {"coefficient": keys.coefficient, "turning": keys.turning}


LINEAR_DRAG = ForceModel("linear-drag", LinearDragKeys, LinearDragParams, fill, wrench)
register(LINEAR_DRAG)
