"""A mechanism of one's own: a tank that leaks gas, with a state, a variable and an account of work of its own.

    F = F0 exp(-t/tau), as the state  F' = -F/tau        L = r x F

The thrust of the jet decays as the tank empties; the mass of the gas is neglected. Named in a scenario by `plugins =
["leaking_tank.py"]`, it is added by `[[forces]] kind = "leaking-tank"`, once or several times.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import warp as wp

from planetfall.plugins import (
    BodyState,
    Draft,
    Environment,
    Mechanism,
    MechanismKind,
    RecordedVariable,
    Scenario,
    StateSlot,
    Table,
    UnitVec3,
    Vec3,
    WorkAccount,
    Wrench,
    choice,
    quantity,
    register,
)


class LeakingTankKeys(Table):
    """What a scenario gives under `[[forces]]`: the first key selects the mechanism, `body` names its vehicle."""

    kind: Literal["leaking-tank"] = choice("name of the mechanism")
    body: str | None = choice("name of the vehicle that leaks; the first if not given", None)
    position: Vec3 = quantity("m", "of the leak, body axes", (0.0, 0.0, 0.0))
    direction: UnitVec3 = quantity("-", "in which the jet pushes the vehicle, body axes", (0.0, 0.0, 1.0))
    thrust: float = quantity("N", "F0: at the start", ge=0)
    time_constant: float = quantity("s", "tau: in which the thrust falls by 1/e", gt=0)


@wp.struct
class LeakParams:
    """Every number of all leaks, one row each; none is in the code, or a changed one would not be noticed."""

    body: wp.array(dtype=wp.int32)
    position_B: wp.array(dtype=wp.vec3d)  # [m]
    direction_B: wp.array(dtype=wp.vec3d)
    time_constant: wp.array(dtype=wp.float64)  # [s]


def tables_of(scenario: Scenario) -> list[Any]:
    """The tables of this kind, in order: a state for each."""
    return [force for force in scenario.forces if force.kind == "leaking-tank"]


def fill(scenario: Scenario, start: Any) -> Draft:
    """The numbers by member of the struct."""
    out, tables = Draft(LeakParams), tables_of(scenario)
    out.body = np.array([scenario.body_index(table.body) for table in tables], dtype=np.int32)
    out.position_B = np.array([table.position for table in tables])
    out.direction_B = np.array([table.direction for table in tables])
    out.time_constant = [table.time_constant for table in tables]
    return out


@lru_cache
def leaks(n: int) -> Mechanism:
    """So many of them; cached, so that scenarios with as many share a kernel."""

    def rates(slot: StateSlot) -> Any:
        """Every leak fills in the rate of its thrust when its own body's turn comes."""
        vector, offset = slot.vector, slot.offset

        @wp.func
        def decay(
            dy: wp.ref[vector], p: wp.ref[LeakParams], y: wp.ref[vector], b: int, t: wp.float64,
            t_branch: wp.float64, state: wp.ref[BodyState], environment: wp.ref[Environment],
        ):  # fmt: skip
            for i in range(wp.static(n)):
                if p.body[i] == b:
                    dy[offset + i] = -y[offset + i] / p.time_constant[i]

        return decay

    def wrench(slot: StateSlot) -> Any:
        """Force in the surface frame, torque in body axes."""
        vector, offset = slot.vector, slot.offset

        @wp.func
        def push(
            p: wp.ref[LeakParams], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
            state: wp.ref[BodyState], environment: wp.ref[Environment],
        ) -> Wrench:  # fmt: skip
            out = Wrench()
            for i in range(wp.static(n)):
                if p.body[i] == b:
                    force_B = p.direction_B[i] * y[offset + i]
                    out.force += state.R_SB * force_B
                    out.torque_B += wp.cross(p.position_B[i], force_B)
            return out

        return push

    def observe(slot: StateSlot) -> Any:
        """The thrust of all leaks of a body together."""
        vector, offset = slot.vector, slot.offset

        @wp.func
        def see(
            p: wp.ref[LeakParams], y: wp.ref[vector], b: int, t: wp.float64, state: wp.ref[BodyState],
            environment: wp.ref[Environment], values: wp.array2d(dtype=wp.float64), frame: int, column: int,
        ):  # fmt: skip
            for i in range(wp.static(n)):
                if p.body[i] == b:
                    values[frame, column] += y[offset + i]

        return see

    return Mechanism(
        name="leaking-tank",
        params=LeakParams,
        fill=fill,
        reads=("forces.",),
        n_states=n,
        initial=lambda scenario: np.array([table.thrust for table in tables_of(scenario)]),
        rates=lru_cache(rates),
        wrench=lru_cache(wrench),
        account=WorkAccount("work_leak", "work of leaking tanks on the vehicle", puts_in=True),
        variables=(RecordedVariable("leak_thrust", "N", "thrust of leaking tanks"),),
        observe=lru_cache(observe),
    )


def make(scenario: Scenario, tables: Sequence[LeakingTankKeys]) -> Mechanism:
    """The mechanism of all tables of this kind."""
    return leaks(len(tables))


register(MechanismKind("leaking-tank", LeakingTankKeys, make))
