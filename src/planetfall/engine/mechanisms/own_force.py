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
from planetfall.engine.structure.mechanism import Mechanism, NoMechanisms, StateSlot
from planetfall.engine.structure.start import Start
from planetfall.engine.structure.work_accounts import WORK_EXTERNAL, WorkAccount
from planetfall.errors import InputError
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


KINDS: dict[str, MechanismKind] = {}


def register_kind(kind: MechanismKind | ForceModel) -> None:
    """Makes a force or mechanism known by its name.

    Raises:
        InputError: It misses something, or its name is taken.
    """
    where = f"force {kind.name!r}"
    made = kind if isinstance(kind, MechanismKind) else _kind_of(kind)
    if not callable(made.make):
        raise InputError(where, "lacks the function make", "(scenario, tables) -> Mechanism")
    if kind.name in KINDS and KINDS[kind.name].table is not kind.table:
        raise InputError(where, "the name is taken", advice="give it another name")
    KINDS[kind.name] = made


def own_mechanisms(scenario: Scenario) -> tuple[Mechanism, ...]:
    """Those of the user's own in a scenario, in the order of their first tables."""
    names = dict.fromkeys(force.kind for force in scenario.forces if force.kind in KINDS)
    found = []
    for name in names:
        mechanism = KINDS[name].make(scenario, [force for force in scenario.forces if force.kind == name])
        if not isinstance(mechanism, Mechanism):
            raise InputError(f"force {name!r}", f"made {type(mechanism).__name__}", "a planetfall.plugins.Mechanism")
        found.append(mechanism)
    return tuple(found)


def _kind_of(model: ForceModel) -> MechanismKind:
    """The mechanism of a plain force; refused at once if its function cannot be called as it will be."""
    where = f"force {model.name!r}"
    for name in ("params", "fill", "wrench"):
        if getattr(model, name) is None:
            raise InputError(where, f"lacks {name}", "all parts that ForceModel lists")
    takes = getattr(model.wrench, "input_types", None)
    if takes is None or len(takes) != N_ARGUMENTS:
        given = "is not a @wp.func" if takes is None else f"takes ({', '.join(takes)})"
        raise InputError(where, f"its function wrench {given}", "@wp.func (params, t, state, environment) -> Wrench")
    return MechanismKind(model.name, model.table, lambda scenario, tables: forces_of_kind(model, len(tables)))


@lru_cache
def chain_params(params: Any, n: int) -> Any:
    """`@wp.struct` class of n forces of one kind: the body and the numbers of the first, the others as `tail`."""
    if n == 0:
        return NoMechanisms
    rest = chain_params(params, n - 1)

    @wp.struct
    class OwnForces:
        body: wp.int32
        breaks: wp.array(dtype=wp.float64)
        head: params
        tail: rest

    return OwnForces


@lru_cache
def chain_wrench(model: ForceModel, n: int) -> Any:
    """`@wp.func (params, body, t, state, environment) -> Wrench`, the sum over n forces of those on a body."""
    params = chain_params(model.params, n)
    own: Any = model.wrench
    rest: Any = chain_wrench(model, n - 1) if n else None

    @wp.func
    def total(
        p: wp.ref[params], b: int, t: wp.float64, state: wp.ref[BodyState], environment: wp.ref[Environment]
    ) -> Wrench:
        out = Wrench()
        if wp.static(n > 0):
            out = rest(p.tail, b, t, state, environment)
            if p.body == b:
                found = own(p.head, t, state, environment)
                out.force += found.force
                out.torque_B += found.torque_B
        return out

    return total


@lru_cache
def chain_break(model: ForceModel, n: int) -> Any:
    """`@wp.func (params, t) -> first instant [s] after t at which one of n forces has a kink`."""
    params = chain_params(model.params, n)
    rest: Any = chain_break(model, n - 1) if n else None

    @wp.func
    def next_break(p: wp.ref[params], t: wp.float64) -> wp.float64:
        first = wp.float64(1.0e300)
        if wp.static(n > 0):
            first = rest(p.tail, t)
            for i in range(p.breaks.shape[0]):
                if p.breaks[i] > t:
                    first = wp.min(first, p.breaks[i])
        return first

    return next_break


@lru_cache
def forces_of_kind(model: ForceModel, n: int) -> Mechanism:
    """N forces of one kind as a mechanism."""
    params, total = chain_params(model.params, n), chain_wrench(model, n)

    @lru_cache
    def wrench(slot: StateSlot) -> Any:
        vector = slot.vector

        @wp.func
        def wrench_on(
            p: wp.ref[params], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
            state: wp.ref[BodyState], environment: wp.ref[Environment],
        ) -> Wrench:  # fmt: skip
            return total(p, b, t, state, environment)

        return wrench_on

    def fill(scenario: Scenario, start: Start) -> Draft:
        tables = [force for force in scenario.forces if force.kind == model.name]
        nested = Draft(NoMechanisms)
        for i, table in enumerate(reversed(tables)):
            outer = Draft(chain_params(model.params, i + 1))
            outer.body, outer.breaks = scenario.body_index(table.body), [*model.breaks(table)]
            outer.head, outer.tail = draft_of(model.params, model.fill(table), f"force {model.name!r}"), nested
            nested = outer
        return nested

    return Mechanism(
        name=model.name,
        params=params,
        fill=fill,
        reads=("forces.",),
        wrench=wrench,
        account=model.account,
        next_break=lambda slot: chain_break(model, n),
    )
