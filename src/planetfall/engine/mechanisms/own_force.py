"""Forces of the user's own, under `[[forces]]`, as mechanisms: one record, one struct, one function.

A `ForceModel` is the short way to a force or torque that depends on time, on the state of its body and on what
surrounds it. What has states of its own, or variables, is a whole `Mechanism`, made by a `MechanismKind`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.draft import Draft, draft_of
from planetfall.engine.structure.mechanism import Mechanism, StateSlot
from planetfall.engine.structure.start import Start
from planetfall.engine.structure.work_accounts import WORK_EXTERNAL, WorkAccount
from planetfall.errors import ANOTHER_NAME, InputError
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.table import Table
from planetfall.vehicle.body import BodyState, Wrench
from planetfall.world.environment import Environment

N_ARGUMENTS = 4


@dataclass(frozen=True)
class MechanismKind:
    """A kind of mechanism of the user's own, selected by `kind` in `[[forces]]`.

    Attributes:
        name: The `kind`.
        table: Its keys: `kind: Literal["..."]` first, `body`, and its own.
        make: `(scenario, tables) -> Mechanism`, of all tables of this kind in a scenario. Cached on whatever changes
            the code, or a kernel is compiled for every run.
    """

    name: str
    table: type[Table]
    make: Callable[[Scenario, Sequence[Any]], Mechanism]


@dataclass(frozen=True)
class ForceModel:
    """A force or torque of the user's own on one body, selected by `kind` in `[[forces]]`.

    Attributes:
        name: The `kind`.
        table: Its keys: `kind: Literal["..."]` first, `body`, and its own.
        params: `@wp.struct` class of its numbers.
        fill: `(table) -> values` by member of that struct.
        wrench: `@wp.func (params, t, state, environment) -> Wrench`: force [N], surface frame, and torque [N m] about
            the centre of mass, body axes. It must be smooth in time but for the instants of `breaks`.
        breaks: `(table) -> instants [s]` at which it has a kink in time; steps with error control end there.
        account: Of its work.
    """

    name: str
    table: type[Table]
    params: Any
    fill: Callable[[Any], dict[str, Any]]
    wrench: Any
    breaks: Callable[[Any], Sequence[float]] = lambda table: ()
    account: WorkAccount = WORK_EXTERNAL


KINDS: dict[str, MechanismKind | ForceModel] = {}


def register_kind(kind: MechanismKind | ForceModel) -> None:
    """Makes a force or mechanism known by its name.

    Raises:
        InputError: It misses something, or its name is taken.
    """
    where = f"force {kind.name!r}"
    if isinstance(kind, ForceModel):
        _check(kind, where)
    elif not callable(kind.make):
        raise InputError(where, "lacks the function make", "(scenario, tables) -> Mechanism")
    if kind.name in KINDS and KINDS[kind.name].table is not kind.table:
        raise InputError(where, "the name is taken", advice=ANOTHER_NAME)
    KINDS[kind.name] = kind


def own_mechanisms(scenario: Scenario) -> tuple[Mechanism, ...]:
    """Those of the user's own in a scenario, in the order of their first tables."""
    named: dict[str, list[int]] = {}
    for i, force in enumerate(scenario.forces):
        if force.kind in KINDS:
            named.setdefault(force.kind, []).append(i)
    found = []
    for name, places in named.items():
        kind, tables = KINDS[name], [scenario.forces[i] for i in places]
        if isinstance(kind, ForceModel):
            bodies = (scenario.body_index(table.body) for table in tables)
            found += [own_force(kind, i, body) for i, body in zip(places, bodies, strict=True)]
            continue
        mechanism = kind.make(scenario, tables)
        if not isinstance(mechanism, Mechanism):
            raise InputError(f"force {name!r}", f"made {type(mechanism).__name__}", "a planetfall.plugins.Mechanism")
        found.append(mechanism)
    return tuple(found)


def _check(model: ForceModel, where: str) -> None:
    """Refuses a force whose function cannot be called as it will be."""
    for name in ("params", "fill", "wrench"):
        if getattr(model, name) is None:
            raise InputError(where, f"lacks {name}", "all parts that ForceModel lists")
    takes = getattr(model.wrench, "input_types", None)
    if takes is None or len(takes) != N_ARGUMENTS:
        given = "is not a @wp.func" if takes is None else f"takes ({', '.join(takes)})"
        raise InputError(where, f"its function wrench {given}", "@wp.func (params, t, state, environment) -> Wrench")


@lru_cache
def own_force(model: ForceModel, i: int, body: int) -> Mechanism:
    """The i-th force of a scenario, of the user's own, on a body."""
    numbers, wrench_of = model.params, model.wrench

    @wp.struct
    class OwnForce:
        breaks: wp.array(dtype=wp.float64)
        own: numbers

    @lru_cache
    def wrench(slot: StateSlot) -> Any:
        vector = slot.vector

        @wp.func
        def wrench_on(
            p: wp.ref[OwnForce], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
            state: wp.ref[BodyState], environment: wp.ref[Environment],
        ) -> Wrench:  # fmt: skip
            return wrench_of(p.own, t, state, environment)

        return wrench_on

    @wp.func
    def next_break(p: wp.ref[OwnForce], t: wp.float64) -> wp.float64:
        first = wp.float64(1.0e300)
        for k in range(p.breaks.shape[0]):
            if p.breaks[k] > t:
                first = wp.min(first, p.breaks[k])
        return first

    def fill(scenario: Scenario, start: Start) -> Draft:
        out, table = Draft(OwnForce), scenario.forces[i]
        out.breaks = [*model.breaks(table)]
        out.own = draft_of(numbers, model.fill(table), f"force {model.name!r}")
        return out

    return Mechanism(
        name=model.name,
        params=OwnForce,
        fill=fill,
        reads=("forces.",),
        wrench=wrench,
        account=model.account,
        next_break=lambda slot: next_break,
        acts_on=(body,),
    )
